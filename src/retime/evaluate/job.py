"""Jobs, which all front ends build, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from retime.evaluate.reading import Reading
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply_edits
from retime.motion.touched import Touched, difference
from retime.notes import Note
from retime.one_line import one_line
from retime.pictured import Pictured
from retime.recipe import Recipe
from retime.recipe.recipe import Solved
from retime.timing import TimeWarp


@one_line()
@dataclass(frozen=True, kw_only=True)
class Job:
    """A motion, a recipe, and options for the result.

    Parameters
    ----------
    source : str, Path or Motion
        A file or a motion.
    recipe : Recipe
        The steps.
    reading : Reading
        Options for reading the file.
    animation : str or int, optional
        Animation to use from a file with several.
    sha256 : str
        Required hash of the file; empty for any.
    fps : float, optional
        Frame rate of the result. Default: the source's.
    exact : bool
        Keep requested durations exactly and change the frame time, instead of rounding to whole
        frames.
    target : str or Path, optional
        File that the result will be written to. If it has the format of the source, its keys are
        moved, and nothing is rounded to frames.
    hold : bool
        Hold planted feet after all other steps.
    contacts : tuple of Contact, optional
        Known contacts in the source's time. They replace the detected contacts of the same joints.
    contacts_only : bool
        Hold the known contacts only.
    factor : (int, float), optional
        Number of a step, from 0, and its duration relative to its input.
    first_frame : int
        Number of the source's first frame, for times in frames.
    corrections : bool
        Move dragged limbs to their positions in space. Otherwise steps that change no pose only
        move keys in time, so that sparse keys stay sparse, with a note.
    """

    source: str | Path | Motion
    recipe: Recipe = field(default_factory=Recipe)
    reading: Reading = field(default_factory=Reading)
    animation: str | int | None = None
    sha256: str = ""
    fps: float | None = None
    exact: bool = False
    target: str | Path | None = None
    hold: bool = False
    contacts: tuple[Contact, ...] | None = None
    contacts_only: bool = False
    factor: tuple[int, float] | None = None
    first_frame: int = 0
    corrections: bool = True


@one_line()
@dataclass(frozen=True, eq=False)
class Evaluated(Pictured):
    """Result of a job.

    Parameters
    ----------
    source : Motion
        Source motion.
    recipe : Recipe
        The steps as run, with durations in whole frames and contacts held as requested.
    solved : tuple of Solved
        Input and result of each step that is not muted.
    motion : Motion
        The result.
    warp : TimeWarp
        Warp from the time of the result to that of the source.
    in_place : bool
        Whether the result is written as moved keys in a copy of the source's file.
    notes : tuple of Note
        Findings, assumptions and changes, without the notes of the source.
    """

    source: Motion
    recipe: Recipe
    solved: tuple[Solved, ...]
    motion: Motion
    warp: TimeWarp
    in_place: bool
    notes: tuple[Note, ...]

    @cached_property  # it resamples the source
    def touched(self) -> Touched:
        """Joints that were edited, beyond moving them in time."""
        origin = self.motion.origin
        if origin is not None and origin.delivered is not None:
            return self.motion.touched
        plain = apply_edits(self.source, [Edit(self.warp.of_keys())], times=self.motion.times)
        return difference(plain.tracks, self.motion.tracks, self.motion.skeleton)

    @property
    def figures(self) -> dict[str, float]:
        """Numbers that the methods computed, such as costs."""
        return {k: float(v) for s in self.solved for k, v in s.edit.figures.items()}
