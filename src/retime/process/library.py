"""Run crash-prone native libraries in a restartable subprocess.

Compiled libraries crash on damaged files, loop for ever, or allocate all memory. Each runs in a
process with a deadline and a bound on its memory, and only that process ends. A question is a line
of JSON, and so is its answer; arrays go by way of files in a private folder.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, MissingDependencyError
from retime.process.child import ONE_THREAD, Child
from retime.process.inside import (
    bound_memory,
    bound_time,
    leave_interrupts_to_parent,
    own_output,
    send_message,
)

Arrays = Mapping[str, npt.NDArray[Any]]
Operation = Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], tuple[dict[str, Any], Arrays]]

_SECONDS_TO_START = 120.0
_QUESTIONS, _ANSWERS = "questions.npz", "answers.npz"
# The program imports the same package as this process.
_PACKAGES = str(Path(__file__).resolve().parents[2])


class Refused(Exception):
    """Message of a program about a file that it rejects."""


@dataclass(eq=False)
class IsolatedLibrary:
    """A library that runs in a separate process.

    Any thread may send requests; they are serialised. After a fork, a new process is started.
    """

    program: Path
    """The file of the program, which ends in :func:`serve`."""
    _: KW_ONLY
    module: str
    """The package that it needs."""
    extra: str
    """The extra of this package that installs it."""
    kind: str
    """The kind of file, for what is said: ``"C3D"``."""
    seconds: float = 10.0
    seconds_per_mb: float = 2.0
    """How long a question may take: at least, and by the size of its file."""
    at_work: float = 2.0
    """Processor time for a small file, fifty times what it needs. A busy machine takes longer,
    which is no file's fault, so the time until an answer is bounded more loosely."""
    most_answers: int | None = None
    """Number of answers after which the library is restarted, if it leaks memory."""
    feature: str = ""
    """What needs it, where there is more to say: ``"FBX, which ...,"``."""
    child: Child | None = field(default=None, init=False)
    _answered: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
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
        """Request an operation; a failure raises a ``FormatError``.

        Parameters
        ----------
        request : mapping
            The request, ``{"do": NAME, ...}``, in the format of the program.
        arrays : mapping of str to array, optional
            Arguments of the task.
        folder : str or Path
            A private folder.
        size : int
            Bytes of the file: large ones get more time and memory.
        path : str or Path
            The user's file, for error messages.
        verb : str
            The operation: ``"read"`` or ``"written"``.

        Returns
        -------
        (dict, dict of str to array)
            The answer.
        """
        if importlib.util.find_spec(self.module) is None:
            feature = self.feature or f"reading and writing {self.kind}"
            raise MissingDependencyError(feature, self.extra)
        place = Path(folder)
        if arrays:
            np.savez(place / _QUESTIONS, allow_pickle=False, **arrays)
        working = min(self.at_work, self.seconds) + self.seconds_per_mb * size / 1e6
        whole = {**request, "folder": str(place), "size": size, "seconds": working}
        seconds = self.seconds + self.seconds_per_mb * size / 1e6
        with self._lock:
            answer = self._answer(json.dumps(whole), seconds)
        (place / _QUESTIONS).unlink(missing_ok=True)
        if answer is None:
            (place / _ANSWERS).unlink(missing_ok=True)
            raise FormatError(
                f"the file is damaged: the {self.kind} library crashes on it", path=path
            )
        if "refused" in answer:
            raise FormatError(answer["refused"], path=path)
        if "error" in answer:
            raise FormatError(
                f"not a {self.kind} file that can be {verb} ({answer['error']})", path=path
            )
        return answer["ok"], _taken(place / _ANSWERS)

    def _answer(self, line: str, seconds: float) -> dict[str, Any] | None:
        """Return the answer, or ``None`` where the process died or the time ran out."""
        if self.child is not None and self.child.owner != os.getpid():
            self.child = None  # a fork does not share its parent's
        is_new = self.child is None
        if self.child is None:
            self.child, self._answered = self._start(), 0
        answer: dict[str, Any] | None = None
        try:
            said = _asked(self.child, line, seconds, is_new=is_new)
            answer = json.loads(said) if said else None
            self._answered += 1
        except ValueError:
            answer = None
        finally:  # also after an interrupt: the next request must not get this answer
            worn = self.most_answers is not None and self._answered >= self.most_answers
            if answer is None or worn:
                self.end()
        return answer

    def _start(self) -> Child:
        paths = [_PACKAGES, os.environ.get("PYTHONPATH", "")]
        known = {"PYTHONPATH": os.pathsep.join(p for p in paths if p)}
        command = [sys.executable, "-P", "-W", "ignore", str(self.program)]
        return Child(command, env={**os.environ, **ONE_THREAD, **known})

    def end(self) -> None:
        """End the process, if there is one."""
        child, self.child = self.child, None
        if child is not None and child.owner == os.getpid():
            child.end()

    def forget(self) -> None:
        """Forget the child after a fork; it belongs to the parent process."""
        self.child = None
        self._lock = threading.Lock()  # the process that held it has ended


def _asked(child: Child, line: str, seconds: float, *, is_new: bool) -> bytes | None:
    """Send a line to a process; return its answer, or ``None`` if there is none in time."""
    if not child.send(line.encode()):
        return None
    # Starting takes time that does not depend on the file.
    if is_new and not child.receive(_SECONDS_TO_START):
        return None
    return child.receive(seconds)


def _taken(file: Path) -> dict[str, npt.NDArray[Any]]:
    """Read arrays and remove their file; without a file, return none."""
    if not file.exists():
        return {}
    with np.load(file, allow_pickle=False) as loaded:
        found = {name: loaded[name] for name in loaded.files}
    file.unlink()
    return found


_known: weakref.WeakSet[IsolatedLibrary] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for library in list(_known):
        library.end()


def _forget_all() -> None:
    for library in list(_known):
        library.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# ---- the other end


def serve(operations: Mapping[str, Operation]) -> None:
    """Answer requests until the input ends; the library is loaded first.

    Each operation takes the request and its arrays, and returns an answer and arrays.
    """
    leave_interrupts_to_parent()
    answers = own_output()
    send_message(answers, b'"ready"')
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any]
        try:
            answer = {"ok": _operate(operations[request["do"]], request)}
        except Refused as e:
            answer = {"refused": str(e)}
        except MemoryError:
            answer = {"error": "it asks for more memory than such a file needs"}
        except Exception as e:  # a library may raise any exception
            said = " ".join(str(e).split()) or "no more is said"
            answer = {"error": f"{type(e).__name__}: {said}"[:200]}
        send_message(answers, json.dumps(answer).encode())


def _operate(operation: Operation, request: dict[str, Any]) -> dict[str, Any]:
    bound_memory(int(request["size"]))
    bound_time(float(request["seconds"]))
    folder, arrays = Path(request["folder"]), {}
    if (folder / _QUESTIONS).exists():
        with np.load(folder / _QUESTIONS, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    answer, made = operation(request, arrays)
    if made:
        np.savez(folder / _ANSWERS, allow_pickle=False, **made)
    return answer
