"""Run crash-prone native libraries in a restartable subprocess.

Compiled libraries crash on damaged files, loop for ever, or allocate all memory. Each runs in a
process with a deadline and a bound on its memory, and only that process ends. Arrays go by way of
files in a private folder.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, MissingDependencyError
from retime.process.child import ONE_THREAD, Ended, JobServer, TimedOut
from retime.process.inside import Say, bound_memory, bound_time, serve_jobs

Arrays = Mapping[str, npt.NDArray[Any]]
Operation = Callable[[dict[str, Any], dict[str, npt.NDArray[Any]]], tuple[dict[str, Any], Arrays]]

# Variable of the environment: a folder outside which a library opens no file, if it is set.
FENCE = "RETIME_FOLDER"
_QUESTIONS, _ANSWERS = "questions.npz", "answers.npz"
# The program imports the same package as this process.
_PACKAGES = str(Path(__file__).resolve().parents[2])


class Refused(Exception):
    """Message of a program about a file that it rejects."""


@dataclass(eq=False)
class IsolatedLibrary:
    """A library that runs in a separate process.

    Any thread may send requests; they are serialised.
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
    _answered: int = field(default=0, init=False)

    @cached_property
    def server(self) -> JobServer:
        """The process, which is started when it is needed."""
        paths = [_PACKAGES, os.environ.get("PYTHONPATH", "")]
        own = {"PYTHONPATH": os.pathsep.join(p for p in paths if p)}
        command = [sys.executable, "-P", "-W", "ignore", str(self.program)]
        return JobServer(command, env={**os.environ, **ONE_THREAD, **own})

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
        answer = self._answer(whole, seconds)
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

    def _answer(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
        """Return the answer, or ``None`` where the process died or the time ran out."""
        try:
            *_, answer = self.server.do(request, seconds=seconds)
        except (Ended, TimedOut):
            return None
        self._answered += 1
        if self.most_answers is not None and self._answered % self.most_answers == 0:
            self.server.end()
        return answer


def _taken(file: Path) -> dict[str, npt.NDArray[Any]]:
    """Read arrays and remove their file; without a file, return none."""
    if not file.exists():
        return {}
    with np.load(file, allow_pickle=False) as loaded:
        found = {name: loaded[name] for name in loaded.files}
    file.unlink()
    return found


# ---- the other end


def serve(operations: Mapping[str, Operation]) -> None:
    """Answer requests until the input ends; the library is loaded first.

    Each operation takes the request and its arrays, and returns an answer and arrays.
    """

    def do(request: dict[str, Any], say: Say) -> Mapping[str, Any]:
        try:
            return {"ok": _operate(operations[request["do"]], request)}
        except Refused as e:
            return {"refused": str(e)}
        except MemoryError:
            return {"error": "it asks for more memory than such a file needs"}
        except Exception as e:  # a library may raise any exception
            said = " ".join(str(e).split()) or "no more is said"
            return {"error": f"{type(e).__name__}: {said}"[:200]}

    serve_jobs(do)


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
