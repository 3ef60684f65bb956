"""Suspicions: probable errors of a recording or of its export."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts, find_contacts
from retime.body.contacts.found import found_notes
from retime.body.measure.metrics import flight_error
from retime.body.model.body import find_body
from retime.body.model.size import judged
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import positions
from retime.notes import Note, Remedy
from retime.sentences import Duration

# A still pose that was added before or after a motion: largest change within it (radians), and
# smallest step to the motion, in radians and relative to the motion's own steps.
_STILL, _STEP, _STEP_RATIO = 1e-4, np.radians(5.0), 8.0
# Or it has fewer frames than this, and need not be still.
_FEW = 10
_MOST_OF_ONE = np.radians(30.0)
# Implausible speed of the root: in m/s, and relative to the speed just before and after.
_FASTEST, _SUDDEN = 20.0, 6.0
# Tilt of a floor that is reported (degrees), with its least confidence and width (metres).
_TILT, _SURE, _WIDE = 3.0, 0.75, 1.5
# Length of a clip in which a foot is expected to rest, seconds.
_LONG = 2.0
# Recorded flights are within 0.75 g of free fall, cartwheels included; twice the speed adds 3 g.
_NO_FALL = 1.0
# A flight that is played slowly is less than 1 g off, and more than recorded ones.
_HARDLY_FALLS = 0.85
# Frame rate of Blender's scenes by default.
_BLENDER_RATE = 24.0
_LISTED = 3


def suspicions(motion: Motion, *, as_recorded: bool = True) -> list[Note]:
    """List probable errors of a capture; nothing is changed, because they may be intended.

    ``as_recorded`` tells whether the motion has its recorded timing, in which flights fall freely.
    """
    if len(motion) < 3:
        return []
    sized = judged(motion)
    notes = [*_rest_poses(sized), *_jumps(sized), *_ground(sized)]
    return [*notes, *_unexplained(motion)] if as_recorded else notes


def _steps(motion: Motion) -> FloatArray:
    """Return how far the joints turn from frame to frame, the mean of all, (F - 1,).

    The influence of a single joint is limited: a hand that flips over is not another pose.
    """
    angle = quat.angle(motion.rotations[1:], motion.rotations[:-1])
    found: FloatArray = np.minimum(angle, _MOST_OF_ONE).mean(axis=1)
    return found


def _rest_poses(motion: Motion) -> list[Note]:
    """Find poses of two frames or more at an end that a jump parts from the motion."""
    steps = _steps(motion)
    moving = steps[steps > _STILL]
    if not len(moving) or len(moving) < 0.25 * len(steps):
        return []
    least = max(_STEP, _STEP_RATIO * float(np.median(moving)))
    out = []
    for where, course in (("first", steps), ("last", steps[::-1])):
        jump = int(np.argmax(course > least))
        still = bool((course[:jump] < _STILL).all()) and jump < 0.25 * len(steps)
        if not jump or course[jump] <= least or not (still or jump < _FEW):
            continue
        count, far = jump + 1, np.degrees(course[jump])
        name, frame = ("from", count) if where == "first" else ("to", len(motion) - 1 - count)
        out.append(
            Note(
                f"the {where} {count} frames differ from the motion by {far:.0f} degrees per "
                "joint: probably a rest pose",
                Remedy("trim them off", parameter=f"trim.{name}", value=f"{frame}f"),
                code="rest-poses",
                frames=count,
                where=where,
            )
        )
    return out


def _jumps(motion: Motion) -> list[Note]:
    """Find frames between which the root jumps."""
    root = positions(motion)[:, motion.skeleton.roots[0]]
    step = np.linalg.norm(np.diff(root, axis=0), axis=1)
    speed = step / np.diff(motion.times)
    beside = np.maximum(np.r_[0, speed[:-1]], np.r_[speed[1:], 0])
    usual = float(np.percentile(speed, 90))
    jumps = np.flatnonzero((speed > _FASTEST) & (speed > _SUDDEN * np.minimum(beside, usual)))
    jumps = jumps[speed[jumps] > _SUDDEN * usual]
    if not len(jumps):
        return []
    told = [f"{step[k]:.2g} m at frame {k + 1}" for k in jumps[:_LISTED]]
    more = f" and {len(jumps) - _LISTED} more" if len(jumps) > _LISTED else ""
    return [
        Note(
            f"the root jumps between frames: {', '.join(told)}{more}",
            code="root-jumps",
            frames=[int(k) + 1 for k in jumps[:20]],
        )
    ]


def _ground(motion: Motion) -> list[Note]:
    """Find floors that are not level, and feet that never rest."""
    body = find_body(motion)
    if not body.is_biped or motion.duration < _LONG:
        return []
    found, out = find_contacts(motion), []
    floor = found.floor
    feet = detect_contacts(motion, ("feet",))
    if floor.trust > _SURE and floor.tilt > _TILT and _width(motion, feet) > _WIDE:
        out.append(
            Note(
                f"the floor is not level: it falls by {floor.tilt:.1f} degrees, or is uneven",
                code="floor-tilted",
                degrees=floor.tilt,
            )
        )
    if not feet and not any(found.drift):
        out.append(
            Note(
                "no foot rests for {least} in {duration:.3g}: the figure floats, slides or hangs, "
                "or the scale is wrong",
                code="feet-never-rest",
                least=Duration(0.1),
                duration=Duration(motion.duration),
            )
        )
    return out


def _unexplained(motion: Motion) -> list[Note]:
    """Explain why contacts or flights are missing, or why flights do not fall."""
    codes = ("frame-rate-doubtful", "contacts-unknown")
    notes = [n for n in found_notes(motion, find_contacts(motion)) if n.code in codes]
    if notes:
        return notes
    off = flight_error(motion).mean
    if off <= _NO_FALL:
        return _blender_rate(motion, off)
    return [
        Note(
            f"in the air the body is {off:.2g} g away from free fall: the frame rate or the scale "
            "may be wrong, the motion may have been retimed, or a contact was not detected",
            Remedy("give the frame rate", parameter="reading.fps"),
            code="flight-without-fall",
            error=off,
        ),
    ]


def _blender_rate(motion: Motion, off: float) -> list[Note]:
    """Suspect flights at the frame rate of Blender's scenes, which an import there imposes."""
    if off < _HARDLY_FALLS or abs(motion.rate - _BLENDER_RATE) > 1e-3:
        return []
    return [
        Note(
            f"in the air the body hardly falls ({off:.2g} g off), and 24 fps is the default of "
            "Blender: a file that was imported there without Update Scene FPS and Update Scene "
            "Duration is slower than it was, and may be cut off",
            Remedy("give the original frame rate", parameter="reading.fps"),
            code="frame-rate-of-blender",
            error=off,
        )
    ]


def _width(motion: Motion, feet: Sequence[Contact]) -> float:
    """Return how far apart the places are where feet rest, metres."""
    points = positions(motion)
    places = []
    for contact in feet:
        frame, _ = motion.frame_at((contact.start + contact.end) / 2)
        joint = motion.skeleton.index(contact.joint)
        places.append(points[int(frame), joint, [0, 2]])
    return float(np.ptp(places, axis=0).max()) if places else 0.0
