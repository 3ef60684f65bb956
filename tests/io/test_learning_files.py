"""Files of learning datasets: joint arrays, features of HumanML3D, AIST++ pickles."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, find_body, positions, quat
from retime.errors import RetimeError
from retime.io.amass.body_model import model_of

Run = Callable[..., tuple[int, str, str]]
F = 60
MODEL = model_of(22)
assert MODEL is not None


def joints() -> Any:
    """Make the places (F, 22, 3) of a body that walks along a curve and swings its arms."""
    t = np.arange(F) / 20
    turns = np.zeros((F, 22, 3))
    names = MODEL.skeleton.names  # type: ignore[union-attr]
    turns[:, names.index("left_shoulder"), 0] = 0.6 * np.sin(4 * t)
    turns[:, names.index("right_hip"), 0] = 0.5 * np.sin(4 * t)
    turns[:, 0, 1] = 0.4 * t
    motion = retime.Motion.from_arrays(
        turns,
        MODEL.skeleton.parents,  # type: ignore[union-attr]
        names=names,
        offsets=MODEL.skeleton.offsets,  # type: ignore[union-attr]
        root_translation=np.stack([t, 0.93 + 0.02 * np.sin(8 * t), t**2 / 4], axis=1),
        fps=20,
    )
    places = np.empty((F, 22, 3))
    places[:, MODEL.order] = positions(motion)  # type: ignore[union-attr]
    return places


def features(places: Any) -> Any:
    """Take features of HumanML3D from places, by the definition of the dataset's authors."""
    across = places[:, 1] - places[:, 2] + places[:, 16] - places[:, 17]  # right to left
    ahead = np.cross(across, [0, 1, 0])
    angle = np.arctan2(ahead[:, 0], ahead[:, 2])
    half = -angle / 2  # turns a body to face +Z
    facing = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    step = np.diff(places[:, 0], axis=0)
    out = np.zeros((len(places) - 1, 263))
    out[:, 0] = np.diff(half)
    out[:, 1:3] = quat.rotate(facing[1:], step)[:, [0, 2]]
    out[:, 3] = places[:-1, 0, 1]
    local = places - places[:, :1] * [1, 0, 1]
    out[:, 4:67] = quat.rotate(facing[:, None], local)[:-1, 1:].reshape(len(out), -1)
    out[:, 67:193] = np.tile([1.0, 0, 0, 0, 1, 0], 21)  # rotations as two axes
    speeds = np.diff(places, axis=0)
    out[:, 193:259] = quat.rotate(facing[:-1, None], speeds).reshape(len(out), -1)
    feet = [7, 10, 8, 11]  # ankle and toes, left and right: they rest below 0.002 squared
    out[:, 259:] = (speeds[:, feet] ** 2).sum(axis=-1) < 0.002
    return out.astype(np.float32)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    np.save(tmp_path / "clip.npy", joints().astype(np.float32))
    return tmp_path / "clip.npy"


def test_joint_arrays_are_read(clip: Path) -> None:
    motion = retime.read(clip)
    assert (motion.fps, motion.units.up, len(motion)) == (20.0, "Y", F)
    assert any("20 fps is assumed, as in HumanML3D" in n for n in motion.notes)
    body = find_body(motion)
    assert body.is_biped
    order = [motion.skeleton.index(n) for n in ("pelvis", "left_hip", "right_wrist")]
    np.testing.assert_allclose(positions(motion)[:, order], joints()[:, [0, 1, 21]], atol=1e-6)


def test_a_retimed_array_keeps_its_joints_and_type(clip: Path, tmp_path: Path) -> None:
    motion = retime.read(clip)
    half = apply(motion, TimeWarp([0, motion.duration / 2], [0, motion.duration]), fps=20)
    retime.write(half, tmp_path / "half.npy")
    out = np.load(tmp_path / "half.npy")
    assert (out.dtype, out.shape[1:]) == (np.float32, (22, 3))
    np.testing.assert_allclose(out[10], joints()[20], atol=1e-5)
    retime.write(motion, tmp_path / "same.npy")
    assert (tmp_path / "same.npy").read_bytes() == clip.read_bytes()


def test_features_give_the_places_that_they_were_taken_from(tmp_path: Path) -> None:
    places = joints()
    np.save(tmp_path / "features.npy", features(places))
    motion = retime.read(tmp_path / "features.npy")
    found = np.empty((F - 1, 22, 3))
    found[:, MODEL.order] = positions(motion)  # type: ignore[union-attr]
    # Features begin at the origin and face ahead: distances and heights are what is kept.
    between = np.linalg.norm(found[:, :, None] - found[:, None], axis=-1)
    wanted = np.linalg.norm(places[:-1, :, None] - places[:-1, None], axis=-1)
    np.testing.assert_allclose(between, wanted, atol=1e-5)
    np.testing.assert_allclose(found[..., 1], places[:-1, :, 1], atol=1e-5)
    way = np.linalg.norm(np.diff(found[:, 0], axis=0), axis=1)
    np.testing.assert_allclose(
        way, np.linalg.norm(np.diff(places[:-1, 0], axis=0), axis=1), atol=1e-5
    )
    ends = np.linalg.norm(found[-1, 0] - found[0, 0])
    assert ends == pytest.approx(np.linalg.norm(places[-2, 0] - places[0, 0]), abs=1e-4)
    assert any("features of HumanML3D" in n for n in motion.notes)


def test_other_points_need_a_rate(tmp_path: Path) -> None:
    np.save(tmp_path / "points.npy", np.random.default_rng(1).normal(size=(9, 17, 3)))
    with pytest.raises(FormatError, match="has no frame rate"):
        retime.read(tmp_path / "points.npy")
    assert retime.read(tmp_path / "points.npy", fps=50).skeleton.names[-1] == "point_16"


@pytest.mark.parametrize(
    "values, said",
    [
        (np.zeros((10, 66)), "an array \\(10, 66\\) of float64 is not a motion"),
        (np.zeros(263), "an array \\(263,\\)"),
        (np.zeros((0, 22, 3)), "has no frames"),
        (np.full((4, 22, 3), np.nan), "every value of 'pelvis' is missing"),
        (np.full((4, 22, 3), np.inf), "values at frame 0 are infinite"),
        (np.random.default_rng(0).normal(size=(30, 263)), "features are normalised"),
        (np.array(["a"]), "is not a motion"),
        (np.array([{}], dtype=object), "pickled, which may run code"),
    ],
)
def test_other_arrays_are_a_sentence(tmp_path: Path, values: Any, said: str) -> None:
    np.save(tmp_path / "a.npy", values, allow_pickle=True)
    with pytest.raises(FormatError, match=said):
        retime.read(tmp_path / "a.npy")


def test_a_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 22, 3)}
    )
    (tmp_path / "a.npy").write_bytes(buffer.getvalue())
    with pytest.raises(FormatError, match=r"more than retime reads|is cut off"):
        retime.read(tmp_path / "a.npy")


# ---- archives of another kind


def test_an_archive_of_another_kind_says_what_it_holds(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", joints=np.zeros((4, 22, 3)), label="walk")
    with pytest.raises(
        FormatError, match=r"no motion, but joints \(4, 22, 3\), label\. retime reads"
    ):
        retime.read(tmp_path / "a.npz")


def test_an_archive_may_tell_its_rate_as_fps(tmp_path: Path) -> None:
    poses = np.zeros((30, 72))
    np.savez(tmp_path / "a.npz", poses=poses, trans=np.zeros((30, 3)), fps=np.array(25.0))
    motion = retime.read(tmp_path / "a.npz")
    assert (motion.fps, motion.units.up) == (25.0, "Y")  # it stands along Y, and is no AMASS file
    slow = apply(motion, TimeWarp([0, 2 * motion.duration], [0, motion.duration]), fps=50)
    retime.write(slow, tmp_path / "b.npz")
    assert float(np.load(tmp_path / "b.npz")["fps"]) == 50.0


# ---- AIST++


def aist(**more: Any) -> dict[str, Any]:
    t = np.arange(90) / 60
    poses = np.zeros((90, 72))
    poses[:, 3 * 16] = np.sin(t)
    trans = np.stack([10 * t, 90 + 0 * t, 0 * t], axis=1)
    return {
        "smpl_loss": 0.5,
        "smpl_poses": poses,
        "smpl_scaling": np.array([92.0]),
        "smpl_trans": trans,
    } | more


@pytest.mark.parametrize("protocol", [0, 2, 3, 4, 5])
def test_an_aist_motion_is_read_and_written_back(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "gBR_sBM.pkl"
    path.write_bytes(pickle.dumps(aist(), protocol=protocol))
    motion = retime.read(path)
    assert (motion.fps, len(motion), motion.units.up) == (60.0, 90, "Y")
    np.testing.assert_allclose(motion.root_translation, aist()["smpl_trans"] / 92, atol=1e-9)
    arm = motion.rotations[:, motion.skeleton.index("left_shoulder")]
    np.testing.assert_allclose(quat.log(arm)[:, 0], np.sin(np.arange(90) / 60), atol=1e-9)
    half = apply(motion, TimeWarp([0, 0.5], [0, 1.0]))
    retime.write(half, tmp_path / "half.pkl")
    written = pickle.loads((tmp_path / "half.pkl").read_bytes())
    assert written["smpl_poses"].shape == (31, 72)
    np.testing.assert_allclose(written["smpl_trans"][15], aist()["smpl_trans"][30], atol=1e-6)
    assert written["smpl_loss"] == 0.5
    retime.write(motion, tmp_path / "same.pkl")
    assert (tmp_path / "same.pkl").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("module", ["numpy.core.multiarray", "numpy._core.multiarray"])
def test_a_pickle_in_the_shape_of_the_dataset(tmp_path: Path, module: str) -> None:
    """Poses (N, 24, 3) in single precision, as the API tells; numpy of then named itself so."""
    plain = aist()
    told = {k: np.float32(v) if isinstance(v, float) else v for k, v in plain.items()}
    told["smpl_poses"] = plain["smpl_poses"].reshape(-1, 24, 3).astype(np.float32)
    data = pickle.dumps(told, protocol=2)
    for name in (b"numpy._core.multiarray", b"numpy.core.multiarray"):
        data = data.replace(b"c" + name + b"\n", b"c" + module.encode() + b"\n")
    path = tmp_path / "gBR_sBM_cAll_d04_mBR0_ch01.pkl"
    path.write_bytes(data)
    motion = retime.read(path)
    arm = motion.rotations[:, motion.skeleton.index("left_shoulder")]
    np.testing.assert_allclose(quat.log(arm)[:, 0], np.sin(np.arange(90) / 60), atol=1e-6)
    retime.write(apply(motion, TimeWarp([0, 0.5], [0, 1.0])), tmp_path / "half.pkl")
    written = pickle.loads((tmp_path / "half.pkl").read_bytes())
    assert (written["smpl_poses"].shape, written["smpl_poses"].dtype) == ((31, 24, 3), np.float32)


class Evil:
    def __reduce__(self) -> Any:
        return os.mkdir, ("owned",)


class Subtle:
    def __reduce__(self) -> Any:
        return np.load, ("x",)


@pytest.mark.parametrize(
    "value, said",
    [
        (Evil(), "posix.mkdir, which is more than numbers"),
        (aist(more=Evil()), "it is not read, because it may run code"),
        (Subtle(), "more than numbers and arrays"),
        (aist(smpl_poses=np.array([{}], dtype=object)), "more than numbers and arrays|not a whole"),
        (
            {"keypoints3d": np.zeros((4, 17, 3))},
            "contains keypoints3d; retime reads AIST",
        ),
        ([1, 2], "contains no mapping"),
        (aist(smpl_poses=np.zeros((90, 71))), "smpl_poses has shape"),
        (aist(smpl_trans=np.zeros((3, 3))), "smpl_trans does not have shape"),
        (aist(smpl_scaling=np.array([0.0])), "not one number above 0"),
        (aist(smpl_trans=np.full((90, 3), np.inf)), "not finite"),
    ],
)
def test_other_pickles_are_a_sentence_and_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: Any, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(value))
    with pytest.raises(FormatError, match=said):
        retime.read(tmp_path / "a.pkl")
    assert not (tmp_path / "owned").exists()


def test_damaged_files_are_sentences(tmp_path: Path, clip: Path) -> None:
    plain = pickle.dumps(aist(), protocol=4)
    for suffix, data in ((".pkl", plain[:4000]), (".npy", clip.read_bytes()[:2000])):
        for mutant in mutants(data, seed=1, head=400):
            path = tmp_path / f"m{suffix}"
            path.write_bytes(mutant)
            with contextlib.suppress(RetimeError):  # anything else would be a fault
                retime.read(path)


def test_only_their_own_motions_become_pickles(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can be written as one"):
        retime.write(retime.samples.jump(), tmp_path / "jump.pkl")


def test_a_pose_is_not_retimed(run: Run, tmp_path: Path) -> None:
    retime.write(retime.samples.jump()[:1], tmp_path / "pose.bvh")
    out = tmp_path / "out.bvh"
    status, _, err = run("apply", tmp_path / "pose.bvh", out, "--duration", "2")
    assert status == 2
    assert "a single pose of one frame" in err


def test_lengths_that_became_others_are_told_apart() -> None:
    jump = retime.samples.jump()
    long = apply(jump, TimeWarp([0, 24.5512], [0, 3.25]))
    assert any("from 24.551 s to 24.55 s, 1474 frames at 60 fps" in n for n in long.notes)
    assert not any("rounded" in n for n in apply(jump, TimeWarp([0, 2.00001], [0, 3.25])).notes)
