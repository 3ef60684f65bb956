"""Formats that other packages add: the example package, and packages with faults."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import FormatError, InputError, quat

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins" / "chan"


def install(folder: Path, name: str, entry: str, code: str) -> None:
    """Put a package where Python finds it, as an installer does."""
    (folder / f"{entry.partition(':')[0]}.py").write_text(code)
    info = folder / f"{name.replace('-', '_')}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(f"[retime.formats]\nown = {entry}\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def chan(packages: Path) -> Path:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    (entry,) = project["entry-points"]["retime.formats"].values()
    install(packages, project["name"], entry, (EXAMPLE / "retime_chan.py").read_text())
    return packages


LINES = "".join(f"{n} {n / 9} 1.6 {n * n / 99} {n} {3 * n} {-2 * n} 40\n" for n in range(1, 49))


def test_the_example_reads_retimes_and_writes(chan: Path, tmp_path: Path, run: Any) -> None:
    path, out = tmp_path / "shot.chan", tmp_path / "slow.chan"
    path.write_text(f"# a camera\n{LINES}")
    motion = retime.read(path)
    assert (len(motion), motion.fps, motion.skeleton.names) == (48, 24.0, ("Camera",))
    assert retime.read(path, fps=30).fps == 30.0
    retime.write(motion, out)
    again = retime.read(out)
    assert quat.angle(again.rotations, motion.rotations).max() < 1e-6
    assert np.abs(again.root_translation - motion.root_translation).max() < 1e-6
    assert run("apply", path, out, "--duration", "4")[0] == 0
    assert retime.read(out).duration == pytest.approx(4.0, abs=0.03)
    status, _, err = run("convert", path, tmp_path / "shot.bvh")
    assert status == 0, err


def test_what_the_example_refuses(chan: Path, tmp_path: Path) -> None:
    path = tmp_path / "shot.chan"
    cases = (("", "no frames"), ("1 2 3\n", "7 finite"), ("a b c d e f g\n", ":1: expected"))
    for text, says in cases:
        path.write_text(text)
        with pytest.raises(FormatError, match=says):
            retime.read(path)
    path.write_text(LINES)
    with pytest.raises(InputError, match="no animations"):
        retime.read(path, animation="x")
    with pytest.raises(InputError, match="one camera"):
        retime.write(retime.samples.walk(), path)
    with pytest.raises(InputError, match="no option 'rest_frame'"):
        retime.read(path, rest_frame="first")


FAULTY = """
from retime.io import Format
FORMAT = Format("faulty", (".faulty",), "faulty", "a format with faults")
def read_motion(path):
    return {}["joints"] if path.stat().st_size else None
def write_motion(motion, path):
    raise ZeroDivisionError("no joints")
"""


def test_an_exception_of_a_package_names_the_package(packages: Path, tmp_path: Path) -> None:
    install(packages, "retime-faulty", "faulty:FORMAT", FAULTY)
    path = tmp_path / "a.faulty"
    path.write_text("x")
    with pytest.raises(FormatError, match=r"'retime-faulty'.*KeyError: 'joints'.*authors"):
        retime.read(path)
    path.write_text("")
    with pytest.raises(FormatError, match="returned NoneType, not a Motion"):
        retime.read(path)
    with pytest.raises(FormatError, match=r"'retime-faulty'.*ZeroDivisionError: no joints"):
        retime.write(retime.samples.walk(), path)


@pytest.mark.parametrize("code", ["1 / 0", "FORMAT = 'none'"])
def test_a_package_that_does_not_load_does_no_harm(
    packages: Path, code: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    install(packages, "retime-broken", "broken:FORMAT", code)
    with pytest.raises(InputError, match=r"unknown format '\.xyz'"):
        retime.read(tmp_path / "a.xyz")
    assert "retime-broken" in caplog.text
