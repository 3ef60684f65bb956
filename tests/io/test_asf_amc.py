"""ASF and AMC: a skeleton in one file, its motion in another."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from asf_making import ASF, amc_text
from mutating import mutants
from retime import FormatError, FormatWarning, InputError, TimeWarp, apply, positions, quat
from retime.errors import RetimeError


@pytest.fixture
def amc(tmp_path: Path) -> Path:
    (tmp_path / "ann.asf").write_text(ASF)
    (tmp_path / "ann_01.amc").write_bytes(amc_text().encode())
    return tmp_path / "ann_01.amc"


def matrix(axis: str, degrees: float) -> np.ndarray:
    """A rotation matrix by the book, without the code under test."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i = "xyz".index(axis.lower())
    j, k = (i + 1) % 3, (i + 2) % 3
    out = np.eye(3)
    out[j, j] = out[k, k] = c
    out[k, j], out[j, k] = s, -s
    return out


def turned(order: str, degrees: list[float]) -> np.ndarray:
    """Rotations about fixed axes, the first applied first."""
    out = np.eye(3)
    for axis, angle in zip(order, degrees, strict=True):
        out = matrix(axis, angle) @ out
    return out


def test_joints_stand_where_the_books_formula_puts_them(amc: Path) -> None:
    motion = retime.read(amc)
    assert motion.skeleton.names == ("root", "lfemur", "ltibia", "lfoot", "rhipjoint")
    assert motion.fps == 120
    assert len(motion) == 30
    points = positions(motion, end_sites=True) / motion.units.metres
    for f in (0, 7, 29):
        a = round(20 * np.sin(f / 5), 4)
        root = turned("xyz", [round(v, 4) for v in (a, -2 * 20 * np.sin(f / 5), a / 2)])
        at = np.array([0.1 * f, 17, a / 20])
        femur_axes, tibia_axes = turned("xyz", [0, 0, 20]), turned("zyx", [90, 0, 30])
        femur = root @ femur_axes @ turned("xyz", [a, a / 2, -a]) @ femur_axes.T
        tibia = femur @ tibia_axes @ turned("x", [40 + a]) @ tibia_axes.T
        knee = at + femur @ [4.2, -5.6, 0]
        ankle = knee + tibia @ [0, -7.5, 0]
        for name, place in {"root": at, "lfemur": at, "ltibia": knee, "lfoot": ankle}.items():
            found = points[f, motion.skeleton.index(name)]
            assert np.abs(found - place).max() < 1e-3, (f, name)
    ends = [(motion.skeleton.names[s.parent], s.offset) for s in motion.skeleton.end_sites]
    assert ends == [("lfoot", (0.0, 0.0, 2.0)), ("rhipjoint", (-2.5, 0.0, 0.0))]


def test_the_frame_rate_is_asked_or_120_and_said(amc: Path) -> None:
    assert any("120 fps" in n for n in retime.read(amc).notes)
    asked = retime.read(amc, fps=60)
    assert asked.fps == 60
    assert not any("120" in n for n in asked.notes)
    amc.write_text(amc_text().replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 30"))
    told = retime.read(amc)
    assert told.fps == 30
    out = amc.with_name("ann_02.amc")
    retime.write(apply(told, TimeWarp.identity(*told.domain), fps=60), out)
    assert retime.read(out).fps == 60


def test_the_skeleton_is_found_beside_or_named(tmp_path: Path) -> None:
    amc = tmp_path / "a_b_01.amc"
    amc.write_text(amc_text())
    with pytest.raises(InputError, match=r"no \.asf file beside it; name it"):
        retime.read(amc)
    (tmp_path / "x.ASF").write_text(ASF)
    assert "its skeleton is x.ASF" in retime.read(amc).notes  # the only one
    (tmp_path / "y.asf").write_text(ASF)
    with pytest.raises(InputError, match=r"2 \.asf files beside it"):
        retime.read(amc)
    assert "its skeleton is y.asf" in retime.read(amc, skeleton=tmp_path / "y.asf").notes
    (tmp_path / "a.asf").write_text(ASF)
    assert "its skeleton is a.asf" in retime.read(amc).notes
    (tmp_path / "A_b.asf").write_text(ASF)
    assert "its skeleton is A_b.asf" in retime.read(amc).notes
    with pytest.raises(InputError, match="only a skeleton"):
        retime.read(tmp_path / "y.asf")
    retime.write(retime.samples.jump(), tmp_path / "jump.bvh")
    with pytest.raises(InputError, match="has its own skeleton"):
        retime.read(tmp_path / "jump.bvh", skeleton=tmp_path / "y.asf")


def test_radians_and_other_units(amc: Path) -> None:
    degrees = retime.read(amc)
    lines = []
    for line in amc_text().replace(":DEGREES", ":RADIANS").split("\r\n"):
        words = line.split()
        if len(words) > 1:
            first = 4 if words[0] == "root" else 1
            words[first:] = [repr(float(np.radians(float(w)))) for w in words[first:]]
        lines.append(" ".join(words))
    amc.write_text("\n".join(lines))
    again = retime.read(amc)
    assert quat.angle(again.rotations, degrees.rotations).max() < 1e-9
    assert degrees.units.metres == pytest.approx(0.0254 / 0.45)
    amc.with_name("ann.asf").write_text(ASF.replace("length 0.45", "length 1.0"))
    assert retime.read(amc).units.how in ("inferred", "assumed")


def test_an_unedited_file_keeps_its_bytes(amc: Path, tmp_path: Path) -> None:
    motion = retime.read(amc)
    retime.write(motion, tmp_path / "same.amc")
    assert (tmp_path / "same.amc").read_bytes() == amc.read_bytes()
    # In another folder the skeleton goes along, so that the file can be read again.
    (tmp_path / "far").mkdir()
    retime.write(motion, tmp_path / "far" / "same.amc")
    assert (tmp_path / "far" / "same.asf").read_text() == ASF
    assert len(retime.read(tmp_path / "far" / "same.amc")) == len(motion)


def test_a_retimed_motion_is_written_through_its_degrees_of_freedom(
    amc: Path, tmp_path: Path
) -> None:
    motion = retime.read(amc)
    slow = apply(motion, TimeWarp([0, 0.4], [0, motion.duration]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        retime.write(slow, tmp_path / "ann_02.amc")
    again = retime.read(tmp_path / "ann_02.amc")
    assert len(again) == len(slow)
    assert np.abs(positions(again) - positions(slow)).max() < 2e-4
    text = (tmp_path / "ann_02.amc").read_text()
    assert text.startswith(":FULLY-SPECIFIED\n:DEGREES\n1\nroot ")
    still = apply(motion, TimeWarp.identity(*motion.domain))
    retime.write(still, tmp_path / "ann_03.amc")
    values = _numbers((tmp_path / "ann_03.amc").read_text())
    wanted = _numbers(amc_text())
    assert np.abs(np.subtract(values, wanted)).max() < 1e-5


def _numbers(text: str) -> list[float]:
    return [float(w) for w in text.split() if w[0] in "-0123456789"]


def test_angles_stay_on_the_files_own_side_of_a_turn(amc: Path, tmp_path: Path) -> None:
    text = amc_text().replace("ltibia 40", "ltibia 400").replace("ltibia 400.0000", "ltibia 400.0")
    lines = [
        f"ltibia {float(line.split()[1]) % 360 + 720:.3f}" if line.startswith("ltibia") else line
        for line in text.split("\r\n")
    ]
    amc.write_text("\n".join(lines))
    motion = retime.read(amc)
    retime.write(apply(motion, TimeWarp([0, 0.3], [0, motion.duration])), tmp_path / "ann_02.amc")
    found = [
        float(line.split()[1])
        for line in (tmp_path / "ann_02.amc").read_text().splitlines()
        if line.startswith("ltibia")
    ]
    assert min(found) > 700


def test_what_cannot_be_held_is_said(amc: Path, tmp_path: Path) -> None:
    motion = retime.read(amc)
    rotations = motion.rotations.copy()
    knee = motion.skeleton.index("ltibia")
    rotations[:, knee] = quat.from_axis_angle([0, 0, 1], np.full(len(motion), 0.5))
    with pytest.warns(FormatWarning, match=r"1 bones exceed .* in ann\.asf .* ltibia"):
        retime.write(replace(motion, rotations=rotations), tmp_path / "ann_02.amc")
    with pytest.warns(FormatWarning, match="give 60 fps"):
        retime.write(apply(motion, TimeWarp.identity(*motion.domain), fps=60), tmp_path / "o.amc")
    with pytest.raises(InputError, match="only motions that were read from AMC"):
        retime.write(retime.samples.jump(), tmp_path / "jump.amc")
    with pytest.raises(InputError, match="its skeleton is written beside it"):
        retime.write(motion, tmp_path / "out.asf")
    longer = replace(motion.skeleton, offsets=motion.skeleton.offsets * 2)
    with pytest.raises(InputError, match=r"no longer that of ann\.asf"):
        retime.write(replace(motion, skeleton=longer), tmp_path / "out.amc")
    assert not (tmp_path / "jump.amc").exists()


def test_a_rest_frame_is_set_aside_and_restored(amc: Path, tmp_path: Path) -> None:
    first = retime.read(amc, rest_frame="first")
    assert len(first) == 29
    retime.write(first, tmp_path / "ann_02.amc")
    assert (tmp_path / "ann_02.amc").read_bytes() == amc.read_bytes()
    retime.write(apply(first, TimeWarp([0, 0.5], [0, first.duration])), tmp_path / "ann_03.amc")
    again = retime.read(tmp_path / "ann_03.amc")
    assert len(again) == 62
    assert quat.angle(again.rotations[0], retime.read(amc).rotations[0]).max() < 1e-6
    retime.write(first, tmp_path / "ann_04.amc", drop_rest=True)
    assert len(retime.read(tmp_path / "ann_04.amc")) == 29


def test_several_rest_frames_are_restored(amc: Path, tmp_path: Path) -> None:
    rest = [
        "root 0 17 0 0 -30 0\nlfemur 0 0 0\nltibia 0",
        "root 0 0 0 0 0 0\nlfemur 0 0 0\nltibia 0",
    ]
    moving = [
        f"root 0 17 {f} 0 {40 + f} 0\nlfemur {-30 - f} 5 0\nltibia {50 + f}" for f in range(20)
    ]
    frames = "".join(f"{k}\n{rows}\n" for k, rows in enumerate([*rest, *moving], 1))
    source = tmp_path / "ann_05.amc"
    source.write_text(f":FULLY-SPECIFIED\n:DEGREES\n{frames}")
    motion = retime.read(source)
    assert len(motion) == 20
    retime.write(motion, tmp_path / "ann_06.amc")
    assert (tmp_path / "ann_06.amc").read_bytes() == source.read_bytes()
    # The foot turns, which the file leaves out: it is at zero in the rest frames.
    slow = apply(motion, TimeWarp([0, 0.5], [0, motion.duration]))
    turns = np.array(slow.rotations)
    foot = motion.skeleton.index("lfoot")
    turns[:, foot] = quat.multiply(turns[:, foot], quat.from_axis_angle([1, 0, 0], 0.2))
    retime.write(replace(slow, rotations=turns), tmp_path / "ann_07.amc")
    again, whole = (retime.read(p, rest_frame="keep") for p in (tmp_path / "ann_07.amc", source))
    assert len(again) == len(slow) + 2
    assert quat.angle(again.rotations[:2], whole.rotations[:2]).max() < 1e-6
    assert again.root_translation[:2] == pytest.approx(whole.root_translation[:2])
    assert quat.angle(again.rotations[2:, 0], slow.rotations[:, 0]).max() < 1e-6
    retime.write(slow, tmp_path / "ann_08.amc", drop_rest=True)
    assert len(retime.read(tmp_path / "ann_08.amc", rest_frame="keep")) == len(slow)


def test_it_becomes_bvh_and_npz(amc: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    motion = retime.read(amc)
    for suffix in ("bvh", "npz", "glb"):
        out = amc.with_suffix(f".{suffix}")
        status, _, said = run("convert", amc, out)
        assert status == 0, said
        again = retime.read(out, scale=motion.units.metres if suffix == "bvh" else None)
        joints = [again.skeleton.index(n) for n in motion.skeleton.names]
        assert np.abs(positions(again)[:, joints] - positions(motion)).max() < 1e-5
    status, out_text, _ = run("info", amc, "--json")
    assert status == 0
    assert '"format": "amc"' in out_text


def test_a_rate_that_was_given_is_said(amc: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.warns(FormatWarning, match="give 60 fps"):
        retime.write(retime.read(amc, fps=60.0), tmp_path / "out" / "slow.amc")
    told = amc.with_name("told.amc")
    told.write_text(amc.read_text().replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 100", 1))
    retime.write(retime.read(told, fps=60.0), tmp_path / "out" / "told.amc")
    assert retime.read(tmp_path / "out" / "told.amc").fps == 60.0


def test_another_skeleton_is_not_written_over(amc: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "take.asf"
    other.parent.mkdir()
    other.write_text("somebody's")
    with pytest.raises(InputError, match="skeleton of another figure"):
        retime.write(retime.read(amc), other.with_suffix(".amc"))
    assert [p.name for p in other.parent.iterdir()] == ["take.asf"]
    assert other.read_text() == "somebody's"


BAD_ASF = {
    "is empty": "",
    "no :bonedata": "hello\n:root\norder tx\n",
    "no order of values": ASF.replace("order TX TY TZ RX RY RZ", ""),
    "has an orientation": ASF.replace("orientation 0 0 0", "orientation 0 10 0"),
    "occurs twice": ASF.replace("name ltibia", "name lfemur"),
    "without a name": ASF.replace("name lfoot", ""),
    "changes its length": ASF.replace("dof rx\n", "dof rx l\n"),
    "moves along its axes": ASF.replace("dof rx\n", "dof tx rx\n"),
    "not a degree of freedom": ASF.replace("dof rx\n", "dof qx\n"),
    "freedom twice": ASF.replace("dof rx\n", "dof rx rx\n"),
    "not made of numbers": ASF.replace("direction 0 -1 0", "direction 0 down 0"),
    "unusable": ASF.replace("direction 0 -1 0", "direction 0 nan 0"),
    "three numbers": ASF.replace("direction 0 -1 0", "direction 0 -1"),
    "expected XYZ": ASF.replace("ZYX", "ZZX"),
    "not deg or rad": ASF.replace("angle deg", "angle grad"),
    "no bone 'ltbia'; did you mean 'ltibia'": ASF.replace("lfemur ltibia", "lfemur ltbia"),
    "has two parents": ASF.replace("root lfemur", "root lfemur lfoot"),
    "not connected to the root": ASF.replace("    ltibia lfoot\n", ""),
    "bone without its end": ASF[: ASF.index("limits")],
}  # fmt: skip
BAD_AMC = {
    "has no frames": ":FULLY-SPECIFIED\n:DEGREES\n",
    "is empty": " \n",
    "values before the first frame": amc_text().replace("1\r\n", "", 1),
    "frames are missing": amc_text().replace("\r\n7\r\n", "\r\n8\r\n"),
    "no bone 'lknee'": amc_text().replace("ltibia", "lknee"),
    "occurs twice": amc_text().replace("lfoot", "ltibia"),
    "has 2 values; ann.asf declares 1": amc_text().replace("ltibia 40", "ltibia 1 40"),
    "lacks 'lfoot'; the file may be cut off": amc_text()[: amc_text().rindex("lfoot")],
    "no values of the root": "\n".join(w for w in amc_text().split("\r\n") if "root" not in w),
    "not made of numbers": amc_text().replace("ltibia 40", "ltibia x40"),
    "unusable": amc_text().replace("ltibia 40.0000", "ltibia inf"),
    "samples per second": amc_text().replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 0"),
}


@pytest.mark.parametrize("word", BAD_ASF)
def test_a_bad_skeleton_is_a_sentence(amc: Path, word: str) -> None:
    amc.with_name("ann.asf").write_text(BAD_ASF[word])
    with pytest.raises(FormatError, match=word):
        retime.read(amc)


@pytest.mark.parametrize("word", BAD_AMC)
def test_a_bad_motion_is_a_sentence(amc: Path, word: str) -> None:
    amc.write_text(BAD_AMC[word])
    with pytest.raises(FormatError, match=word):
        retime.read(amc)


def test_damaged_files_are_read_or_refused(amc: Path, tmp_path: Path) -> None:
    read = 0
    short = amc_text(4).encode()
    for which, data in ((amc, short), (amc.with_name("ann.asf"), ASF.encode())):
        amc.write_bytes(short)
        for mutant in mutants(data, seed=3):
            which.write_bytes(mutant)
            try:
                motion = retime.read(amc)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    retime.write(apply(motion, TimeWarp([0, 2], [0, 1])), tmp_path / "out.amc")
                read += 1
            except RetimeError:
                pass
    assert read > 20


def test_a_batch_keeps_each_motion_its_skeleton(amc: Path, tmp_path: Path) -> None:
    from retime.batch.backends import open_backend
    from retime.batch.run import Batch, run_batch

    library = tmp_path / "library"
    library.mkdir()
    for file in (amc, amc.with_name("ann.asf")):
        (library / file.name).write_bytes(file.read_bytes())
    (library / "second.amc").write_bytes(amc.read_bytes())
    recipe = retime.Recipe([retime.Step("spline")])
    out = tmp_path / "out"
    batch = Batch(recipe=recipe, library=library, out=out, vary=("duration=0.8",))
    backend = open_backend("local", 1)
    try:
        assert run_batch(batch, backend).accepted == 2
    finally:
        backend.close()
    for name in (amc.stem, "second"):
        (made,) = (out / "accepted").rglob(f"{name}.amc")
        assert retime.read(made).origin is not None
        assert made.with_suffix(".asf").exists()


def test_every_command_reads_a_motion_with_its_skeleton_elsewhere(
    run: Callable[..., tuple[int, str, str]], amc: Path, tmp_path: Path
) -> None:
    apart = tmp_path / "apart"
    apart.mkdir()
    take = apart / "take.amc"
    take.write_bytes(amc.read_bytes())
    skeleton = ("--skeleton", str(amc.with_name("ann.asf")))
    bvh = tmp_path / "made.bvh"
    for command in (
        ("info", take),
        ("convert", take, bvh),
        ("check", take),
        ("check", bvh, "--source", take),  # for the one of two files that needs it
        ("plot", take, tmp_path / "strip.png"),
        ("report", take, tmp_path / "page.html"),
        ("apply", take, tmp_path / "slow.bvh", "--duration", "1"),
    ):
        words = [str(w) for w in command]
        assert run(*words)[0] == 2, command
        status, _, told = run(*words, *skeleton)
        assert status == 0, told
    status, _, told = run("check", str(bvh), *skeleton)
    assert status == 2
    assert "has its own skeleton; leave --skeleton out" in told
