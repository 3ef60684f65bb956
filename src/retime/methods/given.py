"""Edits that are given as data: a warp from a file or another program, changes of pose by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retime.errors import InputError
from retime.motion import Motion
from retime.motion.edits import check_channels
from retime.motion.layers import PoseLayer
from retime.parameters import Range, TimingParameters, parameter
from retime.timing import TimeWarp

__all__ = ["PoseParameters", "WarpParameters", "given_layer", "given_warp"]


@dataclass(frozen=True, kw_only=True)
class WarpParameters(TimingParameters):
    """Parameters of a given warp."""

    warp: TimeWarp = parameter(help="The warp, inline in a recipe.")


@dataclass(frozen=True, kw_only=True)
class PoseParameters:
    """Parameters of given changes of pose."""

    layer: PoseLayer = parameter(help="The pose layer, inline in a recipe.")


def given_warp(
    motion: Motion,
    *,
    warp: TimeWarp,
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> TimeWarp:
    """Use a warp as it is; it must start where the motion starts, or where the range does.

    Parameters
    ----------
    motion : Motion
        The clip.
    warp : TimeWarp
        The warp, in absolute seconds.
    range : (float, float), optional
        Source times between which it acts.
    rest : {"fixed", "ripple"}
        What follows the range stays where it is, or moves with the range's end.
    loop : bool
        The clip is a cycle.
    """
    check_channels(motion, warp)
    start, end = motion.domain
    low, high = warp.source_range
    if not warp.loop and not loop and (high < start or low > end):
        raise InputError(
            f"the warp shows source times {low:g} to {high:g} s, the motion has {start:g} to "
            f"{end:g} s"
        )
    frame = 1 / motion.rate
    if range is None and not (warp.loop or loop) and (low > start + frame or high < end - frame):
        warp = warp.with_notes(
            f"the warp shows {max(low, start):.4g} to {min(high, end):.4g} s of a motion that runs "
            f"from {start:.4g} to {end:.4g} s; the rest is left out"
        )
    if range is not None:
        warp = warp.within(motion.domain, range, rest)
    elif abs(warp.domain[0] - start) > 1e-6:
        raise InputError(
            f"the warp starts at {warp.domain[0]:g} s, the motion at {start:g} s; "
            "a warp's output starts where its input does"
        )
    return warp.looped() if loop else warp


def given_layer(motion: Motion, *, layer: PoseLayer) -> PoseLayer:
    """Use changes of pose as they are; every joint that they name must be there.

    Parameters
    ----------
    motion : Motion
        The clip.
    layer : PoseLayer
        The changes, keyed in the step's input time.
    """
    for name in layer.joints:
        motion.skeleton.index(name)
    start, end = motion.domain
    if layer.times[0] > end or layer.times[-1] < start:
        raise InputError(
            f"the changes of pose lie at {layer.times[0]:g} to {layer.times[-1]:g} s, the step's "
            f"input at {start:g} to {end:g} s"
        )
    return layer
