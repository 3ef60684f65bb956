"""What is shown of a thing in a notebook or a traceback is one line."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import retime
from retime import live, samples
from retime.evaluate import evaluate_group
from retime.recipe import Recipe, Step

JUMP = samples.jump()
WARP = retime.spline(JUMP, duration=2.0, keytimes=[(1.0, 1.5)]).warp
RECIPE = Recipe([Step("spline", {"duration": "80%"}), Step("align", {"reference": JUMP})])


REFINED = {"pose": 1, "refinements": {f"joint {k}": 0.1 for k in range(999)}}


def made() -> dict[str, Any]:
    """An instance of every public type that is no error."""
    done = retime.Evaluator().evaluate(retime.Job(source=JUMP, recipe=Recipe(RECIPE.steps[:1])))
    layer = retime.PoseLayer(np.array([0.0, 0.5, 1.0]), {"Head": np.zeros((3, 3))})
    recording = live.record(JUMP)
    table = [[1.0] * 50] * 50
    pair = {"one": JUMP, "other": JUMP}
    group, together = retime.group(pair), retime.GroupRecipe({"one": RECIPE})
    job = retime.GroupJob(
        members={name: retime.Job(source=motion) for name, motion in pair.items()}, recipe=together
    )
    grouped = evaluate_group(retime.Evaluator(), job)
    found = [
        JUMP, WARP, RECIPE, RECIPE.steps[1], done, done.solved[0], layer, recording,
        retime.find_body(JUMP), JUMP.skeleton, JUMP.skeleton.end_sites[0], JUMP.units,
        retime.Pose(JUMP.rotations[0], {}), retime.fit_bezier(WARP), retime.Evaluator(),
        retime.Job(source=JUMP, recipe=RECIPE), retime.Contact("LeftFoot", 0.0, 1.0),
        retime.StaggeredPoses.from_motion(JUMP), retime.PoseEdit("refine", REFINED),
        retime.ControlPoint(0.1, "Head"), retime.SurfaceKey(time=1.0, joint="Head", shape=table),
        retime.ControlSurfaces(JUMP, [retime.SurfaceKey(time=1.0, joint="Head", shift=0.1)]),
        retime.PhysicsModel(JUMP), live.find_alignment(JUMP, JUMP), live.BayesAligner(recording),
        group, retime.Shared(0.5, 1.0, ("one", "other")), retime.Link("one", 0.5, "other", 1.0),
        retime.Touch(0.5, 1.0, "LeftHand", "Chest", True, True, 0.01), together, grouped, job,
        next(retime.vary(JUMP, 1)), retime.lengths(JUMP), retime.spline(JUMP, duration=2.0),
        live.PredictiveAligner(recording), WARP.body, done.solved[0].edit, samples.sample("jump"),
    ]  # fmt: skip
    return {type(one).__name__: one for one in found}


MADE = made()


@pytest.mark.parametrize("name", MADE)
def test_a_representation_is_one_short_line(name: str) -> None:
    text = repr(MADE[name])
    assert "\n" not in text
    assert len(text) < 250, text[:300]
    assert name in text


def test_every_public_type_is_looked_at() -> None:
    public = {
        n for n in retime.__all__
        if inspect.isclass(getattr(retime, n)) and not issubclass(getattr(retime, n), BaseException)
    }  # fmt: skip
    assert public <= set(MADE)


def test_they_say_what_matters() -> None:
    assert repr(JUMP) == "Motion(196 frames at 60 fps, 3.25 s, 31 joints)".replace(
        "31", str(len(JUMP.skeleton))
    )
    assert repr(WARP).startswith("TimeWarp(output 0 to 2 s, source 0 to 3.25 s, ")
    assert repr(RECIPE) == "Recipe(spline, align)"
    assert repr(RECIPE.steps[0]) == "Step('spline', duration='80%')"
