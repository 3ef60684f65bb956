"""Partners recorded at the same time, replayed at the aligned time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion import Motion, Pose, quat
from retime.motion.kinematics import positions
from retime.sentences import Moment


class Partner:
    """Plays a recording that was made together with the followed one.

    Parameters
    ----------
    motion : Motion
        Recorded together with what is followed, on the same clock.

    Examples
    --------
    >>> from retime import samples
    >>> from retime.live import BayesAligner, Partner, tracked_points
    >>> shake = samples.sample("handshake")
    >>> aligner, partner = BayesAligner(shake.motion), Partner(shake.partner)
    >>> poses, _ = tracked_points(shake.motion, aligner.joints)
    >>> pose = partner.at(aligner.step(poses[0], 0.0))
    >>> pose.rotations.shape == (len(shake.partner.skeleton), 4)
    True
    """

    def __init__(self, motion: Motion) -> None:
        if not len(motion):
            raise InputError("the partner's recording has no frames")
        self.motion = motion

    def at(self, time: float) -> Pose:
        """Return the partner's pose at a time of the recording, held beyond its ends."""
        motion = self.motion
        if not np.isfinite(time):
            raise InputError("the partner has no pose at {time}", time=Moment(time))
        frame, share = motion.frame_at(time)
        i, u = int(frame), float(share)
        j = min(i + 1, len(motion) - 1)
        rotations = quat.slerp(motion.rotations[i], motion.rotations[j], u)
        places = {n: (1 - u) * t[i] + u * t[j] for n, t in motion.translations.items()}
        return Pose(rotations, places)

    def points(self, time: float) -> FloatArray:
        """Return the partner's joint positions (J, 3) in metres at a time of the recording."""
        motion, pose = self.motion, self.at(time)
        frame, _ = motion.frame_at(time)
        still = replace(
            motion,
            rotations=pose.rotations[None],
            translations={n: t[None] for n, t in pose.translations.items()},
            scales={n: s[int(frame)][None] for n, s in motion.scales.items()},
            sample_times=None,
        )
        out: FloatArray = positions(still)[0]
        return out
