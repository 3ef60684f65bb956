"""Slices, joins, and motions of arrays."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from fbx_making import made_of
from retime import InputError, Motion, TimeWarp, concatenate, quat, samples, trim
from retime.motion.touched import Touched
from retime.notes import as_notes

JUMP = samples.jump()


def test_a_slice_has_its_frames_at_their_times() -> None:
    part = JUMP[10:50]
    np.testing.assert_array_equal(part.rotations, JUMP.rotations[10:50])
    np.testing.assert_allclose(part.times, JUMP.times[10:50], atol=1e-12)
    np.testing.assert_array_equal(JUMP[-5:].root_translation, JUMP.root_translation[-5:])
    assert JUMP[:] is JUMP
    assert len(JUMP[:5000]) == len(JUMP)


def test_a_slice_by_seconds_leaves_out_its_end_and_between_keeps_it() -> None:
    assert JUMP[1.0:2.0].domain == pytest.approx((1.0, 119 / 60))
    assert JUMP.between(1.0, 2.0).domain == pytest.approx((1.0, 2.0))
    assert JUMP.between("60f", "2s").domain == pytest.approx((1.0, 2.0))
    assert JUMP.between("50%").domain == pytest.approx((1.6333, 3.25), abs=0.01)
    whole = concatenate(JUMP[:1.5], JUMP[1.5:])
    np.testing.assert_array_equal(whole.times, JUMP.times)


def test_every_second_frame_is_at_half_the_rate() -> None:
    thin = JUMP[::2]
    assert thin.rate == 30
    np.testing.assert_allclose(thin.times, JUMP.times[::2], atol=1e-12)


def test_trim_moves_the_part_to_the_start() -> None:
    part = trim(JUMP, 1.0, 2.0)
    assert part.domain == pytest.approx((0.0, 1.0))
    np.testing.assert_array_equal(part.rotations, JUMP.rotations[60:121])


UNEVEN = replace(JUMP, sample_times=np.cumsum(np.linspace(0.01, 0.05, len(JUMP))))
EMPTY = JUMP[:0]


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: JUMP[300:400], "frames 300 to 400 are outside the clip, which has 196 frames"),
        (lambda: JUMP[20:10], "frames 20 to 10 are outside"),
        (lambda: JUMP[9.0:10.0], "9 s is outside the clip, 0 to 3.25 s"),
        (lambda: JUMP[::-1], "runs forwards"),
        (lambda: JUMP[3], "motion\\[10:50\\] are frames"),  # type: ignore[index]
        (lambda: JUMP["a":"b"], "is not a time"),
        (lambda: JUMP.between(1, 9), "1 to 9 s is not a part of the clip"),
        (lambda: JUMP.between(2, 1), "2 to 1 s is not a part of the clip"),
        (lambda: JUMP.between(1.001, 1.002), "the clip has no frame at"),
        (lambda: JUMP.between(float("nan")), "start is nan, which is not a time"),
        (lambda: EMPTY.between(0, 1), "no frames"),
        (lambda: JUMP[:1].between("50%"), "start is 50%, but a clip of one frame has no length"),
        (lambda: UNEVEN.between("10f"), "start is 10f, but the clip's frames are unevenly spaced"),
        (lambda: JUMP.resample(0), "frame rate must be above 0"),
        (lambda: concatenate(), "give the motions to join"),
        (lambda: concatenate([JUMP, 3]), "motions are joined, not int"),  # type: ignore[list-item]
        (lambda: concatenate(JUMP, JUMP.resample(30)), "clip 2 has 30 fps and clip 1 60"),
        (
            lambda: concatenate(JUMP, replace(JUMP, units=retime.Units(0.01))),
            "clip 2 is in units of 0.01 m",
        ),
    ],
)
def test_what_makes_no_sense_is_one_sentence(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as e:
        wrong()
    assert "\n" not in str(e.value)


def test_joins_of_other_skeletons_list_the_differences() -> None:
    joints = JUMP.skeleton
    names = ("Pelvis", *joints.names[1:])
    parents = joints.parents.copy()
    parents[-1] = 0
    other = replace(
        JUMP,
        skeleton=replace(joints, names=names, parents=parents, file_names=()),
        translations={"Pelvis": JUMP.root_translation},
    )
    with pytest.raises(InputError) as e:
        concatenate(JUMP, other)
    assert "clip 2 differs from clip 1 in its skeleton" in str(e.value)
    assert f"lacks 1 joints ({joints.names[0]})" in str(e.value)
    assert "has 1 more (Pelvis)" in str(e.value)
    assert joints.names[-1] in str(e.value)


def test_clips_follow_each_other_a_frame_apart() -> None:
    walk = replace(JUMP, start=7.0, notes=as_notes(["another take"]))
    both = concatenate(JUMP, walk)
    assert len(both) == 2 * len(JUMP)
    np.testing.assert_allclose(np.diff(both.times), 1 / 60, atol=1e-12)
    np.testing.assert_array_equal(both.rotations[len(JUMP) :][0], JUMP.rotations[0])
    assert "another take" in both.notes
    at_30 = concatenate([JUMP, JUMP.resample(30)], fps=30)
    assert at_30.rate == 30
    assert at_30.duration == pytest.approx(2 * 3.25 + 1 / 30, abs=0.04)


def test_uneven_clips_join_at_their_own_times() -> None:
    whole = concatenate(UNEVEN[:70], UNEVEN[70:])
    np.testing.assert_array_equal(whole.times, UNEVEN.times)


def test_bones_of_other_lengths_are_said() -> None:
    joints = JUMP.skeleton
    long = replace(JUMP, skeleton=replace(joints, offsets=1.1 * joints.offsets))
    assert any("bone lengths differ in clip 2" in n for n in concatenate(JUMP, long).notes)


# ---- slices go back into their file


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    usd = (".usda",) if find_spec("pxr") else ()
    made = {s: folder / f"jump{s}" for s in (".bvh", ".glb", ".npz", *usd)}
    for path in made.values():
        retime.write(JUMP, path)
    made[".fbx"] = made_of(JUMP).write(folder / "jump.fbx")
    return made


def _of(files: dict[str, Path], suffix: str) -> Path:
    if suffix not in files:
        pytest.skip(f"what reads {suffix} is not installed")
    return files[suffix]


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".usda", ".npz", ".fbx"])
def test_pieces_of_a_file_make_the_file_again(
    files: dict[str, Path], suffix: str, tmp_path: Path
) -> None:
    m = retime.read(_of(files, suffix))
    whole = concatenate(m[:60], m[60:])
    assert whole.rotations.tobytes() == m.rotations.tobytes()
    np.testing.assert_array_equal(whole.times, m.times)
    assert whole.notes == m.notes
    assert whole.origin is not None
    assert not whole.touched
    retime.write(whole, tmp_path / f"again{suffix}")
    again = retime.read(tmp_path / f"again{suffix}")
    assert quat.angle(again.rotations, m.rotations).max() < 2e-3
    np.testing.assert_allclose(again.times, m.times, atol=1e-5)


@pytest.mark.parametrize("suffix", [".glb", ".usda", ".fbx", ".bvh"])
def test_a_slice_is_retimed_in_place(files: dict[str, Path], suffix: str, tmp_path: Path) -> None:
    m = retime.read(_of(files, suffix))
    part = trim(m, 1.0, 2.0)
    assert part.origin is not None
    assert part.origin.sha256 == m.origin.sha256  # type: ignore[union-attr]
    slow = retime.apply(part, TimeWarp([0.0, 1.5], [0.0, 1.0]))
    assert slow.touched == Touched()
    retime.write(slow, tmp_path / f"slow{suffix}")
    written = retime.read(tmp_path / f"slow{suffix}")
    assert written.duration == pytest.approx(1.5, abs=1e-4)
    # What is shown half way is what the file showed half way between the ends.
    middle = retime.apply(written, TimeWarp.identity(*written.domain), times=[0.75])
    wanted = retime.apply(m, TimeWarp.identity(*m.domain), times=[1.5])
    off = retime.positions(middle) - retime.positions(wanted)
    assert np.abs(off).max() < 1e-3


def test_a_gap_between_pieces_is_a_jump_of_time(files: dict[str, Path], tmp_path: Path) -> None:
    m = retime.read(files[".glb"])
    cut = concatenate(m[:60], m[120:])
    assert cut.origin is not None
    assert cut.origin.warp is not None
    retime.write(cut, tmp_path / "cut.glb")
    written = retime.read(tmp_path / "cut.glb")
    shown = retime.apply(written, TimeWarp.identity(*written.domain), times=cut.times)
    assert np.abs(retime.positions(shown) - retime.positions(cut)).max() < 1e-3
    backwards = concatenate(m[120:], m[:60])
    assert backwards.origin is None  # no warp shows the end before the start
    retime.write(backwards, tmp_path / "other.glb")
    assert retime.read(tmp_path / "other.glb").duration == pytest.approx(backwards.duration)


def test_an_edited_joint_stays_edited_in_a_slice(files: dict[str, Path]) -> None:
    m = retime.read(files[".glb"])
    turned = m.rotations.copy()
    turned[:, 3] = quat.from_axis_angle([1, 0, 0], 0.3)
    edited = replace(m, rotations=turned)
    assert edited[20:80].touched.rotations == {m.skeleton.names[3]}
    assert concatenate(edited[:20], edited[20:]).touched.rotations == {m.skeleton.names[3]}


# ---- arrays and tables


class Tensor:
    """What a torch tensor is to numpy: something that makes an array of itself."""

    def __init__(self, values: Any, grad: bool = False) -> None:
        self.values, self.grad = np.asarray(values), grad

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values.astype(dtype)


FORMS = {
    "quaternions": JUMP.rotations,
    "matrices": quat.to_matrix(JUMP.rotations),
    "6D": JUMP.rotations_6d,
    "vectors": quat.log(JUMP.rotations),
    "tensor": Tensor(JUMP.rotations_6d),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_motion_is_built_of_any_form_of_rotations(form: str) -> None:
    made = Motion.from_arrays(
        FORMS[form],
        JUMP.skeleton.parents,
        fps=60,
        names=JUMP.skeleton.names,
        offsets=Tensor(JUMP.skeleton.offsets),
        root_translation=JUMP.root_translation,
        units=JUMP.units,
    )
    np.testing.assert_allclose(retime.positions(made), retime.positions(JUMP), atol=1e-6)


def test_a_motion_is_built_of_positions() -> None:
    places = retime.positions(JUMP)
    made = Motion.from_arrays(positions=places, parents=JUMP.skeleton.parents, fps=60)
    np.testing.assert_allclose(retime.positions(made), places, atol=1e-9)
    assert made.skeleton.names[1] == "joint_1"


@pytest.mark.parametrize(
    "given, said",
    [
        ({}, "parents is a list"),
        ({"parents": [-1, 0]}, "give rotations, as quaternions wxyz"),
        (
            {"rotations": np.zeros((4, 3, 4)), "parents": [-1, 0], "offsets": np.zeros((2, 3))},
            "rotations has shape \\(4, 3, 4\\), expected .* with J = 2 joints",
        ),
        ({"positions": np.zeros((4, 2)), "parents": [-1, 0]}, "expected \\(F, 2, 3\\)"),
        ({"rotations": np.zeros((4, 2, 6)), "parents": [-1, 0]}, "give offsets \\(2, 3\\)"),
        (
            {"rotations": np.zeros((4, 2, 6)), "parents": [-1, 0], "offsets": np.zeros((2, 3))},
            "parallel or zero",
        ),
        (
            {"rotations": np.zeros((4, 1, 3, 3)), "parents": [-1]},
            "matrices that are not rotations",
        ),
        ({"rotations": Tensor(0, grad=True), "parents": [-1]}, "requires grad"),
        (
            {"rotations": np.zeros((4, 1, 3)), "parents": [-1], "root_translation": [1, 2]},
            "root_translation has shape \\(2,\\), expected \\(4, 3\\)",
        ),
        ({"rotations": np.zeros((4, 1, 3)), "parents": [-1], "names": "ab"}, "names has 2 entries"),
    ],
)
def test_wrong_arrays_say_what_shape_is_wanted(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Motion.from_arrays(**given)


def test_a_table_has_a_row_a_frame() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    table = JUMP.to_dataframe()
    hips = JUMP.skeleton.names[0]
    assert table.shape == (len(JUMP), 3 * len(JUMP.skeleton))
    np.testing.assert_allclose(table[hips].to_numpy(), retime.positions(JUMP)[:, 0])
    np.testing.assert_allclose(table.index, JUMP.times)
    assert JUMP.to_dataframe("rotations").shape[1] == 4 * len(JUMP.skeleton)
    assert JUMP.to_dataframe("translations").columns[0] == (hips, "x")


def test_a_table_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(retime.MissingDependencyError, match=r"\[notebook\]"):
        JUMP.to_dataframe()
