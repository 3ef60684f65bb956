"""Writing BVH files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from retime import quat
from retime.errors import FormatWarning, InputError
from retime.io.bvh.hierarchy import Channel, Hierarchy, Node
from retime.io.bvh.reader import BvhFile, rotation_columns
from retime.io.files import write_bytes
from retime.motion import Motion
from retime.quat import FloatArray

__all__ = ["write_motion"]

# Digits behind the point: a millionth of a degree, or of a unit, even where the source had fewer.
_LEAST_DECIMALS = 6
_MOST_DECIMALS = 9
# Turning that a joint's channels cannot hold, beyond which it gets all three.
_LOST_TURN = np.radians(0.5)
_ROWS_A_CHUNK = 1024


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a BVH file; an unedited one keeps its digits. Options are those of ``retime.write``."""
    if motion.sample_times is not None:
        raise InputError("BVH needs evenly spaced frames; give a frame rate (--fps)")
    if motion.scales:
        warnings.warn(
            f"{path}: BVH cannot hold scales; those of {len(motion.scales)} joints are left out",
            FormatWarning,
            stacklevel=2,
        )
    kept = _kept(motion)
    aside = 0 if drop_rest or motion.rest_pose is None else 1
    if kept is not None and _is_unedited(motion, kept):
        hierarchy = kept.hierarchy
        lines = _file_rows(kept, skip=kept.rest_rows - min(aside, kept.rest_rows))
    else:
        hierarchy = _hierarchy_of(motion, kept)
        rows = _rows(motion, hierarchy, kept)
        if aside and motion.rest_pose is not None:
            rest = replace(
                motion,
                rotations=motion.rest_pose.rotations[None],
                translations={n: t[None] for n, t in _rest_translations(motion).items()},
                scales={},
                rest_pose=None,
                origin=None,
            )
            rows = np.concatenate([_rows(rest, hierarchy, None), rows])
        decimals = min(max(kept.rows.decimals if kept else 0, _LEAST_DECIMALS), _MOST_DECIMALS)
        lines = _formatted(rows, decimals)
    head = _head(hierarchy, motion, len(motion) + aside, kept)
    write_bytes(path, chain([head.encode()], lines))


def _rest_translations(motion: Motion) -> dict[str, FloatArray]:
    given = motion.rest_pose.translations if motion.rest_pose else {}
    offsets = motion.skeleton.offsets
    return {n: given.get(n, offsets[motion.skeleton.index(n)]) for n in motion.translations}


def _kept(motion: Motion) -> BvhFile | None:
    """Return the file's own data, where the motion still has that file's joints."""
    kept = motion.origin.kept if motion.origin is not None else None
    if not isinstance(kept, BvhFile):
        return None
    names = tuple(n.name for n in kept.hierarchy.joints)
    return kept if names == motion.skeleton.file_names else None


def _is_unedited(motion: Motion, kept: BvhFile) -> bool:
    return (
        motion.origin is not None
        and motion.origin.warp is None
        and motion.rotations is kept.rotations
        and motion.translations.keys() == kept.translations.keys()
        and all(motion.translations[n] is t for n, t in kept.translations.items())
    )


def _file_rows(kept: BvhFile, skip: int) -> Iterator[bytes]:
    """Give the file's rows back word for word, a row a line."""
    columns = kept.rows.values.shape[1]
    words = kept.rows.text.split()
    for start in range(skip * columns, len(words), columns):
        yield b" ".join(words[start : start + columns]) + b"\n"


def _formatted(rows: FloatArray, decimals: int) -> Iterator[bytes]:
    from retime.io.bvh.kernels import format_rows

    for start in range(0, len(rows), _ROWS_A_CHUNK):
        chunk = rows[start : start + _ROWS_A_CHUNK]
        if not (np.abs(chunk) < 1e18 / 10.0**decimals).all():
            line = " ".join([f"%.{decimals}f"] * rows.shape[1]) + "\n"
            yield "".join(line % tuple(row.tolist()) for row in chunk).encode()
        else:
            yield format_rows(chunk, decimals).tobytes()


def _head(hierarchy: Hierarchy, motion: Motion, frames: int, kept: BvhFile | None) -> str:
    out = ["HIERARCHY"]
    open_nodes: list[int] = []
    for index, node in enumerate(hierarchy.nodes):
        while open_nodes and open_nodes[-1] != node.parent:
            open_nodes.pop()
            out.append("\t" * len(open_nodes) + "}")
        indent = "\t" * len(open_nodes)
        out.append(f"{indent}{node.keyword} {node.name}".rstrip(" "))
        out.append(indent + "{")
        out.append(f"{indent}\tOFFSET {' '.join(node.offset)}")
        if not node.is_end:
            names = "".join(f" {c.text}" for c in node.channels)
            out.append(f"{indent}\tCHANNELS {len(node.channels)}{names}")
        open_nodes.append(index)
    while open_nodes:
        open_nodes.pop()
        out.append("\t" * len(open_nodes) + "}")
    if kept is not None and motion.fps == kept.rows.fps:
        frame_time = kept.rows.frame_time
    else:
        frame_time = f"{1 / motion.fps:.9f}"
    out += ["MOTION", f"Frames: {frames}", f"Frame Time: {frame_time}"]
    return "\n".join(out) + "\n"


def _hierarchy_of(motion: Motion, kept: BvhFile | None) -> Hierarchy:
    """Take the file's hierarchy, or make one; add channels where the motion needs them."""
    nodes = [replace(n, channels=list(n.channels)) for n in kept.hierarchy.nodes] if kept else []
    if not nodes:
        nodes = _made_nodes(motion)
    joints = [n for n in nodes if not n.is_end]
    for j, (node, name) in enumerate(zip(joints, motion.skeleton.names, strict=True)):
        _give_rotations(node, motion.rotations[:, j], made=kept is None)
        if name in motion.translations:
            _give_positions(node, motion.translations[name], motion.skeleton.offsets[j])
    columns = 0
    for node in joints:
        node.first_column = columns
        columns += len(node.channels)
    return Hierarchy(nodes, columns)


def _made_nodes(motion: Motion) -> list[Node]:
    """Lay a skeleton out depth first, as braces need it."""
    skeleton = motion.skeleton
    order: list[Node] = []
    if not np.array_equal(_depth_first(motion), np.arange(len(skeleton))):
        raise InputError("BVH needs joints in depth-first order")
    ends: dict[int, list[Node]] = {}
    for site in skeleton.end_sites:
        offset = tuple(f"{v:.6f}" for v in site.offset)
        ends.setdefault(site.parent, []).append(Node("End Site", site.name, 0, 0, offset))
    number: dict[int, int] = {}
    for j, name in enumerate(skeleton.file_names):
        parent = int(skeleton.parents[j])
        offset = tuple(f"{v:.6f}" for v in skeleton.offsets[j])
        number[j] = len(order)
        keyword = "JOINT" if parent >= 0 else "ROOT"
        order.append(Node(keyword, name, number.get(parent, -1), 0, offset))
        for end in ends.get(j, []):
            end.parent = number[j]
            order.append(end)
    return order


def _depth_first(motion: Motion) -> list[int]:
    out: list[int] = []
    stack = list(reversed(motion.skeleton.roots))
    while stack:
        j = stack.pop()
        out.append(j)
        stack += reversed(motion.skeleton.children[j])
    return out


def _give_rotations(node: Node, rotations: FloatArray, *, made: bool) -> None:
    """Add rotation channels where the ones that are there cannot hold the motion."""
    axes = node.rotation_axes
    if len(axes) == 3:
        return
    if not made and _lost_turn(rotations, axes) <= _LOST_TURN:
        return
    order = [*axes, *(a for a in (2, 0, 1) if a not in axes)]
    rotation = [Channel(a, True, "XYZ"[a] + "rotation") for a in order]
    node.channels = [c for c in node.channels if not c.rotation] + rotation


def _lost_turn(rotations: FloatArray, axes: tuple[int, ...]) -> float:
    if not len(rotations):
        return 0.0
    near = np.zeros((len(rotations), 3))
    angles = _angles(rotations, axes, near, continuous=True)
    angles[:, len(axes) :] = 0.0
    back = quat.identity(len(rotations))
    for k, axis in enumerate(axes):
        back = quat.multiply(back, quat.from_axis_angle(np.eye(3)[axis], angles[:, k]))
    return float(quat.angle(rotations, back).max())


def _give_positions(node: Node, track: FloatArray, offset: FloatArray) -> None:
    have = {c.axis for c in node.channels if not c.rotation}
    lacking = [a for a in range(3) if a not in have]
    if (
        node.parent >= 0
        and not have
        and np.array_equal(track, np.broadcast_to(offset, track.shape))
    ):
        return
    held = np.array([float(t) for t in node.offset])
    if have and all((track[:, a] == held[a]).all() for a in lacking):
        return
    position = [Channel(a, False, "XYZ"[a] + "position") for a in range(3)]
    node.channels = position + [c for c in node.channels if c.rotation]


def _angles(
    rotations: FloatArray, axes: tuple[int, ...], near: FloatArray, *, continuous: bool
) -> FloatArray:
    from retime.io.bvh.kernels import quaternions_to_euler

    order = np.array([*axes, *(a for a in (2, 0, 1) if a not in axes)], dtype=np.int64)
    rotations = np.ascontiguousarray(rotations)
    angles: FloatArray = quaternions_to_euler(rotations, order, near, continuous)
    return angles


def _rows(motion: Motion, hierarchy: Hierarchy, kept: BvhFile | None) -> FloatArray:
    """Make the rows; angles lie nearest to the source's own, else to the frame before."""
    frames = len(motion)
    rows = np.empty((frames, hierarchy.columns))
    file_columns = rotation_columns(kept.hierarchy)[0] if kept is not None else None
    columns = rotation_columns(hierarchy)[0]
    for j, (node, name) in enumerate(zip(hierarchy.joints, motion.skeleton.names, strict=True)):
        axes = node.rotation_axes
        near = np.zeros((frames, 3))
        hinted = False
        if kept is not None and file_columns is not None and len(kept.rows.values):
            row = _source_row(motion, kept, name)
            known = [c for c in file_columns[j] if c >= 0]
            near[:, : len(known)] = np.radians(kept.rows.values[row][:, known])
            hinted = len(known) == len(axes)
        if axes:
            angles = _angles(motion.rotations[:, j], axes, near, continuous=not hinted)
            used = columns[j][columns[j] >= 0]
            rows[:, used] = np.degrees(angles[:, : len(axes)])
        for i, channel in enumerate(node.channels):
            if not channel.rotation:
                track = motion.translations.get(name)
                value = motion.skeleton.offsets[j, channel.axis]
                rows[:, node.first_column + i] = value if track is None else track[:, channel.axis]
    return rows


def _source_row(
    motion: Motion, kept: BvhFile, name: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the file's row nearest to what each frame of a joint shows."""
    origin = motion.origin
    times = motion.times
    if origin is not None and origin.warp is not None:
        times = origin.warp(times, name)
    count = len(kept.rows.values) - kept.rest_rows
    frame = np.round(times * kept.rows.fps).astype(np.int64)
    if origin is not None and origin.warp is not None and origin.warp.loop and count > 1:
        frame %= count - 1
    return np.clip(frame, 0, count - 1) + kept.rest_rows
