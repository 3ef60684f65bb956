"""Tables of joint positions."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import InputError, positions, samples


def table(path: Path) -> tuple[list[str], np.ndarray]:
    with open(path, newline="", encoding="utf-8") as f:
        head, *rows = csv.reader(f)
    return head, np.array(rows, dtype=float)


def test_a_row_is_a_frame_in_metres(tmp_path: Path) -> None:
    jump = samples.jump()
    in_centimetres = replace(
        jump,
        skeleton=replace(jump.skeleton, offsets=100 * jump.skeleton.offsets),
        translations={n: 100 * t for n, t in jump.translations.items()},
        units=retime.Units(jump.units.metres / 100, jump.units.up),
        start=2.0,
    )
    retime.write(in_centimetres, tmp_path / "jump.csv")
    head, rows = table(tmp_path / "jump.csv")
    assert head[:4] == ["time", "Hips.x", "Hips.y", "Hips.z"]
    assert len(head) == 1 + 3 * len(jump.skeleton)
    assert np.abs(rows[:, 0] - jump.times - 2.0).max() < 1e-6
    assert np.abs(rows[:, 1:] - positions(jump).reshape(len(jump), -1)).max() < 1e-6


def test_names_with_commas_and_quotes(tmp_path: Path) -> None:
    chain = samples.chain()
    names = ('a,"b"', *chain.skeleton.names[1:])
    skeleton = replace(chain.skeleton, names=names, file_names=names)
    tracks = {names[0]: chain.root_translation}
    retime.write(replace(chain, skeleton=skeleton, translations=tracks), tmp_path / "c.csv")
    head, rows = table(tmp_path / "c.csv")
    assert head[1] == 'a,"b".x'
    assert len(rows) == len(chain)


def test_uneven_samples_keep_their_times(tmp_path: Path) -> None:
    jump = samples.jump()
    uneven = retime.apply(jump, retime.TimeWarp.identity(*jump.domain), times=[0, 0.5, 0.6])
    retime.write(uneven, tmp_path / "u.csv")
    assert table(tmp_path / "u.csv")[1][:, 0].tolist() == [0, 0.5, 0.6]


def test_it_is_written_not_read(tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    retime.write(samples.jump(), tmp_path / "jump.bvh")
    status, _, said = run("convert", tmp_path / "jump.bvh", tmp_path / "jump.csv")
    assert status == 0, said
    with pytest.raises(InputError, match="csv files are written, not read"):
        retime.read(tmp_path / "jump.csv")
    status, _, said = run("info", tmp_path / "jump.csv")
    assert status == 2
    assert "give the file that it was made from" in said
