"""Boxes, props, animals and figures without legs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import retime
from retime import Contact, Motion, PhysicsModel, Skeleton, quat
from retime.motion.skeleton import EndSite

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"
LENGTH, G = 0.8, 9.81


def _pull(height: float) -> float:
    """Angular acceleration of a rod that tips over its foot, by the sine of its angle."""
    radius = 0.15 * LENGTH
    own = (3 * radius**2 + LENGTH**2) / 12
    return G * height / (own + height**2)


def tipping(frames: int = 121) -> Motion:
    """A box that tips over an edge, as it falls with its centre half way up."""
    pull = _pull(LENGTH / 2)
    times = np.arange(frames) / 120
    found = solve_ivp(
        lambda _, y: [y[1], pull * np.sin(y[0])], (0, times[-1]), [0.15, 0.1],
        t_eval=times, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    angle = found.y[0][found.y[0] < 0.9]
    skeleton = Skeleton(
        ("Box",), np.array([-1]), np.zeros((1, 3)), end_sites=(EndSite(0, (0.0, LENGTH, 0.0)),)
    )
    turns = quat.exp(np.stack([angle, 0 * angle, 0 * angle], axis=1))[:, None]
    return Motion(skeleton, turns, {"Box": np.zeros((len(angle), 3))}, fps=120)


def test_a_tumbling_box_with_a_moved_centre_of_mass() -> None:
    """One timing is plausible for each centre and starting speed (section 3.5)."""
    box = tipping()
    touches = [Contact("Box", 0.0, box.duration)]
    known: dict[str, Any] = {"contacts": touches, "cutoff": 0, "slack": 1e-3, "friction": 2.0}
    plain = PhysicsModel(box, **known)
    same = plain.warp(duration="free", rates=[(0.0, 1.0)])
    assert np.abs(same.rate(same.inverse(plain.times[2:-2])) - 1).max() < 0.02
    angle = 2 * np.arctan2(box.rotations[:, 0, 1], box.rotations[:, 0, 0])
    speed = np.gradient(angle, box.times, edge_order=2)
    for up in (-0.15, 0.2):
        moved = PhysicsModel(box, centre_shift=[("Box", (0.0, up, 0.0))], **known)
        warp = moved.warp(duration="free", rates=[(0.0, 1.0)])
        fall = 2 * _pull(LENGTH / 2 + up) * (np.cos(angle[0]) - np.cos(angle))
        expected = np.sqrt(speed[0] ** 2 + fall) / speed
        found = warp.rate(warp.inverse(box.times))
        assert np.abs(found / expected - 1)[5:-5].max() < 0.03


def thrown() -> Motion:
    """A ball that is carried, thrown, caught and carried on."""
    t = np.arange(241) / 120
    held, start, end = 1.0, 0.6, 1.3
    rise = 0.5 * G * (end - start)
    height = np.where(
        t < start, held, held + rise * (t - start) - 0.5 * G * (t - start) ** 2
    )  # fmt: skip
    height[t > end] = held
    place = np.stack([0.3 * t, height, 0.1 * np.sin(t)], axis=1)
    skeleton = Skeleton(("Ball",), np.array([-1]), np.zeros((1, 3)))
    return Motion(skeleton, np.tile([1.0, 0, 0, 0], (len(t), 1, 1)), {"Ball": place}, fps=120)


def test_a_prop_is_held_but_where_it_flies() -> None:
    model = PhysicsModel(thrown())
    (flight,) = model.flights
    assert flight.start == pytest.approx(0.6, abs=0.1)
    assert flight.end == pytest.approx(1.3, abs=0.1)
    assert flight.gravity == pytest.approx(G, rel=0.05)
    assert not model.flight[:50].any()
    moon = model.changed(gravity="moon").warp(duration="free")
    middle = moon.inverse([0.85, 1.05])
    assert 0.2 / (middle[1] - middle[0]) == pytest.approx(np.sqrt(1.62 / G), rel=0.05)
    short = model.warp(duration=0.7 * model.motion.duration)
    middle = short.inverse([0.85, 1.05])
    assert 0.2 / (middle[1] - middle[0]) == pytest.approx(1.0, rel=0.05)


def test_a_figure_without_legs() -> None:
    skeleton = Skeleton(
        ("Hips", "Spine", "Head"), np.array([-1, 0, 1]),
        np.array([(0, 0, 0), (0, 0.4, 0), (0, 0.3, 0)], float),
    )  # fmt: skip
    t = np.arange(90) / 30
    turns = np.tile([1.0, 0, 0, 0], (90, 3, 1))
    turns[:, 1] = quat.exp(np.stack([0.4 * np.sin(3 * t), 0 * t, 0 * t], axis=1))
    motion = Motion(skeleton, turns, {"Hips": np.c_[0.5 * t, 0.9 + 0 * t, 0 * t]}, fps=30)
    model = PhysicsModel(motion)
    assert model.held.all()
    assert 1 < model.mass < 200
    assert model.warp(duration=2.0).duration == pytest.approx(2.0)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no folder of samples beside the project")
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("khronos_Fox.glb", 5, 60),
        ("RobotExpressive.glb", 30, 120),
        ("khronos_CesiumMan.glb", 15, 90),
    ],
)
def test_animals_and_robots_have_plausible_masses(name: str, least: float, most: float) -> None:
    model = PhysicsModel(retime.read(SAMPLES / name))
    assert least < model.mass < most
    assert f"{model.mass:.1f} kg" in model.notes[0]
    for factor in (0.8, 1.5):
        length = factor * model.motion.duration
        assert model.warp(duration=length).duration == pytest.approx(length)
