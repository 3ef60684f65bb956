"""Find flights, their gravity, and the playback speed that corrects it.

A body in flight always falls with gravity. The acceleration of a recorded flight therefore gives
the playback speed at which the recording is correct, x* = p'^2 = g / g_eff. A jump that was slowed
by hand, keyed too floaty or labelled with a false frame rate is brought back to gravity; see
``gravity_from``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.contacts.stretches import runs
from retime.methods.physics.gravity import DOWN, EARTH
from retime.pictured import Pictured

GravityFrom = Literal["auto", "recording", "gravity", "flights"]
Mask = npt.NDArray[np.bool_]

# A flight is clear if its acceleration varies by less than this share of its median, over the
# inner part that the filter's blur does not reach, and if it lasts long enough; seconds.
_CLEAR, _LEAST, _INNER = 0.42, 0.12, 0.2
# External force below which a body falls, in body weights.
_FALLS = 0.4
# Largest log difference of an accepted unclear flight from the gravity of clear ones.
_LIKE_OTHERS = 0.7
# Relative error of the gravity that is accepted; larger where it is less certain: in flights
# shorter than this (seconds), in unclear ones, or if all flights together fit.
OFF, OFF_UNSURE, _SHORT = 0.15, 0.25, 0.3
# Flights that agree within this log ratio apply to the whole clip; others only within this many
# seconds.
_AGREE, _NEAR = 0.3, 0.1
# A single flight counts if it lasts this long, seconds. Its edges are looked at from this long
# outside to this long inside of it.
_ALONE, _EDGE = 0.15, (0.1, 0.06)
# Largest downward acceleration there if the whole clip is slow, and least upward one if it is fast,
# relative to that of the fall.
_PULLED, _PUSHED = 2.0, 1.0
# Least gravity of a flight, relative to earth; less is hanging.
_SOME = 0.05


@dataclass(frozen=True)
class Flight(Pictured):
    """A flight: a part without contacts.

    Parameters
    ----------
    first, past : int
        Its first frame, and the one after its last.
    start, end : float
        Source times, seconds.
    gravity : float
        Recorded downward acceleration, m/s^2.
    clear : bool
        Whether that acceleration is reliable.
    speed : float
        x* = p'^2 at which the recording is correct.
    """

    first: int
    past: int
    start: float
    end: float
    gravity: float
    clear: bool
    speed: float = 1.0

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start

    @property
    def corrected(self) -> bool:
        """Whether its recorded timing is corrected."""
        return abs(self.speed - 1) > 1e-9


@dataclass(frozen=True, eq=False)
class Flights:
    """All flights of a motion."""

    listed: tuple[Flight, ...]
    """In order."""
    mask: Mask
    """Frames in flight. Shape (F,)."""
    held: Mask
    """Frames without contacts in which something holds the figure. Shape (F,)."""
    speeds: FloatArray
    """x* of every frame. Shape (F,)."""

    def released(self) -> Flights:
        """Return the flights without effect on the timing, as if something held the body."""
        listed = tuple(replace(f, speed=1.0) for f in self.listed)
        return Flights(listed, self.mask, self.held | self.mask, np.ones(len(self.mask)))

    @property
    def unseen(self) -> Mask:
        """Frames (F,) without contacts, outside of flights, in which the figure does not fall."""
        return self.held & ~self.mask

    @property
    def corrected(self) -> bool:
        """Whether the recorded timing of any frame is corrected."""
        return bool((np.abs(self.speeds - 1) > 1e-9).any())


def find_flights(
    times: FloatArray,
    fall: FloatArray,
    touched: Mask,
    airborne: Mask,
    source: GravityFrom,
) -> Flights:
    """Find flights, fit their gravity, and determine the playback speed that makes it 1 g.

    Parameters
    ----------
    times : array (F,)
        Times of the frames, at equal intervals.
    fall : array (F, 3)
        Acceleration of the centre of mass, m/s^2, Y up.
    touched : array (F,) of bool
        Frames with contacts.
    airborne : array (F,) of bool
        Frames in which nothing is near the ground or an object. Contacts there were only inferred,
        because the body does not fall with 1 g.
    source : {"auto", "recording", "gravity", "flights"}
        Whether to trust the recorded timing, gravity, or gravity only for clear flights; with
        "flights", only near each.
    """
    step = float(times[1] - times[0])
    found = [
        part
        for first, past in runs(np.asarray(~touched | airborne))
        for part in _flights_within(times, fall, touched, first, past, step)
    ]
    clear = [f for f in found if f.clear]
    if len(clear) == 1 and clear[0].seconds < _ALONE and source == "auto":
        found = [replace(f, clear=False) for f in found]
        clear = []
    pooled = _pooled(clear)
    kept = [f for f in found if f.clear or _falls(fall, f) or _like_others(f, pooled)]
    mask = np.zeros(len(times), bool)
    for f in kept:
        mask[f.first : f.past] = True
    held = ~touched & ~mask
    if source == "recording" or pooled is None:
        return Flights(tuple(kept), mask, held, np.ones(len(times)))
    listed = tuple(_judged(f, pooled, source) for f in kept)
    whole = source == "gravity" or (source == "auto" and _whole_clip(times, fall, clear))
    return Flights(listed, mask, held, _speeds(times, listed, whole))


def _flights_within(
    times: FloatArray, fall: FloatArray, touched: Mask, first: int, past: int, step: float
) -> list[Flight]:
    """Return the possible flights of a part of the clip without certain contacts."""
    whole = _fitted(times, fall, first, past, step)
    if whole.clear:
        return [whole]
    out = []
    for a, b in runs(np.asarray(~touched[first:past])):
        part = _fitted(times, fall, first + a, first + b, step)
        sure = part.clear or _falls(fall, part)
        out += [part] if sure else _thrown(times, fall, part, step) or [part]
    return out


def _thrown(times: FloatArray, fall: FloatArray, part: Flight, step: float) -> list[Flight]:
    """Return the flights inside a part in which an object is thrown and caught."""
    falling = np.asarray(_force(fall[part.first : part.past]) < _FALLS)
    spans = [(part.first + a, part.first + b) for a, b in runs(falling) if (b - a) * step >= _LEAST]
    return [_fitted(times, fall, a, b, step) for a, b in spans]


def _force(fall: FloatArray) -> FloatArray:
    out: FloatArray = np.linalg.norm(fall - np.array(DOWN), axis=1) / EARTH
    return out


def _falls(fall: FloatArray, flight: Flight) -> bool:
    return float(np.median(_force(fall[flight.first : flight.past]))) < _FALLS


def _fitted(times: FloatArray, fall: FloatArray, first: int, past: int, step: float) -> Flight:
    """Fit the gravity of a part: the median acceleration, which is clear if it hardly varies."""
    cut = int((past - first) * _INNER)
    inner = fall[first + cut : past - cut]
    gravity = -float(np.median(fall[first:past, 1]))
    sideways = float((inner[:, [0, 2]] ** 2).sum(axis=1).mean())
    spread = np.sqrt(inner[:, 1].var() + sideways) / max(abs(gravity), 1e-2)
    seconds = (past - first) * step
    clear = gravity > _SOME * EARTH and spread < _CLEAR and seconds >= _LEAST
    start, end = float(times[first]), float(times[past - 1])
    return Flight(first, past, start, end, gravity, bool(clear))


def _pooled(clear: list[Flight]) -> float | None:
    """Return the mean gravity of clear flights, weighted by their length, or ``None``."""
    if not clear:
        return None
    seconds = [f.past - f.first for f in clear]
    return float(np.exp(np.average([np.log(f.gravity) for f in clear], weights=seconds)))


def _like_others(flight: Flight, pooled: float | None) -> bool:
    if pooled is None or flight.gravity <= _SOME * EARTH:
        return False
    return bool(abs(np.log(flight.gravity / pooled)) < _LIKE_OTHERS)


def _judged(flight: Flight, pooled: float, source: GravityFrom) -> Flight:
    """Return a flight with the speed that corrects its timing; 1 if the timing is plausible."""
    gravity = flight.gravity if flight.clear else pooled
    sure = flight.clear and flight.seconds >= _SHORT
    off = OFF if sure and abs(pooled / EARTH - 1) > OFF else OFF_UNSURE
    wrong = source == "gravity" or abs(gravity / EARTH - 1) > off
    return replace(flight, speed=EARTH / gravity if wrong else 1.0)


def _whole_clip(times: FloatArray, fall: FloatArray, clear: list[Flight]) -> bool:
    """Return whether flights that are off mean that the whole clip is, not only the flights.

    Several do if they agree. A single one does if its take-off and landing fit its fall, in units
    of its own acceleration, which no change of the speed of the whole clip alters: nothing pulls a
    body down, so it falls nowhere much faster than in flight, and a push has about its weight.
    Where only the flight was slowed, the body brakes at take-off as if it were pulled down; where
    it was sped up, its pushes are too weak for it.
    """
    if len(clear) != 1:
        return bool(clear) and float(np.ptp([np.log(f.gravity) for f in clear])) < _AGREE
    (flight,) = clear
    step = float(times[1] - times[0])
    near, within = (max(int(seconds / step), 2) for seconds in _EDGE)
    parts = (
        fall[max(flight.first - near, 0) : flight.first + within, 1],
        fall[max(flight.past - within, 0) : flight.past + near, 1],
    )
    if flight.gravity < EARTH:
        return float(np.mean([-part.min() for part in parts])) < _PULLED * flight.gravity
    pushes = [max(float(part.max()) / flight.gravity, _SOME) for part in parts]
    return float(np.prod(pushes)) > _PUSHED**2


def _speeds(times: FloatArray, flights: tuple[Flight, ...], whole: bool) -> FloatArray:
    """Extend x* of the flights to the whole clip, or near each flight."""
    log = np.full(len(times), np.nan)
    for f in flights:
        log[f.first : f.past] = np.log(f.speed)
    known = np.flatnonzero(np.isfinite(log))
    frames = np.arange(len(times))
    log = np.interp(frames, known, log[known])
    if not whole:
        near = np.searchsorted(known, frames).clip(1, max(len(known) - 1, 1))
        before, after = known[near - 1], known[near.clip(max=len(known) - 1)]
        apart = np.minimum(np.abs(frames - before), np.abs(frames - after))
        log *= np.exp(-apart * float(times[1] - times[0]) / _NEAR)
    out: FloatArray = np.exp(log)
    return out
