"""How honest live alignment is: starts in the middle, skips, other takes and other actions.

The truth of copies is known. Events of takes are labelled by what happens (a left foot strikes) and
paired by the order in which it happens, never by an aligner; every event with a counterpart counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from bench import performances as trials
from bench.following_clips import (
    CLIPS,
    HELD_OUT,
    HELD_OUT_OTHERS,
    HELD_OUT_TAKES,
    MORE_TAKES,
    OTHERS,
)
from bench.performances import Array, Crop
from retime.live import BayesAligner, Recording
from retime.methods.align.poses import own_heading

RATE = 60.0
WRONG = "wrong action"
_NEAR = 0.15
# A pose of the recording is like another within this mean distance of joints, metres.
_ALIKE = 0.08


@dataclass(frozen=True, eq=False)
class Trial:
    """A performance, and what is right at some of its moments."""

    kind: str
    recording: Recording
    times: Array
    poses: Array
    judged: Array
    """Live times that are judged."""
    truth: Array
    """The recording's time at each; NaN where nothing is right."""
    alike: Callable[[float, float], bool]
    """Whether a recorded time is as right as the true one, but for the repetition."""
    after: float = 0.0
    """Live time of the skip or start that is judged."""
    clear: bool = True
    """Whether the labels tell the repetition, too."""


def _like_poses(recording: Recording) -> Callable[[float, float], bool]:
    points = own_heading(recording.points)

    @cache
    def near(k: int) -> Array:
        return np.linalg.norm(points - points[k], axis=2).mean(axis=1) < _ALIKE

    def alike(found: float, right: float) -> bool:
        k = int(np.argmin(np.abs(recording.times - right)))
        return bool(near(k)[np.abs(recording.times - found) <= _NEAR].any())

    return alike


def _repetitions(recording: Recording) -> Callable[[float], Array]:
    """Return a function that finds the times whose pose is that of a time again."""
    points = own_heading(recording.points)

    @cache
    def find(time: float) -> Array:
        k = int(np.argmin(np.abs(recording.times - time)))
        far = np.linalg.norm(points - points[k], axis=2).mean(axis=1)
        beside = np.r_[np.inf, far, np.inf]
        nearest = (far <= beside[:-2]) & (far <= beside[2:]) & (far < _ALIKE)
        return recording.times[nearest]

    return find


def _pace(rng: Any, seconds: float) -> Array:
    """A performer's own pace: between 0.7 and 1.35, slowly changing."""
    t = np.arange(0, seconds, 1 / RATE)
    knots = np.exp(rng.uniform(np.log(0.7), np.log(1.35), int(seconds / 1.5) + 2))
    return np.interp(t, 1.5 * np.arange(len(knots)), knots)


_NOISE = 0.01


def copies(clips: tuple[Crop, ...], seed: int = 0) -> Iterator[Trial]:
    """Noisy copies (10 mm): whole, from the middle, and with a skip on or back."""
    rng = np.random.default_rng(seed)
    for crop in clips:
        yield from _copies_of(crop, rng)


def _copies_of(crop: Crop, rng: Any) -> Iterator[Trial]:
    fine = trials.cropped(crop)
    recording, length = trials.coarse(fine), fine.end
    alike = _like_poses(recording)

    def make(kind: str, source: Array, after: float = 0.0) -> Trial:
        times = np.arange(len(source)) / RATE
        poses = fine.at(source) + rng.normal(0, _NOISE, (len(source), 16, 3))
        judged = times >= after
        return Trial(kind, recording, times, poses, times[judged], source[judged], alike, after)

    whole = np.cumsum(_pace(rng, 3 * length)) / RATE
    yield make("copy", whole[whole < length])
    for _ in range(2):
        start = rng.uniform(0.25, 0.6) * length
        source = start + np.cumsum(_pace(rng, 3 * length)) / RATE
        yield make("mid-start", source[source < length])
    for back in (False, True):
        at = rng.uniform(0.3, 0.45) * length if not back else rng.uniform(0.5, 0.65) * length
        way = rng.uniform(0.2, 0.35) * length * (-1 if back else 1)
        before = whole[whole < at]
        then = at + way + np.cumsum(_pace(rng, 3 * length)) / RATE
        source = np.r_[before, then[then < length]]
        yield make("skip back" if back else "skip", source, len(before) / RATE)


def takes(pairs: tuple[tuple[Crop, Crop], ...], seed: int = 1) -> Iterator[Trial]:
    """Other takes: whole, from the middle, and with a skip; judged at labelled events."""
    rng = np.random.default_rng(seed)
    for pair in pairs:
        for recorded, performed in (pair, pair[::-1]):
            yield from _takes_of(recorded, performed, rng)


def _takes_of(recorded: Crop, performed: Crop, rng: Any) -> Iterator[Trial]:
    labels, clear = trials.label_pairs(recorded, performed)
    if not labels:
        return
    live, recording = trials.cropped(performed), trials.coarse(trials.cropped(recorded))
    # Events at the very ends are not judged, but a cycle may be found at them.
    happens = trials.events(recorded, margin=-_NEAR)
    kinds: dict[float, set[str]] = {}
    for what, time in happens:
        kinds.setdefault(time, set()).add(what)

    again = _repetitions(recording)

    def alike(found: float, right: float) -> bool:
        if any(w in kinds[right] and abs(t - found) <= _NEAR for w, t in happens):
            return True
        # A foot that hardly lifts has no event, but its pose comes again.
        return bool((np.abs(again(right) - found) <= _NEAR).any())

    def make(kind: str, source: Array, after: float = 0.0) -> Trial:
        times = np.arange(len(source)) / RATE
        judged, truth = [], []
        for at, right in labels:
            k = np.flatnonzero((source[:-1] <= at) & (source[1:] > at))
            for moment in times[k]:
                if moment >= after + (0.3 if after else 0.1):
                    judged.append(moment)
                    truth.append(right)
        listed = np.array(judged), np.array(truth)
        return Trial(kind, recording, times, live.at(source), *listed, alike, after, clear)

    even = np.arange(0, live.end, 1 / RATE)
    yield make("take", even)
    yield make("take mid", even[even > rng.uniform(0.25, 0.5) * live.end])
    at, way = rng.uniform(0.25, 0.4) * live.end, rng.uniform(0.2, 0.35) * live.end
    before, then = even[even < at], even[even > at + way]
    yield make("take skip", np.r_[before, then], len(before) / RATE)


def others(pairs: tuple[tuple[Crop, Crop], ...]) -> Iterator[Trial]:
    """Somebody performs another action: nothing is right."""
    for recorded, performed in pairs:
        live, recording = trials.cropped(performed), trials.coarse(trials.cropped(recorded))
        times = np.arange(0, live.end, 1 / RATE)
        judged = times[times > 1.0]
        yield Trial(WRONG, recording, times, live.at(times), judged,
                    np.full(len(judged), np.nan), lambda a, b: False)  # fmt: skip


@dataclass
class Found:
    """What an aligner found at the judged moments of trials of one kind."""

    error: list[float] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    phase: list[float] = field(default_factory=list)
    phase_right: list[bool] = field(default_factory=list)
    recovered: list[bool] = field(default_factory=list)
    trial: list[int] = field(default_factory=list)
    """The trial that each moment belongs to."""
    clear: list[bool] = field(default_factory=list)


def run(listed: list[Trial], make: Callable[[Recording, bool], Any]) -> dict[str, Found]:
    """Follow all trials; ``make`` is told whether a performance starts anywhere."""
    out: dict[str, Found] = {}
    for number, trial in enumerate(listed):
        aligner = make(trial.recording, trial.kind in ("mid-start", "take mid"))
        rows = []
        for pose, time in zip(trial.poses, trial.times, strict=True):
            found = aligner.step(pose, time)
            rows.append((found, aligner.confidence, getattr(aligner, "phase", aligner.confidence)))
        time, confidence, phase = np.array(rows).T
        to = out.setdefault(trial.kind, Found())
        at = np.searchsorted(trial.times, trial.judged - 1e-9)
        error = np.abs(time[at] - trial.truth)
        error[np.isnan(error)] = np.inf
        to.error += list(error)
        to.confidence += list(confidence[at])
        to.phase += list(phase[at])
        to.phase_right += [
            bool(e <= _NEAR) or (np.isfinite(r) and trial.alike(float(f), float(r)))
            for e, f, r in zip(error, time[at], trial.truth, strict=True)
        ]
        to.trial += [number] * len(at)
        to.clear += [trial.clear] * len(at)
        if not trial.kind.startswith(("take", "wrong")) and trial.times[-1] >= trial.after + 1.0:
            k = int(np.searchsorted(trial.judged, trial.after + 1.0 - 1e-9))
            to.recovered.append(bool(error[k] <= _NEAR))
    return out


def _gap(sure: Array, right: Array) -> float:
    """Return the mean gap between a confidence and the share that is right, over ten bins."""
    bins = np.minimum((10 * sure).astype(int), 9)
    gaps = [
        (bins == b).mean() * abs(sure[bins == b].mean() - right[bins == b].mean())
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def calibration(found: list[Found], *, phase: bool = False) -> tuple[float, float]:
    """Return the calibration error of time or phase, and what chance alone would make of it.

    The latter is that of an aligner whose confidence is exact, where the moments of one trial are
    right or wrong together.
    """
    sure = np.concatenate([f.phase if phase else f.confidence for f in found])
    if phase:
        right = np.concatenate([np.array(f.phase_right) for f in found])
    else:
        right = np.concatenate([np.array(f.error) <= _NEAR for f in found])
    trial = np.concatenate([np.array(f.trial, int) for f in found])
    rng = np.random.default_rng(0)
    luck = [rng.random(trial.max() + 1)[trial] for _ in range(50)]
    return _gap(sure, right), float(np.mean([_gap(sure, one < sure) for one in luck]))


def table(found: dict[str, Found]) -> None:
    """Print what was found, by kind; "cycle" are hits in any repetition."""
    print(f"{'':14}{'n':>6}{'median':>8}{'p90':>7}{'hit':>7}{'cycle':>7}{'sure':>7}{'wrong':>8}"
          f"{'in 1 s':>8}{'phase':>8}{'wrong':>8}")  # fmt: skip
    for kind, f in found.items():
        e, c, p = np.array(f.error), np.array(f.confidence), np.array(f.phase)
        sure, phased, right = c >= 0.9, p >= 0.9, np.array(f.phase_right)
        back = f"{100 * np.mean(f.recovered):7.0f}%" if f.recovered else f"{'':8}"
        off = f"{1e3 * np.median(e):8.1f}{1e3 * np.quantile(e, 0.9, method='lower'):7.0f}"
        if kind == WRONG:
            off = f"{'':15}"
        print(
            f"{kind:14}{len(e):6}{off}{100 * (e <= _NEAR).mean():6.1f}%{100 * right.mean():6.1f}%"
            f"{100 * sure.mean():6.0f}%"
            f"{100 * (e[sure] > _NEAR).mean() if sure.any() else 0:7.1f}%{back}"
            f"{100 * phased.mean():7.0f}%"
            f"{100 * (~right[phased]).mean() if phased.any() else 0:7.1f}%"
        )
    takes_only = [f for kind, f in found.items() if kind.startswith("take")]
    followed = [f for kind, f in found.items() if kind != WRONG]
    for what, listed in (("all", followed), ("takes", takes_only)):
        (time, luck), (phase, its_luck) = (
            calibration(listed, phase=of_phase) for of_phase in (False, True)
        )
        print(
            f"calibration error, {what}: time {time:.3f} (chance {luck:.3f}), phase {phase:.3f} "
            f"(chance {its_luck:.3f})"
        )
    whole = found["take"]
    clear = np.array(whole.clear)
    error, sure = np.array(whole.error)[clear], np.array(whole.confidence)[clear] >= 0.9
    print(
        f"whole takes whose labels tell the repetition: {len(error)} events, hit "
        f"{100 * (error <= _NEAR).mean():.1f} %, sure and wrong "
        f"{100 * (error[sure] > _NEAR).mean() if sure.any() else 0:.1f} %"
    )
    phase_sure = np.concatenate([f.phase for f in followed]) >= 0.9
    right = np.concatenate([f.phase_right for f in followed])
    print(
        f"phase at 0.9: {100 * phase_sure.mean():.0f} % of moments, wrong "
        f"{100 * (~right[phase_sure]).mean() if phase_sure.any() else 0:.1f} %"
    )


def all_trials(half: int | None = None) -> list[Trial]:
    """Return all trials, or those of one half of the clips (0, 1)."""
    part = slice(None) if half is None else slice(half, None, 2)
    both = trials.TAKES + MORE_TAKES
    return [*copies(CLIPS[part]), *takes(both[part]), *others(OTHERS[part])]


def held_out() -> list[Trial]:
    """Return trials on held-out clips."""
    return [
        *copies(HELD_OUT, seed=2),
        *takes(HELD_OUT_TAKES, seed=3),
        *others(HELD_OUT_OTHERS),
    ]


def figures() -> None:
    """Print how honest the aligner is."""
    if not trials.MOCAP.is_dir():
        print("live: no folder of real clips beside the project: nothing to follow")
        return
    for listed, what in ((all_trials(), "every kind of start"), (held_out(), "held-out clips")):
        print(f"live: {what}; errors in ms at labelled events and at every frame of copies")
        table(
            run(
                listed,
                lambda r, anywhere: BayesAligner(r, start="anywhere" if anywhere else "beginning"),
            )
        )


if __name__ == "__main__":
    figures()
