"""Shared part of retiming commands: read, evaluate a recipe, and write all files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retime.cli.console import progress, report
from retime.cli.options import Retiming, must_differ
from retime.errors import InputError
from retime.notes import Note

if TYPE_CHECKING:
    from retime.evaluate import Evaluated, Job
    from retime.motion import Motion
    from retime.recipe import Recipe, Step


# A result this many times as long is doubted, if its length was given as a plain number.
_FAR = 4.0


def retime_file(
    steps: list[Any],
    source: Path,
    target: Path,
    retiming: Retiming,
    *,
    warp_file: Path | None = None,
    beside: Sequence[Path | None] = (),
    read: Recipe | None = None,
) -> None:
    """Evaluate steps on a file and its partners, and report the result.

    ``beside`` are files that the command writes itself: none may be written twice. ``read`` is the
    recipe that the steps come from.
    """
    pairs = [_pair(text, target) for text in retiming.also or []]
    _must_not_collide([(source, target), *pairs], [warp_file, retiming.recipe, *beside])
    every = retiming.animation == "all"
    if every:
        _must_be_whole_files(source, target, retiming, warp_file, beside)
    job, notes = _job(steps, source, target, retiming, read)
    if every:
        recipe = _retime_all(job, source, target, retiming, notes)
    else:
        recipe = _retime_one(job, target, retiming, pairs, warp_file, notes)
    if retiming.recipe is not None:
        from retime.recipe.json import write_recipe

        write_recipe(recipe, retiming.recipe)


def retime_or_show(
    step: Step,
    source: Path,
    target: Path | None,
    retiming: Retiming,
    *,
    warp_file: Path | None,
    beside: Sequence[Path | None],
    show: bool = False,
) -> tuple[Motion, Step] | None:
    """Retime a file if an output is given, and read it if anything of it is drawn or listed.

    Returns the source, and the step with its times in the source's seconds.
    """
    if target is None:
        options = {"--warp": warp_file, "--recipe": retiming.recipe, "--also": retiming.also}
        idle = [name for name, value in options.items() if value]
        if idle:
            raise InputError(f"{idle[0]} needs a result: give an output file (OUT)")
        if retiming.animation == "all":
            raise InputError("pictures show one animation; name it (--animation NAME)")
    else:
        retime_file([step], source, target, retiming, warp_file=warp_file, beside=beside)
    return retiming.read_for(step, source) if show or any(beside) else None


def _job(
    steps: list[Any],
    source: Path,
    target: Path,
    retiming: Retiming,
    read: Recipe | None,
) -> tuple[Job, list[Note]]:
    from retime.evaluate import Job
    from retime.io import format_of
    from retime.io.files import read_bytes
    from retime.recipe import Recipe

    format_of(source)  # a folder is no motion file
    notes: list[Note] = []
    made_for = None if read is None else read.input
    sha256 = hashlib.sha256(read_bytes(source)).hexdigest()
    if made_for is not None and made_for.get("sha256") not in (None, sha256):
        name = made_for.get("name", "unknown")
        told = f"the recipe was made for another file ({name})"
        notes.append(Note(told, code="made-for-another-file", name=name))
    job = Job(
        source=source,
        recipe=Recipe(steps, {"name": source.name, "sha256": sha256}),
        reading=retiming.reading,
        animation=None if retiming.animation == "all" else retiming.animation,
        fps=retiming.fps,
        exact=retiming.exact,
        target=target,
        hold=retiming.hold,
        **({} if retiming.contacts is None else known_contacts(retiming.contacts)),
    )
    return job, notes


def _retime_one(
    job: Job,
    target: Path,
    retiming: Retiming,
    pairs: list[tuple[Path, Path]],
    warp_file: Path | None,
    notes: list[Note],
) -> Recipe:
    from retime.evaluate import Evaluator
    from retime.io import write
    from retime.io.warp_json import write_warp

    with progress("retiming") as told:
        found = Evaluator().evaluate(job, progress=told)
    partners = []
    for one, _ in pairs:
        followed = _followed(found, one, job, retiming)
        notes += followed.notes
        partners.append(followed.motion)
    # All are computed before the first is written.
    write(found.motion, target, drop_rest=retiming.drop_rest, original=found.source)
    for moved, (_, other) in zip(partners, pairs, strict=True):
        write(moved, other, drop_rest=retiming.drop_rest)
    if warp_file is not None:
        write_warp(found.warp, warp_file)
    fields = _fields(found, target, retiming, [other for _, other in pairs], warp_file)
    notes = [*found.source.notes, *found.notes, *notes]
    if not found.in_place and _is_same(found.source, found.motion):
        notes.append(Note("the result is the same as the source: nothing was edited", code="same"))
    notes += _length_note(job, found)
    report(fields, as_json=retiming.as_json, notes=notes)
    return found.recipe


def _length_note(job: Job, found: Evaluated) -> list[Note]:
    """Return a note if a plain number was given for a length that is hardly meant in seconds."""
    ratio = found.motion.duration / found.source.duration
    lengths = (getattr(s.parameters, "duration", None) for s in job.recipe.steps)
    plain = next((x for x in lengths if isinstance(x, float)), None)
    if plain is None or ratio < _FAR:
        return []
    told = f"the result is {ratio:.3g} times as long"
    return [Note(f"{told}; write {plain:g}% or {plain:g}f if you meant these", code="far-longer")]


def _followed(found: Evaluated, file: Path, job: Job, retiming: Retiming) -> Evaluated:
    """Return the result of a partner's file, which follows a result."""
    from retime.evaluate.partner import follow
    from retime.groups.followers import Followers

    name, partner = str(file), retiming.reading.for_partner(file).read(file)
    leader = Followers({name: {"source": 1.0}})
    return follow(
        leader, name, partner, {"source": found}, fps=job.fps, exact=job.exact, hold=job.hold
    )


def _fields(
    found: Evaluated,
    target: Path,
    retiming: Retiming,
    partners: Sequence[Path],
    warp_file: Path | None,
) -> dict[str, Any]:
    """Return what is reported about a result and its files."""
    motion, result, kept = found.source, found.motion, found.in_place
    fields = {
        "output": target,
        "frames": round(result.duration * motion.rate) + 1 if kept else len(result),
        "fps": motion.rate if kept else result.rate,
        "duration_s": result.duration,
        "source_duration_s": motion.duration,
        "also": list(partners) or None,
        "warp": warp_file,
        "recipe": retiming.recipe,
    }
    figures = found.figures
    if retiming.as_json and figures:
        fields["figures"] = figures
    elif "guided" in figures:
        fields["cost"] = _costs(figures)
    return fields


def _costs(figures: Mapping[str, float]) -> str:
    """Return the cost of a guided warp beside those of what it is compared with."""
    others = [f"{name} {figures[name]:.4g}" for name in ("uniform", "spline") if name in figures]
    return f"{figures['guided']:.4g} by the paper's score ({', '.join(others)})"


def _is_same(source: Motion, result: Motion) -> bool:
    """Return whether a result equals its source, as it does if no edit was given."""
    from retime.motion.touched import difference

    same_length = math.isclose(result.duration, source.duration)
    return same_length and not difference(source.tracks, result.tracks, source.skeleton)


def _must_be_whole_files(
    source: Path,
    target: Path,
    retiming: Retiming,
    warp_file: Path | None,
    beside: Sequence[Path | None],
) -> None:
    """Reject options for a single animation if every animation of a file is retimed."""
    from retime.io import format_of

    if any(b is not None for b in beside):
        raise InputError("pictures show one animation; name it (--animation NAME)")
    form = format_of(source)
    if not form.several or format_of(target).name != form.name:
        raise InputError("--animation all needs a format with several animations, for both files")
    if warp_file is not None or retiming.also or retiming.contacts is not None:
        raise InputError("--animation all cannot be used with --warp, --also or --contacts")


def _retime_all(
    job: Job, source: Path, target: Path, retiming: Retiming, notes: list[Note]
) -> Recipe:
    """Evaluate a job on every animation of a file, each by itself, and write one file."""
    from retime.evaluate import Evaluator
    from retime.io import format_of

    with progress("retiming") as told:
        done = Evaluator().evaluate_all(job, progress=told)
    made = {name: found for name, found in done if found is not None}
    format_of(source).write_all([found.motion for found in made.values()], target)
    rows = [f"{n} {e.source.duration:.3g} to {e.motion.duration:.3g} s" for n, e in made.items()]
    for name, found in done:
        if found is None:
            left = f"{name}: a single pose, left as it is"
            notes.append(Note(left, code="single-pose", animation=name))
    for name, e in made.items():
        notes += [n.within(name) for n in (*e.source.notes, *e.notes)]
    fields = {"output": target, "animations": rows}
    report(fields, as_json=retiming.as_json, notes=notes)
    return next(iter(made.values())).recipe


def known_contacts(path: Path) -> dict[str, Any]:
    """Read contacts: a list, or an object with the list and perhaps ``"only": true``."""
    from retime.io.json_text import parse_json
    from retime.motion.contact import parse_contacts

    document: Any = parse_json(path)
    only = False
    if isinstance(document, dict):
        only = bool(document.get("only", False))
        document = document.get("contacts")
    try:
        return {"contacts": parse_contacts(document), "contacts_only": only}
    except InputError as e:
        raise InputError(f"{path}: {e}") from None


def _must_not_collide(pairs: list[tuple[Path, Path]], beside: list[Path | None]) -> None:
    """Reject, before any work, outputs that overwrite an input or each other."""
    from retime.io import format_of

    targets = [target for _, target in pairs] + [b for b in beside if b is not None]
    for source, target in pairs:
        format_of(target)
        for other in targets:
            must_differ(source, other)
    seen: set[Path] = set()
    for target in targets:
        place = target.resolve()
        if place in seen:
            raise InputError(f"{target} would be written twice; give each result its own name")
        seen.add(place)


def _pair(text: str, target: Path) -> tuple[Path, Path]:
    """Split FILE[=OUT]; without OUT the result is written beside the main one, named after FILE."""
    file, mark, out = text.partition("=")
    source = Path(file)
    if mark:
        return source, Path(out)
    return source, target.parent / f"{source.stem}-retimed{source.suffix}"
