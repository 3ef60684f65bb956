"""``retime check``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from retime.cli.console import note, report, table
from retime.cli.options import (
    Input,
    Json,
    OneAnimation,
    Shortest,
    SourceMotion,
    TrueWarp,
    WarpIn,
    must_take_a_skeleton,
    with_reading,
)
from retime.errors import InputError
from retime.evaluate.reading import Reading


@with_reading
def check(
    file: Input,
    reading: Reading,
    source: SourceMotion = None,
    warp: WarpIn = None,
    truth: TrueWarp = None,
    min_contact: Shortest = 0.1,
    animation: OneAnimation = None,
    physics: Annotated[
        bool, typer.Option("--physics", help="Also ask whether a body could have done it.")
    ] = False,
    gravity: Annotated[
        str | None,
        typer.Option(
            "--gravity",
            help="Gravity to judge by: a size, x,y,z, or a direction such as left:9.81 (m/s², "
            "default 9.81).",
            metavar="G",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure how good a motion is: foot skate, drift, flight, jerk, contacts, warp.

    Examples
    --------
    retime check walk.bvh

    retime check out.bvh --source walk.bvh --warp warp.json

    retime check out.bvh --source walk.bvh --warp warp.json --physics
    """
    from retime.body.metrics import measure
    from retime.io.warp_json import read_warp

    must_take_a_skeleton(reading, [file] if source is None else [file, source])
    motion = reading.for_file(file).read(file, animation=animation)
    if not len(motion):
        raise InputError(f"{file} has no frames to measure")
    original = None
    if source is not None:
        original = reading.for_file(source).read(source, animation=_same(source, animation))
    used, right = (None if w is None else read_warp(w) for w in (warp, truth))
    found = measure(motion, source=original, warp=used, truth=right, min_contact=min_contact)
    before = {} if original is None else measure(original, min_contact=min_contact)
    notes = list(motion.notes)
    if "foot_skate" not in found:
        notes.append("no feet were found: what needs them is left out; name them with --map")
    told = None
    if physics:
        told, said = _explained(motion, original, used, gravity)
        notes += said
    elif gravity is not None:
        raise InputError("--gravity is what --physics judges by; give both")
    if as_json:
        fields = {"file": str(file), "measures": found, "source_measures": before or None}
        if told is not None:
            fields["physics"] = told.to_json()
        report(fields, as_json=True, notes=notes)
        return
    _print(found, before)
    if told is not None:
        _tell(told)
    for text in dict.fromkeys(notes):
        note(text)


def _print(found: dict[str, float], before: dict[str, float]) -> None:
    from retime.body.metrics import MEASURES

    header = ("measure", "value", *(["source"] if before else []), "unit", "meaning")
    rows = []
    for name, value in found.items():
        about = MEASURES[name]
        old = [about.text(before[name]) if name in before else ""] if before else []
        title = name.replace("_", " ")
        rows.append((title, about.text(value), *old, about.unit, about.meaning))
    table(rows, header=header)


def _same(source: Any, animation: str | None) -> str | None:
    """Choose the same animation of the source, where it holds several."""
    from retime.io import format_of

    return animation if format_of(source).several else None


def _explained(motion: Any, source: Any, warp: Any, gravity: str | None) -> tuple[Any, list[str]]:
    """Judge the result by the source's body where that is known, else by its own."""
    from retime.methods.physics import PhysicsModel
    from retime.methods.physics.gravity import gravity_noted, written_gravity

    clip = motion if source is None else source
    model = PhysicsModel(clip) if gravity is None else PhysicsModel(clip, gravity=gravity)
    used = written_gravity(model.gravity)
    notes = [f"judged by a gravity of {used} m/s²"]
    meant = None if warp is None else gravity_noted(warp.notes)
    if meant not in (None, used):
        notes = [
            f"the warp was timed for a gravity of {meant} m/s², and the result is judged by {used} "
            f"m/s²: judge it by its own with --gravity {meant}"
        ]
    return model.explain(motion if source is None or warp is None else warp), notes


def _tell(told: Any) -> None:
    print(f"physics: {told.share:.0%} of the frames are feasible")
    rows = [
        (f"{v.start:.2f} - {v.end:.2f}", v.cause, f"{v.rate:.2f}", f"{v.feasible_rate:.2f}", v.text)
        for v in told.violations
    ]
    if rows:
        table(rows, header=("source s", "limit", "rate", "feasible", "why"))
