"""Settings that every test shares."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from retime.cli import main

# `make stress` sets RETIME_STRESS: the same laws, many more random warps and motions.
settings.register_profile(
    "retime",
    deadline=None,
    derandomize=False,
    print_blob=True,
    max_examples=1000 if os.environ.get("RETIME_STRESS") else 60,
)
settings.load_profile("retime")


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
