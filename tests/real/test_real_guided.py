"""Guided time warping on real jumps and punches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import Motion, TimeWarp, apply, guided_warp
from retime.body.metrics import flights

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
