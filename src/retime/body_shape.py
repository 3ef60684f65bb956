"""Roles by shape: two legs below, two arms above, a head between them.

For skeletons whose names say nothing: two equal branches that reach down from a joint are legs, two
equal branches further up the trunk with one between them are arms and a head.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.quat import FloatArray
from retime.skeleton import Skeleton

__all__ = ["roles_by_shape"]

# Two branches are a pair when their lengths differ by at most this share.
_ALIKE = 0.08
# Branches shorter than this share of the figure are eyes, jaws, tails of hair.
_LEAST_BRANCH = 0.12
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class _Tree:
    """A posed skeleton's branches."""

    skeleton: Skeleton
    points: FloatArray

    @cached_property
    def bone(self) -> FloatArray:
        parents = self.skeleton.parents
        joints = self.points[: len(self.skeleton)]
        length: FloatArray = np.linalg.norm(joints - joints[np.maximum(parents, 0)], axis=1)
        length[parents < 0] = 0.0
        return length

    @cached_property
    def reach(self) -> FloatArray:
        """Length of the longest way down from each joint, end sites included."""
        out = np.zeros(len(self.skeleton))
        for k, site in enumerate(self.skeleton.end_sites):
            end = self.points[len(self.skeleton) + k] - self.points[site.parent]
            out[site.parent] = max(out[site.parent], float(np.linalg.norm(end)))
        for j in reversed(range(len(self.skeleton))):
            p = self.skeleton.parents[j]
            if p >= 0:
                out[p] = max(out[p], out[j] + self.bone[j])
        return out

    def branches(self, joint: int, least: float) -> list[int]:
        """Children that lead somewhere, the longest first."""
        children = self.skeleton.children[joint]
        long = [c for c in children if self.reach[c] + self.bone[c] >= least]
        return sorted(long, key=lambda c: -(self.reach[c] + self.bone[c]))

    def path(self, joint: int) -> list[int]:
        """The longest way down from a joint, joints that lie on their parent left out."""
        out = [joint]
        while self.skeleton.children[out[-1]]:
            children = self.skeleton.children[out[-1]]
            out.append(max(children, key=lambda c: self.reach[c] + self.bone[c]))
        tiny = 1e-3 * max(self.reach.max(), 1e-12)
        return [out[0], *(j for j in out[1:] if self.bone[j] > tiny)]

    def pairs(self, joint: int, least: float) -> list[tuple[int, int]]:
        """Pairs of equally long branches."""
        found = self.branches(joint, least)
        length = {c: self.reach[c] + self.bone[c] for c in found}
        return [
            (a, b)
            for i, a in enumerate(found)
            for b in found[i + 1 :]
            if abs(length[a] - length[b]) <= _ALIKE * max(length[a], length[b])
        ]

    def end(self, branch: int) -> int:
        """The point where the longest way down a branch ends: an end site, else a joint."""
        joint = self.path(branch)[-1]
        sites = self.skeleton.end_sites
        ends = [len(self.skeleton) + k for k, s in enumerate(sites) if s.parent == joint]
        return max(ends, key=lambda p: self._distance(p, joint), default=joint)

    def _distance(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.points[a] - self.points[b]))

    def limb(self, branch: int) -> list[int]:
        """The joints of a limb: those at and behind its two longest bones in a row, else none."""
        path = self.path(branch)
        if len(path) < 3:
            return []
        bone = self.bone[path]
        k = int(np.argmax(np.minimum(bone[1:-1], bone[2:])))
        return path[k:]

    def lowest(self, branch: int) -> float:
        """Height of a branch's end."""
        return float(self.points[self.end(branch)] @ _UP)

    def drop(self, branch: int) -> float:
        """How far a branch reaches down below its parent."""
        base = self.points[self.skeleton.parents[branch]]
        return float(base @ _UP) - self.lowest(branch)


def roles_by_shape(skeleton: Skeleton, points: FloatArray) -> dict[str, int]:
    """Find roles from a pose alone.

    Parameters
    ----------
    skeleton : Skeleton
        The joints.
    points : array (J + E, 3)
        Positions of joints and end sites in a standing pose, Y up.
    """
    tree = _Tree(skeleton, points)
    least = _LEAST_BRANCH * float(tree.reach.max())
    legs = [
        (joint, pair)
        for joint in range(len(skeleton))
        for pair in tree.pairs(joint, least)
        if min(tree.drop(b) for b in pair) > 0 and all(tree.limb(b) for b in pair)
    ]
    if not legs:
        return {}
    hips, pair = min(legs, key=lambda found: sum(tree.lowest(b) for b in found[1]))
    forward = sum(tree.points[tree.end(b)] - tree.points[tree.limb(b)[2]] for b in pair)
    roles = {
        "hips": hips,
        **_paired(tree, pair, forward, ("upper_leg", "lower_leg", "foot", "toe")),
    }
    # The trunk starts at the hips, or above where the legs have a joint of their own.
    for base in skeleton.chain(hips):
        for trunk in tree.branches(base, least):
            if trunk not in (*pair, *skeleton.chain(hips)):
                above = _trunk(tree, trunk, least, forward)
                if above:
                    return roles | above
    return roles


def _paired(
    tree: _Tree, pair: tuple[int, int], forward: FloatArray, parts: tuple[str, ...]
) -> dict[str, int]:
    """Name the joints of two limbs, the left one found by the body's front."""
    a, b = (tree.points[tree.limb(branch)[0]] for branch in pair)
    left_first = _is_left_first(forward, a - b)
    out: dict[str, int] = {}
    for side, branch in zip(("left", "right"), pair if left_first else pair[::-1], strict=True):
        out |= {f"{side}_{p}": j for p, j in zip(parts, tree.limb(branch), strict=False)}
    return out


def _is_left_first(forward: FloatArray, apart: FloatArray) -> bool:
    """Tell the left one of a pair: left is up cross forward; without a front, +X."""
    front = np.asarray(forward, dtype=float) * [1.0, 0.0, 1.0]
    left = np.cross(_UP, front) if np.linalg.norm(front) > 1e-6 else np.array([1.0, 0.0, 0.0])
    return bool(apart @ left >= 0)


def _trunk(tree: _Tree, start: int, least: float, forward: FloatArray) -> dict[str, int]:
    """Walk up the trunk to where two arms and a head part."""
    trunk = [start]
    while True:
        arms = [p for p in tree.pairs(trunk[-1], least) if all(tree.limb(b) for b in p)]
        if arms:
            break
        onward = tree.branches(trunk[-1], 0.0)
        if not onward:
            return {}
        trunk.append(onward[0])
    pair = arms[0]
    roles = _paired(tree, pair, forward, ("upper_arm", "lower_arm", "hand"))
    roles |= {"spine": trunk[0], "chest": trunk[len(trunk) // 2], "upper_chest": trunk[-1]}
    rest = [c for c in tree.skeleton.children[trunk[-1]] if c not in pair]
    if rest:
        neck = max(rest, key=lambda c: float(tree.points[tree.end(c)] @ _UP))
        path = tree.path(neck)
        # What lies beyond the head's own joint are eyes, a jaw, hair.
        parting = [j for j in path[1:] if len(tree.skeleton.children[j]) > 1]
        roles["head"] = parting[0] if parting else path[-1]
        if len(path) > 1:
            roles["neck"] = path[0]
    return roles
