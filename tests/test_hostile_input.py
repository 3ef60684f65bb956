"""Input that is meant to hurt, or badly damaged: a sentence or an answer, and soon."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import FormatError, InputError, RetimeError, samples
from retime.batch.manifest import read_rows
from retime.body import find_body
from retime.body.model.names import _tokens
from retime.motion.skeleton import MOST_NAME
from retime.recipe.json import from_document

Run = Callable[..., tuple[int, str, str]]
RECIPE = {"format": "retime-recipe", "version": 2, "steps": [{"method": "spline"}]}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_a_long_name_of_capitals_is_read_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.bvh"
    retime.write(samples.jump(), file)
    text = file.read_text()
    assert "JOINT RightHand" in text
    file.write_text(text.replace("JOINT RightHand", "JOINT " + "A" * MOST_NAME, 1))
    begun = time.monotonic()
    find_body(retime.read(file))
    assert _tokens("A" * 16_000) == ["a" * 16_000]
    assert time.monotonic() - begun < 3
    file.write_text(text.replace("JOINT RightHand", "JOINT " + "A" * 16_000, 1))
    with pytest.raises(FormatError, match="a name of 16000 characters; the maximum is 1000"):
        retime.read(file)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("LUArm", ["l", "u", "arm"]),
        ("HTMLParser", ["html", "parser"]),
        ("mixamorig:LeftUpLeg", ["left", "up", "leg"]),
        ("ABc", ["a", "bc"]),
    ],
)
def test_capitals_are_split_as_before(name: str, words: list[str]) -> None:
    assert _tokens(name) == words


@pytest.mark.parametrize("depth", [150, 900, 200_000])
def test_nested_json_is_a_sentence(depth: int, tmp_path: Path, run: Run, jump_file: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text(nested(depth))
    out = tmp_path / "o.bvh"
    archive = dict(np.load(_npz(tmp_path)))
    archive["about"] = np.frombuffer(nested(depth).encode(), dtype=np.uint8)
    np.savez(tmp_path / "deep.npz", **archive)
    commands = [
        ("run", deep, jump_file, out),
        ("warp", "show", deep),
        ("info", jump_file, "--map", deep),
        ("apply", jump_file, out, "--duration", "2", "--contacts", deep),
        ("surface", jump_file, out, "--keys", deep),
        ("info", tmp_path / "deep.npz"),
    ]
    for command in commands:
        status, _, err = run(*command)
        assert (status, "nested more than 100 levels deep" in err) == (2, True), (command, err)


def _npz(folder: Path) -> Path:
    retime.write(samples.jump(), folder / "a.npz")
    return folder / "a.npz"


def test_a_nested_parameter_is_a_sentence() -> None:
    deep = json.loads(nested(500))
    recipe = {**RECIPE, "steps": [{"method": "spline", "parameters": {"keytimes": deep}}]}
    with pytest.raises(InputError, match="step 1: its JSON is nested more than 100 levels deep"):
        from_document(recipe)


def test_one_bad_line_does_not_silence_the_engine() -> None:
    lines = [
        b"\xff\xfe\x80",
        b"not json",
        nested(200_000).encode(),
        b'{"id": 7, "check": ' + nested(900).encode() + b"}",
        b'{"id": 7, "check": "\\ud800.bvh"}',
        b'{"id": 7, "check": "a\\u0000.bvh"}',
        b"",
    ]
    engine = subprocess.Popen(
        [sys.executable, "-m", "retime", "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    watch = threading.Timer(60, engine.kill)
    watch.start()
    try:
        for number, line in enumerate(lines):
            asked = json.dumps({"id": number, "version": 1}).encode()
            engine.stdin.write(line + b"\n" + asked + b"\n")
            engine.stdin.flush()
            answers: list[dict[str, object]] = []
            while not answers or answers[-1].get("done") is None:
                said = engine.stdout.readline()
                assert said, f"no answer after {line[:20]!r}"
                if "begun" not in json.loads(said):
                    answers.append(json.loads(said))
            assert answers[-1]["id"] == number
            assert len(answers) == (2 if line else 1)
            assert all("error" in answer for answer in answers[:-1])
            assert "bug in retime" not in str(answers)
    finally:
        watch.cancel()
        engine.kill()
        engine.communicate()


def _damage(path: Path, how: str) -> None:
    if how == "bytes":
        data = bytearray(path.read_bytes())
        data[100:4096] = b"\x7f" * 3996
        path.write_bytes(bytes(data))
    elif how == "text":
        path.write_text("no database at all, but long enough to be looked at" * 100)
    else:
        with sqlite3.connect(path) as db:
            db.execute("UPDATE results SET varied = ? WHERE name = 'a.bvh'", ("{broken",))


def test_a_damaged_manifest_gets_a_sentence(tmp_path: Path, run: Run) -> None:
    library, first, recipe = tmp_path / "clips", tmp_path / "out", tmp_path / "recipe.json"
    library.mkdir()
    retime.write(samples.jump(fps=10), library / "a.bvh")
    recipe.write_text(json.dumps(RECIPE))
    status, _, err = run("batch", recipe, library, first, "--jobs", "1")
    assert status == 0, err
    for how in ("bytes", "text", "rows"):
        out = Path(shutil.copytree(first, tmp_path / how))
        _damage(out / "manifest.sqlite", how)
        with pytest.raises(InputError, match=r"manifest.sqlite is damaged .*; remove it"):
            read_rows(out)
        status, _, err = run("batch", recipe, library, out, "--jobs", "1", "--resume")
        assert (status, "remove it and run the batch again" in err) == (2, True)
        (out / "manifest.sqlite").unlink()
        assert run("batch", recipe, library, out, "--jobs", "1")[0] == 0  # as it says


def test_parse_errors_still_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(nested(200))
    with pytest.raises(FormatError, match=r"w\.json: its JSON is nested"):
        retime.read_warp(tmp_path / "w.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    from retime.batch.manifest import Manifest
    from retime.serving.keys import key_in
    from retime.studio.journal import Journal

    readers: dict[str, Callable[[Path], object]] = {
        **{f"a{s}": retime.read for s in (".bvh", ".npz", ".glb", ".amc", ".npy", ".pkl")},
        "a.json": retime.read_warp,
        "key": key_in,
        "journal.jsonl": Journal,
        "m.sqlite": Manifest,
    }
    for name, read in readers.items():
        pipe, device = tmp_path / name, tmp_path / f"device-{name}"
        os.mkfifo(pipe, 0o600)
        device.symlink_to("/dev/zero")
        for path in (pipe, device):
            with pytest.raises(RetimeError, match="is not an ordinary file"):
                read(path)
    os.mkfifo(tmp_path / "b.lock")
    with pytest.raises(RetimeError, match="is not an ordinary file"):
        Manifest(tmp_path / "b.sqlite")
