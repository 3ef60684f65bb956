"""Quality measures of motions and retimings; docs/quality.md has the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts, find_contacts
from retime.body.measure.warp_quality import Deviation, WarpQuality, deviation, warp_quality
from retime.body.model.body import find_body
from retime.body.solve.displacement import frames_of
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.kinematics import positions
from retime.timing import TimeWarp

__all__ = [
    "MEASURES",
    "ContactTiming",
    "Deviation",
    "FlightError",
    "Measure",
    "WarpQuality",
    "contact_timing",
    "deviation",
    "flight_error",
    "flights",
    "foot_skate",
    "jerk",
    "measure",
    "plant_drift",
    "skate_by_frame",
    "warp_quality",
]

GRAVITY = 9.81
# Accelerations in flight come from parabolas through this many seconds.
_FLIGHT_WINDOW = 0.2


def skate_by_frame(
    motion: Motion,
    *,
    points: FloatArray | None = None,
    contacts: Sequence[Contact] | None = None,
) -> FloatArray:
    """Measure foot skate per frame, (F,) metres: the distance that feet slide along the ground.

    It is the horizontal distance that the ball of each foot moves between two frames in which it
    touches the ground. Feet in the air and feet that roll over their heels do not count.

    Parameters
    ----------
    motion : Motion
        Motion to measure.
    points : array (F, J, 3), optional
        Positions of its joints, metres. Default: computed.
    contacts : sequence of Contact, optional
        Known contacts. Default: detected.
    """
    out = np.zeros(len(motion))
    if len(motion) < 2:
        return out
    if contacts is None:
        contacts = find_contacts(motion).contacts
    feet = [c for c in contacts if c.point.endswith(("_ball", "_end"))]
    places = positions(motion) if points is None else points
    for joint in {c.joint for c in feet}:
        track = places[:, motion.skeleton.index(joint)][:, [0, 2]]
        out[1:] += _slides(motion, track, [c for c in feet if c.joint == joint])
    return out


def _slides(motion: Motion, track: FloatArray, contacts: Sequence[Contact]) -> FloatArray:
    """Return the distance (F - 1,) that a point slides over a ground that may move."""
    down, ground = np.zeros(len(motion), dtype=bool), np.zeros((len(motion), 2))
    for contact in contacts:
        frames = frames_of(contact, motion)
        down |= frames
        ground[frames] = contact.velocity[0], contact.velocity[2]
    moved = ground[1:] * np.diff(motion.times)[:, None]
    distance = np.linalg.norm(np.diff(track, axis=0) - moved, axis=1)
    return np.where(down[1:] & down[:-1], distance, 0.0)


def foot_skate(motion: Motion) -> float:
    """Measure foot skate in metres per second of motion; 0 is best."""
    return float(skate_by_frame(motion).sum() / motion.duration) if motion.duration > 0 else 0.0


def plant_drift(motion: Motion, contacts: Sequence[Contact]) -> FloatArray:
    """Measure the largest distance of each contact's joint from its mean position, (C,) metres.

    That of feet is measured along the ground: a foot that rolls from its heel does not drift.
    """
    points, feet = positions(motion), find_body(motion).ground_joints()
    hair = 1e-6 / motion.rate
    out = np.zeros(len(contacts))
    for k, contact in enumerate(contacts):
        inside = (motion.times >= contact.start - hair) & (motion.times <= contact.end + hair)
        place = points[inside, motion.skeleton.index(contact.joint)]
        place = place - np.outer(motion.times[inside], contact.velocity)
        if contact.joint in feet:
            place = place[:, [0, 2]]
        if len(place):
            out[k] = np.linalg.norm(place - place.mean(axis=0), axis=1).max()
    return out


def flights(motion: Motion) -> list[tuple[float, float]]:
    """Return the first and last time of each flight of the whole body, seconds.

    A body is in flight if nothing touches and it falls, or if no part of it is near the ground or
    an object.
    """
    found = find_contacts(motion)
    spans = sorted([*found.flights, *found.airborne])
    out: list[tuple[float, float]] = []
    for start, end in spans:
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


@dataclass(frozen=True)
class FlightError:
    """Deviation of the centre of mass from free fall during flights.

    Parameters
    ----------
    mean, worst : float
        Mean and maximum of ``|c'' - g| / g`` over the frames in flight; 0 without flights.
    seconds : float
        Time in flight.
    """

    mean: float
    worst: float
    seconds: float


def flight_error(motion: Motion, *, gravity: float = GRAVITY) -> FlightError:
    """Measure ``|c'' - g|`` of the centre of mass in flight, as a fraction of g.

    The acceleration at a frame is that of the parabola through the frames within 0.1 s that are in
    the same flight.
    """
    centre = find_body(motion).centre_of_mass(motion)
    errors: list[FloatArray] = []
    total = 0.0
    for start, end in flights(motion):
        inside = np.flatnonzero((motion.times >= start) & (motion.times <= end))
        total += end - start
        if len(inside) >= 4:
            bent = _parabolas(motion.times[inside], centre[inside])
            bent[:, 1] += gravity
            errors.append(np.linalg.norm(bent, axis=1) / gravity)
    if not errors:
        return FlightError(0.0, 0.0, total)
    every = np.concatenate(errors)
    return FlightError(float(every.mean()), float(every.max()), total)


def _parabolas(times: FloatArray, points: FloatArray) -> FloatArray:
    """Return accelerations (F, 3) of least-squares parabolas around each time."""
    out = np.empty_like(points)
    for k, t in enumerate(times):
        centre = np.clip(t, times[0] + _FLIGHT_WINDOW / 2, max(times[-1] - _FLIGHT_WINDOW / 2, t))
        near = np.flatnonzero(np.abs(times - centre) <= _FLIGHT_WINDOW / 2 + 1e-9)
        if len(near) < 4:
            near = np.argsort(np.abs(times - t))[:4]
        u = times[near] - t
        out[k] = (
            2 * np.linalg.lstsq(np.c_[np.ones_like(u), u, u**2], points[near], rcond=None)[0][2]
        )
    return out


def jerk(motion: Motion, joints: Sequence[str] = ()) -> float:
    """Measure smoothness as the log dimensionless jerk (LDLJ); nearer to 0 is smoother.

    The mean over joints of -ln(T^3 / v_peak^2 * integral |v''|^2 dt); joints that never move are
    ignored. Default joints: head, hands and feet, or all joints if none of these is known. NaN for
    fewer than five frames, or if nothing moves.
    """
    if len(motion) < 5 or motion.duration <= 0:
        return float("nan")
    body = find_body(motion)
    roles = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
    known = [n for n in map(body.name, roles) if n is not None]
    names = body.find_joints(joints) if joints else (known or motion.skeleton.names)
    points = positions(motion)
    tracks = [_even(motion, points[:, motion.skeleton.index(name)]) for name in names]
    values = [v for v in (_smoothness(track, motion.duration) for track in tracks) if v is not None]
    return float(np.mean(values)) if values else float("nan")


def _even(motion: Motion, track: FloatArray) -> FloatArray:
    """Return a track (F, 3) of a motion at equal intervals."""
    if motion.sample_times is None:
        return track
    even = np.linspace(*motion.domain, len(motion))
    return np.stack([np.interp(even, motion.times, v) for v in track.T], axis=1)


def _smoothness(track: FloatArray, duration: float) -> float | None:
    """Return the log dimensionless jerk of a track (F, 3), or ``None`` if it does not move."""
    step = duration / (len(track) - 1)
    velocity = np.diff(track, axis=0) / step
    peak = np.linalg.norm(velocity, axis=1).max()
    if peak < 1e-6:
        return None
    third = np.diff(velocity, n=2, axis=0) / step**2
    integral = (third**2).sum() * step
    return float(-np.log(max(duration**3 / peak**2 * integral, 1e-300)))


@dataclass(frozen=True)
class ContactTiming:
    """Contacts of a retimed motion, compared with those of the source carried by the warp.

    Parameters
    ----------
    kept : float
        Fraction of the expected contacts that are found again, 0 to 1; NaN if none was expected.
    mean, worst : float
        Mean and maximum distance of their starts and ends from the expected times, seconds; NaN if
        none was found.
    """

    kept: float
    mean: float
    worst: float


def _expected(source: Motion, warp: TimeWarp, min_contact: float) -> tuple[Contact, ...]:
    """Carry the source's contacts by the warp, in every repetition of a cycle."""
    period = source.duration if warp.loop else None
    return carry_contacts(detect_contacts(source, min_contact=min_contact), warp, period=period)


def contact_timing(
    source: Motion, retimed: Motion, warp: TimeWarp, *, min_contact: float = 0.1
) -> ContactTiming:
    """Compare contacts found in a retimed motion with the source's, carried by the warp."""
    expected = _expected(source, warp, min_contact)
    if not expected:
        return ContactTiming(float("nan"), float("nan"), float("nan"))
    rates = [float(np.mean(np.abs(warp.rate([c.start, c.end], c.joint)))) for c in expected]
    shortest = min_contact / max([*rates, 1.0])
    found = detect_contacts(retimed, min_contact=max(shortest, 2 / retimed.rate))
    matched = [_gaps(contact, found) for contact in expected]
    gaps = [gap for pair in matched for gap in pair]
    mean, worst = (np.mean(gaps), np.max(gaps)) if gaps else (np.nan, np.nan)
    kept = sum(map(bool, matched)) / len(expected)
    return ContactTiming(kept, float(mean), float(worst))


def _gaps(contact: Contact, found: Sequence[Contact]) -> list[float]:
    """Return the distances of a contact's start and end from those found; none if it was lost."""
    same = [
        f
        for f in found
        if f.joint == contact.joint and f.start < contact.end and f.end > contact.start
    ]
    if not same:
        return []
    start, end = min(f.start for f in same), max(f.end for f in same)
    return [abs(start - contact.start), abs(end - contact.end)]


@dataclass(frozen=True)
class Measure:
    """Unit and meaning of a number of :func:`measure`."""

    unit: str
    meaning: str

    @staticmethod
    def text(value: float) -> str:
        """Format a value with four digits; negligible values are 0."""
        return f"{value:.4g}" if abs(value) >= 1e-6 else "0"


MEASURES: dict[str, Measure] = {
    "foot_skate": Measure("m/s", "horizontal sliding speed of grounded feet"),
    "plant_drift": Measure("m", "largest drift of a planted foot"),
    "flight_error": Measure("g", "mean distance from free fall in flight"),
    "flight_seconds": Measure("s", "time in the air"),
    "jerk": Measure("", "log dimensionless jerk; nearer to 0 is smoother"),
    "contacts": Measure("", "number of contacts"),
    "contacts_kept": Measure("share", "contacts found again where the warp puts them"),
    "contact_shift": Measure("s", "mean distance of their starts and ends from there"),
    "rate_change": Measure("|ln|", "largest change of speed; 0.69 is half or double"),
    "bending": Measure("1/s", "integral of the squared acceleration of time"),
    "slope_change": Measure("", "largest change of speed within 1/30 s"),
    "deviation_mean": Measure("s", "mean distance from the true warp"),
    "deviation_worst": Measure("s", "largest distance from the true warp"),
    "unnoticed": Measure("share", "time in which that distance is below 150 ms"),
}


def measure(
    motion: Motion,
    *,
    source: Motion | None = None,
    warp: TimeWarp | None = None,
    truth: TimeWarp | None = None,
    contacts: Sequence[Contact] | None = None,
    min_contact: float = 0.1,
) -> dict[str, float]:
    """Measure the quality of a motion, and of its retiming if the source and warp are given.

    Parameters
    ----------
    motion : Motion
        The motion to measure.
    source : Motion, optional
        Source of the motion; with ``warp``, its contacts are used.
    warp : TimeWarp, optional
        Warp from the time of the motion to that of the source.
    truth : TimeWarp, optional
        Known correct warp.
    contacts : sequence of Contact, optional
        Known contacts. Default: those of the source, or detected.
    min_contact : float
        Shortest contact, seconds.

    Returns
    -------
    dict of str to float
        Value of each measure in ``MEASURES`` that applies.
    """
    flight = flight_error(motion)
    out = {
        "jerk": jerk(motion),
        "flight_seconds": flight.seconds,
        "flight_error": flight.mean if flight.seconds else np.nan,
    }
    if _has_feet(motion):
        if contacts is None:
            contacts = _contacts(motion, source, warp, min_contact)
        out |= _foot_measures(motion, contacts)
        if source is not None and warp is not None:
            timing = contact_timing(source, motion, warp, min_contact=min_contact)
            out |= {"contacts_kept": timing.kept, "contact_shift": timing.mean}
    if warp is not None:
        out |= _warp_measures(warp, truth)
    return {name: out[name] for name in MEASURES if np.isfinite(out.get(name, np.nan))}


def _contacts(
    motion: Motion, source: Motion | None, warp: TimeWarp | None, min_contact: float
) -> tuple[Contact, ...]:
    """Return the source's contacts carried by the warp, or those detected in the motion."""
    if source is None or warp is None:
        return tuple(detect_contacts(motion, min_contact=min_contact))
    return _expected(source, warp, min_contact)


def _has_feet(motion: Motion) -> bool:
    roles = ("left_foot", "left_toe", "right_foot", "right_toe")
    return not find_body(motion).roles.keys().isdisjoint(roles)


def _foot_measures(motion: Motion, contacts: Sequence[Contact]) -> dict[str, float]:
    drift = plant_drift(motion, contacts)
    return {
        "foot_skate": foot_skate(motion),
        "contacts": float(len(contacts)),
        "plant_drift": float(drift.max()) if len(drift) else np.nan,
    }


def _warp_measures(warp: TimeWarp, truth: TimeWarp | None) -> dict[str, float]:
    quality = warp_quality(warp)
    out = {
        "rate_change": quality.largest_rate_change,
        "bending": quality.bending,
        "slope_change": quality.slope_change,
    }
    if truth is not None:
        off = deviation(warp, truth)
        out |= {
            "deviation_mean": off.mean,
            "deviation_worst": off.worst,
            "unnoticed": off.unnoticed,
        }
    return out
