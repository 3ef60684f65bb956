"""The page that plays a clip at any length, in a real browser."""

from __future__ import annotations

import functools
import http.server
import io
import os
import runpy
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from browser_running import PICTURES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLE = Path(__file__).parents[2] / "examples" / "lengths"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    if not (EXAMPLE / "node_modules" / "three").is_dir():
        pytest.skip("three.js is not installed in examples/lengths; run npm ci there")
    runpy.run_path(str(EXAMPLE / "publish.py"))["publish"](tmp_path)
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_the_page_plays_any_length(address: str, browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 960, "height": 540})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    try:
        page.goto(address)
        page.wait_for_function("document.getElementById('hit').textContent !== '–'", timeout=60000)
        page.get_by_label("Length").fill("0")
        page.wait_for_function("parseFloat(document.getElementById('seconds').value) < 1.65")
        page.get_by_role("button", name="Hook in 0.3 s").click()
        page.wait_for_function("document.getElementById('hit').textContent.startsWith('hook at')")
        page.get_by_label("Length").fill("1")
        page.wait_for_function("parseFloat(document.getElementById('seconds').value) > 9.9")
        page.wait_for_function("parseFloat(document.getElementById('source').textContent) > 0.6")
        page.get_by_role("button", name="Pause").click()
        before = page.locator("#source").inner_text()
        picture = page.screenshot()
        assert _has_both(picture)
        assert page.locator("#source").inner_text() == before  # paused
        if os.environ.get("RETIME_PICTURES"):
            (PICTURES / "lengths-page.png").write_bytes(picture)
        assert errors == []
        assert page.locator("#problem").inner_text() == ""
        # A damaged table is named on the page.
        path = tmp_path / "punches.lengths.json"
        path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
        page.reload()
        page.wait_for_function(
            "document.getElementById('problem').textContent.includes('version 2')"
        )
    finally:
        context.close()


def _has_both(picture: bytes) -> bool:
    """Whether both figures are drawn: cyan and purple, each in pixels enough to be seen."""
    from matplotlib.image import imread

    red, green, blue = np.moveaxis(imread(io.BytesIO(picture))[..., :3], -1, 0)
    cyan = (green - red > 0.15) & (blue - red > 0.2)
    purple = (red - green > 0.1) & (blue - green > 0.15)
    return bool(cyan.sum() > 400 and purple.sum() > 400)
