"""Writing BVH: an unedited file keeps its words, a retimed one its names, channels and wraps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import quat
from retime.motion.edits import Edit, apply_edits

HEAD = """HIERARCHY
ROOT Hips
{
\tOFFSET 1.50 -0.0 3e-1
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Leg
\t{
\t\tOFFSET +0.5 -4.0 .25
\t\tCHANNELS 3 Yrotation Zrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -5.000 0
\t\t}
\t}
}
MOTION
"""
ROWS = """10 20.0 30.000 -0.0 50 60 70 +80 85.123456789012345
11 2.1e1 31 41 51 61 71 81 86
12 22 32 42 52 62 72 82 .5
"""
TEXT = HEAD + "Frames: 3\nFrame Time: .0083333\n" + ROWS


def read(folder: Path, text: str | bytes, **options: object) -> retime.Motion:
    path = folder / "in.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return retime.read(path, scale=1.0, up="Y", **options)  # type: ignore[arg-type]


def written(folder: Path, motion: retime.Motion, **options: Any) -> str:
    path = folder / "out.bvh"
    retime.write(motion, path, **options)
    return path.read_text(encoding="utf-8")


def back(folder: Path, motion: retime.Motion, **options: object) -> retime.Motion:
    """Write and read again, every frame kept."""
    written(folder, motion)
    options = {"rest_frame": "keep", **options}
    return retime.read(folder / "out.bvh", scale=1.0, up="Y", **options)  # type: ignore[arg-type]


def rows_of(text: str) -> np.ndarray:
    lines = text[text.index("MOTION") :].splitlines()[3:]
    return np.array([[float(w) for w in line.split()] for line in lines])


def channels_of(text: str) -> list[str]:
    return [" ".join(c.split()) for c in re.findall(r"CHANNELS (.*)", text)]


def clip(channels: str, rows: Sequence[Sequence[float]], offset: str = "0 0 0") -> str:
    """Make a file of a root without motion and one joint with the given channels, at 10 fps."""
    listed = f"CHANNELS {len(channels.split())} {channels}"
    return (
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
        f"JOINT B\n{{\nOFFSET {offset}\n{listed}\n}}\n}}\nMOTION\n"
        f"Frames: {len(rows)}\nFrame Time: 0.1\n"
        + "\n".join("0 0 0 " + " ".join(map(str, r)) for r in rows)
        + "\n"
    )


def slower(motion: retime.Motion, factor: float = 2.0) -> retime.Motion:
    start, end = motion.domain
    return retime.apply(motion, retime.TimeWarp([start, factor * end], [start, end]))


def must_be_close(a: retime.Motion, b: retime.Motion, degrees: float = 1e-5) -> None:
    assert np.degrees(quat.angle(a.rotations, b.rotations)).max() < degrees
    for name in a.translations.keys() | b.translations.keys():
        offset = a.skeleton.offsets[a.skeleton.index(name)]
        one, two = (m.translations.get(name, offset) for m in (a, b))
        assert np.abs(one - two).max() < 1e-5


# ---- unedited

UNEDITED: dict[str, tuple[str, str]] = {
    "plain": ("", ""),
    "named end": ("End Site", "End Site Left Toe"),
    "colon in a name": ("ROOT Hips", "ROOT mixamorig:Hips"),
    "blank in a name": ("JOINT Leg", "JOINT Bip01 L Leg"),
    "other letters": ("JOINT Leg", "JOINT Füße 左"),
    "same names": ("JOINT Leg", "JOINT Hips"),
    "no end site": ("\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -5.000 0\n\t\t}\n", ""),
    "rotation first": (
        "Xposition Yposition Zposition Zrotation Xrotation Yrotation",
        "Zrotation Xrotation Yrotation Xposition Yposition Zposition",
    ),
    "other order": ("3 Yrotation Zrotation Xrotation", "3 Xrotation Zrotation Yrotation"),
    "positions on a joint": ("3 Yrotation Zrotation Xrotation", "3 Yposition Zposition Xrotation"),
    "case of channels": ("Yrotation Zrotation Xrotation\n", "YROTATION zrotation xRotation\n"),
    "nearly all digits": ("85.123456789012345", "85.1234567890123456789012345"),
    "exponents": ("11 2.1e1", "1.1E+01 2.1e1"),
    "tiny": ("11 2.1e1", "9.27476e-316 2.1e1"),
}


@pytest.mark.parametrize(("old", "new"), UNEDITED.values(), ids=UNEDITED.keys())
def test_unedited_keeps_every_word(tmp_path: Path, old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert written(tmp_path, read(tmp_path, text)).split() == text.split()


def test_unedited_two_roots_and_zero_channels(tmp_path: Path) -> None:
    text = (
        "HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 1 Xrotation\nEnd Site { OFFSET 1 1 1 }\n"
        "JOINT B { OFFSET 1 2 3 CHANNELS 0\nJOINT C { OFFSET 0 0 0 CHANNELS 2 Zrotation Xrotation"
        "\nEnd Site { OFFSET 1 1 1 } } } }\n"
        "ROOT A { OFFSET 0 0 0 CHANNELS 1 Yposition\n}\nMOTION Frames: 2 Frame Time: 0.1\n"
        "1 2 3 4\n5 6 7 8\n"
    )
    assert written(tmp_path, read(tmp_path, text)).split() == text.split()


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_unedited_few_frames(tmp_path: Path, frames: int) -> None:
    rows = "".join(ROWS.splitlines(keepends=True)[:frames])
    text = f"{HEAD}Frames: {frames}\nFrame Time: .0083333\n{rows}"
    assert written(tmp_path, read(tmp_path, text)).split() == text.split()


def test_unedited_wrapped_rows_and_utf_16(tmp_path: Path) -> None:
    wrapped = TEXT.replace(" 50", "\r\n50").encode("utf-16")
    out = written(tmp_path, read(tmp_path, wrapped))
    assert out.split() == TEXT.split()
    assert out.splitlines()[-3:] == ROWS.splitlines()  # a row a line again


def test_unedited_wrong_count_is_put_right(tmp_path: Path) -> None:
    with pytest.warns(retime.FormatWarning):
        motion = read(tmp_path, TEXT.replace("Frames: 3", "Frames: 7"))
    assert written(tmp_path, motion).split() == TEXT.split()


def test_unedited_channels_after_the_children(tmp_path: Path) -> None:
    """Columns follow the CHANNELS lines; written in another place, they must move along."""
    text = (
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nJOINT B\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n}\n"
        "CHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n10 20\n"
    )
    motion = read(tmp_path, text)
    assert np.array_equal(back(tmp_path, motion).rotations, motion.rotations)


def test_duplicate_names_keep_their_file_names(tmp_path: Path) -> None:
    text = TEXT.replace("JOINT Leg", "JOINT Hips")
    motion = read(tmp_path, text)
    assert motion.skeleton.names == ("Hips", "Hips#2")
    out = written(tmp_path, slower(motion))
    assert "#2" not in out
    assert "JOINT Hips\n" in out


def test_frame_rate_given_on_reading_is_written(tmp_path: Path) -> None:
    assert back(tmp_path, read(tmp_path, TEXT, fps=60.0)).fps == 60.0
    broken = TEXT.replace(".0083333", "0")
    assert back(tmp_path, read(tmp_path, broken, fps=60.0)).fps == 60.0


@pytest.mark.parametrize("fps", [23.976, 24000 / 1001, 25, 30, 59.94, 81.3, 120, 1000, 0.5])
def test_frame_rates_survive(tmp_path: Path, fps: float) -> None:
    motion = replace(read(tmp_path, TEXT), fps=fps)
    assert back(tmp_path, motion).fps == pytest.approx(fps, rel=1e-6)


# ---- a rest frame


def with_rest() -> str:
    rows = ["0 0.5 0 0 0 0 0 0 0"]
    rows += [" ".join(f"{20 + 3 * k + 0.25 * f:.4f}" for k in range(9)) for f in range(1, 12)]
    return HEAD + "Frames: 12\nFrame Time: .0083333\n" + "\n".join(rows) + "\n"


def test_rest_frame_is_restored(tmp_path: Path) -> None:
    text = with_rest()
    motion = read(tmp_path, text)
    assert (len(motion), motion.rest_pose is None) == (11, False)
    assert written(tmp_path, motion).split() == text.split()
    without = written(tmp_path, motion, drop_rest=True)
    assert "Frames: 11\n" in without
    assert without.splitlines()[-11:] == text.splitlines()[-11:]


def test_rest_frame_is_restored_before_a_retimed_motion(tmp_path: Path) -> None:
    motion = slower(read(tmp_path, with_rest()))
    out = written(tmp_path, motion)
    assert f"Frames: {len(motion) + 1}\n" in out
    rows = rows_of(out)
    assert rows.shape == (len(motion) + 1, 9)
    assert rows[0] == pytest.approx([0, 0.5, 0, 0, 0, 0, 0, 0, 0], abs=1e-9)
    without = written(tmp_path, motion, drop_rest=True)
    assert f"Frames: {len(motion)}\n" in without
    assert np.array_equal(rows_of(without), rows[1:])
    again = retime.read(tmp_path / "out.bvh")
    assert again.rest_pose is None


def test_several_rest_frames_are_restored(tmp_path: Path) -> None:
    rest = ["0 0.25 0 400 0 0 0 0 0", "0 0.5 0 0 0 0 0 0 0", "0 0.5 1 0 0 0 0 -0.0 0"]
    rows = [" ".join(f"{20 + 3 * k + 0.25 * f:.4f}" for k in range(9)) for f in range(20)]
    head = HEAD + "Frames: 23\nFrame Time: .0083333\n"
    text = head + "\n".join([*rest, *rows]) + "\n"
    motion = read(tmp_path, text)
    assert len(motion) == 20
    assert written(tmp_path, motion).split() == text.split()
    assert len(rows_of(written(tmp_path, motion, drop_rest=True))) == 20
    retimed = slower(motion)
    out = rows_of(written(tmp_path, retimed))
    assert len(out) == len(retimed) + 3
    assert out[:3] == pytest.approx(rows_of(text)[:3], abs=1e-9)
    assert np.array_equal(rows_of(written(tmp_path, retimed, drop_rest=True)), out[3:])
    # Another pose takes the place of them all.
    pose = retime.Pose(quat.identity(2), {"Hips": np.array([7.0, 8.0, 9.0])})
    other = rows_of(written(tmp_path, replace(retimed, rest_pose=pose)))
    assert np.array_equal(other[1:], out[3:])
    assert other[0, :3] == pytest.approx([7, 8, 9])


def test_forced_rest_frame_keeps_its_angles(tmp_path: Path) -> None:
    """A rest row is a row of the source, so its angles stay on their side of a wrap too."""
    text = clip("Zrotation Xrotation Yrotation", [(350, 190, 5), (10, 2, 3), (12, 2, 3)])
    motion = read(tmp_path, text, rest_frame="first")
    assert written(tmp_path, motion).split() == text.split()
    rows = rows_of(written(tmp_path, slower(motion)))
    assert rows[0, 3:] == pytest.approx([350, 190, 5], abs=1e-5)


def test_rest_frame_of_a_clip_of_one_frame(tmp_path: Path) -> None:
    text = clip("Zrotation", [(5,)])
    motion = read(tmp_path, text, rest_frame="first")
    assert len(motion) == 0
    assert written(tmp_path, motion).split() == text.split()


def test_rest_pose_put_before_a_file_without(tmp_path: Path) -> None:
    motion = read(tmp_path, TEXT, rest_frame="keep")
    pose = retime.Pose(quat.identity(2), {"Hips": np.array([7.0, 8.0, 9.0])})
    rows = rows_of(written(tmp_path, replace(motion, rest_pose=pose)))
    assert len(rows) == 4
    assert rows[0] == pytest.approx([7, 8, 9, 0, 0, 0, 0, 0, 0])
    assert rows[1:] == pytest.approx(rows_of(TEXT), abs=1e-6)


def test_rest_pose_exchanged(tmp_path: Path) -> None:
    motion = read(tmp_path, with_rest())
    pose = retime.Pose(quat.identity(2), {"Hips": np.array([7.0, 8.0, 9.0])})
    rows = rows_of(written(tmp_path, replace(motion, rest_pose=pose)))
    assert rows[0, :3] == pytest.approx([7, 8, 9])


def test_rest_pose_removed(tmp_path: Path) -> None:
    motion = replace(read(tmp_path, with_rest()), rest_pose=None)
    assert np.array_equal(rows_of(written(tmp_path, motion)), rows_of(with_rest())[1:])


# ---- retimed


@pytest.mark.parametrize(("old", "new"), UNEDITED.values(), ids=UNEDITED.keys())
def test_retimed_keeps_the_hierarchy(tmp_path: Path, old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    motion = read(tmp_path, text)
    out = written(tmp_path, slower(motion))
    head, rest = out.split("MOTION")
    assert head.split() == text.split("MOTION")[0].split()
    assert "Frame Time: .0083333" in rest
    must_be_close(back(tmp_path, slower(motion)), slower(motion))


def smooth(f: np.ndarray) -> np.ndarray:
    return np.stack([100 * np.sin(f / 9), 70 * np.sin(f / 7), 150 * np.cos(f / 11)], axis=1)


ANGLES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "smooth": smooth,
    "many turns": lambda f: np.stack([30.0 * f, 5 * np.sin(f), -25.0 * f], axis=1),
    "far turns": lambda f: smooth(f) + np.array([720, -360, 1080]),
    "middle beyond 90": lambda f: np.stack([4.0 * f, 100 + 30 * np.sin(f / 5), -3.0 * f], axis=1),
    "middle beyond 180": lambda f: np.stack([f, 10.0 * f, -f], axis=1),
    "wrapped at 180": lambda f: np.stack(
        [(9.0 * f + 180) % 360 - 180, 20 * np.sin(f / 5), (180 - 7.0 * f) % 360 - 180], axis=1
    ),
    "flips at the middle": lambda f: np.stack(
        # The other solution of the same smooth turn, every tenth frame.
        [
            5.0 * f + 180 * ((f // 10) % 2),
            np.where((f // 10) % 2, 180 - 2.0 * f, 2.0 * f),
            3.0 * f + 180 * ((f // 10) % 2),
        ],
        axis=1,
    ),
}
ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("angles", ANGLES.values(), ids=ANGLES.keys())
def test_retimed_angles_stay_near_the_source(
    tmp_path: Path, order: str, angles: Callable[[np.ndarray], np.ndarray]
) -> None:
    source = angles(np.arange(40.0)).round(4)
    motion = read(
        tmp_path, clip(" ".join(f"{a}rotation" for a in order), source.tolist()), rest_frame="keep"
    )
    # Frame by frame the same times: the very same angles.
    same = rows_of(
        written(tmp_path, retime.apply(motion, retime.TimeWarp.identity(*motion.domain)))
    )
    assert same[:, 3:] == pytest.approx(source, abs=2e-6)
    # Between frames: as near to a neighbour as the neighbours are to one another.
    slow = slower(motion)
    rows = rows_of(written(tmp_path, slow))[:, 3:]
    assert rows[::2] == pytest.approx(source, abs=2e-6)
    gap = np.minimum(
        np.abs(rows[1::2] - source[:-1]).max(axis=1), np.abs(rows[1::2] - source[1:]).max(axis=1)
    )
    # A turn of a step's angles is not beyond them by more than half, but near the lock, where the
    # outer angles of one turn spread by the middle one's cosine.
    step = np.abs((np.diff(source, axis=0) + 90) % 180 - 90).max(axis=1)
    spread = 1 / np.abs(np.cos(np.radians(rows[1::2, 1])))
    assert (gap <= 1.5 * step * spread + 1e-5).all()
    must_be_close(back(tmp_path, slow), slow)


def test_retimed_backwards_and_per_joint(tmp_path: Path) -> None:
    source = ANGLES["many turns"](np.arange(40.0))
    motion = read(tmp_path, clip("Zrotation Xrotation Yrotation", source.tolist()))
    end = motion.duration
    warp = retime.TimeWarp([0, end], [0, end], channels={"B": ([0, end], [end, 0])})
    rows = rows_of(written(tmp_path, retime.apply(motion, warp)))
    assert rows[:, 3:] == pytest.approx(source[::-1], abs=2e-6)


def test_retimed_twice(tmp_path: Path) -> None:
    source = ANGLES["far turns"](np.arange(40.0)).round(4)
    motion = read(tmp_path, clip("Zrotation Xrotation Yrotation", source.tolist()))
    twice = slower(slower(motion), 0.5)
    assert rows_of(written(tmp_path, twice))[:, 3:] == pytest.approx(source, abs=2e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [90.0, -90.0, 270.0, 89.9999999, 90.00001, -89.999])
def test_gimbal_lock(tmp_path: Path, order: str, middle: float) -> None:
    f = np.arange(12.0)
    source = np.stack([8 * f, np.full(12, middle), 100 - 5 * f], axis=1)
    motion = read(tmp_path, clip(" ".join(f"{a}rotation" for a in order), source.tolist()))
    same = retime.apply(motion, retime.TimeWarp.identity(*motion.domain))
    # In the lock only a sum of the outer angles counts; it may be split anew, but not at frames
    # that the source has.
    assert rows_of(written(tmp_path, same))[:, 3:] == pytest.approx(source, abs=1e-3)
    must_be_close(back(tmp_path, same), same)
    slow = slower(motion)
    must_be_close(back(tmp_path, slow), slow)
    rows = rows_of(written(tmp_path, slow))[:, 3:]
    near = np.minimum(np.abs(rows[1::2] - source[:-1]), np.abs(rows[1::2] - source[1:]))
    assert near.max() < 20


# ---- joints with one, two or no rotation channels

TWO_TURNS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "small": ((0, 0), (30, 40)),
    "second beyond 90": ((20, 80), (30, 130)),
    "second far beyond 90": ((120, 170), (130, 160)),
    "both negative": ((-120, -170), (-130, -160)),
    "many turns": ((700, 10), (760, -20)),
    "locked": ((0, 90), (60, 90)),
    "locked the other way": ((40, -90), (10, -90)),
    "into the lock": ((40, 45), (40, 90)),
    "starts locked": ((40, 90), (40, 45)),
}


@pytest.mark.parametrize("axes", ["ZX", "XZ", "YX", "ZY", "XY", "YZ"])
@pytest.mark.parametrize(("first", "last"), TWO_TURNS.values(), ids=TWO_TURNS.keys())
def test_two_turning_channels(
    tmp_path: Path, axes: str, first: tuple[float, float], last: tuple[float, float]
) -> None:
    source = np.linspace(first, last, 9)
    names = " ".join(f"{a}rotation" for a in axes)
    motion = read(tmp_path, clip(names, source.tolist()), rest_frame="keep")
    same = retime.apply(motion, retime.TimeWarp.identity(*motion.domain))
    out = written(tmp_path, same)
    # What two channels held, two channels hold.
    assert channels_of(out)[1] == f"2 {names}"
    assert rows_of(out)[:, 3:] == pytest.approx(source, abs=2e-6)


@pytest.mark.parametrize("axes", ["ZX", "XZ", "YX"])
@pytest.mark.parametrize("second", [0.0, 45.0, 90.0, -90.0, 135.0])
def test_two_turning_channels_between_frames(tmp_path: Path, axes: str, second: float) -> None:
    """With the second angle at rest, a frame between is the mean of the first angle."""
    source = [(0.0, second), (40.0, second), (80.0, second)]
    names = " ".join(f"{a}rotation" for a in axes)
    motion = read(tmp_path, clip(names, source))
    slow = slower(motion)
    out = written(tmp_path, slow)
    assert channels_of(out)[1] == f"2 {names}"
    assert rows_of(out)[:, 3] == pytest.approx([0, 20, 40, 60, 80], abs=1e-5)
    must_be_close(back(tmp_path, slow), slow)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("first", [0.0, 170.0, 350.0, -720.0])
def test_one_turning_channel(tmp_path: Path, axis: str, first: float) -> None:
    source = [[first + 15 * f] for f in range(20)]
    motion = read(tmp_path, clip(f"{axis}rotation", source))
    out = written(tmp_path, slower(motion))
    assert channels_of(out)[1] == f"1 {axis}rotation"
    assert rows_of(out)[::2, 3:] == pytest.approx(np.array(source), abs=2e-6)
    assert np.diff(rows_of(out)[:, 3]) == pytest.approx(7.5, abs=1e-5)


def edited(motion: retime.Motion, joint: str, **layer: Sequence[float]) -> retime.Motion:
    """Add a pose edit that is full in the middle of the clip."""
    start, end = motion.domain
    values = {
        kind: {joint: np.array([[0, 0, 0], value, [0, 0, 0]], dtype=float)}
        for kind, value in layer.items()
    }
    times = np.array([start, (start + end) / 2, end])
    return apply_edits(motion, [Edit(layer=retime.PoseLayer(times, **values))])


@pytest.mark.parametrize(
    ("channels", "edit", "expected"),
    [
        # What the channels hold needs no others.
        ("Zrotation", (0, 0, 0.5), "1 Zrotation"),
        ("Zrotation Xrotation", (0, 0, 0.5), "2 Zrotation Xrotation"),
        # What they do not is given the ones that lack, after those that are there.
        ("Zrotation", (0.5, 0, 0), "3 Zrotation Xrotation Yrotation"),
        ("Xrotation", (0, 0.5, 0), "3 Xrotation Zrotation Yrotation"),
        ("Xrotation Yrotation", (0, 0.5, 0.5), "3 Xrotation Yrotation Zrotation"),
        ("Yposition", (0, 0.5, 0), "4 Yposition Zrotation Xrotation Yrotation"),
        ("Xrotation Yrotation Zrotation", (0, 0.5, 0.5), "3 Xrotation Yrotation Zrotation"),
    ],
)
def test_rotation_channels_where_an_edit_needs_them(
    tmp_path: Path, channels: str, edit: tuple[float, float, float], expected: str
) -> None:
    row = [12.0, 24.0, 36.0][: len(channels.split())]
    motion = edited(read(tmp_path, clip(channels, [row] * 9)), "B", rotations=edit)
    assert channels_of(written(tmp_path, motion))[1] == expected
    must_be_close(back(tmp_path, motion), motion)


def test_channels_for_a_joint_that_had_none(tmp_path: Path) -> None:
    text = clip("Zrotation", [[0.0]] * 9).replace(
        "OFFSET 0 0 0\nCHANNELS 1", "OFFSET 1 2 3\nJOINT C { OFFSET 4 5 6 }\nCHANNELS 1"
    )
    turned = edited(read(tmp_path, text), "C", rotations=(0.3, 0.2, 0.1))
    must_be_close(back(tmp_path, turned), turned)
    moved = edited(read(tmp_path, text), "C", translations=(1, 2, 3))
    must_be_close(back(tmp_path, moved), moved)


@pytest.mark.parametrize(
    ("channels", "edit", "expected"),
    [
        ("Zrotation", (0, 1, 0), "4 Xposition Yposition Zposition Zrotation"),
        ("Yposition Zrotation", (0, 1, 0), "2 Yposition Zrotation"),
        ("Yposition Zrotation", (1, 0, 0), "4 Xposition Yposition Zposition Zrotation"),
        ("Zrotation Yposition", (0, 1, 0), "2 Zrotation Yposition"),
    ],
)
def test_position_channels_where_an_edit_needs_them(
    tmp_path: Path, channels: str, edit: tuple[float, float, float], expected: str
) -> None:
    text = clip(channels, [[5.0] * len(channels.split())] * 9, offset="0.1 0.7 0.3")
    motion = edited(read(tmp_path, text), "B", translations=edit)
    assert channels_of(written(tmp_path, motion))[1] == expected
    must_be_close(back(tmp_path, motion), motion)


def test_partial_positions_between_frames_need_no_channels(tmp_path: Path) -> None:
    """What stands still stands still between frames too, whatever the rounding."""
    for offset in ("0.1 0.7 0.3", "1.1 2.3 -0.7", "123.456 7.89 -4.321"):
        rows = [[float(f), 3.0 * f] for f in range(30)]
        motion = read(tmp_path, clip("Yposition Zrotation", rows, offset=offset))
        out = written(tmp_path, slower(motion, 3.7))
        assert channels_of(out)[1] == "2 Yposition Zrotation"


@pytest.mark.parametrize(
    "channels", ["3 Zrotation Xrotation Yrotation", "1 Xrotation", "1 Yposition"]
)
def test_retimed_root_keeps_its_channels(tmp_path: Path, channels: str) -> None:
    """A root without all three positions stands at its offset, and needs no new channels."""
    count = int(channels[0])
    rows = "\n".join(" ".join([str(5 * f)] * count) for f in range(9))
    text = (
        f"HIERARCHY\nROOT A\n{{\nOFFSET 0.1 0.7 0.3\nCHANNELS {channels}\n}}\nMOTION\n"
        f"Frames: 9\nFrame Time: 0.1\n{rows}\n"
    )
    motion = read(tmp_path, text, rest_frame="keep")
    slow = slower(motion, 3.7)
    must_be_close(back(tmp_path, slow), slow)
    assert channels_of(written(tmp_path, slow)) == [channels]


# ---- motions that no file stands behind, or that left it


def test_changed_offsets_are_written(tmp_path: Path) -> None:
    motion = read(tmp_path, TEXT)
    taller = replace(motion.skeleton, offsets=2 * motion.skeleton.offsets)
    again = back(tmp_path, replace(motion, skeleton=taller))
    assert again.skeleton.offsets == pytest.approx(taller.offsets)


def test_changed_rotations_are_written(tmp_path: Path) -> None:
    motion = read(tmp_path, TEXT)
    changed = replace(motion, rotations=motion.rotations[::-1].copy())
    must_be_close(back(tmp_path, changed), changed)
    cut = replace(
        motion,
        rotations=motion.rotations[1:],
        translations={n: t[1:] for n, t in motion.translations.items()},
    )
    again = back(tmp_path, cut)
    assert len(again) == 2
    must_be_close(again, cut)


def made(
    names: tuple[str, ...] = ("Hips", "Spine", "Arm", "Leg"), frames: int = 7
) -> retime.Motion:
    rng = np.random.default_rng(5)
    skeleton = retime.Skeleton(
        names,
        np.array([-1, 0, 1, 0]),
        rng.normal(size=(4, 3)).round(6),
        end_sites=(
            retime.EndSite(2, (0.0, 1.0, 0.0), "Hand"),
            retime.EndSite(3, (0.0, -1.0, 0.0)),
        ),
    )
    rotations = quat.normalize(rng.normal(size=(frames, 4, 4)))
    tracks = {names[0]: rng.normal(size=(frames, 3)), names[2]: rng.normal(size=(frames, 3))}
    return retime.Motion(skeleton, rotations, tracks, fps=24.0)


def test_made_motion(tmp_path: Path) -> None:
    motion = made()
    again = back(tmp_path, motion)
    assert again.skeleton.names == motion.skeleton.names
    assert again.skeleton.parents.tolist() == motion.skeleton.parents.tolist()
    assert again.skeleton.offsets == pytest.approx(motion.skeleton.offsets)
    ends = [(s.parent, s.offset, s.name) for s in again.skeleton.end_sites]
    assert ends == [(s.parent, s.offset, s.name) for s in motion.skeleton.end_sites]
    assert again.fps == 24.0
    must_be_close(again, motion)


def test_made_motion_without_frames(tmp_path: Path) -> None:
    assert len(back(tmp_path, made(frames=0))) == 0


@pytest.mark.parametrize("name", ["a{b", "a}b", "line\nbreak", "a\rb", "{", "x\nMOTION\ny"])
def test_names_that_bvh_cannot_hold(tmp_path: Path, name: str) -> None:
    """Other formats allow such names: refused in a sentence, or written so that it reads."""
    motion = made(("Hips", name, "Arm", "Leg"))
    try:
        retime.write(motion, tmp_path / "out.bvh")
    except retime.RetimeError:
        assert list(tmp_path.iterdir()) == []
        return
    again = retime.read(tmp_path / "out.bvh", rest_frame="keep")
    assert np.degrees(quat.angle(again.rotations, motion.rotations)).max() < 1e-5


def test_joints_not_depth_first(tmp_path: Path) -> None:
    """Refused in a sentence, or written in another order."""
    motion = made()
    skeleton = replace(motion.skeleton, parents=np.array([-1, 0, 0, 1]))
    shuffled = replace(motion, skeleton=skeleton)
    try:
        again = back(tmp_path, shuffled)
    except retime.InputError:
        return
    for name in skeleton.names:
        one, two = (m.rotations[:, m.skeleton.index(name)] for m in (again, shuffled))
        assert np.degrees(quat.angle(one, two)).max() < 1e-5


def test_large_and_tiny_numbers(tmp_path: Path) -> None:
    motion = made()
    track = np.array([1e12, -1e12, 1e-9])
    values = np.linspace(0.5, 1, len(motion))[:, None] * track
    moved = replace(motion, translations={**motion.translations, "Hips": values})
    again = back(tmp_path, moved)
    assert again.translations["Hips"] == pytest.approx(values, rel=1e-9, abs=1e-6)


def test_scales_are_left_out_with_a_warning(tmp_path: Path) -> None:
    motion = made()
    scaled = replace(motion, scales={"Arm": np.full((len(motion), 3), 2.0)})
    with pytest.warns(retime.FormatWarning, match="scales"):
        retime.write(scaled, tmp_path / "out.bvh")
    must_be_close(retime.read(tmp_path / "out.bvh", scale=1.0, up="Y"), motion)
    rounded = replace(motion, scales={"Arm": np.full((len(motion), 3), 1 + 2e-6)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        retime.write(rounded, tmp_path / "out.bvh")


def test_joints_without_a_name_in_their_file_get_one(tmp_path: Path) -> None:
    motion = made()
    bare = ("",) * len(motion.skeleton)
    nameless = replace(motion, skeleton=replace(motion.skeleton, file_names=bare), origin=None)
    retime.write(nameless, tmp_path / "out.bvh")
    assert retime.read(tmp_path / "out.bvh").skeleton.names == motion.skeleton.names


def test_uneven_samples_are_refused(tmp_path: Path) -> None:
    motion = made()
    uneven = replace(motion, sample_times=np.cumsum(np.linspace(1, 2, len(motion))))
    with pytest.raises(retime.InputError, match="evenly"):
        retime.write(uneven, tmp_path / "out.bvh")
    assert list(tmp_path.iterdir()) == []
