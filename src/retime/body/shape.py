"""Roles by shape: two legs below, two arms above, a head between them.

For skeletons whose names say nothing: two equal branches that reach down from a joint are legs, two
equal branches further up the trunk with one between them are arms and a head.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.motion.skeleton import Skeleton

__all__ = ["roles_by_shape"]

# Two branches are a pair when their lengths differ by at most this share, and each two of their
# bones by at most that: captured bodies are not quite even. Short bones may differ by a share of
# the figure.
_ALIKE, _ALIKE_BONE, _SHORT_BONE = 0.08, 0.25, 0.02
# Branches shorter than this share of the figure are eyes, jaws, tails of hair.
_LEAST_BRANCH = 0.12
# Where two limbs begin they are apart by this share of their length; collar bones and what links
# thighs to the hips begin nearer to the middle.
_LEAST_APART = 0.08
_UP = np.array([0.0, 1.0, 0.0])

# No body parts into more long branches at a joint, or has more joints; comparing takes all pairs.
_MOST_BRANCHES, _MOST_JOINTS = 12, 5000

# The joints of two limbs, from the trunk outwards.
_Pair = tuple[list[int], list[int]]


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

    @cached_property
    def longest(self) -> float:
        """Length of the longest way down."""
        return float(self.reach.max())

    def branches(self, joint: int, least: float) -> list[int]:
        """Children that lead somewhere, the longest first."""
        children = self.skeleton.children[joint]
        long = [c for c in children if self.reach[c] + self.bone[c] >= least]
        return sorted(long, key=lambda c: -(self.reach[c] + self.bone[c]))[:_MOST_BRANCHES]

    def path(self, joint: int) -> list[int]:
        """Return the longest way down from a joint, joints that are on their parent left out."""
        out = [joint]
        while self.skeleton.children[out[-1]]:
            children = self.skeleton.children[out[-1]]
            out.append(max(children, key=lambda c: self.reach[c] + self.bone[c]))
        return [out[0], *(j for j in out[1:] if self.bone[j] > self.tiny)]

    @cached_property
    def tiny(self) -> float:
        """A length that joints which are on each other are apart at most."""
        return 1e-3 * max(float(self.reach.max()), 1e-12)

    def pairs(self, joint: int, least: float) -> list[_Pair]:
        """Pairs of equally long branches, the longest first."""
        found = self.branches(joint, least)
        made = [self.mirrored(a, b) for i, a in enumerate(found) for b in found[i + 1 :]]
        size = [[float(self.bone[path].sum()) for path in pair] for pair in made]
        alike = [
            k for k, (a, b) in enumerate(size) if least <= a and abs(a - b) <= _ALIKE * max(a, b)
        ]
        return [made[k] for k in sorted(alike, key=lambda k: -sum(size[k]))]

    def mirrored(self, a: int, b: int) -> _Pair:
        """Return the longest common chain of two branches, without a sword in one hand."""
        out = [a], [b]
        while True:
            here = (out[0][-1], out[1][-1])
            if here not in self._onward:
                self._onward[here] = self._step(*here)
            longest = self._onward[here]
            if longest is None:
                return out
            for path, joint in zip(out, longest, strict=True):
                path.append(joint)

    def _step(self, a: int, b: int) -> tuple[int, int] | None:
        """Return the longest children of two similar joints."""
        kept = {*self.branches(a, 0.0), *self.branches(b, 0.0)}
        children = self.skeleton.children
        both = itertools.product(
            (c for c in children[a] if c in kept), (c for c in children[b] if c in kept)
        )
        steps = [s for s in both if self._alike(*s)]
        return max(steps, key=lambda s: min(self.reach[j] + self.bone[j] for j in s), default=None)

    @cached_property
    def _onward(self) -> dict[tuple[int, int], tuple[int, int] | None]:
        return {}

    def _alike(self, a: int, b: int) -> bool:
        x, y = self.bone[a], self.bone[b]
        loose = max(_ALIKE_BONE * max(x, y), _SHORT_BONE * self.longest)
        return bool(abs(x - y) <= loose)

    def end(self, path: list[int]) -> int:
        """Return the last point of a chain: an end site or a joint."""
        return self._ends.get(path[-1], path[-1])

    @cached_property
    def _ends(self) -> dict[int, int]:
        """The farthest end site of each joint that has one."""
        out: dict[int, int] = {}
        for k, site in enumerate(self.skeleton.end_sites, len(self.skeleton)):
            known = out.get(site.parent)
            if known is None or self._distance(k, site.parent) > self._distance(known, site.parent):
                out[site.parent] = k
        return out

    def _distance(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.points[a] - self.points[b]))

    def limbs(self, pair: _Pair) -> _Pair | None:
        """Return the joints of two limbs: those at and behind their two longest bones in a row."""
        left, right = pair
        kept = [k for k, j in enumerate(left) if k == 0 or self.bone[j] > self.tiny]
        left, right = [left[k] for k in kept], [right[k] for k in kept]
        if len(left) < 3:
            return None
        bone = self.bone[left] + self.bone[right]
        apart = [self._distance(a, b) for a, b in zip(left, right, strict=True)]
        length = bone.sum() / 2 - np.cumsum(bone) / 2
        weight = np.minimum(bone[1:-1], bone[2:])
        begun = (np.array(apart) >= _LEAST_APART * length)[: len(weight)]
        k = int(np.argmax(np.where(begun, weight, weight - bone.sum())))
        return left[k:], right[k:]

    def height(self, point: int) -> float:
        return float(self.points[point] @ _UP)

    def drop(self, path: list[int]) -> float:
        """Return how far a branch reaches down below its parent."""
        return self.height(self.skeleton.parents[path[0]]) - self.height(self.end(path))


def roles_by_shape(skeleton: Skeleton, points: FloatArray) -> dict[str, int]:
    """Find roles from a pose alone.

    Parameters
    ----------
    skeleton : Skeleton
        The joints.
    points : array (J + E, 3)
        Positions of joints and end sites in a standing pose, Y up.
    """
    if len(skeleton) > _MOST_JOINTS:
        return {}
    tree = _Tree(skeleton, points)
    least = _LEAST_BRANCH * float(tree.reach.max())
    legs = [
        (joint, pair)
        for joint in range(len(skeleton))
        for pair in tree.pairs(joint, least)
        if min(tree.drop(path) for path in pair) > 0 and tree.limbs(pair)
    ]
    if not legs:
        return {}
    hips, pair = min(legs, key=lambda found: sum(tree.height(tree.end(p)) for p in found[1]))
    feet = tree.limbs(pair) or pair
    forward = sum(tree.points[tree.end(leg)] - tree.points[leg[2]] for leg in feet)
    roles = {
        "hips": hips,
        **_paired(tree, pair, forward, ("upper_leg", "lower_leg", "foot", "toe")),
    }
    # The trunk starts at the hips, or above where the legs have a joint of their own.
    legs_and_hips = {*(path[0] for path in pair), *skeleton.chain(hips)}
    for base in skeleton.chain(hips):
        for trunk in tree.branches(base, least):
            if trunk not in legs_and_hips:
                above = _trunk(tree, trunk, least, forward)
                if above:
                    return roles | above
    return roles


def _paired(
    tree: _Tree, pair: _Pair, forward: FloatArray, parts: tuple[str, ...]
) -> dict[str, int]:
    """Name the joints of two limbs, the left one found by the body's front."""
    limbs = tree.limbs(pair) or pair
    a, b = (tree.points[limb[0]] for limb in limbs)
    left_first = _is_left_first(forward, a - b)
    out: dict[str, int] = {}
    for side, limb in zip(("left", "right"), limbs if left_first else limbs[::-1], strict=True):
        out |= {f"{side}_{p}": j for p, j in zip(parts, limb, strict=False)}
    return out


def _is_left_first(forward: FloatArray, apart: FloatArray) -> bool:
    """Return the left one of a pair: left is up cross forward; without a front, +X."""
    front = np.asarray(forward, dtype=float) * [1.0, 0.0, 1.0]
    left = np.cross(_UP, front) if np.linalg.norm(front) > 1e-6 else np.array([1.0, 0.0, 0.0])
    return bool(apart @ left >= 0)


def _trunk(tree: _Tree, start: int, least: float, forward: FloatArray) -> dict[str, int]:
    """Walk up the trunk to the joint where two arms and a head branch off."""
    trunk = [start]
    while True:
        arms = [p for p in tree.pairs(trunk[-1], least) if tree.limbs(p)]
        if arms:
            break
        onward = tree.branches(trunk[-1], 0.0)
        if not onward:
            return {}
        trunk.append(onward[0])
    pair = arms[0]
    roles = _paired(tree, pair, forward, ("upper_arm", "lower_arm", "hand"))
    roles |= {"spine": trunk[0], "chest": trunk[len(trunk) // 2], "upper_chest": trunk[-1]}
    rest = [c for c in tree.skeleton.children[trunk[-1]] if c not in (path[0] for path in pair)]
    if rest:
        neck = max(rest, key=lambda c: tree.height(tree.end(tree.path(c))))
        path = tree.path(neck)
        # What lies beyond the head's own joint are eyes, a jaw, hair, which hangs down.
        sites = [site.parent for site in tree.skeleton.end_sites]
        parting = [j for j in path[1:] if len(tree.skeleton.children[j]) + sites.count(j) > 1]
        roles["head"] = parting[0] if parting else max(path, key=tree.height)
        if len(path) > 1:
            roles["neck"] = path[0]
    return roles
