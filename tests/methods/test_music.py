"""Syncing to music: known accents come back to their beats, and what cannot be done is said."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from music_making import dance
from retime import (
    InputError,
    Motion,
    Recipe,
    Step,
    TimeWarp,
    apply,
    beat_alignment,
    samples,
)
from retime.methods.music import Accents, find_accents, find_steadiness, find_sync, sync
from retime.methods.music.alignment import SIGMA
from retime.methods.music.assignment import Locked, assign
from retime.notes import Note


def distorted(kind: str) -> TimeWarp:
    """A warp of 20 s whose speed is off by up to 12 %."""
    x = np.linspace(0, 20, 401)
    if kind == "swing":
        y = x + 0.12 * 8 / (2 * np.pi) * np.sin(2 * np.pi * x / 8)
    elif kind == "flutter":
        y = x + 0.12 * 3 / (2 * np.pi) * np.sin(2 * np.pi * x / 3 + 1)
    else:
        y = 0.94 * x + 0.06 * x**2 / 20
    return TimeWarp(x, (y - y[0]) / (y[-1] - y[0]) * 20)


@pytest.fixture(scope="module")
def steady() -> tuple[Motion, np.ndarray]:
    return dance(120.0)


@pytest.mark.parametrize(("kind", "bpm"), [("swing", 110), ("flutter", 120), ("rush", 135)])
def test_a_known_distortion_is_undone(
    steady: tuple[Motion, np.ndarray], kind: str, bpm: float
) -> None:
    motion, accents = steady
    wrong = distorted(kind)
    found = find_sync(apply(motion, wrong), bpm=bpm)
    shown = found.warp.inverse(wrong.inverse(accents))
    off = np.abs(shown[:, None] - found.beats).min(axis=1)
    assert found.steadiness.steady
    assert off.mean() < 0.015
    assert found.score > found.uniform_score + 0.2
    assert 0.65 <= found.speeds[0] <= found.speeds[1] <= 1.65


def test_a_motion_without_a_beat_is_told() -> None:
    motion, _ = dance(uneven=0.5, seed=5)
    notes = sync(motion, bpm=120).warp.notes
    (note,) = [n for n in notes if isinstance(n, Note) and n.code == "no-steady-beat"]
    assert "no steady beat" in note
    assert note.values["p"] > 0.05


def test_steadiness_is_not_found_by_chance() -> None:
    random = np.random.default_rng(1)
    p = []
    for _ in range(12):
        times = np.cumsum(random.uniform(0.25, 0.9, 30))
        p.append(find_steadiness(Accents(times, np.ones(30))).p)
    assert sum(v <= 0.05 for v in p) <= 3


def test_strength_zero_is_uniform_speed(steady: tuple[Motion, np.ndarray]) -> None:
    motion, _ = steady
    warp = sync(motion, bpm=110, strength=0).warp
    uniform = TimeWarp([motion.start, warp.domain[1]], list(motion.domain))
    np.testing.assert_array_equal(warp.output, uniform.output)
    np.testing.assert_array_equal(warp.source, uniform.source)


def test_strength_goes_from_uniform_to_the_beat() -> None:
    motion = apply(dance(seconds=12.0)[0], distorted("flutter"))
    scores = [find_sync(motion, bpm=120, strength=s).score for s in (0.0, 0.5, 1.0)]
    assert scores[0] < scores[1] < scores[2]
    assert scores[2] > 0.9


def test_rounding_in_held_poses_is_no_beat() -> None:
    motion = dance(seconds=12.0)[0]
    held = apply(motion, TimeWarp([0, 4, 8, 16], [0, 4, 4, 12]))
    noise = 1e-12 * np.random.default_rng(0).standard_normal(held.rotations.shape)
    shaken = replace(held, rotations=held.rotations + noise)
    beats = np.arange(0, 16, 0.5)
    assert beat_alignment(shaken, beats) == pytest.approx(beat_alignment(held, beats), abs=1e-6)


def test_the_told_score_is_that_of_the_result(steady: tuple[Motion, np.ndarray]) -> None:
    motion = apply(steady[0], distorted("flutter"))
    found = find_sync(motion, bpm=115)
    assert beat_alignment(apply(motion, found.warp), found.beats) == pytest.approx(
        found.score, abs=0.03
    )


def test_locked_moments_are_met(steady: tuple[Motion, np.ndarray]) -> None:
    motion, _ = steady
    found = find_sync(motion, bpm=118, keytimes=[(6.2, 6.1)], moments=[9.9])
    assert float(found.warp(6.2)) == pytest.approx(6.1, abs=1e-9)
    at = float(found.warp.inverse(9.9))
    assert np.abs(found.beats - at).min() < 1e-6


def test_every_fourth_beat_and_half_beats(steady: tuple[Motion, np.ndarray]) -> None:
    motion, _ = steady
    steps: dict[Literal["1/2", "1", "4"], float] = {"1/2": 0.25, "1": 0.5, "4": 2.0}
    for every, step in steps.items():
        found = find_sync(motion, bpm=120, every=every, phase="fixed")
        assert np.diff(found.beats) == pytest.approx(step)
        assert found.music_start == 0
        on = found.keys[:, 0]
        assert np.abs(on[:, None] - found.beats).min(axis=1).max() < 1e-9


def test_a_range_keeps_what_is_around_it(steady: tuple[Motion, np.ndarray]) -> None:
    motion = apply(steady[0], distorted("flutter"))
    warp = sync(motion, bpm=120, range=(4, 14)).warp
    for t in (0.0, 2.0, 4.0, 14.0, 17.0):
        assert float(warp(t)) == pytest.approx(t, abs=1e-9)
    assert not warp.is_identity


def test_a_cycle_lasts_for_whole_beats() -> None:
    walk = samples.walk()
    warp = sync(walk, bpm=100, loop=True).warp
    beats = warp.duration / 0.6
    assert beats == pytest.approx(round(beats))


def test_the_search_is_exact() -> None:
    random = np.random.default_rng(3)
    for _ in range(8):
        times = np.sort(random.uniform(0.3, 3.2, 5))
        if np.diff(times).min() < 0.15:
            continue
        accents = Accents(times, random.uniform(0.3, 2, 5))
        beats = np.arange(0.1, 5, 0.5)
        options = {"ends": (0.0, 0.0, np.nan, 3.5), "uniform": 1.0, "limits": (0.7, 1.5)}
        found = assign(accents, beats, **options, stiffness=8.0, locked=Locked())  # type: ignore[arg-type]
        assert found.cost == pytest.approx(_by_hand(accents, beats, 8.0, 0.7, 1.5), abs=1e-9)


def _by_hand(
    accents: Accents, beats: np.ndarray, stiffness: float, slow: float, fast: float
) -> float:
    """The least cost of all assignments, each tried."""
    choices = []
    for t in accents.times:
        near = [b for b in beats if abs(b - t) <= 0.375 + 1e-12]
        choices.append([None, *near])
    best = np.inf
    for choice in itertools.product(*choices):
        keys = [(b, k) for k, b in enumerate(choice) if b is not None]
        cost, out, src, place, ok, last = 0.0, 0.0, 0.0, -1, True, -1
        for b, k in [*keys, (None, len(accents))]:
            end = 3.5 if b is None else accents.times[k]
            if b is not None and b - out < 0.12:
                ok = False
                break
            rate = 1.0 if b is None else (end - src) / (b - out)
            if not slow <= rate <= fast:
                ok = False
                break
            for skipped in range(last + 1, k):
                shown = out + (accents.times[skipped] - src) / rate
                gap = np.abs(beats - shown).min()
                cost += accents.weights[skipped] * (1 - np.exp(-(gap**2) / (2 * SIGMA**2)))
            if b is not None:
                j = round((b - beats[0]) / 0.5)
                cost += stiffness * np.log(rate) ** 2 * (b - out)
                cost += 0.15 * max(j - place - 1, 0) - accents.weights[k]
                out, src, place, last = b, end, j, k
        if ok:
            best = min(best, cost)
    return float(best)


def test_landings_are_those_of_contacts() -> None:
    landings = find_accents(samples.jump(), "landings")
    assert len(landings) >= 1
    assert len(find_accents(samples.walk(), "mixed")) >= len(find_accents(samples.walk(), "speed"))


def test_a_recipe_holds_the_beats(steady: tuple[Motion, np.ndarray]) -> None:
    motion, _ = steady
    beats = list(np.arange(0.1, 24, 0.52))
    made = Recipe([Step("sync", {"beats": beats, "strength": 0.8})]).evaluate(motion)
    assert any(getattr(n, "code", "") == "synced" for n in made.notes)


def test_a_long_rest_is_no_accent() -> None:
    motion, _ = dance(seconds=8.0)
    resting = motion.rotations.copy()
    resting[180:330] = resting[180]
    for kind in ("speed", "stops", "strikes"):
        found = find_accents(replace(motion, rotations=resting), kind)
        assert len(found) > 3
        assert not ((found.times > 3.3) & (found.times < 5.2)).any()


def still() -> Motion:
    motion, _ = dance(seconds=3.0)
    return replace(motion, rotations=np.repeat(motion.rotations[:1], len(motion), axis=0))


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_keytimes_and_locked_spans_are_exact_at_any_strength(strength: float) -> None:
    walk = samples.walk(seconds=8.0)
    warp = sync(walk, bpm=130, locked=[(1.0, 2.0)], keytimes=[(3.1, 3.0)], strength=strength).warp
    inside = warp.inverse(np.linspace(1.0, 2.0, 20))
    np.testing.assert_allclose(np.diff(inside), 1 / 19, atol=1e-9)
    assert float(warp.inverse(3.0)) == pytest.approx(3.1, abs=1e-9)


def test_a_still_motion_has_no_accents() -> None:
    with pytest.raises(InputError, match="no accents"):
        sync(still(), bpm=120)


def test_music_that_ends_first_is_told(steady: tuple[Motion, np.ndarray]) -> None:
    warp = sync(steady[0], beats=list(np.arange(0, 6, 0.5))).warp
    (note,) = [n for n in warp.notes if getattr(n, "code", "") == "music-shorter"]
    assert "uniform speed" in note
    tail = warp.rate(np.linspace(10, warp.domain[1] - 0.1, 20))
    assert tail == pytest.approx(1.0, abs=0.05)
