"""Staggered poses as a step: every edit as data, a warp, a pose layer and held contacts out."""

from __future__ import annotations

from builtins import range as range_
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retime.body.holding import Constraints
from retime.errors import InputError
from retime.methods.staggered.history import PoseEdit, replayed
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.value_edits import MOST_WEIGHT
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Edit
from retime.motion.memory import last
from retime.parameters import Range, TimingParameters, build, parameter, same

__all__ = ["StaggerParameters", "counted_poses", "edited_poses", "stagger"]


@dataclass(frozen=True, kw_only=True)
class StaggerParameters(TimingParameters):
    """Parameters of editing staggered poses; edits are made in the order of this list."""

    keep: float | int | tuple[float, ...] = parameter(
        1.0,
        help="Poses to keep of those found: a share up to 1, a count, or times like 0.4,1.2.",
        metavar="SHARE|N|T,T",
    )
    moves: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Move the pose at time FROM to time TO, its parts with it; repeatable.",
        unit="s",
        flag="--move",
        metavar="FROM:TO",
    )
    succession: tuple[tuple[str, float, float], ...] = parameter(
        (),
        help="Let each joint below JOINT arrive later, by S seconds times depth to the POWER.",
        metavar="JOINT:S:POWER",
    )
    jitter: float = parameter(
        0.0, help="Stagger parts at random by at most this.", unit="s", minimum=0.0
    )
    seed: int = parameter(0, help="Which random staggering.", minimum=0)
    overlap: float = parameter(
        1.0, help="Scale timing refinements: 0 lets parts arrive together.", minimum=0.0
    )
    exaggerate: float = parameter(
        0.0,
        help="Push poses away from the one that relative-to names, by this share.",
        minimum=-MOST_WEIGHT,
        maximum=MOST_WEIGHT,
    )
    relative_to: Literal["average", "neighbours", "previous", "next"] = parameter(
        "average", help="What poses are exaggerated against."
    )
    detail: float = parameter(1.0, help="Scale what the splines between poses leave out.")
    joints: tuple[str, ...] = parameter(
        (),
        help="Only these joints or roles jitter, overlap, are exaggerated, change detail.",
        flag="--joint",
        metavar="NAME",
    )
    edits: tuple[PoseEdit, ...] = parameter(
        (), help="Further edits, as a file of JSON: a list of {do, ...}.", metavar="FILE"
    )
    constraints: Constraints = parameter(
        "hold", help="Hold all feet where they stood, those that the edits touch, or none."
    )
    contacts: tuple[Contact, ...] | None = parameter(
        None, help="Contacts that are known; else they are found."
    )
    bound: float = parameter(
        0.25, help="The largest timing refinement that is looked for.", unit="s", minimum=0.0
    )
    filter: float = parameter(
        0.0, help="Smooth noisy joints first, over this long.", unit="s", minimum=0.0
    )
    filter_joints: tuple[str, ...] = parameter(
        (),
        help="Which joints are smoothed; else the spine's and the fingers'.",
        flag="--filter-joint",
        metavar="NAME",
    )
    fit: Literal["log", "levenberg-marquardt"] = parameter("log", help="How splines are fitted.")


def stagger(
    motion: Motion,
    *,
    keep: float | int | tuple[float, ...] = 1.0,
    moves: Sequence[tuple[float, float]] = (),
    succession: Sequence[tuple[str, float, float]] = (),
    jitter: float = 0.0,
    seed: int = 0,
    overlap: float = 1.0,
    exaggerate: float = 0.0,
    relative_to: Literal["average", "neighbours", "previous", "next"] = "average",
    detail: float = 1.0,
    joints: Sequence[str] = (),
    edits: Sequence[PoseEdit] = (),
    constraints: Constraints = "hold",
    contacts: Sequence[Contact] | None = None,
    bound: float = 0.25,
    filter: float = 0.0,
    filter_joints: Sequence[str] = (),
    fit: Literal["log", "levenberg-marquardt"] = "log",
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> Edit:
    """Edit a motion as staggered poses; parameters are those of :class:`StaggerParameters`."""
    values = {name: value for name, value in locals().items() if name != "motion"}
    parameters = build(StaggerParameters, values)
    return edited_poses(motion, parameters).to_edit(constraints=parameters.constraints)


def edited_poses(motion: Motion, p: StaggerParameters) -> StaggeredPoses:
    """Find a motion's poses and make the edits that parameters name, in their order."""
    return _stages(motion, p)[-1]


def _stages(motion: Motion, p: StaggerParameters) -> list[StaggeredPoses]:
    """Poses as they are found, and after each edit.

    The last stay with the motion: one more edit, or another at the end of the list, costs itself
    alone.
    """
    stages: list[tuple[PoseEdit | None, StaggeredPoses]] = last(
        motion,
        "staggered poses",
        replace(p, edits=()),
        lambda: [(None, _found_poses(motion, p))],
        same=same,
    )
    taken = 1
    while taken < min(len(stages), 1 + len(p.edits)) and stages[taken][0] == p.edits[taken - 1]:
        taken += 1
    del stages[taken:]
    for number in range_(taken, 1 + len(p.edits)):
        edit = p.edits[number - 1]
        stages.append((edit, replayed(stages[-1][1], [edit], number)))
    return [poses for _, poses in stages]


def counted_poses(motion: Motion, p: StaggerParameters) -> list[int | None]:
    """Tell which pose each edit inserts or deletes, by its number at that moment; none for others.

    A muted edit is counted as if it were made: whoever mutes or removes one in the middle of the
    list can tell how the poses of later edits are numbered then.
    """
    before = _stages(motion, p)
    return [_counted(poses, edit) for poses, edit in zip(before, p.edits, strict=False)]


def _counted(poses: StaggeredPoses, edit: PoseEdit) -> int | None:
    try:
        if edit.do == "insert":
            return int(np.searchsorted(poses.times, float(edit.arguments["time"])))
        return poses.index(edit.arguments["pose"]) if edit.do == "delete" else None
    except InputError:  # of a muted edit: its pose is not there
        return None


def _found_poses(motion: Motion, p: StaggerParameters) -> StaggeredPoses:
    """Find a motion's poses and make the edits that have parameters of their own."""
    poses = StaggeredPoses.from_motion(
        motion, p.keep, range=p.range, contacts=p.contacts, bound=p.bound, fit=p.fit,
        filter=p.filter, filter_joints=p.filter_joints, loop=p.loop,
    )  # fmt: skip
    poses = _moved(poses, p.moves, ripple=p.rest == "ripple")
    for joint, step, power in p.succession:
        poses = poses.succession(joint, step, power)
    chosen = p.joints or None
    if p.jitter:
        poses = poses.jitter(p.jitter, seed=p.seed, joints=chosen)
    if p.overlap != 1:
        poses = poses.scale_refinements(p.overlap, joints=chosen)
    if p.exaggerate:
        poses = poses.exaggerate(p.exaggerate, relative_to=p.relative_to, joints=chosen)
    if p.detail != 1:
        poses = poses.detail(p.detail, joints=chosen)
    return poses


def _moved(
    poses: StaggeredPoses, moves: Sequence[tuple[float, float]], *, ripple: bool
) -> StaggeredPoses:
    """Move several poses, in an order in which none stands in another's way."""
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
