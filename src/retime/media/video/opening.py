"""Open video files: find their streams, and convert the library's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from retime.errors import FormatError, InputError, MissingDependencyError
from retime.notes import Note


def library() -> ModuleType:
    """Import PyAV; raise with the command that installs it if it is missing."""
    try:
        import av
    except ImportError:
        raise MissingDependencyError("reading and writing video", "video") from None
    # Errors report damage; the decoders' own log would hide them.
    av.logging.set_level(None)
    module: ModuleType = av
    return module


@contextmanager
def refused(path: str | Path, what: str = "the video cannot be read") -> Iterator[None]:
    """Convert the library's errors to messages about the file."""
    av = library()
    try:
        yield
    except (av.error.FFmpegError, ValueError) as e:  # ValueError for input that PyAV itself rejects
        reason = getattr(e, "strerror", None) or str(e)
        raise FormatError(f"{what} ({reason})", path=path) from None


class Footage:
    """An open video file: its container, its picture and its sound.

    Attributes
    ----------
    container, picture, sound : Any
        PyAV's container and streams; ``sound`` is ``None`` if there is none.
    zero : float
        The time stamp in seconds at which players start to count.
    notes : list of str
        Streams that were left out.
    """

    def __init__(self, path: Path, container: Any) -> None:
        self.path, self.container = path, container
        self.notes: list[Note] = []
        av = library()
        covers = av.stream.Disposition.attached_pic
        pictures = [s for s in container.streams.video if not s.disposition & covers]
        if not pictures:
            raise FormatError("there is no video in the file", path=path)
        self.picture = pictures[0]
        if self.picture.codec_context is None:
            raise FormatError("there is no decoder here for the file's video", path=path)
        sounds = [s for s in container.streams.audio if s.codec_context is not None]
        self.sound: Any = sounds[0] if sounds else None
        others = len(container.streams) - 1 - (self.sound is not None)
        if others:
            self.notes.append(
                Note(
                    f"only the first video and sound are used; {others} more are left out",
                    code="streams-left-out",
                    streams=others,
                )
            )
        self.zero = (container.start_time or 0) / av.time_base


class Music:
    """An open file for its sound only; attributes are those of :class:`Footage`."""

    def __init__(self, path: Path, container: Any) -> None:
        self.path, self.container = path, container
        sounds = [s for s in container.streams.audio if s.codec_context is not None]
        if not sounds:
            raise FormatError("there is no sound in the file", path=path)
        self.sound: Any = sounds[0]
        self.zero = (container.start_time or 0) / library().time_base


@contextmanager
def open_music(path: str | Path) -> Iterator[Music]:
    """Open a sound file, or a video for its sound."""
    with closing(_opened(Path(path), "the sound cannot be read")) as container:
        yield Music(Path(path), container)


@contextmanager
def open_footage(path: str | Path) -> Iterator[Footage]:
    """Open a video file to read."""
    with closing(_opened(Path(path), "the video cannot be read")) as container:
        yield Footage(Path(path), container)


def _opened(path: Path, what: str) -> Any:
    av = library()
    if not path.is_file():
        raise InputError(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
    with refused(path, what):
        # Ignore metadata in other encodings, and do not follow playlists to other files.
        options = {"protocol_whitelist": "file"}
        return av.open(str(path), options=options, metadata_errors="replace")


def look_at(path: str | Path) -> tuple[float, float]:
    """Return a video's length in seconds and its frame rate, as declared in the file."""
    av = library()
    with open_footage(path) as footage:
        length = (footage.container.duration or 0) / av.time_base
        rate = footage.picture.average_rate or footage.picture.guessed_rate
    if length <= 0 or not rate:
        raise FormatError("the file has no length or frame rate", path=path)
    return length, float(rate)
