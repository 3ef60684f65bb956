"""Results do not depend on how a motion is stored: rounding, units, axes, names, order, start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from motion_making import (
    in_units,
    mirrored,
    other_side,
    renamed,
    reordered,
    turned,
    under_a_node,
    with_rounding,
    with_z_up,
)
from retime import (
    Motion,
    Recipe,
    StaggeredPoses,
    Step,
    SurfaceKey,
    TimeWarp,
    apply,
    find_accents,
    guided,
    positions,
    quat,
    samples,
)
from retime.arrays import FloatArray
from retime.body.contacts import find_contacts
from retime.live import find_alignment
from retime.methods.music.accents import SINGLE

YAW, WAY = 2.1, np.array([3.0, 0.0, -7.0])


@dataclass(frozen=True)
class Stored:
    """The same motion, stored otherwise, and the way back to the original's positions and times."""

    store: Callable[[Motion], Motion]
    back: Callable[[FloatArray], FloatArray] = lambda points: points
    start: float = 0.0
    name: Callable[[str], str] = str


def _away(motion: Motion) -> Motion:
    return turned(motion, quat.from_axis_angle([0.0, 1.0, 0.0], YAW), WAY)


def _home(points: FloatArray) -> FloatArray:
    return quat.rotate(quat.from_axis_angle([0.0, 1.0, 0.0], -YAW), points - WAY)


STORED = {
    "rounding": Stored(with_rounding),
    "centimetres": Stored(lambda m: in_units(m, 0.01)),
    "Z up": Stored(with_z_up),
    "elsewhere": Stored(_away, back=_home),
    "later": Stored(lambda m: replace(m, start=m.start + 100.0), start=100.0),
}


@pytest.mark.parametrize("how", STORED)
@pytest.mark.parametrize("name", ["jump", "punches", "walk"])
def test_accents(name: str, how: str) -> None:
    motion, stored = samples.sample(name).motion, STORED[how]
    for kind in (*SINGLE, "mixed"):
        wanted, found = find_accents(motion, kind), find_accents(stored.store(motion), kind)
        assert len(wanted) == len(found), kind
        np.testing.assert_allclose(found.times - stored.start, wanted.times, atol=1e-5)
        np.testing.assert_allclose(found.weights, wanted.weights, atol=1e-5)


def held(motion: Motion, middle: float) -> Motion:
    """A clip that holds its first pose, one inside and its last, as edited clips do."""
    start, end = motion.domain
    source = [start, start, middle, middle, end, end]
    return apply(
        motion,
        TimeWarp(start + np.cumsum([0, 0.5, middle - start, 0.7, end - middle, 0.8]), source),
    )


@pytest.mark.parametrize("how", STORED)
@pytest.mark.parametrize("name", ["walk", "run"])
def test_held_poses(name: str, how: str) -> None:
    motion, stored = held(samples.sample(name).motion, 1.3), STORED[how]
    again = stored.store(motion)
    wanted, found = find_contacts(motion).contacts, find_contacts(again).contacts
    assert [c.point for c in found] == [c.point for c in wanted]
    for side in ("start", "end"):
        moments = [[getattr(c, side) for c in contacts] for contacts in (found, wanted)]
        np.testing.assert_allclose(moments[0], np.add(moments[1], stored.start), atol=1e-6)
    for kind in SINGLE:
        accents = find_accents(motion, kind), find_accents(again, kind)
        np.testing.assert_allclose(accents[1].times - stored.start, accents[0].times, atol=1e-5)


@pytest.mark.parametrize("how", STORED)
def test_held_poses_of_aligned_takes(how: str) -> None:
    reference, stored = samples.walk(), STORED[how]
    motion = held(samples.run(), 1.3)
    wanted = find_alignment(motion, reference).warp
    found = find_alignment(stored.store(motion), reference).warp
    times = np.linspace(*wanted.domain, 300)
    np.testing.assert_allclose(found(times) - stored.start, wanted(times), atol=1e-5)


@pytest.mark.parametrize("how", STORED)
def test_a_held_crouch(how: str) -> None:
    stored, jump = STORED[how], samples.jump()
    crouch = float(jump.times[positions(jump)[:, 0, 1].argmin()])
    motion = held(jump, crouch)
    recipe = Recipe([Step("stagger", {"exaggerate": 0.4, "keep_gravity": True})])
    assert recipe.warp(stored.store(motion)).duration == pytest.approx(
        recipe.warp(motion).duration, abs=1e-5
    )


@pytest.mark.parametrize("how", STORED)
def test_guided_warps_of_half_frames(how: str) -> None:
    motion, stored = samples.jump(), STORED[how]
    assert len(motion) % 2 == 0  # half a frame remains at half the rate
    wanted, found = (guided(m, duration=2.0).warp for m in (motion, stored.store(motion)))
    assert len(found.output) == len(wanted.output)
    times = np.linspace(*wanted.domain, 300)
    np.testing.assert_allclose(found(times + stored.start) - stored.start, wanted(times), atol=1e-6)


@pytest.mark.parametrize("start", [0.0, 1 / 3, 100.0, 3601.7])
def test_a_clip_has_as_many_frames_wherever_it_starts(start: float) -> None:
    for frames in range(20, 40):
        motion = replace(samples.run()[:frames], start=start)
        assert len(motion.resample(30.0)) == len(replace(motion, start=0.0).resample(30.0))


@pytest.mark.parametrize("how", [*STORED, "node", "turned node"])
@pytest.mark.parametrize("name", ["jump", "walk", "run"])
def test_key_poses(name: str, how: str) -> None:
    """Also below a node that an exporter added: the path of the hips counts."""
    nodes = {
        "node": Stored(under_a_node),
        "turned node": Stored(
            lambda m: under_a_node(m, quat.from_axis_angle([0.0, 1.0, 0.0], 1.0))
        ),
    }
    motion, stored = samples.sample(name).motion, (STORED | nodes)[how]
    wanted, found = (StaggeredPoses.from_motion(m) for m in (motion, stored.store(motion)))
    assert len(found) == len(wanted)
    np.testing.assert_allclose(found.times - stored.start, wanted.times, atol=1e-6)


# Other names and other orders of the same joints.
JOINTS = {
    "mirrored": Stored(mirrored, back=lambda points: points * [-1.0, 1.0, 1.0], name=other_side),
    "reordered": Stored(reordered),
    "prefix": Stored(lambda m: renamed(m, "mixamorig:"), name=lambda name: f"mixamorig:{name}"),
    "node": Stored(under_a_node),
    "signs": Stored(lambda m: replace(m, rotations=-m.rotations)),
}
Options = Callable[[Callable[[float], float], Callable[[str], str]], dict[str, Any]]
# Each method with options that depend on times of the clip and names of joints.
METHODS: dict[str, tuple[str, Options]] = {
    "guided": ("guided", lambda at, name: {"duration": 2.0}),
    "physics": ("physics", lambda at, name: {"duration": 3.5}),
    "exaggerate": ("stagger", lambda at, name: {"exaggerate": 0.4}),
    "travel": ("stagger", lambda at, name: {"travel": 0.4}),
    "succession": (
        "stagger", lambda at, name: {"succession": [(name("RightArm"), 0.05, 1.5)]},
    ),
    "surface": (
        "surface",
        lambda at, name: {
            "keys": [SurfaceKey(time=at(1.4), shift=0.15, joint=name("RightHand"))]
        },
    ),
    "sync": ("sync", lambda at, name: {"bpm": 100.0, "accents": "mixed"}),
    "secondary": ("secondary", lambda at, name: {}),
}  # fmt: skip


@pytest.mark.parametrize("how", [*STORED, *JOINTS])
@pytest.mark.parametrize("what", METHODS)
def test_delivered_motions(what: str, how: str) -> None:
    """Positions agree to a tenth of a millimetre: legs that are straight amplify rounding."""
    motion, stored = samples.jump(), (STORED | JOINTS)[how]
    method, options = METHODS[what]
    wanted = Recipe([Step(method, options(float, str))]).evaluate(motion)
    recipe = Recipe([Step(method, options(lambda t: t + stored.start, stored.name))])
    found = recipe.evaluate(stored.store(motion))
    joints = [found.skeleton.index(stored.name(n)) for n in wanted.skeleton.names]
    assert len(found) == len(wanted)
    np.testing.assert_allclose(found.times - stored.start, wanted.times, atol=1e-9)
    np.testing.assert_allclose(
        stored.back(positions(found))[:, joints], positions(wanted), atol=1e-4
    )
