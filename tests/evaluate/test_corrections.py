"""Jobs that move keys in time alone: what is left out is said."""

from __future__ import annotations

from retime import Evaluator, Job, Recipe, Step, SurfaceKey, quat, samples


def test_what_moves_in_time_alone_says_so_and_claims_no_arrival() -> None:
    clip = samples.punches()
    key = SurfaceKey(time=1.2, joint="RightHand", shift=-0.2)
    recipe = Recipe([Step("surface", {"keys": [key]})])
    led = Evaluator().evaluate(Job(source=clip, recipe=recipe))
    plain = Evaluator().evaluate(Job(source=clip, recipe=recipe, corrections=False))
    assert any("arrives" in n for n in led.notes)
    assert not any("from the requested pose" in n for n in plain.notes)
    assert any("keys only move in time" in n for n in plain.notes)
    assert quat.angle(led.motion.rotations, plain.motion.rotations).max() > 0.01


def test_changes_of_pose_keep_their_corrections() -> None:
    clip = samples.jump()
    recipe = Recipe([Step("stagger", {"exaggerate": 0.3})])
    one, other = (
        Evaluator().evaluate(Job(source=clip, recipe=recipe, corrections=c)) for c in (True, False)
    )
    assert quat.angle(one.motion.rotations, other.motion.rotations).max() == 0
