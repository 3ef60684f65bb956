"""The motion, source and warps that ``retime check`` and ``retime report`` compare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from retime.cli.command import ADVANCED
from retime.cli.options import OneAnimation, must_take_a_skeleton
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import MinContact

if TYPE_CHECKING:
    from retime.motion import Motion
    from retime.timing import TimeWarp


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """The files that tell how a motion was made, and how it is read and measured."""

    source: Annotated[Path | None, About("Source clip that the motion was made from.")] = None
    warp: Annotated[Path | None, About("Warp that was applied to the source.")] = None
    truth: Annotated[
        Path | None, About("Known correct warp to compare --warp with.", panel=ADVANCED)
    ] = None
    min_contact: MinContact = 0.1
    animation: OneAnimation = None
    reading: Reading

    def read(self, file: Path) -> Compared:
        """Read all files; the motion must have frames."""
        from retime.io import format_of

        sources = [] if self.source is None else [self.source]
        must_take_a_skeleton(self.reading, [file, *sources])
        motion = self.reading.for_file(file).read(file, animation=self.animation)
        if not len(motion):
            raise InputError(f"{file} has no frames to measure")
        original = None
        for one in sources:  # the same animation, if the file has several
            chosen = self.animation if format_of(one).several else None
            original = self.reading.for_file(one).read(one, animation=chosen)
        return Compared(motion, original, _read_warp(self.warp), _read_warp(self.truth))


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


def _read_warp(file: Path | None) -> TimeWarp | None:
    from retime.io.warp_json import read_warp

    return None if file is None else read_warp(file)
