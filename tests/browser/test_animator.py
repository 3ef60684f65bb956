"""An animator's session: contacts on the timeline, a recipe for each clip, history, frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retime
from browser_running import Studying
from gltf_making import Maker
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
        box = page.page.locator("#panel-warp canvas").first.bounding_box()
        assert box is not None
        page.page.mouse.click(box["x"] + 30, row["y"])
        page.until(f"!retime.state.result.value.contacts.some(c => c.joint === '{name}')")
        page.up_to_date()
    assert held(page) == {"contacts": [], "contacts_only": True}
    (flight,) = page.get("retime.state.result.value.header.flights")
    assert flight[1] - flight[0] > 4
    page.picture("studio-contacts")

    page.page.get_by_role("button", name="Use those found").click()
    page.until(f"{shown} === {len(before)}")

    # Compared with version B, which is the original: two bodies, two strips, where they differ.
    page.add_step(method="spline", parameters={"duration": 5.5})
    page.page.get_by_role("button", name="Compare version A with version B").click()
    page.until("retime.state.results.value.B && retime.compare.difference.value")
    assert page.get("retime.compare.difference.value.most") > 0.3
    legend = page.page.get_by_role("group", name="Bodies")
    assert "Version B" in legend.inner_text()

    # The take that a step follows stands beside them.
    page.page.evaluate("retime.actions.openSample('jump')")
    page.until("retime.state.clips.value.size === 2")
    page.add_step(method="guided", parameters={"reference": ["motion:m2"], "duration": 5.0})
    assert "Reference" in legend.inner_text()
    page.page.evaluate(
        "retime.state.layout.value = 'side'; retime.state.selectedJoint.value = null;"
        " retime.actions.seek(2.1)"
    )
    page.page.wait_for_timeout(500)
    page.picture("studio-compare")
    page.page.get_by_role("button", name="Compare version A with version B").click()
    page.until("retime.compare.otherResult.value === null")
    assert page.get("retime.state.problems.value") == []


@pytest.fixture(scope="module")
def robot_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two clips."""
    maker = Maker()
    for name in ("Wave", "Walk"):
        maker.animate("translation", [0, 0.5, 1], [[0, 0, 0], [1, 0, 0], [0, 1, 0]], name=name)
    return maker.write(tmp_path_factory.mktemp("robot") / "robot.glb")


def choose(page: Studying, opener: str, row: str) -> None:
    page.page.get_by_role("button", name=opener, exact=True).click()
    page.page.get_by_role("menuitem", name=row).first.click()


def saved(page: Studying, item: str, folder: Path) -> Path:
    """Export something, and return the file that the browser saves."""
    page.page.get_by_role("button", name="Export").first.click()
    with page.page.expect_download() as download:
        page.page.locator("a.menu-item", has_text=item).first.click()
    place = folder / download.value.suggested_filename
    download.value.save_as(place)
    return place


def test_clips_recipes_history_and_units(open_page: Open, robot_file: Path, tmp_path: Path) -> None:
    page = open_page(robot_file, size=(1400, 900))
    page.until("Object.keys(retime.state.committed.value.motions).length === 2")
    page.up_to_date()

    # Each clip has its own recipe; one is applied to all, and one is changed after that.
    page.add_step(method="spline", parameters={"duration": 2.0})
    page.page.get_by_role("button", name="Retime robot: Walk").click()
    page.until("retime.state.source.value?.header.id === 'm2'")
    page.up_to_date()
    assert page.get("retime.state.steps.value.length") == 0
    page.page.get_by_role("button", name="Retime robot: Wave").click()
    page.until("retime.state.source.value?.header.id === 'm1' && retime.state.steps.value.length")
    page.up_to_date()
    choose(page, "Copy, paste or apply the recipe", "Apply to all motions")
    page.until("retime.state.committed.value.recipes.m2?.A.length === 1")
    page.page.evaluate(
        "retime.actions.setParameter(retime.state.steps.value[0].id, 'duration', 3.0)"
    )
    page.until("retime.state.result.value?.duration > 2.9")
    page.up_to_date()
    written = saved(page, "All 2 retimed motions", tmp_path)
    assert written.name == "robot-retimed.glb"
    lengths = [retime.read(written, animation=n).duration for n in ("Wave", "Walk")]
    assert lengths == pytest.approx([3.0, 2.0])

    # Undo says what it takes back, and the list goes back several changes at once.
    undo = page.page.locator("button.history").first
    assert undo.get_attribute("title") == "Undo: Change duration of Spline (Ctrl+Z)"
    page.page.get_by_role("button", name="History").click()
    page.picture("studio-history")
    page.page.get_by_role("menuitem", name="Give a recipe to 1 motion").click()
    page.until("!retime.state.committed.value.recipes.m2")
    assert page.get("retime.state.redoNames.value[0]") == "Give a recipe to 1 motion"
    page.up_to_date()

    # Frames and timecode: shown, typed, remembered; another rate is written.
    fps = round(page.get("retime.state.fps.value"))
    unit = page.page.get_by_role("button", name=re.compile(r"^[\d.]+ fps, times in"))
    unit.click()
    page.page.get_by_role("menuitem", name="Frames").click()
    field = page.page.get_by_label("Duration, f", exact=True).first
    assert field.input_value() == str(2 * fps)
    assert page.page.locator(".step-line").inner_text() == f"to {2 * fps} f"
    field.fill(str(3 * fps // 2))
    field.press("Enter")
    page.until("retime.state.committed.value.versions.A[0].parameters.duration === 1.5")
    page.up_to_date()
    page.picture("studio-frames")
    page.page.evaluate("retime.actions.change('s1', { parameters: { range: [50, 60] } })")
    refused = page.page.locator(".note.problem")
    refused.wait_for()
    assert re.search(rf"\b{50 * fps} f to {60 * fps} f\b", refused.inner_text())
    page.page.evaluate("retime.actions.change('s1', { parameters: { range: null } })")
    page.until("retime.state.problems.value.length === 0")
    page.up_to_date()
    unit.click()
    page.page.get_by_role("menuitem", name="Timecode").click()
    field = page.page.get_by_label("Duration", exact=True).first
    assert field.input_value() == f"00:00:01:{fps // 2:02}"
    page.page.reload()
    page.until("retime.state.link.value === 'open' && retime.state.committed.value")
    page.up_to_date()
    assert "timecode" in (unit.get_attribute("aria-label") or "")
    page.page.get_by_role("button", name="Export").first.click()
    rate = page.page.get_by_label("Export frame rate, fps")
    rate.fill("30")
    rate.press("Enter")
    page.page.keyboard.press("Escape")
    slow = retime.read(saved(page, "BVH", tmp_path))
    assert (slow.rate, slow.duration) == pytest.approx((30, 1.5))
    assert page.get("retime.state.problems.value") == []

    # Taps in time with playback become the times of the keytimes; slowly, as this machine may be.
    keys = "{ duration: 4, keytimes: [[0.3, 0.2], [0.6, 0.4]] }"
    page.page.evaluate(f"retime.actions.change('s1', {{ parameters: {keys} }})")
    page.until("retime.state.result.value?.duration > 3.9")
    page.up_to_date()
    page.page.evaluate("retime.state.playbackRate.value = 0.25")
    page.page.locator("body").press("b")
    for moment in (0.4, 0.8):
        page.until(f"retime.state.time.value > {moment}")
        page.page.locator("body").press("b")
    now = "retime.state.committed.value.versions.A[0].parameters.keytimes"
    page.until(f"{now}[0][0] > 0.39")
    first, second = page.get(now)
    assert (first[1], second[1]) == (0.2, 0.4)
    assert 0.4 < first[0] < second[0] < 4
    for output in (first[0], second[0]):
        assert output * fps == pytest.approx(round(output * fps), abs=0.01)
    assert page.get("retime.state.undoNames.value[0]") == "Move keytimes"

    # A file that fails stays listed with the reason, to be tried again or removed.
    page.page.evaluate("retime.actions.upload([new File(['HIERARCHY'], 'broken.bvh')])")
    failed = page.page.locator(".motion.failed")
    failed.wait_for()
    assert "broken.bvh" in failed.inner_text()
    page.until("retime.state.loading.value === null")
    page.picture("studio-failed")
    failed.get_by_role("button", name="Retry").click()
    page.until("retime.state.problems.value.length === 2")
    failed.get_by_role("button", name="Remove broken.bvh from the list").click()
    assert failed.count() == 0
    page.errors.clear()  # the browser logs the refused uploads
