"""No keytime is kept that the solver refuses, whether it is dragged or typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import retime
from browser_running import Studying

Open = Callable[..., Studying]


def drag(page: Studying, index: int, dx: float, dy: float) -> None:
    at = page.get(f"retime.timeline.keyPosition({index})")
    mouse = page.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 9):
        mouse.move(at["x"] + dx * k / 8, at["y"] + dy * k / 8)
    mouse.up()
    page.up_to_date()


def test_a_dragged_key_is_one_that_the_solver_takes(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    start: Any = {"duration": 4.0, "keytimes": [[1.5, 1.0], [2.5, 2.0]]}
    page.add_step(method="guided", parameters=start)
    for pull in ((-300, -150), (300, 150), (-300, 150), (500, -20), (0, -200)):
        drag(page, 0, *pull)
        assert page.get("retime.state.problems.value.map(p => p.text)") == []
        kept: Any = page.get("retime.state.committed.value.versions.A[0].parameters")
        retime.guided_warp(retime.read(jump_file), **kept)  # it does not refuse them
        page.page.keyboard.press("Control+z")
        page.until("JSON.stringify(retime.state.keys.value) === '[[1.5,1],[2.5,2]]'")
        page.up_to_date()


def test_a_typed_key_that_the_solver_refuses_is_not_kept(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 900))
    page.up_to_date()
    page.add_step(method="guided", parameters={"duration": 3.25, "keytimes": [[1.5, 1.5]]})
    field = page.page.get_by_label("Keytime 1, source, s", exact=True).first
    field.click()
    field.fill("3.24")
    field.press("Enter")
    page.until("retime.state.problems.value.length === 1")
    assert page.get("retime.state.problems.value[0].title") == "The keytime was not kept"
    assert page.get("retime.state.committed.value.versions.A[0].parameters.keytimes") == [
        [1.5, 1.5]
    ]
    assert page.get("retime.state.keys.value") == [[1.5, 1.5]]
