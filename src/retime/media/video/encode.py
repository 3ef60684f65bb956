"""Writing footage: H.264 pictures and AAC sound in an .mp4 or .mov file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import InputError, install_command
from retime.media.video.opening import Footage, library
from retime.notes import Note

SUFFIXES = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov"}
_SOUND_BITS_A_CHANNEL = 96_000
# Pixel formats that all H.264 players support; other formats are converted to the first.
_PLAIN = ("yuv420p", "yuvj420p")


class Film:
    """A video that is being written, frame by frame.

    Parameters
    ----------
    container : Any
        PyAV's container, open to write.
    footage : Footage
        What it is made from; its shape, colours and turn are kept.
    first : Any
        A picture of it.
    rate : Fraction
        Frames per second.
    quality : int
        x264's constant rate factor: 0 is lossless, 18 looks like the source, 51 is worst.
    sound : (int, str), optional
        Samples per second and layout of the sound, if there is one.
    """

    def __init__(
        self,
        container: Any,
        footage: Footage,
        first: Any,
        *,
        rate: Fraction,
        quality: int,
        sound: tuple[int, str] | None,
    ) -> None:
        self.container = container
        self.notes: list[Note] = []
        self._step = 1 / rate
        self.picture = add_stream(container, "libx264", "H.264", rate=rate)
        self.width, self.height = first.width & ~1, first.height & ~1
        if (self.width, self.height) != (first.width, first.height):
            self.notes.append(
                Note(
                    f"{first.width}x{first.height} became {self.width}x{self.height}: H.264 takes "
                    "even sides",
                    code="size-made-even",
                    size=[self.width, self.height],
                )
            )
        self.format = first.format.name if first.format.name in _PLAIN else _PLAIN[0]
        if self.format != first.format.name:
            self.notes.append(
                Note(
                    f"pictures were {first.format.name} and became {self.format}",
                    code="pixel-format-changed",
                )
            )
        coder = self.picture.codec_context
        self.picture.width, self.picture.height = self.width, self.height
        self.picture.pix_fmt = self.format
        coder.time_base = self._step
        coder.thread_count, coder.thread_type = 0, "AUTO"  # frames side by side, not slices
        coder.options = {"crf": str(quality), "preset": "fast"}
        if footage.picture.sample_aspect_ratio:
            coder.sample_aspect_ratio = footage.picture.sample_aspect_ratio
        for name in ("color_range", "colorspace", "color_primaries", "color_trc"):
            setattr(coder, name, getattr(first, name))
        turn = first.side_data.get("DISPLAYMATRIX")
        if turn is not None:
            self.picture.set_display_matrix(struct.unpack("=9i", bytes(turn)))
        self.sound, self._samples = None, 0
        if sound is not None:
            self.sound = add_stream(container, "aac", "AAC", rate=sound[0], layout=sound[1])
            self.sound.bit_rate = _SOUND_BITS_A_CHANNEL * self.sound.layout.nb_channels

    def add_picture(self, number: int, frame: Any) -> None:
        """Add a picture of the source as frame ``number``."""
        from av.video.frame import PictureType

        frame = self.fitted(frame)
        frame.pts, frame.time_base = number, self._step
        frame.pict_type = PictureType.NONE  # the encoder decides, not the source
        self.container.mux(self.picture.encode(frame))

    def fitted(self, frame: Any) -> Any:
        """Convert a frame to the video's size and format."""
        if (frame.format.name, frame.width, frame.height) == (self.format, self.width, self.height):
            return frame
        return frame.reformat(width=self.width, height=self.height, format=self.format)

    def add_sound(self, samples: npt.NDArray[np.float32]) -> None:
        """Append sound of shape (n, channels)."""
        av = library()
        assert self.sound is not None
        packed = np.ascontiguousarray(np.clip(samples, -1, 1).reshape(1, -1))
        frame = av.AudioFrame.from_ndarray(packed, format="flt", layout=self.sound.layout.name)
        frame.sample_rate, frame.time_base = self.sound.rate, Fraction(1, self.sound.rate)
        frame.pts = self._samples
        self._samples += len(samples)
        self.container.mux(self.sound.encode(frame))

    def finish(self) -> None:
        """Flush the encoders."""
        for stream in (self.picture, self.sound):
            if stream is not None:
                self.container.mux(stream.encode(None))


def add_stream(container: Any, coder: str, what: str, **options: Any) -> Any:
    """Add a stream, or raise a sentence where the coder is absent."""
    av = library()
    try:
        return container.add_stream(coder, **options)
    except (av.error.FFmpegError, ValueError):  # raised for an unknown codec
        raise InputError(
            f"this PyAV cannot write {what}: it lacks the coder {coder}; install PyAV's own wheel "
            f"({install_command('video')})"
        ) from None


@contextmanager
def film(path: Path, kind: str, metadata: dict[str, str]) -> Iterator[Any]:
    """Open a container to write; it is closed in any case."""
    av = library()
    container = av.open(str(path), "w", format=kind, options={"movflags": "+faststart"})
    try:
        container.metadata.update(metadata)
        yield container
    finally:
        container.close()
