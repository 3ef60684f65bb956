"""Feet that slide on the ground from one place to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contact_making import off_path
from retime import Motion, PoseLayer, Recipe, Step, SurfaceKey, detect_contacts, read, samples
from retime.body import find_body
from retime.body.contacts import find_slides
from retime.body.contacts.standing import standing_parts
from retime.body.measure.metrics import plant_drift
from retime.motion.kinematics import positions

MORE = Path(__file__).parents[3] / "shared" / "mocap-more"
WAY, SPEED, FPS = 0.08, 0.25, 120.0


def slid(fps: float = FPS) -> tuple[np.ndarray, np.ndarray]:
    """Return times, and how far something has slid between 1 s and 1.32 s."""
    times = np.arange(0, 2.5, 1 / fps)
    return times, np.clip((times - 1) * SPEED, 0, WAY)


def sliding_figure() -> Motion:
    """Return a standing figure that slides 8 cm to the side."""
    still = samples.swing(fps=FPS)
    _, way = slid()
    root = np.repeat(still.root_translation[:1], len(way), axis=0)
    root[:, 0] += way
    turns = np.repeat(still.rotations[:1], len(way), axis=0)
    return replace(still, rotations=turns, translations={"Hips": root})


def test_contacts_are_where_a_foot_stands() -> None:
    motion = sliding_figure()
    found = detect_contacts(motion, ["toes"])
    assert len(found) == 4
    for first, second in (found[:2], found[2:]):
        assert first.joint == second.joint
        assert first.start == 0
        assert first.end == pytest.approx(1.0, abs=0.05)
        assert second.start == pytest.approx(1 + WAY / SPEED, abs=0.05)
        assert second.end == motion.domain[1]
    assert plant_drift(motion, found).max() < 0.01
    slides = find_slides(motion, found)
    assert [(s.before, s.after) for s in slides] == [found[:2], found[2:]]
    assert all((s.contact.start, s.contact.end) == (s.before.end, s.after.start) for s in slides)


def test_a_foot_slides_as_in_the_source() -> None:
    """An edit moves the pelvis; the feet neither stand where they slid nor slide elsewhere."""
    motion = sliding_figure()
    times = np.linspace(*motion.domain, 9)
    wave = 0.03 * np.sin(np.linspace(0, 2 * np.pi, 9))[:, None]
    shake = PoseLayer(times, translations={"Hips": wave * [1.0, -0.3, 0.5]})
    edit = Step("pose", {"layer": shake})
    toes = [motion.skeleton.index(f"{side}Toe") for side in ("Left", "Right")]
    free, held = (
        positions(Recipe(steps).evaluate(motion))[:, toes] - positions(motion)[:, toes]
        for steps in ([edit], [edit, Step("hold")])
    )
    assert np.abs(free).max() > 0.02
    assert np.abs(held).max() < 0.005  # contacts are held at their means


@pytest.mark.parametrize("fps", [15.0, 30.0, 120.0])
def test_slides_are_left_out_at_any_frame_rate(fps: float) -> None:
    times, way = slid(fps)
    place = np.outer(way, [1.0, 0.0, 0.0])
    middle = int(np.searchsorted(way, WAY / 2))
    found = [(0, middle), (middle + 1, len(times) - 1)]
    (_, end), (start, _) = standing_parts(found, place, times, 0.1)
    assert times[end] == pytest.approx(1.0, abs=0.05 + 1 / fps)
    assert times[start] == pytest.approx(1 + WAY / SPEED, abs=0.05 + 1 / fps)


def test_what_only_slides_does_not_stand() -> None:
    times = np.arange(0, 1, 1 / FPS)
    place = np.outer(0.2 * times, [1.0, 0.0, 0.0])
    assert standing_parts([(0, 59), (60, 119)], place, times, 0.1) == []
    # Contacts with a step between them are not changed.
    apart = [(0, 50), (60, 119)]
    assert standing_parts(apart, place, times, 0.1) == apart


@pytest.mark.skipif(not MORE.is_dir(), reason="the shared motion files are absent")
@pytest.mark.parametrize("name", ["05_10", "104_19", "14_27", "61_01"])
def test_feet_do_not_slide_within_contacts(name: str) -> None:
    """Toes slid 15 to 32 mm within contacts that were a frame apart."""
    motion = read(MORE / f"{name}.bvh")
    feet = find_body(motion).ground_joints()
    found = tuple(c for c in detect_contacts(motion) if c.joint in feet and c.firmness == 1)
    assert len(found) > 10
    held = Recipe([Step("hold")]).evaluate(motion)
    assert plant_drift(held, found).max() < 1e-6
    toes = [motion.skeleton.index(n) for n in feet]
    before, after = (
        np.linalg.norm(np.diff(positions(m)[:, toes], 2, axis=0) * m.rate**2, axis=-1).max()
        for m in (motion, held)
    )
    assert after < before + 20  # they do not jump from one contact to the next, either
    key = SurfaceKey(time=motion.duration / 2, joint="LeftFoot", shift=0.25)
    drag = Recipe([Step("surface", {"keys": [key]})])
    off = off_path(motion, drag.evaluate(motion), drag.warp(motion), found)
    assert max(np.abs(d).max() for d in off) < 1e-3
