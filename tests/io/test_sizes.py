"""Units that make a figure a giant or a dwarf are doubted, with a way to keep them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import Motion, TimeWarp, apply, samples
from retime.motion.kinematics import height


def grown(factor: float) -> Motion:
    """Return a walk whose numbers are wrong by a factor."""
    walk = samples.walk()
    skeleton = replace(walk.skeleton, offsets=factor * walk.skeleton.offsets)
    moved = {n: factor * t for n, t in walk.translations.items()}
    return replace(walk, skeleton=skeleton, translations=moved)


def noted(motion: Motion) -> list[str]:
    return [n for n in motion.notes if getattr(n, "code", "") == "unit-doubted"]


@pytest.mark.parametrize(("factor", "metres"), [(100.0, 0.01), (39.37, 0.0254), (0.01, None)])
def test_giants_and_dwarfs_get_the_likely_unit(
    tmp_path: Path, factor: float, metres: float | None
) -> None:
    path = tmp_path / "a.glb"
    retime.write(grown(factor), path)
    motion = retime.read(path)
    if metres is None:  # no unit makes a person of such small numbers
        assert motion.units.metres == 1.0
        return
    assert motion.units.metres == pytest.approx(metres)
    assert motion.units.how == "inferred"
    (note,) = noted(motion)
    assert "the file's unit makes the figure" in note
    assert 1.2 < height(motion.skeleton) * motion.units.metres < 2.2
    # In place the numbers of the file stay; the user can keep its unit.
    retime.write(apply(motion, TimeWarp([0, 2], motion.domain)), tmp_path / "b.glb")
    again = retime.read(tmp_path / "b.glb", scale=1.0)
    assert np.allclose(again.skeleton.offsets, motion.skeleton.offsets)
    assert again.units.metres == 1.0
    assert not noted(again)


def test_plausible_figures_keep_their_unit(tmp_path: Path) -> None:
    for factor in (0.1, 1.0, 8.0):
        retime.write(grown(factor), tmp_path / "a.glb")
        motion = retime.read(tmp_path / "a.glb")
        assert motion.units.how == "declared"
        assert not noted(motion)
