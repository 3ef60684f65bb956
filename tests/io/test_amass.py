"""AMASS and other archives of SMPL parameters."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from mutating import ROUNDS, mutants
from retime import FormatError, FormatWarning, InputError, TimeWarp, apply, find_body, positions
from retime.errors import RetimeError
from retime.io.amass.body_model import MODELS, model_of


def archive(joints: int = 52, frames: int = 40, **more: Any) -> dict[str, Any]:
    """Make the arrays of a clip: a body that stands in Z up, bends and waves."""
    draw = np.random.default_rng(joints)
    t = np.linspace(0, 1, frames)
    poses = np.zeros((frames, joints, 3))
    poses[:, 1:22] = 0.3 * np.sin(t[:, None, None] * draw.uniform(1, 6, (1, 21, 3)))
    poses[:, 0, 0] = np.pi / 2  # Y up in the model, Z up in the data
    return {
        "trans": np.stack([t, 0.1 * np.sin(t), 0.95 + 0 * t], axis=1),
        "gender": np.array("female"),
        "mocap_framerate": np.array(60.0),
        "betas": draw.normal(size=16),
        "dmpls": draw.normal(size=(frames, 8)),
        "poses": poses.reshape(frames, -1),
    } | more


def save(path: Path, arrays: dict[str, Any], *, pack: bool = False) -> Path:
    (np.savez_compressed if pack else np.savez)(path, **arrays)
    return path


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return save(tmp_path / "clip.npz", archive())


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as z:
        return {n: z.read(n) for n in z.namelist()}


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_every_model_is_read(tmp_path: Path, joints: int) -> None:
    motion = retime.read(save(tmp_path / "a.npz", archive(joints), pack=joints == 55))
    assert len(motion.skeleton) == joints
    assert (motion.fps, motion.units.metres, motion.units.up) == (60.0, 1.0, "Z")
    assert any("proportions are approximate" in n for n in motion.notes)
    body = find_body(motion)
    assert body.is_biped
    assert len(body.roles) == 22
    assert body.name("left_toe") == "left_foot"
    assert 1.5 < body.height < 1.8
    points = positions(motion, end_sites=True)
    head, foot = (points[:, motion.skeleton.index(n), 1] for n in ("head", "left_ankle"))
    assert (head - foot).min() > 1.0  # it stands
    assert np.abs(motion.translations["pelvis"] - archive(joints)["trans"]).max() == 0


def test_the_neutral_body_has_human_proportions() -> None:
    model = model_of(52)
    assert model is not None
    skeleton = model.skeleton
    bone = {
        n: float(np.linalg.norm(o)) for n, o in zip(skeleton.names, skeleton.offsets, strict=True)
    }
    stature = 1.70
    assert bone["left_knee"] == pytest.approx(0.245 * stature)
    assert bone["left_ankle"] == pytest.approx(0.246 * stature)
    assert bone["left_elbow"] == pytest.approx(0.186 * stature)
    assert bone["left_wrist"] == pytest.approx(0.146 * stature)
    for name in skeleton.names:  # the sides mirror each other
        if name.startswith("left_"):
            left = skeleton.offsets[skeleton.index(name)]
            right = skeleton.offsets[skeleton.index(name.replace("left", "right"))]
            assert left.tolist() == pytest.approx((right * [-1, 1, 1]).tolist())
    assert {len(m) for m in MODELS.values()} == {22, 24, 52, 55}


def test_rotations_are_those_of_the_models_joints(clip: Path) -> None:
    """Bending the left elbow by the file's own vector bends that joint, and no other."""
    arrays = archive()
    poses = np.zeros_like(arrays["poses"])
    poses[:, 3 * 18 + 1] = 0.7  # joint 18 is the left elbow
    save(clip, arrays | {"poses": poses})
    motion = retime.read(clip)
    turned = np.linalg.norm(retime.quat.log(motion.rotations), axis=-1).max(axis=0)
    assert motion.skeleton.names[int(np.argmax(turned))] == "left_elbow"
    assert sorted(turned)[-2:] == pytest.approx([0.0, 0.7])


def test_it_goes_back_into_the_same_archive(clip: Path, tmp_path: Path) -> None:
    motion = retime.read(clip)
    retime.write(motion, tmp_path / "same.npz")
    assert (tmp_path / "same.npz").read_bytes() == clip.read_bytes()
    slow = apply(motion, TimeWarp([0, 2 * motion.duration], [0, motion.duration]))
    retime.write(slow, tmp_path / "slow.npz")
    old, new = members(clip), members(tmp_path / "slow.npz")
    assert list(old) == list(new)
    assert {n for n in old if old[n] == new[n]} == {
        "gender.npy",
        "betas.npy",
        "mocap_framerate.npy",
    }
    with np.load(clip) as a, np.load(tmp_path / "slow.npz", allow_pickle=False) as b:
        assert len(b["poses"]) == len(b["trans"]) == len(b["dmpls"]) == 79
        assert np.abs(b["dmpls"][::2] - a["dmpls"]).max() < 1e-9
        assert np.abs(b["dmpls"][1::2] - (a["dmpls"][1:] + a["dmpls"][:-1]) / 2).max() < 1e-9
        assert np.abs(b["poses"][::2] - a["poses"]).max() < 1e-9
    again = retime.read(tmp_path / "slow.npz")
    assert np.abs(positions(again) - positions(slow)).max() < 1e-9


def test_the_rate_types_and_parts_are_kept_in_step(tmp_path: Path) -> None:
    whole = archive(55)
    flat = whole["poses"].astype(np.float32)
    parts = {
        "root_orient": flat[:, :3],
        "pose_body": flat[:, 3:66],
        "pose_jaw": flat[:, 66:69],
        "pose_eye": flat[:, 69:75],
        "pose_hand": flat[:, 75:],
    }
    both = whole | parts | {
        "poses": flat,
        "mocap_frame_rate": np.array([60.0]),
        "mocap_time_length": np.array(40 / 60),
        "labels": np.array([f"frame {k}" for k in range(40)]),
    }  # fmt: skip
    del both["mocap_framerate"]
    motion = retime.read(save(tmp_path / "x.npz", both))
    retime.write(apply(motion, TimeWarp.identity(*motion.domain), fps=30), tmp_path / "y.npz")
    with np.load(tmp_path / "y.npz", allow_pickle=False) as y:
        assert y["mocap_frame_rate"].tolist() == [30.0]
        assert y["poses"].dtype == np.float32
        assert len(y["poses"]) == 21
        assert y["mocap_time_length"] == pytest.approx(21 / 30)
        assert np.array_equal(np.concatenate([y[n] for n in parts], axis=1), y["poses"])
        assert y["labels"][1] == "frame 2"
    only = {n: v for n, v in both.items() if n != "poses"}
    alone = retime.read(save(tmp_path / "z.npz", only))
    assert np.abs(alone.rotations - motion.rotations).max() < 1e-6


def test_a_rate_that_was_given_is_written(clip: Path, tmp_path: Path) -> None:
    motion = retime.read(clip, fps=24.0)
    retime.write(motion, tmp_path / "slow.npz")
    again = retime.read(tmp_path / "slow.npz")
    assert (again.fps, len(again)) == (24.0, len(motion))


def test_vectors_stay_on_the_archives_side_of_a_turn(clip: Path, tmp_path: Path) -> None:
    arrays = archive()
    arrays["poses"][:, 1] = np.linspace(3.0, 4.5, 40)  # beyond half a turn
    arrays["poses"][:, 0] = arrays["poses"][:, 2] = 0
    motion = retime.read(save(clip, arrays))
    retime.write(apply(motion, TimeWarp([0, 1.3], [0, motion.duration])), tmp_path / "o.npz")
    with np.load(tmp_path / "o.npz") as o:
        assert np.abs(np.diff(o["poses"][:, 1])).max() < 0.1
        assert o["poses"][-1, 1] == pytest.approx(4.5)


def test_up_is_z_for_amass_and_seen_for_others(clip: Path) -> None:
    upright = archive()
    upright["poses"][:, :3] = 0
    upright["trans"][:, 1], upright["trans"][:, 2] = 0.95, 0
    motion = retime.read(save(clip, upright))
    assert motion.units.up == "Z"
    assert any("stands along Y" in n for n in motion.notes)
    assert retime.read(clip, up="Y").units.up == "Y"
    del upright["mocap_framerate"]
    save(clip, upright)
    with pytest.raises(FormatError, match="has no frame rate; give it"):
        retime.read(clip)
    assert retime.read(clip, fps=30).units.up == "Y"


def test_other_formats_and_commands(
    clip: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    motion = retime.read(clip)
    for suffix in ("bvh", "glb", "csv"):
        status, _, said = run("convert", clip, tmp_path / f"o.{suffix}")
        assert status == 0, said
    again = retime.read(tmp_path / "o.bvh", rest_frame="keep", scale=1.0, up="Z")
    assert np.abs(positions(again) - positions(motion)).max() < 1e-5
    status, out, _ = run("info", clip, "--json")
    assert '"format": "amass"' in out
    # retime's own archives keep their format, wherever they came from.
    retime.write(retime.read(tmp_path / "o.bvh"), tmp_path / "own.npz")
    assert '"format": "npz"' in run("info", tmp_path / "own.npz", "--json")[1]


def test_what_an_archive_cannot_hold(clip: Path, tmp_path: Path) -> None:
    motion = retime.read(clip)
    hand = np.zeros((len(motion), 3))
    moved = replace(motion, translations={**motion.translations, "left_wrist": hand})
    with pytest.warns(FormatWarning, match="only the root's translation"):
        retime.write(moved, tmp_path / "o.npz")
    uneven = apply(motion, TimeWarp.identity(*motion.domain), times=[0, 0.1, 0.3])
    with pytest.raises(InputError, match="evenly spaced"):
        retime.write(uneven, tmp_path / "p.npz")
    assert not (tmp_path / "p.npz").exists()


def test_a_set_aside_frame_is_restored(clip: Path, tmp_path: Path) -> None:
    motion = retime.read(clip, rest_frame="first")
    assert len(motion) == 39
    retime.write(apply(motion, TimeWarp([0, 1.0], [0, motion.duration])), tmp_path / "o.npz")
    with np.load(clip) as a, np.load(tmp_path / "o.npz") as b:
        assert np.abs(b["poses"][0] - a["poses"][0]).max() < 1e-9
        assert len(b["poses"]) == len(b["dmpls"]) == 62
        assert np.array_equal(b["dmpls"][1], a["dmpls"][1])


BAD: dict[str, dict[str, Any]] = {
    r"one of these widths: 66": {"poses": np.zeros((40, 100))},
    r"poses have shape \(40,\)": {"poses": np.zeros(40)},
    "trans has shape": {"trans": np.zeros((39, 3))},
    "poses contains no numbers": {"poses": np.full((40, 156), "x")},
    "poses has values that are not finite": {"poses": np.full((40, 156), np.inf)},
    "every value of 'pelvis' is missing": {"poses": np.full((40, 156), np.nan)},
    "has no frame rate": {"mocap_framerate": np.zeros(3)},
    "poses is pickled, which may run code": {"poses": np.array([[{}]], dtype=object)},
    "mocap_framerate is pickled": {"mocap_framerate": np.array({}, dtype=object)},
}


@pytest.mark.parametrize("word", BAD)
def test_a_bad_archive_is_a_sentence(clip: Path, word: str) -> None:
    save(clip, archive() | BAD[word])
    with pytest.raises(FormatError, match=word):
        retime.read(clip)


def test_nothing_is_unpickled_and_what_is_not_needed_stays_closed(
    clip: Path, tmp_path: Path
) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (pytest.fail, ("unpickled",))

    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "|O", "fortran_order": False, "shape": ()}
    )
    trap = buffer.getvalue() + pickle.dumps(Trap())
    with zipfile.ZipFile(clip, "a") as z:
        z.writestr("marker_data.npy", trap)
    motion = retime.read(clip)
    retime.write(apply(motion, TimeWarp([0, 1], [0, motion.duration])), tmp_path / "o.npz")
    assert members(tmp_path / "o.npz")["marker_data.npy"] == trap


def test_archives_without_motion(tmp_path: Path) -> None:
    shape = {"betas": np.zeros(16), "gender": np.array("male")}
    with pytest.raises(FormatError, match="contains no poses"):
        retime.read(save(tmp_path / "shape.npz", shape))
    with pytest.raises(FormatError, match="has no trans"):
        retime.read(save(tmp_path / "still.npz", {"poses": np.zeros((4, 156))}))
    with pytest.raises(FormatError, match="this archive contains no motion"):
        retime.read(save(tmp_path / "other.npz", {"x": np.zeros(3)}))


def test_damaged_archives_are_read_or_refused(clip: Path, tmp_path: Path) -> None:
    """Archives that are damaged as a whole, and whole archives of damaged arrays."""
    read = 0
    data = save(clip, archive(24, 4)).read_bytes()
    parts = members(clip)
    names = list(parts)

    def rewrapped() -> Iterator[bytes]:
        of = {n: mutants(parts[n], seed=k, head=130) for k, n in enumerate(names)}
        for k in range(ROUNDS):
            name = names[k % len(names)]
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as z:
                for n, d in (parts | {name: next(of[name])}).items():
                    z.writestr(n, d)
            yield buffer.getvalue()

    for mutant in chain(mutants(data, seed=5), rewrapped()):
        clip.write_bytes(mutant)
        try:
            motion = retime.read(clip)
            retime.write(apply(motion, TimeWarp([0, 1], [0, 0.05])), tmp_path / "o.npz")
            read += 1
        except RetimeError:
            pass
    assert read > ROUNDS // 10
