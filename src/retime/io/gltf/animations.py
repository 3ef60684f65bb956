"""Animations of a glTF document: their channels, spans and frame rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import is_whole
from retime.io.gltf.accessors import read_accessor
from retime.io.gltf.document import Document
from retime.io.gltf.samplers import Interpolation, Sampler
from retime.io.in_place import PATHS, choose, choose_default, moving_paths
from retime.io.sampled import (
    ON_FRAME,
    Moments,
    are_on_frames,
    moments_between,
    must_fit_in_memory,
)

_SIZES = {"translation": 3, "rotation": 4, "scale": 3}
# Common frame rates; the keys of most files lie on the frames of one of them.
_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0)
_PLAIN_RATE = 60.0
_TURN = re.compile(r"/nodes/\d+/rotation")
# Keys that are farther apart were set by an animator and are not frames.
_LEAST_RATE = 20.0


@dataclass(frozen=True, eq=False)
class Channel:
    """An animated property of a node."""

    index: int
    """Its index in the animation."""
    node: int | None
    """The node; ``None`` if an extension points to something else."""
    path: str
    """``translation``, ``rotation``, ``scale``, ``weights`` or ``pointer``."""
    sampler: Sampler
    """The track."""


def animation_names(document: Document) -> list[str]:
    """Return the animations' names; unnamed ones get their number."""
    found = document.objects("animations")
    return [str(a.get("name") or f"animation {n}") for n, a in enumerate(found)]


def choose_animation(document: Document, wanted: str | int | None) -> tuple[int, list[str]]:
    """Find an animation by its name or number; by default, the first that moves.

    Also returns why others were skipped.
    """
    names = animation_names(document)
    if not names:
        beside = "; a VRM avatar is moved by a .vrma or another file" if document.is_vrm else ""
        raise document.fail(f"the file has no animation{beside}")
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
    """Return values of a track at and between its keys, to find out whether it moves."""
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
        target = _target(document, channel, what)
        path, node, at = target.get("path", ""), target.get("node"), channel.get("sampler")
        if not _is_ours(path, node):
            continue
        if not is_whole(at) or not 0 <= at < len(samplers):
            raise document.fail(f"{what} names sampler {at!r}; there are {len(samplers)}")
        turns = path == "rotation" or _points_to_turn(target)
        if (at, turns) not in cache:
            cache[at, turns] = _sampler(document, samplers[at], what, path, turns)
        out.append(Channel(n, node, path, cache[at, turns]))
    return out


def _target(document: Document, channel: Any, what: str) -> dict[str, Any]:
    """Return a channel's target, after checking its node."""
    target = channel.get("target") if isinstance(channel, dict) else None
    if not isinstance(target, dict):
        raise document.fail(f"{what} has no target")
    node = target.get("node")
    if node is not None and _is_ours(target.get("path", ""), node):
        document.item("nodes", node, what)
    return target


def _is_ours(path: Any, node: Any) -> bool:
    """Return whether a channel is read; others belong to extensions, or have no node.

    The specification requires a node only for tracks of joints.
    """
    return path in ("weights", "pointer") or (path in PATHS and node is not None)


def _apart(times: FloatArray, table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Keep the first and last of keys at one time: a jump. Move the first just before it."""
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
    """Return whether an animation pointer targets the rotation of a node; textures have numbers."""
    extensions = target.get("extensions")
    found = extensions.get("KHR_animation_pointer") if isinstance(extensions, dict) else None
    pointer = found.get("pointer") if isinstance(found, dict) else None
    return isinstance(pointer, str) and _TURN.fullmatch(pointer) is not None


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
    parts = 3 if kind == "CUBICSPLINE" else 1
    table = _key_values(document, entry.get("output"), what, (len(times), parts), _SIZES.get(path))
    times, table = _apart(times, table)
    middle = table[:, parts // 2]
    if turns:
        lengths = np.sqrt(np.einsum("ij,ij->i", middle, middle))
        if (np.abs(lengths - 1) > 0.1).any():
            raise document.fail(f"the rotations of {what} are not unit quaternions")
        if parts == 1:
            middle = middle / lengths[:, None]
    tangents = (table[:, 0], table[:, 2]) if parts == 3 else None
    return Sampler(times, middle, tangents, kind, turns)


def _key_values(
    document: Document, index: Any, what: str, shape: tuple[int, int], size: int | None
) -> FloatArray:
    """Read key values (keys, parts, size); without a size, as for weights, it is inferred."""
    values = read_accessor(document, index, what)
    if not np.isfinite(values).all():
        raise document.fail(f"the values of {what} are not all finite")
    keys, parts = shape
    size = size or values.size // max(keys * parts, 1)
    if not size or values.size != keys * parts * size:
        raise document.fail(f"{what} has {values.size} values for {keys} keys")
    return values.reshape(keys, parts, size)


def frames_of(
    document: Document, channels: Sequence[Channel], joints: int, fps: float | None
) -> Moments:
    """Return the times at which an animation is sampled, and their rate."""
    tracks = [c.sampler for c in channels]
    if not tracks:
        return Moments(np.zeros(1), _PLAIN_RATE, True)
    start = min(float(s.times[0]) for s in tracks)
    end = max(float(s.times[-1]) for s in tracks)
    rate = fps or _rate(tracks, start)
    must_fit_in_memory(document, end - start, (end - start) * rate, joints)
    return moments_between(start, end, rate)


def _rate(tracks: Sequence[Sampler], start: float) -> float:
    """Return the lowest common rate whose frames contain all keys, or the rate of even keys."""
    keys = np.unique(np.concatenate([s.times for s in tracks])) - start
    curved = any(s.tangents is not None for s in tracks)
    rates = [r for r in _RATES if not curved or r >= _PLAIN_RATE]
    found = next((r for r in rates if are_on_frames(keys, r)), None)
    if found is not None:
        return found
    return _PLAIN_RATE if curved else _even_rate(keys) or _PLAIN_RATE


def _even_rate(keys: FloatArray) -> float | None:
    """Return the rate of evenly spaced keys, or ``None``.

    Programs that count 29.97 frames as 30 write other spacings, but even ones.
    """
    apart = keys[np.r_[True, np.diff(keys) > ON_FRAME]]  # without the far sides of jumps
    if len(apart) < 3:
        return None
    own = (len(apart) - 1) / apart[-1]
    even = own >= _LEAST_RATE and are_on_frames(apart, own)
    return float(f"{own:.7g}") if even else None
