"""Pictures of a motion on the beat: waveform, beats, accents and the warp."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from retime.methods.music import Synced, SyncParameters, find_sync
from retime.motion import Motion
from retime.parameters import values_of
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, RETIMED, canvas, plain, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Wave = tuple[float, npt.NDArray[np.floating[Any]]]
# Heights at which accents are drawn over the waveform, before and after.
_BEFORE, _AFTER = -0.6, 0.6


def draw_sync(
    motion: Motion, p: SyncParameters, path: str | Path, *, wave: Wave | None = None
) -> None:
    """Draw a synced motion into a picture file; see :func:`sync_figure`."""
    save(sync_figure(find_sync(motion, **values_of(p)), wave=wave), path)


def sync_figure(found: Synced, *, wave: Wave | None = None) -> Figure:
    """Draw beats and accents over a song's waveform, and the playback speed of the synced motion.

    ``wave`` is the song's length in seconds, and its lowest and highest sample in equal parts,
    (N, 2).
    """
    warp, (start, end) = found.warp, found.warp.domain
    figure = canvas(9.0, 5.0)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for axes in (top, bottom):
        plain(axes)
    if wave is not None:
        length, outline = wave
        scale = max(float(np.abs(outline).max()), 1e-9)
        at = np.linspace(0, length, len(outline)) - found.music_start + start
        top.fill_between(at, *(outline / scale).T, color=FAINT, linewidth=0, label="music")
    beats = found.beats[(found.beats >= start) & (found.beats <= end)]
    top.vlines(beats, -1, 1, color=KEY, linewidth=1, label="beats")
    accents = found.accents
    before = start + (accents.times - start) / found.uniform
    after = np.asarray(warp.inverse(accents.times))
    for a, b in zip(before, after, strict=True):
        top.plot([a, b], [_BEFORE, _AFTER], color=RETIMED, linewidth=0.7, alpha=0.5)
    for at, height, colour, name in (
        (before, _BEFORE, ORIGINAL, "accents at uniform speed"),
        (after, _AFTER, RETIMED, "accents, synced"),
    ):
        top.scatter(
            at, np.full(len(at), height), s=22 * accents.weights, color=colour, label=name, zorder=3
        )
    top.set(ylim=(-1.05, 1.05), yticks=[])
    top.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, fontsize=9)
    times = np.linspace(start, end, 2000)
    bottom.axhline(found.uniform, color=ORIGINAL, linewidth=1.5, label="uniform speed")
    bottom.plot(times, warp.rate(times), color=RETIMED, linewidth=2, label="synced")
    low, high = bottom.get_ylim()
    bottom.vlines(beats, low, high, color=KEY, linewidth=0.7, alpha=0.5)
    bottom.set(xlim=(start, end), ylim=(low, high))
    bottom.set_xlabel("output time (s)", color=INK)
    bottom.set_ylabel("rate (×)", color=INK)
    bottom.set_title(
        f"Beat Alignment Score {found.score:.2f}; at uniform speed {found.uniform_score:.2f}, by "
        f"chance {found.chance:.2f}",
        fontsize=10,
        color=INK,
    )
    return figure
