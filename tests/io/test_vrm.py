"""VRM avatars and VRMA motions: read by their suffix, and retimed whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from gltf_making import glb, parts
from retime import FormatError, InputError, TimeWarp, apply, positions, samples
from retime.io.gltf.animations import channels_of
from retime.io.gltf.document import load

ROLES = {"hips": "Hips", "leftFoot": "LeftFoot", "leftToes": "LeftToe", "head": "Head"}


@pytest.fixture
def vrma(tmp_path: Path) -> Path:
    """A motion with two expressions and a gaze, as VRM animations have them."""
    retime.write(samples.walk(), tmp_path / "walk.glb")
    document, body = parts(tmp_path / "walk.glb")
    for kind in ("skins", "meshes", "materials"):
        document.pop(kind, None)
    nodes, animation = document["nodes"], document["animations"][0]
    for node in nodes:
        node.pop("mesh", None)
        node.pop("skin", None)
    names = [node.get("name") for node in nodes]
    bones = {bone: {"node": names.index(name)} for bone, name in ROLES.items()}
    turn = next(c for c in animation["channels"] if c["target"]["path"] == "rotation")
    place = next(c for c in animation["channels"] if c["target"]["path"] == "translation")
    numbers = []
    for name, like in (("happy", place), ("wink", place), ("gaze", turn)):
        numbers.append(len(nodes))
        nodes.append({"name": name})
        document["scenes"][0]["nodes"].append(numbers[-1])
        target = {"node": numbers[-1], "path": like["target"]["path"]}
        animation["channels"].append({"sampler": like["sampler"], "target": target})
    happy, wink, gaze = ({"node": n} for n in numbers)
    expressions = {"preset": {"happy": happy}, "custom": {"wink": wink}}
    document["extensionsUsed"] = ["VRMC_vrm_animation"]
    document["extensions"] = {
        "VRMC_vrm_animation": {
            "specVersion": "1.0", "humanoid": {"humanBones": bones},
            "expressions": expressions, "lookAt": {**gaze, "offsetFromHeadBone": [0, 0, 0]},
        }
    }  # fmt: skip
    path = tmp_path / "walk.vrma"
    path.write_bytes(glb(document, body))
    return path


def test_a_vrma_is_a_body_with_roles_and_no_expressions(vrma: Path) -> None:
    motion = retime.read(vrma)
    assert not {"happy", "wink", "gaze"} & set(motion.skeleton.names)
    assert retime.find_body(motion).name("left_toe") == "LeftToe"
    assert np.abs(positions(motion) - positions(samples.walk())).max() < 1e-5


def test_a_vrma_is_retimed_whole(vrma: Path, tmp_path: Path) -> None:
    motion, out = retime.read(vrma), tmp_path / "slow.vrma"
    x = np.linspace(0, 1, 100)
    warp = TimeWarp(3 * x, motion.duration * (x + 0.1 * np.sin(2 * np.pi * x)))
    retime.write(apply(motion, warp, exact=True), out)
    t = np.linspace(0, 3, 200)
    old, new = (channels_of(load(f), 0) for f in (vrma, out))
    assert len(old) == len(new) > 20
    for one, other in zip(old, new, strict=True):
        extent = max(1.0, float(np.ptp(one.sampler.values, axis=0).max()))
        assert np.abs(one.sampler.at(warp(t)) - other.sampler.at(t)).max() < 2e-4 * extent
    (before, _), (after, _) = parts(vrma), parts(out)
    assert before["extensions"] == after["extensions"]
    assert before["nodes"] == after["nodes"]


def test_expressions_follow_the_root_when_joints_do_not(vrma: Path, tmp_path: Path) -> None:
    motion, out = retime.read(vrma), tmp_path / "a.vrma"
    d = motion.duration
    bent = ([0, 1, d], [0, 0.7, d])
    retime.write(apply(motion, TimeWarp([0, d], [0, d], channels={"Hips:translation": bent})), out)
    happy = next(n for n, e in enumerate(parts(out)[0]["nodes"]) if e.get("name") == "happy")
    old, new = (next(c for c in channels_of(load(f), 0) if c.node == happy) for f in (vrma, out))
    t = np.linspace(0, d, 90)
    wanted = old.sampler.at(np.interp(t, *bent))
    assert np.abs(wanted - new.sampler.at(t)).max() < 1e-4


def test_an_avatar_without_a_motion_and_a_foreign_motion_get_a_sentence(
    vrma: Path, tmp_path: Path
) -> None:
    document, body = parts(vrma)
    document["animations"], document["extensions"] = [], {"VRMC_vrm": {}}
    avatar = tmp_path / "avatar.vrm"
    avatar.write_bytes(glb(document, body))
    with pytest.raises(FormatError, match=r"no animation; a VRM avatar is moved by a \.vrma"):
        retime.read(avatar)
    with pytest.raises(InputError, match=r"retimed in place.*write \.glb"):
        retime.write(samples.walk(), tmp_path / "b.vrm")
    (tmp_path / "c.vrma").write_bytes(b"something else")
    with pytest.raises(FormatError, match="not a GLB"):
        retime.read(tmp_path / "c.vrma")


def test_the_rotation_of_a_texture_is_a_number(vrma: Path, tmp_path: Path) -> None:
    document, body = parts(vrma)
    animation = document["animations"][0]
    place = next(c for c in animation["channels"] if c["target"]["path"] == "translation")
    pointer = "/materials/2/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"
    extension = {"KHR_animation_pointer": {"pointer": f"{pointer}/rotation"}}
    target = {"path": "pointer", "extensions": extension}
    animation["channels"].append({"sampler": place["sampler"], "target": target})
    path = tmp_path / "b.glb"
    path.write_bytes(glb(document, body))
    motion = retime.read(path)
    retime.write(apply(motion, TimeWarp([0, 2], [0, motion.duration])), path)
    assert retime.read(path).duration == pytest.approx(2)
