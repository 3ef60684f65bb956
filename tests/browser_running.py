"""A real browser on a real studio: Debian's chromium, headless, with a software renderer."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studio_running import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
for_the_documentation = pytest.mark.skipif(
    not os.environ.get("RETIME_PICTURES"), reason="only pictures are made of it"
)
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


class Studying:
    """A page of a studio, and what a test needs to say about it."""

    def __init__(self, page: Page, studio: Studio) -> None:
        self.page, self.studio = page, studio
        self.errors: list[str] = []
        page.on("pageerror", lambda e: self.errors.append(str(e)))
        page.on("console", self._said)

    def _said(self, message: Any) -> None:
        # A connection that is gone is what some tests are about.
        if message.type == "error" and "WebSocket" not in message.text:
            self.errors.append(message.text)

    def open(self) -> None:
        self.page.goto(self.studio.address)
        self.until("retime.state.link.value === 'open' && retime.state.committed.value")

    def get(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def until(self, expression: str, wait: float = 60) -> None:
        """Wait for something to be true; the page's own policy forbids playwright's way."""
        end = time.monotonic() + wait
        while not self.page.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise AssertionError(f"not within {wait} s: {expression}\n{self.errors}")
            time.sleep(0.02)

    def up_to_date(self) -> None:
        self.until(
            "!retime.state.computing.value && !retime.state.pending.value"
            " && retime.state.result.value && retime.state.source.value"
        )

    def add_step(self, **step: Any) -> None:
        before = len(self.get("retime.state.steps.value"))
        self.page.evaluate("s => retime.actions.addStep(s)", step)
        self.until(f"retime.state.steps.value.length === {before + 1}")
        self.up_to_date()

    def picture(self, name: str) -> Path:
        """Keep a picture: for the documentation where it is asked for, else for this run only."""
        folder = PICTURES if os.environ.get("RETIME_PICTURES") else self.studio.folder.parent
        place = folder / f"{name}.png"
        self.page.screenshot(path=place)
        return place
