"""Films and pictures of tables of lengths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import InputError, LengthTable, samples
from retime.media.video import film_lengths
from retime.plot.length_tables import draw_lengths


@pytest.fixture(scope="module")
def table() -> LengthTable:
    return retime.lengths(
        samples.punches(), moments={"hit": 2.167}, pins={"hit": "50%"}, longest=6.0
    )


def test_a_film_shows_three_lengths_and_flashes(table: LengthTable, tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path = tmp_path / "punches.mp4"
    count = film_lengths(samples.punches(), table, path, fps=5)
    assert count == 31 + 24
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    assert len(frames) == count
    corner = np.array(
        [[f[8 + y, 8 + x, 0] for y in (0, 240) for x in (0, 240, 480)] for f in frames]
    )
    lit = corner > 50  # the paper is dark, a flash is not
    assert np.flatnonzero(lit[:, 0]).min() in (4, 5)  # half of 1.6 s
    assert np.flatnonzero(lit[:, 2]).min() in (15, 16)  # half of 6 s
    assert np.flatnonzero(lit[:, 5]).min() in (16, 17)  # 3.25 s: uniform speed is late
    assert lit[31:, 1].any()
    assert [p.name for p in tmp_path.iterdir()] == ["punches.mp4"]


def test_another_clip_or_suffix_is_refused(table: LengthTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the table is of another clip"):
        film_lengths(samples.walk(), table, tmp_path / "a.mp4")
    with pytest.raises(InputError, match=r"a film is \.mp4, \.m4v, \.mov, not '\.gif'"):
        film_lengths(samples.punches(), table, tmp_path / "a.gif")


def test_a_picture_has_a_curve_for_each_row(table: LengthTable, tmp_path: Path) -> None:
    figure = retime.plot.lengths(table)
    curves, rates = figure.axes[:2]
    assert sum(line.get_linewidth() == 1.6 for line in curves.lines) == len(table.lengths)
    assert rates.get_ylabel() == "length (s)"
    draw_lengths(table, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10000
