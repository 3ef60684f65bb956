"""Every format that the empty page names opens when a file of it is dropped, and goes back."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from browser_running import Studying
from every_format import motion_file
from retime import samples

Open = Callable[..., Studying]
SHARED = Path(__file__).parents[3] / "shared"
DROP = """files => retime.actions.upload(files.map(([name, text]) =>
    new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name)))"""


def drop(page: Studying, files: list[Path]) -> None:
    sent = [[f.name, base64.b64encode(f.read_bytes()).decode()] for f in files]
    page.page.evaluate(DROP, sent)


def advertised(page: Studying) -> list[str]:
    """The formats that a person reads on the empty page."""
    text = page.page.locator(".empty p").inner_text()
    names = text.split(". ")[0].replace(" or ", ", ").split(", ")
    return [f".{name.lower()}" for name in names]


def test_every_format_on_the_empty_page_opens(open_page: Open, tmp_path: Path) -> None:
    for package in ("pxr", "ezc3d"):
        pytest.importorskip(package)
    page = open_page()
    suffixes = advertised(page)
    assert {".bvh", ".glb", ".fbx", ".usdz", ".npz", ".amc", ".c3d"} <= set(suffixes)
    for count, suffix in enumerate(suffixes, 1):
        folder = tmp_path / suffix[1:]
        folder.mkdir()
        drop(page, motion_file(suffix, folder))
        page.until(
            f"Object.keys(retime.state.project.value.motions).length === {count}"
            " || retime.state.problems.value.length"
        )
        assert page.get("retime.state.problems.value.map(p => p.text)") == [], suffix
        newest = page.get("Object.keys(retime.state.project.value.motions).at(-1)")
        page.page.evaluate("id => retime.actions.run({ type: 'choose_motion', id })", newest)
        page.until(f"retime.state.source.value?.header.id === '{newest}'")
        page.up_to_date()
        assert page.get("retime.state.result.value.duration") > 0, suffix
        page.add_step(method="spline", parameters={"duration": 1.5})
        assert page.get("retime.state.problems.value.map(p => p.text)") == [], suffix
        forms = ["warp", "recipe", *(["report"] if suffix in (".glb", ".usda") else [])]
        for form in forms:
            status, _, data = page.studio.ask("GET", f"/export?format={form}&version=A")
            assert status == 200, (suffix, form, data)
        status, headers, data = page.studio.ask("GET", "/export?format=own&version=A")
        if suffix == ".gltf":
            assert status == 422  # it names other files, which a download leaves behind
            continue
        assert status == 200, (suffix, data)
        out = folder / headers["content-disposition"].split("''")[1]
        out.write_bytes(data)
        own = suffix.replace(".asf", ".amc")
        assert out.suffix == own, suffix
        skeleton: dict[str, Any] = {"skeleton": folder / "take.asf"} if own == ".amc" else {}
        assert retime.read(out, **skeleton).duration == pytest.approx(1.5, abs=0.02), suffix


def test_a_skeleton_alone_says_what_to_open_next(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    motion, skeleton = motion_file(".amc", tmp_path)
    drop(page, [skeleton])
    page.until("retime.state.problems.value.length === 1")
    assert "Open the .amc" in page.get("retime.state.problems.value[0].text")
    drop(page, [motion])  # the skeleton was kept
    page.until("Object.keys(retime.state.project.value.motions).length === 1")


def test_a_file_of_the_command_line_that_fails_is_listed(open_page: Open, tmp_path: Path) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY")
    page = open_page(broken, size=(1024, 640))
    page.until("retime.state.failedAtStart.value.length === 1")
    view = page.page.locator(".empty-why")
    assert "broken.bvh was not loaded. Has no MOTION section" in view.inner_text()
    drop(page, [broken.rename(tmp_path / "other.bvh")])
    page.until("retime.state.failedFiles.value.length === 1")
    assert view.locator("p").count() == 2
    assert page.get("retime.state.problems.value") == []  # the view gives the reasons
    page.errors.clear()  # the browser logs the refused upload

    retime.write(samples.jump(), broken)
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.page.get_by_role("button", name="Remove other.bvh from the list").click()
    page.page.locator(".motion.failed").get_by_role("button", name="Retry").click()
    page.up_to_date()
    assert page.page.locator(".motion.failed").count() == 0
    assert page.get("retime.state.source.value.header.name") == "broken"


def test_several_files_that_fail_give_one_card(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    page.page.evaluate(
        "retime.actions.upload(['a.bvh', 'b.bvh', 'c.txt'].map(n => new File(['HIERARCHY'], n)))"
    )
    page.until("retime.state.problems.value.length > 0")
    (card,) = page.get("retime.state.problems.value")
    assert card["title"] == "3 files were not loaded"
    assert card["text"].startswith("a.bvh, b.bvh, c.txt. ")
    assert page.page.locator(".motion.failed").count() == 3
    page.errors.clear()


def test_an_fbx_file_is_shown_with_its_mesh(open_page: Open) -> None:
    file = SHARED / "samples" / "assimp_animation_with_skeleton.fbx"
    if not file.exists():
        pytest.skip("the shared samples are absent")
    page = open_page()
    drop(page, [file])
    page.until("retime.state.source.value")
    page.up_to_date()
    assert page.get("retime.state.source.value.header.mesh") is True
    page.until("retime.view.meshVertices().length > 0")
    # A worm 17 cm high and 1.6 m long: the grid is that of its length.
    assert page.get("retime.state.source.value.header.height") < 0.2
    page.until("retime.view.gridStep >= 0.5")
    assert page.get("retime.state.problems.value") == []


def test_a_usd_file_is_shown_with_its_mesh(open_page: Open, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    from usd_making import FIRST, RATE, skinned_file, skinned_points

    file = skinned_file(tmp_path / "arm.usda", up="Z")
    page = open_page()
    drop(page, [file])
    page.until("retime.state.source.value && retime.view.meshVertices().length > 0")
    page.add_step(method="spline", parameters={"duration": 0.5})
    for output in (0.0, 0.25, 0.5):  # at twice the speed
        page.page.evaluate(
            "t => { retime.state.time.value = retime.state.domain.value[0] + t }", output
        )
        drawn = np.reshape(page.get("retime.view.meshVertices()"), (-1, 3))
        expected = skinned_points(file, FIRST + 2 * RATE * output)
        apart = np.linalg.norm(drawn[:, None] - expected[None], axis=2)
        assert max(apart.min(0).max(), apart.min(1).max()) < 2e-4  # metres, single precision
    assert page.get("retime.state.problems.value") == []


def test_a_mesh_that_cannot_be_shown_leaves_a_sentence_and_the_body(
    open_page: Open, tmp_path: Path
) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    from usd_making import skinned_file

    file = skinned_file(tmp_path / "arm.usda")
    stage = Usd.Stage.Open(str(file))
    UsdGeom.Mesh.Get(stage, "/Figure/Box").GetFaceVertexIndicesAttr().Set([99] * 24)
    stage.GetRootLayer().Save()
    page = open_page(size=(1280, 800))
    drop(page, [file])
    page.up_to_date()
    page.until("retime.state.problems.value.length === 1")
    card = page.page.locator(".card.problem")
    assert "The mesh is not shown" in card.inner_text()
    assert "the faces of /Figure/Box do not fit its 8 points" in card.inner_text()
    card.get_by_role("button", name="Dismiss").first.click()
    page.page.get_by_role("button", name="Notes about arm").click()
    assert "do not fit its 8 points" in page.page.locator(".motion .note").last.inner_text()
    assert page.get("retime.view.meshVertices()") == []
    page.add_step(method="spline", parameters={"duration": 0.5})
    assert page.get("retime.state.result.value.duration") == pytest.approx(0.5, abs=0.01)
    page.errors.clear()  # the browser reports the refused request too
