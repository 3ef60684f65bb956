"""Performances with known truth, to follow: warped copies of real clips, and other takes of them.

Clips come from a folder ``shared`` beside the project. A recording is given at 30 fps and performed
from the clip's own 120 fps, so that no live pose lies on the recording's own line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import retime
from retime.live import PAPER_JOINTS, Recording, tracked_points

MOCAP = Path(__file__).parents[2] / "shared" / "mocap"
MORE = MOCAP.with_name("mocap-more")

Array = Any
Crop = tuple[str, float, float]

# The paper's clips (section 4), cropped at 2.5 s: hand gestures, hand shake, arm wrestle.
PAPER_CLIPS: tuple[Crop, ...] = (("18_08", 3, 5.5), ("18_01", 0, 2.5), ("22_17", 0, 2.5))
OTHER_CLIPS: tuple[Crop, ...] = (
    *(("02_01", 0, 2.5), ("05_06", 2, 4.5), ("10_01", 1, 3.5), ("111_32", 1, 3.5)),
    *(("124_01", 1, 3.5), ("13_17", 5, 7.5), ("16_15", 0.5, 3), ("49_02", 1, 3.5)),
    *(("64_01", 0.5, 3), ("90_02", 1.5, 4), ("16_03", 0.5, 3), ("13_11", 0.5, 3)),
)
KINDS = ("paper", "500 ms", "noise", "drops", "freeze", "late", "twice", "half", "size", "moved")

# Two takes of one action; each is followed by the other.
TAKES: tuple[tuple[Crop, Crop], ...] = (
    (("16_03", 0, 3.4), ("02_04", 0, 2.5)),
    (("16_06", 0, 3.38), ("13_11", 0, 3.45)),
    (("13_17", 2.3, 3.8), ("13_17", 9.3, 10.9)),
    (("13_17", 20.9, 22.4), ("13_17", 36.4, 37.9)),
    (("16_16", 0, 4.2), ("16_15", 0, 3.9)),
    (("16_16", 0, 2.6), ("02_01", 0, 2.85)),
    (("10_01", 0, 6.6), ("10_02", 0, 4.9)),
    (("49_02", 0.8, 3.8), ("49_03", 0.5, 3.1)),
    (("16_15", 0, 2.7), ("02_01", 0, 2.85)),
    (("16_03", 0, 3.4), ("16_06", 0, 3.38)),
    (("13_11", 0, 3.45), ("16_03", 0, 3.4)),
    (("10_01", 0, 6.6), ("11_01", 0, 4.9)),
    (("10_02", 0, 4.9), ("11_01", 0, 4.9)),
    (("13_11", 0, 3.45), ("02_04", 0, 2.5)),
    (("13_17", 2.3, 3.8), ("13_17", 20.9, 22.4)),
)
HANDSHAKES: tuple[tuple[Crop, Crop], ...] = (
    (("18_01", 0, 2.5), ("18_02", 0, 2.5)),
    (("19_01", 0, 2.5), ("19_02", 0, 2.5)),
)


@dataclass(frozen=True, eq=False)
class Performance:
    """A recording, what is performed of it, and the recording's true time at each live pose."""

    recording: Recording
    times: Array
    poses: Array
    truth: Array


@cache
def _clip(name: str, build: float = 1.0) -> tuple[Array, Array]:
    path = MOCAP / f"{name}.bvh"
    motion = retime.read(path if path.exists() else MORE / f"{name}.bvh")
    if build != 1.0:
        motion = _other_build(motion, build)
    points, found = tracked_points(motion, PAPER_JOINTS)
    assert found == PAPER_JOINTS
    return points, motion.times - motion.times[0]


def _other_build(motion: Any, legs: float) -> Any:
    """The same joint angles on another body: legs by a factor, arms longer by a fifth."""
    from dataclasses import replace

    body, skeleton = retime.find_body(motion), motion.skeleton
    factor = np.ones(len(skeleton))
    for name, limb in body.limbs.items():
        for j in range(len(skeleton)):
            if limb.upper in skeleton.chain(j) and j != limb.upper:
                factor[j] = legs if "leg" in name else 1.2 * legs
    return replace(
        motion,
        skeleton=replace(skeleton, offsets=skeleton.offsets * factor[:, None]),
        translations={n: legs * t for n, t in motion.translations.items()},
        origin=None,
    )


def cropped(crop: Crop, build: float = 1.0) -> Recording:
    """A part of a clip, from time 0, at its own rate."""
    name, start, end = crop
    points, times = _clip(name, build)
    inside = (times >= start - 1e-9) & (times <= end + 1e-9)
    return Recording(times[inside] - start, points[inside], PAPER_JOINTS)


def coarse(recording: Recording) -> Recording:
    """Every fourth frame: 30 fps of 120."""
    return Recording(recording.times[::4], recording.points[::4], recording.joints)


def example_warp(offset: float, length: float, ends: str = "parabola") -> Callable[[Array], Array]:
    """The paper's example curve: straight from end to end, the middle early by the offset.

    The paper leaves the slopes at the ends open: a parabola's (harder), or those of the chords.
    """
    if ends == "parabola":
        return lambda t: t + 4 * offset * (t / length) * (1 - t / length)
    half = length / 2
    keys = np.array([(0.0, 0.0), (half, half + offset), (length, length)])
    chords = np.diff(keys[:, 1]) / half
    curve = retime.BezierCurve.from_slopes(keys, [chords[0], 1.0, chords[1]])
    return curve.at


def copy(
    crop: Crop,
    kind: str = "paper",
    *,
    rate: float = 25.0,
    ends: str = "parabola",
    offset: float = 0.25,
) -> Performance:
    """A warped copy of a clip, performed at a rate: plain, or with what streams do to it."""
    rng = np.random.default_rng(0)
    fine = cropped(crop, 0.85 if kind == "size" else 1.0)
    recording = coarse(cropped(crop))
    length = recording.end
    warp = example_warp(0.5 if kind == "500 ms" else offset, length, ends)
    pause = {"freeze": 0.8, "late": 0.6}.get(kind, 0.0)
    speed = {"twice": 2.0, "half": 0.5}.get(kind)
    times = np.arange(0, (length / speed if speed else length + pause) + 1e-9, 1 / rate)
    if speed:
        truth = speed * times
    elif kind == "freeze":
        at = 0.4 * length
        truth = warp(np.where(times < at, times, np.maximum(at, times - pause)))
    else:
        truth = warp(np.maximum(0, times - pause))
    poses = fine.at(truth)
    if kind == "noise":
        poses = poses + rng.normal(0, 0.01, poses.shape)
    if kind == "drops":
        kept = rng.random(len(times)) > 0.3
        middle = len(times) // 2
        kept[middle : middle + 5] = False
        kept[0] = True
        times, truth, poses = times[kept], truth[kept], poses[kept]
    if kind == "moved":
        x, y, z = np.moveaxis(poses, -1, 0)
        cos, sin = np.cos(2.1), np.sin(2.1)
        poses = np.stack([cos * x + sin * z + 3, y, cos * z - sin * x - 2], axis=-1)
    return Performance(recording, times, poses, truth)


def errors(aligner: Any, performance: Performance) -> Array:
    """Error of the time emitted at each step, seconds."""
    found = [aligner.step(p, t) for p, t in zip(performance.poses, performance.times, strict=True)]
    return np.array(found) - performance.truth


# ---- other takes


def events(crop: Crop, *, margin: float = 0.1) -> list[tuple[str, float]]:
    """Sharp events, a margin within the ends: feet lift and strike, hands and feet are fastest."""
    from scipy.signal import find_peaks

    name, start, end = crop
    points, times = _clip(name)
    out = []
    for joint in ("left_foot", "right_foot"):
        height = points[:, PAPER_JOINTS.index(joint), 1]
        above = height - np.percentile(height, 5)
        up = False
        for k in range(1, len(above)):
            if not up and above[k] > 0.08 >= above[k - 1]:
                up, what = True, "lift"
            elif up and above[k] < 0.05:
                up, what = False, "strike"
            else:
                continue
            out.append((f"{what} {joint}", float(times[k])))
    hips = points[:, PAPER_JOINTS.index("hips")]
    for joint, fast in (("left_hand", 3), ("right_hand", 3), ("left_foot", 4), ("right_foot", 4)):
        place = points[:, PAPER_JOINTS.index(joint)] - hips
        speed = np.linalg.norm(np.gradient(place, times, axis=0), axis=1)
        peaks, _ = find_peaks(speed, height=fast, prominence=1.5)
        out += [(f"fast {joint}", float(times[k])) for k in peaks]
    inside = [(what, t - start) for what, t in out if start + margin < t < end - margin]
    return sorted(inside, key=lambda event: event[1])


Labels = list[tuple[float, float]]


def label_pairs(recorded: Crop, performed: Crop) -> tuple[Labels, bool]:
    """Pair events (performed s, recorded s) by kind and order.

    Most events in common decide, then even tempo; leaving out events costs more at the start, for
    both takes are of one action from its beginning. Also returns whether this is clear: another
    pairing, such as one that is a whole cycle later, is worse by more than one event.
    """
    theirs, ours = events(recorded), events(performed)
    score, chain = _best_chain(theirs, ours, set())
    other, _ = _best_chain(theirs, ours, set(chain))
    return [(ours[j][1], theirs[i][1]) for i, j in chain], score - other > 1.0


def _best_chain(
    theirs: list[tuple[str, float]], ours: list[tuple[str, float]], without: set[tuple[int, int]]
) -> tuple[float, list[tuple[int, int]]]:
    """Return the score and the indices of the best pairing that has none of some pairs."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int] | None]] = {}
    for i in range(len(theirs)):
        for j in range(len(ours)):
            if theirs[i][0] != ours[j][0] or (i, j) in without:
                continue
            value, before = 1.0 - 0.4 * (i + j), None
            for (a, b), (score, _) in best.items():
                if a < i and b < j:
                    step, took = theirs[i][1] - theirs[a][1], ours[j][1] - ours[b][1]
                    tempo = abs(np.log((step + 0.1) / (took + 0.1)))
                    found = score + 1.0 - 0.4 * (i - a + j - b - 2) - 0.3 * tempo
                    if found > value:
                        value, before = found, (a, b)
            best[i, j] = value, before
    if not best:
        return -np.inf, []
    at: tuple[int, int] | None = max(best, key=lambda k: best[k][0])
    assert at is not None
    score, chain = best[at][0], []
    while at is not None:
        chain.append(at)
        at = best[at][1]
    return score, chain[::-1]


@cache
def matched_events(recorded: Crop, performed: Crop) -> tuple[tuple[float, float], ...]:
    """Pairs (performed s, recorded s) of the same event in two takes, by kind and order."""
    return tuple(label_pairs(recorded, performed)[0])


def take_errors(
    make: Callable[[Recording], Any],
    takes: tuple[tuple[Crop, Crop], ...] = TAKES,
    *,
    rate: float = 30.0,
    late: float = 0.0,
    speed: float = 1.0,
) -> Iterator[tuple[float, float]]:
    """Follow every take by every other: error at each event in seconds, and the confidence."""
    for pair in takes:
        for recorded, performed in (pair, pair[::-1]):
            truth = matched_events(recorded, performed)
            if not truth:
                continue
            live = cropped(performed)
            times = np.arange(0, live.end / speed + late + 1e-9, 1 / rate)
            aligner = make(coarse(cropped(recorded)))
            found, sure = [], []
            for pose, time in zip(live.at(np.maximum(0, times - late) * speed), times, strict=True):
                found.append(aligner.step(pose, time))
                sure.append(getattr(aligner, "confidence", 1.0))
            for time, right in truth:
                at = time / speed + late
                yield np.interp(at, times, found) - right, np.interp(at, times, sure)
