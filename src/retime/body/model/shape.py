"""Find the roles of joints by the shape of the skeleton.

For skeletons whose names show no roles: two equal branches that reach down from a joint are legs;
two equal branches further up the trunk, with a third between them, are arms and a head.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.motion.skeleton import Skeleton

# Largest relative difference of the lengths of two branches that form a pair, and of their bones:
# captured bodies are not quite symmetric. Short bones may differ by a share of the figure's size.
_ALIKE, _ALIKE_BONE, _SHORT_BONE = 0.08, 0.25, 0.02
# Shorter branches, relative to the figure, are eyes, jaws or hair.
_LEAST_BRANCH = 0.12
# Least distance between the first joints of two limbs, relative to their length. Collar bones and
# connectors between hips and thighs start closer to the middle.
_LEAST_APART = 0.08
_UP = np.array([0.0, 1.0, 0.0])

# Bounds on the branches of a joint and on joints, because all pairs are compared.
_MOST_BRANCHES, _MOST_JOINTS = 12, 5000

# The joints of two limbs, from the trunk outwards.
_Pair = tuple[list[int], list[int]]


@dataclass(frozen=True, eq=False)
class _Tree:
    """The branches of a skeleton in a pose."""

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
        """Length of the longest chain below each joint, end sites included."""
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
        """Length of the longest chain."""
        return float(self.reach.max())

    def branches(self, joint: int, least: float) -> list[int]:
        """Return the children with long branches, the longest first."""
        long = [c for c in self.skeleton.children[joint] if self.length(c) >= least]
        return sorted(long, key=self.length, reverse=True)[:_MOST_BRANCHES]

    def length(self, joint: int) -> float:
        """Return the length of the longest chain through a joint, from its parent down."""
        return float(self.reach[joint] + self.bone[joint])

    def path(self, joint: int) -> list[int]:
        """Return the longest chain down from a joint, without joints at their parent's position."""
        out = [joint]
        while self.skeleton.children[out[-1]]:
            out.append(max(self.skeleton.children[out[-1]], key=self.length))
        return [out[0], *(j for j in out[1:] if self.bone[j] > self.tiny)]

    @cached_property
    def tiny(self) -> float:
        """Distance below which two joints count as coincident."""
        return 1e-3 * max(self.longest, 1e-12)

    def pairs(self, joint: int, least: float) -> list[_Pair]:
        """Return the pairs of equally long branches at a joint, the longest first."""
        both = itertools.combinations(self.branches(joint, least), 2)
        pairs = [p for p in (self.mirrored(a, b) for a, b in both) if self._equal(p, least)]
        return sorted(pairs, key=lambda pair: sum(self._lengths(pair)), reverse=True)

    def _lengths(self, pair: _Pair) -> list[float]:
        return [float(self.bone[path].sum()) for path in pair]

    def _equal(self, pair: _Pair, least: float) -> bool:
        """Return whether two chains are equally long, and long enough."""
        a, b = self._lengths(pair)
        return least <= a and abs(a - b) <= _ALIKE * max(a, b)

    def mirrored(self, a: int, b: int) -> _Pair:
        """Return the longest common chain of two branches; a prop in one hand is left out."""
        out = [a], [b]
        while longest := self._next(out[0][-1], out[1][-1]):
            for path, joint in zip(out, longest, strict=True):
                path.append(joint)
        return out

    def _next(self, a: int, b: int) -> tuple[int, int] | None:
        """Return the children of two joints that continue their common chain, or ``None``."""
        if (a, b) not in self._known:
            self._known[a, b] = self._longest_alike(a, b)
        return self._known[a, b]

    def _longest_alike(self, a: int, b: int) -> tuple[int, int] | None:
        children = self.skeleton.children
        kept = {*self.branches(a, 0.0), *self.branches(b, 0.0)}
        both = itertools.product(kept.intersection(children[a]), kept.intersection(children[b]))
        steps = [step for step in sorted(both) if self._alike(*step)]
        return max(steps, key=lambda step: min(map(self.length, step)), default=None)

    @cached_property
    def _known(self) -> dict[tuple[int, int], tuple[int, int] | None]:
        """Continuations of pairs of joints that were compared before."""
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
        """Return two limbs, from the start of their two longest adjacent bones outwards."""
        chains = np.array(pair)
        kept = self.bone[chains[0]] > self.tiny
        kept[0] = True
        chains = chains[:, kept]
        if chains.shape[1] < 3:
            return None
        bone = self.bone[chains].sum(axis=0)
        apart = np.linalg.norm(self.points[chains[0]] - self.points[chains[1]], axis=1)
        length = bone.sum() / 2 - np.cumsum(bone) / 2
        weight = np.minimum(bone[1:-1], bone[2:])
        begun = (apart >= _LEAST_APART * length)[: len(weight)]
        k = int(np.argmax(np.where(begun, weight, weight - bone.sum())))
        left, right = chains[:, k:].tolist()
        return left, right

    def height(self, point: int) -> float:
        return float(self.points[point] @ _UP)

    def drop(self, path: list[int]) -> float:
        """Return the distance that a branch reaches down below its parent."""
        return self.height(self.skeleton.parents[path[0]]) - self.height(self.end(path))


def roles_by_shape(skeleton: Skeleton, points: FloatArray) -> dict[str, int]:
    """Find the joint of each role from one pose.

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
    least = _LEAST_BRANCH * tree.longest
    legs = _legs(tree, least)
    if legs is None:
        return {}
    hips, pair = legs
    feet = tree.limbs(pair) or pair
    forward = sum(tree.points[tree.end(leg)] - tree.points[leg[2]] for leg in feet)
    roles = {
        "hips": hips,
        **_paired(tree, pair, forward, ("upper_leg", "lower_leg", "foot", "toe")),
    }
    # The trunk starts at the hips, or above them if the legs have a joint in common.
    used = {*(path[0] for path in pair), *skeleton.chain(hips)}
    starts = (c for base in skeleton.chain(hips) for c in tree.branches(base, least))
    upper = (_trunk(tree, start, least, forward) for start in starts if start not in used)
    return roles | next(filter(None, upper), {})


def _legs(tree: _Tree, least: float) -> tuple[int, _Pair] | None:
    """Return the hips and the pair of limbs that reaches lowest, or ``None``."""
    legs = [
        (joint, pair)
        for joint in range(len(tree.skeleton))
        for pair in tree.pairs(joint, least)
        if min(map(tree.drop, pair)) > 0 and tree.limbs(pair)
    ]
    return min(legs, key=lambda leg: sum(tree.height(tree.end(p)) for p in leg[1]), default=None)


def _paired(
    tree: _Tree, pair: _Pair, forward: FloatArray, parts: tuple[str, ...]
) -> dict[str, int]:
    """Return the roles of the joints of two limbs, given the direction that the body faces."""
    limbs = tree.limbs(pair) or pair
    a, b = (tree.points[limb[0]] for limb in limbs)
    left_first = _is_left_first(forward, a - b)
    out: dict[str, int] = {}
    for side, limb in zip(("left", "right"), limbs if left_first else limbs[::-1], strict=True):
        out |= {f"{side}_{p}": j for p, j in zip(parts, limb, strict=False)}
    return out


def _is_left_first(forward: FloatArray, apart: FloatArray) -> bool:
    """Return whether the first of a pair is on the left side; without a front, +X is left."""
    front = np.asarray(forward, dtype=float) * [1.0, 0.0, 1.0]
    left = np.cross(_UP, front) if np.linalg.norm(front) > 1e-6 else np.array([1.0, 0.0, 0.0])
    return bool(apart @ left >= 0)


def _trunk(tree: _Tree, start: int, least: float, forward: FloatArray) -> dict[str, int]:
    """Find the roles above the hips, up from the first joint of the trunk."""
    trunk = [start]
    while not (arms := [p for p in tree.pairs(trunk[-1], least) if tree.limbs(p)]):
        onward = tree.branches(trunk[-1], 0.0)
        if not onward:
            return {}
        trunk.append(onward[0])
    pair = arms[0]
    roles = _paired(tree, pair, forward, ("upper_arm", "lower_arm", "hand"))
    roles |= {"spine": trunk[0], "chest": trunk[len(trunk) // 2], "upper_chest": trunk[-1]}
    rest = [c for c in tree.skeleton.children[trunk[-1]] if c not in (path[0] for path in pair)]
    return roles | (_head_and_neck(tree, rest) if rest else {})


def _head_and_neck(tree: _Tree, branches: list[int]) -> dict[str, int]:
    """Find the head and the neck in the branch that ends highest."""
    path = max(map(tree.path, branches), key=lambda path: tree.height(tree.end(path)))
    # Beyond the head are eyes, a jaw, or hair, which hangs down.
    sites = [site.parent for site in tree.skeleton.end_sites]
    parting = [j for j in path[1:] if len(tree.skeleton.children[j]) + sites.count(j) > 1]
    roles = {"head": parting[0] if parting else max(path, key=tree.height)}
    if len(path) > 1:
        roles["neck"] = path[0]
    return roles
