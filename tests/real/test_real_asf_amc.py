"""A real take as ASF/AMC and as BVH: the same joints at the same places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import TimeWarp, apply, find_body, positions

SHARED = Path(__file__).parents[3] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are absent")

SAME = {
    "Hips": "root", "LHipJoint": "lhipjoint", "LeftUpLeg": "lfemur", "LeftLeg": "ltibia",
    "LeftFoot": "lfoot", "LeftToeBase": "ltoes", "RHipJoint": "rhipjoint", "RightUpLeg": "rfemur",
    "RightLeg": "rtibia", "RightFoot": "rfoot", "RightToeBase": "rtoes", "LowerBack": "lowerback",
    "Spine": "upperback", "Spine1": "thorax",
}  # fmt: skip
# The BVH has no bone for the thorax nor for the wrists: what hangs on them starts where they start.
BEHIND_A_MISSING_BONE = {
    "Neck": "lowerneck", "Neck1": "upperneck", "Head": "head", "LeftShoulder": "lclavicle",
    "LeftArm": "lhumerus", "LeftForeArm": "lradius", "LeftHand": "lwrist",
    "LeftFingerBase": "lhand", "LeftHandIndex1": "lfingers", "LThumb": "lthumb",
    "RightShoulder": "rclavicle", "RightArm": "rhumerus", "RightForeArm": "rradius",
    "RightHand": "rwrist", "RightFingerBase": "rhand", "RightHandIndex1": "rfingers",
    "RThumb": "rthumb",
}  # fmt: skip


def apart(amc: retime.Motion, bvh: retime.Motion, pairs: dict[str, str]) -> dict[str, float]:
    """The largest distance of each pair of joints, in shares of the body's height."""
    tall = find_body(amc).height * amc.units.metres
    a, b = positions(amc), positions(bvh)
    out = {}
    for name, other in pairs.items():
        gap = a[:, amc.skeleton.index(other)] - b[:, bvh.skeleton.index(name)]
        out[name] = float(np.linalg.norm(gap, axis=1).max() / tall)
    return out


def test_a_take_agrees_with_its_conversion(tmp_path: Path) -> None:
    amc = retime.read(SHARED / "samples" / "cmu_11_01.amc")
    bvh = retime.read(SHARED / "mocap" / "11_01.bvh")
    assert len(amc) == len(bvh) == 597
    assert amc.fps == bvh.fps
    assert amc.units.metres == pytest.approx(bvh.units.metres)
    assert max(apart(amc, bvh, SAME).values()) < 1e-4
    # With the two bones that the conversion leaves out at no length, all joints agree.
    text = (SHARED / "samples" / "cmu_11.asf").read_text()
    for name in ("thorax", "lwrist", "rwrist"):
        head, found, tail = text.partition(f"name {name}\n")
        assert found
        before, word, after = tail.partition("length ")
        text = head + found + before + word + "0 #" + after
    (tmp_path / "short.asf").write_text(text)
    source = SHARED / "samples" / "cmu_11_01.amc"
    short = retime.read(source, skeleton=tmp_path / "short.asf")
    assert max(apart(short, bvh, SAME | BEHIND_A_MISSING_BONE).values()) < 1e-4


def test_it_is_written_back(tmp_path: Path) -> None:
    source = SHARED / "samples" / "cmu_11_01.amc"
    motion = retime.read(source)
    retime.write(motion, tmp_path / "same.amc")
    assert (tmp_path / "same.amc").read_bytes() == source.read_bytes()
    slow = apply(motion, TimeWarp([0, 7], [0, motion.duration]))
    retime.write(slow, tmp_path / "slow.amc")
    again = retime.read(tmp_path / "slow.amc")
    assert np.abs(positions(again) - positions(slow)).max() < 1e-4
