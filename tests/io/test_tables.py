"""Markers (.trc) and tables (.mot, .sto) of biomechanics, retimed in a copy of the file."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, samples
from retime.errors import RetimeError
from retime.io.files import passed_on
from table_making import storage, trc


@pytest.fixture
def markers(tmp_path: Path) -> Path:
    path = tmp_path / "walk.trc"
    path.write_text(trc(start=0.5))
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "walk.mot"
    path.write_text(storage())
    return path


def test_markers_are_points_in_metres(markers: Path) -> None:
    motion = retime.read(markers)
    assert motion.skeleton.names == ("LASI", "RASI", "LANK")
    assert (len(motion), motion.fps, motion.start) == (60, 100.0, 0.5)
    assert motion.units.metres == 0.001
    first = [0.45, 0.9 + 0.04 * np.sin(4.5), 0.03 * np.cos(2.5)]
    assert retime.positions(motion)[0, 0] == pytest.approx(first, abs=1e-6)
    codes = {getattr(n, "code", "") for n in motion.notes}
    assert {"values-missing", "up-axis-assumed"} <= codes


@pytest.mark.parametrize("kind", ["markers", "table"])
def test_a_copy_has_the_same_bytes(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path: Path = request.getfixturevalue(kind)
    retime.write(retime.read(path), tmp_path / f"a{path.suffix}")
    assert (tmp_path / f"a{path.suffix}").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["markers", "table"])
def test_a_file_without_its_last_rows_says_so(kind: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(kind)
    whole = retime.read(path)
    path.write_text("\n".join(path.read_text().split("\n")[:-11]) + "\n")
    motion = retime.read(path)
    (note,) = (n for n in motion.notes if getattr(n, "code", "") == "rows-missing")
    assert f"counts {len(whole)} rows, and the file has {len(whole) - 10}" in str(note)


def test_markers_stand_at_warped_times(markers: Path, tmp_path: Path) -> None:
    motion, out = retime.read(markers), tmp_path / "slow.trc"
    a, b = motion.domain
    warp = TimeWarp([a, a + 0.4, a + 1.0], [a, a + 0.1, b])
    retimed = apply(motion, warp)
    retime.write(retimed, out)
    again = retime.read(out)
    assert again.domain == pytest.approx(retimed.domain)
    for name, track in retimed.translations.items():
        assert np.abs(again.translations[name] - track).max() < 2.0 if name == "LANK" else (
            np.abs(again.translations[name] - track).max() < 1e-4
        )  # fmt: skip
    lines = out.read_text().split("\n")
    before = markers.read_text().split("\n")
    assert [lines[0], lines[1], *lines[3:6]] == [before[0], before[1], *before[3:6]]
    assert lines[2].split("\t")[2] == "101"
    assert lines[2].split("\t")[3:] == before[2].split("\t")[3:]
    hidden = [line.split("\t")[8] == "" for line in lines[6:-1]]
    assert 5 < sum(hidden) < 20  # hidden again, as long as the warp shows it
    assert all(line.endswith("\t\t") for line in lines[6:-1])


def test_markers_follow_their_own_channels(markers: Path, tmp_path: Path) -> None:
    motion, out = retime.read(markers), tmp_path / "a.trc"
    a, b = motion.domain
    bent = ([a, a + 0.3, b], [a, a + 0.2, b])
    retime.write(apply(motion, TimeWarp([a, b], [a, b], channels={"RASI:translation": bent})), out)
    rows = [[line.split("\t") for line in p.read_text().split("\n")[6:-1]] for p in (markers, out)]
    assert [r[2:5] for r in rows[0]] == [r[2:5] for r in rows[1]]
    assert [r[5:8] for r in rows[0]] != [r[5:8] for r in rows[1]]


def test_a_table_is_retimed_with_its_head(table: Path, tmp_path: Path) -> None:
    motion, out = retime.read(table), tmp_path / "slow.mot"
    assert motion.root_translation[-1] == pytest.approx([1.2 * 0.49, 0.9, 0.049])
    retime.write(apply(motion, TimeWarp([0, 0.98], [0, 0.49])), out)
    lines = out.read_text().split("\n")
    assert lines[2] == "nRows=99"
    assert lines[7].split() == ["range", "0", "0.98"]
    assert [lines[n] for n in (0, 1, 3, 4, 5, 6, 8, 9)] == [
        table.read_text().split("\n")[n] for n in (0, 1, 3, 4, 5, 6, 8, 9)
    ]
    rows = np.array([[float(v) for v in line.split()] for line in lines[10:-1]])
    assert rows[:, 7] == pytest.approx(30 * rows[:, 0], abs=1e-6)  # at half speed


def test_uneven_times_and_radians(tmp_path: Path) -> None:
    times = np.array([0.0, 0.01, 0.03, 0.07, 0.15, 0.31])
    path, out = tmp_path / "a.sto", tmp_path / "b.sto"
    path.write_text(storage(times, degrees=False))
    motion = retime.read(path)
    assert motion.times == pytest.approx(times)
    (tmp_path / "c.sto").write_text(storage(times))
    assert (
        retime.quat.angle(motion.rotations, retime.read(tmp_path / "c.sto").rotations).max() < 1e-6
    )
    retime.write(motion, out)
    assert out.read_bytes() == path.read_bytes()


def test_rounded_times_have_a_whole_rate(tmp_path: Path) -> None:
    path = tmp_path / "a.sto"
    path.write_text(storage(np.round(np.arange(20) / 60, 6)))
    assert retime.read(path).fps == 60.0
    path.write_text(storage(np.arange(20) / 59.94))
    assert retime.read(path).fps == 59.94


def test_what_cannot_be_written_is_refused(table: Path, markers: Path, tmp_path: Path) -> None:
    for suffix in (".trc", ".mot"):
        with pytest.raises(InputError, match=r"can be written as.*\.csv"):
            retime.write(samples.walk(), tmp_path / f"a{suffix}")
    motion = retime.read(table)
    moved = {"pelvis": motion.root_translation + 1}
    with pytest.raises(InputError, match="only the timing"):
        retime.write(replace(motion, translations=moved), tmp_path / "a.mot")
    points = retime.read(markers)
    raised = {**points.translations, "LASI": points.translations["LASI"] + [0, 50, 0]}
    retime.write(replace(points, translations=raised), tmp_path / "b.trc")
    again = retime.read(tmp_path / "b.trc")
    assert np.abs(again.translations["LASI"] - raised["LASI"]).max() < 1e-4


@pytest.mark.parametrize(
    ("suffix", "change", "says"),
    [
        (".trc", lambda s: "", "empty|begin with PathFileType"),
        (".trc", lambda s: s.replace("0.52000", "x"), "'x' is not a number"),
        (".trc", lambda s: s.replace("0.52000", "0.1"), "do not rise"),
        (".trc", lambda s: s.replace("100.00", "none", 1), "no frame rate"),
        (".trc", lambda s: s[: s.index("1\t0.5")], "no rows|begin"),
        (".trc", lambda s: s.replace("\t0.52000", "\t0.52000\t9\t9\t9\t9"), "expected 14 values"),
        (".mot", lambda s: s.replace("endheader", ""), "no endheader"),
        (".mot", lambda s: s.replace("time", "t"), "not the time"),
        (".mot", lambda s: s.replace("0.90000000", "1e99", 1), "too large"),
        (".trc", lambda s: s[:-60], "expected 14 values, found .*cut off"),
        (".mot", lambda s: s[:-60], "expected 8 values, found .*cut off"),
        (".mot", lambda s: s + "5 5\n", "expected 8|not a number|do not rise"),
    ],
)
def test_bad_tables_get_a_sentence(tmp_path: Path, suffix: str, change: object, says: str) -> None:
    path = tmp_path / f"a{suffix}"
    text = trc(start=0.5) if suffix == ".trc" else storage()
    path.write_text(change(text))  # type: ignore[operator]
    with pytest.raises(FormatError, match=says):
        retime.read(path)


@pytest.mark.parametrize("suffix", [".trc", ".mot"])
def test_damaged_tables_are_sentences(tmp_path: Path, suffix: str) -> None:
    data = (trc(12) if suffix == ".trc" else storage(np.arange(12) / 50)).encode()
    path = tmp_path / f"a{suffix}"
    for mutant in mutants(data, seed=3):
        path.write_bytes(mutant)
        with contextlib.suppress(RetimeError), passed_on():  # anything else would be a fault
            motion = retime.read(path)
            retime.write(apply(motion, TimeWarp([0, 2], motion.domain)), tmp_path / f"o{suffix}")
