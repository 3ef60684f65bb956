"""Requests for batches, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field

from retime.batch.clip_table import ClipTable
from retime.batch.gate import Gate
from retime.batch.options import BatchOptions
from retime.batch.plan import Shard
from retime.errors import RetimeError
from retime.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Batch(BatchOptions):
    """A recipe to be mapped over a library."""

    recipe: Recipe
    """The steps."""
    gate: Gate = field(default_factory=lambda: Gate({}))
    """Thresholds that results must meet to be accepted."""
    table: ClipTable = field(default_factory=ClipTable)
    """Parameters of single clips."""
    shard: Shard | None = None
    """The part of the library to be done."""


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
