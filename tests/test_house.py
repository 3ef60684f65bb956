"""Rules of the house that a person would forget."""

from __future__ import annotations

import inspect
import operator
import subprocess
import sys
from pathlib import Path

import pytest
from numpydoc.validate import validate

import retime

ROOT = Path(__file__).parents[1]


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, retime; sys.exit([m for m in ('numpy', 'numba') if m in sys.modules] or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_explained() -> None:
    for name in retime.__all__:
        value = getattr(retime, name)
        assert inspect.getdoc(value), name


def _documented() -> list[str]:
    values = {n: getattr(retime, n) for n in retime.__all__}
    values |= {f"live.{n}": getattr(retime.live, n) for n in retime.live.__all__}
    plain = {n: v for n, v in values.items() if callable(v)}
    return [n for n, v in plain.items() if not (isinstance(v, type) and issubclass(v, Exception))]


@pytest.mark.parametrize("name", _documented())
def test_a_public_docstring_names_its_parameters(name: str) -> None:
    value = operator.attrgetter(name)(retime)
    found = validate(f"{value.__module__}.{value.__qualname__}")["errors"]
    # No docstring; parameters that are missing, unknown or in another order.
    assert [text for code, text in found if code in ("GL08", "PR01", "PR02", "PR03")] == []


def test_reference_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_reference.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run `make docs`:\n{done.stdout}{done.stderr}"


def test_every_exception_is_documented() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    for name in retime.__all__:
        if name.endswith(("Error", "Warning")):
            assert name in text, name
