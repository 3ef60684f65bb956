"""The documentation site: every page is reached, every name is listed, every example runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import retime

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))


def test_every_page_is_in_the_contents() -> None:
    index = (DOCS / "index.md").read_text()
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)
    listed = {line for block in blocks for line in block.split() if not line.startswith(":")}
    assert {p.stem for p in DOCS.glob("*.md")} - {"index"} <= listed


def test_every_public_name_is_in_the_reference() -> None:
    page = (DOCS / "api.md").read_text()
    listed = set(re.findall(r"^ {3}([\w.]+)$", page, re.MULTILINE))
    short = {name.rpartition(".")[2] for name in listed}
    assert {name for name in retime.__all__ if not name.startswith("_")} <= short


@pytest.mark.parametrize("example", GALLERY, ids=lambda p: p.stem)
def test_an_example_of_the_gallery_runs(example: Path) -> None:
    made = runpy.run_path(str(example))
    assert made["figure"].axes


def test_an_example_of_the_gallery_says_what_it_shows() -> None:
    for example in GALLERY:
        title, rule, *_ = example.read_text().removeprefix('"""\n').splitlines()
        assert rule == "=" * len(title), example.name


@pytest.fixture(scope="module")
def decisions() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make_decisions.py"))


def test_the_table_of_decisions_is_current(decisions: dict[str, Any]) -> None:
    assert decisions["PAGE"].read_text() == decisions["page"](), "run `make docs`"


def test_the_picture_of_the_layers_is_current() -> None:
    made = runpy.run_path(str(DOCS / "make_layers_picture.py"))
    assert made["PICTURE"].read_text() == made["picture"](made["layers"]()), "run `make docs`"


def test_a_page_without_decisions_is_refused(decisions: dict[str, Any], tmp_path: Path) -> None:
    for text in ("no title\n\n## one\n", "# A title without decisions\n"):
        page = tmp_path / "page.md"
        page.write_text(text)
        with pytest.raises(ValueError, match="must begin"):
            decisions["table"]([page])


def test_every_picture_is_shown_by_a_page() -> None:
    from browser_running import PICTURES, shown_pictures

    kept = {place.name for place in PICTURES.iterdir()}
    assert kept - shown_pictures() == set()
    assert shown_pictures() - kept == set()
