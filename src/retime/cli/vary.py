"""``retime vary``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from retime.assembling.variation import Amount
from retime.cli.console import report, table
from retime.cli.options import Input, Json, OneAnimation, word
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import DropRest


def vary(
    source: Input,
    folder: Annotated[Path, word("FOLDER", "Folder to write the variations into.")],
    *,
    count: Annotated[int, About("Number of variations.", minimum=1)] = 10,
    amount: Annotated[Amount, About("How much they differ.")] = "clear",
    seed: Annotated[int, About("Seed of the draws.", minimum=0)] = 1,
    recipes: Annotated[bool, About("Also write the recipe of each beside it.")] = False,
    suffix: Annotated[
        str, About("Format of the files. Default: that of the input.", metavar=".bvh")
    ] = "",
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Write variations of a motion, for crowds and training data.

    Length, moments, strength and the lateness of body parts are drawn at random, within what the
    body can do. The same seed gives the same files.

    Examples
    --------
    retime vary walk.bvh crowd --count 100 --amount subtle
    """
    from retime.assembling.variation import vary as variations
    from retime.io import format_of, write
    from retime.recipe.json import write_recipe

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder")
    ending = suffix or source.suffix
    ending = ending if ending.startswith(".") else f".{ending}"
    format_of(Path(f"x{ending}"))
    motion = reading.read(source, animation=animation)
    made = variations(motion, count, amount=amount, seed=seed)
    first = next(made)  # raises before anything is written
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for one in (first, *made):
        target = folder / f"{source.stem}-{one.number:0{len(str(count))}d}{ending}"
        write(one.motion, target, drop_rest=drop_rest)
        if recipes:
            write_recipe(one.recipe, target.with_suffix(".json"))
        steps = ", ".join(step.method for step in one.recipe.steps)
        rows.append({"file": target, "duration_s": one.motion.duration, "steps": steps})
    if as_json:
        report({"variations": rows}, as_json=True, notes=motion.notes)
        return
    shown = [(str(r["file"]), f"{r['duration_s']:.3f}", str(r["steps"])) for r in rows]
    table(shown, header=("file", "length s", "steps"))
    report({}, as_json=False, notes=motion.notes)
