"""Compiled code: a word to whoever waits for it the first time, and none to anybody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

import retime.compiled  # noqa: F401 - listens to numba from here on

WORD = "compiling numeric code"
USE = """
import logging; logging.basicConfig()
import numpy as np
import pytest
from retime.methods.guided.cost_kernels import lagged_products
lagged_products(np.ones((2, 5)), np.zeros((3, 5)))
"""


def test_the_first_use_compiles_with_a_word_and_the_next_process_starts_warm(
    tmp_path: Path,
) -> None:
    def use() -> str:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        ran = subprocess.run(
            [sys.executable, "-c", USE],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stderr

    assert use().count(WORD) == 1
    assert WORD not in use()


def test_other_peoples_functions_compile_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    scope: dict[str, Any] = {"__name__": None}
    exec("def double(x):\n    return 2 * x", scope)
    compiled: Any = numba.njit(scope["double"])
    assert compiled(2.0) == 4.0
    assert WORD not in caplog.text
