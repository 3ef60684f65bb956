"""Small things that a person meets in the first hour: exports, the skeleton tree, suggestions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from browser_running import Studying
from gltf_making import Maker

Open = Callable[..., Studying]


def test_exports_are_named_after_the_motion(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    for label, name in (
        ("BVH", "jump-retimed.bvh"),
        ("GLB", "jump-retimed.glb"),
        ("Warp", "jump-retimed.warp.json"),
        ("Recipe", "jump-retimed.recipe.json"),
    ):
        page.page.get_by_role("button", name="Export").first.click()
        with page.page.expect_download() as download:
            page.page.locator("a.menu-item", has_text=label).first.click()
        assert download.value.suggested_filename == name


def test_an_export_is_named_after_its_animation(open_page: Open, tmp_path: Path) -> None:
    maker = Maker()
    for name in ("Wave", "Walk ä"):
        maker.animate("translation", [0, 0.5, 1], [[0, 0, 0], [1, 0, 0], [0, 1, 0]], name=name)
    page = open_page(maker.write(tmp_path / "robot.glb"), size=(1280, 800))
    page.up_to_date()
    second = page.get("Object.keys(retime.state.project.value.motions)[1]")
    page.page.evaluate("id => retime.actions.run({ type: 'choose_motion', id })", second)
    page.until(f"retime.state.source.value?.header.id === '{second}'")
    page.up_to_date()
    page.page.get_by_role("button", name="Export").first.click()
    with page.page.expect_download() as download:
        page.page.locator("a.menu-item", has_text="BVH").first.click()
    assert download.value.suggested_filename == "robot-Walk ä-retimed.bvh"


def test_a_click_in_the_skeleton_tree_selects(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 900))
    page.up_to_date()
    tree = page.page.locator(".skeleton")
    tree.locator(".limb").first.click()
    row = tree.locator(".joint:visible").first
    row.click()
    name = row.inner_text()
    joint = page.get("retime.state.selectedJoint.value")
    assert page.get(f"retime.state.source.value.header.joints[{joint}]") == name
    assert row.get_attribute("aria-selected") == "true"


def test_slow_to_never_suggests_a_faster_timing(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 900))
    page.up_to_date()
    page.add_step(method="physics", parameters={"duration": 1.6})
    step = page.get("retime.state.selectedStep.value")
    page.page.evaluate("id => retime.actions.ask('physics', id)", step)
    page.until("retime.state.physics.value?.header.violations.length")
    least = page.get("retime.state.physics.value.header.least")
    offer = page.page.get_by_role("button", name="Slow to")
    assert least is None or (least * 1.1 > 1.0) == (offer.count() == 1 and offer.is_visible())
    # The same report, with a least duration that is shorter than what there is now.
    page.page.evaluate(
        """() => {
        const found = retime.state.physics.value;
        const copy = Object.assign(Object.create(Object.getPrototypeOf(found)), found);
        copy.header = { ...found.header, least: 0.5 };
        retime.state.physics.value = copy;
        }"""
    )
    assert not page.page.get_by_role("button", name="Slow to").is_visible()
