"""Loads, gravity, strength and ground as people say them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import InputError, PhysicsModel, samples
from retime.methods.physics import PhysicsParameters
from retime.methods.physics.sayings import parse_load, parse_share
from retime.parameters import build


@pytest.fixture(scope="module")
def walk() -> PhysicsModel:
    return PhysicsModel(samples.walk())


@pytest.mark.parametrize(
    ("said", "load"),
    [
        ("15kg@chest", ("chest", 15.0)),
        ("15 @ backpack", ("backpack", 15.0)),
        ("10lb@hands", ("hands", 10 * 0.45359237)),
        ("LeftHand=2", ("LeftHand", 2.0)),
    ],
)
def test_loads(said: str, load: tuple[str, float]) -> None:
    assert parse_load(said) == load
    assert build(PhysicsParameters, {"load": said}).load == (load,)
    assert build(PhysicsParameters, {"load": [list(load)]}).load == (load,)


@pytest.mark.parametrize("said", ["15kg", "heavy@chest", "chest", "1.2.3kg@chest"])
def test_loads_that_are_none(said: str) -> None:
    with pytest.raises(InputError, match="load"):
        build(PhysicsParameters, {"load": said})


def test_words_stand_for_values() -> None:
    said = {"gravity": "moon", "friction": "ice", "strength": "70%"}
    p = build(PhysicsParameters, said)
    assert (p.gravity, p.friction, p.strength) == (1.62, 0.1, 0.7)
    assert parse_share("150 %") == 1.5
    with pytest.raises(InputError, match="70%"):
        build(PhysicsParameters, {"strength": "weak"})
    with pytest.raises(InputError, match="friction"):
        build(PhysicsParameters, {"friction": "mud"})


def test_gravity_in_shares_of_the_earths(walk: PhysicsModel) -> None:
    assert np.allclose(walk.changed(gravity="0.5g").gravity, [0, -4.905, 0])
    assert np.allclose(walk.changed(gravity="mars").gravity, [0, -3.71, 0])


def test_a_load_weighs_and_lies_where_it_is_said(walk: PhysicsModel) -> None:
    loaded = walk.changed(load="15kg@backpack")
    assert loaded.mass == pytest.approx(walk.mass + 15)
    dynamics = walk._measured.dynamics

    def needed(model: PhysicsModel) -> Any:
        return dynamics.torques(model.gravity, model._scale, model.added).gravity

    assert np.allclose(needed(loaded)[:, 1] - needed(walk)[:, 1], 15 * 9.81)
    # Behind the body: its weight turns it backwards, as one on the chest does not.
    chest = walk.changed(load=[("chest", 15.0)])
    lean = np.abs(needed(loaded) - needed(chest))[:, 3].mean()
    assert lean == pytest.approx(15 * 9.81 * 0.15, rel=0.1)
    hands = walk.changed(load=[("hands", 4.0)])
    assert [a.solid.mass for a in hands.added] == [2.0, 2.0]
    with pytest.raises(InputError, match="no joint or role"):
        walk.changed(load="3kg@tail")


def test_a_load_slows_a_walk_of_free_length(walk: PhysicsModel) -> None:
    loaded = walk.changed(load="25kg@backpack").warp(duration="free")
    assert loaded.duration > 1.02 * walk.motion.duration


def test_less_strength_takes_more_time(walk: PhysicsModel) -> None:
    least = [walk.changed(strength=s).minimum_duration() for s in (1.5, 1.0, 0.7)]
    assert least[0] < least[1] < least[2]  # type: ignore[operator]
    weak = walk.changed(strength=0.4)
    assert any("torque of" in v.cause for v in weak.explain().violations)


def test_a_person_weighs_by_height(walk: PhysicsModel) -> None:
    from retime.body.model.size import standing_height

    tall = standing_height(samples.walk())
    assert walk.mass == pytest.approx(17.3 * tall**2.5, rel=1e-6)
    assert 55 < walk.mass < 75


def test_the_command_and_its_line(run: Any, tmp_path: Path) -> None:
    from retime.recipe.json import read_recipe
    from retime.studio.lines import line_of

    jump, out = str(tmp_path / "jump.bvh"), str(tmp_path / "out.bvh")
    recipe = str(tmp_path / "r.json")
    retime.write(samples.jump(), jump)
    status, text, _ = run(
        "physics", jump, out, "--duration", "free", "--gravity", "moon", "--load", "15kg@backpack",
        "--load", "4kg@hands", "--strength", "80%", "--friction", "wet", "--recipe", recipe,
        "--json",
    )  # fmt: skip
    assert status == 0
    assert json.loads(text)["duration_s"] > samples.jump().duration
    (step,) = read_recipe(recipe).steps
    line = line_of(step)
    for words in ("gravity moon", "15 kg on backpack", "strength 80%", "on wet ground"):
        assert words in line


def test_forms_and_panels_offer_the_words() -> None:
    from retime.studio.forms import method_forms

    form = next(f for f in method_forms() if f.name == "physics")
    fields = {f.name: f for f in form.fields}
    assert [c.label for c in fields["friction"].choices] == ["Ice", "Wet", "Dry"]
    assert "mars" in [c.value for c in fields["gravity"].choices]
    assert fields["gravity"].kind == "number"
    assert fields["load"].kind == "pairs"
    panel = json.loads((Path(__file__).parents[2] / "blender/retime_parameters.json").read_text())
    listed = {p["name"]: p for p in panel["physics"]["parameters"]}
    assert listed["friction"]["presets"]["ice"] == 0.1
