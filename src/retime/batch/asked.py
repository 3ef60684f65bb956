"""Requests for batches, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retime.batch.clip_table import ClipTable
from retime.batch.gate import Gate
from retime.batch.plan import Shard
from retime.errors import RetimeError
from retime.evaluate.reading import Reading
from retime.recipe import Recipe

Verdict = Literal["accepted", "rejected", "failed"]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A recipe to be mapped over a library."""

    recipe: Recipe
    """The steps."""
    library: Path
    out: Path
    """Folder of the clips, and of the results."""
    gate: Gate = field(default_factory=lambda: Gate({}))
    """Thresholds that results must meet to be accepted."""
    vary: tuple[str, ...] = ()
    """Variations between copies, like ``"duration=0.8..1.25"``."""
    table: ClipTable = field(default_factory=ClipTable)
    """Parameters of single clips."""
    only: Verdict | None = None
    """Make only these results of an earlier run again; the others are unchanged."""
    copies: int = 1
    """Results to be made of each clip."""
    seed: int = 0
    """Another seed draws other values."""
    suffix: str = ""
    """Suffix of the results, like ``"npz"``; empty to keep each clip's own."""
    fps: float | None = None
    """Frame rate of the results; otherwise each clip's own."""
    reading: Reading = field(default_factory=Reading)
    """Values that override those of the clips' files."""
    drop_rest: bool = False
    """Leave out the rest poses that were set aside on reading."""
    min_contact: float = 0.1
    """Shortest contact, seconds, for the measures."""
    physics: bool = False
    """Also measure feasibility; a gate that looks at it does so by itself."""
    timeout: float | None = None
    """Seconds after which the work on a clip is ended."""
    shard: Shard | None = None
    """The part of the library to be done."""
    resume: bool = False
    """Continue an earlier run in ``out``."""


@dataclass
class Summary:
    """Result of a batch."""

    total: int
    """Results to be made."""
    kept: int = 0
    """Results that an earlier run had made."""
    accepted: int = 0
    rejected: int = 0
    failed: int = 0
    """Of all results, those of earlier runs included."""
    replaced: int = 0
    """Results of earlier runs whose clip or recipe is another now: they are made again."""
    strangers: int = 0
    """Results of earlier runs that are not in today's plan; they are left alone."""
    seconds: float = 0.0
    """Time that this run took."""
    damaged: list[str] = field(default_factory=list)
    """Damaged records of earlier runs, whose results were made again."""

    @property
    def finished(self) -> int:
        """Results that are made or have failed."""
        return self.accepted + self.rejected + self.failed


class BatchStoppedError(RetimeError):
    """The batch could not continue; finished results are kept."""
