"""Compiled code: the only module that imports numba and controls BLAS threads.

Compiled functions are cached on disk, so that only the first use after an install compiles. The
first time takes seconds, with a note.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core import event

log = logging.getLogger("retime")


class _Announce(event.Listener):
    """Say once a process that something is being compiled (numba is silent, cached or not)."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""  # none where made by exec
        if not self.said and module.startswith("retime."):
            self.said = True
            log.warning("compiling the numeric core: a few seconds, once after an install")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())  # type: ignore[no-untyped-call]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on its first call; the result is cached on disk and frees the GIL."""
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # no folder to cache in: compile anew in every process
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


@functools.cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401  # its own BLAS is to be found too
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread: many small systems wait longer for threads than they compute."""
    with _blas().limit(limits=1, user_api="blas"):
        yield
