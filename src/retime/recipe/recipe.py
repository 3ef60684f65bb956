"""Recipes: ordered steps, each a method with its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from retime.errors import InputError, RetimeError
from retime.methods import method
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.edits import Edit, apply_edits, total_warp
from retime.motion.loops import must_loop
from retime.notes import Note, Remedy
from retime.one_line import one_line, shortened
from retime.parameters import build, declared, resolved, same, values_of
from retime.pictured import Pictured
from retime.sentences import Duration, StepName
from retime.times import ClipTime, Clock
from retime.timing import TimeWarp

# A smaller rounding of a duration, in frames, is not worth a note.
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
            raise e.within(StepName("step", 0, self.method)) from None
        if not 0 <= self.weight <= 1:
            raise InputError(
                f"{self.method}: the weight is {self.weight:g}; it must be between 0 and 1"
            )

    def _facts(self) -> list[str]:
        shown = dict(self.changed)
        shown |= {"weight": self.weight} if self.weight != 1 else {}
        shown |= {"mute": True} if self.mute else {}
        return [repr(self.method), *(f"{n}={shortened(v)}" for n, v in shown.items())]

    @property
    def changed(self) -> dict[str, Any]:
        """Values of the parameters that differ from their defaults."""
        values = values_of(self.parameters)
        defaults = {p.name: p.default for p in declared(type(self.parameters))}
        return {n: v for n, v in values.items() if v is not defaults[n] and v != defaults[n]}

    def resolved(self, clock: Clock) -> Step:
        """Return the step with its times in seconds."""
        try:
            parameters = resolved(self.parameters, clock)
        except InputError as e:
            raise e.within(StepName("step", 0, self.method)) from None
        return self if parameters is self.parameters else replace(self, parameters=parameters)

    def solve(self, motion: Motion) -> Edit:
        """Run the step's method on its input."""
        parameters = self.resolved(Clock.of(motion)).parameters
        return method(self.method).solve(motion, parameters, self.weight)

    def same(self, other: Step) -> bool:
        """Return whether two steps have the same effect on the same input."""
        return (self.method, self.weight) == (other.method, other.weight) and same(
            self.parameters, other.parameters
        )


def snap_duration(steps: Sequence[Step], rate: float) -> tuple[list[Step], list[Note]]:
    """Round the requested duration to whole frames, so that no interval is shortened.

    Only the last step with a duration is rounded, because it determines the length of the result.
    Returns the steps and notes on the change.
    """
    out = list(steps)
    asked = [None if s.mute else getattr(s.parameters, "duration", None) for s in out]
    places = [n for n, d in enumerate(asked) if isinstance(d, ClipTime) or _is_length(d)]
    duration = asked[places[-1]] if places else None
    if not _is_length(duration):  # frames and percentages are rounded when the clip is known
        return out, []
    frames = max(round(duration * rate), 1)
    if abs(frames / rate - duration) < 1e-9:
        return out, []
    step = out[places[-1]]
    out[places[-1]] = replace(step, parameters=replace(step.parameters, duration=frames / rate))
    return out, _rounding_notes(duration, frames, rate)


def _is_length(duration: Any) -> TypeGuard[float]:
    return isinstance(duration, float) and duration > 0


def _rounding_notes(duration: float, frames: int, rate: float) -> list[Note]:
    if abs(frames - duration * rate) < _WORTH_SAYING:
        return []
    return [
        Note(
            "the length was rounded from {asked:.5g} to {duration:.5g}, {frames} frames at "
            "{fps:g} fps",
            Remedy("keep it exact", parameter="exact"),
            code="duration-rounded",
            asked=Duration(duration),
            duration=Duration(frames / rate),
            frames=frames + 1,
            fps=rate,
        )
    ]


@one_line()
@dataclass(frozen=True, eq=False)
class Solved:
    """A step with its input and its result."""

    number: int
    """Number of the step in the recipe, from 1."""
    step: Step
    """The step."""
    given: Motion
    """Its input; only the two end poses if the method does not need poses."""
    edit: Edit
    """Its result."""
    domain: tuple[float, float]
    """First and last time of its output."""
    notes: tuple[Note, ...] = ()
    """Changes to the request, such as a duration that was rounded to frames."""


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

    Examples
    --------
    >>> from retime import Recipe, Step, samples
    >>> recipe = Recipe([Step("spline", {"duration": 2.0}), Step("spline", {"duration": 4.0})])
    >>> recipe.evaluate(samples.jump()).duration
    4.0
    """

    steps: Sequence[Step] = ()
    input: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        for step in steps:
            if not isinstance(step, Step):
                raise InputError(f"a recipe is made of steps, not of {type(step).__name__}")
        object.__setattr__(self, "steps", steps)

    def solve(
        self, motion: Motion, *, progress: Callable[[int, int, str], None] | None = None
    ) -> list[Edit]:
        """Run the method of each step on the result of the steps before it.

        The input of a step has no fixes, and its last sample is at the exact end. ``progress`` is
        called with ``(step, steps, method)`` before each step; it may raise to cancel.
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
        """Run the method of each step, and return the steps with their inputs and results.

        ``known`` is the result of an earlier call for the same motion. Its steps are reused up to
        the first one that differs, whose input is reused too. ``progress`` is called as in
        :meth:`solve`. ``fps`` is the frame rate of the output, for times in frames (default: the
        motion's), and ``first_frame`` the number of the motion's first frame. With ``exact`` a
        duration in percent is not rounded to whole frames.
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
            solved = _solve_step(motion, out, number, step, before)
            out.append(replace(solved, notes=notes))
            known = ()
        return out

    def warp(self, motion: Motion) -> TimeWarp:
        """Return the warp of the whole recipe, from the time of the result to the source's."""
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
            As in :func:`retime.apply`. Requested durations are rounded to whole frames unless
            ``exact`` or ``times`` is given.
        progress : callable, optional
            Called with ``(step, steps, method)`` before each step; it may raise to cancel.
        """
        notes: list[Note] = []
        steps: Sequence[Step] = self.steps
        unrounded = exact or times is not None
        if not unrounded:
            steps, notes = snap_duration(steps, fps or motion.rate)
        solved = Recipe(steps, self.input).solve_steps(
            motion, progress=progress, fps=fps, exact=unrounded
        )
        notes += [note for s in solved for note in s.notes]
        edits = [s.edit for s in solved]
        return apply_edits(motion, edits, fps=fps, exact=exact, times=times).with_notes(*notes)


def _solve_step(
    motion: Motion, done: list[Solved], number: int, step: Step, before: Solved | None
) -> Solved:
    """Run one step; reuse the input of ``before``, an earlier step at the same place."""
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
        raise _at_step(e, number, step.method) from e.__cause__


def _at_step(error: RetimeError, number: int, name: str) -> RetimeError:
    """Add the step to an error."""
    error.step = number
    return error.within(StepName("step", number, name))


def _last_with_duration(steps: Sequence[Step]) -> int | None:
    """Return the place of the step that determines the duration of the result, or ``None``."""
    asked = [getattr(s.parameters, "duration", None) for s in steps]
    places = [n for n, duration in enumerate(asked) if isinstance(duration, float | ClipTime)]
    return places[-1] if places else None


def _in_seconds(
    step: Step, number: int, clock: Clock, rate: float | None
) -> tuple[Step, tuple[Note, ...]]:
    """Return a step with its times in seconds, and its duration rounded if a rate is given."""
    try:
        made = step.resolved(clock)
    except RetimeError as e:
        raise _at_step(e, number, "") from e.__cause__
    if made is step or rate is None:
        return made, ()
    (rounded,), notes = snap_duration([made], rate)
    return rounded, tuple(notes)


def _with_contacts(step: Step, done: Sequence[Solved]) -> Step:
    """Return a step with the contacts of an earlier step, if it takes contacts and has none.

    Contacts that are edited at the start of a recipe apply to all later steps.
    """
    own = values_of(step.parameters)
    if own.get("contacts", ()) is not None or own.get("contacts_only"):
        return step
    known: dict[str, Any] = {}
    for solved in done:
        given = values_of(solved.step.parameters)
        if solved.step.method == "hold" and given["contacts"] is not None:
            known = {name: given[name] for name in ("contacts", "contacts_only")}
        if known:
            known["contacts"] = _carried(known["contacts"], solved)
    return replace(step, parameters=replace(step.parameters, **known)) if known else step


def _carried(contacts: Sequence[Contact], solved: Solved) -> tuple[Contact, ...]:
    """Carry contacts from the time of a step's input to that of its output."""
    a, b = solved.given.domain
    warp = solved.edit.weighted_warp((a, b))
    return carry_contacts(contacts, warp, period=b - a if warp.loop else None)


def _with_layer(motion: Motion, edit: Edit) -> Motion:
    """Return the two end poses of a step's input with its layer, which may close a cycle."""
    if edit.layer is None:
        return motion
    return apply_edits(motion, [Edit(layer=edit.layer, weight=edit.weight)], times=motion.domain)


def _input(
    motion: Motion, edits: Sequence[Edit], domain: tuple[float, float], *, poses: bool
) -> Motion:
    """Return the input of a step: the edits so far, without fixes, up to their exact end.

    A method that does not need poses gets only the two end poses, which define the time range.
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
