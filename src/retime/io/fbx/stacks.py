"""Animation stacks: their spans and rates, and which curve drives which property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retime.io.fbx.curves import Curve, kinds, read_curve
from retime.io.fbx.document import Document, Link, Thing, property_rows
from retime.io.fbx.properties import values
from retime.io.fbx.spans import take_of
from retime.io.in_place import choose, choose_default, moving_paths
from retime.io.sampled import Moments, are_on_frames, moments_between, must_fit_in_memory

# Properties of a model's transform, with their names in other parts of the file.
PATHS = {"Lcl Translation": "translation", "Lcl Rotation": "rotation", "Lcl Scaling": "scale"}
AXES = ("d|X", "d|Y", "d|Z")
# Frames per second by the file's time mode; 0 is the program's default, 14 is handled separately.
_RATES = {
    1: 120.0, 2: 100.0, 3: 60.0, 4: 50.0, 5: 48.0, 6: 30.0, 7: 30.0, 8: 30 / 1.001, 9: 30 / 1.001,
    10: 25.0, 11: 24.0, 12: 1000.0, 13: 24 / 1.001, 15: 96.0, 16: 72.0, 17: 60 / 1.001,
    18: 120 / 1.001,
}  # fmt: skip
_CUSTOM = 14
_PLAIN_RATE = 30.0


@dataclass(frozen=True, eq=False)
class Drive:
    """A curve node: the curves of one property of one object, in one layer."""

    thing: Thing
    """The curve node."""
    layer: int
    """Number of its layer."""
    target: int
    """Number of the object that it drives."""
    property: str
    """Which property."""
    curves: dict[str, Thing]
    """Its curves by axis, such as ``d|X``."""
    link: Link
    """Its connection to the object."""


@dataclass(frozen=True, eq=False)
class Stack:
    """One animation of a file."""

    thing: Thing
    """The stack."""
    layers: tuple[Thing, ...]
    """Its layers, the base first."""
    drives: tuple[Drive, ...]
    """What its curves drive."""
    curves: dict[int, Curve] = field(default_factory=dict)
    """The keys of its curves."""
    span: tuple[int, int] | None = None
    """First and last time in ticks, where the file says so."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.thing.name

    @property
    def key_span(self) -> tuple[int, int] | None:
        """Times of its first and last key."""
        if not self.curves:
            return None
        ends = [(int(c.ticks[0]), int(c.ticks[-1])) for c in self.curves.values()]
        return min(a for a, _ in ends), max(b for _, b in ends)


def stack_names(document: Document) -> list[str]:
    """List the stacks' names; those without one are called by their number."""
    found = document.of_kind(b"AnimationStack")
    return [thing.name or f"animation {n}" for n, thing in enumerate(found)]


def choose_stack(document: Document, wanted: str | int | None) -> tuple[int, list[str]]:
    """Find a stack by its name or number; by default, the first that moves.

    Also returns why others were skipped.
    """
    names = stack_names(document)
    if not names:
        raise document.fail("the file has no animation (no AnimationStack)")
    if wanted is not None:
        return choose(names, wanted, document.path), []
    if len(names) == 1:
        return 0, []
    return choose_default(len(names), lambda n: describe_stack(document, n))


def describe_stack(document: Document, index: int) -> dict[str, Any]:
    """Describe a stack: name, span, rate, curves, and which kinds of properties move."""
    stack = stack_of(document, index)
    start, end = stack.span or stack.key_span or (0, 0)
    driven = (
        (PATHS.get(drive.property, drive.property), stack.curves[own.id].values)
        for drive in stack.drives
        for own in drive.curves.values()
        if own.id in stack.curves
    )
    return {
        "name": stack_names(document)[index],
        "start_s": start / document.ticks,
        "duration_s": (end - start) / document.ticks,
        "fps": frame_rate(document, stack)[0],
        "channels": len(stack.curves),
        "layers": len(stack.layers),
        "moves": moving_paths(driven),
        "interpolation": interpolations(stack),
    }


def _layers(document: Document, stack: Thing) -> list[Thing]:
    found = [document.objects.get(link.child) for link in document.below.get(stack.id, [])]
    return [thing for thing in found if thing is not None and thing.kind == b"AnimationLayer"]


def stack_of(document: Document, index: int) -> Stack:
    """Read a stack with all its curves."""
    thing = document.of_kind(b"AnimationStack")[index]
    layers = _layers(document, thing)
    drives = [d for layer in layers for d in _drives(document, layer)]
    things = [own for drive in drives for own in drive.curves.values()]
    curves = {t.id: c for t in things if (c := read_curve(document, t)) is not None}
    return Stack(thing, tuple(layers), tuple(drives), curves, _span(document, thing))


def _drives(document: Document, layer: Thing) -> list[Drive]:
    out = []
    for link in document.below.get(layer.id, []):
        node = document.objects.get(link.child)
        if node is None or node.kind != b"AnimationCurveNode":
            continue
        curves = {}
        for own in document.below.get(node.id, []):
            curve = document.objects.get(own.child)
            if curve is not None and curve.kind == b"AnimationCurve":
                curves[own.property] = curve
        for up in document.above.get(node.id, []):
            if up.kind in ("OP", "PP") and up.parent in document.objects:
                out.append(Drive(node, layer.id, up.parent, up.property, curves, up))
    return out


def _span(document: Document, stack: Thing) -> tuple[int, int] | None:
    """Return a stack's own span: of its properties, or of the take that has its name."""
    rows = property_rows(stack.node)
    for first, last in (("LocalStart", "LocalStop"), ("ReferenceStart", "ReferenceStop")):
        start, stop = (_whole(rows.get(name, [0])) for name in (first, last))
        if stop > start:
            return start, stop
    take = take_of(document, stack.name)
    for name in (b"LocalTime", b"ReferenceTime"):
        node = None if take is None else take.child(name)
        if node is not None:
            found = values(node)
            if len(found) >= 2 and _whole(found[1:]) > _whole(found):
                return _whole(found), _whole(found[1:])
    return None


def _whole(found: Sequence[Any]) -> int:
    good = bool(found) and isinstance(found[0], int) and abs(found[0]) < 1 << 62
    return int(found[0]) if good else 0


def frame_rate(document: Document, stack: Stack) -> tuple[float, str]:
    """Return the file's frame rate, and how it is known."""
    mode = int(document.setting("TimeMode", 0.0))
    if mode == _CUSTOM:
        rate = document.setting("CustomFrameRate", -1.0)
        if 0 < rate <= 1e5:
            return rate, "the file's own rate"
    if mode in _RATES:
        return _RATES[mode], "the file's time mode"
    keys = [c.ticks for c in stack.curves.values()]
    if keys:
        times = np.unique(np.concatenate(keys)) / document.ticks
        for rate in (24.0, 25.0, 30.0, 60.0, 120.0):
            if are_on_frames(times - times[0], rate):
                return rate, "its keys; the file has no time mode"
    return _PLAIN_RATE, "assumed; the file has no time mode"


def denser_rate(document: Document, stack: Stack, rate: float) -> float | None:
    """Return a rate whose frames contain keys that those of the file do not, if there is one."""
    keys = [c.ticks for c in stack.curves.values()]
    if not keys:
        return None
    times = np.unique(np.concatenate(keys)) / document.ticks
    times = times - times[0]
    if are_on_frames(times, rate):
        return None
    return next(
        (
            r
            for r in (48.0, 50.0, 60.0, 100.0, 120.0, 240.0)
            if r > rate and are_on_frames(times, r)
        ),
        None,
    )


def frames_of(
    document: Document, stack: Stack, joints: int, fps: float, *, single: bool = False
) -> tuple[Moments, tuple[int, int]]:
    """Choose the times at which a stack is sampled; return them and its span in ticks.

    A stack without length is rejected unless it may be a ``single`` pose.
    """
    span = stack.span or stack.key_span or ((0, 0) if single else None)
    if span is None:
        raise document.fail(f"the animation {stack.name!r} has no curves and no length")
    start, end = span[0] / document.ticks, span[1] / document.ticks
    if single and not end > start:
        return Moments(np.array([start]), fps, True), span
    if not end > start:
        raise document.fail(
            f"the animation {stack.name!r} has no length: it starts and ends at {start:g} s; give "
            "it a range in the program that made it"
        )
    must_fit_in_memory(document, end - start, (end - start) * fps, joints)
    return moments_between(start, end, fps, least=1), span


def interpolations(stack: Stack) -> list[str]:
    """Name the kinds of interpolation in a stack."""
    return sorted(set().union(*(kinds(c) for c in stack.curves.values())) if stack.curves else [])
