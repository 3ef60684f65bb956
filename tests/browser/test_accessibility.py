"""axe-core on the seven screens of the studio: no serious and no critical violation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import retime
from browser_running import Studying

Open = Callable[..., Studying]
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
USUAL, SMALL = (1440, 900), (1024, 700)
GUIDED = {"duration": 2.2, "max_speed": 3, "keytimes": [[0.75, 1.1], [1.15, 1.6]]}
FOUND = """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`)))"""

pytestmark = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed in web; run npm ci there"
)


def assert_accessible(page: Studying, screen: str) -> None:
    page.page.wait_for_timeout(300)
    page.page.evaluate(AXE.read_text())
    assert page.get(FOUND) == [], screen


def test_the_whole_body_dark_light_and_small(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=USUAL)
    page.up_to_date()
    page.add_step(method="guided", parameters=GUIDED)
    page.until("retime.state.suggestions.value.length > 0")
    assert_accessible(page, "whole body")
    page.page.evaluate("retime.state.theme.value = 'light'")
    assert_accessible(page, "light")
    page.page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    assert_accessible(page, "small")


def test_physics_and_staggered_poses(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=USUAL)
    page.up_to_date()
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    page.page.evaluate("retime.state.selectedPose.value = 3; retime.state.selectedJoint.value = 0")
    page.page.get_by_role("button", name="Succession").click()
    page.page.get_by_role("dialog", name="Succession").wait_for()
    assert_accessible(page, "staggered poses")
    page.page.keyboard.press("Escape")
    page.add_step(method="physics", parameters={"duration": 1.6})
    page.until("retime.state.physics.value")
    page.page.evaluate("retime.state.showFeasibility.value = true")
    page.page.get_by_text("Why it is impossible").wait_for()
    assert_accessible(page, "physics")


def test_surfaces(open_page: Open, tmp_path: Path) -> None:
    retime.write(retime.samples.swing(), tmp_path / "swing.bvh")
    page = open_page(tmp_path / "swing.bvh", size=USUAL)
    page.up_to_date()
    keys = [{"time": 1.2, "joint": "RightHand", "shift": -0.1},
            {"time": 2.4, "joint": "LeftHand", "shift": 0.1}]  # fmt: skip
    page.add_step(method="surface", parameters={"keys": keys})
    page.until("retime.state.result.value.header.editor?.type === 'surface'")
    assert_accessible(page, "surface")


def test_states_menus_and_help(open_page: Open) -> None:
    page = open_page(size=USUAL)
    assert_accessible(page, "empty")
    page.page.evaluate("retime.actions.fail('take.bvh was not loaded', 'Line 2 is cut off.')")
    page.page.get_by_role("alert").get_by_text("take.bvh was not loaded").wait_for()
    assert_accessible(page, "error")
    page.page.get_by_role("button", name="Export").click()
    assert_accessible(page, "export")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("?")
    page.page.get_by_role("dialog", name="Help and keys").wait_for()
    assert_accessible(page, "help")
