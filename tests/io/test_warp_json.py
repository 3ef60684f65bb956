"""Warp files: read back to the last digit, and refused with a line where they are wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import retime
from retime.io.json_text import dumps
from retime.io.warp_json import from_document, to_document
from retime.notes import as_notes

GOOD: dict[str, Any] = {
    "format": "retime-warp",
    "version": 2,
    "output": [0, 1, 2.5],
    "source": [0, 0.5, 2],
}

WARPS: dict[str, retime.TimeWarp] = {
    "identity": retime.TimeWarp.identity(0, 3),
    "one knot": retime.TimeWarp([1], [2]),
    "hold and cut": retime.TimeWarp([0, 1, 2, 2, 3], [0, 1, 1, 2, 3]),
    "backwards": retime.TimeWarp([0, 2], [3, 0]),
    "negative times": retime.TimeWarp([-2, -1], [-5.5, 0]),
    "last digits": retime.TimeWarp([0, 0.1 + 0.2, 1 / 3 + 1], [0, 1e-300, 1 / 3]),
    "loop": retime.TimeWarp([0, 2], [0, 1], loop=True),
    "notes": retime.TimeWarp([0, 2], [0, 1], notes=as_notes(["found „it“", "两"])),
    "channels only": retime.TimeWarp(channels={"Hand": ([0, 2], [0, 1])}),
    "channel and body": retime.TimeWarp([0, 3], [0, 2], channels={"Füße #2": ([0, 3], [0, 1])}),
    # The body reaches beyond its channels, though it changes nothing.
    "short channel, identity body": retime.TimeWarp(
        [0, 10], [0, 10], channels={"Hand": ([2, 5], [2, 4])}
    ),
    "identity body with a knot inside": retime.TimeWarp(
        [0, 1, 2], [0, 1, 2], channels={"Hand": ([0, 2], [0, 1])}
    ),
    "odd names": retime.TimeWarp(channels={'"\\\n\ud800': ([0, 1], [0, 1]), "": ([0, 1], [1, 1])}),
}


@pytest.mark.parametrize("warp", WARPS.values(), ids=WARPS.keys())
def test_round_trip(tmp_path: Path, warp: retime.TimeWarp) -> None:
    path = tmp_path / "warp.json"
    retime.write_warp(warp, path)
    again = retime.read_warp(path)
    assert again == warp
    assert again.notes == warp.notes
    assert again.domain == warp.domain


times = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=8).map(sorted)


@st.composite
def knots(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    output = draw(times)
    n = len(output)
    source = draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n).map(sorted))
    return output, source[::-1] if draw(st.booleans()) else source


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(knots(), st.dictionaries(st.text(max_size=5), knots(), max_size=3), st.booleans())
def test_round_trip_of_any(
    body: tuple[list[float], list[float]],
    channels: dict[str, tuple[list[float], list[float]]],
    loop: bool,
) -> None:
    warp = retime.TimeWarp(*body, channels=channels, loop=loop)
    assert from_document(json.loads(dumps(to_document(warp)))) == warp


def test_file_is_readable_by_a_person(tmp_path: Path) -> None:
    path = tmp_path / "warp.json"
    retime.write_warp(retime.TimeWarp([0, 1, 2], [0, 0.5, 2]), path)
    lines = path.read_text().splitlines()
    assert ' "output": [0.0, 1.0, 2.0],' in lines
    assert json.loads(path.read_text())["version"] == 2


def fails(path: Path, text: str | bytes) -> retime.FormatError:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(retime.FormatError) as caught:
        retime.read_warp(path)
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_good_document_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "warp.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert retime.read_warp(path) == retime.TimeWarp([0, 1, 2.5], [0, 0.5, 2])


CHANGES: dict[str, dict[str, Any]] = {
    "newer version": {"version": 3},
    "version a text": {"version": "2"},
    "no version": {"version": None},
    "other format": {"format": "retime-motion"},
    "no format": {"format": None},
    "no output": {"output": None},
    "no source": {"source": None},
    "neither": {"output": None, "source": None},
    "lengths differ": {"output": [0, 1]},
    "no knots": {"output": [], "source": []},
    "falling output": {"output": [0, 2, 1]},
    "turns back": {"source": [0, 2, 1]},
    "texts": {"output": ["a", "b", "c"]},
    "a text": {"output": "0 1 2"},
    "nulls": {"output": [0, None, 2]},
    "objects": {"output": [{}, {}, {}]},
    "an object": {"output": {"0": 1}},
    "a number": {"output": 3},
    "nested": {"output": [[0], [1], [2]]},
    "ragged": {"output": [[0], [1, 2], 3]},
    "huge integer": {"output": [0, 1, 10**400]},
    "huge source": {"source": [0, 1, 10**400]},
    "channels no object": {"channels": [1]},
    "channel no object": {"channels": {"Hand": [0, 1]}},
    "channel lacks source": {"channels": {"Hand": {"output": [0, 1]}}},
    "channel falls": {"channels": {"Hand": {"output": [1, 0], "source": [0, 1]}}},
    "channel of texts": {"channels": {"Hand": {"output": ["x"], "source": [0]}}},
    "channel ragged": {"channels": {"Hand": {"output": [[0], [1, 2]], "source": [0, 1]}}},
    "channel of huge integers": {"channels": {"Hand": {"output": [10**400], "source": [0]}}},
    "channel null": {"channels": {"Hand": {"output": None, "source": None}}},
    "notes no list": {"notes": "found"},
    "notes no texts": {"notes": [1]},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_documents_that_make_no_warp(tmp_path: Path, change: dict[str, Any]) -> None:
    document = {k: v for k, v in (GOOD | change).items() if v is not None}
    fails(tmp_path / "warp.json", json.dumps(document))


def test_messages_name_the_channel(tmp_path: Path) -> None:
    for change in ("channel falls", "channel lacks source"):
        error = fails(tmp_path / "warp.json", json.dumps(GOOD | CHANGES[change]))
        assert "'Hand'" in str(error)


LINES = json.dumps(GOOD, indent=1).splitlines()  # the value 0.5 stands on line 11


@pytest.mark.parametrize(
    "bad", ["NaN", "Infinity", "-Infinity", "nan", "0,5,", "+1", ".5", "1e", "'x'"]
)
def test_not_json_names_the_line(tmp_path: Path, bad: str) -> None:
    row = next(i for i, line in enumerate(LINES, 1) if "0.5" in line)
    text = "\n".join(LINES).replace("0.5", bad)
    assert fails(tmp_path / "warp.json", text).line in (row, row + 1 if bad.endswith(",") else row)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "{",
        "[]",
        "null",
        "3",
        '"retime-warp"',
        "HIERARCHY\nROOT A",
        json.dumps(GOOD)[:-1],
        json.dumps(GOOD) + "}",
        json.dumps(GOOD).encode("utf-16"),
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "[" * 100_000,
        '{"a":' * 100_000,
        json.dumps(GOOD).replace("2.5", "1e999"),
        json.dumps(GOOD).replace("2.5", 5000 * "9"),
    ],
)
def test_other_files(tmp_path: Path, text: str | bytes) -> None:
    fails(tmp_path / "warp.json", text)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(retime.InputError, match="no such file"):
        retime.read_warp(tmp_path / "absent.json")
    with pytest.raises(retime.InputError, match="folder"):
        retime.read_warp(tmp_path)
    with pytest.raises(retime.InputError, match="does not exist"):
        retime.write_warp(retime.TimeWarp([0], [0]), tmp_path / "absent" / "a.json")


def test_random_edits_are_read_or_refused(tmp_path: Path) -> None:
    data = json.dumps(GOOD | {"channels": {"Hand": {"output": [0, 1], "source": [1, 2]}}}).encode()
    path = tmp_path / "warp.json"
    wrong: list[tuple[bytes, str]] = []
    for seed in range(500):
        rng = random.Random(seed)
        i = rng.randrange(len(data))
        new = rng.choice(
            [b"", b"9", b"-", b"e9", b"[", b"]", b"NaN", b'"', b"{}", rng.randbytes(1)]
        )
        edited = data[:i] + new + data[i + rng.randint(0, 2) :]
        path.write_bytes(edited)
        try:
            warp = retime.read_warp(path)
            assert np.isfinite(warp([0.0, 0.7, 3.0])).all()
        except retime.RetimeError:
            pass
        except Exception as e:
            wrong.append((edited, repr(e)))
    assert wrong == []
