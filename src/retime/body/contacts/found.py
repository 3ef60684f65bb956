"""Results of a contact detector: contacts, flights, the floor and its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.size import size_note
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.notes import Note, Remedy
from retime.pictured import Pictured

__all__ = ["Floor", "FoundContacts", "floor_under", "found_notes"]

Mask = npt.NDArray[np.bool_]

# So large a share of frames that cannot be explained is told.
_MUCH_UNKNOWN = 0.1
# A contact within this distance of the plane that most stand on is on it, metres.
_NEAR = 0.03


@dataclass(frozen=True)
class Floor:
    """The plane that the feet stand on most of the time.

    Parameters
    ----------
    trust : float
        Fraction of the feet's contact time that is near the plane, less the fraction of frames that
        cannot be explained; 0 to 1.
    level : float
        Its height among the contacts, metres.
    spread : float
        Distance of the contacts from it (root mean square), metres.
    tilt : float
        Degrees.
    slide : float
        Median speed of feet in contact, m/s.
    """

    trust: float = 0.0
    level: float = 0.0
    spread: float = 0.0
    tilt: float = 0.0
    slide: float = 0.0


@dataclass(frozen=True, eq=False)
class FoundContacts(Pictured):
    """Contacts and flights of a motion.

    Parameters
    ----------
    contacts : tuple of Contact
        By point and time.
    flights : tuple of (float, float)
        First and last time of each flight, in which nothing touches and the body falls; seconds.
    airborne : tuple of (float, float)
        First and last time of each stretch in which no part is near to anything, falling or not:
        flights of a motion whose timing was changed no longer fall as they should.
    unknown : float
        Fraction of frames in which nothing touches and yet the body does not fall.
    floor : Floor
        The plane that the feet stand on.
    touching : mapping of str to array (F,) of bool
        Whether each point touches, by its name, at the motion's frames.
    force : array (F,)
        External force on the body at the frames of the motion, in body weights.
    rate : float
        A frame rate that explains the motion better than its own; 0 where none does.
    drift : (float, float, float)
        Velocity of the ground under a figure that walks on the spot, m/s.
    """

    contacts: tuple[Contact, ...] = ()
    flights: tuple[tuple[float, float], ...] = ()
    airborne: tuple[tuple[float, float], ...] = ()
    unknown: float = 0.0
    floor: Floor = Floor()
    touching: Mapping[str, Mask] = field(default_factory=dict)
    force: FloatArray = field(default_factory=lambda: np.zeros(0))
    rate: float = 0.0
    drift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def is_understood(self) -> bool:
        """Whether the body has any point that could touch."""
        return bool(self.touching)


def floor_under(spots: FloatArray, unknown: float) -> Floor:
    """Fit the plane that most contacts of feet are on.

    Parameters
    ----------
    spots : array (N, 5)
        Place (x, y, z) in metres, length in frames, and speed in m/s of each contact.
    unknown : float
        Fraction of frames that cannot be explained.
    """
    if not len(spots):
        return Floor()
    x, y, z, length, speed = spots.T
    along = np.stack([x - x.mean(), z - z.mean(), np.ones_like(x)], axis=1)
    # A level floor unless contacts over metres tell otherwise.
    ridge = np.diag([0.05, 0.05, 0.0]) * length.sum()
    off = np.zeros_like(y)
    for _ in range(10):  # weights fall with the distance from the plane
        weight = length / (1 + (off / 0.04) ** 2)
        system = along.T @ (weight[:, None] * along) + ridge
        try:
            plane = np.linalg.solve(system, along.T @ (weight * y))
        except np.linalg.LinAlgError:  # places of very different size
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
    """Say what a user should know of the contacts: what cannot be explained, and what may help."""
    notes = []
    size = size_note(motion)
    if size is not None:
        notes.append(size)
    if not found.is_understood:
        notes.append(
            Note(
                "contacts cannot be told: no feet, hands or other ends that come near the ground "
                "were found",
                Remedy("name the joints by a map", parameter="reading.roles"),
                code="contacts-not-understood",
            )
        )
    elif any(found.drift):
        speed = float(np.linalg.norm(found.drift))
        notes.append(
            Note(
                f"the figure moves on the spot: the ground is taken to pass by at {speed:.2g} m/s",
                code="moves-on-the-spot",
                speed=speed,
            )
        )
    elif found.rate:
        notes.append(
            Note(
                f"{found.unknown:.0%} of frames touch nothing and do not fall; at {found.rate:g} "
                "frames per second they would",
                Remedy("give the frame rate", parameter="reading.fps", value=found.rate),
                code="frame-rate-doubtful",
                unknown=found.unknown,
                rate=found.rate,
            )
        )
    elif found.unknown > _MUCH_UNKNOWN:
        notes.append(
            Note(
                f"{found.unknown:.0%} of frames touch nothing and do not fall: the floor may not "
                "be level, or the frame rate or the scale may be wrong",
                code="contacts-unknown",
                unknown=found.unknown,
            )
        )
    return notes
