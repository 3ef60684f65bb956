"""Adaptive smoothing (Guided Time Warping, 3.4): faster parts are averaged more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from retime.arrays import FloatArray
from retime.keywords import takes
from retime.motion import Motion, quat
from retime.motion.edits import Edit
from retime.motion.fixes import Fix, FixContext
from retime.motion.sampling import channel_of
from retime.parameters import About


@dataclass(frozen=True, kw_only=True)
class SmoothParameters:
    """Parameters of adaptive smoothing."""

    strength: Annotated[
        float,
        About(
            "Frames averaged per multiple of the source's speed.",
            minimum=0.0,
            maximum=10.0,
            step=0.1,
        ),
    ] = 1.0


@takes(SmoothParameters)
def smooth(motion: Motion, p: SmoothParameters) -> Edit:
    """Average each frame over a window as wide as its compression, once all steps are done.

    A frame that plays at three times its speed is averaged over two frames; one that keeps its
    speed is left unchanged.

    Parameters
    ----------
    motion : Motion
        The step's input.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        times, warp = retimed.times, context.warp
        names = retimed.skeleton.names

        def window(channel: str) -> FloatArray:
            rate = np.abs(warp.rate(times, channel))
            return p.strength * np.maximum(rate - 1.0, 0.0)

        rotations = retimed.rotations.copy()
        for j, name in enumerate(names):
            rotations[:, j] = quat.normalize(_averaged(rotations[:, j], window(name)))
        translations = {
            n: _averaged(t, window(channel_of(retimed, n, translation=True)))
            for n, t in retimed.translations.items()
        }
        scales = {n: _averaged(t, window(n)) for n, t in retimed.scales.items()}
        return replace(retimed, rotations=rotations, translations=translations, scales=scales)

    return Edit(fixes=(Fix("smoothing", run),))


def _averaged(values: FloatArray, window: FloatArray) -> FloatArray:
    """Average (F, D) over a window of frames that differs from frame to frame.

    Values are taken as linear between frames, so that a window of any width has an exact mean; it
    narrows at the ends, which stay.
    """
    frames = np.arange(len(values), dtype=float)
    half = np.minimum(window / 2, np.minimum(frames, frames[-1] - frames))
    whole = np.r_[np.zeros((1, values.shape[1])), np.cumsum((values[1:] + values[:-1]) / 2, axis=0)]

    def integral(x: FloatArray) -> FloatArray:
        k = np.clip(x.astype(int), 0, max(len(values) - 2, 0))
        u = (x - k)[:, None]
        after = values[np.minimum(k + 1, len(values) - 1)]
        area: FloatArray = whole[k] + u * values[k] + u**2 / 2 * (after - values[k])
        return area

    wide = half > 1e-9
    mean = (integral(frames + half) - integral(frames - half)) / np.where(wide, 2 * half, 1.0)[
        :, None
    ]
    return np.where(wide[:, None], mean, values)
