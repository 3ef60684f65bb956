"""The prose linter finds what it should, and our texts have no faults."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def prose() -> Any:
    spec = importlib.util.spec_from_file_location("prose", DOCS / "prose.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["prose"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rules() -> dict[str, Any]:
    return tomllib.loads((DOCS / "prose.toml").read_text(encoding="utf-8"))


def test_our_texts_have_no_faults(prose: Any, rules: dict[str, Any]) -> None:
    texts = list(prose.every_text())
    kinds = {t.kind for t in texts}
    assert kinds == {"page", "help", "docstring", "message"}
    assert len(texts) > 5000
    assert [str(f) for t in texts for f in prose.check(t, rules)] == []


@pytest.mark.parametrize(
    "text, rule",
    [
        ("The JSON is written anew.", "old-fashioned"),
        ("Whoever reaches the port can run code.", "old-fashioned"),
        ("Faults are mended on reading.", "old-fashioned"),
        ("Stop after so many frames.", "old-fashioned"),
        ("Frame rate of the result; else the source's.", "else"),
        ("The body falls, and nothing else.", "else"),
        ("What a hand drags is computed once.", "inversion"),
        ("Never is a file overwritten.", "inversion"),
        ("The file says its frame rate.", "personification"),
        ("The clip is no cycle.", "no noun"),
        ("A sentence " + "that goes on and on " * 12 + "is too long.", "long"),
    ],
)
def test_bad_sentences_are_found(prose: Any, rules: dict[str, Any], text: str, rule: str) -> None:
    found = list(prose.check(prose.Text("page.md", 3, "page", text), rules))
    assert [f.rule for f in found] == [rule]
    assert str(found[0]).startswith("page.md:3: ")


@pytest.mark.parametrize(
    "text",
    [
        "Maximum playback speed relative to the source (default 8).",
        "There is no room for another keytime.",
        "What does a warp do?",
        "Use it as long as you like.",
    ],
)
def test_plain_sentences_pass(prose: Any, rules: dict[str, Any], text: str) -> None:
    assert list(prose.check(prose.Text("page.md", 3, "page", text), rules)) == []


def test_texts_of_every_kind_are_found_where_they_stand(prose: Any) -> None:
    source = (
        '"""A module."""\n'
        'x: Annotated[float, About("How far.", unit="m")] = 1\n'
        "def f():\n"
        '    """Return the time."""\n'
        '    raise InputError(f"the file {path} is empty; give another")\n'
    )
    found = {(t.line, t.kind): t.text for t in prose.source_texts(source, "m.py")}
    assert found == {
        (1, "docstring"): "A module.",
        (2, "help"): "How far.",
        (4, "docstring"): "Return the time.",
        (5, "message"): "the file X is empty; give another",
    }
    page = "# Title\n\nSee `retime` and\n[here](a.md).\n\n```sh\ncode anew\n```\n\n- an item\n"
    assert [t.text for t in prose.page_texts(page, "p.md")] == [
        "Title",
        "See X and here.",
        "an item",
    ]
