"""Quality measures of motions and retimings; docs/quality.md has the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Body, find_body
from retime.body.contacts import detect_contacts, find_contacts
from retime.body.displacement import frames_of
from retime.body.warp_quality import Deviation, WarpQuality, deviation, warp_quality
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


def _ground_points(motion: Motion, body: Body) -> list[int]:
    roles = ("left_foot", "left_toe", "right_foot", "right_toe")
    return [body.roles[r] for r in roles if r in body.roles]


def skate_by_frame(
    motion: Motion,
    *,
    points: FloatArray | None = None,
    contacts: Sequence[Contact] | None = None,
) -> FloatArray:
    """Measure foot skate per frame, (F,) metres: how far feet slide along the ground.

    It is the way of each foot's ball between two frames in which it touches. Feet in the air do not
    count, however low, and neither do feet that roll over their heels.

    Parameters
    ----------
    motion : Motion
        Any motion.
    points : array (F, J, 3), optional
        Its joints' positions, where they are available; metres.
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
        down, ground = np.zeros(len(motion), dtype=bool), np.zeros((len(motion), 2))
        for contact in feet:
            if contact.joint == joint:
                frames = frames_of(contact, motion)
                down |= frames
                ground[frames] = contact.velocity[0], contact.velocity[2]
        track = places[:, motion.skeleton.index(joint)][:, [0, 2]]
        passed = ground[1:] * np.diff(motion.times)[:, None]
        way = np.linalg.norm(np.diff(track, axis=0) - passed, axis=1)
        out[1:] += np.where(down[1:] & down[:-1], way, 0.0)
    return out


def foot_skate(motion: Motion) -> float:
    """Measure foot skate in metres per second of motion; 0 is best."""
    return float(skate_by_frame(motion).sum() / motion.duration) if motion.duration > 0 else 0.0


def plant_drift(motion: Motion, contacts: Sequence[Contact]) -> FloatArray:
    """Measure how far each contact's joint strays from its mean place, (C,) metres at most."""
    points = positions(motion)
    hair = 1e-6 / motion.rate
    out = np.zeros(len(contacts))
    for k, contact in enumerate(contacts):
        inside = (motion.times >= contact.start - hair) & (motion.times <= contact.end + hair)
        place = points[inside, motion.skeleton.index(contact.joint)]
        place = place - np.outer(motion.times[inside], contact.velocity)
        if len(place):
            out[k] = np.linalg.norm(place - place.mean(axis=0), axis=1).max()
    return out


def flights(motion: Motion) -> list[tuple[float, float]]:
    """Find when the whole body is in the air: first and last time of each flight, seconds.

    It is where nothing touches and the body falls, or where no part of it is near to anything.
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
    """How far the centre of mass is from falling freely, in flights.

    Parameters
    ----------
    mean, worst : float
        Of ``|c'' - g| / g`` over the frames in flight.
    seconds : float
        Time in flight; with none, mean and worst are 0.
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
    """Accelerations (F, 3) of least-squares parabolas through each time's neighbours."""
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
    left out. Without names: head, hands and feet, or all joints. NaN where there is too little to
    measure.
    """
    if len(motion) < 5 or motion.duration <= 0:
        return float("nan")
    body = find_body(motion)
    roles = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
    known = [n for n in (body.name(r) for r in roles) if n is not None]
    names = body.find_joints(joints) if joints else (known or motion.skeleton.names)
    points = positions(motion)
    step = motion.duration / (len(motion) - 1)
    even = np.linspace(*motion.domain, len(motion))
    values = []
    for name in names:
        place = points[:, motion.skeleton.index(name)]
        if motion.sample_times is not None:
            place = np.stack([np.interp(even, motion.times, v) for v in place.T], axis=1)
        velocity = np.diff(place, axis=0) / step
        peak = np.linalg.norm(velocity, axis=1).max()
        if peak < 1e-6:
            continue
        third = np.diff(velocity, n=2, axis=0) / step**2
        integral = (third**2).sum() * step
        values.append(-np.log(max(motion.duration**3 / peak**2 * integral, 1e-300)))
    return float(np.mean(values)) if values else float("nan")


@dataclass(frozen=True)
class ContactTiming:
    """How well a retimed motion keeps the contacts that its warp promises.

    Parameters
    ----------
    kept : float
        Fraction of the promised contacts that are found again, 0 to 1.
    mean, worst : float
        Distance in seconds of their starts and ends from the promised ones. All are NaN where
        nothing was promised.
    """

    kept: float
    mean: float
    worst: float


def _promised(source: Motion, warp: TimeWarp, min_contact: float) -> tuple[Contact, ...]:
    """Carry the source's contacts by the warp, on every turn of a cycle."""
    period = source.duration if warp.loop else None
    return carry_contacts(detect_contacts(source, min_contact=min_contact), warp, period=period)


def contact_timing(
    source: Motion, retimed: Motion, warp: TimeWarp, *, min_contact: float = 0.1
) -> ContactTiming:
    """Compare contacts found in a retimed motion with the source's, carried by the warp."""
    promised = _promised(source, warp, min_contact)
    rates = [float(np.mean(np.abs(warp.rate([c.start, c.end], c.joint)))) for c in promised]
    shortest = min_contact / max([*rates, 1.0])
    found = detect_contacts(retimed, min_contact=max(shortest, 2 / retimed.rate))
    gaps = []
    kept = 0
    for contact in promised:
        same = [
            f
            for f in found
            if f.joint == contact.joint and f.start < contact.end and f.end > contact.start
        ]
        if same:
            kept += 1
            gaps.append(abs(min(f.start for f in same) - contact.start))
            gaps.append(abs(max(f.end for f in same) - contact.end))
    if not promised:
        return ContactTiming(float("nan"), float("nan"), float("nan"))
    mean, worst = (np.mean(gaps), np.max(gaps)) if gaps else (np.nan, np.nan)
    return ContactTiming(kept / len(promised), float(mean), float(worst))


@dataclass(frozen=True)
class Measure:
    """Unit and meaning of a number of :func:`measure`."""

    unit: str
    meaning: str

    @staticmethod
    def text(value: float) -> str:
        """Write a value for a person; what is as good as nothing is 0."""
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
    """Measure all that can be measured with what is given.

    Parameters
    ----------
    motion : Motion
        The motion to measure.
    source : Motion, optional
        Source of the motion; with ``warp``, its contacts are used.
    warp : TimeWarp, optional
        From its time to the source's.
    truth : TimeWarp, optional
        Known correct warp.
    contacts : sequence of Contact, optional
        Known contacts. Default: those of the source, or detected.
    min_contact : float
        Shortest contact, seconds.

    Returns
    -------
    dict of str to float; ``MEASURES`` says what each is.
    """
    out: dict[str, float] = {}
    body = find_body(motion)
    if contacts is None:
        if source is not None and warp is not None:
            contacts = _promised(source, warp, min_contact)
        else:
            contacts = detect_contacts(motion, min_contact=min_contact)
    if _ground_points(motion, body):
        out["foot_skate"] = foot_skate(motion)
        out["contacts"] = float(len(contacts))
        if contacts:
            out["plant_drift"] = float(plant_drift(motion, contacts).max())
    flight = flight_error(motion)
    out["flight_seconds"] = flight.seconds
    if flight.seconds:
        out["flight_error"] = flight.mean
    out["jerk"] = jerk(motion)
    if source is not None and warp is not None and _ground_points(motion, body):
        timing = contact_timing(source, motion, warp, min_contact=min_contact)
        out |= {"contacts_kept": timing.kept, "contact_shift": timing.mean}
    if warp is not None:
        quality = warp_quality(warp)
        out["rate_change"] = quality.largest_rate_change
        out["bending"] = quality.bending
        out["slope_change"] = quality.slope_change
        if truth is not None:
            off = deviation(warp, truth)
            out |= {"deviation_mean": off.mean, "deviation_worst": off.worst}
            out["unnoticed"] = off.unnoticed
    return {name: out[name] for name in MEASURES if np.isfinite(out.get(name, np.nan))}
