"""A VMD file as sections of records; every record has a frame, and bones have Bezier curves."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.motion import quat

RATE = 30.0
_MAGIC = b"Vocaloid Motion Data 0002"
_HEAD = 50
_NAME = 15
# Bytes of a record, and where its frame stands, by section; the last one varies in size.
SECTIONS = (("bones", 111, 15), ("morphs", 23, 15), ("camera", 61, 0), ("light", 28, 0),
            ("shadow", 9, 0), ("show", 9, 0))  # fmt: skip
_LAST_FRAME = 30 * 3600
# A straight line, as MikuMikuDance writes it: x1, y1, x2, y2 of 127.
STRAIGHT = (20, 20, 107, 107)
_STEPS = 127.0
# Rounds in which a Bezier curve is solved: to 1e-6 and better, as handles have 7 bits.
_ROUNDS = 14


@dataclass(frozen=True, eq=False)
class Document:
    """A file in parts."""

    path: Path
    head: bytes
    sections: dict[str, tuple[bytes, ...]]
    """The records of each section that the file has."""
    tail: bytes
    """What follows the sections."""

    def frames(self, section: str) -> np.ndarray:
        """Return the frames of a section's records."""
        at = next(at for name, _, at in SECTIONS if name == section)
        found = [struct.unpack_from("<I", r, at)[0] for r in self.sections.get(section, ())]
        return np.array(found, dtype=np.int64)

    def by_name(self, section: str) -> dict[bytes, list[bytes]]:
        """Group records of bones or morphs by name, in time; of two at one frame, the last."""
        out: dict[bytes, dict[int, bytes]] = {}
        for record in self.sections.get(section, ()):
            frame = struct.unpack_from("<I", record, _NAME)[0]
            out.setdefault(plain_name(record), {})[frame] = record
        return {name: [own[f] for f in sorted(own)] for name, own in out.items()}


def plain_name(record: bytes) -> bytes:
    """Return the name of a bone or morph as the file has it."""
    return record[:_NAME].partition(b"\x00")[0]


def decoded(name: bytes) -> str:
    """Return a name as text."""
    return name.decode("shift_jis", "replace")


def parse(data: bytes, path: Path) -> Document:
    """Split a file into its records; every count is checked against its size."""
    if not data.startswith(_MAGIC):
        raise FormatError("this is not a motion of MikuMikuDance (VMD, version 2)", path=path)
    if len(data) < _HEAD + 4:
        raise FormatError("the file ends within its header", path=path)
    at, sections = _HEAD, {}
    for name, size, _ in SECTIONS:
        if len(data) - at < 4:
            break  # older files end early
        count = struct.unpack_from("<I", data, at)[0]
        at += 4
        if count * size > len(data) - at:
            raise FormatError(f"it ends early: {count} records of {name} do not fit", path=path)
        records = []
        for _ in range(count):
            own = size
            if name == "show" and size <= len(data) - at:  # a name and a switch for each IK
                own += 21 * struct.unpack_from("<I", data, at + 5)[0]
            if own > len(data) - at:
                raise FormatError(f"it ends early, within its records of {name}", path=path)
            records.append(data[at : at + own])
            at += own
        sections[name] = tuple(records)
    made = Document(path, data[:_HEAD], sections, data[at:])
    if any((made.frames(name) > _LAST_FRAME).any() for name in sections):
        raise FormatError("a key is later than an hour", path=path)
    return made


def built(document: Document, sections: dict[str, Sequence[bytes]]) -> list[bytes]:
    """Return the parts of a file with other records."""
    out = [document.head]
    for name, _, _ in SECTIONS:
        if name in document.sections:
            records = sections.get(name, document.sections[name])
            out += [struct.pack("<I", len(records)), *records]
    return [*out, document.tail]


@dataclass(frozen=True, eq=False)
class BoneTrack:
    """The keys of a bone."""

    frames: FloatArray
    """Shape (K,)."""
    places: FloatArray
    """Offsets from the bone's rest. Shape (K, 3)."""
    turns: FloatArray
    """Rotations, wxyz. Shape (K, 4)."""
    handles: FloatArray
    """Bezier handles x1, y1, x2, y2 in [0, 1] of X, Y, Z and the rotation, from the key before.
    Shape (K, 4, 4).
    """

    def at(self, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return places (N, 3) and rotations (N, 4) at fractional frames; held beyond the ends."""
        if len(self.frames) == 1:
            return np.tile(self.places, (len(frames), 1)), np.tile(self.turns, (len(frames), 1))
        k = np.clip(np.searchsorted(self.frames, frames, side="right"), 1, len(self.frames) - 1)
        step = self.frames[k] - self.frames[k - 1]
        u = np.clip((frames - self.frames[k - 1]) / step, 0.0, 1.0)
        shares = np.stack([progress(u, self.handles[k, c]) for c in range(4)], axis=1)
        places = self.places[k - 1] + shares[:, :3] * (self.places[k] - self.places[k - 1])
        return places, quat.slerp(self.turns[k - 1], self.turns[k], shares[:, 3])


def progress(u: FloatArray, handles: FloatArray) -> FloatArray:
    """Return the share of a change that is done at shares of its time (N,), by handles (N, 4)."""
    x1, y1, x2, y2 = np.moveaxis(np.broadcast_to(handles, (len(u), 4)), -1, 0)
    out = np.array(u, dtype=float)
    bent = np.flatnonzero((x1 != y1) | (x2 != y2))
    if not len(bent):
        return out
    wanted, x1, y1, x2, y2 = (a[bent] for a in (u, x1, y1, x2, y2))
    low, high = np.zeros(len(bent)), np.ones(len(bent))
    s = wanted
    for _ in range(_ROUNDS):  # Newton's method with bracketing
        r = 1 - s
        off = 3 * r * r * s * x1 + 3 * r * s * s * x2 + s**3 - wanted
        low, high = np.where(off < 0, s, low), np.where(off < 0, high, s)
        rise = 3 * (r * r * x1 + 2 * r * s * (x2 - x1) + s * s * (1 - x2))
        step = s - off / np.where(rise > 1e-9, rise, 1.0)
        s = np.where((rise > 1e-9) & (step >= low) & (step <= high), step, (low + high) / 2)
    out[bent] = 3 * (1 - s) ** 2 * s * y1 + 3 * (1 - s) * s**2 * y2 + s**3
    return out


def bone_track(records: Sequence[bytes], path: Path) -> BoneTrack:
    """Read the keys of a bone."""
    data = np.frombuffer(b"".join(records), np.uint8).reshape(-1, 111)
    floats = np.ascontiguousarray(data[:, 19:47]).view("<f4").astype(float)
    if not (np.abs(floats) < 1e6).all():
        raise FormatError("the numbers of a key are not all finite", path=path)
    own = data[:, 47:63].reshape(-1, 4, 4).astype(float)
    # A flag of physics may stand in the first row, whose numbers the second repeats.
    own[:, 0, 2:] = data[:, 64:66]
    handles = np.clip(np.moveaxis(own, 1, 2) / _STEPS, 0.0, 1.0)  # per channel x1, y1, x2, y2
    frames = np.ascontiguousarray(data[:, 15:19]).view("<u4")[:, 0].astype(float)
    turns = quat.normalize(floats[:, [6, 3, 4, 5]])
    return BoneTrack(frames, floats[:, :3], quat.continuous(turns), handles)


def bone_record(
    like: bytes, frame: int, place: FloatArray, turn: FloatArray, handles: np.ndarray | None
) -> bytes:
    """Return a key like another; its curve stays where there are no other handles (4, 4)."""
    numbers = struct.pack("<7f", *place, *turn[[1, 2, 3, 0]])
    curve = like[47:]
    if handles is not None:
        row = np.round(handles * _STEPS).clip(0, 127).astype(np.uint8).T.ravel()  # x1 of all first
        shifted = [np.r_[row[n:], np.zeros(n, np.uint8)] for n in range(4)]
        curve = np.concatenate(shifted).astype(np.uint8).tobytes()
    return like[:_NAME] + struct.pack("<I", frame) + numbers + curve
