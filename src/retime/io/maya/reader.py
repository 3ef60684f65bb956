"""Read an animation of Maya as a motion: joints by the names and the hierarchy of the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.as_read import with_origin
from retime.io.fbx.rotations import euler
from retime.io.files import read_bytes
from retime.io.in_place import no_model
from retime.io.maya.document import TICKS, Document, Track, degrees_of, parse, rate_of
from retime.io.parameters import RestFrame
from retime.io.sampled import Moments, moments_between, must_fit_in_memory
from retime.motion import Motion, Units
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note, Remedy

# Frame rates of Maya: other units of time, such as seconds, are not sampled at their rate.
_LOWEST, _HIGHEST, _USUAL = 2.0, 500.0, 24.0
_METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "in": 0.0254, "ft": 0.3048,
           "yd": 0.9144, "mi": 1609.344}  # fmt: skip
_MOST_JOINTS = 5000
_LONGEST = 3600.0
# Attributes of the tracks that place a joint, by kind and axis; scales are 1 where they are still.
_KINDS = {"translate": "t", "rotate": "r", "scale": "s"}
PATHS = {"translate": "translation", "rotate": "rotation", "scale": "scale"}


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    document: Document
    data: bytes
    scales: FloatArray
    own_scales: FloatArray
    motion: Motion
    """The motion as read."""


def kind_of(attribute: str) -> str:
    """Return whether an attribute translates, rotates or scales a joint; empty for others."""
    for kind, short in _KINDS.items():
        if attribute[:-1] in (kind, short) and attribute[-1:] in ("X", "Y", "Z", "x", "y", "z"):
            return kind
    return ""


def read_motion(
    path: str | Path, *, rest_frame: RestFrame = "auto", fps: float | None = None
) -> Motion:
    """Read a file. Options are those of ``retime.read``."""
    data = read_bytes(path)
    document = parse(data, Path(path), fps)
    if len(document.nodes) > _MOST_JOINTS:
        raise document.fail(f"it has {len(document.nodes)} nodes, more than {_MOST_JOINTS}")
    ends = [t.curve.ticks[[0, -1]] / TICKS for t in document.tracks]
    start, end = min(float(e[0]) for e in ends), max(float(e[1]) for e in ends)
    rate = fps or document.rate or _USUAL
    rate = rate if fps or _LOWEST <= rate <= _HIGHEST else _USUAL
    if end - start > _LONGEST:
        raise document.fail(f"it lasts {end - start:g} s, longer than an hour")
    must_fit_in_memory(document, end - start, (end - start) * rate, len(document.nodes))
    moments = moments_between(start, end, rate)
    motion = _motion(document, moments).with_notes(*_notes(document))
    ones = np.ones(len(document.nodes))
    return with_origin(
        motion, "maya", path, data, Kept(document, data, ones, ones, motion), in_place=True
    )


def _motion(document: Document, moments: Moments) -> Motion:
    names = unique_names([n.name or "node" for n in document.nodes])
    tracks: dict[tuple[int, str], dict[int, Track]] = {}
    for track in document.tracks:
        if kind := kind_of(track.attribute):
            axis = "XYZ".index(track.attribute[-1].upper())
            tracks.setdefault((track.node, kind), {})[axis] = track
    parents = _parents(document)
    metres = _METRES.get(document.setting("linearUnit"), 0.01)
    turns = np.zeros((len(moments.times), len(names), 4))
    turns[..., 0] = 1.0
    offsets, places, sizes = np.zeros((len(names), 3)), {}, {}
    for j, name in enumerate(names):
        own = {kind: tracks.get((j, kind), {}) for kind in _KINDS}
        if own["rotate"]:
            scale = {
                k: degrees_of(_unit(t, document, "angularUnit")) for k, t in own["rotate"].items()
            }
            turns[:, j] = euler(_sampled(own["rotate"], scale, moments, 0.0), "XYZ")
        if own["translate"] or parents[j] < 0:
            scale = {k: _METRES.get(t.unit, metres) / metres for k, t in own["translate"].items()}
            places[name] = _sampled(own["translate"], scale, moments, 0.0)
            offsets[j] = places[name][0]
        if own["scale"]:
            sizes[name] = _sampled(own["scale"], dict.fromkeys(own["scale"], 1.0), moments, 1.0)
    told = document.setting("linearUnit") in _METRES
    units = Units(metres, "Y", "declared" if told else "assumed")
    return moments.motion(Skeleton(names, parents, offsets), turns, places, sizes, units=units)


def _unit(track: Track, document: Document, name: str) -> str:
    return track.unit or document.setting(name)


def _sampled(
    tracks: dict[int, Track], scale: dict[int, float], moments: Moments, rest: float
) -> FloatArray:
    """Return values of the three axes (F, 3); one without a curve has the value at rest."""
    out = np.full((len(moments.times), 3), rest)
    for axis, track in tracks.items():
        out[:, axis] = track.curve.at(moments.times, TICKS) * scale[axis]
    if not np.abs(out).max() < 1e12:
        raise FormatError("the values of a curve are too large")
    return out


def _parents(document: Document) -> np.ndarray:
    """Return the parent of each node: they are listed depth first, with their numbers of children.

    A number beyond the end of the list ends with it.
    """
    parents, open_ = [], list[list[int]]()
    for n, node in enumerate(document.nodes):
        while open_ and open_[-1][1] == 0:
            open_.pop()
        parents.append(open_[-1][0] if open_ else -1)
        if open_:
            open_[-1][1] -= 1
        open_.append([n, node.children])
    return np.array(parents)


def _notes(document: Document) -> list[Note]:
    out = [
        no_model(
            "a Maya .anim file has no rest pose, joint orientations or rotation orders: joints "
            "without translation curves have no length"
        )
    ]
    if rate_of(document.setting("timeUnit")) is None:
        out.append(
            Note(
                f"the file has no known unit of time; {_USUAL:g} frames a second are assumed",
                Remedy("give the frame rate", parameter="reading.fps"),
                code="rate-assumed",
            )
        )
    return out
