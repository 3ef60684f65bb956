"""Beats that accents can be assigned to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.music.parameters import SyncParameters
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment

_SHARES = {"1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
# Least distance of beats, seconds.
_CLOSEST = 0.1


def beats_of(p: SyncParameters, length: float) -> FloatArray:
    """Return the beats in the time of the music: those given, or those of a tempo for a length."""
    if len(p.beats):
        beats = _given_beats(p)
    elif p.bpm is not None:
        step = 60 / p.bpm
        first = p.offset - np.ceil((p.offset - p.music_start) / step) * step
        beats = first + np.arange(int(np.ceil((length + 2 * step) / step)) + 4) * step
    else:
        raise InputError(
            Note(
                "there are no beats to sync to",
                Remedy("give a tempo, or beats of the music", parameter="bpm"),
                code="no-beats",
            )
        )
    return chosen_beats(beats, p.every, p.first_beat)


def _given_beats(p: SyncParameters) -> FloatArray:
    beats = np.asarray(p.beats, dtype=float)
    if p.bpm is not None:
        raise InputError("give beats or a tempo, not both")
    if len(beats) < 2:
        raise InputError("one beat has no tempo; give two or more")
    gaps = np.diff(beats)
    if gaps.min() <= 0:
        raise InputError(
            "beats must be in order; the one at {time} is not",
            time=Moment(float(beats[gaps.argmin() + 1])),
        )
    if gaps.min() < _CLOSEST:
        raise InputError(
            "the beats at {one} and {other} are closer than {least}",
            one=Moment(float(beats[gaps.argmin()])),
            other=Moment(float(beats[gaps.argmin() + 1])),
            least=Duration(_CLOSEST),
        )
    return beats


def chosen_beats(beats: npt.ArrayLike, every: str, first: int = 0) -> FloatArray:
    """Return every beat, every second or fourth from a first one, or also half beats."""
    beats = np.asarray(beats, dtype=float)
    share = _SHARES[every]
    if share == 0.5:
        return np.sort(np.r_[beats, (beats[1:] + beats[:-1]) / 2])
    step = int(share)
    return beats[first % step :: step]
