"""What every command that retimes does: read, evaluate a recipe, write, and the files beside."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retime.cli.console import progress, report
from retime.cli.options import Retiming, in_place, must_differ
from retime.errors import InputError

__all__ = ["known_contacts", "retime_file"]


def retime_file(
    steps: list[Any],
    source: Path,
    target: Path,
    retiming: Retiming,
    *,
    warp_file: Path | None = None,
    beside: Sequence[Path | None] = (),
    made_for: Mapping[str, str] | None = None,
) -> None:
    """Evaluate steps on a file and on those that go with it; say what came of it.

    ``beside`` are files that the command writes itself: none may be written twice.
    """
    from retime.body import find_body
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.motion.edits import Edit, apply_edits, total_warp
    from retime.recipe import Recipe, Step
    from retime.recipe.json import write_recipe

    pairs = [_pair(text, target) for text in retiming.also or []]
    _must_not_collide([(source, target), *pairs], [warp_file, retiming.recipe, *beside])
    if retiming.animation == "all":
        if any(b is not None for b in beside):
            raise InputError("pictures are of one animation; name it (--animation NAME)")
        _retime_all(steps, source, target, retiming, warp_file)
        return
    motion = retiming.read(source)
    # Keys in a file that is retimed in place may stand at any time: nothing is rounded to frames.
    kept = in_place(source, target)
    fps, exact = retiming.fps, retiming.exact or kept
    notes = []
    if kept and fps is not None:
        notes.append(
            f"the file keeps its rate, and keys their spacing; {fps:g} fps is for what had to be "
            "sampled anew"
        )
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    if made_for is not None and made_for.get("sha256") not in (None, sha256):
        notes.append(f"the recipe was made for another file ({made_for.get('name', 'unknown')})")
    if not exact:
        steps = [_snapped(step, fps or motion.rate, notes) for step in steps]
    if retiming.contacts is not None:
        # Given in the source's time, so they stand before all else; the fix still runs last.
        steps = [Step("hold", {"contacts": known_contacts(retiming.contacts)}), *steps]
    elif retiming.hold:
        steps = [*steps, Step("hold")]
    recipe = Recipe(steps, {"name": source.name, "sha256": sha256})
    with progress("retiming") as told:
        edits = recipe.solve(motion, progress=told)
        result = apply_edits(motion, edits, fps=fps, exact=exact)
    warp = total_warp(motion, edits)
    others = []
    for one, other in pairs:
        partner = retiming.reading.for_partner(one).read(one)
        apart = partner.start - motion.start
        if abs(apart) > 1 / motion.rate and not _overlap(motion, partner):
            notes.append(
                f"{one} starts at {partner.start:.4g} s and {source} at {motion.start:.4g} s: "
                "their starts were lined up"
            )
        else:
            apart = 0.0
        if abs(partner.duration - motion.duration) > 1 / motion.rate:
            notes.append(
                f"{one} lasts {partner.duration:.3g} s beside {motion.duration:.3g} s; the warp "
                "shows what the two have in common"
            )
        along = [Edit(_for_partner(warp, motion, partner).shifted(apart, apart))]
        if retiming.hold and find_body(partner).is_biped:
            along.append(Step("hold").solve(partner))
        others.append((apply_edits(partner, along, fps=fps, exact=exact), other))

    write(result, target, drop_rest=retiming.drop_rest, original=motion)
    for moved, other in others:
        write(moved, other, drop_rest=retiming.drop_rest)
    if warp_file is not None:
        write_warp(warp, warp_file)
    if retiming.recipe is not None:
        write_recipe(recipe, retiming.recipe)
    fields = {
        "output": str(target),
        "frames": round(result.duration * motion.rate) + 1 if kept else len(result),
        "fps": motion.rate if kept else result.rate,
        "duration_s": result.duration,
        "source_duration_s": motion.duration,
        "also": [str(other) for _, other in others] or None,
        "warp": None if warp_file is None else str(warp_file),
        "recipe": None if retiming.recipe is None else str(retiming.recipe),
    }
    report(fields, as_json=retiming.as_json, notes=[*result.notes, *notes])


def _retime_all(
    steps: list[Any], source: Path, target: Path, retiming: Retiming, warp_file: Path | None
) -> None:
    """Evaluate steps on every animation of a file, each by itself, and write one file."""
    from retime.io import format_of
    from retime.recipe import Recipe, Step
    from retime.recipe.json import write_recipe

    form = format_of(source)
    if not form.several or format_of(target).name != form.name:
        raise InputError("--animation all works on files that hold several, and writes their kind")
    if warp_file is not None or retiming.also or retiming.contacts is not None:
        raise InputError("--animation all goes with neither --warp, --also nor --contacts")
    if retiming.hold:
        steps = [*steps, Step("hold")]
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    recipe = Recipe(steps, {"name": source.name, "sha256": sha256})
    names = [entry["name"] for entry in form.contents(source)]
    results, notes, rows = [], [], []
    with progress("retiming") as told:
        for n, motion in enumerate(retiming.reading.read_all(source)):
            told(n, len(names), names[n])
            if motion.duration <= 0:
                notes.append(f"{names[n]}: a single pose, left as it is")
                continue
            try:
                results.append(recipe.evaluate(motion, fps=retiming.fps, exact=True))
            except InputError as e:
                raise InputError(f"animation {names[n]!r}: {e}") from None
            rows.append(f"{names[n]} {motion.duration:.3g} to {results[-1].duration:.3g} s")
            notes += [f"{names[n]}: {text}" for text in results[-1].notes]
    if not results:
        raise InputError(f"{source} has no animation that lasts")
    form.write_all(results, target)
    if retiming.recipe is not None:
        write_recipe(recipe, retiming.recipe)
    fields = {"output": str(target), "animations": rows}
    report(fields, as_json=retiming.as_json, notes=notes)


def known_contacts(path: Path) -> Any:
    """Read contacts: a list of them, or a whole page of ``retime info --json``."""
    from retime.io.json_text import parse_json
    from retime.motion.contact import parse_contacts

    document = parse_json(path)
    if isinstance(document, dict):
        document = document.get("contacts")
    try:
        return parse_contacts(document)
    except InputError as e:
        raise InputError(f"{path}: {e}") from None


def _must_not_collide(pairs: list[tuple[Path, Path]], beside: list[Path | None]) -> None:
    """Refuse, before any work, to write over an input or twice to one file."""
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


def _snapped(step: Any, rate: float, notes: list[str]) -> Any:
    """Bring a requested duration to whole frames, and say so."""
    from retime.recipe import snap_duration

    snapped = snap_duration(step, rate)
    if snapped is not step:
        asked, given = step.parameters.duration, snapped.parameters.duration
        notes.append(
            f"{asked:.4g} s became {given:.4g} s, {round(given * rate) + 1} frames at {rate:g} "
            "fps; --exact keeps it"
        )
    return snapped


def _overlap(motion: Any, partner: Any) -> bool:
    """Whether two motions share most of their time: then they stand on one time line."""
    (a, b), (c, d) = motion.domain, partner.domain
    return bool(min(b, d) - max(a, c) > 0.5 * min(b - a, d - c))


def _for_partner(warp: Any, motion: Any, partner: Any) -> Any:
    """Return the warp as a partner follows it: by its own joints, else by the first root's way."""
    from retime.timing import TimeWarp

    if not warp.per_channel or any(c in partner.channels for c in warp.channels):
        return warp
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    graph = warp.channel(f"{root}:translation")
    return TimeWarp(graph.x, graph.y, loop=warp.loop)


def _pair(text: str, target: Path) -> tuple[Path, Path]:
    """Split FILE[=OUT]; without OUT the result stands beside the main one, named after FILE."""
    file, mark, out = text.partition("=")
    source = Path(file)
    if mark:
        return source, Path(out)
    return source, target.parent / f"{source.stem}-retimed{source.suffix}"
