"""Ordinary edits on recorded clips that nothing was tuned on, judged as delivered."""

from __future__ import annotations

from functools import cache

import pytest
from bench.census import ARCHIVE, Row, clips, judge, table

pytestmark = pytest.mark.skipif(not ARCHIVE.is_file(), reason="the census's clips are absent")
COUNT = 12
# Clips that may fail an edit, and the share of the request that must be delivered in the median.
EDITS = {"hold": (0, 0.99), "exaggerate": (1, 0.78), "foot -0.1 s": (0, 0.9)}


@cache
def rows() -> list[Row]:
    return [row for path in clips(COUNT, seed=12) for row in judge(path, tuple(EDITS))]


@pytest.mark.parametrize("edit", EDITS)
def test_ordinary_edits_are_delivered_within_limits(edit: str) -> None:
    own = [row for row in rows() if row.edit == edit]
    assert len(own) >= COUNT - 2
    assert not any(row.refused for row in own)
    most, least = EDITS[edit]
    failed = [(row.clip, row.values) for row in own if row.fails]
    assert len(failed) <= most, failed
    kept = sorted(row.values["kept"] for row in own)
    assert kept[len(kept) // 2] >= least


def test_the_table_has_a_line_for_each_edit() -> None:
    lines = table([*rows(), Row("clip", "refused", refused="too short")])
    assert len(lines) == 2 + len(EDITS) + 1
    assert len({line.count("|") for line in lines}) == 1
