"""The sound of a retimed video: its own, retimed or not, or music."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.media.audio.onsets import find_attacks
from retime.media.audio.sound import Sound, decode_sound
from retime.media.audio.stretch import stretch
from retime.media.video.opening import Footage, open_footage, open_music
from retime.notes import Note
from retime.timing.graph import Graph

Sounding = Literal["keep-pitch", "keep", "drop"]
Progress = Callable[[int, int, str], Any]
Samples = npt.NDArray[np.float32]

# Times are compared in seconds; they come from arithmetic on time stamps.
_SAME_TIME = 1e-6


@dataclass(frozen=True, eq=False)
class Shown:
    """The moments that the pictures of the result show."""

    curve: Graph
    """Output time to the motion's time."""
    offset: float
    """Time of the video at the motion's time 0, in seconds."""
    rate: Fraction
    """Frames per second."""
    moments: npt.NDArray[np.float64]
    """The time of the video that each picture shows, in seconds. Shape (F,)."""

    @property
    def length(self) -> float:
        """Duration of the result in seconds."""
        return len(self.moments) / float(self.rate)


@dataclass(frozen=True, eq=False)
class Soundtrack:
    """Sound of the result; without ``sound`` it is silent."""

    length: float
    """Duration of the result in seconds."""
    sound: Sound | None = None
    """Decoded sound."""
    heard: Graph | None = None
    """Output time to the sound's own time."""
    notes: tuple[Note, ...] = ()

    @property
    def tone(self) -> tuple[int, str] | None:
        """Sample rate and layout of the channels."""
        return None if self.sound is None else (self.sound.rate, self.sound.layout)

    @property
    def damaged(self) -> int:
        """Number of damaged packets that were skipped."""
        return 0 if self.sound is None else self.sound.damaged

    def sound_until(self) -> Callable[[Fraction], Iterator[Samples]]:
        """Return a function that yields the sound up to a time, from where its last call ended."""
        if self.sound is None or self.heard is None:
            return lambda time: iter(())
        sound, done = self.sound, 0.0
        attacks = find_attacks(sound.samples, sound.rate)
        chunks = stretch(sound.samples, sound.rate, self.heard, attacks, duration=self.length)

        def until(time: Fraction) -> Iterator[Samples]:
            nonlocal done
            while done < time:
                chunk = next(chunks, None)
                if chunk is None:
                    return
                done += len(chunk) / sound.rate
                yield chunk

        return until


def soundtrack(
    stack: ExitStack,
    footage: Footage,
    shown: Shown,
    *,
    audio: Sounding,
    music: tuple[Path, float] | None,
    told: Progress,
) -> Soundtrack:
    """Decode the sound of a result.

    Parameters
    ----------
    stack : ExitStack
        Closes the files that are opened.
    footage : Footage
        The video.
    shown : Shown
        Moments of the pictures.
    audio : {"keep-pitch", "keep", "drop"}
        Treatment of the video's own sound.
    music : (Path, float), optional
        A sound file that replaces it, and its time at the start of the result, in seconds.
    told : callable
        Called with (done, total, what).
    """
    if music is not None:
        told(0, 1, "reading music")
        return _music(stack, *music, shown.length)
    if audio == "drop" or footage.sound is None:
        return Soundtrack(shown.length)
    told(0, 1, "reading sound")
    return _own(stack, Path(footage.path), shown, keep=audio == "keep")


def _music(stack: ExitStack, path: Path, start: float, length: float) -> Soundtrack:
    song = stack.enter_context(open_music(path))
    sound = stack.enter_context(decode_sound(song, start, start + length + 1))
    heard = None if sound is None else _as_it_is(start, sound, length)
    return Soundtrack(length, sound, heard, _music_notes(path, sound, start, length))


def _own(stack: ExitStack, source: Path, shown: Shown, *, keep: bool) -> Soundtrack:
    """Return the video's own sound, retimed, or at its own speed to ``keep`` it."""
    sound = _around(stack, source, shown, shown.length if keep else 0.0)
    if sound is None:
        silent = Note("the video has no sound there", code="no-sound")
        return Soundtrack(shown.length, notes=(silent,))
    start = float(shown.moments[0])
    heard = _as_it_is(start, sound, shown.length) if keep else _retimed(shown, sound)
    return Soundtrack(shown.length, sound, heard)


def _around(stack: ExitStack, source: Path, shown: Shown, least: float) -> Sound | None:
    """Decode the video's sound around the moments shown, for at least a duration.

    It needs a second reader, because pictures are read at other times.
    """
    other = stack.enter_context(open_footage(source))
    start = float(shown.moments.min()) - 1
    end = max(float(shown.moments.max()) + 1, start + 2 + least)
    return stack.enter_context(decode_sound(other, start, end))


def _retimed(shown: Shown, sound: Sound) -> Graph:
    """Make the curve of retimed sound: from 0, in the sound's own time, over the last frame too."""
    curve, offset, rate = shown.curve, shown.offset, shown.rate
    x, y = curve.x - curve.x[0], curve.y + offset - sound.start
    steps = np.flatnonzero(np.diff(x) > _SAME_TIME)  # the rest are cuts or near-cuts
    slope = 0.0
    if len(steps):
        last = steps[-1]
        slope = (y[last + 1] - y[last]) / (x[last + 1] - x[last])
    beyond = 1 / float(rate)
    return Graph(np.r_[x, x[-1] + beyond], np.r_[y, y[-1] + slope * beyond])


def _as_it_is(start: float, sound: Sound, length: float) -> Graph:
    """Make the curve of sound that plays at its own speed from some moment of it."""
    first = start - sound.start
    return Graph(np.array([0.0, length]), np.array([first, first + length]))


def _music_notes(path: Path, sound: Sound | None, start: float, length: float) -> tuple[Note, ...]:
    if sound is None:
        silent = f"{path.name} has no sound at {start:g} s; the result is silent"
        return (Note(silent, code="no-sound"),)
    end = sound.start + len(sound.samples) / sound.rate - start
    if end < length - 0.05:
        early = f"{path.name} ends after {end:.2f} s of the result's {length:.2f} s"
        return (Note(early, code="music-ends-early", end=end, length=length),)
    return ()
