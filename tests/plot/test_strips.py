"""Film strips: what is drawn of a figure."""

from __future__ import annotations

from pathlib import Path

import pytest

import retime
from retime import Motion, find_body, samples
from retime.plot.strips import StripRow

CESIUM_MAN = Path(__file__).parents[3] / "shared" / "samples" / "khronos_CesiumMan.glb"


def bones(motion: Motion) -> list[tuple[int, int, float]]:
    return StripRow.of(motion, motion.duration).bones


def test_a_figure_has_a_head_and_no_column_below_its_hips() -> None:
    if not CESIUM_MAN.exists():
        pytest.skip("the shared sample files are absent")
    man = retime.read(CESIUM_MAN)
    roles, drawn = find_body(man).roles, bones(man)
    assert len(man.skeleton.chain(roles["hips"])) > 1  # its root is on the ground
    assert not {b for _, b, _ in drawn} & set(man.skeleton.chain(roles["hips"]))
    assert [b for _, b, radius in drawn if radius < 0] == [roles["head"]]  # a ball, without an end


def test_the_head_of_a_figure_with_ends_is_one_ball() -> None:
    walk = samples.walk()
    balls = [a for a, _, radius in bones(walk) if radius < 0]
    assert balls == [find_body(walk).roles["head"]]
