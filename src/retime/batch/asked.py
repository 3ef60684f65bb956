"""What is asked of a batch, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from retime.batch.gate import Gate
from retime.batch.plan import Shard
from retime.errors import RetimeError
from retime.evaluate.reading import Reading
from retime.recipe import Recipe

__all__ = ["Batch", "BatchStoppedError", "Summary"]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A recipe to be mapped over a library.

    Parameters
    ----------
    recipe : Recipe
        The steps.
    library, out : Path
        Folder of the clips, and of the results.
    gate : Gate
        Thresholds that results must meet to be accepted.
    vary : sequence of str
        What differs from copy to copy, like ``"duration=0.8..1.25"``.
    copies : int
        Results to be made of each clip.
    seed : int
        Another seed draws other values.
    suffix : str
        Suffix of the results, like ``"npz"``; empty to keep each clip's own.
    fps : float, optional
        Frame rate of the results; else each clip's own.
    reading : Reading
        How clips are read, where their files tell too little.
    drop_rest : bool
        Leave out the rest poses that were set aside on reading.
    min_contact : float
        Shortest contact in seconds, for the measures.
    physics : bool
        Also measure feasibility; a gate that looks at it does so by itself.
    timeout : float, optional
        Seconds after which the work on a clip is ended.
    shard : Shard, optional
        The part of the library to be done.
    resume : bool
        Continue what was begun in ``out``.
    """

    recipe: Recipe
    library: Path
    out: Path
    gate: Gate = field(default_factory=lambda: Gate({}))
    vary: tuple[str, ...] = ()
    copies: int = 1
    seed: int = 0
    suffix: str = ""
    fps: float | None = None
    reading: Reading = field(default_factory=Reading)
    drop_rest: bool = False
    min_contact: float = 0.1
    physics: bool = False
    timeout: float | None = None
    shard: Shard | None = None
    resume: bool = False


@dataclass
class Summary:
    """What came of a batch.

    Parameters
    ----------
    total : int
        Results to be made.
    kept : int
        Results that an earlier run had made.
    accepted, rejected, failed : int
        Of all results, those of earlier runs included.
    replaced : int
        Results of earlier runs whose clip or recipe is another now: they are made again.
    strangers : int
        Results of earlier runs that are not in today's plan; they are left alone.
    seconds : float
        Time that this run took.
    """

    total: int
    kept: int = 0
    accepted: int = 0
    rejected: int = 0
    failed: int = 0
    replaced: int = 0
    strangers: int = 0
    seconds: float = 0.0

    @property
    def finished(self) -> int:
        """Results that are made or have failed."""
        return self.accepted + self.rejected + self.failed


class BatchStoppedError(RetimeError):
    """The batch could not go on; what is done is kept."""
