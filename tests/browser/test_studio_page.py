"""What a person does in the studio, done in a browser; what is asserted is the state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retime
from browser_running import Studying, for_the_documentation
from studio_running import Studio

Open = Callable[..., Studying]
SPLINE = {"method": "spline", "parameters": {"duration": 2.6, "keytimes": [[0.9, 1.0], [1.6, 1.9]]}}
SAMPLES = Path(__file__).parents[3] / "shared" / "samples"


def test_the_address_opens_the_studio_and_loses_its_key(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file)
    assert page.page.url == f"{page.studio.origin}/"
    page.up_to_date()
    assert page.get("retime.state.source.value.header.name") == "jump"
    cookies = page.page.context.cookies()
    assert [(c["httpOnly"], c["sameSite"]) for c in cookies] == [(True, "Strict")]
    assert page.get("document.cookie") == ""


def test_play_step_scrub_and_ranges(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    keyboard = page.page.keyboard
    for _ in range(3):
        keyboard.press("ArrowRight")
    keyboard.press("ArrowLeft")
    assert page.get("retime.state.time.value") == pytest.approx(2 / 60, abs=1e-6)
    keyboard.press("Space")
    page.until("retime.state.time.value > 0.2")
    keyboard.press("Space")
    assert not page.get("retime.state.playing.value")
    stopped = page.get("retime.state.time.value")
    page.page.wait_for_timeout(200)
    assert page.get("retime.state.time.value") == stopped
    keyboard.press("End")
    assert page.get("retime.state.time.value") == pytest.approx(
        page.get("retime.state.domain.value[1]")
    )
    box = page.page.locator("#timeline").bounding_box()
    assert box is not None
    page.page.mouse.move(page.get("retime.timeline.timeToX(1.0)"), box["y"] + 8)
    page.page.mouse.down()
    page.page.mouse.move(page.get("retime.timeline.timeToX(1.5)"), box["y"] + 8)
    page.page.mouse.up()
    assert page.get("retime.state.time.value") == pytest.approx(1.5, abs=0.02)
    keyboard.press("o")
    page.page.evaluate("retime.actions.seek(0.5)")
    keyboard.press("i")
    assert page.get("retime.state.playRange.value") == pytest.approx([0.5, 1.5], abs=0.02)


def test_nothing_is_drawn_when_nothing_changes(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file)
    page.up_to_date()
    for _ in range(10):  # thumbnails and the last sharp frame come first
        before = page.get("retime.view.drawCount")
        page.page.wait_for_timeout(1000)
        if page.get("retime.view.drawCount") == before:
            break
    else:
        raise AssertionError("the view never rests")
    page.page.keyboard.press("ArrowRight")
    page.until(f"retime.view.drawCount > {before}")


def test_a_drag_is_drawn_coarsely_and_rests_in_full(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    page.add_step(**SPLINE)
    width = "retime.view.canvas.width / retime.view.canvas.clientWidth"
    page.until(f"retime.view.quality === 'full' && !retime.state.computing.value && {width} > 1")
    sharp = page.get(width)
    page.page.evaluate(
        """() => {
        window.seen = [];
        const id = retime.state.selectedStep.value;
        const look = () => seen.push(retime.view.quality);
        retime.state.result.subscribe(() => requestAnimationFrame(look));
        retime.actions.preview({ id, parameters: { duration: 2.2 } });
        }"""
    )
    page.until("seen.at(-1) === 'dragged'")
    assert page.get("retime.state.pending.value !== null")
    page.until("retime.view.quality === 'full'")  # the hand rests, and has not let go
    assert page.get("retime.state.pending.value !== null")
    page.until(f"{width} === {sharp}")
    page.page.evaluate("retime.actions.commit()")
    page.until("retime.state.pending.value === null")
    page.until("retime.view.quality === 'full'")


def drag_key(page: Studying, index: int, dx: float, dy: float = 0.0, *, drop: bool = True) -> None:
    at = page.get(f"retime.timeline.keyPosition({index})")
    mouse = page.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 9):
        mouse.move(at["x"] + dx * k / 8, at["y"] + dy * k / 8)
    if drop:
        mouse.up()


def test_a_keytime_is_dragged_and_escape_brings_it_back(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    page.add_step(**SPLINE)
    before = page.get("retime.state.projectHash.value")
    shown = page.get("Array.from(retime.state.result.value.positions.slice(0, 5000))")
    drag_key(page, 0, 60, drop=False)
    page.until("retime.state.keys.value[0][0] > 0.95")
    page.until(
        "Math.abs(retime.state.result.value.sourceAt(retime.state.keys.value[0][0])"
        " - retime.state.keys.value[0][1]) < 1e-3"
    )
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.up_to_date()
    assert page.get("retime.state.keys.value[0]") == [0.9, 1.0]
    again = page.get("Array.from(retime.state.result.value.positions.slice(0, 5000))")
    assert again == shown
    assert page.get("retime.state.projectHash.value") == before
    depth = page.get("retime.state.undoDepth.value")
    drag_key(page, 0, 60)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")  # a drag is one step
    page.up_to_date()
    moved = page.get("retime.state.keys.value[0][0]")
    assert moved > 0.95
    assert moved * 60 == pytest.approx(round(moved * 60), abs=0.01)  # it snapped to a frame


def test_keytimes_do_not_cross(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    page.add_step(**SPLINE)
    drag_key(page, 0, 800)
    page.up_to_date()
    first, second = page.get("retime.state.keys.value")
    assert first[0] < second[0]
    assert second == [1.6, 1.9]
    assert page.get("retime.state.problems.value.length") == 0
    assert page.page.get_by_text("Stops at").count() >= 1


def test_a_key_is_added_typed_and_deleted_without_a_mouse(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    page.page.evaluate("retime.actions.seek(1.0)")
    page.page.keyboard.press("k")
    page.until("retime.state.steps.value.length === 1")
    page.up_to_date()
    assert page.get("retime.state.steps.value[0].method") == "spline"
    page.page.locator("#panel-warp canvas[tabindex='0']").focus()
    page.page.keyboard.press("ArrowDown")
    assert page.get("retime.state.selectedKey.value") == 0
    page.page.keyboard.press("Enter")
    page.page.keyboard.type("1.2 1.5")
    page.page.keyboard.press("Enter")
    page.until("retime.state.keys.value[0][0] === 1.2 && retime.state.keys.value[0][1] === 1.5")
    page.page.keyboard.press("ArrowRight")
    page.until("retime.state.keys.value[0][0] > 1.21")
    page.page.wait_for_timeout(600)
    page.page.keyboard.press("Delete")
    page.until("retime.state.keys.value.length === 0")


def test_undo_all_and_redo_all_give_the_same_project(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1210, 640))
    page.up_to_date()
    first = page.get("retime.state.projectHash.value")
    page.add_step(**SPLINE)
    drag_key(page, 0, 40)
    page.up_to_date()
    page.add_step(method="hold")
    page.page.get_by_role("button", name="Mute").first.click()
    page.until("retime.state.steps.value.some(s => s.mute)")
    page.page.evaluate("retime.actions.run({type: 'copy_version', to: 'B'})")
    page.until("retime.state.project.value.versions.B.length === 2")
    last, depth = page.get("[retime.state.projectHash.value, retime.state.undoDepth.value]")
    for k in range(depth):
        page.page.keyboard.press("Control+z")
        page.until(f"retime.state.undoDepth.value === {depth - k - 1}")
    assert page.get("retime.state.projectHash.value") == first
    for k in range(depth):
        page.page.keyboard.press("Control+Shift+z")
        page.until(f"retime.state.undoDepth.value === {k + 1}")
    assert page.get("retime.state.projectHash.value") == last


def test_the_optimiser_is_watched_cancelled_and_superseded(
    open_page: Open, jump_file: Path
) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    page.add_step(method="physics", parameters={"duration": 2.0})
    page.until("retime.state.physics.value && retime.state.physics.value.header.least > 0")
    step = page.get("retime.state.selectedStep.value")
    page.page.evaluate(f"retime.actions.watchSolving('{step}')")
    page.until("retime.state.result.value.header.interim")
    page.page.evaluate("retime.actions.cancel()")
    page.until("!retime.state.result.value.header.interim && !retime.state.progress.value")
    for duration in (2.1, 2.2, 2.3):
        page.page.evaluate(f"retime.actions.previewParameter('{step}', 'duration', {duration})")
    page.page.evaluate("retime.actions.commit()")
    page.up_to_date()
    assert page.get("retime.state.result.value.duration") == pytest.approx(2.3, abs=0.02)
    assert page.get("retime.state.problems.value.length") == 0


def test_a_broken_file_gets_a_card_and_changes_nothing(
    open_page: Open, jump_file: Path, tmp_path: Path
) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    before = page.get("retime.state.projectHash.value")
    drop = "([name, text]) => retime.actions.upload([new File([text], name)])"
    text = jump_file.read_text()
    page.page.evaluate(drop, ["<b>take</b>.bvh", text[: len(text) // 2]])
    page.until("retime.state.problems.value.length === 1")
    assert page.page.get_by_text("<b>take</b>.bvh was not loaded").count() == 1
    assert page.get("retime.state.projectHash.value") == before
    page.errors.clear()  # the browser itself reports the refused upload
    page.page.get_by_role("button", name="Dismiss").first.click()
    page.until("retime.state.problems.value.length === 0")
    page.page.evaluate(drop, ["other.bvh", text])
    page.until("Object.keys(retime.state.project.value.motions).length === 2")


def test_a_skinned_file_is_shown_and_retimed(open_page: Open) -> None:
    clip = SAMPLES / "CesiumMan.glb"
    if not clip.exists():
        found = sorted(SAMPLES.rglob("*Cesium*.glb"))
        if not found:
            pytest.skip("no skinned sample at hand")
        clip = found[0]
    page = open_page(clip, size=(640, 360))
    page.up_to_date()
    assert page.get("retime.state.source.value.header.mesh")
    page.add_step(method="spline", parameters={"duration": 1.5})
    assert page.get("retime.state.result.value.rotations.length") > 0


def test_exports_can_be_read_again(open_page: Open, jump_file: Path, tmp_path: Path) -> None:
    page = open_page(jump_file, size=(970, 600))
    page.up_to_date()
    page.add_step(**SPLINE)
    page.page.get_by_role("button", name="Export").click()
    with page.page.expect_download() as download:
        page.page.get_by_role("link", name="BVH").click()
    place = tmp_path / "out.bvh"
    download.value.save_as(place)
    expected = retime.Recipe([retime.Step(SPLINE["method"], SPLINE["parameters"])]).evaluate(  # type: ignore[arg-type]
        retime.read(jump_file)
    )
    np.testing.assert_allclose(
        retime.positions(retime.read(place)), retime.positions(expected), atol=1e-4
    )
    page.page.keyboard.press("Escape")
    text = place.read_text()
    page.page.evaluate("([n, t]) => retime.actions.upload([new File([t], n)])", ["out.bvh", text])
    page.until("retime.state.clips.value.size === 2")
    there = page.get("Array.from(retime.state.clips.value.get('m2').positions.slice(0, 3000))")
    shown = page.get("Array.from(retime.state.result.value.positions.slice(0, 3000))")
    np.testing.assert_allclose(there, shown, atol=1e-4)


ENABLED = """[...document.querySelectorAll("button, input, select")]
    .filter(e => !e.matches(":disabled") && e.checkVisibility())
    .map(e => e.getAttribute("aria-label") || e.textContent.trim())"""


def test_a_server_that_is_gone_is_said_and_found_again(
    open_page: Open, jump_file: Path, start_studio: Callable[..., Studio]
) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    page.add_step(**SPLINE)
    typing = page.page.get_by_label("Duration, s", exact=True).first
    typing.fill("2.2")  # and not confirmed
    port = page.studio.port
    page.studio.kill()
    page.until("retime.state.link.value === 'gone'")
    bar = page.page.locator("#server-gone")
    assert "nothing can be changed" in bar.inner_text()
    assert "Not applied yet: Duration 2.20 s (Spline)" in bar.inner_text()
    assert typing.is_disabled()
    assert typing.input_value() == "2.20"
    assert "when it is back" in page.get("document.querySelector('.inspector .online').title")
    left = page.get(ENABLED)
    assert not {"Export", "Mute (M)", "Duration, s", "Add a step", "Open files"} & set(left), left
    more = page.page.locator(".inspector .section-heading", has_text="More")
    folded = more.get_attribute("aria-expanded")
    more.click()  # looking goes on
    assert more.get_attribute("aria-expanded") != folded
    page.page.keyboard.press("ArrowRight")
    assert page.get("retime.state.time.value") > 0
    # A message says that an edit which cannot wait was not made.
    page.page.evaluate("retime.actions.run({type: 'remove_step', id: 's1'})")
    assert page.page.get_by_role("heading", name="Not applied").is_visible()
    again = start_studio(folder=page.studio.folder, port=port)
    page.studio = again
    page.open()
    page.until("retime.state.result.value?.duration > 2.1")
    page.up_to_date()
    assert page.get("retime.state.committed.value.versions.A[0].parameters.duration") == 2.2
    assert page.get("retime.state.unsent.value") == []
    assert not typing.is_disabled()
    page.errors.clear()


def test_two_windows_see_the_same(open_page: Open, jump_file: Path) -> None:
    one = open_page(jump_file)
    other = open_page(studio=one.studio)
    one.up_to_date()
    other.up_to_date()
    one.add_step(**SPLINE)
    other.until("retime.state.steps.value.length === 1")
    other.up_to_date()
    other.page.evaluate("retime.actions.change('s1', {mute: true})")
    one.until("retime.state.steps.value[0].mute")
    hashes = [p.get("retime.state.projectHash.value") for p in (one, other)]
    assert hashes[0] == hashes[1]


def test_the_empty_studio_offers_bundled_motions(open_page: Open) -> None:
    page = open_page(size=(970, 600))
    page.page.get_by_role("button", name="Try the jump").click()
    page.until("retime.state.source.value")
    page.up_to_date()
    assert page.get("retime.state.source.value.header.name") == "jump"


def test_a_picture_to_look_at(open_page: Open, jump_file: Path) -> None:
    """Characters inside the view, nothing black, nothing cut off."""
    from matplotlib.image import imread

    page = open_page(jump_file, size=(1440, 900))
    page.up_to_date()
    page.add_step(
        method="guided",
        parameters={"duration": 2.2, "max_speed": 3, "keytimes": [[0.75, 1.1], [1.15, 1.6]]},
    )
    page.page.evaluate("retime.actions.seek(1.15); retime.state.selectedKey.value = 1")
    page.until("retime.state.suggestions.value.length > 0")
    page.page.wait_for_timeout(2500)
    picture = np.asarray(imread(page.picture("studio-dark")))[..., :3]
    box = page.page.locator(".view").bounding_box()
    assert box is not None
    left, top = int(box["x"]), int(box["y"])
    view = picture[top : top + int(box["height"]), left : left + int(box["width"])]
    red, green, blue = view[..., 0], view[..., 1], view[..., 2]
    purple = (blue > green + 0.2) & (red > green + 0.05)
    rows, columns = np.nonzero(purple)
    assert purple.mean() > 0.01
    assert rows.min() > 5
    assert rows.max() < len(view) - 5
    assert columns.min() > 5
    assert columns.max() < view.shape[1] - 5
    assert (view.max(axis=2) < 0.02).mean() < 0.01  # nothing black


@for_the_documentation
def test_a_picture_of_physics(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1440, 900))
    page.up_to_date()
    page.add_step(method="physics", parameters={"duration": 1.6})
    page.until("retime.state.physics.value")
    least = page.get("retime.state.physics.value.header.least")
    assert least > 1.6
    assert page.page.get_by_text(f"{least:.2f} s minimum").count() == 1
    page.page.evaluate("retime.state.showFeasibility.value = true; retime.actions.seek(0.45)")
    page.page.wait_for_timeout(2500)
    page.picture("studio-physics")
    page.page.get_by_text("Slow to").click()
    page.up_to_date()
    page.until(f"Math.abs(retime.state.step.value.parameters.duration - {1.1 * least}) < 0.02")
    # The search weighs feasibility against effort, so that a few frames may stay a little outside.
    page.until(
        "(v => v.distance.filter(d => d > 0).length < 0.2 * v.times.length)"
        "(retime.state.physics.value)"
    )


def test_small_windows_keep_what_matters(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1024, 700))
    page.up_to_date()
    page.add_step(**SPLINE)
    for wide, high in [(1024, 700), (900, 640), (640, 360)]:
        page.page.set_viewport_size({"width": wide, "height": high})
        page.page.wait_for_timeout(500)
        for chosen in ("#timeline", ".transport", ".view"):
            box = page.page.locator(chosen).bounding_box()
            assert box is not None
            assert box["width"] > 0
            assert box["height"] >= 40
            assert box["x"] + box["width"] <= wide + 1
            assert box["y"] + box["height"] <= high + 1
        assert page.get("document.documentElement.scrollWidth") <= wide
        place = page.get("retime.timeline.keyPosition(0)")
        assert 0 < place["x"] < wide
        assert 0 < place["y"] < high
