"""Shared by readers that sample a tree of nodes: its order, scales and sample times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton

# A key this near to a frame, in seconds, lies on it: some formats have times in single precision.
ON_FRAME = 2e-4


@dataclass(frozen=True, eq=False)
class Moments:
    """When an animation is sampled."""

    times: FloatArray
    """Seconds. Shape (F,)."""
    rate: float
    """Frames per second."""
    even: bool
    """Whether the times are evenly spaced at the rate."""

    def motion(
        self,
        skeleton: Skeleton,
        rotations: FloatArray,
        translations: Mapping[str, FloatArray],
        scales: Mapping[str, FloatArray],
        **more: Any,
    ) -> Motion:
        """Make a motion from tracks sampled at these times."""
        return Motion(
            skeleton,
            quat.continuous(rotations),
            translations,
            scales,
            fps=self.rate,
            start=float(self.times[0]),
            sample_times=None if self.even else self.times,
            **more,
        )


def moments_between(start: float, end: float, rate: float, *, least: int = 0) -> Moments:
    """Return frames from a start to an end; the last interval is shorter if they do not fit.

    Fewer than ``least`` whole frames do not count as fitting.
    """
    count = (end - start) * rate
    n = round(count)
    if n >= least and abs(n / rate - (end - start)) <= ON_FRAME:
        return Moments(start + np.arange(n + 1) / rate, rate, True)
    return Moments(np.r_[start + np.arange(int(count) + 1) / rate, end], rate, False)


def are_on_frames(times: FloatArray, rate: float) -> bool:
    """Return whether all times lie on frames of a rate."""
    frame = times * rate
    return bool(np.abs(frame - np.round(frame)).max() / rate <= ON_FRAME)


def must_fit_in_memory(document: Any, duration: float, frames: float, joints: int) -> None:
    """Reject an animation whose frames would take too much memory."""
    if frames * max(joints, 1) * 32 > MOST_BYTES:
        raise document.fail(f"it lasts {duration:g} s, which is more than fits in memory")


def with_ancestors(nodes: Iterable[int], parent_of: Callable[[int], int], top: int) -> set[int]:
    """Return nodes with all above them; the parent of a root is ``top``."""
    out = set(nodes)
    for node in list(out):
        above = parent_of(node)
        while above != top and above not in out:
            out.add(above)
            above = parent_of(above)
    return out


def depth_first(nodes: Iterable[int], parent_of: Callable[[int], int], top: int) -> list[int]:
    """Order nodes as a file lists a skeleton: each with all below it, before the next.

    A node that is listed twice counts once, and one that calls itself ``top`` does not count:
    damaged files have both.
    """
    below: dict[int, list[int]] = {}
    for node in dict.fromkeys(nodes):
        if node != top:
            below.setdefault(parent_of(node), []).append(node)
    out: list[int] = []
    work = below.get(top, [])[::-1]
    while work:
        out.append(work.pop())
        work += below.get(out[-1], [])[::-1]
    return out


def scales_above(parents: npt.ArrayLike, own: FloatArray) -> FloatArray:
    """Return the scale of all that is above each joint, of the joints' own; parents come first."""
    scales = np.ones(len(own))
    for j, p in enumerate(np.asarray(parents)):
        if p >= 0:
            scales[j] = scales[p] * own[p]
    return scales


def uniform_part(sizes: FloatArray) -> float:
    """Return the uniform part of a steady scale (3,); 1 if it has none."""
    return float(np.cbrt(sizes.prod())) if (sizes > 1e-9).all() else 1.0
