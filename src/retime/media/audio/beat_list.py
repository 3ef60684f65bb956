"""Beats as data: found, given, doubled, halved or shifted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.media.audio.beat_files import read_beat_times
from retime.media.audio.beat_tracker import track_beats
from retime.media.audio.song import Song, read_song


@dataclass(frozen=True, eq=False)
class BeatList:
    """Beats of a song."""

    beats: FloatArray
    """Seconds of the song, rising. Shape (B,)."""
    downbeats: FloatArray
    """First beats of bars; empty if they are unknown."""
    onsets: FloatArray
    """Times of onsets; empty without a song."""
    origin: str
    """Their source: ``tracked``, ``tempo`` or the name of a file."""
    duration: float | None = None
    """Length of the song in seconds, if there is one."""

    @property
    def bpm(self) -> float:
        """Beats per minute, from the median interval."""
        return 60 / float(np.median(np.diff(self.beats)))

    @property
    def bpm_range(self) -> tuple[float, float]:
        """Slowest and fastest tempo over eight beats."""
        span = min(8, len(self.beats) - 1)
        local = 60 * span / (self.beats[span:] - self.beats[:-span])
        return float(local.min()), float(local.max())

    def doubled(self) -> BeatList:
        """Return twice as many beats: one more in the middle of each pair."""
        between = (self.beats[1:] + self.beats[:-1]) / 2
        return replace(self, beats=np.sort(np.r_[self.beats, between]))

    def halved(self) -> BeatList:
        """Return every second beat, from the first downbeat if that is known."""
        first = 0
        if len(self.downbeats):
            first = int(np.abs(self.beats - self.downbeats[0]).argmin()) % 2
        return self._kept(self.beats[first::2])

    def shifted_half(self) -> BeatList:
        """Return beats that are between these: counted on the off-beat."""
        between = (self.beats[1:] + self.beats[:-1]) / 2
        return replace(self, beats=between, downbeats=np.zeros(0))

    def _kept(self, beats: FloatArray) -> BeatList:
        near = [d for d in self.downbeats if np.abs(beats - d).min() < 1e-6]
        return replace(self, beats=beats, downbeats=np.array(near))


def find_beats(
    song: Song | str | Path | None = None,
    *,
    file: str | Path | None = None,
    bpm: float | None = None,
    offset: float | None = None,
    double: bool = False,
    half: bool = False,
    shift_half: bool = False,
    fps: float | None = None,
) -> BeatList:
    """Find the beats of a song, or read or compute given ones.

    Parameters
    ----------
    song : Song, str or Path, optional
        The song. Without one, a file or a tempo is needed.
    file : str or Path, optional
        Beats in a text file, a label track, a table of markers, JSON or the tempo map of a MIDI
        file.
    bpm, offset : float, optional
        Tempo, and the time of a beat in seconds. With only a tempo, the phase is found in the song.
    double, half, shift_half : bool
        Count twice as many beats, half as many, or those in between.
    fps : float, optional
        Frame rate of a table that counts frames.
    """
    if isinstance(song, str | Path):
        song = read_song(song)
    if double and half:
        raise InputError("count beats double or half, not both")
    found = _counted(song, file, bpm, offset, fps)
    if double or half:
        found = found.doubled() if double else found.halved()
    if shift_half:
        found = found.shifted_half()
    if len(found.beats) < 2:
        raise InputError(f"{len(found.beats)} beats are left; at least two are needed")
    return found


def _counted(
    song: Song | None,
    file: str | Path | None,
    bpm: float | None,
    offset: float | None,
    fps: float | None,
) -> BeatList:
    """Return beats from a file, at a tempo, or as they are tracked in a song."""
    if file is not None and bpm is not None:
        raise InputError("give a file of beats or a tempo, not both")
    if file is not None:
        beats, downbeats = read_beat_times(file, fps=fps)
        return _listed(beats, downbeats, Path(file).name, song)
    return _tracked(song, offset) if bpm is None else _even(song, bpm, offset)


def _tracked(song: Song | None, offset: float | None) -> BeatList:
    if song is None:
        raise InputError("give a song, a file of beats or a tempo")
    if offset is not None:
        raise InputError("an offset needs a tempo; give that too")
    tracked = track_beats(song)
    return BeatList(tracked.beats, tracked.downbeats, tracked.onsets, "tracked", song.duration)


def _even(song: Song | None, bpm: float, offset: float | None) -> BeatList:
    if not 20 <= bpm <= 400:
        raise InputError(f"the tempo must be 20 to 400 beats per minute, not {bpm:g}")
    if song is None:
        raise InputError("a tempo alone has no end; give a song too")
    step = 60 / bpm
    if offset is None:
        # The circular mean of the tracked beats' phases at the given tempo.
        turns = np.exp(2j * np.pi * track_beats(song, bpm=bpm).beats / step)
        offset = float(np.angle(turns.mean()) / (2 * np.pi) * step)
    first = offset % step
    beats = np.arange(first, song.duration, step)
    return BeatList(beats, np.zeros(0), np.zeros(0), "tempo", song.duration)


def _listed(
    beats: npt.ArrayLike, downbeats: npt.ArrayLike, name: str, song: Song | None
) -> BeatList:
    return BeatList(
        np.asarray(beats, dtype=float),
        np.asarray(downbeats, dtype=float),
        np.zeros(0),
        name,
        None if song is None else song.duration,
    )
