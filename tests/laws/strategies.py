"""Random graphs, warps and motions for the laws, and how to look at them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from retime import Motion, Skeleton, TimeWarp, quat
from retime.timing.graph import Graph, tidy

FloatArray = npt.NDArray[np.float64]

JOINTS = ("Hips", "Arm", "Hand", "Prop")
CHANNELS = (*JOINTS, "Hips:translation", "Prop:translation")
# A name that no warp here has: it must follow the body.
UNNAMED = "Nobody"

WEIGHTS = st.integers(0, 32).map(lambda k: k / 32)
INNER_WEIGHTS = st.integers(1, 31).map(lambda k: k / 32)
# Whole sixteenths: knots of different warps meet often, and sums of them are exact.
SIXTEENTHS = st.integers(-32, 32).map(lambda k: k / 16)


def gaps(least: int) -> SearchStrategy[float]:
    return st.integers(least, 40).map(lambda k: k / 16)


@st.composite
def graphs(
    draw: DrawFn,
    *,
    direction: int | None = None,
    holds: bool = True,
    cuts: bool = False,
    start: float | None = None,
    source: float | None = None,
) -> Graph:
    """Draw a graph of positive duration; it moves in ``direction`` unless it is all hold."""
    n = draw(st.integers(1, 6))
    dx = draw(st.lists(gaps(0 if cuts else 1), min_size=n, max_size=n).filter(any))
    dy = draw(st.lists(gaps(0 if holds else 1), min_size=n, max_size=n))
    sign = draw(st.sampled_from([1, -1])) if direction is None else direction
    x0 = draw(SIXTEENTHS) if start is None else start
    y0 = draw(SIXTEENTHS) if source is None else source
    return tidy(x0 + np.r_[0, np.cumsum(dx)], y0 + sign * np.r_[0, np.cumsum(dy)])


@st.composite
def warps(
    draw: DrawFn,
    *,
    direction: int | None = None,
    holds: bool = True,
    cuts: bool = False,
    start: float | None = None,
) -> TimeWarp:
    """Draw a warp for the body, for some channels, or for both."""
    one = graphs(direction=direction, holds=holds, cuts=cuts, start=start)
    names = draw(st.lists(st.sampled_from(CHANNELS), unique=True, max_size=3))
    channels = {name: draw(one) for name in names}
    if names and direction != -1 and draw(st.booleans()):
        return TimeWarp(channels=channels)
    body = draw(one)
    return TimeWarp(body.x, body.y, channels=channels)


@st.composite
def whole_warps(
    draw: DrawFn, domain: tuple[float, float], *, per_channel: bool | None = None
) -> TimeWarp:
    """Draw a forward warp that shows all of a domain, in some other duration."""
    a, b = domain
    duration = draw(st.integers(8, 32)) / 10

    def one() -> Graph:
        g = draw(graphs(direction=1, holds=False, start=0.0, source=0.0))
        u, v = g.x / g.x[-1], g.y / g.y[-1]
        # Mixed crosswise, so that no part is faster than twice or slower than half the mean.
        x, y = a + duration * (2 * u + v) / 3, a + (b - a) * (u + 2 * v) / 3
        return Graph(np.r_[a, x[1:-1], a + duration], np.r_[a, y[1:-1], b])

    if per_channel is None:
        per_channel = draw(st.booleans())
    body = one()
    names = ("Hips:translation", "Hand") if per_channel else ()
    return TimeWarp(body.x, body.y, channels={name: one() for name in names})


def skeleton() -> Skeleton:
    """Make an arm with a prop beside it: two roots, one joint with a track of its own."""
    offsets = np.array([[0.0, 1.0, 0.0], [0.3, 0.4, 0.0], [0.6, 0.0, 0.1], [1.0, 0.0, 0.0]])
    return Skeleton(JOINTS, np.array([-1, 0, 1, -1]), offsets)


def smooth_motion(
    times: FloatArray, *, phase: float = 0.0, size: float = 0.8, fps: float = 30.0
) -> Motion:
    """Evaluate a fixed smooth cycle of 2 s, which walks 1 unit/s along x, at given times."""
    wave = np.pi * times[:, None, None] * np.array([1.0, 2.0, 1.0, 1.0])[:, None]
    vectors = size * np.sin(wave + phase + np.arange(12.0).reshape(4, 3))
    path = np.stack([times, 1 + 0.1 * np.cos(np.pi * times), np.sin(np.pi * times)], axis=1)
    return Motion(
        skeleton(),
        quat.exp(vectors),
        {"Hips": path, "Hand": 0.5 * path[:, [2, 1, 2]], "Prop": 1 - path},
        {"Arm": np.exp(0.2 * np.sin(np.pi * times[:, None] * np.ones(3)))},
        fps=fps,
        start=float(times[0]),
    )


# 1001/30 is NTSC, 0.0083333 s is what many files round 1/120 s to.
RATES = st.sampled_from([24.0, 25.0, 30.0, 30000 / 1001, 60.0, 1 / 0.0083333, 119.88, 7.3])
STARTS = st.sampled_from([0.0, 0.5, -1.25, 1 / 3, 17.0, 1000.1])


@st.composite
def motions(draw: DrawFn, *, least: int = 2, most: int = 24) -> Motion:
    """Draw a short motion at an odd rate and start."""
    fps, start = draw(RATES), draw(STARTS)
    times = start + np.arange(draw(st.integers(least, most))) / fps
    return smooth_motion(times, phase=draw(st.integers(0, 6)), fps=fps)


def spread(*curves: Graph, outside: float = 1.0) -> FloatArray:
    """List the times worth looking at: knots, between them, and beyond."""
    parts = []
    for g in curves:
        middle = (g.x[:-1] + g.x[1:]) / 2
        parts += [g.x, middle, np.array([g.x[0] - outside, g.x[-1] + outside])]
        parts.append(np.linspace(g.x[0], g.x[-1], 23))
    return np.unique(np.concatenate(parts))


def cut_times(g: Graph) -> FloatArray:
    """List the output times of cuts, also of those that rounding has opened by a hair."""
    return g.x[1:][np.diff(g.x) < 1e-9]


def off(t: FloatArray, points: FloatArray, by: float = 1e-8) -> FloatArray:
    """Leave out the times that lie on one of the points."""
    if not len(points):
        return t
    out: FloatArray = t[np.abs(t[:, None] - points).min(axis=1) > by]
    return out


def close(a: npt.ArrayLike, b: npt.ArrayLike, within: float = 1e-9) -> None:
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0, atol=within)


def distance(a: Motion, b: Motion) -> float:
    """Measure how far two motions on the same frames are apart: radians, units, factors."""
    assert len(a) == len(b)
    tracks = [
        np.abs(one[n] - other[n]).max()
        for one, other in ((a.translations, b.translations), (a.scales, b.scales))
        for n in other
    ]
    return float(max(quat.angle(a.rotations, b.rotations).max(), *tracks))


def values_at(motion: Motion, warp: Callable[[str], FloatArray]) -> Motion:
    """Evaluate a motion at each channel's own source times, frame by frame, the plain way."""
    position = {c: (warp(c) - motion.start) * motion.fps for c in CHANNELS}
    last = len(motion) - 1

    def mixed(track: FloatArray, channel: str) -> FloatArray:
        p = np.clip(position[channel], 0, last)
        axis = np.arange(last + 1.0)
        return np.stack([np.interp(p, axis, track[:, k]) for k in range(3)], axis=1)

    columns = []
    for j, name in enumerate(JOINTS):
        p = np.clip(position[name], 0, last)
        i = np.minimum(p.astype(int), max(last - 1, 0))
        after = np.minimum(i + 1, last)
        columns.append(quat.slerp(motion.rotations[i, j], motion.rotations[after, j], p - i))
    return Motion(
        motion.skeleton,
        np.stack(columns, axis=1),
        {
            n: mixed(track, f"{n}:translation" if f"{n}:translation" in CHANNELS else n)
            for n, track in motion.translations.items()
        },
        {n: mixed(track, n) for n, track in motion.scales.items()},
        fps=motion.fps,
    )
