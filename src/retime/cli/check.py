"""``retime check``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.compared import Compared, Comparing
from retime.cli.console import note, report, table
from retime.cli.options import Contacts, Input, Json
from retime.cli.retiming import known_contacts
from retime.errors import InputError
from retime.methods.physics import ModelParameters
from retime.notes import Note
from retime.parameters import About

_NO_FEET = Note(
    "no feet were found: measures that need them are left out; name them with --map", code="no-feet"
)


def check(
    file: Input,
    *,
    comparing: Comparing,
    physics: Annotated[
        bool,
        About(
            "Also measure physical feasibility and unexplained forces. Set gravity, masses "
            "and friction by the physics options, or by --recipe."
        ),
    ] = False,
    recipe: Annotated[
        Path | None,
        About("Recipe of the motion; --physics uses the parameters of its physics step."),
    ] = None,
    contacts: Contacts = None,
    as_json: Json = False,
    parameters: Annotated[
        dict[str, Any],
        Of(
            ModelParameters,
            leave_out=("contacts", "contacts_only", "gravity_from"),
            panel="Physics",
        ),
    ],
) -> None:
    """Measure the quality of a motion: foot skate, drift, flight, jerk, contacts and warp.

    Examples
    --------
    retime check walk.bvh

    retime check out.bvh --source walk.bvh --warp warp.json

    retime check out.bvh --source walk.bvh --warp warp.json --physics

    retime check moon.bvh --physics --gravity moon --load 15kg@backpack
    """
    from retime.body.measure.metrics import measure

    if (parameters or recipe is not None or contacts is not None) and not physics:
        raise InputError("gravity, masses, contacts and recipes need --physics")
    given = comparing.read(file)
    found = measure(
        given.motion,
        source=given.source,
        warp=given.warp,
        truth=given.truth,
        min_contact=comparing.min_contact,
    )
    before = (
        {} if given.source is None else measure(given.source, min_contact=comparing.min_contact)
    )
    told = _judged(given, parameters, recipe, contacts) if physics else None
    notes = _notes(given, found, told)
    if as_json:
        fields = {"file": file, "measures": found, "source_measures": before or None}
        judged = {} if told is None else {"physics": told.to_json()}
        report(fields | judged, as_json=True, notes=notes)
    else:
        _print(found, before, told, notes)


def _notes(given: Compared, found: dict[str, float], told: Any) -> list[Note]:
    """Return the notes of a motion, what looks wrong in it, and what could not be measured."""
    from retime.body.measure.suspicions import suspicions

    # With a source it is known what changed the speed of flights.
    notes = [*given.motion.notes, *suspicions(given.motion, as_recorded=given.source is None)]
    if "foot_skate" not in found:
        notes.append(_NO_FEET)
    return notes if told is None else _joined(notes, told.notes)


def _joined(notes: Sequence[Note], physics: Sequence[Note]) -> list[Note]:
    """Add the notes of physics, which repeats findings on contacts, in other words or not."""
    said = {n.code for n in notes}
    added = [n for n in physics if n.code not in said]
    held = any(n.code == "held-unseen" for n in added)
    return [*(n for n in notes if not (held and n.code == "contacts-unknown")), *added]


def _print(found: dict[str, float], before: dict[str, float], told: Any, notes: list[Note]) -> None:
    _print_measures(found, before)
    if told is not None:
        _print_physics(told)
    for text in dict.fromkeys(notes):
        note(text)


def _print_measures(found: dict[str, float], before: dict[str, float]) -> None:
    from retime.body.measure.metrics import MEASURES

    header = ("measure", "value", *(["source"] if before else []), "unit", "meaning")
    rows = []
    for name, value in found.items():
        about = MEASURES[name]
        old = [about.text(before[name]) if name in before else ""] if before else []
        title = name.replace("_", " ")
        rows.append((title, about.text(value), *old, about.unit, about.meaning))
    table(rows, header=header)


def _judged(
    compared: Compared, parameters: dict[str, Any], recipe: Path | None, contacts: Path | None
) -> Any:
    """Measure the result with the body of the source if it is given, otherwise with its own."""
    from retime.io.json_text import parse_json
    from retime.methods.physics import judge, judged_by
    from retime.methods.physics.gravity import gravity_noted
    from retime.recipe.json import read_recipe

    given = dict(parameters)
    if recipe is None and compared.warp is not None:
        meant = gravity_noted(compared.warp.notes)  # for which the warp was made
        given = given if meant is None else {"gravity": meant} | given
    if "body_data" in given:
        given["body_data"] = parse_json(Path(given["body_data"]))
    if contacts is not None:
        given |= known_contacts(contacts)
    steps = () if recipe is None else read_recipe(recipe).steps
    made = judged_by((s.parameters for s in steps if not s.mute), given)
    return judge(compared.motion, made, source=compared.source, warp=compared.warp)


def _print_physics(told: Any) -> None:
    print(f"physics: {told.explanation.share:.0%} of the frames are feasible")
    rows = [
        (f"{v.start:.2f} - {v.end:.2f}", v.cause, f"{v.rate:.2f}", f"{v.feasible_rate:.2f}", v.text)
        for v in told.explanation.violations
    ]
    if rows:
        table(rows, header=("source s", "limit", "rate", "feasible", "why"))
    table(
        [
            (r.name, f"{r.rms:.1f}", f"{r.most:.1f}", r.unit, f"{r.weights:.3f}", r.verdict)
            for r in told.residuals
        ],
        header=("residual", "rms", "max", "unit", "rms in body weights", "by OpenSim's guide"),
    )
