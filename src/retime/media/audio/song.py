"""Read a song as samples: one channel at one sample rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, InputError, MissingDependencyError

RATE = 22050
_SAMPLE = 4  # bytes
# Longest song, seconds; less for a small file, because silence compresses to almost nothing.
_LONGEST, _SOME_SECONDS, _MEMORY_PER_BYTE = 4 * 3600, 3600, 10
# Lowest sample rate of sound; lower ones would be resampled to far more memory than the file has.
_LOWEST_RATE = 2000


@dataclass(frozen=True, eq=False)
class Song:
    """Decoded sound."""

    samples: npt.NDArray[np.float32]
    """One channel. Shape (n,)."""
    rate: int = RATE
    """Samples per second."""

    @property
    def duration(self) -> float:
        """Duration in seconds."""
        return len(self.samples) / self.rate

    def envelope(self, count: int) -> npt.NDArray[np.float32]:
        """Return the minimum and maximum sample in equal parts of the song, (count, 2)."""
        edges = np.linspace(0, len(self.samples), count + 1).astype(int)
        starts = np.minimum(edges[:-1], max(len(self.samples) - 1, 0))
        low, high = (f.reduceat(self.samples, starts) for f in (np.minimum, np.maximum))
        return np.stack([low, high], axis=1)


def read_song(path: str | Path) -> Song:
    """Decode a sound file, or the sound of a video, to one channel.

    Parameters
    ----------
    path : str or Path
        Any file with sound that FFmpeg reads.
    """
    try:
        import av
    except ImportError:
        raise MissingDependencyError("reading sound", "audio") from None
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
    av.logging.set_level(None)
    try:
        options = {"protocol_whitelist": "file"}
        with av.open(str(path), options=options, metadata_errors="replace") as container:
            sound = _samples(av, container, path)
    except (InputError, FormatError):
        raise
    except (av.error.FFmpegError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise FormatError(f"the sound cannot be read ({reason})", path=path) from None
    if not sound:
        raise FormatError("there is no sound in the file", path=path)
    return Song(np.nan_to_num(np.frombuffer(sound, np.float32), copy=False))


def _samples(av: Any, container: Any, path: Path) -> bytearray:
    """Decode the first audio stream that can be decoded, to samples of four bytes."""
    streams = [s for s in container.streams.audio if s.codec_context is not None]
    if not streams:
        lacking = "decoder for the sound" if container.streams.audio else "sound"
        raise FormatError(f"there is no {lacking} in the file", path=path)
    most = RATE * _SOME_SECONDS + _MEMORY_PER_BYTE * path.stat().st_size // _SAMPLE
    most = min(most, RATE * _LONGEST)
    resampler = av.AudioResampler("flt", "mono", RATE)
    sound = bytearray()  # grows in place; joining pieces would take the memory twice
    for frame in chain(_frames(av, container, streams[0]), [None]):  # None flushes the resampler
        if frame is not None and frame.sample_rate < _LOWEST_RATE:
            raise FormatError(
                f"it has {frame.sample_rate} samples per second; sound needs {_LOWEST_RATE} or "
                "more",
                path=path,
            )
        for piece in resampler.resample(frame):
            sound += piece.to_ndarray().tobytes()
        if len(sound) > most * _SAMPLE:
            raise InputError(
                f"{path} lasts more than {most / RATE / 3600:.1f} hours, too long for a song in a "
                "file of its size"
            )
    return sound


def _frames(av: Any, container: Any, stream: Any) -> Iterator[Any]:
    """Yield the frames that can be decoded; damaged packets are skipped."""
    for packet in container.demux(stream):
        try:
            yield from packet.decode()
        except av.error.FFmpegError:
            continue
