"""The curve that video, sound and events follow if a warp has several."""

from __future__ import annotations

from retime.errors import InputError, did_you_mean
from retime.notes import Note, Remedy
from retime.timing import TimeWarp
from retime.timing.graph import Graph


def followed_curve(warp: TimeWarp, channel: str | None = None) -> tuple[Graph, tuple[Note, ...]]:
    """Return the curve to follow, over the domain of the warp, and a note about it.

    The default is the translation of the first root, if the warp has a curve for it, otherwise the
    body.
    """
    if channel is not None:
        if channel not in warp.channels:
            known = did_you_mean(channel, warp.channels)
            raise InputError(f"the warp has no channel {channel!r}{known}")
        return warp.channel(channel).pad(*warp.domain), ()
    root = next((name for name in warp.channels if name.endswith(":translation")), None)
    notes: tuple[Note, ...] = ()
    if warp.per_channel:
        what = f"the curve of {root!r}" if root else "the body's curve"
        notes = (
            Note(
                f"the warp has curves for single channels; {what} is followed",
                Remedy(parameter="channel"),
                code="channel-followed",
            ),
        )
    return warp.channel(root).pad(*warp.domain), notes
