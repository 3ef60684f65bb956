"""Evaluate jobs; every front end uses this module."""

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
# Number of motions in the cache.
_KEPT = 8


class Evaluator:
    """Evaluate jobs, and cache data for the next one.

    Motions and the result of the last job of each name are cached. If two jobs differ only in their
    last step, only that step is solved again.

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
        """Return the source of a job; ``reading`` is called before a file is read."""
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
            raise InputError(f"{path} has changed since it was read")
        if not len(motion):
            raise InputError(f"{path} has no frames")
        return motion

    def evaluate(self, job: Job, *, name: str = "", progress: Progress | None = None) -> Evaluated:
        """Evaluate a job.

        Parameters
        ----------
        job : Job
            The job.
        name : str
            Jobs with the same name reuse solved steps.
        progress : callable, optional
            Called with ``(step, steps, method)`` before each step; it may raise to cancel.
        """
        motion = self.motion(job)
        in_place = goes_back(motion, job.target)
        exact = job.exact or in_place
        recipe, notes = _prepared(job, motion, exact=exact)
        last = self._last_of(name, motion)
        solved = tuple(
            recipe.solve_steps(
                motion,
                known=() if last is None else last.solved,
                progress=progress,
                fps=job.fps,
                exact=exact,
                first_frame=job.first_frame,
            )
        )
        log.debug("solved %d steps: %s", len(solved), ", ".join(s.method for s in recipe.steps))
        frames = (job.fps, exact, job.corrections)
        if last is not None and self._frames[name] == frames and _same_edits(last.solved, solved):
            return replace(last, recipe=recipe, solved=solved)
        notes += [note for s in solved for note in s.notes]
        if in_place and job.fps is not None:
            notes.append(_rate_note(job.fps))
        edits = [s.edit for s in solved]
        if not job.corrections:
            edits = list(map(_in_time_alone, edits))
        made = apply_edits(motion, edits, fps=job.fps, exact=exact).with_notes(*notes)
        log.debug("made %d frames", len(made))
        found = _evaluated(motion, recipe, solved, edits, made, in_place)
        self._last[name], self._frames[name] = found, frames
        return found

    def _last_of(self, name: str, motion: Motion) -> Evaluated | None:
        """Return the last result of a name, if it was made of a motion."""
        last = self._last.get(name)
        return last if last is not None and last.source is motion else None

    def evaluate_all(
        self, job: Job, *, progress: Progress | None = None
    ) -> list[tuple[str, Evaluated | None]]:
        """Evaluate a job on every animation of a file that is retimed in place.

        Returns the name and the result of each animation; ``None`` for one with a single pose.
        """
        if isinstance(job.source, Motion):
            raise InputError("give a file: a motion has only one animation")
        names = [str(entry["name"]) for entry in format_of(job.source).contents(Path(job.source))]
        motions = job.reading.read_all(job.source)
        out: list[tuple[str, Evaluated | None]] = []
        for number, (name, motion) in enumerate(zip(names, motions, strict=True)):
            if progress is not None:
                progress(number, len(names), name)
            out.append((name, self._animation(replace(job, source=motion), name)))
        if all(found is None for _, found in out):
            raise InputError(f"{job.source} has no animation of two or more frames")
        return out

    def _animation(self, job: Job, name: str) -> Evaluated | None:
        """Evaluate a job on one animation; return ``None`` if it is a single pose."""
        try:
            return self.evaluate(job) if self.motion(job).duration > 0 else None
        except InputError as e:
            raise e.within(f"animation {name!r}") from e.__cause__


def goes_back(motion: Motion, target: str | Path | None) -> bool:
    """Return whether the result is written as moved keys in a copy of the source's file.

    Keys may be at any time, so such a result is not rounded to frames.
    """
    if target is None or motion.origin is None:
        return False
    own = FORMATS.get(motion.origin.format)
    return own is not None and keeps_file(own, target)


def _prepared(job: Job, motion: Motion, *, exact: bool) -> tuple[Recipe, list[Note]]:
    """Return the recipe to run, with the job's durations and contacts, and notes about it."""
    steps = list(job.recipe.steps)
    if job.factor is not None:
        place, factor = job.factor
        parameters = replace(steps[place].parameters, duration=ClipTime(100 * factor, "%"))
        steps[place] = replace(steps[place], parameters=parameters)
    notes: list[Note] = []
    if not exact:
        steps, rounded = snap_duration(steps, job.fps or motion.rate)
        notes += rounded
    if job.contacts is not None:
        # The first step, because they are in the time of the source; the fix still runs last.
        known = {"contacts": job.contacts, "contacts_only": job.contacts_only}
        steps = [Step("hold", known), *steps]
    elif job.hold:
        steps = [*steps, Step("hold")]
    return Recipe(steps, job.recipe.input), notes


def _rate_note(fps: float) -> Note:
    """Return a note on the frame rate of a job whose result keeps the file's keys."""
    told = f"the file keeps its rate and its keys; {fps:g} fps is used only for sampled tracks"
    return Note(told, code="rate-kept", fps=fps)


def _in_time_alone(edit: Edit) -> Edit:
    """Return an edit that moves keys only, if it changes no pose otherwise."""
    if edit.layer is not None or edit.warp is None:
        return edit
    if edit.correction is None and not edit.warp.in_space:
        return edit
    said = [n for n in edit.warp.notes if n.code != "arrival"]
    left = Note(
        "keys only move in time, so parts arrive near their places, but not exactly there; bake "
        "the result to correct them",
        code="no-corrections",
    )
    return replace(edit, correction=None, warp=edit.warp.of_keys().saying(*said, left))


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
    """Return the body's warp of ``solved[first:last]``, from their output to their input."""
    steps = found.solved[first:last]
    if steps:
        given = steps[0].given
    else:
        given = found.motion if first else found.source
    return total_warp(given, [s.edit for s in steps]).of_body()


def evidence_of(found: Evaluated) -> FloatArray | None:
    """Return result times and the similarity of the reference there, 0 to 1, (n, 2), or ``None``.

    It comes from the last step that compared the clip with a foreign reference.
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
    """Carry contacts to the time of the result: those of the last step with contacts, or detected.

    Returns that step or ``None``, and pairs of each contact in the time of the step's input (or of
    the source) with its contacts in the result.
    """
    places = [n for n, s in enumerate(found.solved) if s.edit.contacts is not None]
    if not places:
        return None, _carried(detected, found.source, found.warp)
    rest = found.solved[places[-1] :]
    start = rest[0].given
    warp = total_warp(start, [s.edit for s in rest])
    return rest[0], _carried(rest[0].edit.contacts or (), start, warp)


def _carried(
    contacts: Sequence[Contact], start: Motion, warp: TimeWarp
) -> list[tuple[Contact, tuple[Contact, ...]]]:
    period = start.duration if warp.loop else None
    return [(c, carry_contacts([c], warp, period=period)) for c in contacts]


def with_warp(found: Evaluated, place: int, warp: TimeWarp) -> Evaluated:
    """Return a result with another warp of one step, without solving any step."""
    edits = [s.edit for s in found.solved]
    edits[place] = replace(edits[place], warp=warp)
    made = apply_edits(found.source, edits)
    return _evaluated(found.source, found.recipe, found.solved, edits, made, found.in_place)
