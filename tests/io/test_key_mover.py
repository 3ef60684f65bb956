"""One algorithm moves keys in every format, and in Blender: the same warp gives the same keys."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import retime
from retime import Recipe, Step, samples
from retime.arrays import FloatArray
from retime.io.fbx.curves import linear_curve
from retime.io.fbx.rekeying import Rekeyer
from retime.io.gltf import samplers
from retime.io.key_mover import Grain, KeyMover, nearest
from retime.io.usd import timing
from retime.timing.graph import Graph

ROOT = Path(__file__).resolve().parents[2]
TICKS = 46_186_158_000
KEYS = np.array([0.0, 0.4, 1.0, 1.1, 1.75, 2.0])
VALUES = np.array([0.0, 1.0, -1.0, 2.0, 0.5, 1.5])
FPS = 24.0
GRAPHS = {
    "slower": ([0, 4], [0, 2]),
    "a hold": ([0, 1, 1.5, 2.5], [0, 1, 1, 2]),
    "a hold between keys": ([0, 0.7, 1.2, 2.5], [0, 0.7, 0.7, 2]),
    "a cut": ([0, 0.5, 0.5, 1.3], [0, 0.5, 1.2, 2]),
    "a cut at a key": ([0, 0.4, 0.4, 1.4], [0, 0.4, 1.0, 2]),
    "backwards": ([0, 2], [2, 0]),
    "backwards, with a hold": ([0, 0.8, 1, 2.2], [2, 1.2, 1.2, 0]),
}


@pytest.fixture(scope="module")
def blender() -> Any:
    """Load the parts of the Blender extension that need no Blender."""
    package = types.ModuleType("retime_for_blender")
    package.__path__ = [str(ROOT / "blender")]
    sys.modules["retime_for_blender"] = package
    names = ("keys", "graphs", "rekey")
    return types.SimpleNamespace(
        **{n: importlib.import_module(f"retime_for_blender.{n}") for n in names}
    )


def in_gltf(graph: Graph) -> FloatArray:
    track = samplers.Sampler(KEYS, VALUES[:, None], None, "LINEAR", False)
    return samplers.rekeyed(track, samplers.key_mover(graph))[0].times


def in_fbx(graph: Graph) -> FloatArray:
    curve = linear_curve(np.round(KEYS * TICKS).astype(np.int64), VALUES)
    ends = (float(graph.x[0]), float(graph.x[-1]))
    return np.asarray(Rekeyer(graph, TICKS, ends).moved(curve, 1e-6).ticks / TICKS)


def in_usd(graph: Graph) -> FloatArray:
    change = np.abs(np.diff(VALUES)) / np.ptp(VALUES)
    codes = Graph(graph.x * FPS, graph.y * FPS)
    return timing.moved(KEYS * FPS, change, timing.key_mover(codes)).output / FPS


@pytest.mark.parametrize("name", GRAPHS)
def test_all_formats_get_the_same_keys(name: str, blender: Any) -> None:
    graph = Graph(*(np.array(side, dtype=float) for side in GRAPHS[name]))
    curve = blender.keys.Keys.made(FPS * KEYS, VALUES)
    in_frames = blender.graphs.Graph(FPS * graph.x, FPS * graph.y)
    made = blender.rekey.rekey(curve, in_frames).co[:, 0] / FPS
    for other in (in_gltf(graph), in_fbx(graph), in_usd(graph)):
        assert len(other) == len(made)
        # What follows a cut comes as late as each format needs to tell it apart.
        after_cut = np.r_[False, np.diff(made) < 2e-3]
        np.testing.assert_allclose(other[~after_cut], made[~after_cut], rtol=0, atol=1e-6)
        np.testing.assert_allclose(other[after_cut], made[after_cut], rtol=0, atol=1e-3)


def test_blender_puts_keys_where_the_evaluated_warp_has_them(blender: Any) -> None:
    clip = samples.walk()
    recipe = Recipe([Step("guided", {"duration": 1.4321, "keytimes": [(0.5, 0.9)]})])
    evaluated = retime.Evaluator().evaluate(retime.Job(source=clip, recipe=recipe))
    graph = evaluated.warp.body
    frames = 1 + FPS * np.linspace(0.1, clip.duration - 0.1, 9)
    warp = blender.graphs.Graph(1 + FPS * graph.x, 1 + FPS * graph.y)
    made = blender.rekey.rekey(blender.keys.Keys.made(frames, np.arange(9.0)), warp).co[:, 0]
    np.testing.assert_allclose(warp.source(made), frames, rtol=0, atol=1e-6)
    np.testing.assert_allclose(evaluated.warp((made - 1) / FPS), (frames - 1) / FPS, atol=1e-6)


@given(st.data())
def test_keys_rise_and_show_what_the_warp_shows(data: st.DataObject) -> None:
    steps = st.floats(0.01, 1.0)
    keys = np.cumsum(data.draw(st.lists(steps, min_size=1, max_size=12)))
    count = data.draw(st.integers(2, 12))
    x = np.cumsum(data.draw(st.lists(steps, min_size=count, max_size=count)))
    y = np.cumsum(data.draw(st.lists(st.floats(0, 1), min_size=count, max_size=count)))
    cut = data.draw(st.integers(0, count - 2))
    if cut:
        x[cut] = x[cut - 1]
    if data.draw(st.booleans()):
        y = -y + y[-1]
    mover = KeyMover(x, y, Grain(ramp=1e-9, same=1e-7, end=1e-6), last=float(x[-1]))
    shown = mover.shown(keys)
    assert (np.diff(shown.output) > 0).all()
    np.testing.assert_allclose(mover.at(shown.output), shown.source, rtol=0, atol=1e-5)
    bent = mover.with_bends(shown, np.full(max(len(shown.output) - 1, 0), 1e-3))
    inside = (mover.x >= bent.output[0]) & (mover.x <= bent.output[-1])
    between = np.interp(mover.x[inside], bent.output, bent.source)
    assert len(bent.output) == 1 or np.abs(between - mover.y[inside]).max(initial=0) <= 1.0001e-3


def test_the_nearest_key_is_told_from_those_that_are_near() -> None:
    at, on = nearest(np.array([0.0, 1.0, 2.0]), np.array([0.4, 1.0, 1.6, 9.0]), 1e-6)
    assert at.tolist() == [0, 1, 2, 2]
    assert on.tolist() == [False, True, False, False]
