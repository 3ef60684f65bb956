"""Reading C3D files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import contacts_from_events
from retime.errors import FormatError, InputError
from retime.io.as_read import no_frame_rate
from retime.io.c3d.header import check_header
from retime.io.c3d.library import LIBRARY
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.motion import Motion, Origin, Units, UpAxis, quat, trust
from retime.motion.contact import Contact
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note, Remedy
from retime.temporary import temporary_folder

_UNITS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}
# Beyond this, in the file's units, numbers are no places.
_MOST_LENGTH = 1e9
Event = tuple[float, str, str]


@dataclass(frozen=True, eq=False)
class C3dFile:
    """Data of a file, kept to write it back."""

    data: bytes
    """The file."""
    valid: npt.NDArray[np.bool_]
    """Which samples of all its points were seen. Shape (F, P)."""
    shown: npt.NDArray[np.int64]
    """For each joint of the motion, the number of its point. Shape (J,)."""
    told_fps: float
    """The rate that the file tells, which that of the motion may overrule."""
    analog_samples: int
    """Samples of each analog channel."""
    events: tuple[Event, ...]
    """Its events. Each is (time s, side, label)."""
    contacts: tuple[Contact, ...]
    """What its foot strikes and offs tell."""
    motion: Motion
    """The motion as read."""


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read a C3D file. Options are those of ``retime.read``; points have no rest frame."""
    if rest_frame == "first":
        raise InputError(f"{path}: captured points have no rest pose to set aside")
    data = read_bytes(path)
    check_header(data, path)
    found, points, seen = _ask_for_points(data, path)
    frames, count = seen.shape
    rate = found["rate"] if fps is None else fps
    if not (np.isfinite(rate) and rate > 0):
        raise no_frame_rate(path)
    if not frames or not seen.any():
        raise FormatError("no point is seen in any frame", path=path)
    if frames * count * 32 > MOST_BYTES:
        raise FormatError(f"{frames} frames of {count} points are more than fit", path=path)
    shown = np.flatnonzero(seen.any(axis=0))
    labels = [*found["labels"], *[""] * count][:count]
    file_names = tuple(labels[k].strip() for k in shown)
    names = unique_names(file_names)
    skeleton = Skeleton(
        names, np.full(len(names), -1), np.zeros((len(names), 3)), file_names=file_names
    )
    gaps = Gaps(path)
    points = np.where(seen[..., None], points, np.nan)
    tracks = {n: gaps.places(n, points[:, k]) for n, k in zip(names, shown, strict=True)}
    metres, up, notes = _units(found)
    motion = Motion(
        skeleton,
        trust(quat.identity(frames, len(names))),
        tracks,
        fps=rate,
        start=max(found["first_frame"], 0) / rate,
        units=Units(metres, up, "assumed" if notes else "declared"),
        notes=(*notes, *_notes(found, seen, shown, gaps)),
    )
    events = _events(found, rate)
    kept = C3dFile(
        data, seen, shown, found["rate"], found["analog_samples"], events,
        contacts=_contacts(events, motion), motion=motion,
    )  # fmt: skip
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(motion, origin=Origin("c3d", str(path), sha256, kept))


def _ask_for_points(
    data: bytes, path: str | Path
) -> tuple[dict[str, Any], FloatArray, npt.NDArray[np.bool_]]:
    """Let the library read the very bytes that are kept: points (F, P, 3), and which are seen."""
    with temporary_folder() as folder:
        own = Path(folder) / "in.c3d"
        own.write_bytes(data)
        request = {"do": "read", "path": str(own)}
        found, arrays = LIBRARY.ask(request, folder=folder, size=len(data), path=path)
    points, residuals = arrays["points"], arrays["residuals"]
    frames, count = points.shape[:2]
    if residuals.shape != (frames, count):
        raise FormatError("its points and their residuals differ in number", path=path)
    usable = (np.abs(points) < _MOST_LENGTH).all(axis=2)  # NaN is not
    return found, points, usable & ~(residuals < 0)


def _units(found: dict[str, Any]) -> tuple[float, UpAxis, list[Note]]:
    """Return metres per unit and the up axis: those of the file, or the usual ones with a note."""
    notes: list[Note] = []
    unit = (found["units"] or [""])[0].strip().lower()
    if unit not in _UNITS:
        said = f"{unit[:20]!r} is not a known unit" if unit else "the file has no unit"
        notes.append(
            Note(
                f"{said}: lengths are taken as millimetres",
                Remedy(parameter="reading.scale"),
                code="unit-assumed",
            )
        )
    screen = (found["screen"] or [""])[0].strip().upper()
    up: UpAxis = "Y" if screen in ("+Y", "Y") else "Z"
    if screen not in ("+Y", "Y", "+Z", "Z"):
        notes.append(
            Note(
                "the file has no up axis; Z is assumed, as in most laboratories",
                Remedy(parameter="reading.up"),
                code="up-axis-assumed",
            )
        )
    return _UNITS.get(unit, 0.001), up, notes


def _notes(
    found: dict[str, Any],
    seen: npt.NDArray[np.bool_],
    shown: npt.NDArray[np.int64],
    gaps: Gaps,
) -> list[Note]:
    out: list[Note] = []
    never = seen.shape[1] - len(shown)
    if never:
        out.append(
            Note(
                f"{never} points are never seen: left out here, kept in the file",
                code="points-never-seen",
                points=never,
            )
        )
    if gaps:
        out += gaps.notes()
        out.append(
            Note(
                "points that are hidden at times are hidden again when written",
                code="points-hidden",
            )
        )
    if found["analogs"]:
        out.append(
            Note(
                f"{found['analogs']} analog channels follow the first point",
                code="analog-channels",
                channels=found["analogs"],
            )
        )
    if found["events"]:
        told = ", ".join(f"{s} {x} {t:.2f} s".strip() for t, s, x in found["events"][:12])
        more = ", ..." if len(found["events"]) > 12 else ""
        out.append(Note(f"events: {told}{more}", code="events-read", events=len(found["events"])))
    if found["header_events"]:
        out.append(
            Note(
                f"{found['header_events']} events in its header are not kept on writing",
                code="events-not-kept",
                events=found["header_events"],
            )
        )
    return out


def _events(found: dict[str, Any], rate: float) -> tuple[Event, ...]:
    """Return the events; they stand at frames, and with another rate come at other times."""
    told = found["rate"]
    stretch = told / rate if np.isfinite(told) and told > 0 else 1.0
    known = [event for event in found["events"] if np.isfinite(event[0])]
    return tuple((stretch * float(t), str(s), str(x)) for t, s, x in known)


def _contacts(events: tuple[Event, ...], motion: Motion) -> tuple[Contact, ...]:
    """Turn foot strikes and offs into contacts of the points at the feet, where those are known."""
    first, last = motion.domain
    gait = [
        (t, s, x)
        for t, s, x in events
        if x.strip().lower() in ("foot strike", "foot off") and first <= t <= last
    ]
    try:
        return contacts_from_events(gait, find_body(motion), start=first, end=last)
    except InputError:  # a side without a foot
        return ()
