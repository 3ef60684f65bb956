"""The engine that other programs ask: its lines of JSON, and what it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from music_making import clicks, write_wave
from retime import Recipe, Step, quat, samples
from retime.hosts.engine import PROTOCOL, Engine
from retime.hosts.in_frames import Frames
from retime.motion.touched import difference
from retime.process.inside import do_job
from retime.recipe.json import to_document
from retime.sentences import (
    Duration,
    Moment,
    ParameterName,
    Sentence,
    Span,
    StepName,
    after,
    spoken,
)


def ask(*requests: Any) -> list[dict[str, Any]]:
    """Let an engine answer in this process; return all its messages but the beginnings."""
    engine, told = Engine(), list[dict[str, Any]]()
    for request in requests:
        do_job(request, engine.do, engine.failed, told.append)
    plain: list[dict[str, Any]] = json.loads(json.dumps(told, allow_nan=False))
    return [message for message in plain if "begun" not in message]


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    retime.write(samples.walk(), tmp_path / "walk.npz")
    return tmp_path / "walk.npz"


def retiming(walk: Path, *steps: Step, **more: Any) -> dict[str, Any]:
    recipe = to_document(Recipe(steps))
    out, warp = walk.with_name("out.npz"), walk.with_name("warp.json")
    return {
        "id": 7, "motion": str(walk), "recipe": recipe, "out": str(out), "warp": str(warp), **more
    }  # fmt: skip


def test_the_handshake() -> None:
    (answer,) = ask({"id": "hello", "version": 1})
    assert answer == {
        "id": "hello", "done": True, "retime": retime.__version__, "protocol": PROTOCOL
    }  # fmt: skip


def test_a_retiming_is_the_library_s(walk: Path) -> None:
    steps = (Step("spline", {"duration": 3.0, "keytimes": [(1.0, 1.5)]}),)
    *told, answer = ask(retiming(walk, *steps))
    assert answer["done"]
    assert answer["joints"] == []
    assert answer["bezier"] == []
    assert all(line["id"] == 7 and line["word"] for line in told)
    assert [line["progress"] for line in told] == sorted(line["progress"] for line in told)
    motion = samples.walk()
    made, wanted = retime.read(walk.with_name("out.npz")), Recipe(steps).evaluate(motion)
    assert np.array_equal(made.rotations, wanted.rotations)
    warp = retime.read_warp(walk.with_name("warp.json"))
    assert float(warp(1.0)) == 1.5


def test_joints_whose_values_changed_are_named(walk: Path, monkeypatch: Any) -> None:
    from retime.evaluate import job

    compared: list[Any] = []

    def counted(*given: Any) -> Any:
        compared.append(given)
        return difference(*given)

    monkeypatch.setattr(job, "difference", counted)
    *_, answer = ask(retiming(walk, Step("spline", {"duration": 3.0}), Step("hold")))
    assert answer["joints"]
    assert len(compared) == 1, "each comparison resamples the whole motion"
    assert all("Leg" in n or "Foot" in n for n in answer["joints"])
    made, warp = retime.read(walk.with_name("out.npz")), retime.read_warp(walk.parent / "warp.json")
    source = samples.walk()
    plain = retime.apply(source, warp, times=made.times)
    off = quat.angle(plain.rotations, made.rotations).max(axis=0)
    for name, angle in zip(source.skeleton.names, off, strict=True):
        assert (angle > 1e-6) == (name in answer["joints"])


def test_few_bezier_keys_where_asked_for(walk: Path) -> None:
    step = Step("spline", {"duration": 3.0, "keytimes": [(1.0, 1.5)]})
    *_, answer = ask(retiming(walk, step, bezier=1e-3))
    assert 3 <= len(answer["bezier"]) < 10
    assert answer["bezier"][0][:2] == [0.0, 0.0]


def test_references_are_named(walk: Path) -> None:
    step = Step("guided", {"duration": 3.0, "reference": ("other",)})
    (*_, lost), (*_, found) = (
        ask(retiming(walk, step)), ask(retiming(walk, step, references={"other": str(walk)})),
    )  # fmt: skip
    assert "other" in lost["error"]
    assert found["done"]


def test_checks_and_poses(walk: Path) -> None:
    *_, checked = ask({"id": 1, "check": str(walk)})
    names = [m["name"] for m in checked["measures"]]
    assert names == list(retime.metrics.measure(samples.walk()))
    assert all(p["start"] <= p["end"] and p["what"] for p in checked["problems"])
    *_, listed = ask({"id": 2, "poses": str(walk), "parameters": {"keep": 4}})
    wanted = retime.StaggeredPoses.from_motion(samples.walk(), 4).times
    assert listed["times"] == pytest.approx(list(wanted))


def test_the_beats_of_a_song(tmp_path: Path) -> None:
    beats = 0.3 + 0.5 * np.arange(30)
    song = write_wave(tmp_path / "song.wav", clicks(beats, 15.0))
    *_, found = ask({"id": 1, "beats": str(song)})
    assert found["bpm"] == pytest.approx(120, abs=0.5)
    off = [np.abs(beats - b).min() for b in found["beats"]]
    assert max(off) < 0.015
    *_, even = ask({"id": 2, "beats": str(song), "bpm": 60, "offset": 0.3})
    assert even["beats"][:2] == pytest.approx([0.3, 1.3])


def test_feet_that_slide_are_problems(walk: Path) -> None:
    *_, clean = ask({"id": 1, "check": str(walk)})
    assert clean["problems"] == []
    motion = samples.walk()
    name = motion.skeleton.names[motion.skeleton.roots[0]]
    place = motion.translations[name]
    along = place[0] + (place - place[0]) * [1.3, 1.0, 1.3]
    retime.write(replace(motion, translations={name: along}, origin=None), walk)
    *_, skating = ask({"id": 2, "check": str(walk)})
    assert len(skating["problems"]) >= 3
    assert all("slides by" in p["what"] for p in skating["problems"])


@pytest.mark.parametrize(
    "request_, says",
    [
        ([1], "an object"),
        ({"id": 1}, "asks for one of"),
        ({"id": 1, "check": "/no/such.npz"}, "no such file"),
        ({"id": 1, "check": 5}, "must name a file"),
        ({"id": 1, "recipe": {}, "motion": "WALK"}, "not a recipe"),
        ({"id": 1, "poses": "WALK", "parameters": 3}, "must be an object"),
        ({"id": 1, "beats": "/no/song.mp3"}, "no such file"),
        ({"id": 1, "beats": "WALK"}, "cannot be read"),
        ({"id": 1, "beats": "WALK", "bpm": "fast"}, "bpm"),
    ],
)
def test_what_is_wrong_is_said(walk: Path, request_: Any, says: str) -> None:
    if isinstance(request_, dict):
        request_ = {k: str(walk) if v == "WALK" else v for k, v in request_.items()}
    *_, answer = ask(request_)
    assert says in answer["error"]


def test_a_giant_is_taken_for_unscaled(walk: Path) -> None:
    from retime.motion import Units

    giant = replace(samples.walk(), units=Units(30.0, "Y", "declared"), origin=None)
    retime.write(giant, walk)
    *_, answer = ask({"id": 1, "check": str(walk)})
    assert any("the file's unit makes the figure" in note for note in answer["notes"])


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        [sys.executable, "-m", "retime", "engine"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    yield started
    started.kill()
    started.wait()
    for stream in (started.stdin, started.stdout):
        assert stream is not None
        stream.close()


def test_the_process_ends_with_its_host(process: subprocess.Popen[str], walk: Path) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"id": 1, "version": 1}) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline()) == {"id": 1, "begun": True}
    assert json.loads(process.stdout.readline())["protocol"] == PROTOCOL
    process.stdin.write(json.dumps(retiming(walk, Step("physics", {"duration": 6.0}))) + "\n")
    process.stdin.flush()
    process.stdout.readline()
    assert json.loads(process.stdout.readline())["word"]  # it is at work
    process.stdin.close()
    assert process.wait(timeout=120) == 0


def test_two_motions_of_one_ancestor_are_two(walk: Path) -> None:
    source = walk.with_name("walk.bvh")
    retime.write(samples.walk(), source)
    motion = retime.read(source)
    slow = retime.apply(motion, retime.TimeWarp([0, 2 * motion.duration], [0, motion.duration]))
    for name, made in (("one", motion), ("two", slow)):
        retime.write(made, walk.with_name(f"{name}.npz"))
    asked = ask(*({"id": n, "poses": str(walk.with_name(f"{n}.npz"))} for n in ("one", "two")))
    ends = {a["id"]: a["times"][-1] for a in asked if a.get("done")}
    assert ends["two"] == pytest.approx(2 * ends["one"], rel=0.05)


@pytest.mark.parametrize(
    "said, wanted",
    [
        (Sentence("the key at {at}", at=Moment(2.0)), "the key at frame 49"),
        (Sentence("{by} later", by=Duration(0.125)), "3 frames later"),
        (Sentence("by {by}", by=Duration(1 / 24)), "by 1 frame"),
        (Sentence("it lasts {clip}", clip=Span(0.0, 1.5)), "it lasts frames 1 to 37"),
        (Sentence("{name} is 0", name=ParameterName("max_speed")), "Max speed is 0"),
        (after(StepName("step", 1, "surface"), "a fault of {1 s}"), "a fault of {1 s}"),
        ("gravity of 9.81 m/s² and 3 steps of 2 s", "gravity of 9.81 m/s² and 3 steps of 2 s"),
    ],
)
def test_sentences_in_frames(said: str, wanted: str) -> None:
    assert spoken(said, Frames(first=1, fps=24)) == wanted


def test_errors_speak_of_the_host_s_frames(walk: Path) -> None:
    step = Step("surface", {"keys": [{"time": 99.0, "joint": "LeftHand", "shift": 0.1}]})
    *_, answer = ask(retiming(walk, step, in_frames=[1, 30]))
    assert "frame 2971" in answer["error"]
    assert " s" not in answer["error"].replace(" stand", "")
    assert "step" not in answer["error"]


def test_rest_poses_before_the_motion_are_counted(tmp_path: Path, walk: Path) -> None:
    assert ask({"id": 1, "rest": str(walk)})[-1]["rest_frames"] == 0
    motion = samples.walk()
    for count in (1, 3):
        turns = np.array(motion.rotations)
        turns[:count] = motion.skeleton.rest_rotations
        retime.write(replace(motion, rotations=turns), tmp_path / "rest.npz")
        *_, answer = ask({"id": 1, "rest": str(tmp_path / "rest.npz")})
        assert answer["rest_frames"] == count


def test_messages_use_the_host_s_labels(walk: Path) -> None:
    fast = Step("guided", {"min_speed": 2.0, "max_speed": 1.5})
    plain, own, bad = (
        ask(retiming(walk, fast, in_frames=[1, 24], labels=labels))[-1]["error"]
        for labels in ({}, {"max_speed": "Fastest Playback"}, {"max_speed": 3})
    )
    assert "Max speed" in plain
    assert "Fastest Playback" in own
    assert "labels" in bad
