"""Inverse kinematics: hold contacts in place with the limbs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Body, Limb, LimbName, find_body
from retime.body.displacement import displacement, frame_weights, frames_of
from retime.body.hinges import hinge_axis
from retime.body.limbs import LimbSolver, two_bone
from retime.errors import InputError
from retime.motion import Motion, trust
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, cached_rotations
from retime.motion.memory import last as remembered
from retime.notes import Note
from retime.timing import TimeWarp

__all__ = ["Ground", "HeldLimb", "contact_targets", "hold_contacts", "two_bone"]

# Displacement of the ground under a joint at times (N,): (N, 3) metres.
Ground = Callable[[str, FloatArray], FloatArray]
# Distance of a held contact from its retimed position above which the edit moved it on purpose, in
# body heights.
_MOVED = 0.25
# Distance that a hand or the trunk moves during a contact of the source above which it counts as
# sliding, metres.
_SLIDES = 0.01
# Remaining displacement of a contact above which it is reported, metres.
_MISSED = 1e-3


def contact_targets(
    motion: Motion,
    contacts: Iterable[Contact],
    source: Motion,
    warp: TimeWarp,
    *,
    points: FloatArray | None = None,
    ground: Ground | None = None,
    sliding: Collection[str] = (),
) -> dict[Contact, FloatArray]:
    """Find where contacts of a retimed motion belong: where the source had them.

    A contact that came to lie far away (the figure was moved on purpose) keeps its new place on the
    ground and the source's height.

    Parameters
    ----------
    motion : Motion
        The retimed motion.
    contacts : iterable of Contact
        In its time.
    source : Motion
        Its source.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    points : array (F, J, 3), optional
        The retimed motion's joints, metres, where they are known.
    ground : callable, optional
        How far the ground under a joint moved at times (N,), (N, 3) metres.
    sliding : collection of str
        Joints, such as hands, that slide as they do in the source; others stay in one place.

    Returns
    -------
    dict of Contact to array (3,), or (F, 3) on a support that moves; metres.
    """
    now, then = cached_positions(motion) if points is None else points, cached_positions(source)
    tall = remembered(source, "usual height", None, lambda: _usual_height(then))
    out = {}
    for contact in contacts:
        frames = frames_of(contact, motion)
        if not frames.any():
            continue
        j = motion.skeleton.index(contact.joint)
        way = _support_path(contact, motion, warp)
        weights = frame_weights(contact, motion.times[frames], motion.rate)
        here = weights @ (now[frames, j] - way[frames])
        if warp.loop:
            out[contact] = here + way if way.any() else here
            continue
        times = warp(motion.times[frames], contact.joint)
        place = np.stack([np.interp(times, source.times, then[:, j, k]) for k in range(3)], axis=1)
        if ground is not None:
            place = place + ground(contact.joint, motion.times[frames])
        place -= way[frames]
        there = weights @ place
        if contact.height is not None:
            there[1] = contact.height
        if np.linalg.norm((here - there)[[0, 2]]) > _MOVED * tall:
            there = np.array([here[0], there[1], here[2]])
        out[contact] = there + way if way.any() else there
        slide = place - weights @ place
        if contact.joint in sliding and np.linalg.norm(slide, axis=1).max() > _SLIDES:
            known = np.flatnonzero(frames)
            own = [np.interp(np.arange(len(motion)), known, slide[:, k]) for k in range(3)]
            out[contact] = there + way + np.stack(own, axis=1)
    return out


def _usual_height(points: FloatArray) -> float:
    """Return the median height of joints (F, J, 3), metres."""
    return max(float(np.median(np.ptp(points[..., 1], axis=1))), 1e-9) if len(points) else 1.0


def _support_path(contact: Contact, motion: Motion, warp: TimeWarp) -> FloatArray:
    """Return how far a contact's support has moved since the middle of the contact, (F, 3) metres.

    The ground moves in source time like everything else: a treadmill stops where the warp holds.
    """
    if not any(contact.velocity):
        return np.zeros((len(motion), 3))
    clock = warp(motion.times, contact.joint)
    start, middle, end = warp(
        np.array([contact.start, (contact.start + contact.end) / 2, contact.end]), contact.joint
    )
    turns = (clock - middle) * contact.duration / (end - start)
    return np.asarray(turns[:, None] * contact.velocity)


def hold_contacts(
    motion: Motion,
    targets: Mapping[Contact, FloatArray],
    *,
    fade: float = 0.15,
    known: dict[LimbName, HeldLimb] | None = None,
) -> Motion:
    """Hold contacts in place by their limbs: hip, knee and ankle; shoulder, elbow and wrist.

    The foot or hand keeps its orientation, except where the leg is nearly straight or too short:
    then the foot turns about the contact. Before and after a contact, its displacement fades out.

    Parameters
    ----------
    motion : Motion
        The motion to fix.
    targets : mapping of Contact to array (3,) or (F, 3)
        Where each contact shall be, metres; a path where its support moves.
    fade : float
        Seconds over which a displacement fades.
    known : dict of str to HeldLimb, optional
        Cache of the last solution of each limb: an unchanged limb is not solved again.
    """
    if not (np.isfinite(fade) and fade >= 0):
        raise InputError(f"the fade must be 0 s or more, not {fade}")
    body = find_body(motion)
    by_limb: dict[LimbName, list[Contact]] = {}
    by_trunk: dict[Contact, FloatArray] = {}
    loose = set()
    trunk = _trunk_joints(body)
    for contact, target in targets.items():
        joint = motion.skeleton.index(contact.joint)
        name = body.limb_of(joint)
        if name is not None:
            by_limb.setdefault(name, []).append(contact)
        elif joint in trunk:
            by_trunk[contact] = target
        else:
            loose.add(contact.joint)
    motion = _with_trunk_held(motion, by_trunk, fade)
    seen: tuple[FloatArray, FloatArray] | None = None
    notes = [
        Note(
            f"no limb holds the contacts of {n}: left as they are",
            code="contact-without-limb",
            joint=n,
        )
        for n in sorted(loose)
    ]
    for limb_name, contacts in by_limb.items():
        limb, chosen = body.limbs[limb_name], {c: targets[c] for c in contacts}
        state = None if known is None or limb.linked else _state_of(motion, limb, chosen, fade)
        last = None if known is None else known.get(limb_name)
        if last is not None and state is not None and last.state == state:
            rotations = motion.rotations.copy()
            rotations[:, last.joints] = last.rotations
            motion = replace(motion, rotations=trust(rotations))
            continue
        if seen is None or limb.linked:
            # No limb is the parent of another.
            seen = (cached_positions(motion), cached_rotations(motion))
        # An elbow that an edit has moved past straight would flip where its arm is bent more.
        hinge = hinge_axis(motion, limb, known=seen) if limb_name.endswith("arm") else None
        solver = LimbSolver.of(motion, limb, hinge=hinge, known=seen)
        if not solver.can_bend:
            notes.append(
                Note(
                    f"the {limb_name.replace('_', ' ')} has a bone of no length: left unchanged",
                    code="limb-cannot-bend",
                    limb=limb_name,
                )
            )
            continue
        motion, missed = solver.hold(chosen, fade)
        if known is not None and state is not None and missed <= _MISSED:
            chain = motion.skeleton.chain(limb.end)
            known[limb_name] = HeldLimb(state, chain, motion.rotations[:, chain])
        if missed > _MISSED:
            part = limb_name.replace("_", " ")
            notes.append(
                Note(
                    f"the {part} is too short for a contact by {100 * missed:.1f} cm",
                    code="limb-too-short",
                    limb=limb_name,
                    metres=missed,
                )
            )
    return motion.with_notes(*notes)


def _trunk_joints(body: Body) -> set[int]:
    """Return the joints that only the whole body can bring to a place: seat and knees."""
    roles = ("hips", "left_lower_leg", "right_lower_leg")
    return {body.roles[r] for r in roles if r in body.roles}


def _with_trunk_held(motion: Motion, targets: Mapping[Contact, FloatArray], fade: float) -> Motion:
    """Move the whole body so that seat and knees are at their targets on average."""
    if not targets:
        return motion
    points, index = cached_positions(motion), motion.skeleton.index
    moves, shares = np.zeros((len(motion), 3)), np.zeros(len(motion))
    for joint in {c.joint for c in targets}:
        chosen = {c: t for c, t in targets.items() if c.joint == joint}
        move, share = displacement(motion, points[:, index(joint)], chosen, fade)
        moves, shares = moves + share[:, None] * move, shares + share
    moves /= np.maximum(shares, 1.0)[:, None]
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    if motion.units.up == "Z":
        moves = np.stack([moves[:, 0], -moves[:, 2], moves[:, 1]], axis=1)
    track = motion.translations[root] + moves / motion.units.metres
    return replace(motion, translations={**motion.translations, root: track})


@dataclass(frozen=True, eq=False)
class HeldLimb:
    """A limb whose contacts were held: its state before, and the rotations of its joints after."""

    state: bytes
    joints: list[int]
    rotations: FloatArray


def _state_of(
    motion: Motion, limb: Limb, targets: Mapping[Contact, FloatArray], fade: float
) -> bytes:
    """Hash the inputs of holding a limb: its joints, their ancestors and its contacts."""
    chain = motion.skeleton.chain(limb.end)
    tip = [] if limb.tip is None else [limb.tip]
    digest = hashlib.blake2b(motion.rotations[:, [*chain, *tip]].tobytes())
    for tracks in (motion.translations, motion.scales):
        for j in [*chain, *tip]:
            if motion.skeleton.names[j] in tracks:
                digest.update(tracks[motion.skeleton.names[j]].tobytes())
    digest.update(motion.times.tobytes())
    for contact, target in targets.items():
        said = f"{contact.joint}\0{contact.start!r}\0{contact.end!r}\0{fade!r}"
        digest.update(said.encode() + np.asarray(target).tobytes())
    return digest.digest()
