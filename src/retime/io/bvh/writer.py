"""Write BVH files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import FormatWarning
from retime.io.as_read import is_as_read, kept_of, must_be_even, nearest_rows
from retime.io.bvh.hierarchy import Channel, Hierarchy, Node
from retime.io.bvh.reader import BvhFile, bvh_transforms
from retime.io.files import write_bytes
from retime.io.sampled import depth_first
from retime.motion import Motion, quat
from retime.motion.kinematics import infer_units
from retime.motion.skeleton import Skeleton

# Digits after the decimal point: at least a millionth of a degree or unit, even if the source had
# fewer.
_LEAST_DECIMALS = 6
_MOST_DECIMALS = 9
# A joint whose channels cannot represent its rotations within this angle gets all three.
_LOST_TURN = np.radians(0.5)
_ROWS_A_CHUNK = 1024
# Scales closer to 1 are rounding errors of programs that write scales for every joint.
_SEEN_SCALE = 1e-4

# From a joint's name to the source row nearest to each frame, (F,).
SourceRows = Callable[[str], npt.NDArray[np.int64]]


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a BVH file; an unedited one keeps its digits. Options are those of ``retime.write``."""
    must_be_even(motion, "BVH")
    _warn_of_scales(motion, path)
    kept = _kept(motion)
    if kept is None:
        if motion.origin is not None:  # another format, which has units
            _warn_of_units(motion, path)
        motion = _depth_first(motion)
    rest = None if drop_rest else _at_rest(motion, kept)
    rest_rows = 0 if rest is None else len(rest)
    if kept is not None and _is_untouched(motion, kept.motion):
        hierarchy = kept.hierarchy
        lines = _file_rows(kept, skip=kept.rest_rows - rest_rows)
    else:
        hierarchy = _hierarchy_of(motion, kept)
        lines = _edited_rows(motion, hierarchy, kept, rest)
    head = _head(hierarchy, len(motion) + rest_rows, _frame_time(motion, kept))
    write_bytes(path, chain([head.encode()], lines))


def _warn_of_scales(motion: Motion, path: str | Path) -> None:
    off = {n: float(np.abs(s - 1).max(initial=0.0)) for n, s in motion.scales.items()}
    scaled = [n for n, most in off.items() if most > _SEEN_SCALE]
    if scaled:
        warnings.warn(
            f"{path}: BVH cannot store scales; those of {len(scaled)} joints are left out (by up "
            f"to {100 * max(off.values()):.2g} %)",
            FormatWarning,
            stacklevel=3,
        )


# ---- data of the source file


def _kept(motion: Motion) -> BvhFile | None:
    """Return the source file's data if the motion still has the joints of that file."""
    kept = kept_of(motion, BvhFile)
    if kept is None:
        return None
    old, new = kept.motion.skeleton, motion.skeleton
    same = old.same_joints(new) and old.file_names == new.file_names and _ends(old) == _ends(new)
    return kept if same else None


def _ends(skeleton: Skeleton) -> list[tuple[int, str]]:
    return [(s.parent, s.name) for s in skeleton.end_sites]


def _is_untouched(motion: Motion, read: Motion) -> bool:
    return motion.skeleton is read.skeleton and is_as_read(motion, read)


def _file_rows(kept: BvhFile, skip: int) -> Iterator[bytes]:
    """Yield the source rows as their text, one per line, with columns in the order of joints."""
    columns = kept.rows.values.shape[1]
    order = [n.first_column + k for n in kept.hierarchy.joints for k in range(len(n.channels))]
    in_order = order == list(range(columns))  # CHANNELS may follow a joint's children
    words = kept.rows.text.split()
    for start in range(skip * columns, len(words), columns):
        row = words[start : start + columns]
        yield b" ".join(row if in_order else [row[k] for k in order]) + b"\n"


def _nearest_rows(motion: Motion, kept: BvhFile | None) -> SourceRows | None:
    """Return a function that finds the source row nearest to each frame of a joint."""
    count = 0 if kept is None else len(kept.rows.values) - kept.rest_rows
    if kept is None or count < 1:
        return None
    return lambda name: nearest_rows(
        motion, name, fps=kept.motion.fps, count=count, first=kept.rest_rows
    )


# ---- rows


def _formatted(rows: FloatArray, decimals: int) -> Iterator[bytes]:
    for start in range(0, len(rows), _ROWS_A_CHUNK):
        chunk = rows[start : start + _ROWS_A_CHUNK]
        if not (np.abs(chunk) < 2.0**53 / 10.0**decimals).all():
            line = " ".join([f"%.{decimals}f"] * rows.shape[1]) + "\n"
            yield "".join(line % tuple(row.tolist()) for row in chunk).encode()
        else:
            yield _native.bvh.format_rows(chunk, decimals).tobytes()


def _edited_rows(
    motion: Motion, hierarchy: Hierarchy, kept: BvhFile | None, rest: Motion | None
) -> Iterator[bytes]:
    """Yield the rows of an edited or new motion as text, after those of its rest frames."""
    rows = _rows(motion, hierarchy, kept, _nearest_rows(motion, kept))
    if rest is not None:
        rows = np.concatenate([_rest_rows(rest, hierarchy, kept), rows])
    decimals = min(max(kept.rows.decimals if kept else 0, _LEAST_DECIMALS), _MOST_DECIMALS)
    return _formatted(rows, decimals)


def _rows(
    motion: Motion, hierarchy: Hierarchy, kept: BvhFile | None, source: SourceRows | None
) -> FloatArray:
    """Return the rows (F, C); angles are nearest to the source's, or to the previous frame's."""
    rows = np.empty((len(motion), hierarchy.columns))
    in_file = (hierarchy if kept is None else kept.hierarchy).joints
    for j, (node, name) in enumerate(zip(hierarchy.joints, motion.skeleton.names, strict=True)):
        if node.rotation_axes:
            near = None
            if kept is not None and source is not None:
                columns = in_file[j].columns(rotation=True)
                near = np.radians(kept.rows.values[source(name)][:, columns])
            rows[:, node.columns(rotation=True)] = _turns(motion.rotations[:, j], node, near)
        track = motion.translations.get(name, motion.skeleton.offsets[None, j])
        rows[:, node.columns(rotation=False)] = track[:, node.position_axes]
    return rows


def _turns(rotations: FloatArray, node: Node, near: FloatArray | None) -> FloatArray:
    """Return a node's angles in degrees (F, axes), nearest to those of the source in radians."""
    axes = node.rotation_axes
    wanted, known = np.zeros((len(rotations), 3)), 0
    if near is not None:
        known = near.shape[1]
        wanted[:, :known] = near
    angles = _angles(rotations, axes, wanted, continuous=known != len(axes))
    return np.degrees(angles[:, : len(axes)])


def _at_rest(motion: Motion, kept: BvhFile | None) -> Motion | None:
    """Return the frames before a motion, as a motion: the file's, or one of its rest pose."""
    rest, skeleton = motion.rest_pose, motion.skeleton
    if rest is None:
        return None
    if kept is not None and rest is kept.motion.rest_pose:
        rows = kept.rows.values[: kept.rest_rows]
        rotations, places = bvh_transforms(kept.hierarchy, rows, skeleton)
    else:
        rotations = rest.rotations[None]
        places = {
            n: np.asarray(rest.translations.get(n, skeleton.offsets[skeleton.index(n)]))[None]
            for n in motion.translations
        }
    return replace(
        motion, rotations=rotations, translations=places, scales={}, rest_pose=None, origin=None
    )


def _rest_rows(rest: Motion, hierarchy: Hierarchy, kept: BvhFile | None) -> FloatArray:
    """Return the rows of the rest frames (F, C), nearest to the source's if that has some."""
    if kept is None or not kept.rest_rows:
        return _rows(rest, hierarchy, None, None)
    return _rows(rest, hierarchy, kept, lambda name: np.arange(len(rest)))


def _angles(
    rotations: FloatArray, axes: tuple[int, ...], near: FloatArray, *, continuous: bool
) -> FloatArray:
    order = np.array([*axes, *(a for a in (2, 0, 1) if a not in axes)], dtype=np.int64)
    rotations = np.ascontiguousarray(rotations)
    return _native.bvh.quaternions_to_euler(rotations, order, len(axes), near, continuous)


# ---- the hierarchy


def _head(hierarchy: Hierarchy, frames: int, frame_time: str) -> str:
    """Return the text of a file up to its first row."""
    out = ["HIERARCHY"]
    depths: list[int] = []
    for node in hierarchy.nodes:
        depth = depths[node.parent] + 1 if node.parent >= 0 else 0
        out += _closing(depths[-1] if depths else -1, depth)
        out += ["\t" * depth + line for line in _declaration(node)]
        depths.append(depth)
    out += _closing(depths[-1] if depths else -1, 0)
    out += ["MOTION", f"Frames: {frames}", f"Frame Time: {frame_time}"]
    return "\n".join(out) + "\n"


def _closing(depth: int, upto: int) -> list[str]:
    """Return the closing braces from a depth to one further up, deepest first."""
    return ["\t" * d + "}" for d in range(depth, upto - 1, -1)]


def _declaration(node: Node) -> list[str]:
    """Return a node's lines, without indentation and closing brace."""
    name = re.sub(r"[{}\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", "_", node.name)
    lines = [f"{node.keyword} {name}".rstrip(" "), "{", f"\tOFFSET {' '.join(node.offset)}"]
    if not node.is_end:
        names = "".join(f" {c.text}" for c in node.channels)
        lines.append(f"\tCHANNELS {len(node.channels)}{names}")
    return lines


def _frame_time(motion: Motion, kept: BvhFile | None) -> str:
    """Return the frame time, with the source's digits if the rate is still the source's."""
    if kept is not None and motion.fps == kept.rows.fps:
        return kept.rows.frame_time
    return _decimal(1 / motion.fps)


def _decimal(value: float) -> str:
    """Format a number with all its digits and no exponent."""
    return np.format_float_positional(value, trim="0")


def _hierarchy_of(motion: Motion, kept: BvhFile | None) -> Hierarchy:
    """Return the source's hierarchy or a new one, with the channels that the motion needs."""
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
    """Rewrite the offsets that were changed."""
    skeleton = motion.skeleton
    offsets = list(skeleton.offsets)
    ends = [np.array(s.offset) for s in skeleton.end_sites]
    for node in nodes:
        offset = (ends if node.is_end else offsets).pop(0)
        if not np.array_equal(offset, node.offset_values):
            node.offset = tuple(map(_decimal, offset))


def _made_nodes(motion: Motion) -> list[Node]:
    """Return the nodes of a skeleton whose joints are in depth-first order."""
    skeleton = motion.skeleton
    ends: dict[int, list[Node]] = {}
    for site in skeleton.end_sites:
        offset = tuple(map(_decimal, site.offset))
        ends.setdefault(site.parent, []).append(Node("End Site", site.name, 0, 0, offset))
    nodes: list[Node] = []
    number: dict[int, int] = {}
    for j, name in enumerate(skeleton.file_names):
        if "/" in name or not name.strip():  # USD has paths, glTF may have no name
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
    """Sort the joints depth first, as a BVH file needs them."""
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
    """Warn if a reader will infer another unit or up axis, neither of which BVH can store."""
    if motion.units.how == "unknown" or not len(motion):
        return
    guess, _ = infer_units(motion, person=find_body(motion).is_biped)
    metres, up = motion.units.metres, motion.units.up
    options = []
    if abs(guess.metres / metres - 1) > 0.02:
        options.append(f"a scale of {metres:.6g} metres")
    if guess.up != up:
        options.append(f"the up axis {up}")
    if options:
        warnings.warn(
            f"{path}: BVH stores neither unit nor up axis, and readers will infer others; "
            f"give {' and '.join(options)} when it is read",
            FormatWarning,
            stacklevel=3,
        )


def _give_rotations(node: Node, rotations: FloatArray, *, made: bool) -> None:
    """Add rotation channels if the existing ones cannot represent the motion."""
    axes = node.rotation_axes
    if len(axes) == 3 or (not made and _lost_turn(rotations, axes) <= _LOST_TURN):
        return
    order = [*axes, *(a for a in (2, 0, 1) if a not in axes)]
    rotation = [Channel(a, True, "XYZ"[a] + "rotation") for a in order]
    node.channels = [c for c in node.channels if not c.rotation] + rotation


def _lost_turn(rotations: FloatArray, axes: tuple[int, ...]) -> float:
    """Return the largest angle between rotations and what their channels can represent."""
    if not len(rotations):
        return 0.0
    angles = _angles(rotations, axes, np.zeros((len(rotations), 3)), continuous=True)
    back = quat.identity(len(rotations))
    for k, axis in enumerate(axes):
        back = quat.multiply(back, quat.from_axis_angle(np.eye(3)[axis], angles[:, k]))
    return float(quat.angle(rotations, back).max())


def _give_positions(node: Node, track: FloatArray, offset: FloatArray, *, made: bool) -> None:
    """Add position channels if the motion leaves the offset on an axis that has none."""
    lacking = [a for a in range(3) if a not in node.position_axes]
    tolerance = 1e-9 * max(1.0, float(np.abs(offset).max()))
    stays = (np.abs(track[:, lacking] - offset[lacking]) <= tolerance).all()
    if stays and not (made and node.parent < 0):
        return
    position = [Channel(a, False, "XYZ"[a] + "position") for a in range(3)]
    node.channels = position + [c for c in node.channels if c.rotation]
