"""Forward kinematics, the frame of the body, speeds and units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray, freeze
from retime.errors import InputError
from retime.motion import quat
from retime.motion.memory import last
from retime.motion.motion import Motion
from retime.motion.skeleton import Skeleton
from retime.motion.units import Units, UpAxis
from retime.notes import Note, Remedy

# Known units of length in metres. The sixth is CMU's: an inch over 0.45.
_UNITS = {
    "metres": 1.0,
    "centimetres": 0.01,
    "inches": 0.0254,
    "millimetres": 0.001,
    "decimetres": 0.1,
    "CMU units": 0.0254 / 0.45,
    "feet": 0.3048,
}
_HUMAN_HEIGHT = (1.2, 2.2)
_TYPICAL_HEIGHT = 1.7
_MOST_METRES = 20.0
# Heights of figures outside of which a unit that a file declares is doubted, metres.
_PLAUSIBLE = (0.05, 20.0)
# Length of the longest path along the bones of a human, from a toe to the opposite fingertip,
# relative to the height (1.45 to 1.65 in real files). It needs no names, rest pose or up axis.
_LONGEST_WAY = 1.55
# From this ratio of scores on, an axis is more likely than another, and this many times more where
# the rest pose stands along the other: 92 % of captured clips score so much along their true axis.
_CLEARER, _MORE_THAN_REST = 1.2, 5.0
# Cosine to which a standing figure is upright, and how fast its lowest point moves at most, heights
# a second, in its median frame.
_UPRIGHT, _AT_REST = 0.5, 0.5
# Number of frames from which units and up axis are inferred.
_JUDGED_FRAMES = 64


def local_translations(motion: Motion) -> FloatArray:
    """Return local translations of all joints, (F, J, 3): tracks, or rest offsets without one."""
    skeleton = motion.skeleton
    out = np.broadcast_to(skeleton.offsets, (len(motion), len(skeleton), 3)).copy()
    for name, track in motion.translations.items():
        out[:, skeleton.index(name)] = track
    return out


def _local_scales(motion: Motion) -> FloatArray:
    skeleton = motion.skeleton
    if not motion.scales and (skeleton.rest_scales == 1).all():
        return np.empty((0, len(skeleton), 3))
    out = np.broadcast_to(skeleton.rest_scales, (len(motion), len(skeleton), 3)).copy()
    for name, track in motion.scales.items():
        out[:, skeleton.index(name)] = track
    return out


def _forward(motion: Motion, *, keep: bool = True) -> tuple[FloatArray, FloatArray]:
    tracks = motion.rotations, local_translations(motion), _local_scales(motion)
    return _native.motion.forward(motion.skeleton.parents, *tracks, keep)


def global_transforms(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return global positions (F, J, 3) and linear parts (F, J, 3, 3) in the file's units."""
    return _forward(motion)


def _in_file_units(motion: Motion, end_sites: bool) -> FloatArray:
    sites = motion.skeleton.end_sites
    if not end_sites or not sites:
        return _forward(motion, keep=False)[0]
    position, linear = _forward(motion)
    parent = [s.parent for s in sites]
    offset = np.array([s.offset for s in sites])
    ends = position[:, parent] + np.einsum("fsij,sj->fsi", linear[:, parent], offset)
    return np.concatenate([position, ends], axis=1)


def _y_up(points: FloatArray, up: UpAxis) -> FloatArray:
    if up == "Y":
        return points
    x, y, z = np.moveaxis(points, -1, 0)
    return np.stack([x, z, -y], axis=-1)


def positions(motion: Motion, *, end_sites: bool = False) -> FloatArray:
    """Return global joint positions in metres, Y up.

    Parameters
    ----------
    motion : Motion
        The motion.
    end_sites : bool
        Append the skeleton's end sites.

    Returns
    -------
    array (F, J, 3), or (F, J + E, 3) with end sites
        The positions.
    """
    points = _in_file_units(motion, end_sites) * motion.units.metres
    return _y_up(points, motion.units.up)


def global_rotations(motion: Motion) -> FloatArray:
    """Return global joint rotations, (F, J, 4) wxyz, Y up."""
    turn = upright(motion.units)
    return _native.motion.chain_rotations(motion.skeleton.parents, motion.rotations, turn)


def upright(units: Units) -> FloatArray:
    """Return the rotation (4,) that turns the axes of a file to Y up."""
    return quat.from_axis_angle([1, 0, 0], -np.pi / 2 if units.up == "Z" else 0.0)


def cached_positions(motion: Motion) -> FloatArray:
    """Return joint positions as :func:`positions` does, measured once and not to be written to."""
    return last(motion, "places of joints", None, lambda: freeze(positions(motion)))


def cached_rotations(motion: Motion) -> FloatArray:
    """Return joint rotations as :func:`global_rotations` does, measured once and read-only."""
    return last(motion, "turns of joints", None, lambda: freeze(global_rotations(motion)))


def body_frame(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return the character's frame: on the ground below the root, rotated by its heading only.

    Returns the ground points (F, 3) below the first root in metres, and the rotations (F,) about
    the vertical in radians, continuous in time.
    """
    root = motion.skeleton.roots[0]
    # The twist about the vertical is undefined upside down; sign-continuous rotations and
    # unwrapping keep it continuous there.
    rotation = quat.continuous(global_rotations(motion)[:, root])
    heading = np.unwrap(quat.twist(rotation, [0, 1, 0]), period=2 * np.pi)
    return positions(motion)[:, root] * [1.0, 0.0, 1.0], heading


def joint_speeds(motion: Motion) -> FloatArray:
    """Return joint speeds in metres per second, (F, J), by central differences."""
    if len(motion) < 2:
        return np.zeros((len(motion), len(motion.skeleton)))
    velocity = np.gradient(positions(motion), motion.times, axis=0)
    out: FloatArray = np.linalg.norm(velocity, axis=-1)
    return out


def height(skeleton: Skeleton) -> float:
    """Estimate the standing height of a figure in the file's units, for any pose.

    It is the length of the longest path along the bones, divided by its typical ratio to height.
    """
    ends: list[list[float]] = [[] for _ in range(len(skeleton))]
    for site in skeleton.end_sites:
        ends[site.parent].append(float(np.linalg.norm(site.offset)))
    longest = 0.0
    for j in reversed(range(len(skeleton))):
        reach = sorted([*ends[j], 0.0, 0.0])[-2:]
        longest = max(longest, sum(reach))
        if skeleton.parents[j] >= 0:
            bone = float(np.linalg.norm(skeleton.offsets[j]))
            ends[skeleton.parents[j]].append(reach[-1] + bone)
    return longest / _LONGEST_WAY


def _likely_unit(tall: float, person: bool) -> tuple[float, str, Note]:
    """Return metres per unit for a figure of a height, how that is known, and a note."""
    low, high = _HUMAN_HEIGHT
    fits = {n: u for n, u in _UNITS.items() if person and low <= tall * u <= high}
    if fits:
        name = min(fits, key=lambda n: abs(np.log(tall * fits[n] / _TYPICAL_HEIGHT)))
        said = Note(
            f"lengths assumed to be {name}, which makes the figure as tall as a person",
            code="unit-inferred",
            metres=fits[name],
        )
        return fits[name], "inferred", said
    # Small numbers are metres, large ones centimetres.
    scale, name = (1.0, "metres") if tall < _MOST_METRES else (0.01, "centimetres")
    assumed = Note(
        f"lengths assumed to be {name}, because the file shows no person of known size",
        Remedy("give the scale in metres per unit if that is wrong", parameter="reading.scale"),
        code="unit-assumed",
    )
    return scale, "assumed", assumed


def has_doubtful_unit(motion: Motion) -> bool:
    """Return whether a file's own unit makes its figure far too tall or too small."""
    tall = height(motion.skeleton) * motion.units.metres
    low, high = _PLAUSIBLE
    return motion.units.how == "declared" and tall > 0 and not low <= tall <= high


def with_likely_unit(motion: Motion, *, person: bool) -> Motion:
    """Return a motion with the unit of length that its figure suggests, and a note."""
    tall, declared = height(motion.skeleton), motion.units.metres
    scale, _, _ = _likely_unit(tall, person)
    if scale == declared:
        return motion
    said = Note(
        f"the file's unit makes the figure {tall * declared:.3g} m tall; a unit of {scale:g} m is "
        f"used, which makes it {tall * scale:.3g} m",
        Remedy(
            f"give {declared:g} metres per unit to keep the file's",
            parameter="reading.scale",
            value=declared,
        ),
        code="unit-doubted",
        declared=declared,
        metres=scale,
    )
    units = replace(motion.units, metres=scale, how="inferred")
    return replace(motion, units=units).with_notes(said)


def infer_units(
    motion: Motion,
    *,
    scale: float | None = None,
    up: UpAxis | None = None,
    person: bool = True,
) -> tuple[Units, tuple[Note, ...]]:
    """Infer the unit of length and the up axis if neither file nor user declares them.

    The unit is the known one that makes a person 1.2 to 2.2 m tall; for other figures it is
    assumed. The up axis is the one along which the root is above the lowest joint.

    Returns the units, and notes on what was inferred or assumed.
    """
    notes = []
    how = "declared"
    tall = height(motion.skeleton)
    if scale is None:
        scale, how, said = _likely_unit(tall, person)
        notes.append(said)
    if up is None:
        up, doubt = _likely_up(motion, tall)
        how = "inferred" if how == "declared" else how
        if up == "Z":
            notes.append(
                Note(
                    "Z assumed to be the up axis, because the figure stands along it",
                    code="up-axis-inferred",
                )
            )
        if doubt:
            other = "Z" if up == "Y" else "Y"
            notes.append(
                Note(
                    f"{up} assumed to be the up axis, although {doubt} along {other}",
                    Remedy(f"if {other} is up, say so", parameter="reading.up", value=other),
                    code="up-axis-doubtful",
                    up=up,
                )
            )
    return Units(scale, up, how), tuple(notes)


def _likely_up(motion: Motion, tall: float) -> tuple[UpAxis, str]:
    """Score Y and Z as up axis, by the standing figure, the floor and the rest pose.

    Also returns what speaks for the other axis.
    """
    if not len(motion) or tall <= 0:
        return "Y", ""
    few = _some_frames(motion)
    # Nodes above the hips are often on the ground and not a part of the body.
    hips = _first_fork(motion.skeleton)
    body = _below(motion.skeleton, hips)
    points = _in_file_units(few, end_sites=True)[:, body]
    extent = np.median(np.ptp(points, axis=1), axis=0) / tall
    floor = points.min(axis=1).std(axis=0) / tall  # large for horizontal axes
    score = _root_heights(points) / tall * extent / (0.2 + floor)
    likely: UpAxis = "Z" if score[2] > _CLEARER * score[1] else "Y"
    at_rest = replace(
        few, rotations=np.broadcast_to(motion.skeleton.rest_rotations, few.rotations.shape)
    )
    _, y, z = _root_heights(_in_file_units(at_rest, end_sites=True)[:, body]) / tall
    if max(y, z) <= 0.35 or min(y, z) >= 0.25:
        return likely, ""  # the rest pose is not a standing figure
    rest: UpAxis = "Y" if y > z else "Z"
    if likely == rest:
        return rest, ""
    clear = score["XYZ".index(likely)] > _CLEARER * _MORE_THAN_REST * score["XYZ".index(rest)]
    if clear and _stands(motion, few, hips, (rest, likely), tall):
        return likely, "its rest pose stands"
    return rest, "the figure reaches farther"


def _stands(
    motion: Motion, few: Motion, hips: int, axes: tuple[UpAxis, UpAxis], tall: float
) -> bool:
    """Return whether a figure that stands along one axis at rest stands along another in motion.

    One that lies or swims is stretched along it, too, but not upright, or its lowest point is
    never still.
    """
    (before, after), none = ("XYZ".index(a) for a in axes), quat.identity()
    turns = _native.motion.chain_rotations(few.skeleton.parents, few.rotations, none)[:, hips]
    rest = _native.motion.chain_rotations(
        few.skeleton.parents, few.skeleton.rest_rotations[None], none
    )[0, hips]
    turned = quat.rotate(quat.multiply(turns, quat.conjugate(rest)), np.eye(3)[before])
    if np.median(turned[:, after]) < _UPRIGHT or len(motion) < 2:
        return False
    points = _in_file_units(motion, end_sites=True)[:, _below(motion.skeleton, hips)]
    lowest = points[..., after].argmin(axis=1)[:-1]
    moved = np.diff(points, axis=0)[np.arange(len(lowest)), lowest]
    speed = np.linalg.norm(moved, axis=1) / np.diff(motion.times)
    return bool(np.median(speed) < _AT_REST * tall)


def _root_heights(points: FloatArray) -> FloatArray:
    """Return the median height of the root above the lowest point along each axis, (3,)."""
    out: FloatArray = np.median(points[:, 0] - points.min(axis=1), axis=0)
    return out


def _some_frames(motion: Motion) -> Motion:
    """Return a motion of a few frames, for estimates."""
    step = max(1, len(motion) // _JUDGED_FRAMES)
    return replace(
        motion,
        rotations=motion.rotations[::step],
        translations={n: t[::step] for n, t in motion.translations.items()},
        scales={n: t[::step] for n, t in motion.scales.items()},
        sample_times=None,
    )


def carriers(skeleton: Skeleton) -> list[int]:
    """Return the joints above the hips, which many exporters add and which only move the body."""
    return skeleton.chain(_first_fork(skeleton))[1:]


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    """Return a joint, its descendants, and their end sites, as indices of points of a pose."""
    found = [joint]
    for j in range(joint + 1, len(skeleton)):  # parents come first
        if skeleton.parents[j] in found:
            found.append(j)
    sites = [len(skeleton) + n for n, s in enumerate(skeleton.end_sites) if s.parent in found]
    return found + sites


def _first_fork(skeleton: Skeleton) -> int:
    """Return the first joint with several children: the hips, in most files."""
    root = joint = skeleton.roots[0]
    while len(children := np.flatnonzero(skeleton.parents == joint)) == 1:
        joint = int(children[0])
    return joint if len(children) else root


def ground_height(points: npt.ArrayLike) -> float:
    """Return the height of the floor: the 5th percentile of the lowest joint of (F, J, 3)."""
    lowest = np.asarray(points)[..., 1].min(axis=1)
    if not lowest.size:
        raise InputError("the motion has no frames")
    return float(np.percentile(lowest, 5))
