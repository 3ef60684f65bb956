"""Methods that other packages add: the example package, and packages with faults."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import retime
from retime.methods import METHODS, method
from retime.recipe import Recipe, Step
from retime.studio.forms import method_forms

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins" / "swing"


def _forget() -> None:
    METHODS.__dict__.pop("_others", None)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    _forget()
    yield folder
    _forget()
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def _install(folder: Path, name: str, method: str, code: str) -> None:
    """Put a package where Python finds it, as an installer does."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-0.1.dist-info"
    info.mkdir()
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\nSummary: Swing it.\n"
    (info / "METADATA").write_text(about)
    (info / "entry_points.txt").write_text(f"[retime.methods]\n{method} = {module}:METHOD\n")


@pytest.fixture
def swing(packages: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    ((name, entry),) = project["entry-points"]["retime.methods"].items()
    assert entry == "retime_swing:METHOD"
    _install(packages, project["name"], name, (EXAMPLE / "retime_swing.py").read_text())


@pytest.mark.usefixtures("swing")
def test_the_example_is_a_command_a_step_and_a_form(tmp_path: Path, run: Any) -> None:
    jump, out, again, recipe = (tmp_path / n for n in ("j.bvh", "o.bvh", "p.bvh", "r.json"))
    retime.write(retime.samples.jump(), jump)
    assert "swing" in run("--help")[1]
    assert "Swing it. (package retime-swing)" in run("--help")[1]
    assert "--beat TIME  Length of a beat (s, default 0.5)." in run("swing", "--help")[1]
    made = run("swing", jump, out, "--beat", "30f", "--share", "0.7", "--recipe", recipe)
    assert made[0] == 0, made[2]
    assert run("run", recipe, jump, again)[0] == 0
    assert again.read_bytes() == out.read_bytes()
    (step,) = json.loads(recipe.read_text())["steps"]
    assert (step["method"], step["parameters"]) == ("swing", {"beat": "30f", "share": 0.7})
    warp = Recipe([Step("swing", {"beat": 1.0})]).warp(retime.samples.jump())
    assert [float(warp(t)) for t in (0.6, 1.0, 1.6, 3.1)] == pytest.approx([0.5, 1.0, 1.5, 3.1])
    (form,) = (f for f in method_forms() if f.name == "swing")
    assert [(f.name, f.unit, f.minimum) for f in form.fields] == [
        ("beat", "s", 0.1),
        ("share", "", 0.3),
    ]
    status, _, err = run("swing", jump, out, "--share", "2")
    assert (status, "--share is 2; the maximum is 0.7" in err) == (2, True)
    status, _, err = run("swing", jump, out, "--beat", "9")
    assert (status, "shorter than a beat of 9 s" in err) == (2, True)


@pytest.mark.parametrize(
    "name, code, says",
    [
        ("lag", "1 / 0", "ZeroDivisionError"),
        ("lag", "METHOD = 'none'", "is not a retime.methods.Method named 'lag'"),
        ("guided", "METHOD = 'none'", "there is another method of this name"),
        ("apply", "METHOD = 'none'", "is not a retime.methods.Method named 'apply'"),
    ],
)
def test_a_package_with_a_fault_is_named_and_does_no_harm(
    packages: Path, name: str, code: str, says: str, run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _install(packages, "retime-faulty", name, code)
    told = f"the package 'retime-faulty' adds no method '{name}': "
    assert len(METHODS) == len(list(METHODS)) >= 13
    assert told in caplog.text
    assert says in caplog.text
    assert run("info", "nowhere.bvh")[2] == "retime: no such file: nowhere.bvh\n"
    status, out, err = run("--help")
    assert status == 0
    if name == "lag":
        assert "(package retime-faulty)" in out
        status, _, err = run("lag", "a.bvh", "b.bvh")
        assert (status, told in err) == (2, True)
    else:
        assert f"'retime-faulty' adds no command {name!r}: there is another" in err
        assert run(name, "--help")[0] == 0
        if name in METHODS:
            assert method(name).module.startswith("retime.")
