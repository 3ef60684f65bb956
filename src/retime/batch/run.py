"""The coordinator plans tasks, distributes them and sorts results. Only it writes the manifest."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from retime import __version__
from retime.batch.asked import Batch, BatchStoppedError, Summary
from retime.batch.backends import Backend, LostBackendError
from retime.batch.clip_files import clip_sha256, clip_stamp, file_sha256
from retime.batch.clip_recipes import ClipRecipe, ClipRecipes
from retime.batch.manifest import Manifest, Row, manifest_files
from retime.batch.places import PLACES, Places, must_fit
from retime.batch.plan import Item, Shard, make_plan
from retime.batch.task import Outcome, Task
from retime.batch.vary import parse_variations
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.recipe.json import to_document

__all__ = ["Batch", "BatchStoppedError", "Summary", "run_batch"]

# Failures that would repeat; others may succeed next time.
_FOR_GOOD = ("input", "fault")
# Failures that every other clip would have too.
_FOR_ALL = ("disk", "version")


Told = Callable[[Row, Summary], None]


def run_batch(batch: Batch, backend: Backend, told: Told = lambda row, summary: None) -> Summary:
    """Run a batch to its end; after a stop, the manifest makes it possible to continue.

    ``told`` is called with each row as it is finished, and the summary so far.
    """
    return _Run(batch, backend, told).run()


class _Run:
    def __init__(self, batch: Batch, backend: Backend, told: Told) -> None:
        self.batch, self.backend, self.told = batch, backend, told
        variations = parse_variations(batch.vary, batch.recipe)
        self.plan = make_plan(
            batch.library, batch.out, copies=batch.copies, suffix=batch.suffix, shard=batch.shard
        )
        batch.table.must_name(self.plan.clips)
        _must_be_free(batch)
        self.out = batch.out.resolve()
        self.recipes = ClipRecipes(
            batch.recipe,
            self.plan.library,
            self.out / ".references",
            variations,
            batch.seed,
            table=batch.table,
            also=_settings(batch),
        )
        self.physics = batch.physics or batch.gate.needs_physics
        self.summary = Summary(len(self.plan))
        self.places = Places(self.out, _part(batch.shard))
        self._given: dict[str, tuple[Task, Row]] = {}
        self._crashed: list[tuple[Task, Row]] = []
        self._may_crash = True
        self._lock = threading.Lock()  # of the plan and the tasks in progress
        self._counting = threading.Lock()
        self._broken: BaseException | None = None
        self._begun = time.monotonic()

    def run(self) -> Summary:
        self.places.make()
        self.manifest = Manifest(self.out / _manifest_name(self.batch))
        try:
            self.manifest.tell(self._about())
            self.recipes.prepare()
            self._work()
            planned = {item.name for item in self.plan}
            self.summary.strangers = sum(n not in planned for n in self.manifest.names())
            self.places.end()
        except sqlite3.OperationalError as e:
            raise BatchStoppedError(f"{self.manifest.path}: {e}; {self._so_far()}") from None
        finally:
            self.manifest.close()
        self.summary.seconds = time.monotonic() - self._begun
        return self.summary

    def _about(self) -> dict[str, Any]:
        b = self.batch
        return {
            "library": str(self.plan.library),
            "recipe": to_document(b.recipe),
            "vary": list(b.vary),
            "copies": b.copies,
            "seed": b.seed,
            "retime": __version__,
            "gate": b.gate.document,
            "gate_sha256": b.gate.sha256,
        }

    def _work(self) -> None:
        """Do all tasks, and once more those whose process died.

        Somebody may have killed it, or a clip beside it may have taken the memory.
        """
        self._do_all(self._tasks())
        self._may_crash = False
        if self._crashed:
            self._do_all(iter(self._crashed))

    def _do_all(self, todo: Iterator[tuple[Task, Row]]) -> None:
        outcomes = self.backend.run(self._handed_out(todo))
        try:
            for outcome in outcomes:
                self._finish(outcome)
            if self._broken is not None:
                raise self._broken
        except LostBackendError as e:
            raise BatchStoppedError(f"{e}; {self._so_far()}") from None
        except KeyboardInterrupt:
            if self.backend.trouble:
                raise BatchStoppedError(f"{self.backend.trouble}; {self._so_far()}") from None
            raise
        finally:
            with contextlib.suppress(AttributeError):
                outcomes.close()  # type: ignore[attr-defined]

    def _so_far(self) -> str:
        s = self.summary
        return f"{s.finished} of {s.total} are done; continue with --resume"

    # ---- handing out

    def _handed_out(self, todo: Iterator[tuple[Task, Row]]) -> Iterator[Task]:
        """Distribute tasks; called from the backend's threads.

        An exception in here ends the iteration: joblib would ignore it and wait forever.
        """
        try:
            while True:
                with self._lock:
                    given = next(todo, None)
                if given is None:
                    return
                task, row = given
                self.manifest.put(row)
                self._given[task.name] = given
                yield task
        except Exception as e:
            self._broken = e

    def _tasks(self) -> Iterator[tuple[Task, Row]]:
        """Make the tasks that are still to be done, one when it is requested."""
        clip, found = "", (0, 0, "")
        for item in self.plan:
            if not self._is_wanted(item):
                continue
            try:
                must_fit(item.name)
                if item.clip != clip:
                    clip, found = "", (0, 0, "")
                    found = self._looked_at(item.clip)
                    clip = item.clip
                recipe = self.recipes.make(item, found[2])
            except (InputError, OSError) as e:
                row = Row(item.name, item.clip, item.copy, *found, retime=__version__)
                yield Task(item.name, problem=str(e)), row
                continue
            row = Row(
                item.name,
                item.clip,
                item.copy,
                *found,
                recipe.sha256,
                __version__,
                recipe.varied,
                physics=self.physics,
            )
            if self.batch.only is not None or not self._known(row):
                yield self._task(item, row, recipe), row

    def _is_wanted(self, item: Item) -> bool:
        """Return whether a result is to be made: all are, unless only those of one verdict are."""
        only = self.batch.only
        if only is None:
            return True
        old = self.manifest.row(item.name)
        if old is None or old.state == "running":
            self.summary.total -= 1  # it was not made and is not requested
            return False
        if (old.verdict if old.state == "done" else old.state) == only:
            return True
        self._count(old, kept=True)
        return False

    def _looked_at(self, clip: str) -> tuple[int, int, str]:
        """Return size, time stamp and hash of a clip; an unchanged one is not read again."""
        path = self.plan.library / clip
        now = clip_stamp(path)
        known = self.manifest.clip(clip)
        if known is not None and known[:2] == now:
            return known
        return *now, clip_sha256(path)

    def _task(self, item: Item, row: Row, recipe: ClipRecipe) -> Task:
        b = self.batch
        return Task(
            name=item.name,
            source=str(self.plan.library / item.clip),
            sha256=row.clip_sha256,
            recipe=recipe.document,
            target=str(self.places.staged(row)),
            duration=recipe.duration,
            fps=b.fps,
            reading=asdict(b.reading),
            drop_rest=b.drop_rest,
            min_contact=b.min_contact,
            physics=self.physics,
            timeout=b.timeout,
            version=__version__,
        )

    # ---- earlier results

    def _known(self, row: Row) -> bool:
        """Return whether an earlier run did it, and move its result as the gate requires."""
        old = self.manifest.row(row.name)
        if old is None or old.state == "running":
            return False
        if _key(old) != _key(row):
            self.summary.replaced += old.state == "done"
            return False
        if old.state == "failed":
            return self._keep_failure(old)
        return (old.physics or not self.physics) and self._keep_result(old)

    def _keep_failure(self, old: Row) -> bool:
        """Return whether a clip would fail again, and count it."""
        if old.failure not in _FOR_GOOD:
            return False
        self._count(old, kept=True)
        return True

    def _keep_result(self, old: Row) -> bool:
        """Return whether a result is still there, and move it as the gate requires."""
        sorted_ = self._sorted(old)
        if not self.places.placed(sorted_):
            return False
        if sorted_ != old:
            self.manifest.put(sorted_)
        self._count(sorted_, kept=True)
        return True

    def _sorted(self, row: Row) -> Row:
        reasons = self.batch.gate.reasons(row.measures or {})
        return replace(row, verdict=PLACES[bool(reasons)], reasons=reasons)

    # ---- outcomes

    def _finish(self, outcome: Outcome) -> None:
        found = self._given.pop(outcome.name, None)
        if found is None:
            return  # a task that ran twice, because its worker seemed lost
        _, row = found
        if outcome.failure == "crash" and self._may_crash:
            self._crashed.append(found)
            return
        if outcome.failure in _FOR_ALL:
            raise BatchStoppedError(f"{outcome.error}; {self._so_far()}")
        row = replace(
            row,
            seconds=outcome.seconds,
            notes=tuple(outcome.notes),
            state="failed" if outcome.failure else "done",
            failure=outcome.failure,
            error=outcome.error,
        )
        if not outcome.failure:
            row = self._sorted(
                replace(
                    row,
                    measures=outcome.measures,
                    sha256=outcome.sha256,
                    size=outcome.size,
                    clip_seconds=outcome.clip_seconds,
                )
            )
        self.manifest.put(row)  # before the file is moved: a later run repairs a kill in between
        self.places.settle(row)
        self._count(row)

    def _count(self, row: Row, *, kept: bool = False) -> None:
        name = row.verdict if row.state == "done" else "failed"
        with self._counting:
            setattr(self.summary, name, getattr(self.summary, name) + 1)
            self.summary.kept += kept
            self.summary.seconds = time.monotonic() - self._begun
            self.told(row, self.summary)


def _settings(batch: Batch) -> dict[str, Any]:
    """List the inputs of results other than recipe and clip; unused options are left out."""
    plain = asdict(Reading())
    reading = {k: v for k, v in asdict(batch.reading).items() if v != plain[k]}
    if batch.reading.skeleton is not None:
        reading["skeleton"] = file_sha256(Path(batch.reading.skeleton))
    settings: dict[str, Any] = {"fps": batch.fps, "suffix": batch.suffix}
    if reading:
        settings["reading"] = reading
    if batch.drop_rest:
        settings["drop_rest"] = True
    return settings


def _key(row: Row) -> tuple[str, str, str]:
    return row.clip_sha256, row.recipe_sha256, row.retime


def _part(shard: Shard | None) -> str:
    return "" if shard is None else f"-{shard.part}of{shard.parts}"


def _manifest_name(batch: Batch) -> str:
    return f"manifest{_part(batch.shard)}.sqlite"


def _must_be_free(batch: Batch) -> None:
    """Reject a folder with other content, or with a batch that is not to be continued."""
    out = batch.out
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; results need a folder")
    own = _manifest_name(batch)
    manifests = [p.name for p in manifest_files(out)]
    _must_have_shards(out, manifests, own)
    if batch.only is not None and own not in manifests:
        raise InputError(f"{out} contains no batch to repeat")
    if own in manifests and not batch.resume and batch.only is None:
        raise InputError(f"{out} contains a batch already; continue it with --resume")
    if not manifests and out.is_dir():
        _must_hold_nothing_else(out)


def _must_have_shards(out: Path, manifests: list[str], own: str) -> None:
    """Reject a folder with a batch that has another number of shards."""
    shards = own.partition("of")[2]
    other = next((n for n in manifests if n.partition("of")[2] != shards), None)
    if other is not None:
        raise InputError(
            f"{out} contains a batch with other shards ({other}); shards of one number, or none, "
            "share a folder"
        )


def _must_hold_nothing_else(out: Path) -> None:
    others = sorted(p.name for p in out.iterdir() if p.name not in (*PLACES, ".references"))
    if others and not others[0].startswith((".work", "manifest")):
        raise InputError(f"{out} contains {others[0]!r}: results need a folder of their own")
