"""The live tab of the studio on a live server that really runs."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

import retime
from browser_running import Studying
from live_server_running import Running
from retime import samples


def test_a_running_live_server_is_shown(
    open_page: Callable[..., Studying], jump_file: Path, tmp_path: Path
) -> None:
    walk = tmp_path / "walk.npz"
    retime.write(samples.walk(), walk)
    page = open_page(jump_file, size=(1280, 800))
    page.up_to_date()
    page.page.get_by_role("tab", name="Live").click()
    field = page.page.get_by_label("retime live address")
    connect = page.page.locator(".live-server button")

    field.fill("http://127.0.0.1:9/?token=x")
    connect.click()
    page.page.get_by_text("no live server answers there").wait_for()
    page.until("document.querySelector('.live-server button').textContent === 'Connect'")
    page.page.locator(".card .icon-button").click()

    with Running(walk, "--replay", walk, "--speed", "0.3", "--feed", "0") as running:
        field.fill(running.opened["feed"])
        connect.click()
        page.until("retime.liveServer.listening.value === 'on'")
        page.until("retime.liveServer.serverFrame.value.header.state === 'following'")
        before = page.get("retime.liveServer.serverFrame.value.header.time")
        page.until(f"retime.liveServer.serverFrame.value.header.time > {before + 0.3}")
        many = 60 if os.environ.get("RETIME_PICTURES") else 10
        page.until(f"retime.liveServer.serverHistory.value.times.length >= {many}")
        assert connect.inner_text() == "Disconnect"
        state = page.page.locator("[data-reading=state]").inner_text()
        assert re.search(r"following(?: the cycle)?, walk at", state), state
        assert page.get("retime.state.layout.value") == "side"  # they would stand in each other
        page.page.keyboard.press("f")
        page.page.wait_for_timeout(300)
        picture = page.picture("studio-live-server")
        cyan, purple = _figures(picture.read_bytes(), page)
        assert min(cyan, purple) > 800

        page.page.get_by_role("tab", name="Warp").click()
        assert not page.get("retime.liveServer.isServerShown.value")
        page.page.get_by_role("tab", name="Live").click()
        page.until("retime.liveServer.isServerShown.value")
        connect.click()
        page.until(
            "retime.liveServer.listening.value === 'off' && !retime.liveServer.serverFrame.value"
        )
        assert page.get("retime.state.layout.value") == "overlay"
        assert connect.inner_text() == "Connect"


def _figures(picture: bytes, page: Studying) -> tuple[int, int]:
    """Count cyan and purple pixels of the view, legends left out; no figure may touch its edge."""
    from matplotlib.image import imread

    box = page.page.locator(".view-canvas").bounding_box()
    assert box is not None
    left, top = int(box["x"]), int(box["y"])
    shown = imread(io.BytesIO(picture))[
        top + 60 : top + int(box["height"]), left : left + int(box["width"]), :3
    ]
    red, green, blue = np.moveaxis(shown, -1, 0)
    cyan = (green - red > 0.15) & (blue - red > 0.2)
    purple = (red - green > 0.1) & (blue - green > 0.15)
    for figure in (cyan, purple):
        assert not figure[:, [0, 1, -2, -1]].any()
        assert not figure[-2:].any()
    return int(cyan.sum()), int(purple.sum())
