"""Video: a minute of 1080p at 30 fps with sound, retimed, against real time and plain ffmpeg.

ffmpeg only multiplies time stamps (``setpts``) and changes the tempo of the sound evenly; it uses
the same coder with the same settings. Ours follows a curve.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from bench.timing import Figure
from retime import TimeWarp

SECONDS, FPS, RATE = 60, 30, 48000


def _make(path: Path) -> None:
    """Write a picture that pans over a little grain, with a melody."""
    import av

    draw = np.random.default_rng(0)
    grain = draw.normal(0, 2, (1080 * 3 // 2, 1920 + 256))
    field = np.linspace(40, 200, 1920 + 256)[None] + 30 * np.sin(np.arange(1620) / 60)[:, None]
    field = np.clip(field + grain, 16, 235).astype(np.uint8)
    t = np.arange(SECONDS * RATE) / RATE
    tune = 0.3 * np.sin(2 * np.pi * np.cumsum(220 * 2 ** (np.floor(4 * t) % 12 / 12)) / RATE)
    with av.open(str(path), "w") as out:
        picture = out.add_stream("libx264", rate=FPS)
        picture.width, picture.height, picture.pix_fmt = 1920, 1080, "yuv420p"
        picture.codec_context.options = {"preset": "ultrafast", "crf": "26"}
        sound = out.add_stream("aac", rate=RATE, layout="stereo")
        for k in range(SECONDS * FPS):
            shift = round(128 + 120 * np.sin(k / 40))
            view = np.ascontiguousarray(field[:, shift : shift + 1920])
            frame = av.VideoFrame.from_ndarray(view, format="yuv420p")
            frame.pts, frame.time_base = k, Fraction(1, FPS)
            out.mux(picture.encode(frame))
            part = tune[k * RATE // FPS : (k + 1) * RATE // FPS].astype(np.float32)
            both = np.ascontiguousarray(np.repeat(part, 2)[None])
            voice = av.AudioFrame.from_ndarray(both, format="flt", layout="stereo")
            voice.sample_rate, voice.pts = RATE, k * RATE // FPS
            out.mux(sound.encode(voice))
        for stream in (picture, sound):
            out.mux(stream.encode(None))


def _once(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def figures() -> Iterator[Figure]:
    from retime.media.video import retime_video

    last = SECONDS - 1 / FPS
    x = np.linspace(0, last, 600)
    warp = TimeWarp(x, x + 2.0 * np.sin(2 * np.pi * x / last))
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.mp4", Path(folder) / "out.mp4"
        _make(source)
        what = f"{SECONDS} s of 1080p at {FPS} fps"
        near = _once(lambda: retime_video(source, out, warp))
        mixed = _once(lambda: retime_video(source, out, warp, frames="blend"))
        back = _once(lambda: retime_video(source, out, warp.reverse(), audio="drop"))
        yield Figure(f"{what}, nearest", near, "real time", float(SECONDS))
        yield Figure(f"{what}, blended", mixed, "real time", float(SECONDS))
        yield Figure(f"{what}, backwards", back, "real time", float(SECONDS))
        program = shutil.which("ffmpeg")
        if program is None:
            print("ffmpeg is not installed: no ratio to it")
            return
        words = [program, "-v", "error", "-y", "-i", str(source), "-vf", "setpts=1.0*PTS"]
        words += ["-af", "atempo=1.001", "-c:v", "libx264", "-preset", "fast", "-crf", "18"]
        words += ["-c:a", "aac", "-b:a", "192k", "-movflags", "+faststart", str(out)]
        plain = _once(lambda: subprocess.run(words, check=True))
        yield Figure(f"{what}, nearest", near, "ffmpeg setpts", plain)
        yield Figure(f"{what}, blended", mixed, "ffmpeg setpts", plain)
