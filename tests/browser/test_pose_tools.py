"""The Poses tab's tools, as a person uses them; what is shown is what the library makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from browser_running import Studying

Open = Callable[..., Studying]


def with_poses(page: Studying) -> None:
    page.up_to_date()
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")


def edits(page: Studying) -> list[dict[str, Any]]:
    return list(page.get("retime.state.step.value.parameters?.edits ?? []"))


def shown(page: Studying) -> Any:
    page.up_to_date()
    return np.array(page.get("Array.from(retime.state.result.value.positions)"))


def test_tools_of_the_poses_tab(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1440, 900))
    with_poses(page)
    before = shown(page)
    view = page.page
    view.evaluate("retime.state.selectedPose.value = 3")
    view.get_by_label("Which joints").select_option("right_arm")
    view.get_by_label("Tween toward").select_option("rest")
    view.get_by_role("textbox", name="Tween").fill("60")
    view.get_by_role("textbox", name="Tween").press("Enter")
    page.until("(retime.state.step.value.parameters.edits ?? []).length === 1")
    view.get_by_role("button", name="Hold", exact=True).click()
    view.get_by_role("button", name="Apply", exact=True).click()
    page.until("retime.state.step.value.parameters.edits.length === 2")
    view.get_by_role("button", name="Mirror").click()
    page.until("retime.state.step.value.parameters.edits.length === 3")
    view.get_by_role("button", name="Add a layer").click()
    page.until("retime.state.result.value.header.editor.layers === 2")
    made = edits(page)
    weight = view.get_by_role("textbox", name="Weight").last.bounding_box()
    slider = view.get_by_role("slider", name="Weight").last.bounding_box()
    assert weight is not None
    assert slider is not None
    assert weight["x"] > slider["x"]  # one row
    assert abs(weight["y"] + weight["height"] / 2 - slider["y"] - slider["height"] / 2) < 6
    page.picture("studio-pose-tools")
    assert [e["do"] for e in made] == ["tween", "ease", "mirror", "add_layer"]
    after = shown(page)
    assert np.abs(after - before).max() > 0.05
    motion = retime.Recipe([retime.Step("stagger", {"edits": made})]).evaluate(
        retime.read(jump_file)
    )
    wanted = retime.positions(motion, end_sites=True).ravel()
    np.testing.assert_allclose(after, wanted, atol=1e-5)
    for count in (3, 2, 1, 0):
        view.keyboard.press("Control+z")
        page.until(f"(retime.state.step.value.parameters?.edits ?? []).length === {count}")
    for _ in range(40):  # the result follows the document
        if np.array_equal(shown(page), before):
            break
        view.wait_for_timeout(250)
    assert np.array_equal(shown(page), before)


def test_p_puts_a_pose_at_the_playhead_at_once(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    page.page.evaluate("retime.actions.seek(0.6)")
    page.page.keyboard.press("p")
    page.until("retime.state.selectedPose.value !== null")
    page.up_to_date()
    (edit,) = edits(page)
    assert (edit["do"], edit["time"]) == ("insert", pytest.approx(0.6, abs=1 / 60))
    pose = page.get("retime.state.selectedPose.value")
    times = page.get("Array.from(retime.state.result.value.block('pose_times'))")
    assert times[pose] == pytest.approx(0.6, abs=1 / 60)
    hand = "retime.state.source.value.header.joints.indexOf('RightHand')"
    page.page.evaluate(f"retime.state.selectedJoint.value = {hand}")
    page.page.get_by_role("button", name="Whole body").wait_for()
    cut = page.get(
        "[...document.querySelectorAll('.segment')].filter(s => s.offsetParent"
        " && s.scrollWidth > s.clientWidth).map(s => s.innerText)"
    )
    assert cut == []


def test_a_step_that_p_makes_is_undone_with_its_pose(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    count = "(retime.state.steps.value[0]?.parameters?.edits ?? []).length"
    for poses, time in enumerate((0.6, 0.9), 1):
        page.page.evaluate(f"retime.actions.seek({time})")
        page.page.keyboard.press("p")
        page.until(f"{count} === {poses} && retime.state.selectedPose.value !== null")
        page.up_to_date()
        assert page.get("retime.state.undoDepth.value") == poses
    page.page.keyboard.press("Control+z")
    page.until(f"{count} === 1")
    page.page.keyboard.press("Control+z")
    page.until("retime.state.steps.value.length === 0")
    page.page.keyboard.press("Control+Shift+z")
    page.until(f"{count} === 1")
