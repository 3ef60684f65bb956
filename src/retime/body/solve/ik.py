"""Inverse kinematics: hold contacts in place with the limbs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.body.model.body import Body, Limb, LimbName, find_body
from retime.body.solve.displacement import OwnPath, Target, displacement, frame_weights, frames_of
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver, two_bone
from retime.body.solve.own_paths import SourceTracks, on_purpose
from retime.errors import InputError
from retime.motion import Motion, trust
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, cached_rotations
from retime.notes import Note
from retime.timing import TimeWarp

__all__ = ["HeldLimb", "contact_targets", "hold_contacts", "two_bone"]

# Remaining displacement of a contact above which it is reported, metres.
_MISSED = 1e-3


def contact_targets(
    motion: Motion, contacts: Iterable[Contact], tracks: SourceTracks
) -> dict[Contact, FloatArray]:
    """Find the fixed points of contacts of a retimed motion: the mean of where the source had them.

    A contact that came to lie far away (the figure was moved on purpose) keeps its new place on the
    ground and the source's height.

    Parameters
    ----------
    motion : Motion
        The retimed motion.
    contacts : iterable of Contact
        In its time.
    tracks : SourceTracks
        Where the source has its joints.

    Returns
    -------
    dict of Contact to array (3,), or (F, 3) on a support that moves; metres.
    """
    now, warp = cached_positions(motion), tracks.warp
    out = {}
    for contact in contacts:
        frames = frames_of(contact, motion)
        if not frames.any():
            continue
        j = motion.skeleton.index(contact.joint)
        way = _support_path(contact, motion, warp)
        weights = frame_weights(contact, motion.times[frames], motion.rate)
        there = here = weights @ (now[frames, j] - way[frames])
        if not warp.loop:  # later cycles are moved completely
            there = weights @ (tracks.of(contact.joint)[frames] - way[frames])
            if contact.height is not None:
                there[1] = contact.height
            there = there + on_purpose(here - there, tracks.tall)
        out[contact] = there + way if way.any() else there
    return out


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
    targets: Mapping[Contact, Target],
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
    targets : mapping of Contact to array (3,) or (F, 3), or OwnPath
        Where each contact shall be, metres; a path where its support moves. Those of one joint are
        of one kind.
    fade : float
        Seconds over which a displacement fades.
    known : dict of str to HeldLimb, optional
        Cache of the last solution of each limb: an unchanged limb is not solved again.
    """
    if not (np.isfinite(fade) and fade >= 0):
        raise InputError(f"the fade must be 0 s or more, not {fade}")
    body = find_body(motion)
    by_limb: dict[LimbName, list[Contact]] = {}
    by_trunk: dict[Contact, Target] = {}
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
        # A knee or an elbow a hair past straight would flip where its limb is bent more.
        hinge = hinge_axis(motion, limb, known=seen)
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


def _with_trunk_held(motion: Motion, targets: Mapping[Contact, Target], fade: float) -> Motion:
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


def _state_of(motion: Motion, limb: Limb, targets: Mapping[Contact, Target], fade: float) -> bytes:
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
        said = (
            f"{contact.joint}\0{contact.start!r}\0{contact.end!r}\0{contact.firmness!r}\0{fade!r}"
        )
        points = target.points if isinstance(target, OwnPath) else np.asarray(target)
        digest.update(f"{said}\0{type(target).__name__}".encode() + points.tobytes())
    return digest.digest()
