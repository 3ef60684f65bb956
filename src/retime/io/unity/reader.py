"""Read a Unity clip as a motion: bones by the paths of its curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.as_read import with_origin
from retime.io.fbx.rotations import ORDERS, euler
from retime.io.files import read_bytes
from retime.io.in_place import no_model
from retime.io.parameters import RestFrame
from retime.io.sampled import depth_first, moments_between, must_fit_in_memory
from retime.io.unity.clip import Clip, Track, parse_clip
from retime.motion import Motion, Units, quat
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note

_RATE = 60.0
_MOST_JOINTS = 5000
# Curves of a humanoid's root, which are the place and the rotation of its body.
_BODY = {"RootT": "m_PositionCurves", "RootQ": "m_RotationCurves"}


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    clip: Clip
    paths: tuple[str, ...]
    """The path of each joint. Shape (J,)."""
    scales: FloatArray
    own_scales: FloatArray
    motion: Motion
    """The animation as it was read."""


class _Document:
    """A file, as :func:`must_fit_in_memory` names it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, message: str) -> FormatError:
        return FormatError(message, path=self.path)


def read_motion(
    path: str | Path, *, rest_frame: RestFrame = "auto", fps: float | None = None
) -> Motion:
    """Read the first clip of a file. Options are those of ``retime.read``."""
    data = read_bytes(path)
    clip = parse_clip(data, Path(path))
    tracks = {(t.path, t.kind): t for t in (*clip.tracks, *_body(clip.tracks))}
    paths = _paths(clip, tracks)
    span = [t.sampler.times[[0, -1]] for t in clip.tracks]
    start = min(float(s[0]) for s in span)
    end = max(float(s[1]) for s in span)
    told = clip.settings.get("m_SampleRate", (0, _RATE))[1]
    rate = fps or (told if 0 < told <= 1e5 else _RATE)
    must_fit_in_memory(_Document(clip.path), end - start, (end - start) * rate, len(paths))
    moments = moments_between(start, end, rate)
    times = moments.times
    rotations = np.stack([_turns(tracks, p, times) for p in paths], axis=1)
    offsets, moved = np.zeros((len(paths), 3)), {}
    names = unique_names([p.rpartition("/")[2] or "Root" for p in paths])
    parents = [paths.index(p.rpartition("/")[0]) if p else -1 for p in paths]
    sizes = {}
    for j, own in enumerate(paths):
        place = tracks.get((own, "m_PositionCurves"))
        if place is not None and place.sampler.values.shape[1] == 3:
            track = place.sampler.at(times) * [-1.0, 1.0, 1.0]  # Unity is left-handed
            offsets[j], moved[names[j]] = track[0], track
        elif not own:
            moved[names[j]] = np.zeros((len(times), 3))
        size = tracks.get((own, "m_ScaleCurves"))
        if size is not None and size.sampler.values.shape[1] == 3:
            sizes[names[j]] = size.sampler.at(times)
    skeleton = Skeleton(names, np.array(parents), offsets)
    motion = moments.motion(
        skeleton, rotations, moved, sizes, units=Units(1.0, "Y", "declared")
    ).with_notes(*_notes(tracks, paths))
    ones = np.ones(len(paths))
    kept = Kept(clip, tuple(paths), ones, ones, motion)
    return with_origin(motion, "unity", path, data, kept, in_place=True)


def _notes(tracks: dict[tuple[str, str], Track], paths: list[str]) -> list[Note]:
    """Return a note on bones without a length, as a clip has no rest pose."""
    placed = [p for p in paths if (p, "m_PositionCurves") in tracks]
    if len(placed) >= len(paths) - 1 and len(paths) > 1:
        return []
    return [
        no_model(
            "a Unity clip has no model: bones without position curves have no length, and muscles "
            "are not posed"
        )
    ]


def _body(tracks: tuple[Track, ...]) -> list[Track]:
    """Return the place and the rotation of a humanoid's body, whose numbers have curves each."""
    out = []
    for name, kind in _BODY.items():
        axes = "xyzw" if name == "RootQ" else "xyz"
        found = {t.attribute: t for t in tracks if t.kind == "m_FloatCurves" and not t.path}
        own = [found.get(f"{name}.{axis}") for axis in axes]
        known = [t for t in own if t is not None]
        if len(known) == len(axes):
            times = np.unique(np.concatenate([t.sampler.times for t in known]))
            values = np.concatenate([t.sampler.at(times) for t in known], axis=1)
            sampler = replace(
                known[0].sampler, times=times, values=values, tangents=None, interpolation="LINEAR"
            )
            out.append(replace(known[0], kind=kind, attribute="", sampler=sampler))
    return out


def _paths(clip: Clip, tracks: dict[tuple[str, str], Track]) -> list[str]:
    """Return the paths of all that moves in space, with all above them, depth first."""
    found = {"": 0}  # numbers, by path, in the file's order
    for path, kind in tracks:
        if kind in ("m_FloatCurves", "m_PPtrCurves", "m_EditorCurves", "m_EulerEditorCurves"):
            continue
        parts = path.split("/") if path else []
        for n in range(1, len(parts) + 1):
            found.setdefault("/".join(parts[:n]), len(found))
        if len(found) > _MOST_JOINTS:
            raise FormatError(f"it moves more than {_MOST_JOINTS} objects", path=clip.path)
    names = list(found)

    def above(n: int) -> int:
        return found[names[n].rpartition("/")[0]] if names[n] else -1

    return [names[n] for n in depth_first(range(len(names)), above, -1)]


def _turns(tracks: dict[tuple[str, str], Track], path: str, times: FloatArray) -> FloatArray:
    """Return the rotations (F, 4) of an object, right-handed."""
    own = tracks.get((path, "m_RotationCurves"))
    if own is not None and own.sampler.values.shape[1] == 4:
        turn = quat.normalize(own.sampler.at(times)[:, [3, 0, 1, 2]])
    elif (own := tracks.get((path, "m_EulerCurves"))) and own.sampler.values.shape[1] == 3:
        turn = euler(own.sampler.at(times), ORDERS[own.order])
    else:
        turn = quat.identity(len(times))
    out: FloatArray = turn * [1.0, 1.0, -1.0, -1.0]
    return out
