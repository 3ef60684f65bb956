"""Forward kinematics, the frame of the body, speeds and units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion import quat
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
# The longest way along a human's bones, toe over hips and shoulder to the other hand's tip, in
# heights (1.45 to 1.65 in the files at hand). It needs no names, no rest pose and no up axis.
_LONGEST_WAY = 1.55
# Units and up axis are judged on this many frames at most.
_JUDGED_FRAMES = 64


def local_translations(motion: Motion) -> FloatArray:
    """Return local translations of all joints, (F, J, 3): tracks; otherwise rest offsets."""
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


def _forward(motion: Motion) -> tuple[FloatArray, FloatArray]:
    from retime.motion.kernels import forward

    position, linear = forward(
        motion.skeleton.parents, motion.rotations, local_translations(motion), _local_scales(motion)
    )
    return position, linear


def global_transforms(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return global places (F, J, 3) and linear parts (F, J, 3, 3) in the file's own numbers."""
    return _forward(motion)


def _in_file_units(motion: Motion, end_sites: bool) -> FloatArray:
    position, linear = _forward(motion)
    sites = motion.skeleton.end_sites
    if not end_sites or not sites:
        return position
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
        Any motion.
    end_sites : bool
        Add the skeleton's end sites as further columns.

    Returns
    -------
    array (F, J, 3), or (F, J + E, 3) with end sites.
    """
    points = _in_file_units(motion, end_sites) * motion.units.metres
    return _y_up(points, motion.units.up)


def global_rotations(motion: Motion) -> FloatArray:
    """Return global joint rotations, (F, J, 4) wxyz, Y up."""
    from retime.motion.kernels import chain_rotations

    upright = -np.pi / 2 if motion.units.up == "Z" else 0.0
    turn = quat.from_axis_angle([1, 0, 0], upright)
    made: FloatArray = chain_rotations(motion.skeleton.parents, motion.rotations, turn)
    return made


def body_frame(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return the character's own frame: on the ground below the root, turned by its heading only.

    Height and lean stay in the coordinates, so that gravity's direction is not lost.

    Returns the ground points (F, 3) below the first root in metres, and the turns (F,) about the
    vertical in radians, continuous in time.
    """
    root = motion.skeleton.roots[0]
    # A rotation's twist about the vertical is undefined when upside down; rotations that are
    # sign-continuous pass through there without a flip, and unwrapping keeps count.
    rotation = quat.continuous(global_rotations(motion)[:, root])
    heading = np.unwrap(quat.twist(rotation, [0, 1, 0]), period=2 * np.pi)
    return positions(motion)[:, root] * [1.0, 0.0, 1.0], heading


def in_body_frame(motion: Motion, points: FloatArray) -> FloatArray:
    """Bring points (F, N, 3) in metres into the character's own frame."""
    origin, heading = body_frame(motion)
    turn = quat.from_axis_angle([0, 1, 0], -heading)
    return quat.rotate(turn[:, None], points - origin[:, None])


def joint_speeds(motion: Motion) -> FloatArray:
    """Return joint speeds in metres per second, (F, J), by central differences."""
    if len(motion) < 2:
        return np.zeros((len(motion), len(motion.skeleton)))
    velocity = np.gradient(positions(motion), motion.times, axis=0)
    out: FloatArray = np.linalg.norm(velocity, axis=-1)
    return out


def height(skeleton: Skeleton) -> float:
    """Estimate a figure's standing height in the file's units, whatever its pose.

    It is the longest way along the bones, over what that way is in a human's heights.
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
    """Return metres per unit for a figure so tall, how that is known, and what to say about it."""
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
    # Things of a few units are metres, those of tens and more centimetres.
    scale, name = (1.0, "metres") if tall < _MOST_METRES else (0.01, "centimetres")
    assumed = Note(
        f"lengths assumed to be {name}, for no person of known size is in the file",
        Remedy("give the scale in metres per unit if that is wrong", parameter="reading.scale"),
        code="unit-assumed",
    )
    return scale, "assumed", assumed


def infer_units(
    motion: Motion,
    *,
    scale: float | None = None,
    up: UpAxis | None = None,
    person: bool = True,
) -> tuple[Units, tuple[Note, ...]]:
    """Find a motion's unit of length and up axis where neither file nor user declares them.

    The unit is the known one that makes a person 1.2 to 2.2 m tall, and an assumption where the
    figure is none; the up axis is the one along which the root stands above the lowest joint.

    Returns the units, and notes on what was inferred or assumed.
    """
    notes = []
    how = "declared"
    tall = height(motion.skeleton)
    if scale is None:
        scale, how, said = _likely_unit(tall, person)
        notes.append(said)
    if up is None:
        up = _likely_up(motion, tall)
        how = "inferred" if how == "declared" else how
        if up == "Z":
            notes.append(
                Note(
                    "Z assumed to be the up axis, along which the figure stands",
                    code="up-axis-inferred",
                )
            )
    return Units(scale, up, how), tuple(notes)


def _likely_up(motion: Motion, tall: float) -> UpAxis:
    """Score Y and Z as up axis, by the standing figure, the floor and the rest pose."""
    if not len(motion) or tall <= 0:
        return "Y"
    step = max(1, len(motion) // _JUDGED_FRAMES)
    few = replace(
        motion,
        rotations=motion.rotations[::step],
        translations={n: t[::step] for n, t in motion.translations.items()},
        scales={n: t[::step] for n, t in motion.scales.items()},
        sample_times=None,
    )
    # What only carries the body, a node on the ground above the hips, is no part of it.
    body = _below(motion.skeleton, _first_fork(motion.skeleton))

    def stands(points: FloatArray) -> FloatArray:
        above: FloatArray = np.median(points[:, 0] - points.min(axis=1), axis=0)
        return above / tall

    points = _in_file_units(few, end_sites=True)[:, body]
    extent = np.median(np.ptp(points, axis=1), axis=0) / tall
    floor = points.min(axis=1).std(axis=0) / tall  # along the ground it moves with the figure
    score = stands(points) * extent / (0.2 + floor)

    rest = replace(
        few, rotations=np.broadcast_to(motion.skeleton.rest_rotations, few.rotations.shape)
    )
    _, y, z = stands(_in_file_units(rest, end_sites=True)[:, body])
    if max(y, z) > 0.35 and min(y, z) < 0.25:  # some rest poses stand, others are just zeros
        score[1 if y > z else 2] *= 2
    return "Z" if score[2] > 1.2 * score[1] else "Y"


def carriers(skeleton: Skeleton) -> list[int]:
    """List the joints above the hips that only carry the body, as many exporters add."""
    return skeleton.chain(_first_fork(skeleton))[1:]


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    """List a joint, those below it, and their end sites as they follow the joints in a pose."""
    found = [joint]
    for j in range(joint + 1, len(skeleton)):  # parents come first
        if skeleton.parents[j] in found:
            found.append(j)
    sites = [len(skeleton) + n for n, s in enumerate(skeleton.end_sites) if s.parent in found]
    return found + sites


def _first_fork(skeleton: Skeleton) -> int:
    """Return the first joint with several children: the hips, below what only carries the body."""
    root = joint = skeleton.roots[0]
    while len(children := np.flatnonzero(skeleton.parents == joint)) == 1:
        joint = int(children[0])
    return joint if len(children) else root


def ground_height(points: npt.ArrayLike) -> float:
    """Return the height of the floor under joint positions (F, J, 3): their low percentile."""
    lowest = np.asarray(points)[..., 1].min(axis=1)
    if not lowest.size:
        raise InputError("the motion has no frames")
    return float(np.percentile(lowest, 5))
