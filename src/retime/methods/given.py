"""Edits given as data: a warp from a file or another program, or a pose layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from retime.errors import InputError
from retime.keywords import takes
from retime.motion import Motion
from retime.motion.edits import check_channels
from retime.motion.layers import PoseLayer
from retime.notes import Note
from retime.parameters import About, TimingParameters
from retime.timing import TimeWarp


@dataclass(frozen=True, kw_only=True)
class WarpParameters(TimingParameters):
    """Parameters of a given warp."""

    warp: Annotated[TimeWarp, About("The warp, in absolute seconds.", widget="data")]


@dataclass(frozen=True, kw_only=True)
class PoseParameters:
    """Parameters of given changes of pose."""

    layer: Annotated[
        PoseLayer, About("The changes, keyed in the step's input time.", widget="data")
    ]


@takes(WarpParameters)
def given_warp(motion: Motion, p: WarpParameters) -> TimeWarp:
    """Apply a given warp, which must start where the motion or the range starts.

    Parameters
    ----------
    motion : Motion
        The clip.
    """
    warp, start = p.warp, motion.domain[0]
    check_channels(motion, warp)
    if not (warp.loop or p.loop):
        warp = warp.with_notes(*_shown(motion, warp, part=p.range is not None))
    if p.range is not None:
        warp = warp.within(motion.domain, p.range, ripple=p.ripple)
    elif abs(warp.domain[0] - start) > 1e-6:
        raise InputError(
            f"the warp starts at {warp.domain[0]:g} s, the motion at {start:g} s; "
            "a warp's output starts where its input does"
        )
    return warp.looped() if p.loop else warp


def _shown(motion: Motion, warp: TimeWarp, *, part: bool) -> list[Note]:
    """Raise if a warp shows nothing of a motion; return notes on parts that it leaves out."""
    (start, end), (low, high) = motion.domain, warp.source_range
    if high < start or low > end:
        raise InputError(
            f"the warp shows source times {low:g} to {high:g} s, the motion has {start:g} to "
            f"{end:g} s"
        )
    frame = 1 / motion.rate
    if part or (low <= start + frame and high >= end - frame):
        return []
    return [
        Note(
            f"the warp shows {max(low, start):.4g} to {min(high, end):.4g} s of a motion that runs "
            f"from {start:.4g} to {end:.4g} s; the remainder is left out",
            code="shown-in-part",
            shown=[max(low, start), min(high, end)],
            motion=[start, end],
        )
    ]


@takes(PoseParameters)
def given_layer(motion: Motion, p: PoseParameters) -> PoseLayer:
    """Apply a given pose layer; raise if it names a missing joint.

    Parameters
    ----------
    motion : Motion
        The clip.
    """
    layer = p.layer
    for name in layer.joints:
        motion.skeleton.index(name)
    start, end = motion.domain
    if layer.times[0] > end or layer.times[-1] < start:
        raise InputError(
            f"the changes of pose lie at {layer.times[0]:g} to {layer.times[-1]:g} s, the step's "
            f"input at {start:g} to {end:g} s"
        )
    return layer
