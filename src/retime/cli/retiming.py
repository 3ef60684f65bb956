"""What every command that retimes does: read, evaluate a recipe, write, and the files beside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from retime.cli.console import progress, report
from retime.cli.options import must_differ
from retime.errors import InputError

__all__ = ["read_with_roles", "retime_file"]


def read_with_roles(path: Path, roles: Path | None, **options: Any) -> Any:
    """Read a motion; a map file gives it roles."""
    from retime.io import read
    from retime.io.json_text import parse_json

    motion = read(path, **options)
    if roles is None:
        return motion
    from retime.body import find_body

    given = parse_json(roles)
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise InputError(f'{roles} must map roles to joints: {{"left_foot": "Foot.L", ...}}')
    mapped = replace(motion, roles=given)
    find_body(mapped)  # unknown roles are said here
    return mapped


def retime_file(
    steps: list[Any],
    source: Path,
    target: Path,
    *,
    fps: float | None,
    exact: bool,
    scale: float | None,
    up: Any,
    rest_frame: Any,
    drop_rest: bool,
    roles: Path | None,
    hold: bool,
    also: list[str] | None,
    warp_file: Path | None,
    recipe_file: Path | None,
    as_json: bool,
) -> None:
    """Evaluate steps on a file and on those that go with it; say what came of it."""
    from retime.edits import apply, apply_edits, total_warp
    from retime.io import format_of, read, write
    from retime.io.warp_json import write_warp
    from retime.recipe import Recipe, Step, write_recipe

    pairs = [_pair(text, target) for text in also or []]
    for one, other in [(source, target), *pairs]:
        must_differ(one, other)
        format_of(other)
    if hold:
        steps = [*steps, Step("hold")]
    motion = read_with_roles(source, roles, scale=scale, up=up, rest_frame=rest_frame)
    origin = motion.origin
    made_for = None if origin is None else {"name": source.name, "sha256": origin.sha256}
    recipe = Recipe(steps, made_for)
    with progress("retiming") as told:
        edits = recipe.solve(motion, progress=told)
        result = apply_edits(motion, edits, fps=fps, exact=exact)
    warp = total_warp(motion, edits)
    others = []
    for one, other in pairs:
        partner = read(one, rest_frame=rest_frame)
        others.append((apply(partner, warp, fps=fps, exact=exact), other))

    write(result, target, drop_rest=drop_rest)
    for moved, other in others:
        write(moved, other, drop_rest=drop_rest)
    if warp_file is not None:
        write_warp(warp, warp_file)
    if recipe_file is not None:
        write_recipe(recipe, recipe_file)
    fields = {
        "output": str(target),
        "frames": len(result),
        "fps": result.rate,
        "duration_s": result.duration,
        "source_duration_s": motion.duration,
        "also": [str(other) for _, other in others] or None,
        "warp": None if warp_file is None else str(warp_file),
        "recipe": None if recipe_file is None else str(recipe_file),
    }
    report(fields, as_json=as_json, notes=result.notes)


def _pair(text: str, target: Path) -> tuple[Path, Path]:
    """Split FILE[=OUT]; without OUT the result stands beside the main one, named after FILE."""
    file, mark, out = text.partition("=")
    source = Path(file)
    if mark:
        return source, Path(out)
    return source, target.parent / f"{source.stem}-retimed{source.suffix}"
