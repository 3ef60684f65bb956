"""Tables of lengths of recorded clips: their gain, and what they lose to solving each length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime.length_tables import LengthsParameters, report

SHARED = Path(__file__).parents[3] / "shared"


@pytest.mark.parametrize("name", ["mocap/13_11", "mocap-more/143_06", "mocap/90_02"])
def test_a_table_keeps_the_gain(name: str) -> None:
    path = SHARED / f"{name}.bvh"
    if not path.exists():
        pytest.skip("the shared clips are absent")
    clip = retime.read(path)
    clip = clip.between(clip.domain[0], clip.domain[0] + min(clip.duration, 3.0))
    p = LengthsParameters(
        shortest=0.4 * clip.duration,
        longest=1.6 * clip.duration,
        moments={"hit": clip.domain[0] + 0.45 * clip.duration},
    )
    found = report(clip, p)
    assert found.gain is not None
    assert found.lost is not None
    assert found.gain > 0.05
    assert found.lost < 0.03
    assert found.size < 4000
    assert (np.diff(found.table.times, axis=0) >= 0).all()
