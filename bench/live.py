"""Live alignment: how far off and how quick, beside other followers.

Errors are of the time emitted at each step. Peers get the same poses, centred, turned onto the
recording's mean pose and put on its bones. On-line time warping is pymatchmaker's, run in an
environment of its own (its numpy is older than ours).
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import following
from bench import performances as trials
from bench.timing import Figure, seconds
from retime import _native
from retime.live import BayesAligner, PredictiveAligner, Recording
from retime.methods.align.poses import Sizer, own_heading, turned_onto

OLTW = Path(__file__).parents[1] / ".venv-oltw"
_PACKAGE = "pymatchmaker==0.3.0"


class FixedOffset:
    """Plays the recording at its own speed from the first pose on."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def step(self, pose: Any, time: float) -> float:
        return min(self.recording.start + time, self.recording.end)


class Peer:
    """What peers have in common: comparable features (N, D) of the recording and of live poses."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.sizer = recording, Sizer(recording)
        path = own_heading(recording.points) * self.sizer.scale
        self.mean = path.mean(axis=0)
        self.features = path.reshape(len(path), -1)

    def live(self, pose: Any) -> Any:
        return turned_onto(self.mean, self.sizer.live(pose).points).ravel()


class OpenEndDtw(Peer):
    """Dynamic time warping whose end is open: the cheapest column of the newest row."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self.row = np.r_[0.0, np.full(len(self.features), np.inf)]

    def step(self, pose: Any, time: float) -> float:
        cost = np.linalg.norm(self.features - self.live(pose), axis=1)
        new = np.full(len(self.row), np.inf)
        for j, c in enumerate(cost):
            new[j + 1] = c + min(self.row[j], self.row[j + 1], new[j])
        self.row = new
        return float(self.recording.times[int(np.argmin(new[1:]))])


class Replayed:
    """Hands out, step by step, what a follower in another process found."""

    def __init__(self, found: Any) -> None:
        self.found = iter(found)

    def step(self, pose: Any, time: float) -> float:
        return float(next(self.found))


def _oltw(problems: list[tuple[Recording, Any]]) -> tuple[list[Any], Any]:
    """Recorded times found by OLTW for (recording, live poses), and seconds of every step."""
    if not (OLTW / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(OLTW)], check=True)
        pip = [str(OLTW / "bin" / "python"), "-m", "pip", "install", "--quiet", _PACKAGE]
        subprocess.run([*pip, "--disable-pip-version-check"], check=True)
    arrays: dict[str, Any] = {}
    for k, (recording, poses) in enumerate(problems):
        peer = Peer(recording)
        arrays[f"reference_{k}"] = peer.features.astype(np.float32)
        arrays[f"live_{k}"] = np.array([peer.live(p) for p in poses], dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(given, **arrays)
        worker = Path(__file__).with_name("oltw_worker.py")
        subprocess.run([str(OLTW / "bin" / "python"), str(worker), given, found], check=True)
        out = np.load(found)
        times = [r.times[out[f"index_{k}"]] for k, (r, _) in enumerate(problems)]
        took = np.concatenate([out[f"seconds_{k}"] for k in range(len(problems))])
    return times, took


def _oltw_maker(problems: list[tuple[Recording, Any]]) -> Callable[[Recording], Any]:
    """Make followers that replay OLTW's results, in the order of the problems."""
    found = iter(_oltw(problems)[0])
    return lambda recording: Replayed(next(found))


def figures() -> Iterator[Figure]:
    if not trials.MOCAP.is_dir():
        print("live: no folder of real clips beside the project: nothing to follow")
        return
    _copies()
    _takes()
    following.figures()
    _memory()
    yield from _steps()
    yield _offline()


def _copies() -> None:
    """Mean (worst) error in milliseconds on warped copies."""
    print("live: warped copies, mean (max) error in ms; parabola ends, 25 poses a second")
    print(f"{'':26}" + "".join(f"{k:>12}" for k in trials.KINDS))
    for what, clips in (("paper", trials.PAPER_CLIPS), ("other", trials.OTHER_CLIPS)):
        cases = {k: [trials.copy(c, k) for c in clips] for k in trials.KINDS}
        followers: dict[str, Callable[[Recording], Any]] = {
            "predictive 5 %": PredictiveAligner,
            "predictive 15 %": lambda r: PredictiveAligner(r, gamma=0.15),
            "predictive auto": lambda r: PredictiveAligner(r, gamma="auto"),
            "Bayes": BayesAligner,
            "open-end DTW": OpenEndDtw,
            "OLTW (pymatchmaker)": _oltw_maker(
                [(p.recording, p.poses) for k in trials.KINDS for p in cases[k]]
            ),
        }
        for name, make in followers.items():
            cells = []
            for kind in trials.KINDS:
                off = [1e3 * np.abs(trials.errors(make(p.recording), p)) for p in cases[kind]]
                cells.append(f"{np.mean([e.mean() for e in off]):.1f} ({max(map(max, off)):.0f})")
            print(f"{what + ': ' + name:26}" + "".join(f"{c:>12}" for c in cells))


def _takes() -> None:
    """Errors at sharp events of other takes."""
    print("live: other takes, error at sharp events in ms")
    print(f"{'':26}{'median':>8}{'mean':>8}{'p90':>8}{'<150':>8}{'sure':>8}{'of it >150':>12}")
    for what, takes in (("takes", trials.TAKES), ("handshakes", trials.HANDSHAKES)):
        problems = []
        for pair in takes:
            for recorded, performed in (pair, pair[::-1]):
                if trials.matched_events(recorded, performed):
                    live = trials.cropped(performed)
                    times = np.arange(0, live.end + 1e-9, 1 / 30)
                    problems.append((trials.coarse(trials.cropped(recorded)), live.at(times)))
        followers: dict[str, Callable[[Recording], Any]] = {
            "fixed offset": FixedOffset,
            "open-end DTW": OpenEndDtw,
            "OLTW (pymatchmaker)": _oltw_maker(problems),
            "predictive 15 %": lambda r: PredictiveAligner(r, gamma=0.15),
            "Bayes": BayesAligner,
        }
        for name, make in followers.items():
            error, sure = np.array(list(trials.take_errors(make, takes))).T
            error = 1e3 * np.abs(error)
            good = sure >= 0.9
            beyond = 100 * (error[good] > 150).mean() if name == "Bayes" and good.any() else np.nan
            print(
                f"{what + ': ' + name:26}{np.median(error):8.0f}{error.mean():8.0f}"
                f"{np.percentile(error, 90):8.0f}{100 * (error < 150).mean():7.0f}%"
                f"{100 * good.mean():7.0f}%{beyond:11.1f}%"
            )


def _minute() -> tuple[Recording, Any, Any]:
    """A recording of 40 s, and a minute of another's performance of it, 60 poses a second."""
    fine = trials.cropped(("13_17", 0, 40))
    times = np.arange(0, 60, 1 / 60)
    rng = np.random.default_rng(0)
    poses = fine.at(times * fine.end / 60) + rng.normal(0, 0.01, (len(times), 16, 3))
    return trials.coarse(fine), times, poses + rng.normal(0, 0.05, (16, 3))


def _steps() -> Iterator[Figure]:
    recording, times, poses = _minute()
    _, theirs = _oltw([(recording, poses)])
    for name, make in (("Bayes", BayesAligner), ("predictive", PredictiveAligner)):
        aligner = make(recording)
        took = []
        for pose, now in zip(poses, times, strict=True):
            start = time.perf_counter()
            aligner.step(pose, now)
            took.append(time.perf_counter() - start)
        for what, share in (("median", 50), ("p99", 99)):
            ours, peer = np.percentile(took, share), np.percentile(theirs, share)
            yield Figure(f"{name}, step, {what}", float(ours), "pymatchmaker OLTW", float(peer))


def _memory() -> None:
    """An hour of stream, as fast as it goes: what the process holds before and after."""
    recording = trials.coarse(trials.cropped(("18_01", 0, 2.5)))
    aligner = BayesAligner(recording)
    rng = np.random.default_rng(0)
    poses = recording.at(np.linspace(0, recording.end, 300))
    for k in range(2000):
        aligner.step(poses[k % 300] + rng.normal(0, 0.02, (16, 3)), k / 30)
    before = _resident()
    for k in range(2000, 108_000):
        aligner.step(poses[k % 300] + rng.normal(0, 0.02, (16, 3)), k / 30)
    after = _resident()
    print(f"live: an hour of stream: {before:.1f} MB before, {after:.1f} MB after")


def _resident() -> float:
    """Megabytes that the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _offline() -> Figure:
    """Off-line alignment of 1000 x 1000 frames, against dtw-python on the same features."""
    from dtw import dtw

    rng = np.random.default_rng(0)
    a, b = (np.cumsum(rng.normal(size=(1000, 25, 3)), axis=0) for _ in range(2))
    low, weights = np.zeros(1000, np.int64), np.ones(25)

    def own() -> Any:
        costs = _native.dtw.pose_costs(b, a, weights, low, 1000)
        return _native.dtw.cheapest_path(costs, low, 1000, 4, -1, False)

    ours = seconds(own)
    theirs = seconds(lambda: dtw(b.reshape(1000, -1), a.reshape(1000, -1)))
    return Figure("DTW, 1000 x 1000 x 75", ours, "dtw-python", theirs)
