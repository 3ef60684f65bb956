"""Convert jobs to frames: read motions, solve recipes, and collect the data that windows draw.

An evaluator keeps what the next job is likely to need: the motions that were read last, and what
each version's steps found, so that a dragged keytime costs its own step alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retime import methods
from retime.body import find_body
from retime.body.contacts import detect_contacts, find_contacts
from retime.body.measure.metrics import skate_by_frame
from retime.errors import InputError
from retime.evaluate import Evaluated, Evaluator, Job
from retime.evaluate.evaluator import contacts_of, evidence_of, with_warp
from retime.evaluate.reading import Reading
from retime.io import format_of
from retime.io.in_place import choose_default, lasts
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.figures import Figures
from retime.motion.kinematics import global_rotations, ground_height, positions
from retime.motion.loops import is_cycle
from retime.motion.memory import last
from retime.parameters import values_of
from retime.recipe import Recipe, Solved
from retime.recipe.json import from_document, to_document, write_recipe
from retime.studio import frame_headers, jobs, messages
from retime.studio.contact_bars import bars_of, carried, flights_of
from retime.studio.editors import editor_of, layers, step_times
from retime.studio.lines import line_of
from retime.studio.meshes import has_mesh, mesh_nodes, write_mesh
from retime.studio.wording import studio_notes
from retime.times import needs_clip
from retime.timing import TimeWarp

Progress = Callable[[str, float | None], None]
# What a window is sent at once, at most: single precision values, 1 GB of them.
_MOST_VALUES = 1 << 28


class FrameMaker:
    """Does jobs one after the other, and makes the frames for windows.

    ``progress`` is told what is being done and the fraction that is done, if known.
    """

    def __init__(self, progress: Progress = lambda text, share: None) -> None:
        self.progress = progress
        self._evaluator = Evaluator()

    # ---- motions

    def motion(self, clip: jobs.Clip) -> Motion:
        """Read a motion, or return the cached one."""
        return self._motion(
            Job(source=clip.path, animation=clip.animation, sha256=clip.sha256), clip
        )

    def _motion(self, job: Job, clip: jobs.Clip) -> Motion:
        name = Path(clip.path).name
        if not Path(clip.path).exists():
            raise InputError(f"{clip.name} is gone: there is no file {name} any more")
        motion = self._evaluator.motion(
            job, reading=lambda: self.progress(f"Reading {clip.name}", None)
        )
        if len(motion) * len(motion.skeleton) * 7 > _MOST_VALUES:
            raise InputError(
                f"{len(motion):,} frames of {len(motion.skeleton)} joints are more than a window "
                "can show. Cut the clip first."
            )
        return motion

    def contacts(self, motion: Motion) -> tuple[Contact, ...]:
        """Find a motion's contacts once."""
        return last(motion, "contacts shown", (), lambda: detect_contacts(motion))

    def inspect(self, job: jobs.Inspect) -> list[str | None]:
        """List the animations of a file that have a duration; ``None`` for a file with one motion.

        The one that is read where none is chosen comes first.
        """
        path = Path(job.path)
        form = format_of(path)
        listed = form.contents(path) if form.several else [{}]
        if not listed:
            raise InputError("It contains no animation. Choose a file with motion in it.")
        clips: list[str | None] = [None] if len(listed) == 1 else list(_lasting(listed))
        self.motion(jobs.Clip("", path.name, job.path, "", clips[0]))
        return clips

    def load(self, job: jobs.Load) -> bytes:
        """Make the frame that shows a motion as it is in its file."""
        clip = job.clip
        motion = self.motion(clip)
        skeleton, body = motion.skeleton, find_body(motion)
        roles = {joint: role for role, joint in body.roles.items()}
        points = positions(motion, end_sites=True)
        nodes = mesh_nodes(motion)
        header = frame_headers.MotionHeader(
            id=clip.id,
            name=clip.name,
            sha256=clip.sha256,
            fps=motion.rate,
            start=motion.domain[0],
            duration=motion.duration,
            joints=list(skeleton.names),
            parents=[int(p) for p in skeleton.parents],
            roles=[roles.get(j) for j in range(len(skeleton))],
            limbs=[body.limb_of(j) for j in range(len(skeleton))],
            ends=[site.parent for site in skeleton.end_sites],
            height=float(np.ptp(points[0, :, 1])) or 1.0,
            ground=ground_height(points),
            scale=motion.units.metres,
            contacts=bars_of(motion, [(c, (c,)) for c in self.contacts(motion)]),
            notes=studio_notes(motion.notes),
            mesh=has_mesh(motion),
            cycle=is_cycle(motion),
            nodes=nodes,
            arrays=[],
        )
        arrays: dict[str, Any] = {"positions": points, "times": motion.times}
        if header.mesh:
            arrays["rotations"] = global_rotations(motion)
        return frame_headers.frame(header, arrays)

    def mesh(self, job: jobs.Mesh) -> None:
        """Write the mesh of a motion's file for a window."""
        write_mesh(self.motion(job.clip), job.path)

    # ---- results

    def evaluate(
        self, job: jobs.Result, target: str | None = None, fps: float | None = None
    ) -> Evaluated:
        """Solve a recipe, and reuse results of the version's last evaluation."""
        clip = job.clip
        wanted = Job(
            source=clip.path,
            animation=clip.animation,
            sha256=clip.sha256,
            recipe=from_document(job.recipe),
            target=target,
            fps=fps,
        )
        self._motion(wanted, clip)

        def told(done: int, count: int, name: str) -> None:
            self.progress(methods.method(name).doing, done / count if count > 1 else None)

        return self._evaluator.evaluate(wanted, name=job.version, progress=told)

    def result(self, job: jobs.Result) -> bytes:
        """Make the frame with the result of a recipe."""
        started = time.perf_counter()
        found = self.evaluate(job)
        return self._result_frame(job, found, started)

    def resolve(self, job: jobs.Resolve) -> list[dict[str, Any]]:
        """List, for each step of a recipe, the parameters in frames and percent, in seconds."""
        asked = from_document(job.result.recipe).steps
        out: list[dict[str, Any]] = [{} for _ in asked]
        for solved in self.evaluate(job.result).solved:
            place = solved.number - 1
            made = to_document(Recipe([solved.step]))["steps"][0]["parameters"]
            written = values_of(asked[place].parameters)
            out[place] = {n: made[n] for n, v in written.items() if needs_clip(v)}
        return out

    def _contacts_shown(
        self, found: Evaluated
    ) -> tuple[Solved | None, list[frame_headers.ContactBar]]:
        """Return the step that holds the contacts, and all as bars over the result's time."""
        step, held = contacts_of(found, self.contacts(found.source))
        return step, bars_of(found.motion, held)

    def _touching(self, found: Evaluated) -> tuple[Contact, ...]:
        """Return when points of the feet touch, in the result's time."""
        return carried(find_contacts(found.source).contacts, found)

    def _result_frame(
        self, job: jobs.Result, found: Evaluated, started: float, *, interim: bool = False
    ) -> bytes:
        made, warp = found.motion, found.warp.of_body()
        step, bars = (None, []) if interim else self._contacts_shown(found)
        edited = None if interim else _solved(job, found, job.editing)
        editor, editor_arrays = (None, {}) if edited is None else editor_of(job, found, edited)
        header = frame_headers.ResultHeader(
            version=job.version,
            revision=job.revision,
            request=job.request,
            source=job.clip.id,
            fps=made.rate,
            start=made.domain[0],
            duration=made.duration,
            took=1000 * (time.perf_counter() - started),
            contacts=bars,
            contacts_step=None if step is None else job.steps[step.number - 1],
            flights=[] if interim else flights_of(found, step),
            notes=studio_notes(found.notes),
            steps=[_step_result(job.steps[s.number - 1], s, interim=interim) for s in found.solved],
            interim=interim,
            editor=editor,
            arrays=[],
        )
        points = positions(made, end_sites=True)
        arrays: dict[str, Any] = editor_arrays | {
            "positions": points,
            "times": made.times,
            "output": warp.output,
            "source": warp.source,
            "skate": skate_by_frame(made, points=points, contacts=self._touching(found)),
        }
        evidence = evidence_of(found)
        if evidence is not None:
            arrays["evidence"] = evidence
        if has_mesh(found.source) or isinstance(editor, frame_headers.PosesEditor):
            arrays["rotations"] = global_rotations(made)
        return frame_headers.frame(header, arrays | step_times(job, found) | layers(job, found))

    def suggest(self, job: jobs.Suggest) -> messages.Answer:
        """Suggest keytimes, in the source time of the step that they are for."""
        from retime.methods.guided import suggest_keytimes

        found = self.evaluate(job.result)
        solved = _solved(job.result, found, job.step)
        whole = solved is not None and len(solved.given) > 2
        given = solved.given if solved is not None and whole else found.source
        listed = [messages.Suggested(s.time, s.weight) for s in suggest_keytimes(given)]
        return messages.Answer(job.request, listed)

    def live(self, job: jobs.Live) -> bytes:
        """Follow a motion like a live stream, and make the frame with the result."""
        from retime.studio.following import live_frame

        reference, performer = self.motion(job.reference), self.motion(job.performer)
        self.progress(f"Following {job.performer.name}", None)
        return live_frame(job, reference, performer)

    # ---- physics

    def physics(self, job: jobs.Physics) -> bytes:
        """Make the frame with the physics of a result."""
        from retime.studio.physics import physics_frame

        found = self.evaluate(job.result)
        self.progress("Checking what the body can do", None)
        return physics_frame(job, found, _solved(job.result, found, job.step, "physics"))

    def watch(
        self, job: jobs.Watch, emit: Callable[[bytes], None], pushed: Callable[[], Any]
    ) -> bytes:
        """Solve a physics step slowly, and send a frame for each iteration; return the result's."""
        from retime.studio.physics import watch_solution

        found = self.evaluate(job.result)
        chosen = _solved(job.result, found, job.step, "physics")
        if chosen is None:
            raise InputError("There is no physics step to watch. Add one, or unmute it.")
        place = found.solved.index(chosen)

        def show(warp: TimeWarp) -> None:
            between = with_warp(found, place, warp)
            now = time.perf_counter()
            emit(self._result_frame(job.result, between, now, interim=True))

        watch_solution(chosen, show, pushed)
        return self._result_frame(job.result, found, time.perf_counter())

    # ---- files

    def _retimed_together(self, job: jobs.Export) -> list[Motion]:
        """Retime clips of one file, which is read once: they go back into one copy of it."""
        path = Path(job.results[0].clip.path)
        form = format_of(path)
        motions = dict(zip(_named(form.contents(path)), Reading().read_all(path), strict=True))
        out = []
        for n, result in enumerate(job.results):
            self.progress(f"Retiming {result.clip.name}", n / len(job.results))
            clip = Job(
                source=motions[result.clip.animation or next(iter(motions))],
                recipe=from_document(result.recipe),
                target=job.path,
                fps=job.fps,
            )
            try:
                out.append(self._evaluator.evaluate(clip).motion)
            except InputError as e:
                raise e.within(result.clip.name) from e.__cause__
        return out

    def export(self, job: jobs.Export) -> None:
        """Write a result to a file."""
        from retime.io import write
        from retime.io.warp_json import write_warp
        from retime.plot.report import write_report

        if job.format == "recipe":
            write_recipe(from_document(job.results[0].recipe), job.path)
            return
        if len(job.results) > 1:
            format_of(job.path).write_all(self._retimed_together(job), Path(job.path))
            return
        is_motion = job.format not in ("warp", "report")
        found = self.evaluate(job.results[0], job.path if is_motion else None, job.fps)
        if job.format == "warp":
            write_warp(found.warp, job.path)
        elif job.format == "report":
            self.progress("Drawing the report", None)
            write_report(
                job.path,
                found.motion,
                title=job.title,
                source=found.source,
                warp=found.warp,
                evidence=evidence_of(found),
            )
        else:
            write(found.motion, job.path, original=found.source)


def _named(listed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the animations of a file; a name that several have tells none: their numbers do."""
    named = [entry.get("name") for entry in listed]
    return [str(n if n and named.count(n) == 1 else k) for k, n in enumerate(named)]


def _solved(
    job: jobs.Result, found: Evaluated, step: str | None, method: str | None = None
) -> Solved | None:
    """Find what a step did; with a method, the last step of it where none is named."""
    for solved in reversed(found.solved):
        named = step is not None and job.steps[solved.number - 1] == step
        if named or (step is None and method is not None and solved.step.method == method):
            return solved if method in (None, solved.step.method) else None
    return None


def _step_result(name: str, solved: Solved, *, interim: bool) -> frame_headers.StepResult:
    figures = solved.edit.figures
    # A drag does not wait for numbers that nobody reads until it ends.
    costs = {} if interim and isinstance(figures, Figures) else dict(figures)
    notes = () if solved.edit.warp is None else solved.edit.warp.notes
    return frame_headers.StepResult(
        name, line_of(solved.step), studio_notes(notes), solved.given.domain, solved.domain,
        costs,
    )  # fmt: skip


def _lasting(listed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the animations of a file that last, all of them where none does; the default first."""
    names = _named(listed)
    default, _ = choose_default(len(listed), lambda n: listed[n])
    some = [k for k, entry in enumerate(listed) if lasts(entry)] or list(range(len(listed)))
    return [names[k] for k in sorted(some, key=lambda k: (k != default, k))]
