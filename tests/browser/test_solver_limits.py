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
        retime.guided(retime.read(jump_file), **kept)  # it does not refuse them
        page.page.keyboard.press("Control+z")
        page.until("JSON.stringify(retime.state.keys.value) === '[[1.5,1],[2.5,2]]'")
        page.up_to_date()


def test_a_typed_key_that_the_solver_refuses_is_not_kept(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 900))
    page.up_to_date()
    start: Any = {"duration": 3.25, "keytimes": [[1.5, 1.5]], "max_speed": 1.5}
    page.add_step(method="guided", parameters=start)
    field = page.page.get_by_label("Keytime 1, source, s", exact=True).first
    field.click()
    field.fill("3.0")
    field.press("Enter")
    page.until("retime.state.problems.value.length === 1")
    assert page.get("retime.state.problems.value[0]")["title"] == "The keytime was not kept"
    assert "2×, above the limit of 1.5×. Raise" in page.get("retime.state.problems.value[0].text")
    assert page.get("retime.state.committed.value.versions.A[0].parameters.keytimes") == [
        [1.5, 1.5]
    ]
    assert page.get("retime.state.keys.value") == [[1.5, 1.5]]
    page.page.evaluate("retime.state.problems.value = []")

    # Only the solver knows which surface keys overlap: it is asked, and refuses.
    keys: Any = [{"time": t, "joint": "left_hand", "shift": 0.1} for t in (0.6, 2.0)]
    page.add_step(method="surface", parameters={"keys": keys})
    step = page.get("retime.state.steps.value[1].id")

    def moved(time: float) -> Any:
        return {"parameters": {"keys": [keys[0], keys[1] | {"time": time}]}}

    page.page.evaluate("([id, to]) => retime.actions.change(id, to)", [step, moved(0.7)])
    page.until("retime.state.problems.value.length === 1")
    assert page.get("retime.state.problems.value[0].title") == "It was not kept"
    assert "overlap" in page.get("retime.state.problems.value[0].text")
    page.page.evaluate("retime.state.problems.value = []")
    # While it is dragged, it stops at the limit and says which.
    page.page.evaluate("([id, to]) => retime.actions.preview({id, ...to})", [step, moved(0.7)])
    page.until("(document.querySelector('.timeline-card:not([hidden])') ?? {textContent: ''})"
               ".textContent.includes('overlap')")  # fmt: skip
    page.until("!retime.state.computing.value")
    page.page.evaluate("retime.actions.commit()")
    page.up_to_date()
    kept: Any = page.get("retime.state.committed.value.versions.A[1].parameters.keys")
    assert 0.7 < kept[1]["time"] < 2.0
    assert not page.get("retime.state.problems.value.some(p => p.step)")
