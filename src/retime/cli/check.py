"""``retime check``."""

from __future__ import annotations

import typer

from retime.cli.console import note, report, table
from retime.cli.options import Input, Json, RolesMap, Shortest, SourceMotion, TrueWarp, WarpIn
from retime.errors import InputError


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(check)


def check(
    file: Input,
    source: SourceMotion = None,
    warp: WarpIn = None,
    truth: TrueWarp = None,
    minimum: Shortest = 0.25,
    roles: RolesMap = None,
    as_json: Json = False,
) -> None:
    """Measure how good a motion is: foot skate, drift, flight, jerk, contacts, warp.

    Examples
    --------
    retime check walk.bvh

    retime check out.bvh --source walk.bvh --warp warp.json
    """
    from retime.cli.retiming import read_with_roles
    from retime.io.warp_json import read_warp
    from retime.metrics import MEASURES, judge

    motion = read_with_roles(file, roles)
    if not len(motion):
        raise InputError(f"{file} has no frames to measure")
    original = None if source is None else read_with_roles(source, roles)
    used = None if warp is None else read_warp(warp)
    right = None if truth is None else read_warp(truth)
    found = judge(motion, source=original, warp=used, truth=right, minimum=minimum)
    before = {} if original is None else judge(original, minimum=minimum)
    notes = list(motion.notes)
    if "foot_skate" not in found:
        notes.append("no feet were found: what needs them is left out; name them with --map")
    if as_json:
        fields = {"file": str(file), "measures": found, "source_measures": before or None}
        report(fields, as_json=True, notes=notes)
        return
    header = ("measure", "value", *(["source"] if before else []), "unit", "meaning")
    rows = []
    for name, value in found.items():
        measure = MEASURES[name]
        old = [measure.text(before[name]) if name in before else ""] if before else []
        title = name.replace("_", " ")
        rows.append((title, measure.text(value), *old, measure.unit, measure.meaning))
    table(rows, header=header)
    for text in dict.fromkeys(notes):
        note(text)
