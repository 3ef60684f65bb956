"""Staggered poses (Coleman, Bibliowicz, Singh and Gleicher 2008): motion as a few poses.

A pose is one unit to edit, though its parts arrive at slightly different times. Edits of timing
are a warp, edits of value a pose layer; both are computed from this representation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retime.keywords import takes
from retime.methods.staggered.edits.history import PoseEdit, replayed
from retime.methods.staggered.edits.tween_edits import TweenEdits
from retime.methods.staggered.parameters import FindingParameters
from retime.motion import Motion, Pose, Units
from retime.motion.skeleton import Skeleton
from retime.one_line import one_line

__all__ = ["StaggeredPoses"]


@one_line(lambda p: [f"{len(p.times)} poses", f"{len(p.channels)} channels"])
@dataclass(frozen=True, eq=False)
class StaggeredPoses(TweenEdits):
    """A motion as a sparse sequence of poses whose parts arrive at different times.

    Made by :meth:`from_motion` or :meth:`from_poses`. Edits return new poses and are recorded in
    ``edits``. A pose is named by its number (an int), or by a time near it (a float, in seconds
    of the output); joints by their names or roles.

    Parameters
    ----------
    source : Motion
        The motion of the poses.
    timing : Timing
        Arrival times of the parts of each pose.
    curves : tuple of Channel
        Curves between poses, one for each channel of the timing.
    plain : tuple of Channel or None
        Curves of the source; unchanged ones need no pose layer.
    evidence : Evidence, optional
        Evidence from which the poses were found.
    contacts : tuple of Contact, optional
        Known contacts, in the source's time.
    bounds : (int, int), optional
        Numbers of the first and last pose of the editable range.
    loop : bool
        The first and the last pose are one.
    edits : tuple of PoseEdit
        The edits so far.
    notes : tuple of str
        Findings, assumptions and shortened edits.
    limits : {"on", "off"}
        Whether parts arrive within limits of speed, and near enough to their neighbours.

    Examples
    --------
    >>> from retime import StaggeredPoses, samples
    >>> poses = StaggeredPoses.from_motion(samples.walk(), keep=0.5)
    >>> looser = poses.succession("RightArm", 0.03, 1.5).exaggerate(0.2, joints=["RightArm"])
    >>> looser.motion().duration == samples.walk().duration
    True
    """

    @classmethod
    @takes(FindingParameters)
    def from_motion(cls, motion: Motion, p: FindingParameters) -> StaggeredPoses:
        """Find the poses of a motion and the timing of their parts.

        Parameters
        ----------
        motion : Motion
            Any motion.
        """
        from retime.methods.staggered.search.making import poses_of

        return poses_of(motion, p)

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        poses: Sequence[Pose],
        times: Sequence[float],
        *,
        refinements: Mapping[str, Sequence[float]] | None = None,
        joints: Sequence[Sequence[str] | None] | None = None,
        fps: float = 120.0,
        units: Units | None = None,
    ) -> StaggeredPoses:
        """Build a motion from poses made by hand; no recording is needed.

        Parameters
        ----------
        skeleton : Skeleton
            The joints.
        poses : sequence of Pose
            Key poses, first to last.
        times : sequence of float
            When each is reached, seconds, rising.
        refinements : mapping of str to sequence of float, optional
            By joint (or ``NAME:translation``), how many seconds after its pose it arrives, for
            every pose; the first and the last pose have none.
        joints : sequence of (sequence of str or None), optional
            For each pose, the joints that it has; ``None`` is all of them.
        fps : float
            Frame rate of the motion.
        units : Units, optional
            How the skeleton's numbers become metres. Default: inferred, with a note.
        """
        from retime.methods.staggered.search.making import poses_by_hand

        return poses_by_hand(
            skeleton, poses, times, refinements=refinements or {}, joints=joints, fps=fps,
            units=units,
        )  # fmt: skip

    def write(self, path: str | Path) -> None:
        """Write the poses to a ``.json`` or ``.npz`` file, without loss."""
        from retime.methods.staggered.file import write_poses

        write_poses(self, path)

    @classmethod
    def read(cls, path: str | Path) -> StaggeredPoses:
        """Read a file of :meth:`write`."""
        from retime.methods.staggered.file import read_poses

        return read_poses(path)

    def replay(self, edits: Iterable[PoseEdit]) -> StaggeredPoses:
        """Repeat recorded edits on these poses."""
        return replayed(self, edits)
