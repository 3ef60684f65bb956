"""Where tasks run: threads of this process, of a local Dask, or a Dask cluster.

Each thread has the work done in a child process. All go through joblib, which requests a task when
a worker is free and returns each outcome at once, so memory holds at most two tasks per worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from retime.batch.isolation import end_children, run_isolated
from retime.batch.task import Outcome, Task
from retime.errors import InputError, MissingDependencyError, RetimeError

# Seconds to wait for a scheduler, and for its first worker.
_CONNECT = 3.0
_FIRST_WORKER = 3.0
# Tasks at the workers, in times their number: one is worked on, and none waits for the coordinator.
_AHEAD = 2
# Interval between checks of the connection to a cluster, in seconds.
_LOOK = 0.5
# Time after which a lost result is not being recomputed, seconds.
_LOST = 20.0
_VERSION = "__import__('retime').__version__"


class LostBackendError(RetimeError):
    """No worker can be reached."""


class Backend(Protocol):
    """Runs tasks."""

    name: str
    workers: int
    trouble: str  # why waiting for outcomes was interrupted; empty if it was not

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Run tasks and yield their outcomes as they arrive; closing it stops the work."""
        ...

    def close(self) -> None:
        """Release the workers."""
        ...


@dataclass(frozen=True)
class Tls:
    """TLS files of a cluster and its clients, in PEM."""

    ca: str
    """Certificate of the authority that both sides trust."""
    cert: str
    """Our own certificate."""
    key: str
    """Its key."""

    @classmethod
    def of(cls, ca: Path | None, cert: Path | None, key: Path | None) -> Tls | None:
        """Return the files; ``None`` if none is given, an error if only some are."""
        given = {"--tls-ca": ca, "--tls-cert": cert, "--tls-key": key}
        if not any(given.values()):
            return None
        for flag, path in given.items():
            if path is None:
                raise InputError(f"TLS needs three files, and {flag} is missing")
            if not path.is_file():
                raise InputError(f"{flag}: there is no file {path}")
        return cls(str(ca), str(cert), str(key))

    def security(self) -> Any:
        """Return it as Dask takes it; nothing is sent unencrypted."""
        from distributed.security import Security

        return Security(
            tls_ca_file=self.ca,
            tls_client_cert=self.cert,
            tls_client_key=self.key,
            require_encryption=True,
        )


def open_backend(text: str, jobs: int | None, tls: Tls | None = None) -> Backend:
    """Open a backend.

    ``text`` is ``local``, ``dask`` (threads of this process) or ``dask://HOST:PORT``. ``jobs``
    tasks run at a time, by default one per processor; a cluster decides by itself. The connection
    to a cluster is not encrypted without files for TLS.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs is {jobs}; the minimum is 1")
    if "://" in text:
        return _open_cluster(text, jobs, tls)
    if tls is not None:
        raise InputError("TLS is for a cluster: --backend dask://HOST:PORT")
    if text not in ("local", "dask"):
        raise _no_backend(text)
    count = jobs or _processors()
    return _Local(count) if text == "local" else _Dask.threads(count)


def _open_cluster(text: str, jobs: int | None, tls: Tls | None) -> Backend:
    scheme, _, address = text.partition("://")
    if scheme != "dask" or not address:
        raise _no_backend(text)
    if jobs is not None:
        raise InputError("a cluster decides how many tasks run at a time; leave --jobs out")
    return _Dask.cluster(address, tls)


def _no_backend(text: str) -> InputError:
    return InputError(f"a backend is local, dask or dask://HOST:PORT, not {text!r}")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _outcomes(parallel: Any, tasks: Iterator[Task]) -> Iterator[Outcome]:
    """Yield outcomes as they arrive; the work ends when the caller stops iterating."""
    from joblib import delayed

    outcomes = parallel(delayed(run_isolated)(task) for task in tasks)
    try:
        for outcome in outcomes:  # noqa: UP028 - yield from would close it before the finally
            yield outcome
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's warning about unfinished tasks
            outcomes.close()


class _Local:
    """Threads of this process."""

    name = "local"
    trouble = ""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Run tasks."""
        from joblib import Parallel

        parallel = Parallel(
            n_jobs=self.workers,
            backend="threading",
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=_AHEAD * self.workers,
        )
        yield from _outcomes(parallel, tasks)

    def close(self) -> None:
        """End the processes."""
        end_children()


class _Dask:
    """A Dask cluster, or Dask's threads in this process."""

    def __init__(self, client: Any, name: str) -> None:
        self.name = name
        self._client = client
        self.trouble = ""
        self.workers = sum(client.nthreads().values())

    @classmethod
    def threads(cls, workers: int) -> _Dask:
        distributed = _distributed()
        cluster = distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=workers,
            processes=False,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        return cls(distributed.Client(cluster, set_as_default=False), "dask")

    @classmethod
    def cluster(cls, address: str, tls: Tls | None = None) -> _Dask:
        distributed = _distributed()
        security = _security(tls)
        place = f"{'tcp' if tls is None else 'tls'}://{address}"
        _must_answer(place, security)
        client = distributed.Client(
            place, timeout=_CONNECT, set_as_default=False, security=security
        )
        try:
            with contextlib.suppress(TimeoutError):
                client.wait_for_workers(1, timeout=_FIRST_WORKER)
            _must_be_ours(client, address)
            return cls(client, f"dask://{address}")
        except BaseException:
            client.close()
            raise

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Run tasks; Dask handles a lost worker, and the loss of the scheduler is handled here."""
        from joblib import Parallel, parallel_config

        with parallel_config(backend="dask", client=self._client):
            parallel = Parallel(
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch=_AHEAD * self.workers,
            )
            stop = threading.Event()
            watch = threading.Thread(target=self._watch, args=(stop,), daemon=True)
            watch.start()
            try:
                yield from _outcomes(parallel, tasks)
            except Exception as e:  # tasks do not raise, so this is an error of Dask
                why = (str(e).strip().splitlines() or [type(e).__name__])[-1][:200]
                raise LostBackendError(f"{self.name} is lost: {why.rstrip('.')}") from None
            finally:
                stop.set()

    def _watch(self, stop: threading.Event) -> None:
        """Wake the coordinator when the cluster is lost: joblib would wait for ever."""
        import _thread

        complete = time.monotonic()  # when no result was lost, the last time
        while not stop.wait(_LOOK):
            states = {f.status for f in list(self._client.futures.values())}
            # A result that was lost with its worker is computed again.
            complete = complete if "lost" in states else time.monotonic()
            if self._client.status != "running":
                self.trouble = f"the scheduler of {self.name} is gone"
            elif "error" in states or time.monotonic() - complete > _LOST:
                self.trouble = f"workers of {self.name} died again and again"
            if self.trouble and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                _thread.interrupt_main()
                return

    def close(self) -> None:
        """Leave the cluster, or end the threads."""
        if self.name == "dask":
            end_children()  # Dask would wait for the running tasks
        with contextlib.suppress(Exception):
            self._client.close()
        if self.name == "dask":
            with contextlib.suppress(Exception):
                self._client.cluster.close()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("work on Dask", "cluster") from None
    # An error is reported in one sentence, which Dask's own log would hide.
    for name in [n for n in logging.root.manager.loggerDict if n.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def _security(tls: Tls | None) -> Any:
    try:
        return None if tls is None else tls.security()
    except Exception as e:  # OpenSSL describes the problem with a file
        raise InputError(f"the files for TLS cannot be used: {e}") from None


def _must_answer(place: str, security: Any) -> None:
    """Reject an address without a scheduler; a client would retry for a long time."""
    from distributed.comm import connect

    address = place.partition("://")[2]

    async def knock() -> None:
        options = {} if security is None else security.get_connection_args("client")
        comm = await connect(place, timeout=_CONNECT, **options)
        await comm.close()

    try:
        asyncio.run(knock())
    except Exception as e:  # the server at this address may not be Dask
        why = (str(e).splitlines() or [type(e).__name__])[0][:120]
        raise InputError(
            f"no Dask scheduler found at {address} ({why}); start one with `dask scheduler`, "
            "and workers with `dask worker`; with TLS, all sides need its files"
        ) from None


def _must_be_ours(client: Any, address: str) -> None:
    """Reject a cluster without workers, and workers with another version of retime."""
    from retime import __version__

    ask: Callable[..., Any] = client.run
    # The workers may lack this module, so only the standard library is used.
    found = ask(eval, _VERSION, on_error="return")
    if not found:
        raise InputError(
            f"the Dask scheduler at {address} has no workers; start some with `dask worker`"
        )
    for worker, version in sorted(found.items()):
        if isinstance(version, ImportError):
            raise InputError(f"the worker {worker} has no retime; install {__version__} there")
        if version != __version__:
            raise InputError(
                f"the worker {worker} has retime {version}, and this is retime {__version__}; "
                "install the same on both"
            )
