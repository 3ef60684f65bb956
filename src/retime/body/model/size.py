"""Find the size of a figure, and a scale that makes an implausible size plausible."""

from __future__ import annotations

from dataclasses import replace

from retime.body.model.body import Body, find_body
from retime.motion import Motion
from retime.motion.kinematics import height
from retime.motion.memory import last
from retime.notes import Note, Remedy

# Plausible heights, and the height used for other figures, metres. Persons: from a small child to
# a fictional giant. Others: from a mouse to an elephant.
_PERSON, _TYPICAL_PERSON = (0.7, 2.6), 1.7
_CREATURE, _TYPICAL_CREATURE = (0.05, 5.0), 1.0


def standing_height(motion: Motion, body: Body | None = None) -> float:
    """Return the standing height of a figure in its file, metres."""
    body = find_body(motion) if body is None else body
    own = body.height or height(motion.skeleton)
    return float(own * motion.units.metres)


def judged_scale(motion: Motion) -> float:
    """Return the factor on lengths that makes a figure as large as is typical.

    It is 1 if the size is plausible or the user gave the scale.
    """
    body = find_body(motion)
    tall = standing_height(motion, body)
    if tall <= 0 or motion.units.how == "given":
        return 1.0
    (low, high), usual = (
        (_PERSON, _TYPICAL_PERSON) if body.is_biped else (_CREATURE, _TYPICAL_CREATURE)
    )
    return 1.0 if low <= tall <= high else usual / tall


def judged(motion: Motion) -> Motion:
    """Return a motion of plausible size, for contacts, forces, sliding and drawings.

    A motion that already has one is returned unchanged. Written files keep their numbers.
    """
    scale = judged_scale(motion)
    if scale == 1.0:
        return motion
    units = replace(motion.units, metres=motion.units.metres * scale)
    return last(motion, "judged", (), lambda: replace(motion, units=units))


def size_note(motion: Motion) -> Note | None:
    """Return a note if a figure is evaluated at another size than in its file."""
    scale = judged_scale(motion)
    if scale == 1.0:
        return None
    tall = standing_height(motion)
    return Note(
        f"the figure is {tall:.3g} m tall in its file; contacts and physics are computed "
        f"for a height of {tall * scale:.3g} m",
        Remedy("give the scale in metres per unit", parameter="reading.scale"),
        code="implausible-size",
        height=tall,
        scale=scale,
    )
