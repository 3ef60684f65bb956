"""Notes about the result of syncing."""

from __future__ import annotations

import numpy as np

from retime.methods.music.parameters import SyncParameters
from retime.methods.music.synced import Synced
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment


def sync_notes(p: SyncParameters, found: Synced) -> list[Note]:
    """Return notes on the result."""
    slow, fast = found.speeds
    out = [
        Note(
            f"{len(found.keys)} of {len(found.accents)} accents are on beats; Beat Alignment Score "
            f"{found.score:.2f}, at uniform speed {found.uniform_score:.2f}, by chance "
            f"{found.chance:.2f}; speed {slow:.2f} to {fast:.2f} of uniform ({found.uniform:.3g})",
            None,
            code="synced",
            **found.figures,
        )
    ]
    own = found.steadiness
    if own.steady:
        out.append(
            Note(
                f"the motion has a steady beat of {own.bpm:.0f} per minute (p = {own.p:.2g})",
                code="steady-beat",
                bpm=own.bpm,
                p=own.p,
            )
        )
    else:
        out.append(
            Note(
                f"no steady beat was found in the motion (p = {own.p:.2g}); accents may go to "
                "beats that they do not belong to",
                Remedy("lock moments that must be on a beat", parameter="moments"),
                code="no-steady-beat",
                p=own.p,
            )
        )
    if found.music_start != p.music_start:
        out.append(
            Note(
                "the motion starts {time:.3f} into the music",
                Remedy("keep the given start", parameter="phase", value="fixed"),
                code="music-start",
                time=Duration(found.music_start),
            )
        )
    end = found.warp.domain[1]
    step = float(np.median(np.diff(found.beats)))
    if found.beats[-1] < end - 1.5 * step:
        out.append(
            Note(
                "the last beat is at {last_beat:.2f} and the result ends at {end:.2f}; after the "
                "last beat it plays at uniform speed",
                code="music-shorter",
                last_beat=Moment(float(found.beats[-1])),
                end=Moment(end),
            )
        )
    return out
