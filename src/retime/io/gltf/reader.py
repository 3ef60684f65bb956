"""Reading an animation of a glTF file as a motion: bones with their ancestors, in metres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

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
from retime.io.gltf.humanoid import humanoid_roles
from retime.io.in_place import PATHS, others_note
from retime.io.parameters import RestFrame
from retime.io.sampled import Moments, depth_first, scales_above, uniform_part, with_ancestors
from retime.motion import Motion, Origin, Units, quat
from retime.motion.skeleton import EndSite, Skeleton, unique_names
from retime.notes import Note

# A chain of more nodes than this is no body.
_MOST_NODES = 20_000
# Single precision holds no more.
_MOST = 3.5e38


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a file, kept to write it back."""

    document: Document
    """The whole file."""
    animation: int
    """Which animation was read."""
    channels: tuple[Channel, ...]
    """Its channels."""
    nodes: tuple[int, ...]
    """The node of each joint. Shape (J,)."""
    scales: FloatArray
    """The scale of what is above each joint, which its translations were multiplied by. Shape (J,).
    """
    own_scales: FloatArray
    """The uniform part of each joint's own scale, which was taken out. Shape (J,)."""
    motion: Motion
    """The animation as it was read."""


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    animation: str | int | None = None,
) -> Motion:
    """Read one animation. Options are those of ``retime.read``; its rest pose is the nodes' own."""
    document = load(path)
    index, skipped = choose_animation(document, animation)
    notes = others_note(animation_names(document), index, skipped) if animation is None else []
    return motion_of(document, index, fps, notes)


def read_motions(path: str | Path, *, fps: float | None = None) -> list[Motion]:
    """Read every animation of a file, which they share."""
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
    bare, scales, own = _motion(document, channels, nodes, sites, parents, moments)
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
    kept = Kept(document, index, tuple(channels), tuple(nodes), scales, own, bare)
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
    """Refuse a node that is its own ancestor."""
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
    """Choose the nodes that are joints, parents first, and those that only end a bone."""
    nodes = document.objects("nodes")
    named = [*_animated(document), *_bound(document)] or range(len(nodes))
    wanted = with_ancestors(named, parents.__getitem__, -1)
    ends = [
        n
        for n, node in enumerate(nodes)
        if n not in wanted and parents[n] in wanted and not node.get("children")
        and not {"mesh", "camera", "skin"} & set(node)
    ]  # fmt: skip
    return depth_first(sorted(wanted), parents.__getitem__, -1), ends


def _animated(document: Document) -> Iterator[int]:
    """List the nodes that any animation moves."""
    channels = [c for a in document.objects("animations") for c in _items(a, "channels")]
    for channel in channels:
        target = channel.get("target") if isinstance(channel, dict) else None
        if not isinstance(target, dict) or target.get("path") not in PATHS:
            continue
        node = target.get("node")
        if node is not None:
            document.item("nodes", node, "an animation")
            yield node


def _bound(document: Document) -> Iterator[int]:
    """List the nodes that a skin is below."""
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
    """Return whether a node's matrix is more than a place, a rotation and scales."""
    given = document.objects("nodes")[n].get("matrix")
    if given is None:
        return False
    axes = _numbers(document, given, 16, f"node {n}'s matrix").reshape(4, 4)[:3, :3]
    lengths = np.maximum(np.linalg.norm(axes, axis=1), 1e-12)
    corners = (axes @ axes.T) / lengths[:, None] / lengths
    return bool(np.abs(corners - np.diag(np.diag(corners))).max() > 1e-3)


def _name(document: Document, n: int) -> str:
    """Return a node's name; halves of characters, which JSON can hold and no file, are replaced."""
    name = str(document.objects("nodes")[n].get("name") or "")
    return name.encode("utf-8", "replace").decode()


def _motion(
    document: Document,
    channels: list[Channel],
    nodes: list[int],
    sites: list[int],
    parents: list[int],
    moments: Moments,
) -> tuple[Motion, FloatArray, FloatArray]:
    """Sample the nodes; static uniform scales go into the translations below them."""
    joint_of = {n: j for j, n in enumerate(nodes)}
    tracks = {(c.node, c.path): c.sampler for c in channels}
    rest = [rest_of(document, n) for n in nodes]
    place, turn, size = (np.array(part) for part in zip(*rest, strict=True))
    above = np.array([joint_of.get(parents[n], -1) for n in nodes])
    own = np.array(
        [1.0 if (n, "scale") in tracks else uniform_part(size[j]) for j, n in enumerate(nodes)]
    )
    scales = scales_above(above, own)
    names = [_name(document, n) for n in nodes]
    skeleton = Skeleton(
        unique_names(names),
        above,
        place * scales[:, None],
        turn,
        size / own[:, None],
        tuple(_site(document, n, joint_of[parents[n]], scales, own) for n in sites),
        tuple(names),
    )
    rotations = np.tile(turn, (len(moments.times), 1, 1))
    translations, sizes = {}, {}
    for j, (n, name) in enumerate(zip(nodes, skeleton.names, strict=True)):
        own_tracks = {p: tracks[n, p].at(moments.times) for p in PATHS if (n, p) in tracks}
        if above[j] < 0:
            own_tracks.setdefault("translation", np.tile(place[j], (len(moments.times), 1)))
        if "rotation" in own_tracks:
            rotations[:, j] = own_tracks["rotation"][:, [3, 0, 1, 2]]
        if "translation" in own_tracks:
            translations[name] = own_tracks["translation"] * scales[j]
        if "scale" in own_tracks:
            sizes[name] = own_tracks["scale"]
    roles = humanoid_roles(document).items()
    motion = moments.motion(
        skeleton,
        rotations,
        translations,
        sizes,
        units=Units(1.0, "Y", "declared"),
        roles={r: skeleton.names[joint_of[n]] for r, n in roles if n in joint_of},
    )
    return motion, scales, own


def _site(document: Document, n: int, joint: int, scales: FloatArray, own: FloatArray) -> EndSite:
    x, y, z = rest_of(document, n)[0] * scales[joint] * own[joint]
    return EndSite(joint, (float(x), float(y), float(z)), _name(document, n))


def contents(path: str | Path) -> list[dict[str, Any]]:
    """List a file's animations: names, spans, rates, channels, and what moves."""
    document = load(path)
    return [describe_animation(document, n) for n in range(len(animation_names(document)))]
