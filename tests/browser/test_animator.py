"""An animator's session: contacts edited on the timeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retime
from browser_running import Studying
from retime import samples

Open = Callable[..., Studying]


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("walk") / "walk.bvh"
    retime.write(samples.walk(), place)
    return place


def pull(page: Studying, x: float, y: float, dx: float) -> None:
    mouse = page.page.mouse
    mouse.move(x, y)
    mouse.down()
    for k in range(1, 6):
        mouse.move(x + dx * k / 5, y)
    mouse.up()


def held(page: Studying) -> Any:
    return page.get("retime.state.committed.value.versions.A[0]?.parameters ?? null")


def test_contacts_are_edited_on_the_timeline(open_page: Open, walk_file: Path) -> None:
    page = open_page(walk_file, size=(1400, 900))
    page.up_to_date()
    joint = page.get("retime.state.result.value.contacts[0].joint")
    before = page.get(f"retime.state.result.value.contacts.filter(c => c.joint === '{joint}')")
    assert page.get("retime.state.result.value.header.flights") == []

    # Stretched by its end: the others of the joint stay, and a step that holds contacts keeps them.
    at = page.get(f"retime.timeline.contactPosition('{joint}', 1)")
    pull(page, at["right"] - 2, at["y"], -40)
    page.until("retime.state.steps.value.length === 1")
    page.up_to_date()
    kept = held(page)["contacts"]
    assert [c["joint"] for c in kept] == [joint] * len(before)
    assert kept[1]["start"] == pytest.approx(before[1]["start"], abs=1e-3)
    assert kept[1]["end"] < before[1]["end"] - 0.05
    assert kept[0]["end"] == pytest.approx(before[0]["end"], abs=1e-3)

    # Moved.
    at = page.get(f"retime.timeline.contactPosition('{joint}', 1)")
    pull(page, (at["left"] + at["right"]) / 2, at["y"], 30)
    now = "retime.state.committed.value.versions.A[0].parameters.contacts"
    page.until(f"{now}[1].start > {kept[1]['start']}")
    page.up_to_date()

    # Deleted, and added again by a double click.
    page.page.keyboard.press("Delete")
    count = len(before) - 1
    shown = f"retime.state.result.value.contacts.filter(c => c.joint === '{joint}').length"
    page.until(f"{shown} === {count}")
    page.page.mouse.dblclick((at["left"] + at["right"]) / 2, at["y"])
    page.until(f"{shown} === {count + 1}")
    page.up_to_date()

    # Switched off for both feet: nothing bears the body, and the timeline says so.
    for name in page.get("[...new Set(retime.state.result.value.contacts.map(c => c.joint))]"):
        page.get("retime.state.selectedStep.value = retime.state.steps.value[0].id")
        row = page.get(f"retime.timeline.contactPosition('{name}', 99)")
        page.page.mouse.click(
            page.page.locator("#panel-warp canvas").first.bounding_box()["x"] + 30, row["y"]
        )
        page.until(f"!retime.state.result.value.contacts.some(c => c.joint === '{name}')")
        page.up_to_date()
    assert held(page) == {"contacts": [], "contacts_only": True}
    (flight,) = page.get("retime.state.result.value.header.flights")
    assert flight[1] - flight[0] > 4
    page.picture("studio-contacts")

    page.page.get_by_role("button", name="Use those found").click()
    page.until(f"{shown} === {len(before)}")
    assert page.get("retime.state.problems.value") == []
