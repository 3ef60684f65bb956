"""Tables of lengths: their algebra, their file, and what is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retime import FormatError, InputError, LengthTable, read_lengths, write_lengths
from retime.timing.table import Window

PARTS = st.floats(0.01, 1.0)


@st.composite
def tables(draw: st.DrawFn, loop: bool = False) -> LengthTable:
    """Draw tables of three to five rows; each row grows from the one before."""
    count = draw(st.integers(2, 6))
    parts = st.lists(PARTS, min_size=count, max_size=count)
    phases = np.r_[0.0, np.cumsum(draw(parts))]
    rows = np.cumsum([draw(parts) for _ in range(draw(st.integers(2, 5)))], axis=0)
    times = np.c_[np.zeros(len(rows)), np.cumsum(rows, axis=1)]
    return LengthTable(phases, times[:, -1], times, {"hit": float(phases[1])}, loop=loop)


@given(tables(), st.floats(0.2, 3.0), st.floats(0.0, 1.0))
def test_when_is_the_inverse_of_at(table: LengthTable, size: float, share: float) -> None:
    length = size * table.lengths[0]
    assert table.when(table.at(share * length, length), length) == pytest.approx(share * length)
    assert table.at(length, length) == pytest.approx(table.duration)
    assert table.warp(length)(share * length) == pytest.approx(table.at(share * length, length))


@given(tables(), st.floats(0.2, 3.0), st.floats(1.0, 2.0), st.floats(0.0, 1.0))
def test_no_moment_is_earlier_in_a_longer_clip(
    table: LengthTable, size: float, more: float, share: float
) -> None:
    length, source = size * table.lengths[0], share * table.duration
    assert table.when(source, more * length) >= table.when(source, length) - 1e-12


@given(tables(), st.floats(0.2, 3.0), st.floats(0.05, 2.0))
def test_length_between_gives_the_time_asked(
    table: LengthTable, size: float, seconds: float
) -> None:
    first, last = 0.1 * table.duration, 0.8 * table.duration
    length = table.length_between(first, last, seconds)
    assert table.when(last, length) - table.when(first, length) == pytest.approx(seconds)


@given(tables(loop=True), st.floats(0.2, 3.0), st.floats(0.0, 0.999))
def test_a_loop_starts_again_at_its_end(table: LengthTable, size: float, share: float) -> None:
    length, source = size * table.lengths[0], share * table.duration
    assert table.step(source, length, length) == pytest.approx(source, abs=1e-9)
    assert table.step(source, -0.4 * length, length) == pytest.approx(
        table.step(source, 1.6 * length, length), abs=1e-9
    )


def test_the_play_head_never_jumps_when_the_length_changes() -> None:
    table = LengthTable(np.arange(3.0), np.array([1.0, 4]), np.array([[0, 0.2, 1], [0, 3, 4]]))
    source = 0.0
    for k in range(200):
        length = 1.2 if k // 10 % 2 else 3.9
        after = table.step(source, 1 / 60, length)
        assert source <= after <= source + table.rate(source, length) / 60 * 4 + 1e-9
        source = after
    assert source == 2.0


@given(tables())
def test_a_table_survives_its_file_and_a_pickle(table: LengthTable) -> None:
    document = json.loads(json.dumps(table.to_document()))
    assert LengthTable.from_document(document) == table
    assert pickle.loads(pickle.dumps(table)) == table
    assert hash(LengthTable.from_document({**document, "later": 1})) == hash(table)


GOOD = LengthTable(
    np.arange(3.0), np.array([1.0, 4]), np.array([[0, 0.4, 1], [0, 3, 4]]),
    {"hit": 1.0}, {"hit": "40%"},
    [Window(0.5, 1.5, 0.2, "cancel")], source={"name": "a.bvh"}, made={"method": "guided"},
).to_document()  # fmt: skip
DAMAGED: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": "retime-warp"}, '"format": "retime-lengths" is missing'),
    "version": ({"version": 2}, "version 2; this retime reads version 1"),
    "no phases": ({"phases": None}, 'needs "phases", a list of numbers'),
    "short": ({"phases": [0], "times": [[0], [0]]}, "at least 2 of each"),
    "shape": ({"times": [[0, 0.4, 1]]}, "1 rows of 3 numbers; it needs a row for each of 2"),
    "ragged": ({"times": [[0, 0.4, 1], [0, 4]]}, "rows that are equally long"),
    "words": ({"lengths": ["a", "b"]}, '"lengths" must be numbers'),
    "infinite": ({"times": [[0, 0.4, 1], [0, float("inf"), 4]]}, '"times" must be finite'),
    "not a number": ({"lengths": [1, float("nan")]}, '"lengths" must be finite'),
    "phases fall": ({"phases": [0, 2, 1]}, '"phases" must increase, but 2 is followed by 1 at 2'),
    "lengths fall": ({"lengths": [4, 1]}, '"lengths" must increase'),
    "first phase": ({"phases": [0.1, 1, 2]}, '"phases" must start at 0'),
    "first length": ({"lengths": [-1, 4]}, '"lengths" above 0'),
    "row falls": ({"times": [[0, 0.4, 1], [0, 5, 4]]}, r'"times\[1\]" must increase'),
    "row starts": ({"times": [[0.1, 0.4, 1], [0.1, 3, 4]]}, r'"times\[0\]" must go from 0'),
    "row ends": ({"times": [[0, 0.4, 1], [0, 3, 3.9]]}, r'"times\[1\]" must go from 0 to its'),
    "earlier": ({"times": [[0, 0.4, 1], [0, 0.3, 4]]}, r'"times\[1\]\[1\]" is 0.3, before 0.4'),
    "moment": ({"moments": {"hit": 2.5}}, "moment 'hit' is at 2.5 s, outside the clip"),
    "moment of words": ({"moments": {"hit": "1"}}, "moment 'hit' must be a finite number"),
    "pin": ({"pins": {"kick": "5%"}}, "pin 'kick' names no moment"),
    "window": ({"windows": [{"start": 1, "end": 3, "least": 1}]}, r'"windows\[0\]" is 1 to 3 s'),
    "windows": ({"windows": {}}, '"windows" must be a list'),
    "loop": ({"loop": 1}, '"loop" is true or false'),
    "source": ({"source": []}, '"source" must be an object'),
    "start": ({"source": {"start": None}}, '"start" must be a finite number'),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_table_gets_a_sentence(name: str, tmp_path: Path) -> None:
    change, sentence = DAMAGED[name]
    with pytest.raises(InputError, match=sentence):
        LengthTable.from_document({**GOOD, **change})


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.lengths.json"
    path.write_text(json.dumps({**GOOD, "lengths": [4, 1]}))
    with pytest.raises(FormatError, match=r'a.lengths.json: "lengths" must increase'):
        read_lengths(path)
    path.write_text(json.dumps(GOOD)[:100])
    with pytest.raises(FormatError, match="not valid JSON"):
        read_lengths(path)
    write_lengths(LengthTable.from_document(GOOD), path)
    assert read_lengths(path).to_document() == GOOD


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: t.at(0, 0), "a length must be above 0 and finite, not 0"),
        (lambda t: t.at(0, float("nan")), "above 0 and finite, not nan"),
        (lambda t: t.length_between(1, 0.5, 1), "does not come after"),
        (lambda t: t.length_between(0.5, 1, 0), "must be above 0 and finite, not 0"),
        (lambda t: t.length_between(2.5, 3, 1), "not a part of the clip"),
    ],
)
def test_a_wrong_question_gets_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        call(LengthTable.from_document(GOOD))
