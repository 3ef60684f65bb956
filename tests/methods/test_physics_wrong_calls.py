"""Wrong calls, and odd ones: each gets a sentence or a right answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retime import (
    Contact,
    InfeasibleError,
    InputError,
    Motion,
    PhysicsModel,
    Skeleton,
    TimeWarp,
    apply,
    physics,
    samples,
)

NAN, MANY = float("nan"), 1e6
# Parameters of the sample jump, and a part of the sentence; None for a right answer.
WRONG: list[tuple[dict[str, Any], str | None]] = [
    ({"gravity": 0}, "without gravity"),
    ({"gravity": -9.81}, "a size points downwards, so give 9.81"),
    ({"gravity": "-0.5g"}, "give a size as 4.9 or 0.5g"),
    ({"gravity": 1e-5}, "it can be from 0.025 to 156"),
    ({"gravity": MANY}, "it can be from 0.025 to 156"),
    ({"gravity": "1,2"}, "must be a finite size or vector"),
    ({"gravity": "heavy"}, "give a size as 4.9"),
    ({"gravity": "left:"}, "left:9.81"),
    ({"gravity": "sideways:3"}, "left:9.81"),
    ({"gravity": NAN}, "finite"),
    ({"gravity_from": "moon"}, "it can be 'auto'"),
    ({"mass": 0}, "the minimum is 0.001 kg"),
    ({"mass": -70}, "the minimum is 0.001 kg"),
    ({"mass": 1e9}, "the maximum is"),
    ({"mass": NAN}, "finite"),
    ({"mass": "heavy"}, "mass"),
    ({"mass_scale": {"head": 0}}, "must be above 0"),
    ({"mass_scale": {"head": 1e9}}, "at most 1000"),
    ({"mass_scale": {"head": NAN}}, "finite"),
    ({"mass_scale": {"tail": 2}}, "no joint or role"),
    ({"mass_scale": {3: 2.0}}, "mass_scale"),
    ({"mass_scale": "x"}, "mass_scale"),
    ({"load": "0kg@chest"}, "must be above 0"),
    ({"load": [("chest", MANY)]}, "at most 10000"),
    ({"load": "3kg@tail"}, "no joint or role"),
    ({"load": "5kg"}, "write it as 15kg@chest"),
    ({"load": "500kg@hands", "duration": "free"}, None),
    ({"strength": 0.0}, "the minimum is 0.01"),
    ({"strength": NAN}, "finite"),
    ({"friction": 0.0}, None),
    ({"friction": -1}, "friction"),
    ({"friction": "oily"}, "is not a number"),
    ({"friction": None}, "friction"),
    ({"slack": 0}, "slack"),
    ({"slack": "a"}, "slack"),
    ({"torque_limits": -5.0}, "above 0 Nm"),
    ({"torque_limits": {"tail": 5.0}}, "no joint or role"),
    ({"torque_limits": {"left_lower_leg": NAN}}, "finite"),
    ({"torque_limits": "x"}, "write observed"),
    ({"limit_factor": None}, "limit_factor"),
    ({"limit_clips": [3]}, "limit_clips|a clip is"),
    ({"cutoff": -1}, "cutoff"),
    ({"cutoff": MANY}, None),
    ({"acceleration_limit": 0.0}, "the minimum is 0.1"),
    ({"body_data": {"weights": {}}}, "body data has no"),
    ({"body_data": {"masses": {"head": -1}}}, "above 0"),
    ({"body_data": {"masses": {"head": "heavy"}}}, "finite"),
    ({"body_data": {"masses": {3: 1}}}, "body|joint"),
    ({"body_data": {"centres": {"hips": [[1], [2, 3]]}}}, "centres"),
    ({"body_data": "x"}, "body_data"),
    ({"centre_shift": [("tail", (0.0, 0.1, 0.0))]}, "no joint or role"),
    ({"centre_shift": [("chest", (0.0, NAN, 0.0))]}, "finite"),
    ({"contacts": ["x"]}, "Contact"),
    ({"contacts": 3}, "contacts"),
    ({"contacts": [Contact("Tail", 0, 1)]}, "not there"),
    ({"duration": 0.0}, "above 0 s"),
    ({"duration": "-50%"}, "above 0 s"),
    ({"duration": NAN}, "finite"),
    ({"duration": "soon"}, "is not a time"),
    ({"duration": 0.1}, "shorter than the shortest"),
    ({"duration": 0.1, "infeasible": "even"}, "choose 0.542 s at least"),
    ({"duration": 1e9}, "choose 65 s at most"),
    ({"duration": 65.0}, None),
    ({"keytimes": [(1,)]}, "keytimes"),
    ({"keytimes": [(1.0, 99.0)]}, "is not in the clip"),
    ({"keytimes": [(1.0, 1.0), (1.0, 2.0)]}, "does not come after"),
    ({"keytimes": [(1.0, 2.0), (1.5, 1.0)]}, "does not come after"),
    ({"keytimes": [(1.0, 1.0), (1.0000000001, 1.0000000001)]}, "does not come after"),
    ({"keytimes": [(2.5, 1.0)], "duration": 2.0}, "after the end of the result"),
    ({"keytimes": [(1.45, 1.45), (1.5, 1.75)]}, "show 1.75"),
    ({"keytimes": [(1.65, 1.65)]}, None),
    ({"rates": [(1.0, 50.0)]}, "it can be from"),
    ({"rates": [(1.0, 0.0)]}, "it can be from"),
    ({"rates": [(1, "a")]}, "rates"),
    ({"rates": [(99.0, 1.0)]}, "not in the clip"),
    ({"rates": [(1.0, 1.0), (1.0, 2.0)]}, "give one of them"),
    ({"rates": [(1.65, 3.0)], "infeasible": "refuse"}, "the body can have 0.999 to 1 there; use 1"),
    ({"rates": [(1.65, 1.0)], "infeasible": "refuse"}, None),
    ({"joint_speeds": [(1, "hips")]}, "joint_speeds"),
    ({"joint_speeds": [(1.3, "hips", -1.0)]}, "it can be from"),
    ({"range": (5, 99)}, "not a part"),
    ({"range": (2.0, 1.0)}, "ends before it starts"),
    ({"range": (1.0, 1.02)}, "too short to measure"),
    ({"infeasible": "never"}, "it can be 'auto'"),
    ({"fit_flights": "width"}, "it can be 'timing'"),
    ({"objective": "speed"}, "match"),
    ({"objective": (1, 2)}, "objective|another motion"),
    ({"alpha": NAN}, "finite"),
    ({"smoothness": -1.0}, "the minimum is 0"),
]


@pytest.fixture(scope="module")
def jump() -> Motion:
    """Return one motion for all calls, with which its model is kept."""
    return samples.jump()


@pytest.mark.parametrize(("asked", "sentence"), WRONG, ids=lambda v: str(v)[:60])
def test_a_wrong_call_gets_a_sentence_or_a_right_answer(
    jump: Motion, asked: dict[str, Any], sentence: str | None
) -> None:
    if sentence is None:
        warp = physics(jump, **asked).warp
        rates = warp.rate(np.linspace(warp.domain[0] + 1e-6, warp.domain[1] - 1e-6, 50))
        assert np.isfinite(rates).all()
        assert (rates > 0).all()
        return
    with pytest.raises((InputError, InfeasibleError), match=sentence):
        physics(jump, **asked)


def points() -> Motion:
    """Return captured points without bones."""
    names = ("Hips", "LeftFoot", "RightFoot")
    where = {n: np.tile([k, 0.1 * k, 0.0], (60, 1)) for k, n in enumerate(names)}
    skeleton = Skeleton(names, np.full(3, -1), np.zeros((3, 3)))
    return Motion(skeleton, np.tile([1.0, 0, 0, 0], (60, 3, 1)), where, fps=30)


def underwater() -> Motion:
    """Return a figure that drifts upwards without ground."""
    walk = samples.walk()
    (root,) = walk.skeleton.roots
    name = walk.skeleton.names[root]
    track = walk.translations[name] + np.linspace(0, 4, len(walk))[:, None] * [0, 1, 0]
    return replace(walk, translations={name: track})


def doubled() -> Motion:
    """Return a jump at 60 frames per second that is labelled 120."""
    start, end = samples.jump().domain
    return apply(samples.jump(), TimeWarp([start, end / 2], [start, end]))


ODD: dict[str, tuple[Callable[[], Motion], str]] = {
    "two frames": (lambda: apply(samples.jump(), TimeWarp.identity(0, 1 / 60)), "too short"),
    "without feet": (lambda: samples.chain(), "held by its root"),
    "underwater": (underwater, "it is assumed to be held|held by its root"),
    "half the frame rate": (doubled, "2 times the true one"),
    "points": (points, "physics needs a skeleton|held by its root"),
}


@pytest.mark.parametrize("case", ODD)
def test_an_odd_clip_gets_a_sentence_or_a_note(case: str) -> None:
    make, sentence = ODD[case]
    motion = make()
    try:
        told = " ".join(map(str, PhysicsModel(motion).warp(duration="free").notes))
    except InputError as error:
        told = str(error)
    assert any(words in told for words in sentence.split("|"))
