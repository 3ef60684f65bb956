"""Which animation of several is read where none is chosen, and what is told about each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from fbx_making import made_of
from gltf_making import Maker
from retime import apply, samples
from retime.studio import jobs
from retime.studio.evaluation import FrameMaker

Run = Callable[..., tuple[int, str, str]]
STILL = [[1, 2, 3], [1, 2, 3]]


def several_glb(path: Path) -> Path:
    """An empty animation, a one-frame pose, a still clip and morphs alone before one that moves."""
    maker = Maker()
    maker.json["animations"].append({"name": "Empty", "channels": [], "samplers": []})
    maker.animate("translation", [0], [[1, 2, 3]], name="RESET")
    maker.animate("translation", [0, 1], STILL, name="Base")
    maker.animate("weights", [0, 1], [0, 1], name="Smile")
    maker.animate("rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 0, -1]], name="Twice")
    maker.animate("translation", np.arange(31) / 30, np.eye(3)[np.arange(31) % 3], name="Walk")
    return maker.write(path)


def mixamo_fbx(path: Path, *, spans: bool = True) -> Path:
    """A walk after an empty ``Take 001``, as Mixamo's files have it."""
    maker = made_of(samples.walk())
    first = len(maker.objects)
    maker.stack("Take 001", 0.0, 1.0 if spans else 0.0, spans=spans)
    # The empty one comes first.
    maker.objects = [*maker.objects[first:], *maker.objects[:first]]
    maker.takes.reverse()
    return maker.write(path)


def test_the_first_animation_that_moves_is_read(tmp_path: Path) -> None:
    motion = retime.read(several_glb(tmp_path / "a.glb"))
    assert motion.duration == pytest.approx(1.0)
    assert np.ptp(next(iter(motion.translations.values())), axis=0).max() > 0.5
    (note,) = [n for n in motion.notes if "of several" in n]
    assert note == (
        "read the animation 'Walk' of several, the first that moves ('Empty' is empty, 'RESET' is "
        "a single pose, 'Base' does not move and 2 more); the others: Empty, RESET, Base, Smile, "
        "Twice"
    )


def test_one_that_is_chosen_is_read_whatever_it_holds(tmp_path: Path) -> None:
    file = several_glb(tmp_path / "a.glb")
    assert retime.read(file, animation="Base").duration == pytest.approx(1.0)
    assert len(retime.read(file, animation="RESET")) == 1


def test_where_none_moves_the_first_that_lasts_is_read(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("translation", [0], [[1, 2, 3]], name="RESET")
    maker.animate("translation", [0, 1], STILL, name="Base")
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    assert motion.duration == pytest.approx(1.0)
    assert "read the animation 'Base' of several; the others: RESET" in motion.notes


@pytest.mark.parametrize("spans", [True, False])
def test_mixamos_empty_take_is_passed_over(tmp_path: Path, spans: bool, run: Run) -> None:
    file = mixamo_fbx(tmp_path / "a.fbx", spans=spans)
    motion = retime.read(file)
    assert motion.duration == pytest.approx(samples.walk().duration, abs=1e-6)
    assert any("'walk' of several, the first that moves ('Take 001' is empty)" in n
               for n in motion.notes)  # fmt: skip
    status, _, err = run("apply", file, tmp_path / "b.fbx", "--duration", "1", "--animation", "all")
    assert status == (0 if not spans else status), err
    assert FrameMaker().inspect(jobs.Inspect(str(file)))[0] == "walk"


def test_a_still_usd_animation_is_passed_over(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed (retime[usd])")
    from pxr import Gf, Usd, UsdSkel

    file = tmp_path / "a.usda"
    stage = Usd.Stage.CreateNew(str(file))
    stage.SetTimeCodesPerSecond(24)
    skeleton = UsdSkel.Skeleton.Define(stage, "/Body/Skeleton")
    skeleton.CreateJointsAttr(["Hips"])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1)])
    for name, step in (("Base", 0.0), ("Walk", 0.1)):
        animation = UsdSkel.Animation.Define(stage, f"/Body/{name}")
        animation.CreateJointsAttr(["Hips"])
        turns, places = animation.CreateRotationsAttr(), animation.CreateTranslationsAttr()
        sizes = animation.CreateScalesAttr()
        for code in range(25):
            turns.Set([Gf.Quatf(1, 0, 0, 0)], code)
            places.Set([Gf.Vec3f(step * code, 0, 0)], code)
            sizes.Set([Gf.Vec3h(1, 1, 1)], code)
    stage.GetRootLayer().Save()
    motion = retime.read(file)
    assert any("'/Body/Walk' of several, the first that moves ('/Body/Base' does not move)" in n
               for n in motion.notes)  # fmt: skip
    assert np.ptp(motion.translations["Hips"]) > 1


def test_info_lists_every_animation(tmp_path: Path, run: Run) -> None:
    file = several_glb(tmp_path / "a.glb")
    _, out, _ = run("info", file)
    assert "RESET: 0 s at 24 fps, 1 channel, is a single pose" in out
    assert "Walk: 1 s at 30 fps, 1 channel, moves" in out
    _, out, _ = run("info", file, "--json")
    listed: list[dict[str, Any]] = json.loads(out)["animations"]
    assert {e["name"]: e["moves"] for e in listed} == {
        "Empty": [], "RESET": [], "Base": [], "Smile": ["weights"], "Twice": [],
        "Walk": ["translation"],
    }  # fmt: skip


def test_the_studio_opens_the_one_that_moves_first_and_no_single_pose(tmp_path: Path) -> None:
    file = several_glb(tmp_path / "a.glb")
    assert FrameMaker().inspect(jobs.Inspect(str(file))) == ["Walk", "Base", "Smile", "Twice"]


def test_a_retimed_default_goes_back_into_its_own_animation(tmp_path: Path) -> None:
    file = several_glb(tmp_path / "a.glb")
    motion = retime.read(file)
    slow = apply(motion, retime.TimeWarp([0, 2], [0, 1]), exact=True)
    retime.write(slow, tmp_path / "b.glb")
    assert retime.read(tmp_path / "b.glb", animation="Walk").duration == pytest.approx(2.0)
    assert retime.read(tmp_path / "b.glb", animation="Base").duration == pytest.approx(1.0)
