"""Edits given as data: a warp from a file or another program, or a pose layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from retime.errors import InputError
from retime.keywords import takes
from retime.motion import Motion
from retime.motion.edits import check_channels, check_span
from retime.motion.layers import PoseLayer
from retime.notes import Note
from retime.parameters import About, TimingParameters
from retime.sentences import Moment, Span
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
            "the warp starts at {warp}, the motion at {motion}; the output of a warp starts at the "
            "same time as its input",
            warp=Moment(warp.domain[0]),
            motion=Moment(start),
        )
    return warp.looped() if p.loop else warp


def _shown(motion: Motion, warp: TimeWarp, *, part: bool) -> list[Note]:
    """Raise if a warp shows nothing of a motion; return notes on parts that it leaves out."""
    (start, end), (low, high) = motion.domain, warp.source_range
    if high < start or low > end:
        raise InputError(
            "the warp shows source times {shown}, the motion has {clip}",
            shown=Span(low, high),
            clip=Span(start, end),
        )
    if not part and (beyond := check_span(motion, warp)):
        return list(beyond)
    frame = 1 / motion.rate
    if part or (low <= start + frame and high >= end - frame):
        return []
    return [
        Note(
            "the warp shows {shown:.4g} of the motion, {motion:.4g}; the remainder is left out",
            code="shown-in-part",
            shown=Span(max(low, start), min(high, end)),
            motion=Span(start, end),
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
            "the pose changes are at {layer}, outside the motion, {motion}",
            layer=Span(float(layer.times[0]), float(layer.times[-1])),
            motion=Span(start, end),
        )
    return layer
