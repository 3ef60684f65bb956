"""Pictures by their presentation times, in any order, with bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError
from retime.media.video.opening import Footage, library, refused

# Number of cached frames, so that playing backwards decodes each group of frames once.
_CACHED_BYTES = 256 << 20
# Maximum number of frames of a video.
_MOST_FRAMES = 50_000_000
# Difference of frame intervals from the median above which the frame rate counts as variable.
_UNEVEN = 0.25
_USUAL = 0.9


@dataclass(frozen=True)
class FrameIndex:
    """When each picture of a video is shown."""

    stamps: npt.NDArray[np.int64]
    """Presentation time stamps, rising. Shape (F,)."""
    times: npt.NDArray[np.float64]
    """The same in seconds, from when players start to count. Shape (F,)."""
    keys: npt.NDArray[np.int64]
    """Frames at which decoding can begin. Shape (K,)."""
    spacing: float
    """The usual time from a frame to the next."""
    rate: Fraction
    """Average frame rate."""
    variable: bool
    """Whether frames stand at uneven times."""

    def shown_at(
        self, moments: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Find for each moment the frame before it, and how far the next has come in (0 to 1).

        A frame with a longer duration is held, and blends into the next during the usual interval.
        """
        low = np.clip(
            np.searchsorted(self.times, moments, side="right") - 1, 0, len(self.times) - 1
        )
        high = np.minimum(low + 1, len(self.times) - 1)
        gap = np.minimum(self.times[high] - self.times[low], 1.5 * self.spacing)
        start = self.times[high] - np.where(gap > 0, gap, 1.0)
        share = np.clip((moments - start) / np.where(gap > 0, gap, 1.0), 0, 1)
        return low, np.where(high > low, share, 0.0)


def index_frames(footage: Footage) -> FrameIndex:
    """Read when the pictures are shown, without decoding them."""
    stream = footage.picture
    pts, keys = _stamps(footage)
    base = float(stream.time_base)
    gaps = np.diff(pts) * base
    spacing = float(np.median(gaps))
    uneven = np.abs(gaps - spacing) > max(_UNEVEN * spacing, 1.01 * base)
    # A few dropped frames do not make the rate variable.
    usual = np.abs(gaps - spacing) <= _UNEVEN * spacing
    average = 1 / float((gaps[usual] if usual.mean() > _USUAL else gaps).mean())
    return FrameIndex(
        stamps=pts,
        times=pts * base - footage.zero,
        keys=np.unique(np.clip(np.searchsorted(pts, np.array(keys or [pts[0]])), 0, len(pts) - 1)),
        spacing=spacing,
        rate=_rate(stream, average),
        variable=bool(uneven.any()),
    )


def _stamps(footage: Footage) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return the time stamps of all pictures, rising, and of those where decoding can begin."""
    stamps, keys, without = [], [], 0
    with refused(footage.path):
        for packet in footage.container.demux(footage.picture):
            shown = packet.size > 0 and not packet.is_discard
            if packet.pts is None:
                without += shown
                continue
            if packet.is_keyframe:
                keys.append(packet.pts)
            if shown:
                stamps.append(packet.pts)
            if len(stamps) > _MOST_FRAMES:
                raise FormatError("the video has too many frames", path=footage.path)
    if without > len(stamps) // 100:
        raise FormatError(
            "the video's frames have no time stamps, so their display times are unknown; put the "
            "video into an .mp4 or .mkv file first",
            path=footage.path,
        )
    pts = np.unique(np.array(stamps, dtype=np.int64))
    if len(pts) < 2:
        raise FormatError("the video has fewer than two frames", path=footage.path)
    return pts, keys


def _rate(stream: Any, average: float) -> Fraction:
    """Use the file's own fraction for an average rate: 30000/1001 for 29.97."""
    for declared in (stream.average_rate, stream.guessed_rate):
        if declared and abs(float(declared) / average - 1) < 2e-3:
            return Fraction(declared)
    return Fraction(average).limit_denominator(1001)


class FrameReader:
    """Decoded frames by number: in order without seeking, otherwise by seeking.

    Attributes
    ----------
    damaged : int
        Packets that could not be decoded; the previous frame is shown instead.
    """

    def __init__(self, footage: Footage, index: FrameIndex) -> None:
        self.footage, self.index = footage, index
        self.damaged = 0
        self._kept: OrderedDict[int, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._stream: Iterator[tuple[int, Any]] = iter(())
        self._next: int | None = None
        footage.picture.thread_type = "AUTO"

    def frame(self, number: int) -> Any:
        """Return a picture."""
        if number in self._kept:
            return self._kept[number][0]
        key = int(np.searchsorted(self.index.keys, number, side="right")) - 1
        ahead = self._next is not None and self._next <= number
        if ahead and (key < 0 or self.index.keys[key] <= self._next):
            found = self._decode_to(number)
            if found is not None:
                return found
        # Frames shown before a keyframe may need the previous keyframe: then start from that one.
        for k in (key, key - 1, key - 2):
            if k >= 0:
                self._seek(int(self.index.stamps[self.index.keys[k]]))
                found = self._decode_to(number)
                if found is not None:
                    return found
        self._seek(int(self.index.stamps[0]))
        found = self._decode_to(number)
        if found is None:
            moment = self.index.times[number]
            raise FormatError(
                f"no picture can be decoded at {moment:.3f} s", path=self.footage.path
            )
        return found

    def _seek(self, stamp: int) -> None:
        with refused(self.footage.path):
            self.footage.container.seek(stamp, stream=self.footage.picture, backward=True)
        self._stream = self._decoded()
        self._next = None

    def _decode_to(self, number: int) -> Any:
        """Decode up to a frame; a missing one is replaced by the previous one."""
        before = None
        for at, frame in self._stream:
            self._next = at + 1
            self._keep(at, frame)
            if at == number:
                return frame
            if at > number:
                return before
            before = frame
        self._next = len(self.index.stamps)
        return before

    def _decoded(self) -> Iterator[tuple[int, Any]]:
        av = library()
        for packet in self._packets():
            try:
                frames = packet.decode()
            except av.error.FFmpegError:
                self.damaged += 1
                continue
            for frame in frames:
                stamp = frame.pts if frame.pts is not None else frame.dts
                if stamp is None:
                    continue
                at = int(np.searchsorted(self.index.stamps, stamp, side="right")) - 1
                if at >= 0:
                    yield at, frame

    def _packets(self) -> Iterator[Any]:
        packets = self.footage.container.demux(self.footage.picture)
        while True:
            with refused(self.footage.path):
                packet = next(packets, None)
            if packet is None:
                return
            yield packet

    def _keep(self, number: int, frame: Any) -> None:
        """Cache a frame and drop the oldest: the newest ones are closest to the requested one."""
        if number in self._kept:
            self._bytes -= self._kept.pop(number)[1]
        size = sum(plane.buffer_size for plane in frame.planes)
        self._kept[number] = (frame, size)
        self._bytes += size
        while self._bytes > _CACHED_BYTES and len(self._kept) > 2:
            self._bytes -= self._kept.popitem(last=False)[1][1]
