"""Find moments that two figures share: a hand on the other's hand or body, held or struck.

The gap is the distance of a palm from the nearest bone of the other figure, less the radii of
both. Recorded partners rarely meet exactly, so a touch is a small gap, or a larger one that stays
the same after an approach. A strike is a small gap that is passed at speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter1d, maximum_filter1d, minimum_filter1d

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts.grips import palms
from retime.body.contacts.stretches import runs
from retime.body.model.size import judged
from retime.motion import Motion
from retime.motion.kinematics import positions

# Gaps that are touches, metres: any; one that stays the same, on the body; and between two hands,
# where the errors of two arms add up.
_NEAR, _LOOSE, _LOOSE_HANDS = 0.05, 0.2, 0.32
# A touch lasts while its gap is at most this above its least, metres.
_GROW = 0.06
# A gap stays the same if it changes by less, metres, within this time, seconds.
_STEADY, _STEADY_S = 0.04, 0.2
# Speeds relative to what is touched, m/s: hands that rest there are below, hands that pass above.
_RESTS, _PASSES = 0.3, 0.8
# A hand that came near, or goes, by this much within this time touches on purpose: metres, seconds.
_APPROACH, _APPROACH_S = 0.15, 1.0
# Shortest touch, and the longest pause within one, seconds.
_SHORTEST_S, _BRIDGE_S = 0.1, 0.25
# A span is longer than its touch on both sides, so that hands meet and part at one speed, seconds.
_MARGIN_S = 0.05
# Radii of the parts of a body of any size, metres.
_RADII = {
    "hips": 0.13, "spine": 0.13, "chest": 0.13, "upper_chest": 0.13, "neck": 0.06, "head": 0.10,
    "shoulder": 0.045, "upper_arm": 0.045, "lower_arm": 0.045, "hand": 0.035,
    "upper_leg": 0.08, "lower_leg": 0.05, "foot": 0.05, "toe": 0.05,
}  # fmt: skip


@dataclass(frozen=True)
class Touch:
    """A hand of one figure on the hand or body of another.

    Parameters
    ----------
    start, end : float
        First and last time, seconds.
    joint, other : str
        The hand, and the joint whose bone it touches.
    of_first : bool
        The hand is of the first figure.
    held : bool
        The hand rests there; otherwise it strikes.
    gap : float
        Least distance between both surfaces, metres.
    """

    start: float
    end: float
    joint: str
    other: str
    of_first: bool
    held: bool
    gap: float


def find_touches(one: Motion, two: Motion) -> list[Touch]:
    """Find touches between two figures on one time line, in order of time.

    Parameters
    ----------
    one, two : Motion
        The figures.
    """
    first, second = judged(one), judged(two)
    touches: list[Touch] = []
    for of_first, (figure, partner) in ((True, (first, second)), (False, (second, first))):
        for approach in _approaches(figure, partner):
            touches += approach.touches(of_first)
    return sorted(touches, key=lambda touch: (touch.start, touch.end))


def find_shared(one: Motion, two: Motion) -> list[tuple[float, float]]:
    """Propose the spans of time that two figures share: their touches, with a margin.

    The spans are proposals: recorded hands that pass close by may look like a touch.

    Parameters
    ----------
    one, two : Motion
        The figures, on one time line.

    Returns
    -------
    list of (float, float)
        First and last time of each span, seconds, in order.
    """
    start, end = max(one.start, two.start), min(one.domain[1], two.domain[1])
    spans: list[tuple[float, float]] = []
    for touch in find_touches(one, two):
        a, b = max(touch.start - _MARGIN_S, start), min(touch.end + _MARGIN_S, end)
        if spans and a - spans[-1][1] < _BRIDGE_S:
            spans[-1] = (spans[-1][0], max(spans[-1][1], b))
        elif a < b:
            spans.append((a, b))
    return spans


@dataclass(frozen=True, eq=False)
class _Approach:
    """The gap between a hand and a figure over time (F,)."""

    times: FloatArray
    joint: str
    gap: FloatArray
    """Distance between the surfaces, metres."""
    speed: FloatArray
    """Speed relative to the place that is nearest, m/s."""
    on_hand: npt.NDArray[np.bool_]
    """Whether the nearest bone is one of a hand."""
    names: list[str]
    """Joints of the bones; ``nearest`` indexes them."""
    nearest: npt.NDArray[np.intp]

    def touches(self, of_first: bool) -> Iterator[Touch]:
        """Find the touches, held ones first."""
        held = list(self._held())
        for a, b in held:
            yield self._touch(a, b, of_first, held=True)
        rate = self._rate
        bridge = round(_BRIDGE_S * rate)
        for a, b in self._joined(self.gap < _NEAR):
            k = a + int(self.gap[a:b].argmin())
            beside = any(first - bridge < k < last + bridge for first, last in held)
            half = max(round(_STEADY_S * rate / 2), 1)
            if not beside and self.speed[max(k - half, 0) : k + half + 1].max() > _PASSES:
                yield self._touch(max(k - 1, 0), min(k + 2, len(self.gap)), of_first, held=False)

    @property
    def _rate(self) -> float:
        return (len(self.times) - 1) / float(self.times[-1] - self.times[0])

    def _held(self) -> Iterator[tuple[int, int]]:
        """Find the frames, first and one past the last, of hands that rest on the other figure."""
        rate = self._rate
        width = 2 * max(round(_STEADY_S * rate / 2), 1) + 1
        change = maximum_filter1d(self.gap, width) - minimum_filter1d(self.gap, width)
        steady = (change < _STEADY) & (self.speed < _RESTS)
        steady = maximum_filter1d(steady.astype(np.uint8), width) > 0
        loose = np.where(self.on_hand, _LOOSE_HANDS, _LOOSE)
        touching = (self.gap < _NEAR) & (self.speed < _PASSES)
        touching |= (self.gap < loose) & steady & (self.speed < 2 * _RESTS)
        for a, b in self._joined(touching):
            least = float(self.gap[a:b].min())
            around = self.gap[max(a - round(_APPROACH_S * rate), 0) : b + round(_APPROACH_S * rate)]
            on_purpose = least < _NEAR or around.max() - least > _APPROACH
            grown = (self.gap < max(least + _GROW, _NEAR)) & (self.speed < _PASSES)
            grown[a:b] = True
            first, last = next((i, j) for i, j in runs(grown) if i <= a < j)
            if on_purpose and (last - first - 1) / rate >= _SHORTEST_S:
                yield first, last

    def _joined(self, flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Return runs of flags; those with a short pause between them are one."""
        out: list[tuple[int, int]] = []
        for a, b in runs(flags):
            if out and self.times[a] - self.times[out[-1][1] - 1] < _BRIDGE_S:
                out[-1] = (out[-1][0], b)
            else:
                out.append((a, b))
        return out

    def _touch(self, a: int, b: int, of_first: bool, *, held: bool) -> Touch:
        least = a + int(self.gap[a:b].argmin())
        start, end = float(self.times[a]), float(self.times[b - 1])
        other = self.names[self.nearest[least]]
        return Touch(start, end, self.joint, other, of_first, held, float(self.gap[least]))


def _approaches(figure: Motion, partner: Motion) -> Iterator[_Approach]:
    """Yield the gap of each hand of a figure to its partner, where both have frames."""
    start, end = max(figure.start, partner.start), min(figure.domain[1], partner.domain[1])
    times = figure.times[(figure.times >= start - 1e-9) & (figure.times <= end + 1e-9)]
    if len(times) < 3 or "hips" not in find_body(figure).roles:
        return
    tops, ends, radii, names, hands = _bones(partner, times)
    across = ends - tops
    length = np.maximum((across**2).sum(axis=-1), 1e-12)
    rate = (len(times) - 1) / float(times[-1] - times[0])
    for joint, track in palms(figure).items():
        palm = _at(track, figure.times, times)
        share = ((palm[:, None] - tops) * across).sum(axis=-1) / length
        share = np.clip(share, 0, 1)[..., None]
        place = tops + share * across
        gaps = np.linalg.norm(palm[:, None] - place, axis=-1) - radii - _RADII["hand"]
        nearest = gaps.argmin(axis=1)
        here = np.arange(len(times)), nearest
        # The place moves with its bone: the speed is that relative to a fixed place of the bone.
        of_bones = (1 - share) * np.gradient(tops, times, axis=0)
        of_bones += share * np.gradient(ends, times, axis=0)
        speed = np.linalg.norm(np.gradient(palm, times, axis=0) - of_bones[here], axis=-1)
        yield _Approach(
            times,
            joint,
            gaussian_filter1d(gaps[here], 0.02 * rate),
            gaussian_filter1d(speed, 0.03 * rate),
            hands[nearest],
            names,
            nearest,
        )


def _bones(
    motion: Motion, times: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, list[str], npt.NDArray[np.bool_]]:
    """Return the bones of a figure: both ends (F, B, 3), radii (B,), joints, which are of hands."""
    skeleton = motion.skeleton
    points = _at(positions(motion, end_sites=True), motion.times, times)
    pairs = [(int(p), j) for j, p in enumerate(skeleton.parents) if p >= 0]
    pairs += [(site.parent, len(skeleton) + k) for k, site in enumerate(skeleton.end_sites)]
    pairs = [(a, b) for a, b in pairs if np.linalg.norm(points[0, a] - points[0, b]) > 0.02]
    parts = {joint: role for role, joint in find_body(motion).roles.items()}
    roles = [next((parts[j] for j in skeleton.chain(a) if j in parts), "spine") for a, _ in pairs]
    roles = [role.removeprefix("left_").removeprefix("right_") for role in roles]
    tops, ends = np.array(pairs).T
    return (
        points[:, tops],
        points[:, ends],
        np.array([_RADII[role] for role in roles]),
        [skeleton.names[a] for a, _ in pairs],
        np.array([role == "hand" for role in roles]),
    )


def _at(track: FloatArray, times: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return values (N, ...) of a track at times, linearly between its samples."""
    flat = track.reshape(len(track), -1)
    out = np.stack([np.interp(wanted, times, column) for column in flat.T], axis=-1)
    return out.reshape(len(wanted), *track.shape[1:])
