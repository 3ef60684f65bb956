"""Broken BVH files: a FormatError with path and line, never another error or a wrong motion."""

from __future__ import annotations

import contextlib
import io
import random
import re
import warnings
import zipfile
from pathlib import Path

import pytest

import retime

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 1.0 2.0 3.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 0.5 -4.0 0.25
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 -5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
10 20 30 40 50 60 70 80 85
11 21 31 41 51 61 71 81 86
12 22 32 42 52 62 72 82 87
"""

LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


def fails(path: Path, data: bytes) -> retime.FormatError:
    path.write_bytes(data)
    with pytest.raises(retime.FormatError) as caught:
        retime.read(path)
    error = caught.value
    assert error.path == str(path)
    assert str(path) in str(error)
    # A sentence for a person, on one line and of a bearable length.
    assert "\n" not in str(error)
    assert len(str(error)) < len(str(path)) + 300
    return error


# What to replace, by what, and the line that the error must name; None where any will do.
BROKEN: dict[str, tuple[str, str, int | None]] = {
    "inf": ("82 87", "82 inf", 21),
    "-Infinity": ("12 22", "-Infinity 22", 21),
    "1.#INF": ("41 51", "-1.#INF00 51", 20),
    "overflow": ("41 51", "1e999 51", 20),
    "comma decimals": ("41 51", "41,5 51", 20),
    "word among numbers": ("41 51", "41 fifty", 20),
    "underscore": ("41 51", "4_1 51", 20),
    "hexadecimal": ("41 51", "0x41 51", 20),
    "two points": ("41 51", "4.1.0 51", 20),
    "lone sign": ("41 51", "- 51", 20),
    "lone point": ("41 51", ". 51", 20),
    "lone exponent": ("41 51", "e5 51", 20),
    "missing exponent": ("41 51", "41e 51", 20),
    "two signs": ("41 51", "--41 51", 20),
    "truncated last row": (" 82 87\n", "\n", 21),
    "last row of one number": ("12 22 32 42 52 62 72 82 87\n", "12", 21),
    "short row in the middle": (" 81 86\n", "\n", 20),
    "short first row": (" 80 85\n", "\n", 19),
    "short row, long next row": (" 86\n12", "\n86 12", 20),
    "long row, short next row": ("\n11 21", " 11\n21", 19),
    "a number too many": ("85\n", "85 99\n", 19),
    "declares gigabytes": ("Frames: 3", "Frames: 99999999999", 17),
    "declares more than a machine's integer": ("Frames: 3", "Frames: " + 60 * "9", 17),
    "negative frame count": ("Frames: 3", "Frames: -3", 17),
    "frame count no number": ("Frames: 3", "Frames: three", 17),
    "fractional frame count": ("Frames: 3", "Frames: 3.5", 17),
    "frame count missing": ("Frames: 3", "Frames:", 17),
    "no Frames line": ("Frames: 3\n", "", None),
    "no Frame Time line": ("Frame Time: 0.0333333\n", "", None),
    "no header at all": ("Frames: 3\nFrame Time: 0.0333333\n", "", None),
    "zero frame time": ("0.0333333", "0", 18),
    "zero frame time with decimals": ("0.0333333", "0.000000", 18),
    "negative frame time": ("0.0333333", "-0.0333", 18),
    "NaN frame time": ("0.0333333", "nan", 18),
    "infinite frame time": ("0.0333333", "inf", 18),
    "tiny frame time": ("0.0333333", "1e-400", 18),
    "frame time that no rate has": ("0.0333333", "1e-320", 18),
    "comma frame time": ("0.0333333", "0,0333", 18),
    "empty frame time": ("0.0333333", "", 18),
    "missing MOTION": ("MOTION\n", "", None),
    "ends before MOTION": (GOOD[GOOD.index("MOTION") :], "", None),
    "ends in a joint": (GOOD[GOOD.index("    End Site") :], "", None),
    "unclosed brace": ("}\nMOTION", "MOTION", None),
    "a brace too many": ("}\nMOTION", "}\n}\nMOTION", 16),
    "a brace that nothing opens": ("  JOINT Leg\n", "", 6),
    "joint without braces": ("  JOINT Leg\n", "  JOINT Arm\n  JOINT Leg\n", 7),
    "offset before its brace": ("JOINT Leg\n", "JOINT Leg\nOFFSET 9 9 9\n", 7),
    "joint outside of a root": ("ROOT", "JOINT", 2),
    "joint in an End Site": ("OFFSET 0 -5 0", "JOINT X\n{\n}\n", 12),
    "channels in an End Site": ("OFFSET 0 -5 0", "CHANNELS 1 Xrotation", 12),
    "End Site outside of a joint": ("MOTION", "End Site\n{\nOFFSET 1 1 1\n}\nMOTION", 16),
    "unknown keyword": ("  JOINT Leg", "  BONE Leg", 6),
    "offset outside of a joint": ("ROOT", "OFFSET 0 0 0\nROOT", 2),
    "channels outside of a joint": ("MOTION", "CHANNELS 1 Xrotation\nMOTION", 16),
    "short offset": ("1.0 2.0 3.0", "1.0 2.0", None),
    "long offset": ("1.0 2.0 3.0", "1.0 2.0 3.0 4.0", 4),
    "NaN offset": ("0.5 -4.0", "nan -4.0", 8),
    "infinite offset": ("0.5 -4.0", "1e999 -4.0", 8),
    "comma offset": ("0.5 -4.0", "0,5 -4.0", 8),
    "word in an offset": ("0.5 -4.0", "half -4.0", 8),
    "NaN offset of an End Site": ("0 -5 0", "0 nan 0", 12),
    "unknown channel": ("Yrotation Zrotation Xrotation\n", "Yrotation Wrotation Xrotation\n", 9),
    "scale channel": ("3 Yrotation", "3 Xscale", 9),
    "channel twice": ("Yrotation Zrotation Xrotation\n", "Yrotation Yrotation Xrotation\n", 9),
    "channel twice, other case": ("Yrotation Zrotation X", "Yrotation YROTATION X", 9),
    "channels declared twice": ("    End", "    CHANNELS 1 Xposition\n    End", 10),
    "huge channel count": ("CHANNELS 3", "CHANNELS 999999999999", 9),
    "channel count of 5000 digits": ("CHANNELS 3", "CHANNELS " + 5000 * "9", 9),
    "negative channel count": ("CHANNELS 3", "CHANNELS -3", 9),
    "channel count no number": ("CHANNELS 3", "CHANNELS three", 9),
    "fewer channels than declared": ("CHANNELS 3", "CHANNELS 4", None),
    "more channels than declared": ("CHANNELS 3", "CHANNELS 2", 9),
    "columns that the rows lack": ("CHANNELS 3 Yr", "CHANNELS 4 Yposition Yr", 19),
    "other text": ("HIERARCHY", "HIERARCHIE", 1),
    "text before HIERARCHY": ("HIERARCHY", "# a comment\nHIERARCHY", 1),
    "no HIERARCHY": ("HIERARCHY\n", "", 1),
    "name only": (GOOD, "HIERARCHY\n", None),
    "no joint": (GOOD[10 : GOOD.index("MOTION")], "", None),
}


@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS.keys())
@pytest.mark.parametrize(("old", "new", "line"), BROKEN.values(), ids=BROKEN.keys())
def test_broken(tmp_path: Path, old: str, new: str, line: int | None, line_end: str) -> None:
    assert GOOD.count(old) >= 1
    text = GOOD.replace(old, new, 1).replace("\n", line_end)
    error = fails(tmp_path / "broken.bvh", text.encode())
    if line is not None:
        assert error.line == line, str(error)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_line_is_right_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    data = GOOD.replace("41 51", "inf 51").encode(encoding)
    assert fails(tmp_path / "a.bvh", data).line == 20


def test_header_lines_in_the_other_order(tmp_path: Path) -> None:
    header = "Frames: 3\nFrame Time: 0.0333333"
    swapped = "Frame Time: 0\nFrames: 3"
    assert fails(tmp_path / "a.bvh", GOOD.replace(header, swapped).encode()).line == 17
    swapped = "Frame Time: 0.0333333\nFrames: x"
    assert fails(tmp_path / "a.bvh", GOOD.replace(header, swapped).encode()).line == 18


def test_hints(tmp_path: Path) -> None:
    """The commonest faults get a sentence that says what to do."""
    for old, new, said in (
        ("41 51", "41,5 51", "point"),
        ("0.0333333", "0", "give the frame rate"),
        ("MOTION\n", "", "MOTION"),
        ("    CHANNELS 3", "    CHANNELS 4", "Leg"),
    ):
        assert said in str(fails(tmp_path / "a.bvh", GOOD.replace(old, new).encode()))


def test_nesting_beyond_bounds(tmp_path: Path) -> None:
    for depth in (1025, 50_000):
        text = "HIERARCHY\nROOT A\n{\n" + "JOINT A\n{\n" * depth + "}\n" * (depth + 1)
        error = fails(tmp_path / "deep.bvh", (text + GOOD[GOOD.index("MOTION") :]).encode())
        assert error.line == 3 + 2 * 1024  # where the brace opens that is too deep
        assert "1024" in str(error)


def test_no_channels_at_all(tmp_path: Path) -> None:
    text = re.sub(r" *CHANNELS.*\n", "", GOOD[: GOOD.index("10 20")])
    fails(tmp_path / "still.bvh", text.encode())


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("clip.bvh", GOOD)
    return buffer.getvalue()


JUNK: dict[str, bytes] = {
    "empty": b"",
    "blanks": b" \r\n\t\n",
    "UTF-8 mark only": b"\xef\xbb\xbf",
    "UTF-16 mark only": b"\xff\xfe",
    "one byte": b"H",
    "one zero": b"\0",
    "zeros": bytes(100_000),
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "JPEG": b"\xff\xd8\xff\xe0" + bytes(range(256)),
    "GLB": b"glTF\x02\0\0\0" + bytes(200),
    "FBX": b"Kaydara FBX Binary  \0\x1a\0" + bytes(200),
    "zip": zipped(),
    "gzip": b"\x1f\x8b\x08\0" + bytes(range(256)),
    "PDF": b"%PDF-1.7\n" + bytes(range(256)),
    "HTML": b"<!DOCTYPE html><html><body>404</body></html>",
    "JSON": b'{"asset": {"version": "2.0"}}',
    "UTF-32": GOOD.encode("utf-32"),
    "half of UTF-16": GOOD.encode("utf-16")[:301],
    "odd byte of UTF-16": GOOD.encode("utf-16") + b"\n",
    "zeros in the rows": GOOD.replace("41 51", "41\0 51").encode(),
    "zeros after a head": b"HIERARCHY\n" + bytes(100_000),
}


@pytest.mark.parametrize("data", JUNK.values(), ids=JUNK.keys())
def test_junk(tmp_path: Path, data: bytes) -> None:
    fails(tmp_path / "junk.bvh", data)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes(tmp_path: Path, seed: int) -> None:
    noise = random.Random(seed).randbytes(5000)
    fails(tmp_path / "noise.bvh", noise)
    fails(tmp_path / "noise.bvh", b"HIERARCHY\nROOT A\n{\n" + noise)
    fails(tmp_path / "noise.bvh", GOOD[: GOOD.index("41 51")].encode() + noise)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(retime.InputError, match="no such file"):
        retime.read(tmp_path / "absent.bvh")
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(retime.InputError, match="is a folder"):
        retime.read(tmp_path / "folder.bvh")


def test_every_cut_of_a_file_is_refused_or_read(tmp_path: Path) -> None:
    """A file cut anywhere before its last row's last number never yields the whole motion."""
    whole = GOOD.rstrip()
    path = tmp_path / "cut.bvh"
    for end in range(len(whole) - 1):
        path.write_text(whole[:end])
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                motion = retime.read(path, scale=1.0, up="Y")
            except retime.FormatError:
                continue
        assert len(motion) < 3
        assert [w.category for w in said] == [retime.FormatWarning]


@pytest.mark.parametrize("big", ["1e155", "1e200", "1.7e308", "-1e308"])
@pytest.mark.parametrize("old", ["10 20", "40 50", "0.5 -4.0", "0 -5 0"])
def test_enormous_numbers(tmp_path: Path, big: str, old: str) -> None:
    """Finite but absurd: read or refused, without an overflow."""
    path = tmp_path / "big.bvh"
    path.write_text(GOOD.replace(old, old.replace(old.split()[0], big)))
    with contextlib.suppress(retime.RetimeError):
        assert len(retime.read(path)) == 3
