"""Guided time warping on real jumps and punches."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retime.methods.guided.costs import FeatureWeights, reference_features
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.distance import cdist

import retime
from motion_making import in_body_frame
from retime import Motion, TimeWarp, apply, guided_warp, positions
from retime.body import find_body
from retime.body.metrics import flights
from retime.methods.guided.features import sampled
from retime.methods.guided.references import cut
from retime.motion.kinematics import carriers, joint_speeds

SHARED = Path(__file__).parents[2].parent / "shared"
pytestmark = pytest.mark.skipif(
    not (SHARED / "mocap").is_dir(), reason="no folder of real clips beside the project"
)


def clip(name: str) -> Motion:
    return retime.read(SHARED / "mocap" / f"{name}.bvh")


def rates(
    warp: TimeWarp, span: tuple[float, float]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]:
    """Rate in a flight, and the mean rate elsewhere."""
    inside = warp.preimage(span[0] + 0.04, span[1] - 0.04)
    whole = warp.preimage(*span)
    assert inside is not None
    assert whole is not None
    rest = (warp.source[-1] - warp.source[0] - (span[1] - span[0])) / (
        warp.duration - (whole[1] - whole[0])
    )
    return warp.rate(np.linspace(*inside, 40)), float(rest)


def test_a_jump_at_57_percent_keeps_its_flight() -> None:
    motion = clip("16_06")
    warp = guided_warp(motion, duration=57 / 30)
    flight, rest = rates(warp, flights(motion)[0])
    assert flight.min() >= 0.95
    assert flight.max() <= 1.05
    assert rest >= 1.9


def test_a_jump_upsampled_from_101_to_401_frames_keeps_its_flight() -> None:
    motion = clip("16_06")
    warp = guided_warp(motion, duration=1.485 * motion.duration)
    flight, _ = rates(warp, flights(motion)[0])
    assert flight.min() >= 0.95
    assert flight.max() <= 1.05


@pytest.mark.parametrize("share", [0.6, 0.7])
def test_other_jumps_keep_their_flight(share: float) -> None:
    kept = []
    for name in ("16_03", "16_06", "13_11", "02_04", "10_02"):
        motion = clip(name)
        warp = guided_warp(motion, duration=share * motion.duration)
        flight, _ = rates(warp, max(flights(motion), key=lambda f: f[1] - f[0]))
        kept.append(abs(float(flight.mean()) - 1) <= 0.05)
    assert sum(kept) >= len(kept) - 1


def known_warp(seed: int) -> TimeWarp:
    """Play six seconds now slower, now faster, by a curve that is known."""
    rng = np.random.default_rng(seed)
    output, source = [0.0], [0.0]
    while source[-1] < 6:
        source.append(min(source[-1] + rng.uniform(0.4, 0.9), 6.0))
        output.append(output[-1] + (source[-1] - source[-2]) / rng.uniform(0.4, 1.2))
    return TimeWarp(output, source)


def test_punches_in_a_known_timing_are_undone_by_another_stretch() -> None:
    boxing = clip("13_17")
    shares = []
    for seed, (start, reference) in enumerate(((4, 14), (10, 20), (20, 2), (30, 5), (26, 8))):
        part = apply(boxing, TimeWarp([0, 6], [start, start + 6]))
        other = apply(boxing, TimeWarp([0, 12], [reference, reference + 12]))
        truth = known_warp(seed)
        slowed = apply(part, truth)
        found = guided_warp(slowed, reference=other, duration=6.0)
        grid = np.linspace(0.2, 5.8, 200)
        right = truth.inverse(grid)
        error = np.sqrt(np.mean((found(grid) - right) ** 2))
        nothing = np.sqrt(np.mean((grid * slowed.duration / 6 - right) ** 2))
        shares.append(float(error / nothing))
    assert np.mean(shares) < 0.6
    assert sorted(shares)[-2] < 0.6


@pytest.mark.parametrize("name", ["16_16", "02_01"])
def test_the_same_length_is_no_change(name: str) -> None:
    motion = clip(name)
    grid = np.linspace(*motion.domain, 50)
    np.testing.assert_allclose(guided_warp(motion)(grid), grid, atol=1e-6)
    assert guided_warp(motion, duration="free").duration == pytest.approx(motion.duration, rel=0.01)


# ---- the delivered curve, on clips that defaults were not chosen by

# Largest mean of delivered / uniform cost by share of the length.
MOST = {0.9: 0.94, 0.75: 0.86, 0.6: 0.82, 1.4: 0.68}
FEW = ("07_01", "16_01", "49_06", "118_20", "69_01")
EVERY = sorted(p.stem for p in (SHARED / "mocap-more").glob("*.bvh"))
UNSEEN = EVERY if os.environ.get("RETIME_STRESS") else FEW


def other(name: str, most: float = 12.0) -> Motion:
    motion = retime.read(SHARED / "mocap-more" / f"{name}.bvh")
    span = (motion.start, motion.start + most)
    return cut(motion, span, "range") if motion.duration > most else motion


def delivered_cost(motion: Motion, warp: TimeWarp) -> float:
    """Score a written curve by the paper's objective, apart from the code that made it."""
    joints = [j for j in range(len(motion.skeleton)) if j not in carriers(motion.skeleton)]

    def signal(even: Motion) -> Any:
        points = in_body_frame(even, positions(even))[:, joints]
        return points.reshape(len(points), -1)

    fine = sampled(motion, 480.0, round(motion.duration * 30) / 30)
    poses = gaussian_filter1d(signal(fine), 16.0, axis=0, mode="nearest")
    reference = gaussian_filter1d(signal(sampled(motion, 30.0)), 1.0, axis=0, mode="nearest")
    weights = FeatureWeights.of(0.1, 1 / 30)
    times = np.linspace(*warp.domain, round(warp.duration * 30) + 1)
    start, end = motion.domain
    shown = poses[np.round((warp(times) - start) / (end - start) * (len(poses) - 1)).astype(int)]
    triples = weights.features(shown[:-2], shown[1:-1], shown[2:])
    distances = cdist(triples, reference_features([reference], weights))
    return float(np.sort(distances, axis=1)[:, :3].mean())


def peak_speed(motion: Motion, warp: TimeWarp) -> float:
    return float(joint_speeds(apply(motion, warp, fps=60.0)).max())


@pytest.mark.parametrize("share", MOST)
def test_no_delivered_warp_costs_more_than_uniform_speed(share: float) -> None:
    costs, changes, peaks = [], [], []
    for name in UNSEEN:
        motion = other(name)
        start, end = motion.domain
        length = round(share * motion.duration * 30) / 30
        warp = guided_warp(motion, duration=length)
        uniform = TimeWarp([start, start + length], [start, end])
        costs.append(delivered_cost(motion, warp) / delivered_cost(motion, uniform))
        rate = warp.rate(np.arange(start, start + length, 1 / 30))
        changes.append(np.abs(np.diff(rate)).max())
        if share == 0.75:
            peaks.append(peak_speed(motion, warp) / peak_speed(motion, uniform))
    # Whole samples of a fine signal stand for what lies between: right to about half a percent.
    assert max(costs) <= 1.005
    assert np.mean(costs) <= MOST[share]
    assert np.median(changes) <= 0.5
    assert not peaks or np.median(peaks) <= 1.6


# ---- foreign references


def forward(motion: Motion) -> Any:
    """How far the left foot is before the right one."""
    roles = find_body(motion).roles
    place = in_body_frame(motion, positions(motion))
    apart = place[:, roles["left_foot"], 2] - place[:, roles["right_foot"], 2]
    smooth = gaussian_filter1d(apart, 0.05 * motion.rate)
    return smooth - smooth.mean()


def step_time(motion: Motion) -> float:
    """Seconds from one passing of the feet to the next."""
    ahead = forward(motion)
    passing = np.flatnonzero(ahead[1:] * ahead[:-1] < 0)
    exact = passing + ahead[passing] / (ahead[passing] - ahead[passing + 1])
    return float(np.median(np.diff(exact)) / motion.rate)


PACED = [("07_01", "07_12"), ("07_12", "07_01"), ("12_01", "07_12"), ("39_01", "07_12")]
MORE_PACED = [("69_01", "07_12"), ("35_01", "12_01"), ("07_01", "12_01"), ("08_01", "12_01")]


@pytest.mark.parametrize("pair", PACED + (MORE_PACED if os.environ.get("RETIME_STRESS") else []))
def test_a_walk_takes_the_pace_of_another(pair: tuple[str, str]) -> None:
    walk, pace = (other(name) for name in pair)
    done = apply(walk, guided_warp(walk, duration="free", reference=pace))
    before, wanted, after = (step_time(m) for m in (walk, pace, done))
    assert (after - before) * (wanted - before) > 0
    assert after == pytest.approx(wanted, rel=0.1)


@pytest.mark.parametrize("name", ["60_01", "88_01", "141_14"])
def test_material_unlike_the_reference_keeps_its_speed(name: str) -> None:
    motion, walk = other(name, 8.0), other("07_12")
    slow = apply(walk, TimeWarp([0, 2 * walk.duration], [walk.start, walk.start + walk.duration]))
    warp = guided_warp(motion, duration="free", reference=slow)
    assert warp.duration == pytest.approx(motion.duration, rel=0.05)


def test_standing_says_nothing_about_speed() -> None:
    jump, walk = clip("16_06"), other("07_12")
    slow = apply(walk, TimeWarp([0, 2 * walk.duration], [walk.start, walk.start + walk.duration]))
    warp = guided_warp(jump, duration="free", reference=slow)
    assert warp.duration == pytest.approx(jump.duration, rel=0.05)


def limping(motion: Motion) -> tuple[TimeWarp, tuple[float, float], TimeWarp]:
    """Make every left step slow and every right one quick: the truth, a cycle, and it edited."""
    ahead = forward(motion)
    up = np.flatnonzero((ahead[:-1] < 0) & (ahead[1:] >= 0))
    found = (up + ahead[up] / (ahead[up] - ahead[up + 1])) / motion.rate + motion.start
    first, last = found[1] - found[0], found[-1] - found[-2]
    before = [found[0] - first * k for k in range(9, 0, -1)]
    cycles = [*before, *found, *(found[-1] + last * k for k in range(1, 9))]
    source, output = [motion.domain[0]], [motion.domain[0]]
    for a, b in itertools.pairwise(cycles):
        for moment, slower in (((a + b) / 2, 1.5), (b, 0.8)):
            moment = min(moment, motion.domain[1])
            if moment > source[-1] + 1e-9:
                output.append(output[-1] + (moment - source[-1]) * slower)
                source.append(moment)
    middle = (len(found) - 1) // 2
    a, b = float(found[middle]), float(found[middle + 1])
    half = (b - a) / 2
    edited = TimeWarp([a, a + 1.5 * half, a + 2.3 * half], [a, a + half, b])
    return TimeWarp(output, source), (a, b), edited


def test_the_limp_of_one_cycle_spreads_to_all() -> None:
    errors, nothing, shares = [], [], []
    for name in ("07_01", "07_12", "08_01", "08_02", "12_01", "35_01", "39_01"):
        motion = other(name)
        truth, cycle, edited = limping(motion)
        options: Any = {"reference_range": cycle, "reference_warp": edited}
        free = guided_warp(motion, duration="free", **options)
        errors.append(abs(free.duration / truth.duration - 1))
        nothing.append(abs(motion.duration / truth.duration - 1))
        given = guided_warp(motion, duration=truth.duration, **options)
        uniform = TimeWarp([motion.start, motion.start + truth.duration], list(motion.domain))
        moments = np.linspace(*motion.domain, 200)
        off = [np.std(w.inverse(moments) - truth.inverse(moments)) for w in (given, uniform)]
        shares.append(off[0] / off[1])
    assert np.mean(errors) <= 0.08
    assert np.mean(errors) < np.mean(nothing) / 2
    assert np.median(shares) < 1
