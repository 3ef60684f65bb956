"""Cartoon: positions sampled in place of rotations, so that limbs squash and stretch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime import quat
from retime.edits import Fix, FixContext
from retime.kinematics import global_rotations, positions
from retime.motion import Motion
from retime.quat import FloatArray

__all__ = ["cartoon_fix"]

# A joint nearer than this share of a unit to where its bone puts it gets no track.
_NOTHING = 1e-9


def cartoon_fix(share: float) -> Fix:
    """Make the fix that puts each joint where the source had it at the joint's own time.

    Bones change their lengths: the result is written as translation tracks.

    Parameters
    ----------
    share : float
        How much of the stretch, 0 to 1.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        source, warp, skeleton = context.source, context.warp, retimed.skeleton
        then, now = positions(source), positions(retimed)
        rotations = global_rotations(retimed)
        wanted = now.copy()
        moved = [j for j in range(len(skeleton)) if skeleton.parents[j] >= 0]
        for j in moved:
            t = warp(retimed.times, skeleton.names[j])
            frame, u = source.frame_at(t)
            after = np.minimum(frame + 1, len(source) - 1)
            wanted[:, j] = then[frame, j] + u[:, None] * (then[after, j] - then[frame, j])
        wanted = now + share * (wanted - now)
        tracks: dict[str, FloatArray] = dict(retimed.translations)
        for j in moved:
            p = int(skeleton.parents[j])
            bone = quat.rotate(quat.conjugate(rotations[:, p]), wanted[:, j] - wanted[:, p])
            bone = bone / retimed.units.metres
            name = skeleton.names[j]
            if np.abs(bone - tracks.get(name, skeleton.offsets[j])).max() > _NOTHING:
                tracks[name] = bone
        return replace(retimed, translations=tracks)

    return Fix("cartoon", run)
