"""Results of a contact detector: contacts, flights, the floor and its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.model.size import size_note
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.notes import Note, Remedy
from retime.pictured import Pictured

Mask = npt.NDArray[np.bool_]

# Fraction of unexplained frames above which there is a note.
_MUCH_UNKNOWN = 0.1
# Largest distance of a contact that is on the floor, metres.
_NEAR = 0.03


@dataclass(frozen=True)
class Floor:
    """The plane that the feet stand on most of the time."""

    trust: float = 0.0
    """Fraction of the feet's contact time that is near the plane, less the fraction of frames
    that cannot be explained; 0 to 1.
    """
    level: float = 0.0
    """Height at the mean position of the contacts, metres."""
    spread: float = 0.0
    """Root mean square distance of the contacts from the plane, metres."""
    tilt: float = 0.0
    """Tilt of the plane, degrees."""
    slide: float = 0.0
    """Median speed of feet in contact, m/s."""


@dataclass(frozen=True, eq=False)
class FoundContacts(Pictured):
    """Contacts and flights of a motion."""

    contacts: tuple[Contact, ...] = ()
    """The contacts, sorted by point and time."""
    flights: tuple[tuple[float, float], ...] = ()
    """First and last time of each flight, in which nothing touches and the body falls; seconds."""
    airborne: tuple[tuple[float, float], ...] = ()
    """First and last time of each part in which nothing is near the ground or an object,
    whether the body falls or not: flights of a retimed motion do not follow gravity.
    """
    unknown: float = 0.0
    """Fraction of frames in which nothing touches but the body does not fall."""
    floor: Floor = Floor()
    """The plane that the feet stand on."""
    touching: Mapping[str, Mask] = field(default_factory=dict)
    """Whether each point touches in each frame, by name."""
    force: FloatArray = field(default_factory=lambda: np.zeros(0))
    """External force on the body at the frames of the motion, in body weights. Shape (F,)."""
    rate: float = 0.0
    """Frame rate that explains the motion better than its own; 0 if none does."""
    drift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Velocity of the ground under a figure that walks on the spot, m/s."""

    @property
    def is_understood(self) -> bool:
        """Whether the body has points that can touch."""
        return bool(self.touching)


def floor_under(spots: FloatArray, unknown: float) -> Floor:
    """Fit a plane to the contacts of feet.

    Parameters
    ----------
    spots : array (N, 5)
        Position (x, y, z) in metres, length in frames, and speed in m/s of each contact.
    unknown : float
        Fraction of frames that cannot be explained.
    """
    if not len(spots):
        return Floor()
    x, y, z, length, speed = spots.T
    along = np.stack([x - x.mean(), z - z.mean(), np.ones_like(x)], axis=1)
    # Prefer a level floor, unless contacts are metres apart.
    ridge = np.diag([0.05, 0.05, 0.0]) * length.sum()
    off = np.zeros_like(y)
    for _ in range(10):  # reweighted least squares
        weight = length / (1 + (off / 0.04) ** 2)
        system = along.T @ (weight[:, None] * along) + ridge
        try:
            plane = np.linalg.solve(system, along.T @ (weight * y))
        except np.linalg.LinAlgError:  # coordinates of very different magnitude
            return Floor()
        off = np.abs(y - along @ plane)
    return Floor(
        trust=float((1 - unknown) * np.average(off < _NEAR, weights=length)),
        level=float(plane[2]),
        spread=float(np.sqrt(np.average(off**2, weights=length))),
        tilt=float(np.degrees(np.arctan(np.hypot(plane[0], plane[1])))),
        slide=float(np.median(speed)),
    )


def found_notes(motion: Motion, found: FoundContacts) -> list[Note]:
    """Return notes on the size of the figure and on frames that contacts do not explain."""
    return [note for note in (size_note(motion), _contact_note(found)) if note is not None]


def _contact_note(found: FoundContacts) -> Note | None:
    if not found.is_understood:
        return Note(
            "contacts cannot be detected: no feet, hands or other ends that come near the ground "
            "were found",
            Remedy("name the joints by a map", parameter="reading.roles"),
            code="contacts-not-understood",
        )
    if any(found.drift):
        speed = float(np.linalg.norm(found.drift))
        return Note(
            f"the figure moves on the spot: the ground is assumed to move at {speed:.2g} m/s",
            code="moves-on-the-spot",
            speed=speed,
        )
    if found.rate:
        return Note(
            f"in {found.unknown:.0%} of the frames nothing touches and the body does not fall; at "
            f"{found.rate:g} frames per second it would",
            Remedy("give the frame rate", parameter="reading.fps", value=round(found.rate, 3)),
            code="frame-rate-doubtful",
            unknown=found.unknown,
            rate=found.rate,
        )
    if found.unknown > _MUCH_UNKNOWN:
        return Note(
            f"in {found.unknown:.0%} of the frames nothing touches and the body does not fall: the "
            "floor may not be level, or the frame rate or the scale may be wrong",
            code="contacts-unknown",
            unknown=found.unknown,
        )
    return None
