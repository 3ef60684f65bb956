"""Small videos that tell each frame's number: blocks of black and white, and a rising grey."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

BITS, BLOCK = 8, 16
WIDTH, HEIGHT = BITS * BLOCK, 64
SOUND_RATE = 48000


def counter(number: int) -> npt.NDArray[np.uint8]:
    """Draw a frame: its number in blocks above, its number as a grey below."""
    picture = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    bits = [(number >> b) & 1 for b in range(BITS)]
    picture[: HEIGHT // 2] = np.repeat(np.array(bits) * 200 + 20, BLOCK)
    picture[HEIGHT // 2 :] = 30 + 2 * min(number, 100)
    return picture


def make_video(
    path: Path,
    *,
    frames: int = 60,
    fps: int = 30,
    sound: npt.NDArray[np.float32] | None = None,
    stamps: list[int] | None = None,
    key_every: int = 12,
    options: dict[str, Any] | None = None,
) -> Path:
    """Write a video of counters; ``stamps`` are presentation times in milliseconds."""
    import av

    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.gop_size = key_every
        stream.codec_context.options = {"crf": "12", "preset": "veryfast"}
        if stamps is not None:
            stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        for name, value in (options or {}).items():
            if name == "rotation":
                stream.set_display_rotation(value)
            else:
                setattr(stream.codec_context, name, value)
        voice = None
        if sound is not None:
            layout = "stereo" if sound.shape[1] == 2 else "mono"
            voice = out.add_stream("aac", rate=SOUND_RATE, layout=layout)
            voice.bit_rate = 256_000  # the flutter of a starved coder is not ours
        for k in range(frames):
            picture = counter(k)
            grey = np.full((HEIGHT // 2, WIDTH), 128, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(np.concatenate([picture, grey]), format="yuv420p")
            if stamps is not None:
                frame.pts, frame.time_base = stamps[k], Fraction(1, 1000)
            else:
                frame.pts, frame.time_base = k, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        if voice is not None and sound is not None:
            packed = np.ascontiguousarray(sound.astype(np.float32).reshape(1, -1))
            chunk = av.AudioFrame.from_ndarray(packed, format="flt", layout=voice.layout.name)
            chunk.sample_rate, chunk.pts = SOUND_RATE, 0
            out.mux(voice.encode(chunk))
            out.mux(voice.encode(None))
    return path


def read_counters(path: Path) -> tuple[list[int], list[float], list[float]]:
    """Read every frame's number, grey (as a number) and time of a video."""
    import av

    numbers, greys, times = [], [], []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            picture = frame.to_ndarray()[:HEIGHT].astype(float)
            top = picture[4 : HEIGHT // 2 - 4].reshape(-1, BITS, BLOCK)[:, :, 4:-4]
            bits = top.mean(axis=(0, 2)) > 120
            numbers.append(int(sum(1 << b for b in range(BITS) if bits[b])))
            greys.append((float(picture[HEIGHT // 2 + 4 : HEIGHT - 4].mean()) - 30) / 2)
            times.append(float(frame.time))
    return numbers, greys, times


def read_sound(path: Path) -> npt.NDArray[np.float64]:
    """Read a video's sound as (samples, channels), from its time 0."""
    import av

    with av.open(str(path)) as container:
        chunks: list[Any] = []
        for frame in container.decode(audio=0):
            if not chunks:
                assert abs(frame.time) < 1e-3
            chunks.append(frame.to_ndarray().T)
    return np.concatenate(chunks).astype(float)
