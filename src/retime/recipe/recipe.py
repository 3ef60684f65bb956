"""Recipes: ordered steps, as commands make them, the studio edits them and batches map them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import InputError, RetimeError
from retime.methods import method
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.edits import Edit, apply_edits, total_warp
from retime.motion.loops import must_loop
from retime.notes import Note, Remedy, as_notes
from retime.one_line import one_line, shortened
from retime.parameters import build, declared, resolved, same, values_of
from retime.pictured import Pictured
from retime.times import ClipTime, Clock, told_apart
from retime.timing import TimeWarp

# A duration that is off whole frames by less, in frames, is rounded without a word.
_WORTH_SAYING = 0.005


@one_line(lambda s: s._facts())
@dataclass(frozen=True, eq=False)
class Step:
    """One step: a method with its parameters.

    Parameters
    ----------
    method : str
        Name of the method.
    parameters : mapping or the method's dataclass
        Its parameters, which are validated.
    weight : float
        Weight from 0 to 1: the warp is blended with the identity, and changes of pose are scaled.
    mute : bool
        Leave the step out.
    label : str
        A name given by the user.

    Examples
    --------
    >>> Step("spline", {"duration": 2}).parameters.duration
    2.0
    """

    method: str
    parameters: Any = field(default_factory=dict)
    weight: float = 1.0
    mute: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        known = method(self.method)
        values = self.parameters
        if dataclasses.is_dataclass(values):
            values = values_of(values)
        try:
            object.__setattr__(self, "parameters", build(known.parameters, values))
        except InputError as e:
            raise InputError(f"{self.method}: {e}") from None
        if not 0 <= self.weight <= 1:
            raise InputError(f"{self.method}: the weight is {self.weight:g}; it goes from 0 to 1")

    def _facts(self) -> list[str]:
        defaults = {p.name: p.default for p in declared(type(self.parameters))}
        values = values_of(self.parameters)
        told = {n: v for n, v in values.items() if v is not defaults[n] and v != defaults[n]}
        own = {"weight": self.weight} if self.weight != 1 else {}
        own |= {"mute": True} if self.mute else {}
        return [repr(self.method), *(f"{n}={shortened(v)}" for n, v in (told | own).items())]

    def resolved(self, clock: Clock) -> Step:
        """Return the step with its times in seconds."""
        try:
            parameters = resolved(self.parameters, clock)
        except InputError as e:
            raise e.within(self.method) from None
        return self if parameters is self.parameters else replace(self, parameters=parameters)

    def solve(self, motion: Motion) -> Edit:
        """Run the step's method on its input."""
        parameters = self.resolved(Clock.of(motion)).parameters
        return method(self.method).solve(motion, parameters, self.weight)

    def same(self, other: Step) -> bool:
        """Return whether it would do the same to the same input."""
        return (self.method, self.weight) == (other.method, other.weight) and same(
            self.parameters, other.parameters
        )


def snap_duration(steps: Sequence[Step], rate: float) -> tuple[list[Step], list[Note]]:
    """Bring the requested duration to whole frames, so that no interval has to yield.

    The last step that asks for a duration decides the result's; steps before it are not rounded.

    Returns the steps with durations of whole frames, and notes on what was changed.
    """
    out = list(steps)
    for place in reversed(range(len(out))):
        step = out[place]
        asked = getattr(step.parameters, "duration", None)
        if not step.mute and isinstance(asked, ClipTime):
            break  # rounded when its length is known
        if step.mute or not isinstance(asked, float) or asked <= 0:
            continue
        frames = max(round(asked * rate), 1)
        if abs(frames / rate - asked) < 1e-9:
            break
        out[place] = replace(step, parameters=replace(step.parameters, duration=frames / rate))
        if abs(frames - asked * rate) < _WORTH_SAYING:
            return out, []
        told, made = told_apart(asked, frames / rate, 5)
        note = Note(
            f"the length was rounded from {told} s to {made} s, {frames + 1} frames "
            f"at {rate:g} fps",
            Remedy("keep it exact", parameter="exact"),
            code="duration-rounded",
            asked=asked,
            duration=frames / rate,
            frames=frames + 1,
            fps=rate,
        )
        return out, [note]
    return out, []


@one_line()
@dataclass(frozen=True, eq=False)
class Solved:
    """A step, the motion that it was given, and what it did."""

    number: int
    """Its place in the recipe, from 1."""
    step: Step
    """The step."""
    given: Motion
    """Its input; where the method looks at no poses, the two end poses only."""
    edit: Edit
    """What it does to it."""
    domain: tuple[float, float]
    """First and last time of its output."""
    notes: tuple[Note, ...] = ()
    """What was changed of the request, such as a duration that was rounded to frames."""


@one_line(lambda r: [s.method for s in r.steps])
@dataclass(frozen=True, eq=False)
class Recipe(Pictured):
    """An ordered list of steps, applied with a single resampling.

    Parameters
    ----------
    steps : sequence of Step
        The steps, first to last.
    input : mapping, optional
        Name and SHA-256 of the motion file that it was made for.
    notes : sequence of Note
        Changes made on reading.

    Examples
    --------
    >>> from retime import Recipe, Step, samples
    >>> recipe = Recipe([Step("spline", {"duration": 2.0}), Step("spline", {"duration": 4.0})])
    >>> recipe.evaluate(samples.jump()).duration
    4.0
    """

    steps: Sequence[Step] = ()
    input: Mapping[str, str] | None = None
    notes: Sequence[Note] = ()

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        for step in steps:
            if not isinstance(step, Step):
                raise InputError(f"a recipe is made of steps, not of {type(step).__name__}")
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "notes", as_notes(self.notes))

    def solve(
        self, motion: Motion, *, progress: Callable[[int, int, str], None] | None = None
    ) -> list[Edit]:
        """Run every step's method, each on the motion that the steps before it make.

        A step sees its input without fixes, and its last sample is the input's exact end.

        ``progress`` is told ``(step, steps, method)`` before each step; it may raise to cancel.
        """
        return [s.edit for s in self.solve_steps(motion, progress=progress)]

    def solve_steps(
        self,
        motion: Motion,
        *,
        known: Sequence[Solved] = (),
        progress: Callable[[int, int, str], None] | None = None,
        fps: float | None = None,
        exact: bool = True,
        first_frame: int = 0,
    ) -> list[Solved]:
        """Run every step's method and keep what each was given and did.

        ``known`` is what an earlier call found for the same motion: steps are kept up to the first
        that differs, and that one's input too, so that an edit of a late step is quick.
        ``progress`` is called as in :meth:`solve`. ``fps`` is the frame rate for frames of output
        times (default: the motion's), and ``first_frame`` the number of the motion's first frame.
        With ``exact`` a duration in percent is not rounded to whole frames.
        """
        out: list[Solved] = []
        active = [(n, s) for n, s in enumerate(self.steps, 1) if not s.mute]
        rounded = None if exact else _last_with_duration([s for _, s in active])
        for done, (number, asked) in enumerate(active):
            before = known[done] if done < len(known) else None
            domain = out[-1].domain if out else motion.domain
            clock = Clock(domain, motion.rate, fps, first_frame=first_frame)
            frames = (fps or motion.rate) if done == rounded else None
            step, notes = _in_seconds(asked, number, clock, frames)
            step = _with_contacts(step, out)
            if before is not None and before.step.same(step):
                out.append(replace(before, number=number, step=step, notes=notes))
                continue
            if progress is not None:
                progress(done, len(active), step.method)
            solved = self._solve_step(motion, out, number, step, before)
            out.append(replace(solved, notes=notes))
            known = ()
        return out

    def _solve_step(
        self, motion: Motion, done: list[Solved], number: int, step: Step, before: Solved | None
    ) -> Solved:
        domain = done[-1].domain if done else motion.domain
        poses = method(step.method).needs_poses
        try:
            if before is not None and poses == method(before.step.method).needs_poses:
                given = before.given
            else:
                given = _input(motion, [s.edit for s in done], domain, poses=poses)
            edit = step.solve(given)
            if edit.warp is not None and edit.warp.loop:
                must_loop(_with_layer(given, edit))
            return Solved(number, step, given, edit, edit.weighted_warp(domain).domain)
        except RetimeError as e:
            e.step = number
            raise e.within(f"step {number} ({step.method})") from e.__cause__

    def warp(self, motion: Motion) -> TimeWarp:
        """Return the whole recipe's warp: from the result's time to the source's."""
        return total_warp(motion, self.solve(motion))

    def evaluate(
        self,
        motion: Motion,
        *,
        fps: float | None = None,
        exact: bool = False,
        times: npt.ArrayLike | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Motion:
        """Apply the recipe.

        Parameters
        ----------
        motion : Motion
            The source.
        fps, exact, times
            As of :func:`retime.apply`; unless ``exact`` or ``times`` are given, requested durations
            are brought to whole frames first.
        progress : callable, optional
            Told ``(step, steps, method)`` before each step; it may raise to cancel.
        """
        notes: list[Note] = []
        steps: Sequence[Step] = self.steps
        if not exact and times is None:
            steps, notes = snap_duration(steps, fps or motion.rate)
        solved = Recipe(steps, self.input).solve_steps(
            motion, progress=progress, fps=fps, exact=exact or times is not None
        )
        notes += [note for s in solved for note in s.notes]
        edits = [s.edit for s in solved]
        return apply_edits(motion, edits, fps=fps, exact=exact, times=times).with_notes(*notes)


def _last_with_duration(steps: Sequence[Step]) -> int | None:
    """Return the place of the step that decides the result's duration."""
    asked = [getattr(s.parameters, "duration", None) for s in steps]
    places = [n for n, duration in enumerate(asked) if isinstance(duration, float | ClipTime)]
    return places[-1] if places else None


def _in_seconds(
    step: Step, number: int, clock: Clock, rate: float | None
) -> tuple[Step, tuple[Note, ...]]:
    """Return a step with its times in seconds, its duration on frames of a rate where given."""
    try:
        made = step.resolved(clock)
    except RetimeError as e:
        e.step = number
        raise e.within(f"step {number}") from e.__cause__
    if made is step or rate is None:
        return made, ()
    (rounded,), notes = snap_duration([made], rate)
    return rounded, tuple(notes)


def _with_contacts(step: Step, done: Sequence[Solved]) -> Step:
    """Give a step the contacts of an earlier step, if it takes contacts and has none.

    Contacts that are edited at the start of a recipe are meant for all later steps.
    """
    own = values_of(step.parameters)
    if own.get("contacts", ()) is not None or own.get("contacts_only"):
        return step
    known: tuple[Contact, ...] | None = None
    only = False
    for solved in done:
        given = values_of(solved.step.parameters)
        if solved.step.method == "hold" and given.get("contacts") is not None:
            known, only = tuple(given["contacts"]), bool(given["contacts_only"])
        if known is not None:
            a, b = solved.given.domain
            warp = solved.edit.weighted_warp((a, b))
            known = carry_contacts(known, warp, period=b - a if warp.loop else None)
    if known is None:
        return step
    told = {"contacts": known, "contacts_only": only}
    return replace(step, parameters=replace(step.parameters, **told))


def _with_layer(motion: Motion, edit: Edit) -> Motion:
    """Return the ends of a step's input with its layer, which may close a cycle."""
    if edit.layer is None:
        return motion
    return apply_edits(motion, [Edit(layer=edit.layer, weight=edit.weight)], times=motion.domain)


def _input(
    motion: Motion, edits: Sequence[Edit], domain: tuple[float, float], *, poses: bool
) -> Motion:
    """Evaluate the edits so far, without fixes, up to their exact end.

    A method that looks at no poses gets the two end poses only: they tell the input's time.
    """
    if not edits:
        return motion
    plain = [replace(e, fixes=(), contacts=None) for e in edits]
    start, end = domain
    if not poses:
        return apply_edits(motion, plain, times=[start, end])
    count = (end - start) * motion.rate
    if abs(count - round(count)) < 1e-6:
        return apply_edits(motion, plain)
    frames = start + np.arange(int(count) + 1) / motion.rate
    return apply_edits(motion, plain, times=np.r_[frames, end])
