"""Results are judged by the physics that they were made for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import retime
from retime import PhysicsModel, apply, samples
from retime.methods.physics import judge, judged_by


@pytest.mark.parametrize(
    "world",
    [{"gravity": "moon"}, {"gravity": "2g"}, {"mass_scale": {"chest": 2.0}}, {"friction": 0.3}],
)
def test_a_result_is_feasible_by_the_world_it_was_made_for(world: dict[str, Any]) -> None:
    jump = samples.jump()
    p = judged_by((), world)
    warp = retime.physics(jump, duration="free", **world).warp
    told = judge(apply(jump, warp), p, source=jump, warp=warp)
    assert told.explanation.share > 0.97
    if "gravity" in world:
        other = judge(apply(jump, warp), judged_by((), {}), source=jump, warp=warp)
        assert other.explanation.share < told.explanation.share
        assert "flight" in {v.cause for v in other.explanation.violations}


def test_a_delivered_file_alone_is_judged_by_its_forces() -> None:
    jump = samples.jump()
    moon = apply(jump, retime.physics(jump, duration="free", gravity="moon").warp)
    there = judge(moon, judged_by((), {"gravity": "moon"}))
    here = judge(moon, judged_by((), {}))
    assert there.explanation.share > 0.85
    assert there.flights[0].gravity == pytest.approx(1.62, rel=0.1)
    up = [next(r for r in told.residuals if r.name == "force up") for told in (there, here)]
    assert up[0].rms < 0.5 * up[1].rms


def test_residuals_have_units_and_verdicts() -> None:
    told = judge(samples.walk(), judged_by((), {}))
    assert [r.unit for r in told.residuals] == ["N"] * 3 + ["N·m"] * 3
    assert {r.verdict for r in told.residuals} <= {"good", "okay", "bad"}
    weight = PhysicsModel(samples.walk()).weight
    assert all(r.weights == pytest.approx(r.rms / weight) for r in told.residuals)
    assert json.loads(json.dumps(told.to_json()))["residuals"][0]["name"] == "force across"


def test_the_command_takes_options_or_the_recipe(run: Any, tmp_path: Path) -> None:
    jump, out = str(tmp_path / "jump.bvh"), str(tmp_path / "out.bvh")
    warp, recipe = str(tmp_path / "w.json"), str(tmp_path / "r.json")
    retime.write(samples.jump(), jump)
    made = ("physics", jump, out, "--duration", "free", "--gravity", "moon")
    assert run(*made, "--warp", warp, "--recipe", recipe)[0] == 0
    both = ("check", out, "--source", jump, "--warp", warp, "--physics", "--json")
    shares = {}
    for name, more in (
        ("earth", ("--gravity", "9.81")),
        ("options", ("--gravity", "moon")),
        ("recipe", ("--recipe", recipe)),
        ("warp", ()),
    ):  # fmt: skip
        status, text, _ = run(*both, *more)
        assert status == 0
        shares[name] = json.loads(text)["physics"]["feasible_share"]
    assert shares["options"] == shares["recipe"] == shares["warp"] > 0.97 > shares["earth"]
    status, text, _ = run("check", out, "--physics", "--gravity", "moon")
    assert status == 0
    assert "force up" in text
    assert run("check", out, "--gravity", "moon")[0] == 2
