"""Bounds of what is read: JSON before it is parsed, and time that grows no faster than a file."""

from __future__ import annotations

import ast
import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import retime
from retime import FormatError, RetimeError, samples
from retime.bounded_json import MOST_LEVELS, bounded_lines, parse, parse_toml
from retime.errors import did_you_mean
from retime.media.timelines import events
from retime.media.timelines.carrying import Carrier

SOURCE = Path(retime.__file__).parent


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 101 + "]" * 101, "nested more than 100 levels deep"),
        ('{"a":' * 101 + "1" + "}" * 101, "nested more than 100 levels deep"),
        ("[" * 500_000, "nested more than 100 levels deep|objects and lists, too many"),
        ("[" + "[]," * 600_000 + "[]]", "objects and lists, too many"),
        ('["' + "x" * 1000, "not valid JSON: Unterminated"),
        ("[" + "9" * 5000 + "]", "a number of hundreds of digits"),
        ("[-" + "9" * 309 + "]", "a number of hundreds of digits"),
        ("[NaN]", "NaN is not a number that JSON knows"),
    ],
)
def test_json_is_bounded_before_it_is_parsed(text: str, said: str) -> None:
    begun = time.process_time()
    with pytest.raises(FormatError, match=said):
        parse(text)
    assert time.process_time() - begun < 2


def test_json_of_ordinary_depth_is_parsed() -> None:
    value = json.loads("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    assert parse("[" * MOST_LEVELS + "]" * MOST_LEVELS) == value
    numbers = [10**308, -(10**308), "9" * 400]
    assert parse(json.dumps(numbers)) == numbers
    brackets = {"name": '[[{"' * 500, "more": [[1, 2]] * 1000}
    assert parse(json.dumps(brackets)) == brackets
    with pytest.raises(FormatError, match="at most 1 MB are read"):
        parse(b" " * (1 << 21), most_bytes=1 << 20)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 200_000, "nested more than 100 levels deep"),
        ("a = " + "[" * 150 + "]" * 150, "nested more than 100 levels deep"),
        (".".join("a" * 100_000) + " = 1", "a key has more than 100 parts"),
        ("a = 1" + "0" * 400, "a number of hundreds of digits"),
        ("a = 1" + "0" * 5000, "a number of hundreds of digits"),
        ("a = \xff", "not a text file in UTF-8"),
        ("a = ", "not valid TOML"),
        ("#" * (5 << 20), "at most 4 MB are read"),
    ],
)
def test_toml_is_bounded(text: str, said: str) -> None:
    begun = time.process_time()
    with pytest.raises(FormatError, match=said):
        parse_toml(text.encode("latin-1"), path="x.toml")
    assert time.process_time() - begun < 2


def test_lines_that_are_too_long_are_passed_over() -> None:
    lines = list(bounded_lines(io.StringIO("1\n" + "x" * 95 + "\n2\n" + "y" * 25), most=20))
    assert [line.strip()[:1] for line in lines] == ["1", "x", "2", "y"]
    assert max(map(len, lines)) == 21


# Messages between processes of one program, and of numbers that retime itself wrote.
INSIDE = {
    "process/child.py",
}


def test_all_text_from_outside_is_parsed_by_the_bounded_parser() -> None:
    parsers = ("json.loads", "json.load", "tomllib.loads", "tomllib.load")
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if any(p in text for p in parsers) else ():
            if isinstance(node, ast.Attribute) and ast.unparse(node) in parsers:
                assert name in INSIDE | {"bounded_json.py"}, f"{name}:{node.lineno}"


def test_near_names_are_found_quickly_among_long_ones() -> None:
    begun = time.process_time()
    did_you_mean("a" * 20_000, [f"{'ab' * 500}{k}" for k in range(20_000)])
    did_you_mean("RightHnad", [f"Bone{k}" for k in range(100_000)])
    assert time.process_time() - begun < 2


TEXT = ""


def bvh(change: Callable[[str, int], str]) -> Callable[[int], str]:
    return lambda n: change(TEXT, n)


def named(n: int) -> str:
    joints = "".join("JOINT a { OFFSET 0 0 0 CHANNELS 0 } " for _ in range(n))
    return f"HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 1 Xposition {joints}}}\nMOTION\n" + (
        "Frames: 1\nFrame Time: 0.04\n1\n"
    )


# Files that grow in one way, by suffix; each takes some 50 ms or more.
GROWING: list[tuple[str, int, Callable[[int], str]]] = [
    (".bvh", 40_000, bvh(lambda text, n: "HIERARCHY " * n + text)),
    (
        ".bvh",
        10_000,
        bvh(lambda text, n: text.replace("OFFSET", "OFFSET 0 0 0 " * n + "OFFSET", 1)),
    ),
    (".bvh", 10_000, bvh(lambda t, n: t.replace("CHANNELS", "CHANNELS 0 " * n + "CHANNELS", 1))),
    (
        ".bvh",
        200_000,
        bvh(lambda t, n: t.replace("Frame Time:", "Frame Time: ." + "1" * n + "x\n")),
    ),
    (".bvh", 200_000, bvh(lambda text, n: text.replace("MOTION", " \n" * n + "MOTION", 1))),
    (".bvh", 1500, named),
    (".json", 100_000, lambda n: '{"format": "retime-warp", "version": 2, "output": [' + "0," * n),
    (".json", 30_000, lambda n: '{"notes": [' + '"[",' * n),
    (".gltf", 20_000, lambda n: '{"asset": {"version": "2.0"}, "nodes": [' + "{}," * n + "{}]}"),
    (".amc", 20_000, lambda n: ":DEGREES\n" * n),
    (".txt", 20_000, lambda n: "1.0\t2.0\tname\n" + "\n" * n + "3.0\t4.0\tb\n"),
    (".srt", 20_000, lambda n: "1\n00:00:01,000 --> 00:00:02,000" + " " * n + "\nx\n"),
    (".vtt", 20_000, lambda n: "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<00:01.5" * n),
    (".csv", 20_000, lambda n: "time,name\n1.0,a\n" + "\n" * n + "2.0,b\n"),
]


@pytest.mark.parametrize(
    "suffix, size, make", GROWING, ids=[f"{k}{s}" for k, (s, _, _) in enumerate(GROWING)]
)
def test_twice_the_file_takes_three_times_as_long_at_most(
    suffix: str, size: int, make: Callable[[int], str], tmp_path: Path
) -> None:
    global TEXT
    retime.write(samples.jump(), tmp_path / "jump.bvh")
    TEXT = (tmp_path / "jump.bvh").read_text()
    took = []
    for n in (size, 2 * size):
        path = tmp_path / f"{n}{suffix}"
        path.write_text(make(n))
        took.append(min(_seconds(path) for _ in range(3)))
    assert took[1] < 3 * took[0] + 0.05, took


def _seconds(path: Path) -> float:
    begun = time.process_time()
    try:
        if path.suffix == ".json":
            retime.read_warp(path)
        elif path.suffix in (".txt", ".srt", ".vtt", ".csv"):
            carrier = Carrier(
                retime.TimeWarp([0.0, 9.0], [0.0, 9.0]).body, outside="clamp", fps=30.0
            )
            events.carry_events(path, path.with_stem("out"), carrier)
        else:
            retime.read(path)
    except RetimeError:
        pass
    return time.process_time() - begun
