"""Animations of a glTF document: their channels, spans and frame rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import is_whole
from retime.io.gltf.accessors import read_accessor
from retime.io.gltf.document import Document
from retime.io.gltf.samplers import ON_FRAME, Interpolation, Sampler
from retime.io.in_place import PATHS, choose, choose_default, moving_paths
from retime.io.sampled import Moments
from retime.motion.sampling import MOST_BYTES

_SIZES = {"translation": 3, "rotation": 4, "scale": 3}
# Rates that animations are made at; keys of a file mostly lie on the frames of one of them.
_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0)
_PLAIN_RATE = 60.0
# Keys farther apart than of this rate are those of an animator, not frames.
_LEAST_RATE = 20.0


@dataclass(frozen=True, eq=False)
class Channel:
    """One animated property: which node's, which, and its track."""

    index: int
    """Its place in the animation."""
    node: int | None
    """The node; none where an extension points elsewhere."""
    path: str
    """``translation``, ``rotation``, ``scale``, ``weights`` or ``pointer``."""
    sampler: Sampler
    """The track."""


def animation_names(document: Document) -> list[str]:
    """List the animations' names; those without one are called by their number."""
    found = document.objects("animations")
    return [str(a.get("name") or f"animation {n}") for n, a in enumerate(found)]


def choose_animation(document: Document, wanted: str | int | None) -> tuple[int, list[str]]:
    """Find an animation by its name or number; where none is requested, the first that moves.

    Also returns why others were skipped.
    """
    names = animation_names(document)
    if not names:
        raise document.fail("the file has no animation")
    if wanted is not None:
        return choose(names, wanted, document.path), []
    if len(names) == 1:
        return 0, []
    return choose_default(len(names), lambda n: describe_animation(document, n))


def describe_animation(document: Document, index: int) -> dict[str, Any]:
    """Describe an animation: name, span, rate, channels, and which kinds of tracks move."""
    channels = channels_of(document, index)
    moments = frames_of(document, channels, 1, None)
    return {
        "name": animation_names(document)[index],
        "start_s": float(moments.times[0]),
        "duration_s": float(moments.times[-1] - moments.times[0]),
        "fps": moments.rate,
        "channels": len(channels),
        "moves": moving_paths((c.path, _course(c.sampler)) for c in channels),
        "interpolation": sorted({c.sampler.interpolation for c in channels}),
    }


def _course(sampler: Sampler) -> FloatArray:
    """Return the values that a track takes, in an order in which any movement shows."""
    values = sampler.values
    if sampler.turns:  # q and -q are one rotation
        values = np.where((values * values[:1]).sum(axis=1, keepdims=True) < 0, -values, values)
    if sampler.tangents is None or not any(np.any(t) for t in sampler.tangents):
        return values
    between = (sampler.times[1:] + sampler.times[:-1]) / 2
    return np.concatenate([values, sampler.at(between)]) if len(between) else values


def channels_of(document: Document, index: int) -> list[Channel]:
    """Read all channels of an animation."""
    animation = document.objects("animations")[index]
    channels, samplers = animation.get("channels", []), animation.get("samplers", [])
    if not isinstance(channels, list) or not isinstance(samplers, list):
        raise document.fail(f"animation {index} has no lists of channels and samplers")
    out: list[Channel] = []
    cache: dict[tuple[int, bool], Sampler] = {}
    for n, channel in enumerate(channels):
        what = f"channel {n} of animation {index}"
        target = channel.get("target") if isinstance(channel, dict) else None
        if not isinstance(target, dict):
            raise document.fail(f"{what} has no target")
        path, node, at = target.get("path", ""), target.get("node"), channel.get("sampler")
        if not _is_ours(path, node):
            continue
        if node is not None:
            document.item("nodes", node, what)
        if not is_whole(at) or not 0 <= at < len(samplers):
            raise document.fail(f"{what} names sampler {at!r}; there are {len(samplers)}")
        turns = path == "rotation" or _points_to_turn(target)
        if (at, turns) not in cache:
            cache[at, turns] = _sampler(document, samplers[at], what, path, turns)
        out.append(Channel(n, node, path, cache[at, turns]))
    return out


def _is_ours(path: Any, node: Any) -> bool:
    """Return whether a channel is read; others belong to extensions, or have no node.

    The latter is what the specification says of a joint's tracks alone.
    """
    return path in ("weights", "pointer") or (path in PATHS and node is not None)


def _apart(times: FloatArray, table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Keep the first and the last of keys at one time: a jump, the first of them just before it."""
    rises = np.diff(times) > 0
    if rises.all():
        return times, table
    first, last = np.r_[True, rises], np.r_[rises, True]
    keep = first | last
    times, table, jump = times[keep].copy(), table[keep], (first & ~last)[keep]
    times[jump] = np.nextafter(times[jump].astype(np.float32), np.float32(-np.inf))
    rising = np.r_[True, np.diff(times) > 0]
    return times[rising], table[rising]


def _points_to_turn(target: dict[str, Any]) -> bool:
    """Return whether an animation pointer leads to a rotation."""
    extensions = target.get("extensions")
    found = extensions.get("KHR_animation_pointer") if isinstance(extensions, dict) else None
    pointer = found.get("pointer") if isinstance(found, dict) else None
    return isinstance(pointer, str) and pointer.endswith("/rotation")


def _key_times(document: Document, index: Any, what: str) -> FloatArray:
    """Read key times, which most tracks of an animation share."""
    known: FloatArray | None = document.key_times.get(index) if is_whole(index) else None
    if known is not None:
        return known
    times = read_accessor(document, index, what)[:, 0]
    if not len(times) or not np.isfinite(times).all() or (np.diff(times) < 0).any():
        raise document.fail(f"the key times of {what} do not rise")
    times.setflags(write=False)
    document.key_times[index] = times
    return times


def _sampler(document: Document, entry: Any, what: str, path: str, turns: bool) -> Sampler:
    if not isinstance(entry, dict):
        raise document.fail(f"the sampler of {what} is not an object")
    kind: Interpolation = entry.get("interpolation", "LINEAR")
    if kind not in ("LINEAR", "STEP", "CUBICSPLINE"):
        raise document.fail(f"the sampler of {what} interpolates by {kind!r}")
    times = _key_times(document, entry.get("input"), what)
    values = read_accessor(document, entry.get("output"), what)
    parts = 3 if kind == "CUBICSPLINE" else 1
    if not np.isfinite(values).all():
        raise document.fail(f"the values of {what} are not all finite")
    # Weights of any number are flattened.
    size = _SIZES.get(path) or values.size // max(len(times) * parts, 1)
    if not size or values.size != len(times) * parts * size:
        raise document.fail(f"{what} has {values.size} values for {len(times)} keys")
    times, table = _apart(times, values.reshape(len(times), parts, size))
    middle = table[:, parts // 2]
    if turns:
        lengths = np.sqrt(np.einsum("ij,ij->i", middle, middle))
        if (np.abs(lengths - 1) > 0.1).any():
            raise document.fail(f"the rotations of {what} are not unit quaternions")
        if parts == 1:
            middle = middle / lengths[:, None]
    tangents = (table[:, 0], table[:, 2]) if parts == 3 else None
    return Sampler(times, middle, tangents, kind, turns)


def frames_of(
    document: Document, channels: Sequence[Channel], joints: int, fps: float | None
) -> Moments:
    """Choose the moments at which an animation is sampled."""
    tracks = [c.sampler for c in channels]
    if not tracks:
        return Moments(np.zeros(1), _PLAIN_RATE, True)
    start = min(float(s.times[0]) for s in tracks)
    end = max(float(s.times[-1]) for s in tracks)
    rate = fps or _rate(tracks, start)
    count = (end - start) * rate
    if count * joints * 32 > MOST_BYTES:
        raise document.fail(f"it lasts {end - start:g} s, which is more than fits in memory")
    n = round(count)
    if abs(n / rate - (end - start)) <= ON_FRAME:
        return Moments(start + np.arange(n + 1) / rate, rate, True)
    return Moments(np.r_[start + np.arange(int(count) + 1) / rate, end], rate, False)


def _rate(tracks: Sequence[Sampler], start: float) -> float:
    """Find the lowest common rate whose frames contain all keys, or the rate of even keys."""
    keys = np.unique(np.concatenate([s.times for s in tracks])) - start
    curved = any(s.tangents is not None for s in tracks)
    for rate in _RATES:
        if curved and rate < _PLAIN_RATE:
            continue
        frame = keys * rate
        if np.abs(frame - np.round(frame)).max() / rate <= ON_FRAME:
            return rate
    # Programs that count 29.97 frames as 30 write other spacings, but even ones.
    apart = keys[np.r_[True, np.diff(keys) > ON_FRAME]]  # without the far sides of jumps
    own = (len(apart) - 1) / apart[-1] if len(apart) > 2 else 0.0
    if not curved and own >= _LEAST_RATE:
        frame = apart * own
        if np.abs(frame - np.round(frame)).max() / own <= ON_FRAME:
            return float(f"{own:.7g}")
    return _PLAIN_RATE
