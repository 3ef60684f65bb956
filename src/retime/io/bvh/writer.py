"""Writing BVH files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import FormatWarning, InputError
from retime.io.as_read import is_as_read, nearest_rows, needs_even_frames
from retime.io.bvh.hierarchy import Channel, Hierarchy, Node
from retime.io.bvh.reader import BvhFile, rotation_columns
from retime.io.files import write_bytes
from retime.io.sampled import depth_first
from retime.motion import Motion, quat
from retime.motion.kinematics import infer_units
from retime.motion.skeleton import Skeleton

# Digits behind the point: a millionth of a degree, or of a unit, even where the source had fewer.
_LEAST_DECIMALS = 6
_MOST_DECIMALS = 9
# Turning that a joint's channels cannot hold, beyond which it gets all three.
_LOST_TURN = np.radians(0.5)
_ROWS_A_CHUNK = 1024
# Scales nearer to 1 are rounding of programs that write them for every joint.
_SEEN_SCALE = 1e-4

# For each joint's name, the file's row nearest to what each frame shows.
SourceRows = Callable[[str], npt.NDArray[np.int64]]


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a BVH file; an unedited one keeps its digits. Options are those of ``retime.write``."""
    if motion.sample_times is not None:
        raise InputError(needs_even_frames("BVH"))
    _warn_of_scales(motion, path)
    kept = _kept(motion)
    if kept is None:
        if motion.origin is not None:  # its file told, or had, a unit of its own
            _warn_of_units(motion, path)
        motion = _depth_first(motion)
    aside = 0 if drop_rest or motion.rest_pose is None else 1
    if kept is not None and _is_untouched(motion, kept.motion):
        hierarchy = kept.hierarchy
        lines = _file_rows(kept, skip=kept.rest_rows - aside)
    else:
        hierarchy = _hierarchy_of(motion, kept)
        rows = _rows(motion, hierarchy, kept, None if kept is None else _nearest_rows(motion, kept))
        if aside:
            rows = np.concatenate([_rest_row(motion, hierarchy, kept), rows])
        decimals = min(max(kept.rows.decimals if kept else 0, _LEAST_DECIMALS), _MOST_DECIMALS)
        lines = _formatted(rows, decimals)
    head = _head(hierarchy, motion, len(motion) + aside, kept)
    write_bytes(path, chain([head.encode()], lines))


def _warn_of_scales(motion: Motion, path: str | Path) -> None:
    off = {n: float(np.abs(s - 1).max(initial=0.0)) for n, s in motion.scales.items()}
    scaled = [n for n, most in off.items() if most > _SEEN_SCALE]
    if scaled:
        warnings.warn(
            f"{path}: BVH cannot hold scales; those of {len(scaled)} joints are left out (by up to "
            f"{100 * max(off.values()):.2g} %)",
            FormatWarning,
            stacklevel=3,
        )


# ---- what the file had


def _kept(motion: Motion) -> BvhFile | None:
    """Return the file's own data, where the motion still has that file's joints."""
    kept = motion.origin.kept if motion.origin is not None else None
    if not isinstance(kept, BvhFile):
        return None
    old, new = kept.motion.skeleton, motion.skeleton
    ends = [(s.parent, s.name) for s in old.end_sites] == [
        (s.parent, s.name) for s in new.end_sites
    ]
    same = old.same_joints(new) and old.file_names == new.file_names and ends
    return kept if same else None


def _is_untouched(motion: Motion, read: Motion) -> bool:
    return motion.skeleton is read.skeleton and is_as_read(motion, read)


def _file_rows(kept: BvhFile, skip: int) -> Iterator[bytes]:
    """Give the file's rows back word for word, a row per line, in the order of the joints."""
    columns = kept.rows.values.shape[1]
    order = [n.first_column + k for n in kept.hierarchy.joints for k in range(len(n.channels))]
    in_order = order == list(range(columns))  # CHANNELS may stand behind a joint's children
    words = kept.rows.text.split()
    for start in range(skip * columns, len(words), columns):
        row = words[start : start + columns]
        yield b" ".join(row if in_order else [row[k] for k in order]) + b"\n"


def _nearest_rows(motion: Motion, kept: BvhFile) -> SourceRows | None:
    """Find the file's row nearest to what each frame of a joint shows."""
    count = len(kept.rows.values) - kept.rest_rows
    if count < 1:
        return None
    return lambda name: nearest_rows(
        motion, name, fps=kept.motion.fps, count=count, first=kept.rest_rows
    )


# ---- rows


def _formatted(rows: FloatArray, decimals: int) -> Iterator[bytes]:
    from retime.io.bvh.kernels import format_rows

    for start in range(0, len(rows), _ROWS_A_CHUNK):
        chunk = rows[start : start + _ROWS_A_CHUNK]
        if not (np.abs(chunk) < 2.0**53 / 10.0**decimals).all():
            line = " ".join([f"%.{decimals}f"] * rows.shape[1]) + "\n"
            yield "".join(line % tuple(row.tolist()) for row in chunk).encode()
        else:
            yield format_rows(chunk, decimals).tobytes()


def _rows(
    motion: Motion, hierarchy: Hierarchy, kept: BvhFile | None, source: SourceRows | None
) -> FloatArray:
    """Make the rows; angles lie nearest to the source's own; otherwise to the frame before."""
    frames = len(motion)
    rows = np.empty((frames, hierarchy.columns))
    columns = rotation_columns(hierarchy)[0]
    file_columns = columns if kept is None else rotation_columns(kept.hierarchy)[0]
    for j, (node, name) in enumerate(zip(hierarchy.joints, motion.skeleton.names, strict=True)):
        axes = node.rotation_axes
        if axes:
            near = np.zeros((frames, 3))
            known = file_columns[j][file_columns[j] >= 0]
            hinted = kept is not None and source is not None and len(known) == len(axes)
            if kept is not None and source is not None:
                near[:, : len(known)] = np.radians(kept.rows.values[source(name)][:, known])
            angles = _angles(motion.rotations[:, j], axes, near, continuous=not hinted)
            rows[:, columns[j][: len(axes)]] = np.degrees(angles[:, : len(axes)])
        track = motion.translations.get(name)
        for i, channel in enumerate(node.channels):
            if not channel.rotation:
                value = motion.skeleton.offsets[j, channel.axis]
                rows[:, node.first_column + i] = value if track is None else track[:, channel.axis]
    return rows


def _rest_row(motion: Motion, hierarchy: Hierarchy, kept: BvhFile | None) -> FloatArray:
    """Make the row of the rest pose; the file's own, where it still is the file's."""
    rest = motion.rest_pose
    if rest is None:
        return np.empty((0, hierarchy.columns))
    offsets = motion.skeleton.offsets
    places = {
        n: np.asarray(rest.translations.get(n, offsets[motion.skeleton.index(n)]))[None]
        for n in motion.translations
    }
    still = replace(
        motion,
        rotations=rest.rotations[None],
        translations=places,
        scales={},
        rest_pose=None,
        origin=None,
    )
    if kept is None or not kept.rest_rows:
        return _rows(still, hierarchy, None, None)
    return _rows(still, hierarchy, kept, lambda name: np.zeros(1, dtype=np.int64))


def _angles(
    rotations: FloatArray, axes: tuple[int, ...], near: FloatArray, *, continuous: bool
) -> FloatArray:
    from retime.io.bvh.kernels import quaternions_to_euler

    order = np.array([*axes, *(a for a in (2, 0, 1) if a not in axes)], dtype=np.int64)
    rotations = np.ascontiguousarray(rotations)
    angles: FloatArray = quaternions_to_euler(rotations, order, len(axes), near, continuous)
    return angles


# ---- the hierarchy


def _head(hierarchy: Hierarchy, motion: Motion, frames: int, kept: BvhFile | None) -> str:
    out = ["HIERARCHY"]
    open_nodes: list[int] = []
    for index, node in enumerate(hierarchy.nodes):
        while open_nodes and open_nodes[-1] != node.parent:
            open_nodes.pop()
            out.append("\t" * len(open_nodes) + "}")
        indent = "\t" * len(open_nodes)
        name = re.sub(r"[{}\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", "_", node.name)
        out.append(f"{indent}{node.keyword} {name}".rstrip(" "))
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
        frame_time = _decimal(1 / motion.fps)
    out += ["MOTION", f"Frames: {frames}", f"Frame Time: {frame_time}"]
    return "\n".join(out) + "\n"


def _decimal(value: float) -> str:
    """Write a number with all its digits and no exponent."""
    return np.format_float_positional(value, trim="0")


def _hierarchy_of(motion: Motion, kept: BvhFile | None) -> Hierarchy:
    """Take the file's hierarchy, or make one; change what the motion needs otherwise."""
    skeleton = motion.skeleton
    made = kept is None
    if kept is None:
        nodes = _made_nodes(motion)
    else:
        nodes = [replace(n, channels=list(n.channels)) for n in kept.hierarchy.nodes]
        _update_offsets(nodes, motion)
    joints = [n for n in nodes if not n.is_end]
    for j, (node, name) in enumerate(zip(joints, skeleton.names, strict=True)):
        _give_rotations(node, motion.rotations[:, j], made=made)
        if name in motion.translations:
            _give_positions(node, motion.translations[name], skeleton.offsets[j], made=made)
    columns = 0
    for node in joints:
        node.first_column = columns
        columns += len(node.channels)
    return Hierarchy(nodes, columns)


def _update_offsets(nodes: list[Node], motion: Motion) -> None:
    """Rewrite offsets where they are no longer the file's."""
    skeleton = motion.skeleton
    offsets = list(skeleton.offsets)
    ends = [np.array(s.offset) for s in skeleton.end_sites]
    for node in nodes:
        offset = (ends if node.is_end else offsets).pop(0)
        if not np.array_equal(offset, [float(t) for t in node.offset]):
            node.offset = tuple(map(_decimal, offset))


def _made_nodes(motion: Motion) -> list[Node]:
    """Lay a skeleton out as braces need it; its joints are in depth-first order."""
    skeleton = motion.skeleton
    ends: dict[int, list[Node]] = {}
    for site in skeleton.end_sites:
        offset = tuple(map(_decimal, site.offset))
        ends.setdefault(site.parent, []).append(Node("End Site", site.name, 0, 0, offset))
    nodes: list[Node] = []
    number: dict[int, int] = {}
    for j, name in enumerate(skeleton.file_names):
        if "/" in name or not name.strip():  # USD tells whole paths, glTF perhaps nothing
            name = skeleton.names[j]
        parent = int(skeleton.parents[j])
        number[j] = len(nodes)
        keyword = "JOINT" if parent >= 0 else "ROOT"
        offset = tuple(map(_decimal, skeleton.offsets[j]))
        nodes.append(Node(keyword, name, number.get(parent, -1), 0, offset))
        for end in ends.get(j, []):
            end.parent = number[j]
            nodes.append(end)
    return nodes


def _depth_first(motion: Motion) -> Motion:
    """Bring joints into the order of a BVH file: every child right behind its parent."""
    skeleton = motion.skeleton
    order = depth_first(range(len(skeleton)), lambda j: int(skeleton.parents[j]), -1)
    if order == list(range(len(skeleton))):
        return motion
    place = {old: new for new, old in enumerate(order)}
    sites = sorted(
        (replace(s, parent=place[s.parent]) for s in skeleton.end_sites), key=lambda s: s.parent
    )
    parents = [place.get(int(skeleton.parents[j]), -1) for j in order]
    rest = motion.rest_pose
    return replace(
        motion,
        skeleton=Skeleton(
            tuple(skeleton.names[j] for j in order),
            np.array(parents),
            skeleton.offsets[order],
            skeleton.rest_rotations[order],
            skeleton.rest_scales[order],
            tuple(sites),
            tuple(skeleton.file_names[j] for j in order),
        ),
        rotations=motion.rotations[:, order],
        rest_pose=None if rest is None else replace(rest, rotations=rest.rotations[order]),
        origin=None,
    )


def _warn_of_units(motion: Motion, path: str | Path) -> None:
    """Say how a file that tells neither unit nor up axis will be read, where that is wrong."""
    guess, _ = infer_units(motion, person=find_body(motion).is_biped)
    metres, up = motion.units.metres, motion.units.up
    options = []
    if abs(guess.metres / metres - 1) > 0.02:
        options.append(f"a scale of {metres:.6g} metres")
    if guess.up != up:
        options.append(f"the up axis {up}")
    if options and motion.units.how != "unknown" and len(motion):
        warnings.warn(
            f"{path}: BVH tells neither unit nor up axis, and this one will be read otherwise; "
            f"give {' and '.join(options)} when it is read",
            FormatWarning,
            stacklevel=3,
        )


def _give_rotations(node: Node, rotations: FloatArray, *, made: bool) -> None:
    """Add rotation channels where the ones that are there cannot hold the motion."""
    axes = node.rotation_axes
    if len(axes) == 3 or (not made and _lost_turn(rotations, axes) <= _LOST_TURN):
        return
    order = [*axes, *(a for a in (2, 0, 1) if a not in axes)]
    rotation = [Channel(a, True, "XYZ"[a] + "rotation") for a in order]
    node.channels = [c for c in node.channels if not c.rotation] + rotation


def _lost_turn(rotations: FloatArray, axes: tuple[int, ...]) -> float:
    """Measure by how much rotations differ from what their channels can hold."""
    if not len(rotations):
        return 0.0
    angles = _angles(rotations, axes, np.zeros((len(rotations), 3)), continuous=True)
    back = quat.identity(len(rotations))
    for k, axis in enumerate(axes):
        back = quat.multiply(back, quat.from_axis_angle(np.eye(3)[axis], angles[:, k]))
    return float(quat.angle(rotations, back).max())


def _give_positions(node: Node, track: FloatArray, offset: FloatArray, *, made: bool) -> None:
    """Add position channels where the motion leaves the offset on an axis that has none."""
    have = {c.axis for c in node.channels if not c.rotation}
    lacking = [a for a in range(3) if a not in have]
    hair = 1e-9 * max(1.0, float(np.abs(offset).max()))
    stays = all((np.abs(track[:, a] - offset[a]) <= hair).all() for a in lacking)
    if stays and not (made and node.parent < 0):
        return
    position = [Channel(a, False, "XYZ"[a] + "position") for a in range(3)]
    node.channels = position + [c for c in node.channels if c.rotation]
