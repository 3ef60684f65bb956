"""Settings that every test shares."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from retime.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from browser_running import Pages, Studying
    from studio_running import Studio

# `make stress` sets RETIME_STRESS: the same laws, many more random warps and motions.
settings.register_profile(
    "retime",
    deadline=None,
    derandomize=False,
    print_blob=True,
    max_examples=1000 if os.environ.get("RETIME_STRESS") else 40,
)
settings.load_profile("retime")


# A shell starts background jobs with Ctrl-C ignored, and tests that press it would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests that may be left out although all parts could be installed: words of their reasons.
_MAY_BE_LEFT_OUT = (
    "Blender 4.2", "Blender 5.2", "C# compiler", "a window", "file system cannot", "mido",
    "no fork", "no small disk", "only pictures", "pandas", "pyarrow", "root may", "/proc",
    "samples", "sample files", "shared", "real clips", "at hand", "toppra", "torch", "Unix thing",
    "unshare",
)  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where ``RETIME_ALL_PARTS`` is set and a part was left out that could be installed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("RETIME_ALL_PARTS"):
        return
    allowed = (*_MAY_BE_LEFT_OUT, *os.environ.get("RETIME_MISSING_PARTS", "").split(","))
    reasons = {str(report.longrepr[2]) for report in reporter.stats.get("skipped", [])}
    missing = sorted(r for r in reasons if not any(word and word in r for word in allowed))
    for reason in missing:
        reporter.write_line(f"left out, and should not be: {reason}", red=True)
    if missing and session.exitstatus == 0:
        session.exitstatus = 1


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process: status, stdout, stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        status: Any = 0
        try:
            main([str(a) for a in arguments])
        except SystemExit as e:
            status = e.code or 0
        out, err = capsys.readouterr()
        return int(status), out, err

    return call


@pytest.fixture
def start_studio(tmp_path: Path) -> Iterator[Callable[..., Studio]]:
    """Start studios that end with the test."""
    from studio_running import Studio, skip_without_pages

    skip_without_pages()
    started: list[Studio] = []

    def start(*files: Path, folder: Path | None = None, port: int = 0) -> Studio:
        started.append(Studio(folder or tmp_path / "study.retime", *files, port=port))
        return started[-1]

    yield start
    for studio in started:
        if studio.process.poll() is None:
            studio.stop()


@pytest.fixture(scope="session")
def jump_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from retime import samples, write

    place = tmp_path_factory.mktemp("clips") / "jump.bvh"
    write(samples.jump(), place)
    return place


# Of a module, not of the session: while playwright runs, nothing else in this process may run an
# event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from browser_running import FLAGS

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed; browser tests are left out")
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[Pages]:
    from browser_running import Pages

    with contextlib.closing(Pages(browser)) as kept:
        yield kept


@pytest.fixture
def open_page(
    pages: Pages, start_studio: Callable[..., Studio]
) -> Iterator[Callable[..., Studying]]:
    """Open pages on studios; at the end no page may have thrown anything."""
    from browser_running import Studying

    opened: list[Studying] = []

    def open_one(
        *files: Path,
        studio: Studio | None = None,
        size: tuple[int, int] = (640, 360),
        theme: str = "dark",
    ) -> Studying:
        page = Studying(pages.take(size, theme), studio or start_studio(*files))
        opened.append(page)
        page.open()
        return page

    yield open_one
    errors = [e for page in opened for e in page.errors]
    for page in opened:
        page.close()
        pages.give_back(page.page)
    assert errors == []
