"""Read C3D files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import contacts_from_events
from retime.errors import FormatError, InputError
from retime.io.as_read import no_frame_rate, with_origin
from retime.io.c3d.header import check_header
from retime.io.c3d.library import LIBRARY
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.motion import Motion, Units, UpAxis, quat, trust
from retime.motion.contact import Contact
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note, Remedy
from retime.temporary import temporary_folder

_UNITS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}
# Larger numbers, in the file's units, are not positions.
_MOST_LENGTH = 1e9
# At most this many events are listed in a note.
_LISTED = 12
Event = tuple[float, str, str]


@dataclass(frozen=True, eq=False)
class C3dFile:
    """Data of a file, kept to write it back."""

    data: bytes
    """The file."""
    valid: npt.NDArray[np.bool_]
    """Which samples of each point are visible. Shape (F, P)."""
    shown: npt.NDArray[np.int64]
    """For each joint of the motion, the number of its point. Shape (J,)."""
    told_fps: float
    """The frame rate in the file; the motion's may differ."""
    analog_samples: int
    """Samples of each analog channel."""
    events: tuple[Event, ...]
    """Events as (time in s, side, label)."""
    contacts: tuple[Contact, ...]
    """Contacts from the foot strike and foot off events."""
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
    rate = found["rate"] if fps is None else fps
    if not (np.isfinite(rate) and rate > 0):
        raise no_frame_rate(path)
    _must_fit(seen, path)
    shown = np.flatnonzero(seen.any(axis=0))
    skeleton = _skeleton(found["labels"], shown)
    gaps = Gaps(path)
    points = np.where(seen[..., None], points, np.nan)
    tracks = {n: gaps.places(n, points[:, k]) for n, k in zip(skeleton.names, shown, strict=True)}
    metres, up, notes = _units(found)
    motion = Motion(
        skeleton,
        trust(quat.identity(len(seen), len(skeleton))),
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
    return with_origin(motion, "c3d", path, data, kept)


def _must_fit(seen: npt.NDArray[np.bool_], path: str | Path) -> None:
    frames, count = seen.shape
    if not seen.any():
        raise FormatError("no point is seen in any frame", path=path)
    if frames * count * 32 > MOST_BYTES:
        raise FormatError(f"{frames} frames of {count} points do not fit in memory", path=path)


def _skeleton(labels: list[str], shown: npt.NDArray[np.int64]) -> Skeleton:
    """Return a joint without a parent for each point shown."""
    named = dict(enumerate(labels))
    file_names = tuple(named.get(k, "").strip() for k in shown.tolist())
    count = len(shown)
    return Skeleton(
        unique_names(file_names), np.full(count, -1), np.zeros((count, 3)), file_names=file_names
    )


def _ask_for_points(
    data: bytes, path: str | Path
) -> tuple[dict[str, Any], FloatArray, npt.NDArray[np.bool_]]:
    """Read a file's points with the library: its other data, points (F, P, 3), visible (F, P)."""
    with temporary_folder() as folder:
        own = Path(folder) / "in.c3d"
        own.write_bytes(data)
        request = {"do": "read", "path": str(own)}
        found, arrays = LIBRARY.ask(request, folder=folder, size=len(data), path=path)
    points, residuals = arrays["points"], arrays["residuals"]
    frames, count = points.shape[:2]
    if residuals.shape != (frames, count):
        raise FormatError("the numbers of points and residuals differ", path=path)
    usable = (np.abs(points) < _MOST_LENGTH).all(axis=2)  # NaN is not
    return found, points, usable & ~(residuals < 0)


def _units(found: dict[str, Any]) -> tuple[float, UpAxis, list[Note]]:
    """Return metres per unit, the up axis, and notes on those that the file does not have."""
    notes: list[Note] = []
    unit = "".join(found["units"][:1]).strip().lower()
    if unit not in _UNITS:
        said = f"{unit[:20]!r} is not a known unit" if unit else "the file has no unit"
        notes.append(
            Note(
                f"{said}; millimetres are assumed",
                Remedy(parameter="reading.scale"),
                code="unit-assumed",
            )
        )
    screen = "".join(found["screen"][:1]).strip().upper().removeprefix("+")
    up: UpAxis = "Y" if screen == "Y" else "Z"
    if screen not in ("Y", "Z"):
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
    """Return notes on points, channels and events that are treated specially."""
    never = seen.shape[1] - len(shown)
    analogs, events, header_events = found["analogs"], found["events"], found["header_events"]
    told = [f"{s} {x} {t:.2f} s".strip() for t, s, x in events[:_LISTED]]
    dots = ["..."] * (len(events) > _LISTED)
    hidden = "points that are hidden at times are hidden again when written"
    possible: tuple[tuple[object, str, str, dict[str, Any]], ...] = (
        (never, f"{never} points are never seen: left out here, kept in the file",
         "points-never-seen", {"points": never}),
        (gaps, hidden, "points-hidden", {}),
        (analogs, f"{analogs} analog channels follow the first point",
         "analog-channels", {"channels": analogs}),
        (events, f"events: {', '.join(told + dots)}", "events-read", {"events": len(events)}),
        (header_events, f"{header_events} events in its header are not kept on writing",
         "events-not-kept", {"events": header_events}),
    )  # fmt: skip
    return gaps.notes() + [
        Note(text, code=code, **values) for given, text, code, values in possible if given
    ]


def _events(found: dict[str, Any], rate: float) -> tuple[Event, ...]:
    """Return the events at the motion's rate: they stay at their frames, so their times change."""
    told = found["rate"]
    stretch = told / rate if np.isfinite(told) and told > 0 else 1.0
    known = [event for event in found["events"] if np.isfinite(event[0])]
    return tuple((stretch * float(t), str(s), str(x)) for t, s, x in known)


def _contacts(events: tuple[Event, ...], motion: Motion) -> tuple[Contact, ...]:
    """Return contacts of the feet from foot strikes and offs; none if the feet are unknown."""
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
