"""The sound of a video as samples in a memory-mapped file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.media.video.opening import Footage, Music, library, refused

# Sample rates that the encoder accepts; other rates are converted to the first.
_RATES = (48000, 96000, 88200, 64000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000)
# Jitter of time stamps that does not count as a gap.
_SHAKE_S = 0.030


@dataclass(frozen=True)
class Sound:
    """Decoded sound."""

    samples: npt.NDArray[np.float32]
    """The samples, mapped from a file. Shape (n, channels)."""
    rate: int
    """Samples per second."""
    layout: str
    """The channels' layout."""
    start: float
    """Time of the first sample in seconds, from when players start to count."""
    damaged: int
    """Packets that could not be decoded."""


@contextmanager
def decode_sound(footage: Footage | Music, start: float, end: float) -> Iterator[Sound | None]:
    """Decode the sound between two times into a temporary file.

    Yields ``None`` if there is no sound in that span.
    """
    with tempfile.TemporaryFile(prefix="retime-") as file:
        yield _decode(footage, start, end, file)


def _decode(footage: Footage | Music, start: float, end: float, file: Any) -> Sound | None:
    av = library()
    stream = footage.sound
    rate = stream.rate if stream.rate in _RATES else _RATES[0]
    # From the file's header, because a damaged packet can change the decoder's.
    layout, channels = _layout(stream), stream.layout.nb_channels
    with refused(footage.path):
        resampler = _Resampler(lambda: av.AudioResampler("flt", layout, rate))
        # Start early, because decoders need some packets before the first.
        first = int((max(start - 0.5, 0.0) + footage.zero) / float(stream.time_base))
        footage.container.seek(first, stream=stream, backward=True)
    written, begun = 0, None
    packets = _Packets(footage, end + 0.5)
    with refused(footage.path, "the sound cannot be read"):
        for frame in packets.frames():
            moment = None if frame.time is None else frame.time - footage.zero
            if begun is None:
                begun = moment or 0.0
            if moment is not None:
                written += _fill(file, moment - begun, written, rate, channels, end - begun)
            written += _append(file, resampler.resampled(frame), channels)
        written += _append(file, resampler.resampled(None), channels)
    if written == 0 or begun is None:
        return None
    file.truncate(written * channels * 4)
    file.flush()
    samples = np.memmap(file, dtype=np.float32, mode="r", shape=(written, channels))
    return Sound(samples, rate, layout, begun, packets.damaged)


class _Packets:
    """Decode the packets of a sound up to a time, and count damaged ones."""

    def __init__(self, footage: Footage | Music, end: float) -> None:
        self._footage, self._end = footage, end
        self.damaged = 0

    def frames(self) -> Iterator[Any]:
        """Yield the decoded frames."""
        stream = self._footage.sound
        last = (self._end + self._footage.zero) / float(stream.time_base)
        for packet in self._footage.container.demux(stream):
            try:
                frames = packet.decode()
            except library().error.FFmpegError:
                self.damaged += 1
                continue
            if packet.pts is not None and packet.pts > last:
                return
            yield from frames


def _layout(stream: Any) -> str:
    """Return the name of the channel layout; the usual one if the file only counts channels."""
    usual = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}
    name: str = stream.layout.name
    return usual.get(stream.layout.nb_channels, name) if "channels" in name else name


class _Resampler:
    """Convert all frames to one format, even if the stream changes its format."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._one = make()

    def resampled(self, frame: Any) -> list[Any]:
        try:
            found: list[Any] = self._one.resample(frame)
        except ValueError:  # another form than that of the frames before
            before: list[Any] = self._one.resample(None)
            self._one = self._make()
            found = before + self._one.resample(frame)
        return found


def _fill(file: Any, moment: float, written: int, rate: int, channels: int, longest: float) -> int:
    """Write silence for a pause in the sound; ``moment`` is the time of the next samples."""
    gap = min(moment, longest + 1.0) - written / rate
    if gap <= _SHAKE_S:
        return 0
    missing = round(gap * rate)
    file.seek(missing * channels * 4, 1)  # a hole in the file reads as zeros
    return missing


def _append(file: Any, frames: list[Any], channels: int) -> int:
    count = 0
    for frame in frames:
        samples = np.nan_to_num(frame.to_ndarray().reshape(-1, channels))
        file.write(np.ascontiguousarray(samples, dtype=np.float32).tobytes())
        count += len(samples)
    return count
