"""Compile functions with numba, and limit BLAS threads.

Compiled functions are cached on disk. Only the first use after an install compiles, which takes a
few seconds and logs a warning.
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
    """Log a warning on the first compilation of a process; numba itself logs nothing."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""  # None if made by exec
        if not self.said and module.startswith("retime."):
            self.said = True
            log.warning("compiling numeric code; this takes a few seconds on first use")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())  # type: ignore[no-untyped-call]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on its first call; it releases the GIL and is cached on disk."""
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # no folder for the cache: compile in every process
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


@functools.cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401  # load its BLAS, so that the controller finds it
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, which is faster for many small systems."""
    with _blas().limit(limits=1, user_api="blas"):
        yield
