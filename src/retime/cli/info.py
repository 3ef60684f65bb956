"""``retime info``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.console import report
from retime.cli.options import Animation, Input, Json
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import MinContact

if TYPE_CHECKING:
    from retime.body import Body
    from retime.motion import Motion

# Joints with more contacts than this are summarised.
_LISTED = 4


def info(
    file: Input,
    *,
    animation: Animation = None,
    min_contact: MinContact = 0.1,
    joints: Annotated[bool, About("List the joints.")] = False,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Show the contents of a motion file: frames, rate, joints, units, roles and contacts.

    Example: retime info walk.bvh --joints
    """
    from retime.body import find_body
    from retime.body.contacts import detect_contacts, find_contacts
    from retime.body.contacts.found import found_notes
    from retime.body.measure.suspicions import suspicions
    from retime.io import contacts_in_file, kind_of

    motion = reading.read(file, animation=None if animation == "all" else animation)
    body = find_body(motion)
    contacts = contacts_in_file(motion) or detect_contacts(motion, min_contact=min_contact)
    fields: dict[str, Any] = {
        "file": file,
        "format": kind_of(file).name,
        "animations": kind_of(file).contents(file) or None,
        **_about(motion, body),
        "contacts": [c.to_document() for c in contacts],
    }
    if not as_json:
        fields = _for_a_person(fields, body)
    if joints:
        fields["joint_names"] = list(motion.skeleton.names)
    notes = [*motion.notes, *found_notes(motion, find_contacts(motion)), *suspicions(motion)]
    report(fields, as_json=as_json, notes=notes)


def _about(motion: Motion, body: Body) -> dict[str, Any]:
    """Return the size of a motion, its skeleton, units and roles."""
    from retime.motion.kinematics import height

    joint_tree, units = motion.skeleton, motion.units
    roots = [joint_tree.names[r] for r in joint_tree.roots]
    tall = (body.height or height(joint_tree)) * units.metres
    return {
        "frames": len(motion),
        "fps": motion.rate,
        "duration_s": motion.duration,
        "start_s": motion.start,
        "joints": len(joint_tree),
        "roots": roots,
        "end_sites": len(joint_tree.end_sites),
        "translation_tracks": [n for n in motion.translations if n not in roots],
        "scale_tracks": list(motion.scales),
        "rest_pose": "set aside" if motion.rest_pose is not None else "none",
        "metres_per_unit": units.metres,
        "up": units.up,
        "units_are": units.how,
        "height_m": tall or None,
        "roles": {r: joint_tree.names[j] for r, j in body.roles.items()},
        "roles_sure": {r: body.confidence[r] for r in body.roles},
    }


def _for_a_person(fields: dict[str, Any], body: Body) -> dict[str, Any]:
    from retime.io.in_place import summary

    clips, contacts = fields["animations"] or [], fields["contacts"]
    shown = {k: v for k, v in fields.items() if k not in ("roles", "roles_sure", "contacts")}
    return (
        shown
        | {"animations": "\n".join(map(summary, clips)) or None}
        | _roles_by_part(body)
        | {"contacts": _contacts_by_joint(contacts)}
    )


def _contacts_by_joint(contacts: list[dict[str, Any]]) -> str:
    """Return a line for each joint: its contacts, or how many there are and how long they last."""
    spans: dict[str, list[tuple[float, float]]] = {}
    for contact in contacts:
        spans.setdefault(contact["joint"], []).append((contact["start"], contact["end"]))
    lines = []
    for joint, times in spans.items():
        text = ", ".join(f"{start:.2f}-{end:.2f}" for start, end in times) + " s"
        if len(times) > _LISTED:
            total = sum(end - start for start, end in times)
            text = f"{len(times)} contacts, {total:.1f} s in total"
        lines.append(f"{joint}: {text}")
    if any(len(times) > _LISTED for times in spans.values()):
        lines.append("(retime contacts lists all times)")
    return "\n".join(lines) or "none"


# Rows of the table of roles: label, and roles from the trunk outwards.
_PARTS = {
    "trunk": ("hips", "spine", "chest", "upper_chest", "neck", "head"),
    **{
        f"{side} {limb}": tuple(f"{side}_{part}" for part in parts)
        for side in ("left", "right")
        for limb, parts in (
            ("arm", ("shoulder", "upper_arm", "lower_arm", "hand")),
            ("leg", ("upper_leg", "lower_leg", "foot", "toe")),
        )
    },
}


def _roles_by_part(body: Body) -> dict[str, Any]:
    """Return a row of roles per body part, with the confidence if it is low."""
    found = {part: [r for r in roles if r in body.roles] for part, roles in _PARTS.items()}
    rows = {part: _chain(body, roles) for part, roles in found.items() if roles}
    return rows or {"roles": "none found; name them with --map"}


def _chain(body: Body, roles: list[str]) -> str:
    names = " > ".join(dict.fromkeys(str(body.name(r)) for r in roles))
    sure = min(body.confidence[r] for r in roles)
    return names if sure > 0.9 else f"{names} ({100 * sure:.0f} % sure)"
