"""Small things a person sees: titles, focus, the status line, a video, what F frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import retime
from browser_running import Studying

Open = Callable[..., Studying]
SMALL, USUAL = (800, 600), (1300, 850)


def test_a_narrow_window_says_what_goes_on(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SMALL)
    page.up_to_date()
    line = page.page.locator(".view-status .status-text")
    line.wait_for(state="visible")
    page.until("document.querySelector('.view-status .status-text').textContent === 'Up to date'")
    box = page.page.locator(".view-status").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SMALL[0]
    page.page.set_viewport_size({"width": 1000, "height": 600})
    line.wait_for(state="hidden")
    page.page.locator(".inspector .status-text").wait_for(state="visible")


def test_a_small_window_has_all_controls_of_a_large_one(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1024, 640))
    page.up_to_date()
    page.add_step(method="physics")
    beyond = (
        "(edge => [...document.querySelectorAll('.inspector :is(input, button)')]"
        ".filter(e => e.offsetParent && e.getBoundingClientRect().right > edge)"
        ".map(e => e.ariaLabel || e.innerText))"
        "(document.querySelector('.inspector').getBoundingClientRect().right)"
    )
    assert page.page.get_by_role("button", name="Earth").count() == 1
    assert page.get(beyond) == []

    page.page.get_by_role("button", name="Side by side").click()
    assert page.get("retime.state.layout.value") == "side"
    page.page.set_viewport_size({"width": 1280, "height": 800})
    assert page.page.get_by_role("button", name="Side by side").count() == 1  # the words
    page.page.set_viewport_size({"width": 1024, "height": 640})

    page.page.get_by_role("button", name="Motions", exact=True).click()
    row = page.page.get_by_role("button", name="jump, is retimed")
    row.wait_for(state="visible")
    page.page.keyboard.press("Escape")
    row.wait_for(state="hidden")


def test_a_video_is_shown_while_it_is_made_and_stopped(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SMALL)
    page.up_to_date()
    page.page.get_by_role("button", name="Export").click()
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Video of the view").click()
        chip = page.page.locator(".recording")
        chip.wait_for(state="visible")
        page.until("retime.state.playing.value")
        page.page.wait_for_timeout(400)
        chip.get_by_role("button", name="Stop").click()
    assert download.value.suggested_filename == "jump-retimed.webm"
    assert Path(download.value.path()).stat().st_size > 1000
    chip.wait_for(state="hidden")


def test_rows_give_the_focus_on_and_titles_name_the_part(open_page: Open, tmp_path: Path) -> None:
    clip = tmp_path / "swing.bvh"
    retime.write(retime.samples.swing(), clip)
    page = open_page(clip, size=USUAL)
    page.up_to_date()
    for method in ("spline", "smooth", "hold"):
        page.add_step(method=method)
    focused = "document.activeElement.closest('[data-step]')?.dataset.step ?? null"
    page.page.locator("[data-step=s2] .step-choose").focus()
    for left, next_one in ((2, "s3"), (1, "s1")):
        page.page.keyboard.press("Delete")
        page.until(f"retime.state.steps.value.length === {left}")
        page.until(f"({focused}) === '{next_one}'")
        assert page.get("retime.state.selectedStep.value") == next_one
    page.page.keyboard.press("Delete")
    page.until("retime.state.steps.value.length === 0")
    page.until("document.activeElement.ariaLabel === 'Add a step'")

    keys = [{"time": 1.2, "joint": "RightHand", "shift": -0.1},
            {"time": 2.4, "joint": "LeftHand", "shift": 0.1}]  # fmt: skip
    page.add_step(method="surface", parameters={"keys": keys})
    title = page.page.locator(".inspector-title h2")
    page.page.evaluate("retime.state.selectedSurface.value = 1")
    assert title.text_content() == "Surface key 2 of 2"

    # F frames the sheet too, wherever the camera was.
    page.until("retime.places.sheetBounds()")
    view = page.page.locator(".view-canvas canvas").bounding_box()
    assert view is not None
    page.page.mouse.move(view["x"] + view["width"] / 2, view["y"] + view["height"] / 2)
    for _ in range(12):
        page.page.mouse.wheel(0, -300)
    wide = "(b => b.right - b.left)(retime.places.sheetBounds())"
    page.until(f"{wide} > {view['width']}")
    page.page.keyboard.press("f")
    page.until(f"{wide} < {view['width']}")
    seen = page.get("retime.places.sheetBounds()")
    assert seen["left"] >= view["x"] - 1
    assert seen["right"] <= view["x"] + view["width"] + 1
    assert seen["top"] >= view["y"] - 1
    assert seen["bottom"] <= view["y"] + view["height"] + 1

    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    page.page.evaluate("retime.state.selectedPose.value = 3")
    count = page.get("retime.state.result.value.block('pose_times').length")
    assert title.text_content() == f"Pose 4 of {count}"


def test_a_removed_insertion_leaves_later_edits_their_poses(
    open_page: Open, jump_file: Path
) -> None:
    page = open_page(jump_file, size=USUAL)
    page.up_to_date()
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    times = page.get("Array.from(retime.state.result.value.block('pose_times'))")
    between, later = (times[1] + times[2]) / 2, times[4] + 0.02
    edits = [{"do": "insert", "time": between}, {"do": "retime", "pose": 5, "time": later}]
    page.page.evaluate(
        "edits => retime.actions.setParameter(retime.state.selectedStep.value, 'edits', edits)",
        edits,
    )
    page.up_to_date()
    assert page.get("retime.state.result.value.header.editor.counted") == [2, None]
    with_it = page.get("Array.from(retime.state.result.value.block('pose_times'))")
    page.page.get_by_role("button", name="Remove edit 1").click()
    page.until("retime.state.step.value.parameters.edits.length === 1")
    page.up_to_date()
    assert page.get("retime.state.step.value.parameters.edits[0].pose") == 4
    without = page.get("Array.from(retime.state.result.value.block('pose_times'))")
    assert without == [t for k, t in enumerate(with_it) if k != 2]


def press_at_once(page: Studying, *keys: str) -> None:
    """Press keys in one go: a machine that is busy in between takes longer than a pause."""
    page.page.evaluate(
        """keys => keys.forEach(key => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))""",
        list(keys),
    )


def test_presses_on_the_dial_of_gravity_are_one_change(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=USUAL)
    page.up_to_date()
    page.add_step(method="physics")
    depth = page.get("retime.state.undoDepth.value")
    given = "retime.state.step.value.parameters.gravity ?? 9.81"
    page.page.locator("canvas.dial").focus()
    press_at_once(page, "ArrowUp", "ArrowUp", "ArrowUp")
    assert page.get(given) == pytest.approx(11.31)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    press_at_once(page, "ArrowDown", "Escape")
    page.page.wait_for_timeout(600)
    assert page.get("retime.state.undoDepth.value") == depth + 1
    assert page.get(given) == pytest.approx(11.31)
