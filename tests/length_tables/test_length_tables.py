"""Building tables of lengths: pins, windows, limits, loops, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import retime
from retime import InfeasibleError, InputError, LengthTable, Motion, RetimeError, samples
from retime.length_tables import LengthsParameters, report
from retime.parameters import build, resolved
from retime.recipe import json as recipe_json
from retime.times import Clock

JUMP = samples.jump()


@pytest.fixture
def jump() -> Motion:
    return JUMP


def sizes(table: LengthTable, count: int = 60) -> list[float]:
    return list(np.linspace(table.lengths[0], table.lengths[-1], count))


def judged(motion: Motion, gain: bool = False, **asked: Any) -> Any:
    given = {"shortest": 1.3, "longest": 8.0, **asked}
    p = resolved(build(LengthsParameters, given), Clock.of(motion))
    return report(motion, p, judge=gain)


def test_a_table_gains_nearly_what_solving_each_length_gains(jump: Motion) -> None:
    found = judged(jump, gain=True, longest=5.0)
    assert found.gain > 0.1
    assert found.lost < 0.03


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_moments_are_in_order_and_the_own_length_is_the_clip(jump: Motion, strength: float) -> None:
    found = judged(jump, strength=strength)
    assert found.size < 4000
    table = found.table
    assert (np.diff(table.times, axis=0) >= 0).all()
    own = table.column(jump.duration)  # the clip's own length is the clip
    assert np.abs(own - table.phases).max() < 2e-6


PINS = {"35%": (0.35, 0.0), "0.45s": (0.0, 0.45), "0.1s+30%": (0.3, 0.1), "100% - 2.0s": (1, -2.0)}


@pytest.mark.parametrize("pin", PINS)
def test_a_pin_is_met_at_every_length(jump: Motion, pin: str) -> None:
    share, seconds = PINS[pin]
    table = retime.lengths(jump, moments={"hit": "36f"}, pins={"hit": pin}, longest=8.0)
    hit = table.moments["hit"]
    worst = max(abs(table.when(hit, x) - seconds - share * x) for x in sizes(table))
    assert worst < 2e-6


def test_a_fixed_pin_says_what_length_it_needs(jump: Motion) -> None:
    # 3.25 s, of which 2.05 s are behind the hit: 0.45 s + 2.05 s / 8
    found = judged(jump, shortest="5%", moments={"hit": 1.2}, pins={"hit": 0.45})
    assert [str(n) for n in found.notes] == [
        "with 'hit' pinned the clip cannot be shorter than 0.707 s"
    ]
    assert found.span[0] == 0.707
    assert found.moments["hit"] == pytest.approx((0.45, 0.45, 0.45))


def test_pins_between_which_time_shrinks_keep_the_order(jump: Motion) -> None:
    table = retime.lengths(
        jump, moments={"a": 1.2, "b": 1.8}, pins={"a": "50%", "b": "1.4s"}, longest=2.6
    )
    assert (np.diff(table.times, axis=0) >= 0).all()
    for x in sizes(table):
        assert table.when(1.2, x) == pytest.approx(0.5 * x, abs=2e-6)
        assert table.when(1.8, x) == pytest.approx(1.4, abs=2e-6)


def test_windows_are_never_short(jump: Motion) -> None:
    spans = [(1.3, 1.7, 0.3), (1.5, 2.0, 0.4)]  # they overlap
    free = retime.lengths(jump, moments={"hit": 1.2}, pins={"hit": "35%"})
    table = retime.lengths(jump, moments={"hit": 1.2}, pins={"hit": "35%"}, windows=spans)
    for start, end, least in spans:
        lasts = [[t.when(end, x) - t.when(start, x) for x in sizes(t)] for t in (free, table)]
        assert min(lasts[1]) >= least
        assert min(lasts[1]) == pytest.approx(max(least, min(lasts[0])), abs=0.02)


PLACES = st.tuples(st.floats(0.05, 0.95), st.sampled_from(["share", "time", "both"]))


@settings(max_examples=30)
@given(
    st.lists(PLACES, min_size=1, max_size=3, unique_by=lambda place: round(place[0], 2)),
    st.lists(st.tuples(st.floats(0, 0.9), st.floats(0.02, 1), st.floats(0.1, 1.2)), max_size=2),
)
def test_any_pins_and_windows_are_met_or_refused(
    places: list[tuple[float, str]], spans: list[tuple[float, float, float]]
) -> None:
    moments: dict[str, float] = {}
    pins: dict[str, str] = {}
    wanted: dict[str, tuple[float, float]] = {}
    for k, (place, kind) in enumerate(places):
        name, seconds = f"m{k}", 0.0 if kind == "share" else round(place, 3)
        share = 0.0 if kind == "time" else round(place if kind == "share" else place / 2, 3)
        moments[name], wanted[name] = place * JUMP.duration, (seconds, share)
        pins[name] = f"{seconds}s+{100 * share:.1f}%"
    ends = [(a * 3.25, min(a + b, 1.0) * 3.25, b * c * 2.5) for a, b, c in spans]
    try:
        table = retime.lengths(JUMP, moments=moments, pins=pins, windows=ends)
    except InfeasibleError:
        return
    for x in sizes(table, 12):
        for name, (seconds, share) in wanted.items():
            assert abs(table.when(table.moments[name], x) - seconds - share * x) < 2e-6
        for w in table.windows:
            assert table.when(w.end, x) - table.when(w.start, x) >= w.least


def test_a_cycle_has_no_seam() -> None:
    walk = samples.walk()
    table = retime.lengths(walk, loop=True, longest=2 * walk.duration)
    for x in sizes(table, 20):
        ends = table.rate(0.0, x), table.rate(table.duration - 1e-9, x)
        assert ends[0] == pytest.approx(ends[1], rel=0.1)
    assert table.warp(2.0).loop


def test_physics_narrows_the_lengths(jump: Motion) -> None:
    found = judged(jump, shortest="20%", longest="140%", by="physics", rows=3,
                   moments={"land": 2.0}, pins={"land": "60%"})  # fmt: skip
    table = found.table
    assert found.span[0] > 0.3 * jump.duration
    assert "by physics the clip cannot be shorter than" in str(found.notes[0])
    assert table.made == {"method": "physics"}
    for x in sizes(table, 20):
        assert table.when(2.0, x) == pytest.approx(0.6 * x, abs=2e-6)


def test_a_recipe_plays_a_table(jump: Motion, tmp_path: Path) -> None:
    table = retime.lengths(jump)
    path = tmp_path / "jump.lengths.json"
    retime.write_lengths(table, path)
    for form in (table, table.to_document(), str(path)):
        recipe = retime.Recipe([retime.Step("lengths", {"table": form, "duration": 1.4})])
        again = recipe_json.from_document(recipe_json.to_document(recipe))
        expected = retime.apply(jump, table.warp(1.4))
        np.testing.assert_allclose(again.evaluate(jump).rotations, expected.rotations, atol=1e-9)
    with pytest.raises(InputError, match=r"the table is of a clip of 3\.25 s, and this one lasts"):
        retime.Recipe([retime.Step("lengths", {"table": table})]).evaluate(samples.walk())


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "moment outside": ({"moments": {"hit": 9}}, "moment hit is at 9 s, outside the clip"),
    "moment of words": ({"moments": {"hit": "soon"}}, "moment hit"),
    "moment of nothing": ({"moments": {"hit": None}}, "moment hit is None; it must be a time"),
    "pin of no moment": ({"pins": {"hit": "35%"}}, "pin 'hit' names no moment"),
    "pin of words": ({"pins": {"a": "early"}}, r"pin a=early: write a share"),
    "pin without a sign": ({"pins": {"a": "1s 2s"}}, r"pin a=1s 2s: write a share"),
    "pin of two dots": ({"pins": {"a": "1.2.3s"}}, r"pin a=1.2.3s: write a share"),
    "pin beyond the end": ({"pins": {"a": "110%"}}, "the share must be 0 % to 100 %"),
    "pin at no length": ({"pins": {"a": "100%+1s"}}, "no length can meet"),
    "pins in the wrong order": ({"pins": {"a": "1s", "b": "0.5s"}}, "no length can meet"),
    "pins at one moment": (
        {"moments": {"a": 1, "b": 1}, "pins": {"a": "1s", "b": "1s"}}, "at the same moment",
    ),
    "window outside": ({"windows": [(2, 9, 1)]}, "window 2 to 9 s must increase"),
    "window of nothing": ({"windows": [(1, 2, 0)]}, "must last above 0 s, not 0"),
    "window that is too long": ({"windows": [(1, 2, 99)]}, "the clip can only be 99"),
    "order": ({"shortest": 3.0, "longest": 2.0}, "can only be|the second above the first"),
    "negative": ({"shortest": -1.0}, "the first must be above 0"),
    "infinite": ({"longest": np.inf}, "longest"),
    "much too fast": ({"shortest": 0.01, "longest": 0.02}, "at 0.01 to 8 times its speed"),
    "much too slow": ({"shortest": 1e4, "longest": 1e5}, "can only be 0.407 s to 325.000 s long"),
    "rows": ({"rows": 1}, "rows"),
    "strength": ({"strength": 2.0}, "strength"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_sentence(jump: Motion, name: str) -> None:
    asked, sentence = BAD[name]
    moments = {"a": 1.0, "b": 2.0} if "pins" in asked and "hit" not in asked["pins"] else {}
    with pytest.raises(RetimeError, match=sentence):
        judged(jump, **{"moments": moments, **asked})


def test_one_frame_has_no_length(jump: Motion) -> None:
    with pytest.raises((InputError, InfeasibleError), match=r"a table of lengths needs 0\.1 s"):
        retime.lengths(jump[10:11])
