"""The runtimes of tables of lengths agree with Python, and refuse damaged tables."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import gdscript
import numpy as np
import pytest

import retime
from retime import LengthTable, samples

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
RUNTIMES = ROOT / "runtimes"
UNREAL = RUNTIMES / "unreal" / "RetimeLengths" / "Source" / "RetimeLengths" / "Public"
GODOT = RUNTIMES / "godot" / "addons" / "retime"
QUERIES = 1000
# Faults of what runtimes do not read are left out.
GOOD = {
    "format": "retime-lengths", "version": 1, "phases": [0, 1, 2], "lengths": [1, 4],
    "times": [[0, 0.4, 1], [0, 3, 4]], "moments": {"hit": 1.0}, "loop": False, "later": [{"a": 1}],
}  # fmt: skip
DAMAGED: dict[str, dict[str, Any]] = {
    "format": {"format": "retime-warp"},
    "version": {"version": 2},
    "no-phases": {"phases": None},
    "short": {"phases": [0], "times": [[0], [0]]},
    "rows": {"times": [[0, 0.4, 1]]},
    "ragged": {"times": [[0, 0.4, 1], [0, 4]]},
    "words": {"lengths": ["a", "b"]},
    "infinite": {"times": [[0, 0.4, 1], [0, float("inf"), 4]]},
    "nan": {"lengths": [1, float("nan")]},
    "phases-fall": {"phases": [0, 2, 1]},
    "lengths-fall": {"lengths": [4, 1]},
    "first-phase": {"phases": [0.1, 1, 2]},
    "first-length": {"lengths": [-1, 4]},
    "row-falls": {"times": [[0, 0.4, 1], [0, 5, 4]]},
    "row-starts": {"times": [[0.1, 0.4, 1], [0.1, 3, 4]]},
    "row-ends": {"times": [[0, 0.4, 1], [0, 3, 3.9]]},
    "earlier": {"times": [[0, 0.4, 1], [0, 0.3, 4]]},
    "moment": {"moments": {"hit": 2.5}},
    "loop": {"loop": 3},
}


def expected(table: LengthTable, rng: np.random.Generator) -> list[list[float]]:
    """Return questions and answers: one line each."""
    lines = []
    for _ in range(QUERIES):
        length = rng.uniform(0.2, 3.5) * table.duration
        time, source = rng.uniform(-0.1, 1.1) * length, rng.uniform(0, table.duration)
        delta = rng.uniform(-0.1, 0.5)
        a, b = np.sort(rng.uniform(0, table.duration, 2))
        seconds = rng.uniform(0.1, 2.0)
        lines.append([
            length, time, source, delta, a, b, seconds, table.at(time, length),
            table.when(source, length), table.step(source, delta, length),
            table.rate(source, length), table.length_between(a, b, seconds),
        ])  # fmt: skip
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lengths")
    jump, rng = samples.jump(), np.random.default_rng(1)
    tables = {
        "free": retime.lengths(jump),
        "pinned": retime.lengths(
            jump, moments={'the "hit"': 1.2, "b": 1.8}, pins={'the "hit"': "0.45s", "b": "50%"},
            windows=[(1.3, 1.7, 0.25)],
        ),
        "loop": retime.lengths(samples.walk(), loop=True),
    }  # fmt: skip
    for name, table in tables.items():
        retime.write_lengths(table, out / f"{name}.lengths.json")
        lines = expected(table, rng)
        text = "\n".join(" ".join(repr(float(x)) for x in line) for line in lines)
        (out / f"{name}.txt").write_text(f"{len(lines)}\n{text}\n")
    (out / "damaged").mkdir()
    for name, change in DAMAGED.items():
        (out / "damaged" / f"{name}.json").write_text(json.dumps({**GOOD, **change}))
    (out / "damaged" / "cut.json").write_text(json.dumps(GOOD)[:120])
    (out / "damaged" / "empty.json").write_text("")
    return out


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def ran(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def judge(worst: float, faults: dict[str, str]) -> None:
    assert worst < 1e-9
    assert faults.keys() == {f"{name}.json" for name in [*DAMAGED, "cut", "empty"]}
    assert [name for name, fault in faults.items() if len(fault) < 20] == []


def told(out: str) -> tuple[float, dict[str, str]]:
    """Return the largest error and the faults that a program printed."""
    lines = out.splitlines()
    worst = next(line for line in lines if line.startswith("worst "))
    return float(worst.split()[1]), dict(x.split("\t", 1) for x in lines if "\t" in x)


def test_javascript(folder: Path, tmp_path: Path) -> None:
    node = needs("node")
    found = json.loads(ran(node, HERE / "check.mjs", folder))
    judge(found["worst"], found["faults"])
    shutil.copytree(folder, tmp_path / "short")
    text = (folder / "free.txt").read_text().splitlines()
    (tmp_path / "short" / "free.txt").write_text("\n".join(text[:-1]))
    with pytest.raises(AssertionError, match="has 999 of 1000 lines"):
        ran(node, HERE / "check.mjs", tmp_path / "short")


def test_c_sharp(folder: Path, tmp_path: Path) -> None:
    compiler, mono = needs("mcs"), needs("mono")
    source = RUNTIMES / "unity" / "Lengths" / "Runtime"
    program = tmp_path / "Check.exe"
    ran(compiler, "-warnaserror", f"-out:{program}", HERE / "Check.cs", source / "Lengths.cs",
        source / "LengthsFile.cs")  # fmt: skip
    judge(*told(ran(mono, program, folder)))


def test_cpp(folder: Path, tmp_path: Path) -> None:
    compiler = needs("g++")
    program = tmp_path / "check"
    ran(compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{UNREAL}", "-o", program,
        HERE / "check.cpp")  # fmt: skip
    names = [f"damaged/{p.name}" for p in (folder / "damaged").iterdir()]
    judge(*told(ran(program, folder, "free", "pinned", "loop", *names)))
    (folder / "cut.txt").write_text("\n".join((folder / "free.txt").read_text().splitlines()[:-1]))
    shutil.copy(folder / "free.lengths.json", folder / "cut.lengths.json")
    try:
        with pytest.raises(AssertionError, match="line 999 is short"):
            ran(program, folder, "cut")
    finally:
        (folder / "cut.txt").unlink()
        (folder / "cut.lengths.json").unlink()


def test_gdscript(folder: Path) -> None:
    kind, errors = gdscript.load(GODOT / "lengths" / "lengths.gd")
    worst = 0.0
    for path in folder.glob("*.txt"):
        table = kind.from_text(path.with_suffix(".lengths.json").read_text())
        count, *lines = path.read_text().splitlines()
        assert len(lines) == int(count)
        for line in lines[::5]:
            length, time, source, delta, a, b, seconds, *answers = map(float, line.split())
            found = [
                table.at(time, length), table.when(source, length),
                table.step(source, delta, length), table.rate(source, length),
                table.length_between(a, b, seconds),
            ]  # fmt: skip
            off = np.abs(np.subtract(found, answers)) / np.maximum(1, np.abs(answers))
            worst = max(worst, float(off.max()))
    assert table.at(float("nan"), 1.0) == 0.0
    assert table.at(0.1, float("nan")) == table.at(0.1, 0.0) > 0
    faults = {}
    for path in (folder / "damaged").iterdir():
        assert kind.from_text(path.read_text()) is None, path.name
        faults[path.name] = errors.pop()
    judge(worst, faults)


def test_scripts_of_godot_parse() -> None:
    pytest.importorskip("gdtoolkit", reason="gdtoolkit is not installed")
    from gdtoolkit.parser import parser

    for path in GODOT.rglob("*.gd"):
        parser.parse(path.read_text())


def test_the_package_of_the_web_has_its_files() -> None:
    package = json.loads((RUNTIMES / "three" / "lengths" / "package.json").read_text())
    assert package["name"] == "retime-lengths"
    assert "dependencies" not in package
    for name in package["files"]:
        assert (RUNTIMES / "three" / "lengths" / name).is_file()


def test_three_shows_the_clip_that_retime_bakes(tmp_path: Path) -> None:
    """Setting the clip's position gives the poses of a file that is baked at that length."""
    node, reader = needs("node"), ROOT / "tests" / "three"
    if not (reader / "node_modules" / "three").is_dir():
        pytest.skip("three.js is not installed in tests/three; run npm ci there")
    jump = samples.jump(fps=30.0)
    table = retime.lengths(jump, moments={"land": 2.0}, pins={"land": "60%"})
    retime.write(jump, tmp_path / "clip.glb")

    def poses(name: str, times: list[float]) -> np.ndarray:
        out = ran(node, reader / "sample.mjs", tmp_path / name, "0", json.dumps(times))
        return np.array(json.loads(out)["poses"])[:, :, 12:15]

    for length in (1.6, 4.5):
        retime.write(retime.apply(jump, table.warp(length)), tmp_path / "baked.glb")
        times = [float(t) for t in np.arange(0, round(length * 30), 4) / 30]
        baked = poses("baked.glb", times)
        shown = poses("clip.glb", [table.at(t, length) for t in times])
        even = poses("clip.glb", [t / length * jump.duration for t in times])
        assert np.abs(shown - baked).max() < 1e-4  # 0.1 mm
        assert np.abs(even - baked).max() > 0.05
