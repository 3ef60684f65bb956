"""Where the joints are, by hand-made motions whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motion_making import in_body_frame
from retime import EndSite, InputError, Motion, Skeleton, Units, positions, quat, samples
from retime.motion.kinematics import (
    body_frame,
    global_rotations,
    global_transforms,
    ground_height,
    height,
    infer_units,
    joint_speeds,
)


def arm(turns: list[float], **options: object) -> Motion:
    """Two bones of 1 m along X, the first turned about Z by the turn of each frame."""
    skeleton = Skeleton(
        ("Upper", "Lower"),
        np.array([-1, 0]),
        np.array([[0.0, 0, 0], [1.0, 0, 0]]),
        end_sites=(EndSite(1, (1.0, 0.0, 0.0)),),
    )
    rotations = quat.identity(len(turns), 2)
    rotations[:, 0] = quat.from_axis_angle([0, 0, 1], np.array(turns))
    motion = Motion(skeleton, rotations, {"Upper": np.zeros((len(turns), 3))}, fps=10.0)
    return replace(motion, **options)  # type: ignore[arg-type]


def test_bones_turn_with_their_parents() -> None:
    points = positions(arm([0.0, np.pi / 2]), end_sites=True)
    np.testing.assert_allclose(points[0], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(points[1], [[0, 0, 0], [0, 1, 0], [0, 2, 0]], atol=1e-12)


def test_units_and_up_axis_count() -> None:
    tall = arm([np.pi / 2], units=Units(0.01, "Z"))
    # Z up becomes Y up: what was +Y points away, to -Z.
    np.testing.assert_allclose(positions(tall)[0, 1], [0, 0, -0.01], atol=1e-12)
    turned = quat.rotate(global_rotations(tall)[0, 0], [1.0, 0, 0])
    np.testing.assert_allclose(turned, [0, 0, -1], atol=1e-12)


def test_scales_and_translation_tracks_reach_the_children() -> None:
    motion = arm([0.0, 0.0])
    scaled = replace(motion, scales={"Upper": np.array([[1.0, 1, 1], [3.0, 1, 1]])})
    np.testing.assert_allclose(positions(scaled)[:, 1, 0], [1, 3])
    moved = dict(motion.translations) | {"Lower": np.array([[1.0, 0, 0], [1.0, 5, 0]])}
    np.testing.assert_allclose(positions(replace(motion, translations=moved))[1, 1], [1, 5, 0])


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_global_rotations_turn_as_the_global_transforms_do(up: str) -> None:
    motion = replace(samples.jump(fps=10), units=Units(up=up))  # type: ignore[arg-type]
    turn = np.eye(3) if up == "Y" else np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    expected = turn @ global_transforms(motion)[1]
    axes = np.eye(3)[:, None, None]
    turned = np.stack([quat.rotate(global_rotations(motion), a) for a in axes], axis=-1)
    np.testing.assert_allclose(turned, expected, atol=1e-12)


def test_speeds_of_a_steady_turn() -> None:
    speeds = joint_speeds(arm(list(np.linspace(0, 0.5, 6))))
    assert speeds[1:-1, 1] == pytest.approx(1.0, rel=0.01)
    assert (speeds[:, 0] == 0).all()
    assert joint_speeds(arm([0.0])).tolist() == [[0.0, 0.0]]


def test_the_body_frame_takes_out_place_and_heading_and_keeps_height() -> None:
    jump = samples.jump()
    seen = in_body_frame(jump, positions(jump))
    turn = quat.from_axis_angle([0, 1, 0], 1.3)
    rotations = jump.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    away = quat.rotate(turn, jump.root_translation) + np.array([4.0, 0.0, -2.0])
    elsewhere = replace(jump, rotations=rotations, translations={"Hips": away})
    np.testing.assert_allclose(in_body_frame(elsewhere, positions(elsewhere)), seen, atol=1e-9)
    origin, heading = body_frame(elsewhere)
    assert (origin[:, 1] == 0).all()
    assert heading[0] == pytest.approx(1.3)
    np.testing.assert_allclose(seen[..., 1], positions(jump)[..., 1], atol=1e-12)


def test_a_heading_keeps_count_of_turns() -> None:
    spin = arm([0.0] * 25)
    rotations = spin.rotations.copy()
    rotations[:, 0] = quat.from_axis_angle([0, 1, 0], np.linspace(0, 4 * np.pi, 25))
    _, heading = body_frame(replace(spin, rotations=rotations))
    assert heading[-1] == pytest.approx(4 * np.pi)


@pytest.mark.parametrize(
    ("size", "name"),
    [(1.0, "metres"), (100.0, "centimetres"), (1 / 0.0254, "inches"), (1000.0, "millimetres")],
)
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_units_and_up_axis_are_found(size: float, name: str, up: str) -> None:
    walk = samples.walk()
    turn = quat.from_axis_angle([1, 0, 0], np.pi / 2) if up == "Z" else quat.identity(1)[0]
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    file = replace(
        walk,
        skeleton=replace(walk.skeleton, offsets=size * walk.skeleton.offsets),
        rotations=rotations,
        translations={"Hips": size * quat.rotate(turn, walk.root_translation)},
    )
    units, notes = infer_units(file)
    assert units.metres == pytest.approx(1 / size)
    assert units.up == up
    assert name in notes[0]
    codes = [getattr(n, "code", "") for n in notes[1:]]
    assert codes == ([] if up == "Y" else ["up-axis-inferred", "up-axis-doubtful"])
    given, silent = infer_units(file, scale=0.5, up="Y")
    assert (given.metres, given.up, given.how, silent) == (0.5, "Y", "declared", ())


@pytest.mark.parametrize("turned", ["lies", "hangs"])
def test_a_figure_that_lies_is_not_stood_up(turned: str) -> None:
    """Stretched along Z as a standing one, but its feet are never still, or it is head down."""
    walk = samples.walk()
    turn = quat.from_axis_angle([1, 0, 0], np.pi / 2 if turned == "lies" else -np.pi / 2)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    place = walk.root_translation * [0, 0 if turned == "lies" else -1, 0]
    still = {"Hips": quat.rotate(turn, place if turned == "lies" else walk.root_translation)}
    units, notes = infer_units(replace(walk, rotations=rotations, translations=still))
    assert units.up == "Y"
    (doubt,) = (n for n in notes if getattr(n, "code", "") == "up-axis-doubtful")
    assert "if Z is up, say so" in str(doubt)


def test_what_is_no_person_is_assumed_and_said() -> None:
    units, notes = infer_units(arm([0.0]), person=False)
    assert (units.metres, units.how) == (1.0, "assumed")
    assert "give the scale" in notes[0]
    assert height(samples.walk().skeleton) == pytest.approx(1.6, abs=0.15)


def test_the_floor_of_nothing_is_an_error() -> None:
    assert ground_height(positions(samples.walk())) == pytest.approx(0.0, abs=0.04)
    with pytest.raises(InputError, match="no frames"):
        ground_height(np.zeros((0, 3, 3)))


def test_what_carries_the_body_does_not_lay_it_down() -> None:
    """A node on the ground above the body, turned from Z up, must not lay the figure down."""
    walk = samples.walk(fps=10)
    names = ("Z_UP", *walk.skeleton.names)
    turn = quat.from_axis_angle([1, 0, 0], -np.pi / 2)
    back = quat.conjugate(turn)
    rotations = np.concatenate([np.tile(turn, (len(walk), 1, 1)), walk.rotations], axis=1)
    rotations[:, 1] = quat.multiply(back, rotations[:, 1])
    places = {"Z_UP": np.zeros((len(walk), 3))}
    places |= {n: quat.rotate(back, t) for n, t in walk.translations.items()}
    skeleton = Skeleton(
        names,
        np.concatenate([[-1], walk.skeleton.parents + 1]),
        np.concatenate([np.zeros((1, 3)), walk.skeleton.offsets]),
    )
    again = Motion(skeleton, rotations, places, fps=10, units=Units(how="unknown"))
    again = replace(again, units=infer_units(again)[0])
    assert again.units.up == "Y"
    np.testing.assert_allclose(positions(again)[:, 1:], positions(walk), atol=1e-4)
