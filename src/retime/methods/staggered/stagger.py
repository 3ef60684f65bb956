"""Staggered poses as a step: edits in; a warp, a pose layer and held contacts out."""

from __future__ import annotations

from builtins import range as range_
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retime.errors import InputError
from retime.keywords import takes
from retime.methods.staggered.edits.history import PoseEdit, replayed
from retime.methods.staggered.parameters import FindingParameters, StaggerParameters
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.search.making import poses_of
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.memory import last
from retime.parameters import same, values_of

__all__ = ["counted_poses", "edited_poses", "stagger"]


@takes(StaggerParameters)
def stagger(motion: Motion, p: StaggerParameters) -> Edit:
    """Edit a motion as staggered poses.

    Parameters
    ----------
    motion : Motion
        The motion.
    """
    poses = edited_poses(motion, p)
    return poses.to_edit(constraints=p.constraints, keep_gravity=p.keep_gravity, grips=p.grips)


def edited_poses(motion: Motion, p: StaggerParameters) -> StaggeredPoses:
    """Find the poses of a motion and make the edits of the parameters, in order."""
    return _after_each_edit(motion, p)[-1]


def _after_each_edit(motion: Motion, p: StaggerParameters) -> list[StaggeredPoses]:
    """Return the poses as found, and after each edit.

    The last results are cached with the motion, so that changing the last edit only repeats that
    edit.
    """
    states: list[tuple[PoseEdit | None, StaggeredPoses]] = last(
        motion,
        "staggered poses",
        replace(p, edits=()),
        lambda: [(None, _found_poses(motion, p))],
        same=same,
    )
    taken = 1
    while taken < min(len(states), 1 + len(p.edits)) and states[taken][0] == p.edits[taken - 1]:
        taken += 1
    del states[taken:]
    for number in range_(taken, 1 + len(p.edits)):
        edit = p.edits[number - 1]
        states.append((edit, replayed(states[-1][1], [edit], number)))
    return [poses for _, poses in states]


def counted_poses(motion: Motion, p: StaggerParameters) -> list[int | None]:
    """Return the number of the pose that each edit inserts or deletes; none for others.

    Muted edits count too, so that the pose numbers of later edits can be adjusted when an edit is
    muted or removed.
    """
    before = _after_each_edit(motion, p)
    return [_counted(poses, edit) for poses, edit in zip(before, p.edits, strict=False)]


def _counted(poses: StaggeredPoses, edit: PoseEdit) -> int | None:
    try:
        if edit.do == "insert":
            return int(np.searchsorted(poses.times, float(edit.arguments["time"])))
        if edit.do == "ease" and edit.arguments.get("amount", 1.0) != 0:
            k = poses.index(edit.arguments["pose"])
            return k if edit.arguments["preset"] == "snap" else k + 1
        return poses.index(edit.arguments["pose"]) if edit.do == "delete" else None
    except InputError:  # of a muted edit, whose pose does not exist
        return None


def _found_poses(motion: Motion, p: StaggerParameters) -> StaggeredPoses:
    """Find the poses of a motion and make the edits that have their own parameters."""
    own = FindingParameters(**values_of(p, FindingParameters))
    poses = last(motion, "found poses", own, lambda: poses_of(motion, own), same=same)
    poses = _moved(poses, p.moves, ripple=p.ripple)
    for joint, step, power in p.succession:
        poses = poses.succession(joint, step, power, past_end=p.past_end, lead=p.lead)
    chosen = p.joints or None
    if p.jitter:
        poses = poses.jitter(p.jitter, seed=p.seed, joints=chosen)
    if p.overlap != 1:
        poses = poses.scale_refinements(p.overlap, joints=chosen)
    if p.exaggerate:
        against = p.relative_to if p.relative_pose is None else float(p.relative_pose)
        poses = poses.exaggerate(p.exaggerate, relative_to=against, joints=chosen)
    if p.travel:
        poses = poses.travel(p.travel)
    for time, joint, *place in p.reach:
        poses = poses.reach(float(time), {joint: place}, help=p.reach_help)
    if p.detail != 1:
        poses = poses.detail(p.detail, joints=chosen)
    return poses


def _moved(
    poses: StaggeredPoses, moves: Sequence[tuple[float, float]], *, ripple: bool
) -> StaggeredPoses:
    """Move several poses, in an order in which none blocks another."""
    places = [(poses.index(float(start)), float(end)) for start, end in moves]
    if ripple:
        order = sorted(places)
    else:
        later = [(k, t) for k, t in places if t > poses.times[k]]
        sooner = [(k, t) for k, t in places if t <= poses.times[k]]
        order = sorted(later, reverse=True) + sorted(sooner)
    for k, t in order:
        poses = poses.retime(k, t, ripple=ripple)
    return poses
