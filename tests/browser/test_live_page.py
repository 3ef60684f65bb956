"""The example page of the live server, in a real browser."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import retime
from browser_running import PICTURES
from live_server_running import Running
from retime import samples

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLE = Path(__file__).parents[2] / "examples" / "live"


def test_the_page_shows_performer_and_partner(browser: Browser, tmp_path: Path) -> None:
    if not (EXAMPLE / "node_modules" / "three").is_dir():
        pytest.skip("three.js is not installed in examples/live; run npm ci there")
    shake = samples.sample("handshake")
    assert shake.partner is not None
    retime.write(shake.motion, tmp_path / "handshake.npz")
    retime.write(shake.partner, tmp_path / "partner.npz")
    with Running(
        tmp_path / "handshake.npz", "--partner", tmp_path / "partner.npz",
        "--replay", tmp_path / "handshake.npz", "--speed", "0:1,1:0.1", "--rate", "30",
        "--feed", "0", "--page", EXAMPLE,
    ) as running:  # fmt: skip
        address = running.opened["feed"]
        context = browser.new_context(viewport={"width": 960, "height": 540})
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda e: errors.append(str(e)))
        try:
            page.goto(address)
            seen: set[str] = set()
            end = time.monotonic() + 60
            while time.monotonic() < end and len(seen) < 5:
                if page.locator("#state").inner_text() == "following":
                    seen.add(page.locator("#time").inner_text())
                time.sleep(0.05)
            assert len(seen) >= 5, page.locator("#state").inner_text()  # time goes on
            assert "token" not in page.url
            assert page.locator("#reference").inner_text() == "handshake"
            picture = page.screenshot()
            assert _has_both(picture)
            if os.environ.get("RETIME_PICTURES"):
                (PICTURES / "live-page.png").write_bytes(picture)
            assert errors == []
        finally:
            context.close()


def _has_both(picture: bytes) -> bool:
    """Whether both figures are drawn: cyan and purple, each in pixels enough to be seen."""
    from matplotlib.image import imread

    red, green, blue = np.moveaxis(imread(io.BytesIO(picture))[..., :3], -1, 0)
    cyan = (green - red > 0.15) & (blue - red > 0.2)
    purple = (red - green > 0.1) & (blue - green > 0.15)
    return bool(cyan.sum() > 400 and purple.sum() > 400)
