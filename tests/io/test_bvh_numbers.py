"""The number parser against Python's own, and random edits of a valid file."""

from __future__ import annotations

import os
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import retime
from retime import _native
from retime.io.bvh.rows import parse_rows

CASES = 20_000 if os.environ.get("RETIME_STRESS") else 300


def parsed(words: list[str]) -> np.ndarray:
    rows = "\n".join(words)
    text = f"\nFrames: {len(words)}\nFrame Time: 0.1\n{rows}\n"
    return parse_rows(text.encode(), 1, "numbers", 1).values[:, 0]


def must_equal_python(words: list[str]) -> None:
    got, want = parsed(words), np.array([float(w) for w in words])
    wrong = np.flatnonzero(got.view(np.int64) != want.view(np.int64))  # -0.0 is not 0.0
    assert [(words[i], got[i], want[i]) for i in wrong] == []


@st.composite
def decimal_texts(draw: st.DrawFn) -> str:
    """Draw a decimal of 1 to 25 digits, a point anywhere or nowhere, perhaps an exponent."""
    digits = draw(st.text("0123456789", min_size=1, max_size=25))
    point = draw(st.none() | st.integers(0, len(digits)))
    if point is not None:
        digits = digits[:point] + "." + digits[point:]
    # Exponents stay where a double is finite: beyond, both must refuse.
    exponent = draw(
        st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+"]),
                                st.integers(0, 280))
        | st.builds("{}-{}".format, st.sampled_from("eE"), st.integers(0, 400))
    )  # fmt: skip
    return draw(st.sampled_from(["", "-", "+"])) + digits + exponent


quietly = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@quietly
@given(st.lists(decimal_texts(), min_size=1, max_size=50))
def test_decimal_texts(words: list[str]) -> None:
    must_equal_python(words)


@quietly
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_floats_as_programs_write_them(values: list[float]) -> None:
    must_equal_python([repr(v) for v in values])
    must_equal_python([f"{v:.6f}" for v in values])
    must_equal_python([f"{v:.17g}" for v in values])
    must_equal_python([f"{v:E}" for v in values])


def test_halfway_between_two_doubles() -> None:
    """The hardest decimals: exactly halfway, and one unit of the last digit off."""
    rng = random.Random(7)
    words = []
    for _ in range(20 * CASES):
        mantissa = rng.getrandbits(53) | 1 << 52
        shift = rng.randrange(1, 11)
        whole = (mantissa << shift) + (1 << (shift - 1)) + rng.choice([-1, 0, 1])
        places = rng.randrange(1, 12)
        part = str((2 * mantissa + 1) * 10**places // 2**places + rng.choice([-1, 0, 1]))
        words += [str(whole), f"{whole}.", f"{part[:-places]}.{part[-places:]}"]
    must_equal_python(words)


@pytest.mark.parametrize(
    "word",
    [
        *("0", "-0", "+0.0", ".5", "5.", "-.5", "+5.", "00012", "0.000", "1e5", "1.e5", ".1e1"),
        *("1E+05", "1e-05", "0e999", "0e-99999999999", "9007199254740993", "9007199254740992.5"),
        *("18446744073709551615", "18446744073709551616", "9999999999999999999", "1e22", "1e23"),
        *("123456789012345678e-22", "1234567890123456789e-23", "4.9e-324", "2.4e-324", "1e-400"),
        *(
            "1.7976931348623157e308",
            "2.2250738585072011e-308",
            "0." + 40 * "0" + "1",
            "1" + 30 * "0",
        ),
        *(
            300 * "0" + "7",
            "0." + 300 * "3",
            "8.5e-1",
            "179.9999999999999999",
            "0.1e00000000000001",
        ),
    ],
)
def test_numbers_one_by_one(word: str) -> None:
    must_equal_python([word])


@pytest.mark.parametrize(
    "word",
    [
        *("nana", "inf", "-inf", "1e309", "-1.#INF", "1.#INF", "0x1p3", "1_0", "1,5", "--1", "+-1"),
        *("1-", "1+1", "1e", "1e+", "e1", ".", "+", "-", "+.", "1..2", "1.2.3", "1e1e1", "1e1.5"),
        *("1f", "1d5", "1\x001", "\x00", "½", "١", "1%", "(1)", '"1"'),
    ],
)
def test_no_numbers(word: str) -> None:
    with pytest.raises(retime.FormatError) as caught:
        parsed(["1", word, "2"])
    assert caught.value.line == 5


@st.composite
def written_numbers(draw: st.DrawFn) -> tuple[list[float], int]:
    """Draw numbers and decimals that a double has the digits for."""
    decimals = draw(st.integers(0, 9))
    most = min(1e8, 2.0**53 / 10.0**decimals)
    number = st.floats(-most, most, exclude_min=True, exclude_max=True, allow_subnormal=False)
    return draw(st.lists(number, min_size=1, max_size=30)), decimals


@quietly
@given(written_numbers())
def test_written_numbers_read_back(given: tuple[list[float], int]) -> None:
    values, decimals = given
    words = _native.bvh.format_rows(np.array([values]), decimals).tobytes().decode().split(" ")
    assert words[-1].endswith("\n")
    for word, value in zip(words, values, strict=True):
        point = word.strip().partition(".")[2]
        room = 0.5 * 10.0**-decimals + 1e-15 * abs(value)  # a tie, and the value's own rounding
        assert len(point) == decimals
        assert float(word) == pytest.approx(value, rel=1e-15, abs=room)
        assert word.strip() not in ("-0", "-0." + decimals * "0")


# ---- random edits

SEED = b"""HIERARCHY
ROOT Hips
{
 OFFSET 1.0 2.0 3.0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Leg
 {
  OFFSET 0.5 -4.0 0.25
  CHANNELS 2 Yrotation Zrotation
  End Site
  {
   OFFSET 0 -5 0
  }
 }
 JOINT Leg { OFFSET 0 0 1 CHANNELS 1 Yposition
 }
}
MOTION
Frames: 4
Frame Time: 0.0333333
10 20 30 40 50 60 70 80 85
11 21 31 41 51 61 71 81 86
12 22 32 42 52 62 72 82 87
1.3e1 23. 3.3e+01 43 53 -63 +73 83 .88
"""
WORDS = [
    *(b"{", b"}", b"\n", b"\r", b" ", b"\t", b"\0", b"-", b".", b"e", b"9", b"nan", b"1e400"),
    *(b"OFFSET 1 1 1 ", b"CHANNELS 0\n", b"CHANNELS 1 Xrotation\n", b"JOINT X\n{\n}\n"),
    *(b"End Site\n{\n}\n", b"ROOT R\n{\n}\n", b"MOTION\n", b"Frames: 2\n", b"HIERARCHY\n"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xe5\xb7\xa6", b"\xe4", b"1e308 ", b"0 0 0 0 0 0 0 0 0\n"),
]
GENTLE = [b"0", b"7", b"-", b".", b" ", b"\t", b"\n", b"\r\n", b"e1", b"x", b"E"]


def mutated(rng: random.Random) -> bytes:
    """Edit bytes, words and lines of the seed, once to three times."""
    data = SEED
    for _ in range(rng.choice([1, 1, 2, 3])):
        i, j = sorted(rng.choices(range(len(data) + 1), k=2))
        lines = data.splitlines(keepends=True) or [b""]
        k, m = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(11):
            case 0:
                data = data[:i] + rng.randbytes(1) + data[i + 1 :]
            case 9:
                data = data[:i] + rng.choice(GENTLE) + data[i + 1 :]
            case 10:
                start = data.find(b"MOTION")
                i = rng.randrange(max(start, 0), len(data) + 1)
                data = data[:i] + rng.choice(GENTLE) + data[i:]
            case 1:
                data = data[:i] + data[i + rng.randint(1, 3) :]
            case 2:
                data = data[:i] + rng.choice(WORDS) + data[i:]
            case 3:
                data = data[:i] + data[j:] if rng.random() < 0.3 else data[:i] + data[i + 20 :]
            case 4:
                data = b"".join(lines[:k] + lines[k + 1 :])
            case 5:
                data = b"".join([*lines[:k], lines[m], *lines[k:]])
            case 6:
                lines[k], lines[m] = lines[m], lines[k]
                data = b"".join(lines)
            case 7:
                data = data[:i]
            case _:
                words = data.split(b" ")
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                data = b" ".join(words)
    return data


def test_random_edits_are_read_or_refused(tmp_path: Path) -> None:
    """What reads is finite and survives writing; what does not is a RetimeError."""
    path, again = tmp_path / "a.bvh", tmp_path / "b.bvh"
    read = 0
    wrong: list[tuple[bytes, str]] = []
    for seed in range(CASES):
        data = mutated(random.Random(seed))
        path.write_bytes(data)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", retime.FormatWarning)
                motion = retime.read(path)
                assert np.isfinite(motion.rotations).all()
                assert np.isfinite(motion.skeleton.offsets).all()
                assert all(0 <= s.parent < len(motion.skeleton) for s in motion.skeleton.end_sites)
                retime.write(motion, again)
                # Judged anew, one edited file may find another rest frame; count all frames.
                before, after = (retime.read(p, rest_frame="keep") for p in (path, again))
                assert np.array_equal(before.rotations, after.rotations)
                assert before.skeleton.file_names == after.skeleton.file_names
                assert before.skeleton.end_sites == after.skeleton.end_sites
                assert before.translations.keys() == after.translations.keys()
                assert all(
                    np.array_equal(t, after.translations[n]) for n, t in before.translations.items()
                )
            read += 1
        except retime.RetimeError:
            pass
        except Exception as e:
            wrong.append((data, repr(e)))
    assert wrong == []
    assert read > CASES / 30  # else the edits are too wild to tell anything
