"""Tween tools as a step: move poses toward others, and ease them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from retime.body.solve.holding import Constraints
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.staggered.edits.tween_edits import Ease, Toward
from retime.methods.staggered.parameters import FindingParameters
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.search.making import poses_of
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.parameters import About, Choice
from retime.times import Length, SourceTime

__all__ = ["TweenParameters", "tween", "tweened_poses"]


@dataclass(frozen=True, kw_only=True)
class TweenParameters(FindingParameters):
    """Parameters of tween tools; all tweens are applied first, then all eases."""

    tweens: Annotated[
        Sequence[tuple[SourceTime, Toward, float]],
        About(
            "Blend the pose at TIME toward another pose by SHARE. A share above 1 overshoots, a "
            "negative one moves away. If there is no pose near TIME, one is inserted. TOWARD is "
            "one of these.",
            flag="tween",
            metavar="TIME:TOWARD:SHARE",
            choices=(
                Choice("neighbours", "Neighbours", "the mean of the poses before and after it"),
                Choice("previous", "Previous pose", "the pose before it"),
                Choice("next", "Next pose", "the pose after it"),
                Choice("rest", "Rest pose", "the rest pose of the skeleton"),
                Choice("mirror", "Mirrored pose", "its mirror image"),
            ),
            form_help=(
                "Blend a pose toward another. Above 100 % it overshoots, below 0 it moves away. "
                "If there is no pose at that time, one is inserted."
            ),
        ),
    ] = field(default=(), kw_only=False)
    eases: Annotated[
        Sequence[tuple[SourceTime, Ease, float]],
        About(
            "Ease into or out of the pose at TIME. AMOUNT is from 0 to 2. PRESET is one of these.",
            flag="ease",
            metavar="TIME:PRESET:AMOUNT",
            choices=(
                Choice("hold", "Hold", "keep the pose for a while"),
                Choice("snap", "Snap", "wait, then arrive quickly"),
                Choice("anticipate", "Anticipate", "go back slightly before leaving the pose"),
                Choice("settle", "Settle", "go past the pose and come back to it"),
            ),
            form_help="Ease into or out of a pose, by an amount from 0 to 2.",
        ),
    ] = ()
    ease_length: Annotated[
        Length,
        About(
            "Length of a hold, an anticipation or a settling.",
            unit="s",
            minimum=0.01,
            slider=(0.05, 1),
        ),
    ] = 0.2
    joints: Annotated[
        Sequence[str],
        About(
            "Joint or role to tween and ease. Default: all except the root.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    constraints: Constraints = "hold"


@takes(TweenParameters)
def tween(motion: Motion, p: TweenParameters) -> Edit:
    """Move poses toward others, and ease into and out of them.

    Parameters
    ----------
    motion : Motion
        The motion.
    """
    if not p.tweens and not p.eases:
        return Edit()
    return tweened_poses(motion, p).to_edit(constraints=p.constraints)


def tweened_poses(motion: Motion, p: TweenParameters) -> StaggeredPoses:
    """Find the poses of a motion and apply the tweens and eases of the parameters."""
    poses = poses_of(motion, p)
    chosen = p.joints or None
    for time, toward, share in p.tweens:
        poses, k = _pose_at(poses, float(time))
        poses = poses.tween(share, toward=toward, joints=chosen, poses=[k])
    for time, preset, amount in p.eases:
        poses, k = _pose_at(poses, float(time))
        poses = poses.ease(k, preset, amount, seconds=p.ease_length, joints=chosen)
    return poses


def _pose_at(poses: StaggeredPoses, time: float) -> tuple[StaggeredPoses, int]:
    """Return the pose near a time, inserted if there is none."""
    try:
        return poses, poses.index(time)
    except InputError:
        poses = poses.insert(time)
        return poses, poses.index(time)
