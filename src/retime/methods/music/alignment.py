"""The Beat Alignment Score (Li et al. 2021, AIST++): how close motion beats are to music beats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.music.accents import speed_minima
from retime.methods.music.tracks import tracks_of
from retime.motion import Motion

# Three frames at 60 Hz, by the definition of the score; seconds.
SIGMA = 3 / 60


def beat_alignment(motion: Motion, beats: npt.ArrayLike) -> float:
    """Return the Beat Alignment Score of a motion: 1 is every kinematic beat on a music beat.

    Parameters
    ----------
    motion : Motion
        The clip.
    beats : array (B,)
        Increasing times of the beats, in the time of the motion, seconds.

    Examples
    --------
    >>> import numpy as np
    >>> from retime import samples
    >>> bool(0 < beat_alignment(samples.walk(), np.arange(0, 3, 0.5)) < 1)
    True
    """
    return score(speed_minima(tracks_of(motion))[0], np.asarray(beats, dtype=float))


def score(moments: FloatArray, beats: FloatArray) -> float:
    """Return the mean closeness of moments to their nearest beats; 0 if there are none."""
    if not len(moments) or not len(beats):
        return 0.0
    return float(closeness(moments, beats).mean())


def chance(moments: FloatArray, beats: FloatArray) -> float:
    """Return the mean score over all shifts of the beats by up to one beat."""
    if not len(moments) or len(beats) < 2:
        return 0.0
    step = float(np.median(np.diff(beats)))
    shifts = (np.arange(24) + 0.5) / 24 * step
    return float(np.mean([score(moments, beats + shift - step / 2) for shift in shifts]))


def closeness(moments: FloatArray, beats: FloatArray) -> FloatArray:
    """Return exp(-d^2 / 2 sigma^2) of each moment's distance d from its nearest beat."""
    if len(beats) == 1:
        gap = np.abs(moments - beats[0])
    else:
        after = np.clip(np.searchsorted(beats, moments), 1, len(beats) - 1)
        gap = np.minimum(np.abs(moments - beats[after - 1]), np.abs(moments - beats[after]))
    out: FloatArray = np.exp(-(gap**2) / (2 * SIGMA**2))
    return out
