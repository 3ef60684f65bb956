"""The one way from a job to its result; every front end goes it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.evaluate.job import Evaluated, Job
from retime.io import FORMATS, format_of, keeps_file
from retime.io.files import status_of
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.edits import Edit, apply_edits, total_warp
from retime.notes import Note
from retime.recipe import Recipe, Solved, Step, snap_duration
from retime.times import ClipTime
from retime.timing import TimeWarp

log = logging.getLogger("retime")
Progress = Callable[[int, int, str], None]
# Motions that are kept; an old one is read again when it is needed.
_KEPT = 8


class Evaluator:
    """Evaluate jobs, and cache data for the next one.

    Motions and the result of the last job of each name are cached. A job that differs in its last
    step only repeats that step.

    Examples
    --------
    >>> from retime import Evaluator, Job, Recipe, Step, samples
    >>> recipe = Recipe([Step("spline", {"duration": 1.9915})])
    >>> done = Evaluator().evaluate(Job(source=samples.jump(), recipe=recipe))
    >>> round(done.motion.duration, 6)       # whole frames, unless exact=True
    1.983333
    >>> done.notes[0].fact
    'the length was rounded from 1.9915 s to 1.9833 s, 120 frames at 60 fps'
    """

    def __init__(self) -> None:
        self._motions: OrderedDict[tuple[Any, ...], Motion] = OrderedDict()
        self._last: dict[str, Evaluated] = {}
        self._frames: dict[str, tuple[float | None, bool, bool]] = {}

    def motion(self, job: Job, *, reading: Callable[[], None] = lambda: None) -> Motion:
        """Return a job's source, read or as it was read before; ``reading`` is called if read."""
        if isinstance(job.source, Motion):
            return job.source
        path = Path(job.source)
        about = status_of(path)
        key = (str(path), about.st_mtime_ns, about.st_size, job.animation, str(job.reading))
        if key not in self._motions:
            reading()
            self._motions[key] = job.reading.read(path, animation=job.animation)
        self._motions.move_to_end(key)
        while len(self._motions) > _KEPT:
            self._motions.popitem(last=False)
        motion = self._motions[key]
        if job.sha256 and motion.origin is not None and motion.origin.sha256 != job.sha256:
            raise InputError(f"{path} is no longer the file that it was")
        if not len(motion):
            raise InputError(f"{path} has no frames")
        return motion

    def evaluate(self, job: Job, *, name: str = "", progress: Progress | None = None) -> Evaluated:
        """Evaluate a job.

        Parameters
        ----------
        job : Job
            What to do.
        name : str
            Jobs of one name take over each other's steps.
        progress : callable, optional
            Told ``(step, steps, method)`` before each step; it may raise to cancel.
        """
        motion = self.motion(job)
        in_place = goes_back(motion, job.target)
        recipe, notes = _prepared(job, motion, exact=job.exact or in_place)
        last = self._last.get(name)
        if last is not None and last.source is not motion:
            last = None
        known = () if last is None else last.solved
        solved = tuple(
            recipe.solve_steps(
                motion,
                known=known,
                progress=progress,
                fps=job.fps,
                exact=job.exact or in_place,
                first_frame=job.first_frame,
            )
        )
        log.debug("solved %d steps: %s", len(solved), ", ".join(s.method for s in recipe.steps))
        notes += [note for s in solved for note in s.notes]
        notes += _rate_notes(job.fps) if in_place else []
        frames = (job.fps, job.exact or in_place, job.corrections)
        again = last is not None and self._frames.get(name) == frames
        if last is not None and again and _same_edits(last.solved, solved):
            return replace(last, recipe=recipe, solved=solved)
        edits = [s.edit for s in solved]
        if not job.corrections:
            edits = [_in_time_alone(e) for e in edits]
        made = apply_edits(motion, edits, fps=frames[0], exact=frames[1]).with_notes(*notes)
        found = _evaluated(motion, recipe, solved, edits, made, in_place)
        log.debug("made %d frames", len(made))
        self._last[name], self._frames[name] = found, frames
        return found

    def evaluate_all(
        self, job: Job, *, progress: Progress | None = None
    ) -> list[tuple[str, Evaluated | None]]:
        """Evaluate a job on every animation of a file that is retimed in place, by name.

        A single pose among animations is unchanged: there is no result for it.
        """
        if isinstance(job.source, Motion):
            raise InputError("the animations of a file are evaluated together, not a motion's")
        names = [str(entry["name"]) for entry in format_of(job.source).contents(Path(job.source))]
        motions = job.reading.read_all(job.source)
        out: list[tuple[str, Evaluated | None]] = []
        for number, (name, motion) in enumerate(zip(names, motions, strict=True)):
            if progress is not None:
                progress(number, len(names), name)
            try:
                lasts = motion.duration > 0
                out.append((name, self.evaluate(replace(job, source=motion)) if lasts else None))
            except InputError as e:
                raise e.within(f"animation {name!r}") from e.__cause__
        if all(found is None for _, found in out):
            raise InputError(f"{job.source} has no animation that lasts")
        return out


def goes_back(motion: Motion, target: str | Path | None) -> bool:
    """Return whether a result's keys go back into a file of the kind that its motion came from.

    Keys may stand at any time, so nothing of such a result is rounded to frames.
    """
    if target is None or motion.origin is None:
        return False
    own = FORMATS.get(motion.origin.format)
    return own is not None and keeps_file(own, target)


def _prepared(job: Job, motion: Motion, *, exact: bool) -> tuple[Recipe, list[Note]]:
    """Return the steps to run: durations by factor and on whole frames, contacts held."""
    steps = list(job.recipe.steps)
    if job.factor is not None:
        place, factor = job.factor
        p = steps[place].parameters
        steps[place] = replace(
            steps[place], parameters=replace(p, duration=ClipTime(100 * factor, "%"))
        )
    notes = list(job.recipe.notes)
    if not exact:
        steps, rounded = snap_duration(steps, job.fps or motion.rate)
        notes += rounded
    if job.contacts is not None:
        # Given in the source's time, so they stand before all else; the fix still runs last.
        known = {"contacts": job.contacts, "contacts_only": job.contacts_only}
        steps = [Step("hold", known), *steps]
    elif job.hold:
        steps = [*steps, Step("hold")]
    return Recipe(steps, job.recipe.input, job.recipe.notes), notes


def _rate_notes(fps: float | None) -> list[Note]:
    """Say what a frame rate is for, where the file keeps its own."""
    if fps is None:
        return []
    told = "the file keeps its rate, and keys their spacing; {:g} fps is for what had to be sampled"
    return [Note(told.format(fps), code="rate-kept", fps=fps)]


def _in_time_alone(edit: Edit) -> Edit:
    """Leave out what leads limbs to their places, where the step moves keys in time alone."""
    if edit.correction is None or edit.layer is not None or edit.warp is None:
        return edit
    said = [n for n in edit.warp.notes if n.code != "arrival"]
    left = Note(
        "keys move in time alone, so dragged limbs arrive only nearly where they were; bake the "
        "result to lead them there",
        code="no-corrections",
    )
    return replace(edit, correction=None, warp=edit.warp.saying(*said, left))


def _same_edits(one: Sequence[Solved], other: Sequence[Solved]) -> bool:
    return len(one) == len(other) and all(a.edit is b.edit for a, b in zip(one, other, strict=True))


def _evaluated(
    source: Motion,
    recipe: Recipe,
    solved: tuple[Solved, ...],
    edits: Sequence[Edit],
    made: Motion,
    in_place: bool,
) -> Evaluated:
    warp = total_warp(source, edits)
    notes = tuple(n for n in made.notes if n not in source.notes)
    return Evaluated(source, recipe, solved, made, warp, in_place, notes)


def warp_between(found: Evaluated, first: int = 0, last: int | None = None) -> TimeWarp:
    """Return the body's warp of some of the steps: from the last one's output to the first's input.

    ``first`` and ``last`` are places among the steps that were solved; the last one is not among
    them.
    """
    steps = found.solved[first:last]
    if steps:
        given = steps[0].given
    else:
        given = found.motion if first else found.source
    return total_warp(given, [s.edit for s in steps]).of_body()


def evidence_of(found: Evaluated) -> FloatArray | None:
    """Return how much a reference resembles the clip: result times and likeness, 0 to 1, (n, 2).

    It is that of the last step that compared the clip with a foreign reference.
    """
    for place in reversed(range(len(found.solved))):
        curve = found.solved[place].edit.curves.get("evidence")
        if curve is not None:
            shown = warp_between(found, place).inverse(curve[:, 0])
            order = np.argsort(shown, kind="stable")
            found_curve: FloatArray = np.c_[shown, curve[:, 1]][order]
            return found_curve
    return None


def contacts_of(
    found: Evaluated, detected: Sequence[Contact]
) -> tuple[Solved | None, list[tuple[Contact, tuple[Contact, ...]]]]:
    """Carry contacts to the time of the result: those of a step, or those that were detected.

    Returns the step that gives them, and each contact in that step's input time (the source's where
    there is none) with what the result shows of it.
    """
    given = [s for s in found.solved if s.edit.contacts is not None]
    step = given[-1] if given else None
    if step is None:
        start, warp, contacts = found.source, found.warp, tuple(detected)
    else:
        start, contacts = step.given, step.edit.contacts or ()
        rest = found.solved[found.solved.index(step) :]
        warp = total_warp(start, [s.edit for s in rest])
    period = start.duration if warp.loop else None
    return step, [(c, carry_contacts([c], warp, period=period)) for c in contacts]


def with_warp(found: Evaluated, place: int, warp: TimeWarp) -> Evaluated:
    """Return a result whose step at a place has another warp, without solving any step."""
    edits = [s.edit for s in found.solved]
    edits[place] = replace(edits[place], warp=warp)
    made = apply_edits(found.source, edits)
    return _evaluated(found.source, found.recipe, found.solved, edits, made, found.in_place)
