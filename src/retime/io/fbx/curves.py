"""Animation curves: their keys, the segments between them, and their nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.fbx.document import Document, Thing
from retime.io.fbx.properties import array, letters, numbers, packed, real, text
from retime.io.fbx.tree import Malformed, Node

IntArray = npt.NDArray[np.int64]
Beyond = tuple[str, int]
CONSTANT, LINEAR, CUBIC = 0x2, 0x4, 0x8
NEXT = 0x100  # of a constant key: the value of the key that follows
AUTO, TCB, USER, BROKEN = 0x100, 0x200, 0x400, 0x800
CLAMPED = 0x7000
WEIGHTED_RIGHT, WEIGHTED_NEXT_LEFT, VELOCITY = 0x1000000, 0x2000000, 0x30000000
PLAIN_WEIGHT = 1 / 3
_WEIGHTS = 10_000
# The usual weight of a third on both sides, as packed in files.
_PLAIN_WEIGHTS = 3333 << 16 | 3333
_MOST_TICKS = 1 << 62
# Memory limit for all keys of a file.
_MOST_KEYS = 20_000_000
# Letters of extrapolation.
_BEYOND = ("C", "R", "A", "M", "K")


@dataclass(frozen=True, eq=False)
class Segments:
    """Interpolation between keys."""

    mode: IntArray
    """Constant, constant-next (constant + ``NEXT``), linear or cubic. Shape (K,)."""
    slopes: FloatArray
    """Of cubic ones: at the key, and at the next; per second. Shape (K, 2)."""
    weights: FloatArray
    """How far the tangents reach: fractions of the segment. Shape (K, 2)."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The keys of a curve."""

    ticks: IntArray
    """Key times. Shape (K,)."""
    values: FloatArray
    """Key values. Shape (K,)."""
    flags: IntArray
    """Key flags as in the file. Shape (K,)."""
    data: npt.NDArray[np.uint32]
    """Slopes, weights and velocities as in the file, bits kept. Shape (K, 4)."""
    segments: Segments
    """Interpolation between keys."""
    beyond: tuple[Beyond, Beyond] = (("C", -1), ("C", -1))
    """What it does before its first key and after its last, and how often at most (-1: always):
    ``C`` holds, ``R`` repeats, ``A`` repeats and continues from where it was, ``M`` swings back and
    forth, ``K`` keeps its slope.
    """

    def resolved(self, mode: IntArray, slopes: FloatArray, weights: FloatArray) -> Curve:
        """Return the same curve with other segments."""
        return replace(self, segments=Segments(mode, slopes, weights))

    @property
    def has_found_tangents(self) -> bool:
        """Whether some tangents are automatic: readers compute them."""
        told = (self.flags & USER > 0) & (self.flags & (TCB | VELOCITY) == 0)
        return bool(((self.segments.mode & CUBIC > 0) & ~told).any())

    @property
    def goes_on(self) -> bool:
        """Whether the curve continues beyond its ends, instead of holding."""
        return len(self.ticks) > 1 and any(mode != "C" for mode, _ in self.beyond)

    def at(self, times: FloatArray, ticks_per_second: int) -> FloatArray:
        """Evaluate at times (N,) in seconds."""
        keys = self.ticks / ticks_per_second
        if len(keys) == 1:
            return np.full(len(times), self.values[0])
        if not self.goes_on:
            return self.inside(keys, times)
        inner, added = self._wrapped(keys, times)
        return self.inside(keys, inner) + added

    def inside(self, keys: FloatArray, times: FloatArray) -> FloatArray:
        """Evaluate; held beyond the ends."""
        k = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
        step = keys[k + 1] - keys[k]
        u = np.clip((times - keys[k]) / np.where(step > 0, step, 1.0), 0.0, 1.0)
        out = self.between(k, u, step)
        out = np.where(times <= keys[0], self.values[0], out)
        return np.where(times >= keys[-1], self.values[-1], out)

    def _wrapped(self, keys: FloatArray, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Wrap times beyond the ends; return them, and offsets of the values."""
        inner, added = times.copy(), np.zeros(len(times))
        first, last = keys[0], keys[-1]
        period, gain = last - first, self.values[-1] - self.values[0]
        sides = ((times < first, self.beyond[0]), (times > last, self.beyond[1]))
        for side, (outside, (mode, count)) in enumerate(sides):
            t = times[outside]
            if mode == "C" or not len(t):
                continue
            if mode == "K":
                end = keys[0 if side == 0 else -1]
                inner[outside], added[outside] = end, self.end_slope(keys, side) * (t - end)
                continue
            place, rounds = _in_rounds(t - first, period, count, before=side == 0)
            if mode == "M":
                place = np.where(rounds % 2 != 0, period - place, place)
            inner[outside] = first + place
            added[outside] = rounds * gain if mode == "A" else 0.0
        return inner, added

    def end_slope(self, keys: FloatArray, side: int) -> float:
        """Return the slope with which a curve leaves its first or last key."""
        k = 0 if side == 0 else len(keys) - 2
        mode = int(self.segments.mode[k])
        if mode & CUBIC:
            return float(self.segments.slopes[k, side])
        if mode & CONSTANT:
            return 0.0
        return float((self.values[k + 1] - self.values[k]) / (keys[k + 1] - keys[k]))

    def between(self, k: IntArray, u: FloatArray, step: FloatArray) -> FloatArray:
        """Evaluate segments ``k`` at shares ``u`` of their time."""
        a, b = self.values[k], self.values[np.minimum(k + 1, len(self.values) - 1)]
        mode = self.segments.mode[k]
        out = a + u * (b - a)
        constant = (mode & CONSTANT) > 0
        out = np.where(constant, np.where((mode & NEXT > 0) & (u > 0), b, a), out)
        cubic = (mode & CUBIC) > 0
        if cubic.any():
            points = self.control(k[cubic], step[cubic])
            s = bezier_share(u[cubic], *self.segments.weights[k[cubic]].T)
            out[cubic] = _bezier(points, s)
        return out

    def control(self, k: IntArray, step: FloatArray) -> FloatArray:
        """Return the values of cubic segments' control points, (4, N)."""
        a, b = self.values[k], self.values[k + 1]
        leave = self.segments.slopes[k, 0] * self.segments.weights[k, 0] * step
        arrive = self.segments.slopes[k, 1] * self.segments.weights[k, 1] * step
        return np.stack([a, a + leave, b - arrive, b])


def _bezier(points: FloatArray, s: FloatArray) -> FloatArray:
    r = 1 - s
    out: FloatArray = (
        r**3 * points[0] + 3 * r**2 * s * points[1] + 3 * r * s**2 * points[2] + s**3 * points[3]
    )
    return out


def bezier_share(u: FloatArray, right: FloatArray, left: FloatArray) -> FloatArray:
    """Solve for the parameter of a weighted segment at fractions of its time."""
    plain = (np.abs(right - PLAIN_WEIGHT) < 1e-4) & (np.abs(left - PLAIN_WEIGHT) < 1e-4)
    if plain.all():
        return u
    b, c = 3 * right, 3 * (1 - left)
    low, high, s = np.zeros_like(u), np.ones_like(u), u.copy()
    for _ in range(60):  # Newton's method with bracketing
        r = 1 - s
        off = r * r * s * b + r * s * s * c + s**3 - u
        low, high = np.where(off < 0, s, low), np.where(off >= 0, s, high)
        rise = r * r * b + 2 * r * s * (c - b) + s * s * (3 - c)
        step = s - off / np.where(rise > 1e-9, rise, 1.0)
        s = np.where((rise > 1e-9) & (step >= low) & (step <= high), step, (low + high) / 2)
        if (np.abs(off) < 1e-14).all():
            break
    return np.where(plain, u, s)


def read_curve(document: Document, thing: Thing) -> Curve | None:
    """Return the keys of a curve; none where it has no keys. Animations of a file share them."""
    known = document.curves
    if thing.id not in known:
        known[thing.id] = made = _read(thing.node, f"the curve {thing.id}")
        document.keys += 0 if made is None else len(made.ticks)
        if document.keys > _MOST_KEYS:
            raise Malformed(f"it has more than {_MOST_KEYS} keys")
    return known[thing.id]


def _read(node: Node, what: str) -> Curve | None:
    if node.child(b"KeyTime") is None:
        return None
    ticks = _integers(node.child(b"KeyTime"), f"the times of {what}")
    # of damaged data; values that are not finite are rejected below
    with np.errstate(invalid="ignore"):
        numbers_ = array(node.child(b"KeyValueFloat"), f"the values of {what}").astype(float)
    if len(ticks) != len(numbers_):
        raise Malformed(f"{what} has {len(ticks)} times and {len(numbers_)} values")
    if not len(ticks):
        return None
    flags, data = _attributes(node, what, len(ticks))
    with np.errstate(invalid="ignore"):
        slopes = data[:, :2].view(np.float32).astype(float)
    bits = data[:, 2].astype(np.int64)
    weights = np.stack(
        [
            np.where(flags & WEIGHTED_RIGHT, (bits & 0xFFFF) / _WEIGHTS, PLAIN_WEIGHT),
            np.where(flags & WEIGHTED_NEXT_LEFT, (bits >> 16) / _WEIGHTS, PLAIN_WEIGHT),
        ],
        axis=1,
    )
    parts = Segments(modes(flags), slopes, weights)
    return checked(Curve(ticks, numbers_, flags, data, parts, extrapolation(node)), what)


def checked(curve: Curve, what: str) -> Curve:
    """Return a curve of a file without its double keys, or reject it."""
    ticks, values, parts = curve.ticks, curve.values, curve.segments
    if (np.abs(ticks) > _MOST_TICKS).any() or (np.diff(ticks) < 0).any():
        raise Malformed(f"the times of {what} do not rise")
    if not np.isfinite(values).all() or np.abs(values).max() > 3e38:
        raise Malformed(f"the values of {what} are not all finite")
    slopes = np.where(np.isfinite(parts.slopes), parts.slopes, 0.0)
    return _without_doubles(curve.resolved(parts.mode, slopes, parts.weights))


def _integers(node: Node | None, what: str) -> IntArray:
    found = array(node, what)
    if found.dtype.kind not in "iu":
        raise Malformed(f"{what} are not whole numbers")
    return found.astype(np.int64)


def modes(flags: IntArray) -> IntArray:
    """Return the interpolation that flags of keys ask for."""
    constant = np.where(flags & NEXT, CONSTANT | NEXT, CONSTANT)
    smooth = np.where(flags & CUBIC, CUBIC, LINEAR)
    return np.where(flags & CONSTANT, constant, smooth).astype(np.int64)


def _attributes(node: Node, what: str, keys: int) -> tuple[IntArray, npt.NDArray[np.uint32]]:
    """Read flags and tangents, which neighbouring keys may share."""
    flags = _integers(node.child(b"KeyAttrFlags"), f"the flags of {what}")
    counts = _integers(node.child(b"KeyAttrRefCount"), f"the counts of {what}")
    raw = array(node.child(b"KeyAttrDataFloat"), f"the tangents of {what}")
    if raw.itemsize != 4 or len(raw) != 4 * len(flags) or len(counts) != len(flags):
        raise Malformed(f"the flags and tangents of {what} do not go together")
    if (counts < 0).any() or counts.max(initial=0) > keys or counts.sum() < keys:
        raise Malformed(f"the flags of {what} are not those of {keys} keys")
    data = np.frombuffer(raw.tobytes(), np.uint32).reshape(-1, 4)
    if counts.sum() > 2 * keys + len(counts):
        raise Malformed(f"the flags of {what} are not those of {keys} keys")
    which = np.repeat(np.arange(len(counts)), counts)[:keys]
    return flags[which], data[which]


def _without_doubles(curve: Curve) -> Curve:
    """Keep the first and the last of keys at one time: a jump, the first of them just before it."""
    rises = np.diff(curve.ticks) > 0
    first, last = np.r_[True, rises], np.r_[rises, True]
    if rises.all():
        return curve
    ticks = np.where(first & ~last, curve.ticks - 1, curve.ticks)
    keep = (first | last) & np.r_[True, np.diff(ticks) > 0]
    keep &= np.r_[ticks[:-1] < ticks[1:], True] | last
    parts = curve.segments
    return replace(
        curve,
        ticks=ticks[keep],
        values=curve.values[keep],
        flags=curve.flags[keep],
        data=curve.data[keep],
        segments=Segments(parts.mode[keep], parts.slopes[keep], parts.weights[keep]),
    )


def extrapolation(node: Node) -> tuple[Beyond, Beyond]:
    """Read what a curve does before its first and after its last key."""
    return _beyond(node, b"Pre-Extrapolation"), _beyond(node, b"Post-Extrapolation")


def _beyond(node: Node, name: bytes) -> Beyond:
    holder = node.child(name)
    kind = None if holder is None else holder.child(b"Type")
    often = numbers(None if holder is None else holder.child(b"Repetition"))
    told = letters(kind)[0] if kind is not None and kind.count else "C"
    mode = chr(told) if isinstance(told, int) and 0 < told < 128 else told
    return (mode if mode in _BEYOND else "C"), (int(often[0]) if often and often[0] >= 0 else -1)


def explicit(curve: Curve) -> Curve:
    """Write cubic tangents down in flags and data, so that no reader works out others."""
    mode, slopes, weights = curve.segments.mode, curve.segments.slopes, curve.segments.weights
    cubic = (mode & CUBIC) > 0
    if not cubic.any():
        return curve
    found = AUTO | TCB | CLAMPED | VELOCITY | WEIGHTED_RIGHT | WEIGHTED_NEXT_LEFT
    plain = np.abs(weights - PLAIN_WEIGHT) < 1e-4
    flags = curve.flags & ~found | USER | BROKEN
    flags = np.where(plain[:, 0], flags, flags | WEIGHTED_RIGHT)
    flags = np.where(plain[:, 1], flags, flags | WEIGHTED_NEXT_LEFT)
    share = np.clip(np.round(weights * _WEIGHTS), 1, _WEIGHTS - 1).astype(np.int64)
    share[plain] = 3333
    data = curve.data.copy()
    with np.errstate(over="ignore"):  # the writer checks for values that are too large
        data[cubic, :2] = slopes[cubic].astype(np.float32).view(np.uint32)
    data[cubic, 2] = (share[:, 1] << 16 | share[:, 0])[cubic]
    data[cubic, 3] = 0
    return replace(curve, flags=np.where(cubic, flags, curve.flags), data=data)


def curve_node(document: Document, node: Node, curve: Curve, before: Curve | None) -> Node:
    """Return a curve's node with other keys; unchanged parts are not rewritten."""
    tree = document.tree
    made: dict[bytes, bytes] = {}

    def changed(name: str) -> bool:
        return before is None or not np.array_equal(getattr(curve, name), getattr(before, name))

    if changed("ticks"):
        made[b"KeyTime"] = _packed_times(curve.ticks.tobytes())
    if changed("values"):
        made[b"KeyValueFloat"] = packed("f", curve.values)
    if changed("flags") or changed("data"):
        flags, data = curve.flags, curve.data
        new = np.r_[True, (flags[1:] != flags[:-1]) | (data[1:] != data[:-1]).any(axis=1)]
        first = np.flatnonzero(new)
        made[b"KeyAttrFlags"] = packed("i", flags[first].astype(np.int32))
        made[b"KeyAttrDataFloat"] = packed("f", data[first].view(np.float32).ravel())
        made[b"KeyAttrRefCount"] = packed("i", np.diff(np.r_[first, len(flags)]))
    children = []
    for child in node.children:
        content = made.pop(child.name, None)
        children.append(child if content is None else tree.with_properties(child, [content]))
    children += [tree.node(name, [content]) for name, content in made.items()]
    return tree.with_children(node, children)


@lru_cache(maxsize=16)
def _packed_times(raw: bytes) -> bytes:
    """Pack key times, which most curves of a file share."""
    return packed("l", np.frombuffer(raw, np.int64))


def new_curve(document: Document, number: int, curve: Curve) -> Node:
    """Make the node of a curve that the file does not have."""
    tree = document.tree
    name = text(b"\x00\x01AnimCurve")
    base = [
        tree.node(b"Default", [real(float(curve.values[0]))]),
        tree.node(b"KeyVer", [real(4009, "I")]),
    ]
    bare = tree.node(b"AnimationCurve", [real(number, "L"), name, text(b"")], base)
    return curve_node(document, bare, curve, None)


def linear_curve(ticks: IntArray, numbers_: FloatArray) -> Curve:
    """Make a curve of straight lines."""
    n = len(ticks)
    flags = np.full(n, LINEAR, np.int64)
    data = np.zeros((n, 4), np.uint32)
    data[:, 2] = _PLAIN_WEIGHTS
    parts = Segments(flags, np.zeros((n, 2)), np.full((n, 2), PLAIN_WEIGHT))
    return Curve(ticks, numbers_, flags, data, parts)


def kinds(curve: Curve) -> set[str]:
    """Name the kinds of interpolation of a curve."""
    names: dict[int, str] = {CONSTANT: "constant", LINEAR: "linear", CUBIC: "cubic"}
    return {names[int(m) & ~NEXT] for m in np.unique(curve.segments.mode)}


def _in_rounds(
    t: FloatArray, period: float, count: int, *, before: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the places of times in a repeated period, and the rounds before them.

    A ``count`` of 0 or more limits the rounds before or after the period itself: the curve then
    stays where the last one ends.
    """
    if count < 0:
        rounds = np.floor(t / period)
    elif before:
        t = np.clip(t, -count * period, None)
        rounds = np.floor(t / period)
    else:
        limit = (1 + count) * period
        t = np.clip(t, None, limit)
        rounds = np.where(t >= limit, count, np.floor(t / period))
    return t - rounds * period, rounds
