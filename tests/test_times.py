"""Times as people write them, wherever they are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import retime
from retime import Evaluator, InputError, Job, Recipe, Step, samples
from retime.methods.surface import SurfaceKey
from retime.recipe.json import from_document, to_document
from retime.times import ClipTime, Clock, parse_time

Run = Callable[..., tuple[int, str, str]]
JUMP = samples.jump()  # 3.25 s at 60 fps
# The same table holds for the studio's fields (web/test/times.test.ts).
TABLE = json.loads((Path(__file__).parent / "data" / "times.json").read_text())


@pytest.mark.parametrize("entry", TABLE["read"], ids=lambda e: e["text"])
def test_a_time_is_read_as_it_is_written(entry: dict[str, Any]) -> None:
    clock = Clock(tuple(entry["domain"]), entry["rate"], entry["output_rate"])
    time = parse_time(entry["text"], "t", entry["kind"])
    found = clock.seconds(time, "t") if isinstance(time, ClipTime) else time
    assert found == pytest.approx(entry["seconds"])


@pytest.mark.parametrize("text", TABLE["refused"])
def test_what_is_no_time_gets_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"is not a time; write seconds \(2.4\)"):
        parse_time(text, "duration")


@given(st.floats(-1e6, 1e6), st.sampled_from(["f", "%"]))
def test_a_written_time_reads_back(amount: float, unit: Any) -> None:
    again = parse_time(str(ClipTime(amount, unit)), "t")
    assert isinstance(again, ClipTime)
    assert again.amount == pytest.approx(amount, rel=1e-14, abs=0)
    assert again.unit == unit


@pytest.mark.parametrize(
    ("duration", "seconds"), [("80%", 2.6), ("48f", 0.8), ("2.4s", 2.4), ("0:02.5", 2.5)]
)
@pytest.mark.parametrize("method", ["spline", "guided"])
def test_durations_in_recipes(method: str, duration: str, seconds: float) -> None:
    made = Recipe([Step(method, {"duration": duration})]).evaluate(JUMP)
    assert made.duration == pytest.approx(seconds, abs=1e-6)


def test_a_duration_in_frames_is_the_number_of_the_last_frame() -> None:
    recipe = Recipe([Step("spline", {"duration": "48f", "keytimes": ["24f=60f", "48f=100%"]})])
    assert len(Evaluator().evaluate(Job(source=JUMP, recipe=recipe)).motion) == 49


def test_the_library_takes_them_too() -> None:
    written: Any = {"duration": "80%", "keytimes": [("50%", "90f")]}
    warp = retime.spline(JUMP, **written).warp
    assert warp.domain == pytest.approx((0.0, 2.6))
    assert float(warp(1.3)) == pytest.approx(1.5)


def test_output_times_use_the_outputs_rate_and_source_times_the_sources() -> None:
    recipe = Recipe([Step("spline", {"duration": "48f", "keytimes": ["24f=60f"]})])
    found = Evaluator().evaluate(Job(source=JUMP, recipe=recipe, fps=24.0))
    assert found.motion.duration == pytest.approx(2.0)
    assert float(found.warp(1.0)) == pytest.approx(1.0)  # source frame 60 at 60 fps


def test_a_host_counts_frames_from_its_own_first() -> None:
    recipe = Recipe([Step("spline", {"keytimes": [("61f", "31f")]})])
    found = Evaluator().evaluate(Job(source=JUMP, recipe=recipe, first_frame=1))
    assert float(found.warp(1.0)) == pytest.approx(0.5)


def test_a_duration_in_percent_is_of_the_range_where_there_is_one() -> None:
    step = Step("spline", {"range": "60f:120f", "duration": "50%", "ripple": True})
    made = Recipe([step]).evaluate(JUMP)
    assert made.duration == pytest.approx(JUMP.duration - 0.5)


def test_a_duration_in_percent_is_of_the_steps_own_input_and_on_whole_frames() -> None:
    recipe = Recipe([Step("spline", {"duration": 2.0}), Step("spline", {"duration": "33%"})])
    found = Evaluator().evaluate(Job(source=JUMP, recipe=recipe))
    assert found.motion.duration == pytest.approx(40 / 60)
    assert any("rounded from 0.66 s to 0.66667 s, 41 frames at 60 fps" in n for n in found.notes)
    exact = Evaluator().evaluate(Job(source=JUMP, recipe=recipe, exact=True))
    assert exact.motion.duration == pytest.approx(0.66)


def test_a_clip_that_starts_late_counts_from_its_first_frame() -> None:
    late = replace(JUMP, start=10.0)
    written: Any = {"keytimes": [("60f", "50%")]}
    warp = retime.spline(late, **written).warp
    assert float(warp(11.0)) == pytest.approx(10.0 + JUMP.duration / 2)


def test_a_recipe_keeps_what_was_written() -> None:
    values = {"duration": "80%", "keytimes": [["50%", "12f"]], "range": ["10%", "90%"]}
    document = to_document(Recipe([Step("spline", {**values, "ripple": True})]))
    assert document["steps"][0]["parameters"] == {**values, "ripple": True}
    again = from_document(json.loads(json.dumps(document)))
    assert to_document(again) == document


def test_a_percentage_of_a_free_duration_is_refused() -> None:
    recipe = Recipe([Step("guided", {"duration": "free", "keytimes": [("50%", 1.0)]})])
    with pytest.raises(InputError, match=r"keytimes is 50%, but the duration is free"):
        recipe.evaluate(JUMP)


def test_surface_keys() -> None:
    written: Any = {"time": "60f", "joint": "RightHand", "shift": "-6f", "gamma": "10%"}
    key = SurfaceKey(**written)
    assert key.to_document() == written
    one = Recipe([Step("surface", {"keys": [key]})]).warp(JUMP)
    plain = SurfaceKey(time=1.0, joint="RightHand", shift=-0.1, gamma=0.325)
    other = Recipe([Step("surface", {"keys": [plain]})]).warp(JUMP)
    assert float(one(0.9, "RightHand")) == pytest.approx(float(other(0.9, "RightHand")))


def test_a_reference_counts_its_own_frames() -> None:
    reference = samples.walk()
    a, b = (reference.start + reference.duration * share for share in (0.25, 0.75))
    written: Any = {"reference_range": "25%:75%"}
    one = retime.guided(JUMP, reference=reference, **written).warp
    other = retime.guided(JUMP, reference=reference, reference_range=(a, b)).warp
    assert one.source == pytest.approx(other.source)


@pytest.mark.parametrize(
    ("options", "duration"),
    [
        (["--duration", "80%"], 2.6),
        (["--duration", "48f"], 0.8),
        (["--duration", "48f", "--fps", "24"], 2.0),
        (["--duration", "0:02"], 2.0),
        (["--keytime", "50%=60f", "--duration", "2s"], 2.0),
        (["--range", "10%:50%", "--duration", "50%", "--ripple"], 3.25 - 0.65),
        (["--range", "0:01,0:02", "--duration", "30f", "--ripple"], 2.75),
    ],
)
def test_on_the_command_line(
    options: list[str], duration: float, jump_file: Path, tmp_path: Path, run: Run
) -> None:
    status, _, err = run("apply", jump_file, tmp_path / "o.bvh", *options)
    assert status == 0, err
    assert retime.read(tmp_path / "o.bvh").duration == pytest.approx(duration, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--duration", "long"], "duration: 'long' is not a time; write seconds (2.4)"),
        (
            ["--range", "0:30:1:02.5", "--duration", "1"],
            "put a comma between times in minutes, as in 0:30,1:02.5",
        ),
        (["--keytime", "half=60f"], "'half' is not a time"),
    ],
)
def test_bad_times_on_the_command_line(
    options: list[str], word: str, jump_file: Path, tmp_path: Path, run: Run
) -> None:
    status, _, err = run("apply", jump_file, tmp_path / "o.bvh", *options)
    assert status == 2
    assert word in " ".join(err.split())


def test_other_commands(jump_file: Path, tmp_path: Path, run: Run) -> None:
    warp = tmp_path / "w.json"
    made = run("warp", "make", warp, "--for", jump_file, "--duration", "80%")
    assert made[0] == 0, made[2]
    assert retime.read_warp(warp).domain[1] == pytest.approx(2.6)
    made = run("warp", "make", warp, "--length", "1:00", "--duration", "48f", "--fps", "24")
    assert made[0] == 0, made[2]
    assert retime.read_warp(warp).domain[1] == pytest.approx(2.0)
    made = run("warp", "make", warp, "--length", "1:00", "--duration", "48f")
    assert (made[0], "the frame rate is not known" in made[2]) == (2, True)
    surface = ["surface", jump_file, tmp_path / "s.bvh", "--at", "60f", "--joint", "RightHand"]
    made = run(*surface, "--shift=-6f")
    assert made[0] == 0, made[2]
    made = run("stagger", jump_file, tmp_path / "t.bvh", "--succession", "RightArm:2f:1.5")
    assert made[0] == 0, made[2]
    made = run("guided", jump_file, tmp_path / "g.bvh", "--duration", "80%", "--recipe",
               tmp_path / "r.json")  # fmt: skip
    assert made[0] == 0, made[2]
    kept = json.loads((tmp_path / "r.json").read_text())
    assert kept["steps"][0]["parameters"]["duration"] == "80%"
    assert run("run", tmp_path / "r.json", jump_file, tmp_path / "again.bvh")[0] == 0
    assert retime.read(tmp_path / "again.bvh").duration == pytest.approx(2.6, abs=1e-4)
