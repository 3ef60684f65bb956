"""Messages of the library in the studio's words: fields in place of command-line options."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from retime.errors import RetimeError
from retime.notes import Remedy, present
from retime.studio.messages import FormField

_SCHEME = "; name the joints in the file as a usual scheme does, such as Mixamo's"
# What only the command line can do, and what a person at a window does in its place.
_ELSEWHERE = {
    "reading.roles": _SCHEME,
    "reading.scale": "; if that is wrong, write the file in metres",
    "reading.fps": "; write a frame rate into the file",
    "reading.up": "",
    "reading.skeleton": "; open the .asf together with it",
    "animation": "",
    "exact": "",
    "fps": "; export npz, which keeps uneven frames",
}

# Help that names arguments of the command line or equations, in the words of a form.
_HELP = {
    "Show source time SRC at output time OUT.": "Source time to show at an output time.",
    "Playback speed at source time SRC, relative to the source.": (
        "Playback speed at a source time, relative to the source."
    ),
    "Edit only the part of the clip from A to B.": "Edit only this part of the clip.",
    "Use only this part of the reference, from A to B.": "Use only this part of the reference.",
    "Between source times A and B, allow only playback speeds from SLOW to FAST.": (
        "Slowest and fastest playback speed allowed in a part of the source."
    ),
    "Speed V of a joint at source time SRC, in m/s.": "Speed of a joint at a source time, in m/s.",
    "Weight of feasibility in equation 14.": (
        "Weight of staying within what the body can do, against matching the recorded timing."
    ),
    "Weight of torques in equation 14.": "Weight of joint torques, against matching the recording.",
    "Maximum torque of every joint, or 'observed' for the maximum in the clip times the limit "
    "factor.": (
        "Maximum torque of every joint. As in the clip: the maximum in the clip times the reserve "
        "of strength."
    ),
    "Delay each joint below JOINT by S seconds times its depth to the POWER.": (
        "Delay each joint below a joint: by the delay times its depth, raised to the growth."
    ),
    "Move JOINT to X, Y, Z at the pose at TIME, in metres with Y up. JOINT is a hand, foot, head, "
    "elbow, knee or finger.": (
        "Move a hand, foot, head, elbow, knee or finger to a place at a pose, in metres with Y up."
    ),
    "Move the pose at time FROM to time TO.": "Move the pose at one time to another.",
    "Ease into or out of the pose at TIME. AMOUNT is from 0 to 2. PRESET is one of these.": (
        "Ease into or out of a pose, by an amount from 0 to 2."
    ),
    "JSON list of further edits: objects with 'do' and its arguments.": (
        "Further edits, in the order in which they are made."
    ),
    "Blend the pose at TIME toward another pose by SHARE. A share above 1 overshoots, a negative "
    "one moves away. If there is no pose near TIME, one is inserted. TOWARD is one of these.": (
        "Blend a pose toward another. Above 100 % it overshoots, below 0 it moves away. If there "
        "is no pose at that time, one is inserted."
    ),
    "Frequency in Hz and damping of the chain that starts at JOINT.": (
        "Frequency and damping of the chain that starts at a joint."
    ),
}


def studio_help(text: str) -> str:
    """Say the help of a parameter as a form does: without arguments and without Python."""
    return _HELP.get(text, text.partition(" In Python,")[0])


def studio_words(text: str) -> str:
    """Say a sentence of the library's as a person at a window can follow it."""
    return present(text, _field)


def studio_notes(notes: Iterable[str]) -> list[str]:
    """Say notes so."""
    return [studio_words(note) for note in notes]


def studio_error(error: RetimeError) -> str:
    """Say what went wrong so."""
    return studio_words(error.note)


def _field(remedy: Remedy) -> str | None:
    if remedy.parameter in _ELSEWHERE:
        return _ELSEWHERE[remedy.parameter] or None
    field = _fields().get(remedy.parameter)
    if field is None:
        return None
    if remedy.value is None:
        return f"the field {field.label}"
    labels = {choice.value: choice.label for choice in field.choices}
    return f"the field {field.label}: {labels.get(str(remedy.value), remedy.value)}"


@functools.cache
def _fields() -> dict[str, FormField]:
    """Fields of all forms by their parameters' names."""
    from retime.studio.forms import method_forms

    return {field.name: field for form in method_forms() for field in form.fields}
