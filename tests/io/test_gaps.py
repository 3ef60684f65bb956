"""Missing values (NaN): bridged when a file is read, and told with where they lie."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from every_format import motion_file
from retime import FormatError, TimeWarp, apply, quat
from retime.io.gaps import Gaps, means_missing
from retime.notes import Note

Run = Callable[..., tuple[int, str, str]]
GAPS = [(10, 17), (26, 29)]


def _in_rows(data: bytes, first: int, columns: slice) -> bytes:
    """Put NaN into the words of lines, of which ``first`` is frame 0."""
    lines = data.decode().splitlines()
    for a, b in GAPS:
        for k in range(a, b + 1):
            words = lines[first + k].split()
            words[columns] = ["-nan(ind)"] * len(words[columns])
            lines[first + k] = " ".join(words)
    return "\n".join(lines).encode()


def _in_amc(data: bytes) -> bytes:
    lines, frame = data.decode().splitlines(), -1
    for n, line in enumerate(lines):
        frame += line.strip().isdecimal()
        if line.startswith("lfemur") and any(a <= frame <= b for a, b in GAPS):
            lines[n] = "lfemur nan nan nan"
    return "\n".join(lines).encode()


def _in_arrays(path: Path, *names: str) -> None:
    """Put NaN into arrays (F, ...) of an archive, a pickle or a lone array."""
    found: Any
    if path.suffix == ".npy":
        found = {"": np.load(path)}
    elif path.suffix == ".pkl":
        found = pickle.loads(path.read_bytes())
    else:
        found = dict(np.load(path))
    for name in names:
        found[name] = found[name].astype(float)
        for a, b in GAPS:
            found[name][a : b + 1] = np.nan
    if path.suffix == ".npy":
        np.save(path, found[""])
    elif path.suffix == ".pkl":
        path.write_bytes(pickle.dumps(found))
    else:
        buffer = io.BytesIO()
        np.savez(buffer, **found)
        path.write_bytes(buffer.getvalue())


def _with_gaps(kind: str, folder: Path) -> Path:
    """Write a motion file that lacks frames 10 to 17, and 26 to 29, the last of some."""
    if kind == "amass":
        path = folder / "clip.npz"
        turns = 0.4 * np.sin(np.arange(60)[:, None] / 20 + np.arange(66))
        np.savez(path, poses=turns, trans=np.zeros((60, 3)), mocap_framerate=60.0)
        _in_arrays(path, "poses", "trans")
        return path
    path = motion_file(f".{kind}", folder)[0]
    data = path.read_bytes()
    if kind == "bvh":
        lines = data.split(b"\n")
        first = next(n for n, line in enumerate(lines) if line.startswith(b"Frame Time")) + 1
        path.write_bytes(_in_rows(data, first, slice(0, 9)))
    elif kind == "amc":
        path.write_bytes(_in_amc(data))
    else:
        _in_arrays(path, *{"npy": [""], "pkl": ["smpl_poses"], "npz": ["rotations"]}[kind])
    return path


@pytest.mark.parametrize("kind", ["bvh", "amc", "npz", "npy", "pkl", "amass"])
def test_gaps_are_bridged_and_told(kind: str, tmp_path: Path) -> None:
    path = _with_gaps(kind, tmp_path)
    motion = retime.read(path)
    note = next(n for n in motion.notes if getattr(n, "code", "") == "values-missing")
    assert isinstance(note, Note)
    assert note.values["stretches"] == [[10, 17], [26, 29]]
    assert "frames 10 to 17 (" in note
    # The pose goes steadily from what was before the gap to what comes after it.
    names = note.values["joints"]
    turns = motion.rotations
    for name in set(names) & set(motion.skeleton.names):
        own = turns[:, motion.skeleton.index(name)]
        step = quat.angle(own[9:18], own[10:19])
        assert step.sum() == pytest.approx(quat.angle(own[9], own[18]), abs=0.02)
        assert np.ptp(step) < 0.1 * step.max() + 1e-6
        if len(motion) == 30:  # held at the end
            assert quat.angle(own[25], own[26:]).max() < 1e-6
    for name, track in motion.translations.items():
        if name in names and kind not in ("npz", "amc"):  # there it is the rotation that misses
            np.testing.assert_allclose(track[9:19], np.linspace(track[9], track[18], 10), atol=1e-6)
    # An unedited file keeps its bytes or means the same; a retimed one has no gap.
    retime.write(motion, tmp_path / f"same{path.suffix}")
    again = retime.read(tmp_path / f"same{path.suffix}", **_skeleton(path))
    assert quat.angle(again.rotations, turns).max() < 1e-6
    slow = apply(motion, TimeWarp([0, 2 * motion.duration], [0, motion.duration]))
    retime.write(slow, tmp_path / f"slow{path.suffix}")
    whole_again = retime.read(tmp_path / f"slow{path.suffix}", **_skeleton(path))
    said = [n for n in whole_again.notes if getattr(n, "code", "") == "values-missing"]
    assert not said or kind == "npz"  # which keeps the notes of what it was made of
    assert np.isfinite(whole_again.rotations).all()


def _skeleton(path: Path) -> dict[str, Any]:
    return {"skeleton": path.with_name("take.asf")} if path.suffix == ".amc" else {}


@pytest.mark.parametrize("command", ["info", "check"])
def test_info_and_check_remark_on_gaps(command: str, tmp_path: Path, run: Run) -> None:
    status, out, err = run(command, _with_gaps("bvh", tmp_path))
    assert status == 0, err
    assert "values are missing (NaN)" in " ".join((out + err).split())
    assert "frames 10 to 17" in " ".join((out + err).split())


def test_a_channel_without_any_value_is_a_sentence(tmp_path: Path) -> None:
    path = motion_file(".bvh", tmp_path)[0]
    lines = path.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    lines[first:] = [" ".join(["nan", *line.split()[1:]]) for line in lines[first:]]
    path.write_text("\n".join(lines))
    with pytest.raises(FormatError, match=r"every value of '\w+' is missing \(NaN\)"):
        retime.read(path)


def test_angles_go_the_short_way() -> None:
    """Past a full turn, and to the same rotation told by other angles."""
    gap = [np.nan] * 3
    over = np.array([[0.0, 0, 170], gap, gap, [0, 0, -160]])
    np.testing.assert_allclose(Gaps("").angles("a", over, 180.0)[1:3, 2], [180, 190])
    flip = np.array([[10.0, 80, 20], gap, [-170 + 4, 180 - 84, 200 + 2]])
    np.testing.assert_allclose(Gaps("").angles("a", flip, 180.0)[1], [12, 82, 21])


@pytest.mark.parametrize("word", ["nan", "-NaN", "nan(ind)", "1.#QNAN", "-1.#IND00", "1.#QNAN0"])
def test_words_for_missing_numbers(word: str) -> None:
    assert means_missing(word)
    assert not means_missing(word.replace("n", "m").replace("N", "M"))
