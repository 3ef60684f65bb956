"""Jobs as workers do them: what windows are sent, and what is taken over from the last time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime.methods import METHODS
from retime.parameters import declared
from retime.serving.frames import parse_frame
from retime.studio import jobs
from retime.studio.evaluation import FrameMaker
from retime.studio.forms import method_forms

WEB = Path(__file__).parents[2] / "web"


def result_job(clip: Path, *steps: dict[str, Any], editing: str | None = None) -> jobs.Result:
    document = {"format": "retime-recipe", "version": 2, "steps": list(steps)}
    names = [f"s{k + 1}" for k in range(len(steps))]
    source = jobs.Clip("m1", clip.stem, str(clip), "")
    return jobs.Result(source, document, names, "A", 1, None, editing)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("clips")
    out = {}
    for name in ("jump", "swing", "punches", "punches-slow"):
        out[name] = folder / f"{name}.bvh"
        retime.write(retime.samples.sample(name).motion, out[name])
    return out


def test_the_protocol_is_that_of_the_messages() -> None:
    assert subprocess.run([sys.executable, WEB / "make_protocol.py", "--check"]).returncode == 0


def test_every_parameter_has_a_field() -> None:
    for form in method_forms():
        listed = declared(METHODS[form.name].parameters)
        assert {f.name for f in form.fields} == {p.name for p in listed}
        for field in form.fields:
            assert field.help
            assert field.kind != "choice" or field.choices
    kinds = {f.name: f.kind for m in method_forms() if m.name == "guided" for f in m.fields}
    assert kinds["keytimes"] == "keytimes"
    assert kinds["reference"] == "motions"
    assert kinds["influence"] == "number"


def test_an_edit_of_a_late_step_keeps_the_early_ones(clips: dict[str, Path]) -> None:
    evaluator = FrameMaker()
    guided = {"method": "guided", "parameters": {"duration": 2.5}}

    def spline(d: float) -> dict[str, Any]:
        return {"method": "spline", "parameters": {"duration": d}}

    first = evaluator.evaluate(result_job(clips["jump"], guided, spline(2.0)))
    second = evaluator.evaluate(result_job(clips["jump"], guided, spline(2.2)))
    assert second.solved[0].edit is first.solved[0].edit
    assert second.solved[1].edit is not first.solved[1].edit
    fresh = FrameMaker().evaluate(result_job(clips["jump"], guided, spline(2.2)))
    np.testing.assert_array_equal(second.motion.rotations, fresh.motion.rotations)
    muted = evaluator.evaluate(result_job(clips["jump"], guided | {"mute": True}, spline(2.2)))
    alone = FrameMaker().evaluate(result_job(clips["jump"], spline(2.2)))
    np.testing.assert_array_equal(muted.motion.rotations, alone.motion.rotations)
    moved = evaluator.evaluate(result_job(clips["jump"], spline(2.2), guided))
    other = FrameMaker().evaluate(result_job(clips["jump"], spline(2.2), guided))
    np.testing.assert_array_equal(moved.motion.rotations, other.motion.rotations)


def test_steps_say_where_their_times_lie(clips: dict[str, Path]) -> None:
    half = {"method": "spline", "parameters": {"duration": 1.625}}
    twice = {"method": "spline", "parameters": {"duration": 6.5, "keytimes": [[2.0, 0.5]]}}
    frame = FrameMaker().result(result_job(clips["jump"], half, twice))
    header, arrays = parse_frame(frame)
    assert header["steps"][0]["given"] == pytest.approx([0, 3.25])
    assert header["steps"][1]["given"] == pytest.approx([0, 1.625])
    before, after = arrays["before:s2"], arrays["after:s1"]
    assert np.interp(1.625, *before.T) == pytest.approx(3.25, abs=1e-5)
    # What the second step shows at 2.0 s is 0.5 s of the first one's output.
    assert np.interp(2.0, *after.T) == pytest.approx(0.5, abs=1e-3)
    layer = arrays["layer:s2"]
    assert np.interp(2.0, arrays["layer_times"], layer[:, 0]) == pytest.approx(-1.5, abs=0.02)


def test_what_resembles_a_reference_comes_with_the_result(
    clips: dict[str, Path], tmp_path: Path
) -> None:
    own = {"method": "guided", "parameters": {"duration": 2.5}}
    _, arrays = parse_frame(FrameMaker().result(result_job(clips["jump"], own)))
    assert "evidence" not in arrays
    jump = retime.read(clips["jump"])
    slower = retime.TimeWarp([0, 1.2 * jump.duration], [0, jump.duration])
    retime.write(retime.apply(jump, slower), tmp_path / "slower.bvh")
    free = {"duration": "free", "reference": [str(tmp_path / "slower.bvh")]}
    foreign = {"method": "guided", "parameters": free}
    half = {"method": "spline", "parameters": {"duration": 1.625}}
    _, arrays = parse_frame(FrameMaker().result(result_job(clips["jump"], foreign, half)))
    times, likeness = arrays["evidence"].T
    assert times[[0, -1]] == pytest.approx([0, 1.625], abs=0.02)
    assert likeness.max() > 0.9


def test_a_surface_is_shown_where_it_stands(clips: dict[str, Path]) -> None:
    key = {"time": 1.2, "joint": "RightHand", "shift": -0.1}
    step = {"method": "surface", "parameters": {"keys": [key]}}
    header, arrays = parse_frame(
        FrameMaker().result(result_job(clips["swing"], step, editing="s1"))
    )
    view = header["editor"]["keys"][0]
    motion = retime.read(clips["swing"])
    hand = motion.skeleton.index("RightHand")
    assert view["weights"][hand] == pytest.approx(1.0)
    assert view["start"] < 1.1 < view["end"]
    times = arrays["joint_times"]
    at = np.abs(arrays["times"] - 1.1).argmin()
    assert times[at, hand] == pytest.approx(0.1, abs=5e-3)
    assert np.abs(times[at, motion.skeleton.index("LeftFoot")]) < 2e-3
    grid = arrays["grid:0"]
    assert grid.shape == (30, 30, 4)
    assert 0.9 < grid[..., 3].max() <= 1
    along, base = np.array(view["along"]), np.array(view["base"])
    pulled = (grid[..., :3] - base) @ along
    assert pulled.min() == pytest.approx(-0.1 * view["pace"], rel=0.1)
    # A joint's way goes through its place on the plane at the key's time.
    moments = np.linspace(view["start"], view["end"], len(arrays["paths:0"]))
    way = [np.interp(1.2, moments, arrays["paths:0"][:, hand, c]) for c in range(3)]
    np.testing.assert_allclose(way, arrays["places:0"][hand], atol=0.01)


def test_a_surface_that_is_not_dragged_yet_shows_its_reach(clips: dict[str, Path]) -> None:
    step = {"method": "surface", "parameters": {"keys": [{"time": 1.2, "joint": "RightHand"}]}}
    header, arrays = parse_frame(
        FrameMaker().result(result_job(clips["swing"], step, editing="s1"))
    )
    assert max(header["editor"]["keys"][0]["weights"]) == pytest.approx(1.0)
    assert arrays["grid:0"][..., 3].max() > 0.9
    assert np.abs(arrays["joint_times"]).max() == 0


def test_poses_are_shown_as_they_are(clips: dict[str, Path]) -> None:
    motion = retime.read(clips["jump"])
    poses = retime.StaggeredPoses.from_motion(motion)
    edit = {"do": "succession", "joint": "RightArm", "step": 0.02, "power": 1.5}
    step = {"method": "stagger", "parameters": {"edits": [edit]}}
    evaluator = FrameMaker()
    header, arrays = parse_frame(evaluator.result(result_job(clips["jump"], step, editing="s1")))
    expected = poses.succession("RightArm", 0.02, 1.5)
    np.testing.assert_allclose(arrays["pose_times"], expected.times, atol=1e-6)
    np.testing.assert_allclose(arrays["refinements"], expected.refinements, atol=1e-6)
    assert header["editor"]["channels"] == list(poses.channels)
    assert header["editor"]["free"] == list(poses.free)
    more = {"method": "stagger", "parameters": {"edits": [edit, {"do": "delete", "pose": 1}]}}
    again, arrays = parse_frame(evaluator.result(result_job(clips["jump"], more, editing="s1")))
    np.testing.assert_allclose(arrays["pose_times"], expected.delete(1).times, atol=1e-6)
    wrong = {"method": "stagger", "parameters": {"edits": [edit, {"do": "delete", "pose": 99}]}}
    with pytest.raises(retime.RetimeError, match=r"step 1 \(stagger\): edit 2 \(delete\)"):
        evaluator.result(result_job(clips["jump"], wrong, editing="s1"))
    assert again["editor"]["found"] >= len(poses)


def test_candidates_tangents_and_layers_are_shown(clips: dict[str, Path]) -> None:
    motion = retime.read(clips["jump"])
    poses = retime.StaggeredPoses.from_motion(motion)
    evaluator = FrameMaker()
    plain = {"method": "stagger", "parameters": {"edits": [{"do": "add_layer"}]}}
    header, arrays = parse_frame(evaluator.result(result_job(clips["jump"], plain, editing="s1")))
    assert header["editor"]["layers"] == 2
    found = arrays["candidates"]
    assert len(found) == header["editor"]["found"] - 2
    assert found[:, 3].all()
    k, i = 1, poses.channels.index("RightArm")
    arrive, leave = poses.curves[i].tangents(int(poses.timing.numbers[k]))
    np.testing.assert_allclose(
        arrays["tangents"][k, i], np.degrees([*arrive, *leave]), rtol=1e-5, atol=1e-4
    )
    # One candidate left out, as a window asks for it.
    keep = [float(t) for n, t in enumerate(found[:, 1]) if n != 1]
    fewer = {"method": "stagger", "parameters": {"keep": keep}}
    _, arrays = parse_frame(evaluator.result(result_job(clips["jump"], fewer, editing="s1")))
    assert arrays["candidates"][:, 3].tolist() == [n != 1 for n in range(len(found))]
    assert len(arrays["pose_times"]) == len(found) + 1


def test_a_motion_is_followed_as_if_live(clips: dict[str, Path]) -> None:
    sources = [jobs.Clip(n, n, str(clips[n]), "") for n in ("punches", "punches-slow")]
    header, arrays = parse_frame(FrameMaker().live(jobs.Live(sources[0], sources[1], 7)))
    truth = retime.samples.sample("punches-slow").warp
    assert truth is not None
    late = np.abs(arrays["source"] - truth(arrays["times"]))
    assert np.median(late) < 0.1
    assert header["score"]["worst_error_ms"] > 100
    assert header["request"] == 7


def test_what_cannot_be_read_gets_a_sentence(clips: dict[str, Path], tmp_path: Path) -> None:
    gone = jobs.Clip("m1", "x", str(tmp_path / "x.bvh"), "")
    with pytest.raises(retime.InputError, match="is gone"):
        FrameMaker().load(jobs.Load(gone))


def test_motion_files_made_of_others_are_opened(clips: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "jump.npz"
    retime.write(retime.read(clips["jump"]), path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    evaluator = FrameMaker()
    assert len(evaluator.motion(jobs.Clip("m1", "jump", str(path), digest)))


def test_animations_of_one_name_are_told_apart(tmp_path: Path) -> None:
    from retime.io.gltf.document import load

    path = tmp_path / "two.glb"
    retime.write(retime.samples.jump(), path)
    document = load(path)
    first = document.json["animations"][0]
    document.json["animations"] = [{**first, "name": "Take"}, {**first, "name": "Take"}]
    document.save(path)
    assert FrameMaker().inspect(jobs.Inspect(str(path))) == ["0", "1"]
