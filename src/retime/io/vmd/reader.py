"""Read a VMD file as a motion of its model's skeleton, or of the usual one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.as_read import with_origin
from retime.io.beside import find_beside, skeleton_note
from retime.io.files import read_bytes
from retime.io.in_place import no_model
from retime.io.parameters import RestFrame
from retime.io.sampled import moments_between
from retime.io.vmd.document import RATE, BoneTrack, Document, bone_track, decoded, parse
from retime.io.vmd.model import read_bones
from retime.io.vmd.skeleton import Bone, usual_bones, usual_roles
from retime.motion import Motion, Units, quat
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note

# A unit of MikuMikuDance in metres: its figures are about 20 units tall.
_UNIT = 0.08
_MOST_BONES = 5000
# From its left-handed space to ours.
_FLIP = np.array([1.0, 1.0, -1.0])
_TURN = np.array([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    data: bytes
    document: Document
    bones: tuple[bytes, ...]
    """The bone of each joint, as the file names it; empty where it has none. Shape (J,)."""
    scales: FloatArray
    own_scales: FloatArray
    motion: Motion
    """The motion as read."""


def companions(path: Path) -> list[Path]:
    """Return the model of a motion, if it is beside it."""
    try:
        found = find_beside(path, ".pmx")
    except InputError:
        return []
    return [] if found is None else [found]


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    skeleton: Path | None = None,
) -> Motion:
    """Read a motion, with its model if that is given or beside it.

    Options are those of ``retime.read``; the rate of the file is 30.
    """
    data = read_bytes(path)
    document = parse(data, Path(path))
    records = document.by_name("bones")
    if not records:
        raise FormatError(
            "it has no keys of bones; motions of cameras and faces alone are not read", path=path
        )
    if len(records) > _MOST_BONES:
        raise FormatError(f"it moves {len(records)} bones, more than {_MOST_BONES}", path=path)
    tracks = {name: bone_track(own, document.path) for name, own in records.items()}
    known = {decoded(name): name for name in tracks}
    model = skeleton or find_beside(Path(path), ".pmx")
    bones = _usual(list(known)) if model is None else read_bones(read_bytes(model), model)
    last = max(float(document.frames(name).max(initial=0)) for name in document.sections)
    rate = RATE if fps is None else fps
    if last * rate / RATE * len(bones) * 80 > MOST_BYTES:
        raise FormatError(f"{last:g} frames of {len(bones)} bones do not fit in memory", path=path)
    moments = moments_between(0.0, last / RATE, rate)
    names = list(bones)
    files = tuple(known.get(name, b"") or _in_file(name, tracks) for name in names)
    joints = unique_names(names)
    places = np.array([bones[name][1] for name in names]) * _FLIP
    parents = np.array([names.index(bones[n][0]) if bones[n][0] else -1 for n in names])
    offsets = places - np.where(parents[:, None] >= 0, places[parents], 0.0)
    turns = quat.identity(len(moments.times), len(names))
    moved = {}
    for j, own in enumerate(files):
        if own:
            place, turn = tracks[own].at(moments.times * RATE)
            turns[:, j] = turn * _TURN
        else:
            place = np.zeros((len(moments.times), 3))
        if parents[j] < 0 or _moves(tracks.get(own)):
            moved[joints[j]] = offsets[j] + place * _FLIP
    units = Units(_UNIT, "Y", "declared")
    roles = {r: n for r, n in usual_roles().items() if n in joints}
    body = Skeleton(joints, parents, offsets)
    motion = moments.motion(body, turns, moved, {}, units=units, roles=roles)
    motion = motion.with_notes(*_notes(known, model))
    ones = np.ones(len(names))
    return with_origin(
        motion, "vmd", path, data, Kept(data, document, files, ones, ones, motion), in_place=True
    )


def _moves(track: BoneTrack | None) -> bool:
    return track is not None and bool(np.abs(track.places).max() > 0)


def _in_file(name: str, tracks: dict[bytes, BoneTrack]) -> bytes:
    """Return the name of a model's bone as a motion has it: cut off after 15 bytes, or before.

    A character of two bytes is left out by some programs, and halved by others.
    """
    own = name.encode("shift_jis", "replace")
    return next((own[:n] for n in (15, 14) if own[:n] in tracks), b"")


def _usual(named: list[str]) -> dict[str, Bone]:
    """Return the usual bones up to those that a file names, and others as children of the root."""
    usual = usual_bones()
    wanted: set[str] = {"全ての親"}
    for name in named:
        while name in usual and name not in wanted:
            wanted.add(name)
            name = usual[name][0]
    out = {name: bone for name, bone in usual.items() if name in wanted}
    return out | {name: ("全ての親", (0.0, 0.0, 0.0)) for name in named if name not in out}


def _notes(known: dict[str, bytes], model: Path | None) -> list[Note]:
    if model is not None:
        out = [skeleton_note(model.name)]
    else:
        out = [
            no_model(
                "a VMD file has no model, and no .pmx is beside it: bones have the usual names and "
                "proportions of MikuMikuDance"
            )
        ]
    if "左足ＩＫ" in known:
        out.append(Note("the legs follow IK targets and are not posed", code="ik-not-solved"))
    return out
