"""``retime contacts``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.console import report
from retime.cli.options import Animation, Input, Json, word
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About

if TYPE_CHECKING:
    from retime.body.contacts import FoundContacts

# Contacts of less confidence are inferred from forces only.
_SEEN = 0.5


def contacts(
    file: Input,
    output: Annotated[
        Path | None,
        word("[OUT]", "JSON file to write. Edit it and give it to other commands as --contacts."),
    ] = None,
    *,
    plot: Annotated[
        Path | None, About("Draw a film strip and a timeline of the contacts.", metavar="PICTURE")
    ] = None,
    animation: Animation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """List, draw and export contacts with the ground and other supports.

    Heels, balls of the feet and toes, hands, knees, elbows, the seat, the back and the head are
    examined, on any ground. A contact with a confidence below 0.5 is inferred: the body needs
    support there. Edit the JSON file and give it to guided, physics, stagger and the others with
    --contacts; joints that it names follow it, contacts of all other joints are still found. Put
    {"only": true, "contacts": [...]} into it to find no others.

    Example: retime contacts walk.bvh walk.json --plot walk.png
    """
    from retime.body.contacts import find_contacts
    from retime.body.contacts.found import found_notes
    from retime.io.json_text import write_json

    if output is not None and output.suffix.lower() != ".json":
        raise InputError(f"{output}: contacts are written as JSON; give a name that ends in .json")
    motion = reading.read(file, animation=None if animation == "all" else animation)
    found = find_contacts(motion)
    listed = [c.to_document() for c in found.contacts]
    if output is not None:
        write_json({"contacts": listed}, output)
    if plot is not None:
        from retime.plot.contacts import draw_contacts

        draw_contacts(motion, found, plot)
    fields: dict[str, Any] = {
        "file": file,
        "contacts": listed,
        "flights": [{"start": a, "end": b} for a, b in found.flights],
        "unknown_share": found.unknown,
        "floor_trust": found.floor.trust,
        "floor_level_m": found.floor.level,
        "floor_tilt_deg": found.floor.tilt,
        "foot_slide_mps": found.floor.slide,
        "output": output,
        "picture": plot,
    }
    if not as_json:
        fields = _in_rows(fields, found)
    report(fields, as_json=as_json, notes=[*motion.notes, *found_notes(motion, found)])


def _in_rows(fields: dict[str, Any], found: FoundContacts) -> dict[str, Any]:
    """Return a row for each part of the body, with its times in seconds."""
    rows: dict[str, list[str]] = {}
    for contact in found.contacts:
        name = (contact.point or contact.joint).replace("_", " ")
        doubt = "" if contact.confidence >= _SEEN else "?"
        rows.setdefault(name, []).append(f"{contact.start:.2f}-{contact.end:.2f}{doubt}")
    if any(c.confidence < _SEEN for c in found.contacts):
        rows["?"] = ["inferred: the body needs support there"]
    flights = [f"{a:.2f}-{b:.2f}" for a, b in found.flights] or "none"
    shown: dict[str, Any] = {"file": fields["file"], "contacts": "from-to, s" if rows else "none"}
    return shown | rows | fields | {"contacts": shown["contacts"], "flights": flights}
