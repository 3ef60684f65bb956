"""Retime several characters together, so that they meet exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retime.errors import InputError
from retime.groups.followers import Followers
from retime.groups.parameters import GroupParameters
from retime.groups.timing import GroupTiming, Scene
from retime.keywords import takes
from retime.motion import Motion
from retime.motion.edits import apply
from retime.notes import Note
from retime.one_line import one_line
from retime.timing import TimeWarp


@one_line()
@dataclass(frozen=True, eq=False)
class GroupResult:
    """The members of a group with their new timing.

    Parameters
    ----------
    warps : mapping of str to TimeWarp
        Warp of each member, from output time to the time of its clip.
    motions : mapping of str to Motion
        The retimed members. Frames of all are at the same times.
    possible : mapping of str to list of (float, float, float)
        Source time, earliest and latest output time of the named moments of each member.
    notes : tuple of Note
        Findings and changes.
    """

    warps: Mapping[str, TimeWarp]
    motions: Mapping[str, Motion]
    possible: Mapping[str, list[tuple[float, float, float]]] = field(repr=False)
    notes: tuple[Note, ...] = ()


@takes(GroupParameters)
def group(members: Mapping[str, Motion], p: GroupParameters) -> GroupResult:
    """Retime several characters together: each by its own timing, and in step where they share it.

    All clips are on one line of source time.

    Parameters
    ----------
    members : mapping of str to Motion
        The clips by name.

    Returns
    -------
    GroupResult
        Warps and motions by name. Members show a shared span at the same times exactly.

    Raises
    ------
    InfeasibleError
        If the conditions contradict each other; it lists those that do.

    Examples
    --------
    >>> from retime import group, samples, Shared
    >>> thrower, catcher, _ = samples.throw()
    >>> both = group({"Ann": thrower, "Ben": catcher}, duration="75%", shared=[Shared(1.0, 1.4)])
    >>> ann, ben = both.warps.values()
    >>> bool(abs(ann.inverse(1.2) - ben.inverse(1.2)) < 1e-9)
    True
    """
    leaders, followers = split(members, p)
    timing = GroupTiming.of(Scene(leaders, p))
    warps = {name: timing.warp(name) for name in leaders}
    warps |= {name: followers.warp(name, motion.domain, warps)
              for name, motion in members.items() if name in followers.leaders}  # fmt: skip
    warps = {name: warps[name] for name in members}
    motions = {name: apply(motion, warps[name]) for name, motion in members.items()}
    return GroupResult(warps, motions, timing.possible(), tuple(timing.notes()))


def split(members: Mapping[str, Motion], p: GroupParameters) -> tuple[dict[str, Motion], Followers]:
    """Return the members with a timing of their own, and whom the others follow."""
    if not members:
        raise InputError("a group needs at least one member")
    followers = Followers.of(p.follow or {}, list(members))
    leaders = {n: m for n, m in members.items() if n not in followers.leaders}
    if not leaders:
        raise InputError("every member follows another; one needs a timing of its own")
    for name, motion in leaders.items():
        if motion.duration <= 0:
            raise InputError(f"{name} has only one frame; let it follow another member")
    return leaders, followers
