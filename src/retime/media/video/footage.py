"""Footage retimed by a warp: pictures by their time stamps, sound without change of pitch."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, InputError
from retime.io.files import written_beside
from retime.media.timelines.followed import followed_curve
from retime.media.video.encode import SUFFIXES, Film, film
from retime.media.video.frames import FrameIndex, FrameReader, index_frames
from retime.media.video.opening import library, open_footage
from retime.media.video.soundtrack import Progress, Shown, Sounding, Soundtrack, soundtrack
from retime.notes import Note, Remedy
from retime.timing import TimeWarp
from retime.timing.graph import Graph

Frames = Literal["nearest", "blend"]

_LONGEST_S = 24 * 3600.0
# Minimum and maximum frame rate.
_RATES = 0.1, 1000.0
# Weight of a frame below which it is not blended, because it is not visible.
_UNSEEN = 1 / 64
# Half way between two frames, the earlier one is shown, independent of rounding.
_TIE = 1e-6
# Times are compared in seconds; they come from arithmetic on time stamps.
_SAME_TIME = 1e-6


@dataclass(frozen=True)
class RetimedVideo:
    """Result of retiming a video."""

    frames: int
    """Pictures written."""
    rate: Fraction
    """Frames per second."""
    source: npt.NDArray[np.float64]
    """The moment of the video that each shows, in seconds. Shape (F,)."""
    size: tuple[int, int]
    """Width and height."""
    sound: bool
    """Whether there is sound."""
    notes: tuple[Note, ...]
    """What was assumed, changed or left out."""

    @property
    def duration(self) -> float:
        """Duration in seconds."""
        return self.frames / float(self.rate)


def retime_video(
    source: str | Path,
    target: str | Path,
    warp: TimeWarp,
    *,
    offset: float = 0.0,
    fps: float | None = None,
    frames: Frames = "nearest",
    audio: Sounding = "keep-pitch",
    music: str | Path | None = None,
    music_start: float = 0.0,
    channel: str | None = None,
    quality: int = 18,
    progress: Progress | None = None,
) -> RetimedVideo:
    """Retime a video file by a warp, and write it completely or not at all.

    The result shows the warp's domain, a picture at its start and then at the frame rate to its
    end, as a retimed motion does: with equal frame rates, picture k belongs to pose k.

    Parameters
    ----------
    source, target : str or Path
        The video to read, and the .mp4, .m4v or .mov file to write.
    warp : TimeWarp
        Maps output time to the motion's time.
    offset : float
        Time of the video at the motion's time 0, in seconds.
    fps : float, optional
        Frame rate of the result; the video's average if not given.
    frames : {"nearest", "blend"}
        Show the nearest picture, or mix the two around a moment.
    audio : {"keep-pitch", "keep", "drop"}
        Retime the sound without changing its pitch, keep its speed from the start of the result, or
        leave it out.
    music : str or Path, optional
        A sound file that replaces the video's sound and is not retimed.
    music_start : float
        Time of the music at the start of the result, in seconds.
    channel : str, optional
        Curve of the warp to follow if it has several.
    quality : int
        x264's constant rate factor, 0 (lossless) to 51.
    progress : callable, optional
        Called with (done, total, what).
    """
    source, target = Path(source), Path(target)
    _check(target, offset, fps, frames, audio, quality)
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"{target} is the input; give the result another name")
    curve, notes = followed_curve(warp, channel)
    if curve.x[-1] <= curve.x[0]:
        raise InputError("the warp has no duration, so there is nothing to show")
    told = progress or (lambda done, total, what: None)
    with ExitStack() as stack:
        footage = stack.enter_context(open_footage(source))
        told(0, 1, "reading time stamps")
        index = index_frames(footage)
        rate, uneven = _rate(index, fps, source)
        moments, said = _moments(curve, offset, rate, index)
        notes += (*footage.notes, *said, *uneven)
        track = soundtrack(
            stack,
            footage,
            Shown(curve, offset, rate, moments),
            audio=audio,
            music=None if music is None else (Path(music), music_start),
            told=told,
        )
        notes += track.notes
        reader = FrameReader(footage, index)
        beside = stack.enter_context(written_beside(target))
        made = _write(
            beside,
            SUFFIXES[target.suffix.lower()],
            reader,
            moments,
            rate,
            frames,
            track,
            quality,
            told,
        )
    damaged = reader.damaged + track.damaged
    if damaged:
        notes += (
            Note(
                f"{damaged} damaged packets were skipped; the picture before them is held",
                code="packets-damaged",
                packets=damaged,
            ),
        )
    return RetimedVideo(
        frames=len(moments),
        rate=rate,
        source=moments,
        size=(made.width, made.height),
        sound=made.sound is not None,
        notes=(*notes, *made.notes),
    )


def _check(
    target: Path, offset: float, fps: float | None, frames: str, audio: str, quality: int
) -> None:
    if target.suffix.lower() not in SUFFIXES:
        kinds = ", ".join(SUFFIXES)
        raise InputError(f"a video is written as {kinds}, not {target.suffix or 'no suffix'!r}")
    if not np.isfinite(offset):
        raise InputError(f"the offset is a number of seconds, not {offset}")
    if fps is not None and not _RATES[0] <= fps <= _RATES[1]:
        raise InputError(f"the frame rate of a video is between 0.1 and 1000, not {fps:g}")
    if frames not in ("nearest", "blend"):
        raise InputError(f"frames are 'nearest' or 'blend', not {frames!r}")
    if audio not in ("keep-pitch", "keep", "drop"):
        raise InputError(f"audio is 'keep-pitch', 'keep' or 'drop', not {audio!r}")
    if not 0 <= quality <= 51:
        raise InputError(f"the quality goes from 0 (lossless) to 51, not {quality}")


def _rate(index: FrameIndex, fps: float | None, path: Path) -> tuple[Fraction, list[Note]]:
    """Return the frame rate of the result, and a note if that of the video varies."""
    rate = index.rate if fps is None else Fraction(fps).limit_denominator(100_000)
    if not _RATES[0] <= rate <= _RATES[1]:
        raise FormatError(
            Note(
                f"the video's time stamps give {float(rate):.6g} fps, which is not plausible",
                Remedy("give the rate of the result", parameter="fps"),
                code="rate-impossible",
            ),
            path=path,
        )
    if not index.variable:
        return rate, []
    varies = Note(
        "the frame rate varies; pictures are taken by their time stamps, and the result has "
        f"{float(rate):.6g} fps",
        Remedy(parameter="fps"),
        code="variable-frame-rate",
    )
    return rate, [varies]


def _moments(
    curve: Graph, offset: float, rate: Fraction, index: FrameIndex
) -> tuple[npt.NDArray[np.float64], list[Note]]:
    """Return the time of the video for each frame of the result, and notes."""
    notes = []
    length = curve.x[-1] - curve.x[0]
    if length > _LONGEST_S:
        raise InputError(
            f"the warp lasts {length:.6g} s; a video of more than a day is not written"
        )
    steps = length * float(rate)
    count = int(np.floor(steps + _SAME_TIME)) + 1
    if steps - (count - 1) > 0.01:
        notes.append(
            Note(
                f"the warp ends {(steps - (count - 1)) / float(rate):.3g} s after the last of "
                f"{count} frames at {float(rate):.6g} fps",
                code="end-between-frames",
                frames=count,
                fps=float(rate),
            )
        )
    times = np.minimum(curve.x[0] + np.arange(count) / float(rate), curve.x[-1])
    moments = curve.at(times) + offset
    first, last = index.times[0], index.times[-1] + index.spacing
    if moments.max() < first or moments.min() > last:
        raise InputError(
            Note(
                f"the warp shows {moments.min():.3f} to {moments.max():.3f} s of the video, which "
                f"runs from {first:.3f} to {last:.3f} s",
                Remedy(
                    "set an offset to start with the video",
                    parameter="offset",
                    value=f"{first + offset - moments.min():.3f}",
                ),
                code="beyond-the-media",
            )
        )
    outside = float(max(first - moments.min(), moments.max() - last))
    if outside > index.spacing / 2:
        notes.append(
            Note(
                f"the warp reaches {outside:.3f} s beyond the video; its end frame is held there",
                code="beyond-the-media",
                seconds=outside,
            )
        )
    return moments, notes


def _write(
    path: Path,
    kind: str,
    reader: FrameReader,
    moments: npt.NDArray[np.float64],
    rate: Fraction,
    frames: Frames,
    track: Soundtrack,
    quality: int,
    told: Progress,
) -> Film:
    """Write pictures and sound interleaved, so that neither is held in memory."""
    low, share = reader.index.shown_at(moments)
    if frames == "nearest":
        share = np.where(share > 0.5 + _TIE, 1.0, 0.0)
    else:
        share = np.where(share < _UNSEEN, 0.0, np.where(share > 1 - _UNSEEN, 1.0, share))
    av = library()
    first = reader.frame(int(low[0]))
    kept = {k: v for k, v in reader.footage.container.metadata.items() if k in _KEPT}
    try:
        with film(path, kind, kept) as container:
            made = Film(
                container, reader.footage, first, rate=rate, quality=quality, sound=track.tone
            )
            sound = track.sound_until()
            for k in range(len(moments)):
                made.add_picture(k, _picture(reader, made, int(low[k]), float(share[k])))
                for chunk in sound((k + 1) / rate):
                    made.add_sound(chunk)
                told(k + 1, len(moments), "writing frames")
            made.finish()
    except av.error.FFmpegError as e:
        raise FormatError(
            f"the result cannot be written ({e.strerror or e})", path=reader.footage.path
        ) from None
    return made


# Metadata of the container that remains valid for the result.
_KEPT = (
    "title",
    "artist",
    "album",
    "comment",
    "copyright",
    "description",
    "genre",
    "date",
    "creation_time",
    "location",
)


def _picture(reader: FrameReader, made: Film, low: int, share: float) -> Any:
    """Return a picture of the source, or a mix of two neighbours."""
    if share == 0:
        return reader.frame(low)
    if share == 1:
        return reader.frame(low + 1)
    return mix(made.fitted(reader.frame(low)), made.fitted(reader.frame(low + 1)), share)


def mix(a: Any, b: Any, share: float) -> Any:
    """Mix two pictures of one size and format, plane by plane."""
    av = library()
    out = av.VideoFrame(a.width, a.height, a.format.name)
    weight = np.uint16(round(256 * share))
    for one, other, into in zip(a.planes, b.planes, out.planes, strict=True):
        rows, width = into.height, into.width
        shown = [
            np.frombuffer(p, np.uint8).reshape(-1, p.line_size)[:rows, :width] for p in (one, other)
        ]
        mixed = shown[0] * np.uint16(256 - weight) + shown[1] * weight + np.uint16(128)
        np.frombuffer(into, np.uint8).reshape(-1, into.line_size)[:rows, :width] = mixed >> 8
    for name in ("color_range", "colorspace", "color_primaries", "color_trc"):
        setattr(out, name, getattr(a, name))
    return out
