"""Recipe files and what steps refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import (
    FormatError,
    InputError,
    PoseLayer,
    Recipe,
    Step,
    TimeWarp,
    read_recipe,
    samples,
    write,
    write_recipe,
)
from retime.methods.spline import SplineParameters
from retime.recipe.json import from_document, to_document

HEAD = {"format": "retime-recipe", "version": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("splin",), "did you mean 'spline'"),
        (("spline", {"durration": 1}), "spline: no parameter named 'durration'"),
        (("spline", {"duration": "long"}), "spline: duration: 'long' is not a time"),
        (("spline", {}, 1.5), "spline: the weight is 1.5; it must be between 0 and 1"),
        (("spline", {}, float("nan")), "the weight is nan"),
        (("warp", {}), "warp: missing parameter 'warp'"),
        (("pose", {"layer": 3}), "pose: layer is 3"),
    ],
)
def test_bad_steps_get_a_sentence(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Step(*arguments)


def test_a_step_takes_its_methods_dataclass() -> None:
    given = SplineParameters(duration=2.0, keytimes=((1.0, 0.5),))
    assert Step("spline", given).parameters == given


def test_defaults_are_left_out_of_the_file() -> None:
    document = to_document(Recipe([Step("spline", {"duration": 2})]))
    assert document == {**HEAD, "steps": [{"method": "spline", "parameters": {"duration": 2.0}}]}


def test_a_recipe_file_holds_warps_and_layers_inline(tmp_path: Path) -> None:
    layer = PoseLayer(np.array([0.0, 1.0]), {"Link2": np.array([[0, 0, 0.1], [0, 0, 0.7]])})
    recipe = Recipe(
        [
            Step("pose", {"layer": layer}, weight=0.5, label="bend"),
            Step("warp", {"warp": TimeWarp([0, 3], [0, 2], channels={"Link1": ([0, 3], [0, 1])})}),
            Step("spline", {"keytimes": [(1.0, 1.1)]}, mute=True),
        ],
        {"name": "chain.bvh", "sha256": "00"},
    )
    write_recipe(recipe, tmp_path / "recipe.json")
    back = read_recipe(tmp_path / "recipe.json")
    assert to_document(back) == to_document(recipe)
    one, other = (r.evaluate(samples.chain()) for r in (recipe, back))
    assert one.rotations.tobytes() == other.rotations.tobytes()


def test_what_json_cannot_hold_works_in_python_only(tmp_path: Path) -> None:
    recipe = Recipe([Step("spline")])
    object.__setattr__(recipe.steps[0].parameters, "duration", print)
    with pytest.raises(InputError, match="works in Python only"):
        write_recipe(recipe, tmp_path / "recipe.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ([], '"format": "retime-recipe" is missing'),
        ({"format": "retime-warp"}, '"format": "retime-recipe" is missing'),
        ({**HEAD, "version": 3, "steps": []}, "version 3, and this retime reads version 2"),
        ({**HEAD}, 'needs "steps"'),
        ({**HEAD, "steps": [{"method": "spline"}, 3]}, 'step 2: it needs a "method"'),
        ({**HEAD, "steps": [{"method": "nope"}]}, "step 1: no method named 'nope'"),
        ({**HEAD, "steps": [{"method": "spline", "wieght": 1}]}, "step 1: a step has no 'wieght'"),
        ({**HEAD, "steps": [{"method": "spline", "weight": "1"}]}, "the weight is '1'"),
        ({**HEAD, "steps": [{"method": "spline", "weight": True}]}, "the weight is True"),
        ({**HEAD, "steps": [{"method": "spline", "mute": 1}]}, "mute is 1; it is true or false"),
        ({**HEAD, "steps": [{"method": "spline", "parameters": []}]}, '"parameters" must be'),
        ({**HEAD, "steps": [{"method": "pose", "parameters": {"layer": {}}}]}, 'needs "times"'),
        ({**HEAD, "steps": [{"method": "warp", "parameters": {"warp": 1}}]}, "step 1: not a warp"),
        ({**HEAD, "steps": [], "input": 3}, '"input" must be an object'),
        (
            {**HEAD, "steps": [{"method": "pose", "parameters": {"layer": {
                "times": [0], "rotations": 5}}}]},
            "step 1: ",
        ),
        (
            {**HEAD, "steps": [{"method": "pose", "parameters": {"layer": {
                "times": [0], "rotations": {"Link1": [[0, 0, "x"]]}}}}]},
            "rotations of 'Link1' must be numbers",
        ),
    ],
)  # fmt: skip
def test_bad_recipes_get_a_sentence(document: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        from_document(document)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"format": "retime-recipe",\n "version": }')
    with pytest.raises(FormatError, match=r"broken\.json:2: not valid JSON"):
        read_recipe(path)
    path.write_text('{"format": "retime-recipe", "version": 2}')
    with pytest.raises(FormatError, match=r'broken\.json: a recipe needs "steps"'):
        read_recipe(path)


def test_progress_is_told_and_may_cancel() -> None:
    told: list[tuple[int, int, str]] = []
    steps = [Step("spline"), Step("spline", mute=True), Step("spline", {"duration": 1.0})]
    Recipe(steps).evaluate(samples.chain(), progress=lambda *now: told.append(now))
    assert told == [(0, 2, "spline"), (1, 2, "spline")]

    def cancel(step: int, count: int, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Recipe(steps).evaluate(samples.chain(), progress=cancel)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"times": []}, "must be finite and rise"),
        ({"times": [1.0, 1.0]}, "must be finite and rise"),
        ({"times": [0.0], "rotations": {"A": [[1, 2]]}}, r"rotations of 'A' has shape \(1, 2\)"),
        ({"times": [0.0], "scales": {"A": [[1, 2, np.nan]]}}, "scales of 'A' must be finite"),
    ],
)
def test_bad_layers_get_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        PoseLayer(**values)


def test_a_layer_makes_no_cycle_of_what_is_none() -> None:
    step = Step("stagger", {"loop": True, "exaggerate": 0.3})
    with pytest.raises(InputError, match="not a cycle"):
        Recipe([step]).solve(samples.swing())
    Recipe([step]).solve(samples.walk())


def test_smoothing_follows_each_joint_s_own_rate() -> None:
    walk = samples.walk()
    name = walk.skeleton.names[3]
    track = np.random.default_rng(1).normal(size=(len(walk), 3))
    moved = replace(walk, translations={**walk.translations, name: track})
    end = walk.duration
    fast = ([0, end / 2, end], [0, end, end])  # this joint alone plays at double speed
    warp = TimeWarp([0, end], [0, end], channels={name: fast})
    plain = Recipe([Step("warp", {"warp": warp})]).evaluate(moved)
    smooth = Recipe([Step("warp", {"warp": warp}), Step("smooth")]).evaluate(moved)
    half = len(plain) // 2
    change = np.abs(smooth.translations[name] - plain.translations[name]).max(axis=1)
    assert change[2 : half - 2].max() > 0.1
    assert change[half + 2 :].max() < 1e-12


def test_paths_lead_from_the_recipe_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    other = samples.sample("punches-slow").motion
    write(other, folder / "other.bvh")
    (folder / "a.json").write_text(
        json.dumps(
            {**HEAD, "steps": [{"method": "align", "parameters": {"reference": "other.bvh"}}]}
        )
    )
    monkeypatch.chdir(tmp_path)
    recipe = read_recipe("recipes/a.json")
    made = recipe.evaluate(samples.punches())
    assert made.duration == pytest.approx(other.duration, abs=0.02)


def test_what_is_no_step_no_warp_and_no_keytime_gets_a_sentence() -> None:
    jump = samples.jump()
    with pytest.raises(InputError, match="made of steps"):
        Recipe([3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="read_warp reads one"):
        retime.apply(jump, "slow.json")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="keytimes"):
        retime.spline(jump, keytimes=[(1, 2, 3)])  # type: ignore[list-item]
    with pytest.raises(InputError, match="the maximum is 1"):
        retime.guided(jump, duration=2, influence=3)
    with pytest.raises(InputError, match="duration"):
        retime.guided(jump, duration="slow")  # type: ignore[arg-type]


def test_contacts_given_at_the_head_of_a_recipe_are_those_of_later_steps() -> None:
    from retime.motion.contact import Contact

    known = [Contact("LeftToe", 0.5, 1.0)]
    steps = [
        Step("hold", {"contacts": known}),
        Step("spline", {"duration": 8.8}),
        Step("stagger", {}),
    ]
    found = Recipe(steps).solve_steps(samples.walk())
    (carried,) = found[2].step.parameters.contacts
    assert (carried.joint, carried.start, carried.end) == ("LeftToe", 1.0, 2.0)
    own = Step("stagger", {"contacts": [Contact("RightToe", 0.1, 0.2)]})
    kept = Recipe([*steps[:2], own]).solve_steps(samples.walk())[2].step.parameters.contacts
    assert [c.joint for c in kept] == ["RightToe"]
