"""Read what ``retime check`` and ``retime report`` compare: a motion, its source and its warps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retime.cli.options import must_take_a_skeleton
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.motion import Motion
from retime.timing import TimeWarp


@dataclass(frozen=True)
class Compared:
    """A motion, and what is known about how it was made."""

    motion: Motion
    source: Motion | None
    """Motion that it was made from."""
    warp: TimeWarp | None
    """Warp that was applied to the source."""
    truth: TimeWarp | None
    """Known correct warp."""

    @classmethod
    def read(
        cls,
        file: Path,
        reading: Reading,
        animation: str | None,
        *,
        source: Path | None,
        warp: Path | None,
        truth: Path | None,
    ) -> Compared:
        """Read all files; the motion must have frames."""
        must_take_a_skeleton(reading, [f for f in (file, source) if f is not None])
        motion = reading.for_file(file).read(file, animation=animation)
        if not len(motion):
            raise InputError(f"{file} has no frames to measure")
        original = None if source is None else _read_source(source, reading, animation)
        return cls(motion, original, _read_warp(warp), _read_warp(truth))


def _read_source(file: Path, reading: Reading, animation: str | None) -> Motion:
    """Read the source of a result: the same animation, if the file has several."""
    from retime.io import format_of

    chosen = animation if format_of(file).several else None
    return reading.for_file(file).read(file, animation=chosen)


def _read_warp(file: Path | None) -> TimeWarp | None:
    from retime.io.warp_json import read_warp

    return None if file is None else read_warp(file)
