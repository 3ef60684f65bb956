"""Align two complete takes: dynamic time warping, and a smooth curve through its path.

The off-line counterpart of the live aligners, on the same poses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body import ROLES
from retime.errors import InfeasibleError, InputError
from retime.keywords import takes
from retime.methods.align.joints import PAPER_JOINTS, Recording, record, tracked_points
from retime.methods.align.offline.path_curve import flowing_warp
from retime.methods.align.poses import Sizer, floor_of, own_heading, turned_onto
from retime.motion import Motion
from retime.motion.edits import Timing
from retime.notes import Note, Remedy
from retime.one_line import one_line
from retime.parameters import About, ClipRange, Range, Ripple, part_of_clip
from retime.sentences import Duration, ParameterName
from retime.times import Length, whole_frames
from retime.timing import TimeWarp

# Velocity counts as the distance it makes in this many seconds.
_MOTION_SECONDS = 0.15
# Share of the constant difference in posture that is taken out once a first path is known.
_BIAS_SHARE = 0.6
# More cells than this are searched in a corridor around the path at a quarter of the rate, this
# many of its frames to either side.
_MOST_CELLS = 4_000_000
# Costs are rounded to multiples of this, metres. In a held pose all are equal then, and noise does
# not choose the path.
_COST_STEP = 2.0**-16
_COARSER, _CORRIDOR = 4, 12


@dataclass(frozen=True, kw_only=True)
class AlignParameters:
    """Parameters of off-line alignment."""

    reference: Annotated[
        Any, About("Take to copy timing from.", metavar="PATH", widget="motion")
    ] = field(kw_only=False)
    reference_roles: Annotated[
        Mapping[str, str] | Sequence[tuple[str, str]],
        About(
            "Joint of the reference that has a role, if its name does not show it.",
            flag="reference-role",
            metavar="ROLE=JOINT",
            advanced=True,
            label="Joints of the reference",
        ),
    ] = ()
    open_end: Annotated[
        bool,
        About(
            "End the result where the reference ends, even if the clip goes on.",
            label="Stop with the reference",
        ),
    ] = False
    repeat: Annotated[
        bool,
        About(
            "Repeat the clip as a cycle for the length of the reference.",
            label="Repeat the cycle",
        ),
    ] = False
    max_step: Annotated[
        int,
        About(
            "Maximum number of clip frames per reference frame: the maximum playback speed before "
            "smoothing.",
            minimum=1,
            maximum=32,
            advanced=True,
            label="Max speed",
        ),
    ] = 4
    max_stall: Annotated[
        Length,
        About(
            "Longest time that the clip may wait for the reference; it moves on slowly instead of "
            "standing still.",
            label="Longest wait",
            unit="s",
            minimum=0.0,
            slider=(0, 2),
        ),
    ] = 0.1
    weights: Annotated[
        Mapping[str, float] | Sequence[tuple[str, float]],
        About(
            "Weight of a joint in the comparison, by role; 0 ignores it.",
            flag="weight",
            metavar="ROLE=W",
            advanced=True,
            label="Weight of joints",
        ),
    ] = ()
    search_fps: Annotated[
        float,
        About(
            "Frame rate of the comparison.",
            unit="Hz",
            minimum=2,
            maximum=480,
            label="Search rate",
            step=1,
            advanced=True,
        ),
    ] = 60.0
    range: ClipRange = None
    ripple: Ripple = True


@one_line()
@dataclass(frozen=True, eq=False)
class Alignment:
    """An alignment: the warp, and the costs and path from which it was computed.

    Parameters
    ----------
    warp : TimeWarp
        The result.
    matched : TimeWarp
        From the reference's own time to the motion's, as the path runs; differs from ``warp`` only
        where a range is aligned.
    distance : float
        Mean distance of the reference's joints along the path, metres on the motion's bones.
    costs : array (M, W)
        Cost of each reference frame against the motion's, from ``first`` on: weighted distances in
        place and motion, metres at common size.
    first : array (M,)
        The first of a's frames in each row.
    path : array (M, 2)
        First and last of a's frames that each of b's is matched with.
    times : (array, array)
        Times of a's and of b's frames, seconds.
    """

    warp: TimeWarp
    matched: TimeWarp
    distance: float
    costs: FloatArray
    first: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]
    times: tuple[FloatArray, FloatArray]


@takes(AlignParameters)
def align(motion: Motion, p: AlignParameters) -> Timing:
    """Give one take the timing of another.

    Poses are compared wherever the performers stand and face and whatever their build, joints
    matched by role. The path of least total distance becomes a smooth curve, which is
    nearest to it where poses change most.

    Parameters
    ----------
    motion : Motion
        The take to retime.

    Returns
    -------
    Timing
        Its warp goes from the reference's time to the motion's, and starts with the motion.

    Examples
    --------
    >>> from retime import align, samples
    >>> slow = samples.sample("punches-slow")       # the punches, warped by a known curve
    >>> warp = align(samples.punches(), slow.motion).warp
    >>> times = slow.motion.times
    >>> bool(abs(warp(times) - slow.warp(times)).mean() < 0.02)
    True
    """
    warp = alignment(motion, p).warp
    early = motion.start - warp.domain[0]
    return Timing(warp if abs(early) < 1e-9 else warp.shifted(early))


@takes(AlignParameters)
def find_alignment(motion: Motion, p: AlignParameters) -> Alignment:
    """Align two takes as :func:`align` does, and keep the costs and the path.

    Parameters
    ----------
    motion : Motion
        The take to retime.
    """
    return alignment(motion, p)


def alignment(a: Motion, p: AlignParameters) -> Alignment:
    """Align a take to the reference of the parameters."""
    if not isinstance(a, Motion):
        raise InputError(f"only a motion can be aligned, not {type(a).__name__}; read a file first")
    b = p.reference
    other = b if isinstance(b, Motion | Recording) else _read(b)
    if isinstance(other, Motion) and p.reference_roles:
        other = replace(other, roles=dict(p.reference_roles))
    if p.range is not None:
        part_of_clip(p.range, a.domain)
    first, second = _common(a, other)
    if p.range is not None:
        first = _cut(first, p.range)
    found = _aligned(first, second, p)
    warp = found.warp
    if p.range is not None:
        # Within the clip, the range starts where it stood.
        graph = warp.body
        source = np.clip(graph.y, *p.range)
        moved = TimeWarp(graph.x - graph.x[0] + p.range[0], source)
        warp = moved.within(a.domain, p.range, ripple=p.ripple).with_notes(*warp.notes)
    return replace(found, warp=warp)


def _read(b: Any) -> Motion:
    from retime.io import read

    sha256 = None
    if isinstance(b, Mapping):
        b, sha256 = b.get("path"), b.get("sha256")
    if not isinstance(b, str | Path):
        raise InputError(f"the other take is a motion or a path, not {type(b).__name__}")
    motion = read(b)
    if sha256 is not None and motion.origin is not None and motion.origin.sha256 != sha256:
        raise InputError(f"{b} is no longer the file that the recipe was made with")
    return motion


def _common(a: Motion, b: Motion | Recording) -> tuple[Recording, Recording]:
    """Record the joints that both have."""
    if isinstance(b, Recording):
        roles: Sequence[str] = [j for j in b.joints if j in ROLES]
    else:
        _, roles = tracked_points(b, PAPER_JOINTS)
    _, own = tracked_points(a, roles)
    joints = tuple(r for r in roles if r in own)
    return _on_floor(record(a, joints=joints)), _on_floor(record(b, joints=joints))


def _on_floor(recording: Recording) -> Recording:
    """Put a take on a floor at height 0, where its feet tell the floor: people stand anywhere."""
    floor = floor_of(recording)
    if np.isnan(floor):
        return recording
    points = recording.points - np.array([0.0, floor, 0.0])
    return Recording(recording.times, points, recording.joints)


def _cut(recording: Recording, span: Range) -> Recording:
    inside = recording.times[(recording.times > span[0]) & (recording.times < span[1])]
    times = np.r_[span[0], inside, span[1]]
    return Recording(times, recording.at(times), recording.joints)


def _aligned(a: Recording, b: Recording, p: AlignParameters) -> Alignment:
    sizer = Sizer(a)
    weights = _weights(p.weights, a.joints)
    times_a, times_b = _even(a, p.search_fps), _even(b, p.search_fps)
    if p.repeat and len(times_a) > 1:
        turns = int(np.ceil(p.max_step * len(times_b) / (len(times_a) - 1))) + 1
    else:
        turns = 1
    poses_a = own_heading(a.at(times_a)) * sizer.scale
    sizer.measure(b)
    placed = np.stack([sizer.live(p, learn=False).points for p in b.at(times_b)])
    mean = poses_a.mean(axis=0)
    poses_a, poses_b = turned_onto(mean, poses_a), turned_onto(mean, placed)
    x, y = _features(poses_a, times_a, turns), _features(poses_b, times_b, 1)
    both = np.r_[weights, _MOTION_SECONDS * weights]
    open_end = p.open_end or p.repeat
    stalls = round(p.max_stall * p.search_fps)
    # A reference that lasts much longer cannot be followed without longer waits.
    needed = -(-len(times_b) // max(len(times_a) - 1, 1))
    raised = stalls < needed and not p.repeat
    limits = p.max_step, needed if raised else stalls, open_end
    *_, path = _search(x, y, both, *limits)
    # Once more without the constant difference in posture that the first path shows.
    middle = path.mean(axis=1).astype(int)
    bias = _BIAS_SHARE * (y - x[middle]).mean(axis=0)
    bias[len(weights) :] = 0.0
    costs, first, path = _search(x, y - bias, both, *limits)
    period = times_a[-1] - times_a[0]
    start, step = float(times_a[0]), float(period) / (len(times_a) - 1)
    last_time = None if open_end else float(times_a[-1])
    warp = flowing_warp(path, costs, first, times_b, (start, step), loop=p.repeat, to=last_time)
    matched = x[path.mean(axis=1).astype(int), : len(weights)]
    off = float(np.linalg.norm(y[:, : len(weights)] - matched, axis=2).mean()) / sizer.scale
    told = f"mean distance of the joints to the reference: {100 * off:.1f} cm"
    notes = [Note(told, code="alignment-distance", metres=off)]
    if raised:
        notes.append(_longer_waits(needed / p.search_fps, len(times_b) / len(times_a)))
    warp = warp.with_notes(*notes)
    return Alignment(warp, warp, off, costs, first, path, (times_a, times_b))


def _longer_waits(seconds: float, longer: float) -> Note:
    return Note(
        "the clip waits up to {seconds:.2g} at a time: the reference lasts {longer:.3g} times as "
        "long",
        Remedy(parameter="max_stall"),
        code="longer-waits",
        seconds=Duration(seconds),
        longer=longer,
    )


def _weights(
    given: Mapping[str, float] | Sequence[tuple[str, float]], joints: tuple[str, ...]
) -> FloatArray:
    chosen = dict(given)
    for role, weight in chosen.items():
        if role not in joints:
            raise InputError(f"no joint {role!r} is compared; there are {', '.join(joints)}")
        if not (np.isfinite(weight) and weight >= 0):
            raise InputError(f"the weight of {role} is {weight}; it must be 0 or more")
    out = np.array([float(chosen.get(j, 1.0)) for j in joints])
    if not out.any():
        raise InputError("no joint counts: give one a weight above 0")
    return out


def _even(recording: Recording, rate: float) -> FloatArray:
    steps = max(whole_frames(recording.end - recording.start, rate), 2)
    return np.linspace(recording.start, recording.end, steps + 1)


def _features(poses: FloatArray, times: FloatArray, turns: int) -> FloatArray:
    """Return poses and velocities (N, 2 J, 3), a cycle repeated as often as asked."""
    velocity = np.gradient(poses, times, axis=0)
    both = np.concatenate([poses, velocity], axis=1)
    if turns > 1:
        both = np.concatenate([*([both[:-1]] * turns), both[-1:]])
    return np.ascontiguousarray(both)


def _search(
    x: FloatArray, y: FloatArray, weights: FloatArray, steps: int, stalls: int, open_end: bool
) -> tuple[FloatArray, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find the path of least cost; return the costs with their first columns, and the path."""
    n, m = len(x), len(y)
    low, width = np.zeros(m, np.int64), n
    if n * m > _MOST_CELLS:
        fewer = -(-stalls // _COARSER)
        fewer_x, fewer_y = (np.ascontiguousarray(a[::_COARSER]) for a in (x, y))
        *_, path = _search(fewer_x, fewer_y, weights, steps, fewer, open_end)
        rows = np.arange(m) / _COARSER
        around = _CORRIDOR * _COARSER
        known = np.arange(len(path))
        left = np.interp(rows, known, path[:, 0]) * _COARSER - around
        high = np.interp(rows, known, path[:, 1]) * _COARSER + around
        low = np.clip(np.floor(left).astype(np.int64), 0, n - 1)
        low[0] = 0
        width = int(min(n, (np.ceil(high) - low).max() + 1 + _COARSER))
        low = np.minimum(low, max(n - width, 0))
    costs = _native.dtw.pose_costs(y, x, weights, low, width)
    costs = np.round(costs / _COST_STEP) * _COST_STEP
    cost, path = _native.dtw.cheapest_path(costs, low, n, steps, stalls, open_end)
    if not np.isfinite(cost):
        raise InfeasibleError(
            "no alignment keeps to the limits: the takes differ too much in length for them; allow "
            "a larger {step} or a longer {stall}" + ("" if open_end else ", or an open end"),
            step=ParameterName("max_step"),
            stall=ParameterName("max_stall"),
        )
    return costs, low, path
