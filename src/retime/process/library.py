"""Run crash-prone native libraries in a restartable subprocess.

Compiled libraries crash on damaged files, loop for ever, or allocate all memory. Each runs in a
process with a deadline and a bound on its memory, and only that process ends. A question is a line
of JSON, and so is its answer; arrays go by way of files in a private folder.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, MissingDependencyError

__all__ = ["Arrays", "IsolatedLibrary", "Refused", "bound_memory", "serve"]

Arrays = Mapping[str, npt.NDArray[Any]]
Operation = Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], tuple[dict[str, Any], Arrays]]

_SECONDS_TO_START = 120.0
# Memory beyond what a program has when it is asked: some of it, and a multiple of the file.
_SOME_MEMORY, _MEMORY_PER_BYTE = 1 << 30, 60
_QUESTIONS, _ANSWERS = "questions.npz", "answers.npz"
# The program finds the same package as we do, however we found it.
_PACKAGES = str(Path(__file__).resolve().parents[2])


class Refused(Exception):
    """What a program says about a file that it does not take: a whole sentence."""


class IsolatedLibrary:
    """A library that runs in a process of its own.

    Any thread may ask: they take turns. A fork starts a process of its own.

    Parameters
    ----------
    program : str or Path
        The file of the program, which ends in :func:`serve`.
    module : str
        The package that it needs.
    extra : str
        The extra of this package that installs it.
    kind : str
        The kind of file, for what is said: ``"C3D"``.
    seconds, seconds_per_mb : float
        How long a question may take: at least, and by the size of its file.
    most_answers : int, optional
        A library that keeps some memory of each file is started anew after so many.
    feature : str, optional
        What needs it, where there is more to say: ``"FBX, which ...,"``.
    """

    def __init__(
        self,
        program: str | Path,
        *,
        module: str,
        extra: str,
        kind: str,
        seconds: float = 10.0,
        seconds_per_mb: float = 2.0,
        most_answers: int | None = None,
        feature: str | None = None,
    ) -> None:
        self.program = Path(program)
        self.module = module
        self.extra = extra
        self.kind = kind
        self.seconds = seconds
        self.seconds_per_mb = seconds_per_mb
        self.most_answers = most_answers
        self.feature = feature or f"reading and writing {kind}"
        self.child: _Child | None = None
        self._lock = threading.Lock()
        _known.add(self)

    def ask(
        self,
        request: Mapping[str, Any],
        arrays: Arrays | None = None,
        *,
        folder: str | Path,
        size: int,
        path: str | Path,
        verb: str = "read",
    ) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Ask for an operation; what cannot be done is a ``FormatError``.

        Parameters
        ----------
        request : mapping
            What to do: ``{"do": NAME, ...}``, as the program has it.
        arrays : mapping of str to array, optional
            What goes along.
        folder : str or Path
            A folder that nobody else uses.
        size : int
            Bytes of the file: large ones get more time and memory.
        path : str or Path
            The file that a person knows, for what is said.
        verb : str
            What was to be done with it: ``"read"`` or ``"written"``.

        Returns
        -------
        (dict, dict of str to array)
            The answer.
        """
        if importlib.util.find_spec(self.module) is None:
            raise MissingDependencyError(self.feature, self.extra)
        place = Path(folder)
        if arrays:
            np.savez(place / _QUESTIONS, allow_pickle=False, **arrays)
        whole = {**request, "folder": str(place), "size": size}
        seconds = self.seconds + self.seconds_per_mb * size / 1e6
        with self._lock:
            answer = self._answer(json.dumps(whole), seconds)
        for file in (place / _QUESTIONS, place / _ANSWERS):
            if answer is None or file.name == _QUESTIONS:
                file.unlink(missing_ok=True)
        if answer is None:
            raise FormatError(
                f"the file is damaged: the {self.kind} library breaks down on it", path=path
            )
        if "refused" in answer:
            raise FormatError(answer["refused"], path=path)
        if "error" in answer:
            raise FormatError(
                f"not a {self.kind} file that can be {verb} ({answer['error']})", path=path
            )
        found: dict[str, npt.NDArray[Any]] = {}
        if (place / _ANSWERS).exists():
            with np.load(place / _ANSWERS, allow_pickle=False) as loaded:
                found = {name: loaded[name] for name in loaded.files}
            (place / _ANSWERS).unlink()
        return answer["ok"], found

    def _answer(self, line: str, seconds: float) -> dict[str, Any] | None:
        """Return the answer, or ``None`` where the process died or the time ran out."""
        if self.child is not None and self.child.owner != os.getpid():
            self.child = None  # a fork does not share its parent's
        if self.child is None:
            self.child = _Child(self.program)
        answer = None
        try:
            answer = self.child.ask(line, seconds)
            self.child.answered += 1
        finally:  # also where somebody interrupts: the next question must not get this answer
            worn = self.most_answers is not None and self.child.answered >= self.most_answers
            if answer is None or worn:
                self.end()
        return answer

    def end(self) -> None:
        """End the process, where there is one."""
        child, self.child = self.child, None
        if child is not None and child.owner == os.getpid():
            child.end()

    def forget(self) -> None:
        """Leave the process to the one that forked this."""
        self.child = None
        self._lock = threading.Lock()  # whoever held it is not here


class _Child:
    """A process that answers one question after another."""

    def __init__(self, program: Path) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        paths = [_PACKAGES, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
        self.owner = os.getpid()
        self.answered = 0
        self.ready = False
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put("")

    def ask(self, line: str, seconds: float) -> dict[str, Any] | None:
        """Return the answer, or ``None`` where there is none."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            if not self.ready:  # a start takes its time, which is no file's fault
                self.ready = bool(self.lines.get(timeout=_SECONDS_TO_START))
            said = self.lines.get(timeout=seconds)
            answer: dict[str, Any] | None = json.loads(said) if said else None
        except (OSError, queue.Empty, ValueError):
            return None
        return answer

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


_known: weakref.WeakSet[IsolatedLibrary] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for apart in list(_known):
        apart.end()


def _forget_all() -> None:
    for apart in list(_known):
        apart.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# ---- the other end


def bound_memory(size: int) -> None:
    """Let this process take some memory more, by the size of a file; not every system can."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
        limit = used + _SOME_MEMORY + _MEMORY_PER_BYTE * size
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def serve(operations: Mapping[str, Operation]) -> None:
    """Answer questions until the input ends; the program's library is loaded before.

    Parameters
    ----------
    operations : mapping of str to callable
        By name: each takes the request and its arrays, and returns an answer and arrays.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the library prints is no answer
    answers.write('"ready"\n')
    answers.flush()
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any]
        try:
            answer = {"ok": _operate(operations[request["do"]], request)}
        except Refused as e:
            answer = {"refused": str(e)}
        except MemoryError:
            answer = {"error": "it asks for more memory than such a file needs"}
        except Exception as e:  # a library raises whatever it likes
            said = " ".join(str(e).split()) or "no more is said"
            answer = {"error": f"{type(e).__name__}: {said}"[:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _operate(operation: Operation, request: dict[str, Any]) -> dict[str, Any]:
    bound_memory(int(request["size"]))
    folder, arrays = Path(request["folder"]), {}
    if (folder / _QUESTIONS).exists():
        with np.load(folder / _QUESTIONS, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    answer, made = operation(request, arrays)
    if made:
        np.savez(folder / _ANSWERS, allow_pickle=False, **made)
    return answer
