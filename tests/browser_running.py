"""A real browser on a real studio: Debian's chromium, headless, with a software renderer."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studio_running import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
for_the_documentation = pytest.mark.skipif(
    not os.environ.get("RETIME_PICTURES"), reason="only pictures are made of it"
)
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def shown_pictures() -> set[str]:
    """Return the names of the pictures that a page of the documentation shows."""
    root = PICTURES.parents[1]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r"pictures/([\w-]+\.\w+)", text))


class Pages:
    """Pages that tests use one after the other.

    A page that is used again keeps its process, compiled scripts and shaders: opening a studio in
    it takes half the processor time. Each has a context of its own, so that two windows in one
    test share nothing.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[Page] = []

    def take(self, size: tuple[int, int], theme: str) -> Page:
        """Return an empty page of a size."""
        page = self._free.pop() if self._free else self._new()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        return page

    def _new(self) -> Page:
        context = self._browser.new_context()
        context.add_init_script(
            "if (location.protocol === 'http:') localStorage.setItem('retime.tour', 'seen')"
        )
        return context.new_page()

    def give_back(self, page: Page) -> None:
        """Take a page from a test: nothing that it stored stays, and no address leads back."""
        context = page.context
        if page.is_closed() or len(context.pages) > 1:
            context.close()
            return
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.unroute_all()
        page.goto("about:blank")
        context.clear_cookies()
        context.set_offline(False)
        context.clear_permissions()
        self._free.append(page)

    def close(self) -> None:
        """Close all pages."""
        for page in self._free:
            page.context.close()


class Studying:
    """A page of a studio, and what a test needs to say about it."""

    def __init__(self, page: Page, studio: Studio) -> None:
        self.page, self.studio = page, studio
        self.errors: list[str] = []
        page.on("pageerror", self._threw)
        page.on("console", self._said)

    def close(self) -> None:
        """Listen to the page no longer."""
        self.page.remove_listener("pageerror", self._threw)
        self.page.remove_listener("console", self._said)

    def _threw(self, error: Any) -> None:
        self.errors.append(str(error))

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
        """Wait for something to be true; the page's own policy forbids playwright's way.

        The page looks for itself: to ask it again and again takes more than what is waited for.
        """
        look = (
            "new Promise((done, fail) => { const end = performance.now() + 1000 * "
            f"{wait}; const look = () => {{ try {{ if ({expression}) done(true); "
            "else if (performance.now() > end) done(false); else setTimeout(look, 20); } "
            "catch (e) { fail(e); } }; look(); })"
        )
        if not self.page.evaluate(look):
            raise AssertionError(f"not within {wait} s: {expression}\n{self.errors}")

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
        """Keep a picture: for the documentation if a page shows it, otherwise for this run only."""
        asked = bool(os.environ.get("RETIME_PICTURES")) and f"{name}.png" in shown_pictures()
        place = (PICTURES if asked else self.studio.folder.parent) / f"{name}.png"
        if asked:  # saved, with a full film strip and smooth edges
            self.page.wait_for_timeout(3000)
        self.page.screenshot(path=place)
        return place
