"""Reading an animation of an FBX file as a motion: bones and their ancestors, in its own units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.fbx.document import Document, Thing, load, said_of
from retime.io.fbx.evaluation import Poses, poses
from retime.io.fbx.stacks import (
    PATHS,
    Stack,
    choose_stack,
    denser_rate,
    describe_stack,
    frame_rate,
    frames_of,
    stack_names,
    stack_of,
)
from retime.io.fbx.tangents import resolved
from retime.io.in_place import others_note
from retime.io.parameters import RestFrame
from retime.io.sampled import Moments, depth_first, uniform_part, with_ancestors
from retime.motion import Motion, Origin, Units, UpAxis, quat
from retime.motion.skeleton import EndSite, Skeleton, unique_names
from retime.notes import Note, Remedy

# Longest chain of models in a body.
_MOST_MODELS = 20_000
_BONES = ("LimbNode", "Limb", "Root")
# Types of visible models, which belong to a body only if bones are parented to them.
_SHOWN = ("Mesh", "Camera", "Light", "CameraSwitcher", "NurbsCurve", "NurbsSurface", "Line")
_STILL = 1e-6


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    document: Document
    """The whole file."""
    stack: Stack
    """The animation that was read, its tangents worked out."""
    span: tuple[int, int]
    """Its first and last time, in ticks."""
    joints: tuple[int, ...]
    """The model of each joint. Shape (J,)."""
    scales: FloatArray
    """The scale of what is above each joint, which its translations were multiplied by. Shape (J,).
    """
    own_scales: FloatArray
    """The uniform part of each joint's own scale, which was taken out. Shape (J,)."""
    turn: FloatArray
    """How the roots were turned to bring the file's axes to a known up axis. Shape (4,)."""
    rest: FloatArray
    """Local transforms without animation. Shape (J, 10)."""
    motion: Motion
    """The animation as it was read."""


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    animation: str | int | None = None,
) -> Motion:
    """Read one animation. Options are those of ``retime.read``; models have a rest pose."""
    document = load(path)
    with said_of(path):
        index, skipped = choose_stack(document, animation)
        stack = stack_of(document, index)
        motion = _motion_of(document, stack, fps)
        if animation is not None:
            return motion
        return motion.with_notes(*others_note(stack_names(document), index, skipped))


def read_motions(path: str | Path, *, fps: float | None = None) -> list[Motion]:
    """Read every animation of a file; the motions share its document."""
    document = load(path)
    with said_of(path):
        choose_stack(document, 0)
        stacks = [stack_of(document, n) for n in range(len(stack_names(document)))]
        return [_motion_of(document, s, fps, single=True) for s in stacks]


def contents(path: str | Path) -> list[dict[str, Any]]:
    """Describe a file's animations: names, spans, rates, curves, and which tracks move."""
    document = load(path)
    with said_of(path):
        return [describe_stack(document, n) for n in range(len(stack_names(document)))]


def _motion_of(
    document: Document, stack: Stack, fps: float | None, *, single: bool = False
) -> Motion:
    """Sample a stack as a motion; one that lasts no time may be a ``single`` pose."""
    models = document.of_kind(b"Model")
    if not models:
        raise document.fail("the file has no models to move")
    if len(models) > _MOST_MODELS:
        raise document.fail(f"it has {len(models)} models, more than {_MOST_MODELS}")
    rate, how = frame_rate(document, stack)
    notes = [Note(f"{rate:.6g} fps: {how}", code="rate-found", fps=rate)]
    if fps is not None:
        rate = fps
        notes = []
    elif (more := denser_rate(document, stack, rate)) is not None:
        notes.append(
            Note(
                f"the file also has keys on frames of {more:g} fps",
                Remedy(
                    "read it at that rate to include them",
                    parameter="reading.fps",
                    value=f"{more:g}",
                ),
                code="denser-keys",
            )
        )
    moments, span = frames_of(document, stack, len(models), rate, single=single)
    stack = replace(stack, curves=resolved(stack.curves, document.ticks))
    found = poses(document, stack, moments.times, models)
    units, turn, said = _units(document)
    joints, sites = _chosen(document, models, found)
    bare, parts = _motion(joints, sites, found, moments, units, turn)
    bare = bare.with_notes(*notes, *said, *_stack_notes(stack))
    kept = Kept(document, stack, span, tuple(j.id for j in joints), *parts, bare)
    origin = Origin("fbx", str(document.path), document.sha256, kept, delivered=bare.tracks)
    return replace(bare, origin=origin)


def _stack_notes(stack: Stack) -> list[Note]:
    notes = []
    if len(stack.layers) > 1:
        notes.append(
            Note(
                f"{len(stack.layers)} layers make up the animation {stack.name!r}",
                code="animation-layers",
                layers=len(stack.layers),
            )
        )
    if stack.span is None:
        notes.append(
            Note(
                f"the animation {stack.name!r} has no time span; that of its keys is used",
                code="span-of-keys",
            )
        )
    return notes


def _is_left_handed(document: Document) -> bool:
    """Return whether the file's axes form a left-handed system."""
    axes = np.zeros((3, 3))
    for row, (name, standard) in enumerate((("Up", 1), ("Front", 2), ("Coord", 0))):
        axis = int(document.setting(f"{name}Axis", standard))
        if axis not in (0, 1, 2):
            return False
        axes[row, axis] = -1.0 if document.setting(f"{name}AxisSign", 1) < 0 else 1.0
    return bool(np.linalg.det(axes) < 0)


def _units(document: Document) -> tuple[Units, FloatArray, list[Note]]:
    """Return units, a rotation that brings an unusual up axis to Y, and notes."""
    metres = document.setting("UnitScaleFactor", 1.0) / 100
    notes = []
    if not 1e-9 < metres < 1e9:
        notes.append(
            Note(
                f"its unit of {metres:g} m is not plausible; centimetres are assumed",
                code="unit-assumed",
                metres=metres,
            )
        )
        metres = 0.01
    axis, sign = int(document.setting("UpAxis", 1)), document.setting("UpAxisSign", 1)
    if _is_left_handed(document):
        notes.append(
            Note(
                "its axes are left-handed: left and right are as in the file",
                code="axes-left-handed",
            )
        )
    still = quat.identity(1)[0]
    up: UpAxis = "Z" if axis == 2 else "Y"
    if axis in (1, 2) and sign >= 0:
        return Units(metres, up, "declared"), still, notes
    away = np.zeros(3)
    away[axis if axis in (0, 1, 2) else 1] = np.sign(sign) or 1.0
    turn = quat.between(away, np.array([0.0, 1.0, 0.0]))
    notes.append(Note("its up axis was turned to Y", code="up-axis-turned"))
    return Units(metres, "Y", "declared"), turn, notes


def _chosen(
    document: Document, models: list[Thing], poses: Poses
) -> tuple[list[Thing], list[Thing]]:
    """Return the models that are joints, depth first, and those that only end a bone."""
    by_id = {m.id: m for m in models}
    driven, bound = _driven(document), _bound(document) & set(by_id)
    bones = {m.id for m in models if m.subclass in _BONES} | bound
    leaves = bones - set(poses.parents.values()) - driven - bound
    ends = {b for b in leaves if poses.parents[b] in bones}
    plain = {m.id for m in models if m.subclass not in _SHOWN}
    # The first kind that the file has.
    wanted = bones - ends or driven & set(by_id) or plain or set(by_id)
    wanted = with_ancestors(wanted, poses.parents.__getitem__, 0)
    order = depth_first((m.id for m in models if m.id in wanted), poses.parents.__getitem__, 0)
    return [by_id[n] for n in order], [by_id[n] for n in ends if poses.parents[n] in wanted]


def _bound(document: Document) -> set[int]:
    """Return the models that the file's skins are bound to."""
    clusters = document.of_kind(b"Deformer")
    return {link.child for c in clusters for link in document.below.get(c.id, [])}


def _driven(document: Document) -> set[int]:
    """Return the models that any animation of the file moves."""
    nodes = {thing.id for thing in document.of_kind(b"AnimationCurveNode")}
    return {
        link.parent
        for node in nodes
        for link in document.above.get(node, [])
        if link.property in PATHS and document.below.get(node)
    }


def _motion(
    joints: list[Thing],
    sites: list[Thing],
    poses: Poses,
    moments: Moments,
    units: Units,
    turn: FloatArray,
) -> tuple[Motion, tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """Convert sampled transforms to a motion; static uniform scales go into translations below.

    Also returns what writing needs: scales above joints, own scales, the turn, and the rest.
    """
    place = {thing.id: j for j, thing in enumerate(joints)}
    above = np.array([place.get(poses.parents[thing.id], -1) for thing in joints])
    rest = np.array([poses.rest[thing.id] for thing in joints])
    varies = [_varies(poses.tracks.get(t.id), slice(7, 10)) for t in joints]
    first = np.array([_first(poses, t.id)[7:10] for t in joints])
    own = np.array([1.0 if v else uniform_part(s) for v, s in zip(varies, first, strict=True)])
    scales, whole = _scales(above, own, [thing.id in poses.keeps_size for thing in joints])
    names = [thing.name for thing in joints]
    offsets = rest[:, :3] * scales[:, None]
    rest_turns = quat.normalize(rest[:, 3:7])
    roots = above < 0
    offsets[roots] = quat.rotate(turn, offsets[roots])
    rest_turns[roots] = quat.multiply(turn, rest_turns[roots])
    skeleton = Skeleton(
        unique_names(names),
        above,
        offsets,
        rest_turns,
        first / own[:, None],
        tuple(_site(s, place[poses.parents[s.id]], poses, whole) for s in sites),
        tuple(names),
    )
    tracks = [_track(poses, thing.id, len(moments.times)) for thing in joints]
    rotations = np.stack([quat.normalize(t[:, 3:7]) for t in tracks], axis=1)
    rotations[:, roots] = quat.multiply(turn, rotations[:, roots])
    places = [track[:, :3] * scale for track, scale in zip(tracks, scales, strict=True)]
    translations = _translations(skeleton, places, turn)
    sizes = {skeleton.names[j]: tracks[j][:, 7:10] / own[j] for j in np.flatnonzero(varies)}
    motion = moments.motion(skeleton, rotations, translations, sizes, units=units)
    return motion, (scales, own, turn, rest)


def _translations(
    skeleton: Skeleton, places: list[FloatArray], turn: FloatArray
) -> dict[str, FloatArray]:
    """Return the translations of roots, turned, and of joints that leave their offsets."""
    out: dict[str, FloatArray] = {}
    for j, (name, moved) in enumerate(zip(skeleton.names, places, strict=True)):
        if skeleton.parents[j] < 0:
            out[name] = quat.rotate(turn, moved)
        elif np.abs(moved - skeleton.offsets[j]).max() > _STILL * max(1.0, np.abs(moved).max()):
            out[name] = moved
    return out


def _track(poses: Poses, model: int, frames: int) -> FloatArray:
    """Return a model's local transforms (F, 10), also if it does not move."""
    track = poses.tracks.get(model)
    return np.tile(poses.rest[model], (frames, 1)) if track is None else track


def _scales(
    above: npt.NDArray[np.int64], own: FloatArray, keeps_size: list[bool]
) -> tuple[FloatArray, FloatArray]:
    """Return the scale of each joint's ancestors, and its product with the joint's own."""
    scales, whole = np.ones(len(own)), np.ones(len(own))
    for j, p in enumerate(above):
        if p >= 0:
            scales[j] = whole[p]
            whole[j] = whole[p] / (own[p] if keeps_size[j] else 1.0)
        whole[j] *= own[j]
    return scales, whole


def _site(thing: Thing, joint: int, poses: Poses, whole: FloatArray) -> EndSite:
    x, y, z = poses.rest[thing.id][:3] * whole[joint]
    return EndSite(joint, (x, y, z), thing.name)


def _varies(track: FloatArray | None, part: slice) -> bool:
    if track is None:
        return False
    own = track[:, part]
    return bool(np.ptp(own, axis=0).max() > 1e-6 * max(1.0, float(np.abs(own).max())))


def _first(poses: Poses, model: int) -> FloatArray:
    track = poses.tracks.get(model)
    first: FloatArray = poses.rest[model] if track is None else track[0]
    return first
