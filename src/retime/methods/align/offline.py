"""Retiming one take to another, both whole: dynamic time warping and a smooth curve through it.

The off-line counterpart of the live aligners, on the same poses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import ROLES
from retime.errors import InfeasibleError, InputError
from retime.methods.align.joints import PAPER_JOINTS, Recording, record, tracked_points
from retime.methods.align.path_curve import keys_of_path, smooth_warp
from retime.methods.align.poses import Sizer, floor_of, own_heading, turned_onto
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.parameters import Range, build, parameter
from retime.timing import TimeWarp

__all__ = ["AlignParameters", "Alignment", "align", "find_alignment"]

# Velocity counts as the distance it makes in this many seconds.
_MOTION_SECONDS = 0.15
# Share of the constant difference in posture that is taken out once a first path is known.
_BIAS_SHARE = 0.6
# More cells than this are searched in a corridor around the path at a quarter of the rate, this
# many of its frames to either side.
_MOST_CELLS = 4_000_000
_COARSER, _CORRIDOR = 4, 12
# Seconds after which there is a key, whatever the path does.
_KEY_EVERY = 0.25


@dataclass(frozen=True, kw_only=True)
class AlignParameters:
    """Parameters of off-line alignment."""

    b: Any = parameter(help="The take whose timing is taken over.", metavar="PATH")
    b_roles: tuple[tuple[str, str], ...] = parameter(
        (),
        help="Its joint of a role, where names tell too little; repeatable.",
        flag="--take-role",
        metavar="ROLE=JOINT",
    )
    open_end: bool = parameter(
        False, help="Let the motion stop where the other take does, wherever that is."
    )
    max_step: int = parameter(
        4, help="Most frames of the motion to one of the other take.", minimum=1, maximum=32
    )
    max_stall: float | None = parameter(
        None, help="Longest standstill; else there is no limit.", unit="s", minimum=0.0
    )
    loop_reference: bool = parameter(
        False, help="The motion is a cycle, repeated as long as the other take lasts."
    )
    weights: tuple[tuple[str, float], ...] = parameter(
        (), help="What a joint counts, by role; 0 leaves it out.", flag="--weight", metavar="ROLE=W"
    )
    rate: float = parameter(
        60.0, help="Frames per second that are compared.", unit="Hz", minimum=2, maximum=480
    )
    range: Range | None = parameter(
        None, help="Align only this part of the clip, from A to B.", unit="s", metavar="A:B"
    )
    rest: Literal["fixed", "ripple"] = parameter(
        "ripple", help="What follows the range stays where it is, or moves with the range's end."
    )


@dataclass(frozen=True, eq=False)
class Alignment:
    """A warp and what it was found by.

    Parameters
    ----------
    warp : TimeWarp
        The result.
    matched : TimeWarp
        From b's own time to a's, as the path runs; the same, but where only a range is aligned.
    distance : float
        How far the mean joint of ``b`` is from ``a``'s along the path, metres on ``a``'s bones.
    costs : array (M, W)
        Cost of each of b's frames against a's, from ``first`` on: weighted distances of joints in
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


def align(
    a: Motion,
    b: Any,
    *,
    b_roles: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    open_end: bool = False,
    max_step: int = 4,
    max_stall: float | None = None,
    loop_reference: bool = False,
    weights: Mapping[str, float] | Sequence[tuple[str, float]] = (),
    rate: float = 60.0,
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "ripple",
) -> TimeWarp:
    """Find the warp that gives one take the timing of another.

    Poses are compared wherever the performers stand and face and whatever their build, joints
    matched by role. The path of least total distance becomes a smooth curve through the moments
    at which the two are in step again after one had to wait (figure 3 of the paper).

    Parameters
    ----------
    a : Motion
        The take to retime.
    b : Motion or path
        The take whose timing is taken over.
    b_roles : mapping of str to str
        Joints of ``b`` by role, where its names tell too little.
    open_end : bool
        Let ``a`` stop where ``b`` does, wherever that is.
    max_step : int
        Most of ``a``'s frames that may be matched with one of ``b``'s: the fastest speed, before
        the path is smoothed.
    max_stall : float, optional
        Longest standstill of the path in seconds; left out, there is no limit.
    loop_reference : bool
        ``a`` is a cycle, repeated as long as ``b`` lasts.
    weights : mapping of str to float
        What a joint counts, by role; 1 where not given, 0 leaves it out.
    rate : float
        Frames per second that are compared.
    range : (float, float), optional
        Align only this part of ``a``, in seconds.
    rest : {"fixed", "ripple"}
        What follows the range stays where it is, or moves with the range's end.

    Returns
    -------
    TimeWarp
        From ``b``'s time to ``a``'s: ``apply(a, warp)`` is ``a`` with ``b``'s timing.

    Examples
    --------
    >>> from retime import align, samples
    >>> slow = samples.sample("punches-slow")       # the punches, warped by a known curve
    >>> warp = align(samples.punches(), slow.motion)
    >>> times = slow.motion.times
    >>> bool(abs(warp(times) - slow.warp(times)).mean() < 0.02)
    True
    """
    options = dict(locals())
    del options["a"], options["b"]
    return find_alignment(a, b, **options).warp


def align_edit(a: Motion, b: Any, **options: Any) -> Edit:
    """Align as a step does: the result begins where ``a`` did, whenever the other take began."""
    warp = align(a, b, **options)
    early = a.start - warp.domain[0]
    return Edit(warp if abs(early) < 1e-9 else warp.shifted(early))


def find_alignment(a: Motion, b: Any, **options: Any) -> Alignment:
    """Align two takes as :func:`align` does, and keep the costs and the path.

    Parameters
    ----------
    a : Motion
        The take to retime.
    b : Motion or path
        The take whose timing is taken over.
    **options
        Options of :func:`align`.
    """
    if not isinstance(a, Motion):
        raise InputError(f"what is retimed is a motion, not {type(a).__name__}; read a file first")
    for name in ("weights", "b_roles"):
        if isinstance(options.get(name), Mapping):
            options[name] = tuple(options[name].items())
    o = build(AlignParameters, {"b": b, **options})
    other = b if isinstance(b, Motion | Recording) else _read(b)
    if isinstance(other, Motion) and o.b_roles:
        other = replace(other, roles=dict(o.b_roles))
    if o.range is not None:
        start, end = a.domain
        if not start - 1e-9 <= o.range[0] < o.range[1] <= end + 1e-9:
            raise InputError(
                f"the range {o.range[0]:g} to {o.range[1]:g} s is not a part of {start:g} to "
                f"{end:g} s"
            )
    first, second = _common(a, other)
    if o.range is not None:
        first = _cut(first, o.range)
    found = _aligned(first, second, o)
    warp = found.warp
    if o.range is not None:
        # Within the clip, the range starts where it stood.
        graph = warp.body
        source = np.clip(graph.y, *o.range)
        moved = TimeWarp(graph.x - graph.x[0] + o.range[0], source)
        warp = moved.within(a.domain, o.range, o.rest).with_notes(*warp.notes)
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


def _aligned(a: Recording, b: Recording, o: AlignParameters) -> Alignment:
    sizer = Sizer(a)
    weights = _weights(o.weights, a.joints)
    times_a, times_b = _even(a, o.rate), _even(b, o.rate)
    if o.loop_reference and len(times_a) > 1:
        turns = int(np.ceil(o.max_step * len(times_b) / (len(times_a) - 1))) + 1
    else:
        turns = 1
    poses_a = own_heading(a.at(times_a)) * sizer.scale
    sizer.measure(b)
    placed = np.stack([sizer.live(p, learn=False).points for p in b.at(times_b)])
    mean = poses_a.mean(axis=0)
    poses_a, poses_b = turned_onto(mean, poses_a), turned_onto(mean, placed)
    x, y = _features(poses_a, times_a, turns), _features(poses_b, times_b, 1)
    both = np.r_[weights, _MOTION_SECONDS * weights]
    open_end = o.open_end or o.loop_reference
    limits = o.max_step, -1 if o.max_stall is None else round(o.max_stall * o.rate), open_end
    *_, path = _search(x, y, both, *limits)
    # Once more without the constant difference in posture that the first path shows.
    middle = path.mean(axis=1).astype(int)
    bias = _BIAS_SHARE * (y - x[middle]).mean(axis=0)
    bias[len(weights) :] = 0.0
    costs, first, path = _search(x, y - bias, both, *limits)
    period = times_a[-1] - times_a[0]
    keys = keys_of_path(path, costs, first, _KEY_EVERY * o.rate)
    output = np.interp(keys[:, 0], np.arange(len(times_b)), times_b)
    source = times_a[0] + keys[:, 1] * period / (len(times_a) - 1)
    source[0] = times_a[0]
    if not open_end:
        source[-1] = times_a[-1]
    warp = smooth_warp(output, source, loop=o.loop_reference)
    matched = x[path.mean(axis=1).astype(int), : len(weights)]
    off = float(np.linalg.norm(y[:, : len(weights)] - matched, axis=2).mean()) / sizer.scale
    notes = [f"mean distance of a joint along the path: {100 * off:.1f} cm"]
    warp = warp.with_notes(*notes)
    return Alignment(warp, warp, off, costs, first, path, (times_a, times_b))


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
    steps = max(round((recording.end - recording.start) * rate), 2)
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
    """Find the cheapest path: the costs with their first columns, and the path."""
    from retime.methods.align.dtw import cheapest_path, pose_costs

    n, m = len(x), len(y)
    low, width = np.zeros(m, np.int64), n
    if n * m > _MOST_CELLS:
        fewer = -1 if stalls < 0 else -(-stalls // _COARSER)
        *_, path = _search(x[::_COARSER], y[::_COARSER], weights, steps, fewer, open_end)
        rows = np.arange(m) / _COARSER
        around = _CORRIDOR * _COARSER
        known = np.arange(len(path))
        left = np.interp(rows, known, path[:, 0]) * _COARSER - around
        high = np.interp(rows, known, path[:, 1]) * _COARSER + around
        low = np.clip(np.floor(left).astype(np.int64), 0, n - 1)
        low[0] = 0
        width = int(min(n, (np.ceil(high) - low).max() + 1 + _COARSER))
        low = np.minimum(low, max(n - width, 0))
    costs = pose_costs(y, x, weights, low, width)
    cost, path = cheapest_path(costs, low, n, steps, stalls, open_end)
    if not np.isfinite(cost):
        raise InfeasibleError(
            "no alignment keeps to the limits: the takes differ too much in length for them; allow "
            "a larger max_step or a longer max_stall" + ("" if open_end else ", or an open end")
        )
    return costs, low, path
