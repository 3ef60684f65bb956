"""One clip's work: read, retime, measure, write. A function of plain data, run in any process."""

from __future__ import annotations

import errno
import hashlib
import shutil
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from retime.errors import InputError, MissingDependencyError, RetimeError
from retime.notes import Note

Failure = Literal[
    "", "input", "unreadable", "fault", "missing", "memory", "time", "crash", "disk", "version"
]

# Measures of which more is better, for files of several animations: the worst one counts.
_MORE_IS_BETTER = {"jerk", "contacts_kept", "feasible_share"}


@dataclass(frozen=True)
class Task:
    """Task for a worker, as plain data."""

    name: str
    """The result's name, relative to the folder of results."""
    source: str = ""
    """The clip."""
    sha256: str = ""
    """Hash of the clip's contents, from ``clip_sha256``."""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """The clip's own recipe, as JSON."""
    target: str = ""
    """Path of the result, which is written completely or not at all."""
    duration: tuple[int, float] | None = None
    """The step whose duration is this factor of the clip's."""
    fps: float | None = None
    """Frame rate of the result; otherwise the clip's."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the clip is read: fields of ``Reading``."""
    drop_rest: bool = False
    """Leave out a rest pose that was set aside on reading."""
    min_contact: float = 0.1
    """Shortest contact, seconds, for the measures."""
    physics: bool = False
    """Also measure feasibility."""
    timeout: float | None = None
    """Seconds after which the work is ended."""
    version: str = ""
    """The version of retime that asks; another one must not answer."""
    problem: str = ""
    """An earlier error: the clip cannot be read, or its reference does not exist."""


@dataclass(frozen=True)
class Outcome:
    """Result of a task."""

    name: str
    """The task's."""
    failure: Failure = ""
    """Empty if the result was written; otherwise the cause: the ``input``, retime
    (``fault``), of the machine (``unreadable`` from there, ``missing`` part, ``memory``, ``disk``),
    it took too much ``time``, its process ended (``crash``), or the worker is of another
    ``version``.
    """
    error: str = ""
    """The same as a sentence."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Of the result."""
    notes: Sequence[str] = ()
    """Findings, assumptions and changes."""
    sha256: str = ""
    """Hash of the result's bytes."""
    size: int = 0
    """Their number."""
    seconds: float = 0.0
    """Time that the work took."""
    clip_seconds: float = 0.0
    """Duration of the result."""


def do_task(task: Task) -> Outcome:
    """Process one clip; failures are returned, never raised."""
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            made = _made(task)
        notes = list(dict.fromkeys([*made.notes, *(str(w.message) for w in said)]))
        return replace(made, notes=notes, seconds=time.perf_counter() - begun)
    except BaseException as e:
        if isinstance(e, KeyboardInterrupt | SystemExit):
            raise
        failure, error = _told(e)
        return Outcome(task.name, failure, error, seconds=time.perf_counter() - begun)


def _told(e: BaseException) -> tuple[Failure, str]:
    if isinstance(e, _WriteError):
        return "disk", str(e)
    if isinstance(e, _UnreadableError):
        return "unreadable", str(e)
    if isinstance(e, MissingDependencyError):
        return "missing", str(e)
    if isinstance(e, RetimeError):
        return "input", str(e)
    if isinstance(e, MemoryError):
        return "memory", "there is not enough memory for it"
    where = traceback.extract_tb(e.__traceback__)[-1]
    at = f"{Path(where.filename).name}:{where.lineno}"
    return "fault", f"{type(e).__name__}: {e} ({at}). This is a bug in retime"


class _UnreadableError(RetimeError):
    """The clip cannot be read from this machine; another machine or attempt may succeed."""


class _WriteError(RetimeError):
    """The folder of results is not writable, so every clip would fail."""


def _made(task: Task) -> Outcome:
    from retime import __version__
    from retime.body.measure.metrics import measure
    from retime.evaluate import Evaluator, Job, Reading
    from retime.io import keeps_file, kind_of

    if task.version != __version__:
        text = f"this worker has retime {__version__}, and the batch retime {task.version}"
        return Outcome(task.name, "version", text)
    _must_be_the_same(task)
    job = Job(
        source=task.source,
        recipe=_recipe(task),
        reading=Reading(**task.reading).for_file(task.source),
        fps=task.fps,
        target=task.target,
        factor=task.duration,
    )
    evaluator = Evaluator()
    if keeps_file(kind_of(task.source), task.target):
        listed = [found for _, found in evaluator.evaluate_all(job) if found is not None]
    else:
        listed = [evaluator.evaluate(job)]
    found: list[Mapping[str, float]] = []
    notes: list[Note] = []
    for done in listed:
        measures = measure(
            done.motion, source=done.source, warp=done.warp, min_contact=task.min_contact
        )
        if task.physics:
            measures |= _feasible(done.source, done.warp, done.recipe, notes)
        found.append(measures)
        notes += done.motion.notes
    data = _write(task, listed)
    return Outcome(
        task.name,
        measures=_worst(found),
        notes=notes,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        clip_seconds=max(done.motion.duration for done in listed),
    )


def _must_be_the_same(task: Task) -> None:
    from retime.batch.clip_files import clip_sha256

    try:
        found = clip_sha256(Path(task.source))
    except InputError as e:  # the coordinator could
        raise _UnreadableError(str(e)) from None
    if found != task.sha256:
        raise InputError(f"{task.source} changed while the batch ran; run it again with --resume")


def _recipe(task: Task) -> Any:
    """Make the clip's recipe, with references from indices."""
    from retime.batch.library_index import open_index
    from retime.recipe import Recipe
    from retime.recipe.json import from_document

    steps = []
    for step in from_document(task.recipe).steps:
        reference = getattr(step.parameters, "reference", None)
        if isinstance(reference, tuple):
            motions: list[Any] = []
            for item in reference:
                mapped = isinstance(item, Mapping) and "index" in item
                motions += open_index(item["index"]) if mapped else [item]
            step = replace(step, parameters=replace(step.parameters, reference=tuple(motions)))
        steps.append(step)
    return Recipe(steps)


def _feasible(source: Any, warp: Any, recipe: Any, notes: list[Note]) -> dict[str, float]:
    from retime.methods.physics import PhysicsModel, judged_by
    from retime.parameters import values_of

    try:
        p = judged_by((s.parameters for s in recipe.steps if not s.mute), {})
        return {"feasible_share": PhysicsModel(source, **values_of(p)).explain(warp).share}
    except InputError as e:
        notes.append(Note(f"feasibility could not be measured: {e}", code="feasibility-not-judged"))
        return {}


def _worst(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the measures of a file, each of its worst animation."""
    out: dict[str, float] = {}
    for measures in found:
        for name, value in measures.items():
            choose = min if name in _MORE_IS_BETTER else max
            out[name] = choose(out.get(name, value), value)
    return out


def _write_skeleton(target: Path) -> None:
    """Copy a separate skeleton file beside its motion, unless it is there already."""
    from retime.io import format_of

    form = format_of(target)
    if form.skeleton_apart and len(form.suffixes) > 1:  # written with a skeleton of its own
        from retime.io.beside import must_find_beside

        beside = target.with_suffix(form.suffixes[1])
        if not beside.exists():
            shutil.copyfile(must_find_beside(target, form.suffixes[1]), beside)


def _write(task: Task, listed: Sequence[Any]) -> bytes:
    from retime.io import format_of, write
    from retime.io.files import read_bytes

    target = Path(task.target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if listed[0].in_place:
            format_of(target).write_all([done.motion for done in listed], target)
        else:
            first = listed[0]
            write(first.motion, target, drop_rest=task.drop_rest, original=first.source)
        _write_skeleton(target)
        return read_bytes(target)
    except (OSError, RetimeError) as e:
        cause: BaseException | None = e
        while cause is not None and not isinstance(cause, OSError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        if cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _WriteError(f"the disk is full: {target.parent}") from None
        raise _WriteError(str(e)) from None
