"""Times as people type them into the studio's fields, and as recipes hold them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from browser_running import Studying

Open = Callable[..., Studying]
STEP = {"method": "spline", "parameters": {"duration": 2.6, "keytimes": [[0.9, 1.0]]}}


def typed(page: Studying, label: str, text: str) -> None:
    field = page.page.get_by_label(label, exact=True).first
    field.click()
    field.fill(text)
    field.press("Enter")
    page.up_to_date()


def test_a_typed_duration(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))  # 3.25 s at 60 fps
    page.up_to_date()
    page.add_step(method="spline")
    for text, seconds in (
        ("60%", 1.95), ("48f", 0.8), ("2.4s", 2.4), ("0:02.5", 2.5), ("2,4", 2.4),
    ):  # fmt: skip
        typed(page, "Duration, s", text)
        assert page.get("retime.state.step.value.parameters.duration") == pytest.approx(seconds)
        assert page.get("retime.state.result.value.duration") == pytest.approx(seconds, abs=1e-3)


def test_typed_keytimes_and_ranges(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 900))
    page.up_to_date()
    page.add_step(**STEP)
    typed(page, "Keytime 1, output, s", "50%")
    typed(page, "Keytime 1, source, s", "90f")
    assert page.get("retime.state.keys.value[0]") == pytest.approx([1.3, 1.5])
    page.page.evaluate(
        "document.querySelectorAll('.inspector [aria-expanded=false]').forEach(b => b.click())"
    )
    typed(page, "Range, to, s", "80%")
    assert page.get("retime.state.step.value.parameters.range") == pytest.approx([0, 2.6])


def test_a_recipe_in_percent_becomes_seconds(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    values = {"duration": "80%", "keytimes": [["50%", "60f"]]}
    recipe = {
        "format": "retime-recipe", "version": 2,
        "steps": [{"method": "spline", "parameters": values}],
    }  # fmt: skip
    drop = "([name, text]) => retime.actions.upload([new File([text], name)])"
    page.page.evaluate(drop, ["r.json", json.dumps(recipe)])
    page.until("retime.state.steps.value.length === 1")
    page.up_to_date()
    assert page.get("retime.state.problems.value.length") == 0
    assert page.get("retime.state.steps.value[0].parameters.duration") == pytest.approx(2.6)
    assert page.get("retime.state.steps.value[0].parameters.keytimes") == [
        pytest.approx([1.3, 1.0])
    ]
