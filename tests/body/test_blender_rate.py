"""A BVH file that went through Blender at its default frame rate is suspected."""

from __future__ import annotations

from pathlib import Path

import pytest

import retime
from retime import Motion, samples
from retime.body.measure.suspicions import suspicions


def through_blender(motion: Motion, path: Path, frame: str) -> list[str]:
    """Give each frame the time of one in Blender's scene; return the codes of what is suspected."""
    retime.write(motion, path)
    head, _, tail = path.read_text().partition("Frame Time:")
    path.write_text(f"{head}Frame Time: {frame}\n{tail.partition(chr(10))[2]}")
    return [note.code for note in suspicions(retime.read(path))]


@pytest.mark.parametrize(("frame", "suspected"), [("0.041667", True), ("0.0083333", False)])
def test_a_jump_that_falls_too_slowly_is_explained(
    tmp_path: Path, frame: str, suspected: bool
) -> None:
    codes = through_blender(samples.jump(fps=120), tmp_path / "a.bvh", frame)
    assert ("frame-rate-of-blender" in codes) == suspected


def test_a_walk_at_that_rate_is_not_suspected(tmp_path: Path) -> None:
    assert "frame-rate-of-blender" not in through_blender(
        samples.walk(fps=24), tmp_path / "a.bvh", "0.041667"
    )
