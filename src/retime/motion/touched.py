"""Find the joints that an edit changed, beyond moving them in time.

The result is compared with the source at its warped times, only when needed: by formats that retime
a file in place and bake these joints, and by host programs that key them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat
from retime.motion.skeleton import Skeleton

Tracks = tuple[FloatArray, Mapping[str, FloatArray], Mapping[str, FloatArray]]
# Smaller differences, in radians or relative to the largest value of a track, are rounding errors.
_SAME = 1e-6


@dataclass(frozen=True)
class Touched:
    """Names of the joints whose rotations, translations or scales were edited."""

    rotations: frozenset[str] = frozenset()
    translations: frozenset[str] = frozenset()
    scales: frozenset[str] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(
            self.rotations | other.rotations,
            self.translations | other.translations,
            self.scales | other.scales,
        )

    def __bool__(self) -> bool:
        return bool(self.rotations or self.translations or self.scales)

    @property
    def joints(self) -> frozenset[str]:
        """Joints with any edit."""
        return self.rotations | self.translations | self.scales

    def indices(self, skeleton: Skeleton) -> tuple[set[int], set[int], set[int]]:
        """Return the indices of the joints, for rotations, translations and scales."""
        kinds = (self.rotations, self.translations, self.scales)
        turned, moved, sized = ({skeleton.index(n) for n in names} for names in kinds)
        return turned, moved, sized


class TouchedLater:
    """Names that are computed when they are needed, so that dragging a pose does not wait for them.

    ``compare`` computes them; it is called once and then released.
    """

    __slots__ = ("_compare", "_found")

    def __init__(self, compare: Callable[[], Touched]) -> None:
        self._compare: Callable[[], Touched] | None = compare
        self._found = Touched()

    def now(self) -> Touched:
        """Return the names."""
        if self._compare is not None:
            self._found, self._compare = self._compare(), None
        return self._found

    def __reduce__(self) -> tuple[type[Touched], tuple[frozenset[str], ...]]:
        found = self.now()
        return Touched, (found.rotations, found.translations, found.scales)


def difference(
    before: Tracks, after: Tracks, skeleton: Skeleton, among: Collection[str] | None = None
) -> Touched:
    """Find the joints whose tracks differ; a missing track has the rest value.

    If the numbers of frames differ, all tracks differ. With ``among``, only the rotations of these
    joints are compared.
    """
    if before[0].shape != after[0].shape:
        places, sizes = ([*one, *other] for one, other in zip(before[1:], after[1:], strict=True))
        return Touched(frozenset(skeleton.names), frozenset(places), frozenset(sizes))
    return Touched(
        _turned(before[0], after[0], skeleton, among),
        _differing(before[1], after[1], skeleton, skeleton.offsets),
        _differing(before[2], after[2], skeleton, skeleton.rest_scales),
    )


def _turned(
    before: FloatArray, after: FloatArray, skeleton: Skeleton, among: Collection[str] | None
) -> frozenset[str]:
    if before is after:
        return frozenset()
    if among is None:  # comparing bits is fast, and most joints are equal
        other = np.flatnonzero((before != after).any(axis=(0, 2)))
    else:
        other = np.array(sorted(map(skeleton.index, among)), dtype=np.int64)
    off = quat.angle(before[:, other], after[:, other]).max(axis=0, initial=0.0)
    return frozenset(skeleton.names[j] for j in other[off > _SAME])


def _differing(
    before: Mapping[str, FloatArray],
    after: Mapping[str, FloatArray],
    skeleton: Skeleton,
    rest: FloatArray,
) -> frozenset[str]:
    out = set()
    for name in dict.fromkeys([*before, *after]):
        j = skeleton.index(name)
        one, other = (np.asarray(t.get(name, rest[j])) for t in (before, after))
        if one is other or not (one.size and other.size):
            continue
        if np.abs(one - other).max() > _SAME * max(1.0, float(np.abs(one).max())):
            out.add(name)
    return frozenset(out)
