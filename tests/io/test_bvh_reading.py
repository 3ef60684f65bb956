"""What real BVH files look like, and what each must read as."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import retime
from retime.io.bvh.rows import nominal_rate
from retime.motion.quat import to_matrix

PLAIN = """HIERARCHY
ROOT Hips
{
\tOFFSET 1.0 2.0 3.0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Leg
\t{
\t\tOFFSET 0.5 -4.0 0.25
\t\tCHANNELS 3 Yrotation Zrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -5 0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.0333333
10 20 30 40 50 60 70 80 85
11 21 31 41 51 61 71 81 86
12 22 32 42 52 62 72 82 87
"""


def read(folder: Path, text: str | bytes, **options: object) -> retime.Motion:
    path = folder / "clip.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return retime.read(path, scale=1.0, up="Y", **options)  # type: ignore[arg-type]


def file_of(body: str, rows: str = "1 2 3", *, frames: int = 1) -> str:
    """Put a hierarchy's inside and rows into a whole file."""
    return f"HIERARCHY\n{body}\nMOTION\nFrames: {frames}\nFrame Time: 0.1\n{rows}\n"


def turn(axes: str, degrees: list[float]) -> np.ndarray:
    """Multiply rotation matrices in the order given, plainly."""
    out = np.eye(3)
    for axis, angle in zip(axes, np.radians(degrees), strict=True):
        c, s = np.cos(angle), np.sin(angle)
        i = "XYZ".index(axis)
        m = np.eye(3)
        j, k = (i + 1) % 3, (i + 2) % 3
        m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
        out = out @ m
    return out


def same(a: retime.Motion, b: retime.Motion) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.parents.tolist() == b.skeleton.parents.tolist()
    assert a.skeleton.offsets.tolist() == b.skeleton.offsets.tolist()
    assert [(s.parent, s.offset) for s in a.skeleton.end_sites] == [
        (s.parent, s.offset) for s in b.skeleton.end_sites
    ]
    assert a.fps == b.fps
    assert np.array_equal(a.rotations, b.rotations)
    assert a.translations.keys() == b.translations.keys()
    assert all(np.array_equal(a.translations[n], b.translations[n]) for n in a.translations)


def test_plain_file(tmp_path: Path) -> None:
    motion = read(tmp_path, PLAIN)
    assert motion.skeleton.names == ("Hips", "Leg")
    assert motion.skeleton.parents.tolist() == [-1, 0]
    assert motion.skeleton.offsets.tolist() == [[1, 2, 3], [0.5, -4, 0.25]]
    assert [(s.parent, s.offset) for s in motion.skeleton.end_sites] == [(1, (0, -5, 0))]
    assert (len(motion), motion.fps) == (3, 30.0)
    # Position channels replace the offset, and do not add to it.
    assert motion.root_translation.tolist() == [[10, 20, 30], [11, 21, 31], [12, 22, 32]]
    # R = R1 R2 R3 in the file's channel order.
    root, leg = to_matrix(motion.rotations)[1]
    assert root == pytest.approx(turn("ZXY", [41, 51, 61]), abs=1e-12)
    assert leg == pytest.approx(turn("YZX", [71, 81, 86]), abs=1e-12)
    points = retime.positions(motion, end_sites=True)[1]
    knee = np.array([11, 21, 31]) + root @ [0.5, -4, 0.25]
    assert points[1] == pytest.approx(knee)
    assert points[2] == pytest.approx(knee + root @ leg @ [0, -5, 0])


ONE_LINE = re.sub(r"\s*\n\s*", " ", PLAIN[: PLAIN.index("MOTION")])
SAME_MOTION: dict[str, str | bytes] = {
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "lone CR": PLAIN.replace("\n", "\r"),
    "mixed line ends": PLAIN.replace("\n", "\r\n", 7).replace("}\n", "}\r"),
    "tabs": PLAIN.replace(" ", "\t"),
    "blanks for tabs": PLAIN.replace("\t", "    "),
    "leading blanks": "\n".join(f" \t {line}" for line in PLAIN.split("\n")),
    "trailing blanks": PLAIN.replace("\n", " \t\n"),
    "blank lines": PLAIN.replace("\n", "\n\n"),
    "blank lines first and last": "\n \r\n\t\n" + PLAIN + "\n\n \n",
    "no newline at the end": PLAIN.rstrip(),
    "UTF-8 with BOM": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16 LE with BOM": b"\xff\xfe" + PLAIN.encode("utf-16-le"),
    "UTF-16 BE with BOM": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "UTF-16 LE": PLAIN.encode("utf-16-le"),
    "UTF-16 BE": PLAIN.encode("utf-16-be"),
    "UTF-16 CRLF": PLAIN.replace("\n", "\r\n").encode("utf-16"),
    "lower-case keywords": PLAIN.lower().replace("hips", "Hips").replace("leg", "Leg"),
    "upper-case keywords": PLAIN.upper().replace("HIPS", "Hips").replace("LEG", "Leg"),
    "Frames without colon": PLAIN.replace("Frames:", "Frames"),
    "no blank after Frames:": PLAIN.replace("Frames: ", "Frames:"),
    "tab after Frames:": PLAIN.replace("Frames: ", "Frames:\t"),
    "blank before the colons": PLAIN.replace("Frames:", "Frames :").replace("Time:", "Time :"),
    "no blank after Frame Time:": PLAIN.replace("Time: 0.", "Time:."),
    "tab after Frame Time:": PLAIN.replace("Time: ", "Time:\t"),
    "Frame Time without colon": PLAIN.replace("Time:", "Time"),
    "two blanks in Frame Time": PLAIN.replace("Frame Time", "Frame  Time"),
    "frame time first": PLAIN.replace(
        "Frames: 3\nFrame Time: 0.0333333", "Frame Time: 0.0333333\nFrames: 3"
    ),
    "header on one line": PLAIN.replace("MOTION\nFrames: 3\n", "MOTION Frames: 3 "),
    "blank lines in the header": PLAIN.replace("MOTION\n", "MOTION\n\n").replace("3\n", "3\n\n"),
    "braces on the joint's line": re.sub(r"\n\t*\{", " {", PLAIN),
    "braces without blanks": re.sub(r"\n\t*\{\n\t*", "{", PLAIN),
    "closing braces in a row": re.sub(r"\}\s*\}", "}}", PLAIN),
    "OFFSET and CHANNELS on a line": re.sub(r"(OFFSET .*)\n\t*C", r"\1 C", PLAIN),
    "hierarchy on one line": re.sub(r"ROOT Hips \{", "ROOT Hips\n{", ONE_LINE)
    + "\n"
    + PLAIN[PLAIN.index("MOTION") :],
    "OFFSET over lines": PLAIN.replace("OFFSET 1.0 2.0", "OFFSET\n1.0\n2.0"),
    "CHANNELS over lines": PLAIN.replace("CHANNELS 3 Y", "CHANNELS\n3\nY"),
    "scientific notation": PLAIN.replace("10 20 30", "1e1 0.2E+2 300.0e-01"),
    "signs and bare points": PLAIN.replace("10 20 30", "+10. +20 3.e1"),
    "leading zeros": PLAIN.replace("10 20 30", "010 0020.000 30"),
    "25 digits": PLAIN.replace("10 20 30", "10.00000000000000000000000 20 30"),
    "wrapped rows": PLAIN.replace(" 40", "\n40").replace(" 41", "\n 41").replace(" 42", "\n\n42"),
    "rows wrapped unevenly": PLAIN.replace(" 20", "\n20").replace(" 86", "\r\n86"),
    "all rows on one line": PLAIN.replace("85\n", "85 ").replace("86\n", "86 "),
    "ROOT keyword inside": PLAIN.replace("JOINT", "ROOT"),
    "named End Site": PLAIN.replace("End Site", "End Site Toe"),
    "End without Site": PLAIN.replace("End Site", "End"),
}


@pytest.mark.parametrize("text", SAME_MOTION.values(), ids=SAME_MOTION.keys())
def test_same_motion_however_written(tmp_path: Path, text: str | bytes) -> None:
    same(read(tmp_path, text), read(tmp_path, PLAIN))


def test_names_of_end_sites(tmp_path: Path) -> None:
    for written, name in (("End Site", ""), ("End Site Left Toe", "Left Toe"), ("end Tip", "Tip")):
        motion = read(tmp_path, PLAIN.replace("End Site", written))
        assert [s.name for s in motion.skeleton.end_sites] == [name]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("mixamorig:Hips", "utf-8"),
        ("Bip01 L Thigh", "utf-8"),
        ("Left  Arm", "utf-8"),
        ("hips.001|base-layer_2", "utf-8"),
        ("Füße", "utf-8"),
        ("Füße", "cp1252"),
        ("左足", "utf-8"),
        ("左足", "utf-16"),
        ("Offset", "utf-8"),
        ("Motion", "utf-8"),
        ("end", "utf-8"),
        ("#2", "utf-8"),
    ],
)
@pytest.mark.parametrize("brace", ["\n{", " {", "{"])
def test_names_are_kept(tmp_path: Path, name: str, encoding: str, brace: str) -> None:
    body = f"ROOT {name}{brace}\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}}"
    motion = read(tmp_path, file_of(body).encode(encoding))
    assert motion.skeleton.names == motion.skeleton.file_names == (name,)


def test_duplicate_and_empty_names_become_unique(tmp_path: Path) -> None:
    foot = "JOINT Foot\n{\nCHANNELS 1 Xrotation\n}\n"
    body = "ROOT\n{\nCHANNELS 1 Yrotation\n" + 2 * foot + foot.replace("Foot", "Foot#2") + "}"
    motion = read(tmp_path, file_of(body, "1 2 3 4"))
    assert motion.skeleton.file_names == ("", "Foot", "Foot", "Foot#2")
    names = motion.skeleton.names
    assert len(set(names)) == 4
    assert names[1] == "Foot"
    assert names[3] == "Foot#2"


def test_a_name_twenty_thousand_times_is_no_hang() -> None:
    # In a process of its own, so that a slow answer can be ended.
    program = (
        "from retime.motion.skeleton import unique_names as u; print(len(set(u(['a'] * 20000))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], timeout=15, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "20000"


ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


@pytest.mark.parametrize("order", [*ORDERS, "X", "Y", "Z", "ZX", "XZ", "YZ", ""])
@pytest.mark.parametrize("position", ["before", "after", "between", "none"])
def test_channel_orders(tmp_path: Path, order: str, position: str) -> None:
    angles = {"X": 25.0, "Y": -130.0, "Z": 75.5}
    turning = [f"{a}rotation" for a in order]
    moving = ["Zposition", "Xposition", "Yposition"]
    channels = {
        "before": moving + turning,
        "after": turning + moving,
        "between": [*turning[:1], *moving, *turning[1:]],
        "none": turning,
    }[position]
    value = {f"{a}rotation": v for a, v in angles.items()}
    value |= {"Xposition": 7, "Yposition": 8, "Zposition": 9}
    # A second joint holds a column of its own, so that a shift of columns shows.
    listed = f"CHANNELS {len(channels)} {' '.join(channels)}"
    child = "JOINT B\n{\nOFFSET 4 5 6\nCHANNELS 1 Xrotation\n}"
    body = f"ROOT A\n{{\nOFFSET 1 2 3\n{listed}\n{child}\n}}"
    row = " ".join(str(value[c]) for c in channels)
    motion = read(tmp_path, file_of(body, f"{row} 33"))
    matrix = to_matrix(motion.rotations)[0]
    assert matrix[0] == pytest.approx(turn(order, [angles[a] for a in order]), abs=1e-12)
    assert matrix[1] == pytest.approx(turn("X", [33.0]), abs=1e-12)
    expected = [1, 2, 3] if position == "none" else [7, 8, 9]
    assert motion.translations["A"][0].tolist() == expected
    assert "B" not in motion.translations


@pytest.mark.parametrize(
    ("channels", "row", "expected"),
    [
        ("Yposition", "9", [4, 9, 6]),
        ("Zposition Xposition", "9 8", [8, 5, 9]),
        ("Zposition Yrotation Xposition", "9 45 8", [8, 5, 9]),
    ],
)
def test_positions_on_any_joint_replace_its_offset(
    tmp_path: Path, channels: str, row: str, expected: list[float]
) -> None:
    body = (
        "ROOT A\n{\nOFFSET 1 2 3\nCHANNELS 1 Xrotation\nJOINT B\n{\nOFFSET 4 5 6\n"
        f"CHANNELS {len(channels.split())} {channels}\n}}\n}}"
    )
    motion = read(tmp_path, file_of(body, "0 " + row))
    assert motion.translations["B"].tolist() == [expected]
    assert retime.positions(motion)[0, 1] == pytest.approx(np.array([1, 2, 3]) + expected)


@pytest.mark.parametrize("none", ["", "CHANNELS 0", "CHANNELS 0\n"])
def test_joints_without_channels(tmp_path: Path, none: str) -> None:
    body = (
        f"ROOT A\n{{\nOFFSET 0 0 0\n{none}\nJOINT B\n{{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
        f"JOINT C\n{{\nOFFSET 2 0 0\n{none}\n}}\n}}\n}}"
    )
    motion = read(tmp_path, file_of(body, "90"))
    assert motion.skeleton.names == ("A", "B", "C")
    assert motion.skeleton.end_sites == ()  # a leaf needs no End Site
    assert retime.positions(motion)[0, 2] == pytest.approx([1, 2, 0])


def test_channels_declared_after_the_children(tmp_path: Path) -> None:
    body = (
        "ROOT A\n{\nOFFSET 0 0 0\nJOINT B\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n}\n"
        "CHANNELS 1 Xrotation\n}"
    )
    motion = read(tmp_path, file_of(body, "10 20"))
    assert to_matrix(motion.rotations)[0, 0] == pytest.approx(turn("X", [20]))
    assert to_matrix(motion.rotations)[0, 1] == pytest.approx(turn("Z", [10]))


def test_two_roots(tmp_path: Path) -> None:
    body = "\n".join(
        f"ROOT {n}\n{{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}}" for n in "AB"
    )
    motion = read(tmp_path, file_of(body, "1 2 3 4 5 6"))
    assert motion.skeleton.roots == (0, 1)
    assert {n: t.tolist() for n, t in motion.translations.items()} == {
        "A": [[1, 2, 3]],
        "B": [[4, 5, 6]],
    }


def test_several_end_sites_on_a_joint(tmp_path: Path) -> None:
    end = "End Site\n{\nOFFSET 0 1 0\n}\n"
    text = file_of(f"ROOT A\n{{\nCHANNELS 1 Xrotation\n{end}{end}}}", "0")
    assert [s.parent for s in read(tmp_path, text).skeleton.end_sites] == [0, 0]


@pytest.mark.parametrize("declared", [0, 1, 2, 4, 99, 1_000_000])
def test_wrong_frame_count_reads_what_is_there(tmp_path: Path, declared: int) -> None:
    text = PLAIN.replace("Frames: 3", f"Frames: {declared}")
    with pytest.warns(retime.FormatWarning, match=rf"declares {declared} frames but contains 3"):
        motion = read(tmp_path, text)
    assert any(f"declares {declared} frames" in note for note in motion.notes)
    same(motion, read(tmp_path, PLAIN))


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_few_frames(tmp_path: Path, frames: int) -> None:
    lines = PLAIN.replace("Frames: 3", f"Frames: {frames}").splitlines()
    motion = read(tmp_path, "\n".join(lines[: len(lines) - 3 + frames]))
    assert len(motion) == frames
    assert motion.rotations.shape == (frames, 2, 4)
    assert retime.positions(motion, end_sites=True).shape == (frames, 3, 3)


def test_units_are_inferred_without_frames(tmp_path: Path) -> None:
    path = tmp_path / "still.bvh"
    path.write_text("\n".join(PLAIN.replace("Frames: 3", "Frames: 0").splitlines()[:-3]))
    assert len(retime.read(path)) == 0


def test_nesting_as_deep_as_hair(tmp_path: Path) -> None:
    depth = 1024
    body = "ROOT J\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n"
    body += "JOINT J\n{\nOFFSET 0 1 0\n" * (depth - 1) + "}\n" * depth
    motion = read(tmp_path, file_of(body, "0"))
    assert len(motion.skeleton) == depth
    assert retime.positions(motion)[0, -1] == pytest.approx([0, depth, 0])


RATES: list[tuple[str, float]] = [
    (".0083333", 120),
    ("0.00833333", 120),
    ("0.008333", 120),
    ("8.3333e-3", 120),
    ("8.33333E-03", 120),
    ("0.033333", 30),
    ("0.0333333333333333", 30),
    ("0.0333", 30),
    ("0.0416667", 24),
    ("0.041667", 24),
    ("0.0417", 24),
    ("0.033367", 30000 / 1001),
    ("0.0333667", 30000 / 1001),
    ("0.0417083", 24000 / 1001),
    ("0.016683", 60000 / 1001),
    ("0.016667", 60),
    ("0.0166667", 60),
    ("0.01", 100),
    ("0.010000", 100),
    ("1e-2", 100),
    ("0.04", 25),
    ("0.02", 50),
    ("0.1", 10),
    ("0.005", 200),
    ("0.004167", 240),
    # Rates that nothing else uses stay what the digits say.
    ("0.0123", 1 / 0.0123),
    ("0.012345678", 1 / 0.012345678),
    ("1", 1.0),
    ("2.5", 1 / 2.5),
    ("0.03", 1 / 0.03),
]


@pytest.mark.parametrize(("word", "rate"), RATES)
def test_rates(tmp_path: Path, word: str, rate: float) -> None:
    assert nominal_rate(word, float(word)) == rate
    assert read(tmp_path, PLAIN.replace("0.0333333", word)).fps == rate


def test_frame_rate_in_place_of_the_files(tmp_path: Path) -> None:
    assert read(tmp_path, PLAIN, fps=50.0).fps == 50.0
    assert read(tmp_path, PLAIN.replace("0.0333333", "0"), fps=50.0).fps == 50.0


# ---- a rest pose before the motion


def with_rest(first: str = "0 0 0 0 0 0 0 0 0", frames: int = 12) -> str:
    """Make a file whose frames 1.. move smoothly, far from zero."""
    rows = [first]
    for f in range(1, frames):
        rows.append(" ".join(str(20 + 3 * k + 0.25 * f) for k in range(9)))
    text = PLAIN[: PLAIN.index("10 20")] + "\n".join(rows) + "\n"
    return text.replace("Frames: 3", f"Frames: {frames}")


def test_rest_frame_is_set_aside_and_said(tmp_path: Path) -> None:
    motion = read(tmp_path, with_rest())
    assert len(motion) == 11
    assert motion.rest_pose is not None
    assert motion.rest_pose.rotations.tolist() == [[1, 0, 0, 0]] * 2
    assert motion.rest_pose.translations["Hips"].tolist() == [0, 0, 0]
    assert any("rest pose" in note for note in motion.notes)
    assert motion.root_translation[0].tolist() == [20.25, 23.25, 26.25]


def test_rest_frame_kept_or_forced(tmp_path: Path) -> None:
    kept = read(tmp_path, with_rest(), rest_frame="keep")
    assert (len(kept), kept.rest_pose) == (12, None)
    assert not any("rest pose" in note for note in kept.notes)
    forced = read(tmp_path, PLAIN, rest_frame="first")
    assert len(forced) == 2
    assert forced.rest_pose is not None
    assert forced.rest_pose.translations["Hips"].tolist() == [10, 20, 30]
    with pytest.raises(retime.InputError, match="rest_frame"):
        read(tmp_path, PLAIN, rest_frame="maybe")


def resting(rest: list[str], moving: list[str]) -> str:
    rows = [*rest, *moving]
    text = PLAIN[: PLAIN.index("10 20")] + "\n".join(rows) + "\n"
    return text.replace("Frames: 3", f"Frames: {len(rows)}")


def moving_rows(count: int, held: int = 1) -> list[str]:
    """Make rows that move smoothly, far from zero; each pose is held for some frames."""
    return [" ".join(str(20 + 3 * k + 0.25 * (f // held)) for k in range(9)) for f in range(count)]


ZERO = "0 0 0 0 0 0 0 0 0"


@pytest.mark.parametrize("count", [2, 3, 9])
def test_several_rest_frames_are_set_aside(tmp_path: Path, count: int) -> None:
    # The first one is another rest pose, as in a conversion of a CMU clip.
    rest = ["0 5 0 30 0 0 0 0 0", *[ZERO] * (count - 1)]
    motion = read(tmp_path, resting(rest, moving_rows(40)))
    assert len(motion) == 40
    assert motion.rest_pose is not None
    assert motion.rest_pose.translations["Hips"].tolist() == [0, 5, 0]
    (said,) = [n for n in motion.notes if n.code == "rest-frame-set-aside"]
    assert said.values["frames"] == count
    assert f"frames 0 {'and' if count == 2 else 'to'} {count - 1} are added rest poses" in said
    assert len(read(tmp_path, resting(rest, moving_rows(40)), rest_frame="keep")) == 40 + count
    assert len(read(tmp_path, resting(rest, moving_rows(40)), rest_frame="first")) == 39 + count


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(([ZERO] * 10, moving_rows(60)), id="a long rest"),
        pytest.param(([ZERO] * 3, moving_rows(8)), id="a third of the clip"),
        *(
            pytest.param(([ZERO] * held, moving_rows(count, held)), id=f"{count} on {held}s")
            for held in (2, 3, 4)
            for count in (60, 61, 64, 257, 258, 514)
        ),
        pytest.param(
            ([ZERO] * 2, [*moving_rows(40, held=2), *moving_rows(20)]), id="on twos and ones"
        ),
        pytest.param(([moving_rows(1)[0], ZERO], moving_rows(60)), id="not at the start"),
        pytest.param(
            ([ZERO] * 2, [f"0 0 0 {2 * f} 0 0 {2 * f} 0 0" for f in range(40)]), id="slow"
        ),
    ],
)
def test_a_rest_that_may_be_motion_is_kept(
    tmp_path: Path, rows: tuple[list[str], list[str]]
) -> None:
    motion = read(tmp_path, resting(*rows))
    assert (len(motion), motion.rest_pose) == (len(rows[0]) + len(rows[1]), None)


@pytest.mark.parametrize("held", [2, 3, 4])
def test_one_rest_frame_before_held_poses_is_set_aside(tmp_path: Path, held: int) -> None:
    motion = read(tmp_path, resting([ZERO], moving_rows(60, held)))
    assert len(motion) == 60
    assert motion.rest_pose is not None


def test_smooth_start_at_zero_is_no_rest_frame(tmp_path: Path) -> None:
    rows = "\n".join(" ".join(str(0.5 * f * (k + 1)) for k in range(9)) for f in range(20))
    text = PLAIN[: PLAIN.index("10 20")].replace("Frames: 3", "Frames: 20") + rows
    motion = read(tmp_path, text)
    assert (len(motion), motion.rest_pose) == (20, None)


def test_still_clip_has_no_rest_frame(tmp_path: Path) -> None:
    text = (
        PLAIN[: PLAIN.index("10 20")].replace("Frames: 3", "Frames: 9") + "0 0 0 0 0 0 0 0 0\n" * 9
    )
    motion = read(tmp_path, text)
    assert (len(motion), motion.rest_pose) == (9, None)
