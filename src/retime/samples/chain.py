"""A swinging chain: the plainest articulated motion there is."""

from __future__ import annotations

import numpy as np

from retime.motion import Motion, quat
from retime.motion.skeleton import EndSite, Skeleton


def chain(links: int = 4, *, duration: float = 2.0, fps: float = 60.0) -> Motion:
    """Make a hanging chain whose links swing one after the other.

    Parameters
    ----------
    links : int
        Number of links, 0.3 m each.
    duration : float
        Length in seconds.
    fps : float
        Frames per second.

    Examples
    --------
    >>> chain().skeleton.names
    ('Link1', 'Link2', 'Link3', 'Link4')
    """
    names = tuple(f"Link{k + 1}" for k in range(links))
    offsets = np.zeros((links, 3))
    offsets[0, 1] = 2.0
    offsets[1:, 1] = -0.3
    skeleton = Skeleton(
        names,
        np.arange(links) - 1,
        offsets,
        end_sites=(EndSite(links - 1, (0.0, -0.3, 0.0)),),
    )
    t = np.arange(round(duration * fps) + 1) / fps
    lag = 0.15 * np.arange(links)
    swing = 0.5 * np.sin(2 * np.pi * (t[:, None] - lag))
    rotations = quat.from_axis_angle([0.0, 0.0, 1.0], swing)
    return Motion(skeleton, rotations, {"Link1": np.tile(offsets[0], (len(t), 1))}, fps=fps)
