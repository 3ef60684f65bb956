"""The table of formats: each is documented, and each can be turned into what can be written."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import InputError, positions, samples
from retime.io import FORMATS, format_of, kind_of

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
SOURCES = ["bvh", "npz", "glb"]
TARGETS = ["bvh", "npz", "glb", "gltf", "csv"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_its_row(name: str) -> None:
    rows = re.findall(r"^\| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    assert name in rows


@pytest.mark.parametrize("source", SOURCES)
def test_any_motion_becomes_any_format_that_takes_it(source: str, tmp_path: Path) -> None:
    retime.write(samples.jump(), tmp_path / f"jump.{source}")
    motion = retime.read(tmp_path / f"jump.{source}")
    for target in TARGETS:
        out = tmp_path / f"out.{target}"
        retime.write(motion, out)
        if not kind_of(out).reads:
            assert out.stat().st_size > 1000
            continue
        again = retime.read(out)
        joints = [again.skeleton.index(n) for n in motion.skeleton.names]
        assert np.abs(positions(again)[:, joints] - positions(motion)).max() < 1e-5


@pytest.mark.parametrize("suffix", ["amc", "c3d"])
def test_formats_that_take_their_own_only_say_so(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can be written as"):
        retime.write(samples.jump(), tmp_path / f"jump.{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_suffix_that_is_not_known() -> None:
    with pytest.raises(InputError, match=r"unknown format '\.xyz'.*\.npz, \.amc") as told:
        format_of("a.xyz")
    assert str(told.value).count(".npz") == 1


def test_every_motion_of_a_file_that_holds_one(jump_file: Path) -> None:
    (motion,) = retime.io.read_all(jump_file, fps=60.0)
    assert motion.fps == 60.0
    with pytest.raises(InputError, match="the minimum is"):
        retime.io.read_all(jump_file, fps=0.0)


def test_a_node_that_is_its_own_parent_or_listed_twice_makes_no_loop() -> None:
    """An FBX model may say that it is the scene; each doubled node doubled all that is below it."""
    from retime.io.sampled import depth_first

    assert depth_first([0, 1, 2], {0: 0, 1: 0, 2: 1}.__getitem__, 0) == [1, 2]
    chain = [k for k in range(1, 60) for _ in range(2)]
    assert depth_first(chain, lambda k: k - 1, 0) == list(range(1, 60))


def test_a_rate_that_no_motion_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fast.bvh"
    retime.write(samples.jump(fps=12), path)
    with pytest.raises(retime.FormatError, match="a frame rate of 4e"):
        retime.read(path, fps=4e9)
