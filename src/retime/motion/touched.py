"""Which joints an edit really changed, beyond moving them in time.

The result is compared with the source at its warped times, in one place and when it
is requested: by formats that retime a file in place and bake such joints, and by hosts that key
them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat
from retime.motion.skeleton import Skeleton

Tracks = tuple[FloatArray, Mapping[str, FloatArray], Mapping[str, FloatArray]]
# Radians, and a share of a track's largest value: smaller differences are rounding.
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
        """Joints of which anything was edited."""
        return self.rotations | self.translations | self.scales

    def indices(self, skeleton: Skeleton) -> tuple[set[int], set[int], set[int]]:
        """Return the joints' numbers: of rotations, translations and scales."""
        kinds = (self.rotations, self.translations, self.scales)
        turned, moved, sized = ({skeleton.index(n) for n in names} for names in kinds)
        return turned, moved, sized


class TouchedLater:
    """Names that are worked out when they are requested: a dragged pose must not wait for them.

    ``compare`` works them out; it is let go once it has.
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
    """Find the joints whose tracks differ; a track that does not exist is the rest value.

    Tracks of another number of frames differ as a whole. Only joints ``among`` those given are
    looked at, where some are.
    """
    if before[0].shape != after[0].shape:
        places, sizes = ([*one, *other] for one, other in zip(before[1:], after[1:], strict=True))
        return Touched(frozenset(skeleton.names), frozenset(places), frozenset(sizes))
    turned: list[str] = []
    if before[0] is not after[0]:
        if among is None:  # most joints are the same to the last bit, which is quick to see
            other = np.flatnonzero((before[0] != after[0]).any(axis=(0, 2)))
        else:
            other = np.array(sorted(skeleton.index(n) for n in among), dtype=np.int64)
        off = quat.angle(before[0][:, other], after[0][:, other]).max(axis=0, initial=0.0)
        turned = [skeleton.names[j] for j, angle in zip(other, off, strict=True) if angle > _SAME]
    return Touched(
        frozenset(turned),
        _differing(before[1], after[1], skeleton, skeleton.offsets),
        _differing(before[2], after[2], skeleton, skeleton.rest_scales),
    )


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
