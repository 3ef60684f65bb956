"""Read an animation of a glTF file as a motion: bones with their ancestors, in metres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.as_read import kept_of
from retime.io.gltf.animations import (
    Channel,
    animation_names,
    channels_of,
    choose_animation,
    describe_animation,
    frames_of,
)
from retime.io.gltf.document import Document, load
from retime.io.gltf.humanoid import humanoid_roles, nodes_of_values
from retime.io.in_place import PATHS, others_note
from retime.io.parameters import RestFrame
from retime.io.sampled import Moments, depth_first, scales_above, uniform_part, with_ancestors
from retime.motion import Motion, Origin, Units, quat
from retime.motion.skeleton import EndSite, Skeleton, unique_names
from retime.notes import Note

# No figure has more nodes.
_MOST_NODES = 20_000
# The largest number in single precision.
_MOST = 3.5e38


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    document: Document
    """The whole file."""
    animation: int
    """Number of the animation."""
    channels: tuple[Channel, ...]
    """Its channels."""
    nodes: tuple[int, ...]
    """The node of each joint. Shape (J,)."""
    scales: FloatArray
    """Scale of each joint's ancestors, by which its translations were multiplied. Shape (J,)."""
    own_scales: FloatArray
    """The uniform part of each joint's scale, which was removed. Shape (J,)."""
    motion: Motion
    """The animation as it was read."""


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    animation: str | int | None = None,
) -> Motion:
    """Read one animation. Options are those of ``retime.read``; nodes define the rest pose."""
    document = load(path)
    index, skipped = choose_animation(document, animation)
    notes = others_note(animation_names(document), index, skipped) if animation is None else []
    return motion_of(document, index, fps, notes)


def read_motions(path: str | Path, *, fps: float | None = None) -> list[Motion]:
    """Read every animation of a file; the motions share its document."""
    document = load(path)
    return [motion_of(document, n, fps) for n in range(len(animation_names(document)))]


def motion_of(
    document: Document, index: int, fps: float | None, notes: Sequence[Note] = ()
) -> Motion:
    """Sample an animation of a document as a motion."""
    channels = channels_of(document, index)
    parents = _parents(document)
    nodes, sites = _chosen_nodes(document, parents)
    if not nodes:
        raise document.fail("the file has no nodes to move")
    moments = frames_of(document, channels, len(nodes), fps)
    tree = _tree(document, channels, nodes, parents)
    bare = _motion(document, channels, tree, [(n, parents[n]) for n in sites], moments)
    shears = [_name(document, n) for n in nodes if _shears(document, n)]
    if shears:
        notes = [
            *notes,
            Note(
                f"{shears[0]!r} is sheared by its matrix, which glTF does not allow: positions are "
                "off",
                code="sheared",
                nodes=shears[:20],
            ),
        ]
    bare = bare.with_notes(*notes)
    kept = Kept(document, index, tuple(channels), tuple(nodes), tree.scales, tree.own, bare)
    origin = Origin("gltf", str(document.path), document.sha256, kept, delivered=bare.tracks)
    return replace(bare, origin=origin)


def skinned_nodes(motion: Motion) -> list[int]:
    """Return the node of each joint if the file has a skinned mesh; otherwise nothing."""
    kept = kept_of(motion, Kept)
    if kept is None or not (kept.document.objects("skins") and kept.document.objects("meshes")):
        return []
    return list(kept.nodes)


def _parents(document: Document) -> list[int]:
    """Return each node's parent; a node with two parents, or its own ancestor, is an error."""
    nodes = document.objects("nodes")
    if len(nodes) > _MOST_NODES:
        raise document.fail(f"it has {len(nodes)} nodes, more than {_MOST_NODES}")
    out = [-1] * len(nodes)
    for n, node in enumerate(nodes):
        children = node.get("children", [])
        if not isinstance(children, list):
            raise document.fail(f"the children of node {n} are not a list")
        for child in children:
            document.item("nodes", child, f"node {n}")
            if out[child] >= 0:
                raise document.fail(f"node {child} has two parents, {out[child]} and {n}")
            out[child] = n
    _must_end(document, out)
    return out


def _must_end(document: Document, parents: list[int]) -> None:
    """Reject a node that is its own ancestor."""
    rooted: set[int] = set()
    for n in range(len(parents)):
        way: set[int] = set()
        k = n
        while k >= 0 and k not in rooted:
            if k in way:
                raise document.fail(f"node {n} is its own ancestor")
            way.add(k)
            k = parents[k]
        rooted |= way


def _chosen_nodes(document: Document, parents: list[int]) -> tuple[list[int], list[int]]:
    """Return the nodes that are joints, depth first, and those that only end a bone."""
    nodes = document.objects("nodes")
    values = nodes_of_values(document)
    named = [n for n in (*_animated(document), *_bound(document)) if n not in values]
    named = named or [n for n in range(len(nodes)) if n not in values]
    wanted = with_ancestors(named, parents.__getitem__, -1)
    below = [n for n, parent in enumerate(parents) if parent in wanted and n not in wanted]
    ends = [n for n in below if _is_end(nodes[n]) and n not in values]
    return depth_first(sorted(wanted), parents.__getitem__, -1), ends


def _is_end(node: dict[str, Any]) -> bool:
    return not node.get("children") and not {"mesh", "camera", "skin"} & set(node)


def _animated(document: Document) -> Iterator[int]:
    """Yield the nodes that any animation moves."""
    channels = [c for a in document.objects("animations") for c in _items(a, "channels")]
    targets = [c.get("target") for c in channels if isinstance(c, dict)]
    for target in targets:
        if not isinstance(target, dict) or target.get("path") not in PATHS:
            continue
        node = target.get("node")
        if node is not None:
            document.item("nodes", node, "an animation")
            yield node


def _bound(document: Document) -> Iterator[int]:
    """Yield the nodes that are joints of a skin."""
    for skin in document.objects("skins"):
        for joint in _items(skin, "joints"):
            document.item("nodes", joint, "a skin")
            yield joint


def _items(entry: dict[str, Any], name: str) -> list[Any]:
    found = entry.get(name)
    return found if isinstance(found, list) else []


def rest_of(document: Document, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a node's rest translation, rotation (wxyz) and scale."""
    node = document.objects("nodes")[n]
    if "matrix" in node:
        return _decomposed(_numbers(document, node["matrix"], 16, f"node {n}'s matrix"))
    place = _numbers(document, node.get("translation", [0, 0, 0]), 3, f"node {n}'s translation")
    turn = _numbers(document, node.get("rotation", [0, 0, 0, 1]), 4, f"node {n}'s rotation")
    size = _numbers(document, node.get("scale", [1, 1, 1]), 3, f"node {n}'s scale")
    if not np.linalg.norm(turn) > 1e-6:
        turn = np.array([0.0, 0.0, 0.0, 1.0])
    return place, quat.normalize(turn[[3, 0, 1, 2]]), size


def _numbers(document: Document, value: Any, count: int, what: str) -> FloatArray:
    try:
        out = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise document.fail(f"{what} is not {count} numbers") from None
    if out.shape != (count,) or not (np.abs(out) < _MOST).all():
        raise document.fail(f"{what} is not {count} finite numbers")
    return out


def _decomposed(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    matrix = values.reshape(4, 4).T
    linear = matrix[:3, :3]
    size = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        size = size * [-1.0, 1.0, 1.0]
    if (np.abs(size) < 1e-12).any():
        return matrix[:3, 3], quat.identity(1)[0], size
    x, y, z = (linear / size).T
    return matrix[:3, 3], quat.from_axes(x, y, z), size


def _shears(document: Document, n: int) -> bool:
    """Return whether a node's matrix contains more than a translation, rotation and scale."""
    given = document.objects("nodes")[n].get("matrix")
    if given is None:
        return False
    axes = _numbers(document, given, 16, f"node {n}'s matrix").reshape(4, 4)[:3, :3]
    lengths = np.maximum(np.linalg.norm(axes, axis=1), 1e-12)
    corners = (axes @ axes.T) / lengths[:, None] / lengths
    return bool(np.abs(corners - np.diag(np.diag(corners))).max() > 1e-3)


def _name(document: Document, n: int) -> str:
    """Return a node's name; lone surrogates, which JSON allows and UTF-8 does not, are replaced."""
    name = str(document.objects("nodes")[n].get("name") or "")
    return name.encode("utf-8", "replace").decode()


@dataclass(frozen=True, eq=False)
class _Tree:
    """The nodes that are joints, at rest."""

    joint_of: dict[int, int]
    above: npt.NDArray[np.int64]
    place: FloatArray
    turn: FloatArray
    size: FloatArray
    own: FloatArray
    """The static uniform part of each joint's scale, which goes into translations below it."""
    scales: FloatArray
    """The product of these parts over each joint's ancestors."""


def _tree(
    document: Document, channels: list[Channel], nodes: list[int], parents: list[int]
) -> _Tree:
    joint_of = {n: j for j, n in enumerate(nodes)}
    above = np.array([joint_of.get(parents[n], -1) for n in nodes])
    rest = [rest_of(document, n) for n in nodes]
    place, turn, size = (np.array(part) for part in zip(*rest, strict=True))
    scaled = {c.node for c in channels if c.path == "scale"}
    own = np.array([1.0 if n in scaled else uniform_part(size[j]) for n, j in joint_of.items()])
    return _Tree(joint_of, above, place, turn, size, own, scales_above(above, own))


def _motion(
    document: Document,
    channels: list[Channel],
    tree: _Tree,
    sites: list[tuple[int, int]],
    moments: Moments,
) -> Motion:
    """Sample the joints; ``sites`` are nodes that end a bone, with their parents."""
    names = [_name(document, n) for n in tree.joint_of]
    skeleton = Skeleton(
        unique_names(names),
        tree.above,
        tree.place * tree.scales[:, None],
        tree.turn,
        tree.size / tree.own[:, None],
        tuple(_site(document, n, tree.joint_of[parent], tree) for n, parent in sites),
        tuple(names),
    )
    times = moments.times
    rotations = np.tile(tree.turn, (len(times), 1, 1))
    roots = np.flatnonzero(tree.above < 0).tolist()
    translations = {skeleton.names[j]: np.tile(skeleton.offsets[j], (len(times), 1)) for j in roots}
    sizes = {}
    for j, channel in _of_joints(channels, tree):
        track = channel.sampler.at(times)
        if channel.path == "rotation":
            rotations[:, j] = track[:, [3, 0, 1, 2]]
        elif channel.path == "translation":
            translations[skeleton.names[j]] = track * tree.scales[j]
        else:
            sizes[skeleton.names[j]] = track
    roles = humanoid_roles(document).items()
    return moments.motion(
        skeleton,
        rotations,
        translations,
        sizes,
        units=Units(1.0, "Y", "declared"),
        roles={r: skeleton.names[tree.joint_of[n]] for r, n in roles if n in tree.joint_of},
    )


def _of_joints(channels: list[Channel], tree: _Tree) -> Iterator[tuple[int, Channel]]:
    """Yield the channels that move joints, with the joint's number."""
    for channel in channels:
        if channel.path in PATHS and channel.node in tree.joint_of:
            yield tree.joint_of[channel.node], channel


def _site(document: Document, n: int, joint: int, tree: _Tree) -> EndSite:
    x, y, z = rest_of(document, n)[0] * tree.scales[joint] * tree.own[joint]
    return EndSite(joint, (float(x), float(y), float(z)), _name(document, n))


def contents(path: str | Path) -> list[dict[str, Any]]:
    """Describe a file's animations: names, spans, rates, channels, and which tracks move."""
    document = load(path)
    return [describe_animation(document, n) for n in range(len(animation_names(document)))]
