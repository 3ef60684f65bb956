"""A library at arm's length: whatever it does, the one who asks gets a sentence, and goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retime import FormatError
from retime.errors import MissingDependencyError
from retime.process.library import IsolatedLibrary

PROGRAM = """
import os, time
from retime.process.library import Refused, serve

def double(request, arrays):
    print("what a library prints is no answer")
    return {"pid": os.getpid(), "word": request["word"]}, {n: 2 * a for n, a in arrays.items()}

def die(request, arrays):
    os.abort()

def wait(request, arrays):
    time.sleep(60)

def grow(request, arrays):
    return {"bytes": len(bytearray(8 << 30))}, {}

def refuse(request, arrays):
    raise Refused("it is upside down")

def fail(request, arrays):
    raise ValueError("no\\nsuch thing")

serve({f.__name__: f for f in (double, die, wait, grow, refuse, fail)})
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[IsolatedLibrary]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    made = IsolatedLibrary(program, module="numpy", extra="toy", kind="Toy", seconds=20.0)
    yield made
    made.server.end()


def ask(
    library: IsolatedLibrary, folder: Path, do: str = "double", word: str = "é"
) -> tuple[Any, Any]:
    request = {"do": do, "word": word}
    return library.ask(request, {"a": np.arange(3.0)}, folder=folder, size=10, path="toy.txt")


def test_questions_and_answers(library: IsolatedLibrary, tmp_path: Path) -> None:
    answer, arrays = ask(library, tmp_path)
    assert answer["word"] == "é"
    assert arrays["a"].tolist() == [0, 2, 4]
    assert not list(tmp_path.glob("*.npz"))
    again, nothing = library.ask(
        {"do": "double", "word": ""}, folder=tmp_path, size=10, path="toy.txt"
    )
    assert again["pid"] == answer["pid"]
    assert nothing == {}


def test_breakdowns_are_sentences(library: IsolatedLibrary, tmp_path: Path) -> None:
    pid = ask(library, tmp_path)[0]["pid"]
    with pytest.raises(FormatError, match=r"toy\.txt: it is upside down"):
        ask(library, tmp_path, "refuse")
    with pytest.raises(FormatError, match=r"not a Toy file that can be read \(ValueError: no such"):
        ask(library, tmp_path, "fail")
    with pytest.raises(FormatError, match="more memory than such a file needs"):
        ask(library, tmp_path, "grow")
    assert ask(library, tmp_path)[0]["pid"] == pid
    with pytest.raises(FormatError, match="the Toy library crashes on it"):
        ask(library, tmp_path, "die")
    other = ask(library, tmp_path)[0]["pid"]
    assert other != pid
    library.seconds = 0.2
    with pytest.raises(FormatError, match="crashes on it"):
        ask(library, tmp_path, "wait")
    library.seconds = 20.0
    assert ask(library, tmp_path)[0]["pid"] != other
    library.module = "no_such_package"
    with pytest.raises(MissingDependencyError, match=r"\[toy\]"):
        ask(library, tmp_path)


def test_who_is_worn_is_replaced(library: IsolatedLibrary, tmp_path: Path) -> None:
    library.most_answers = 2
    pids = [ask(library, tmp_path)[0]["pid"] for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_an_interrupted_question_leaves_no_answer_behind(
    library: IsolatedLibrary, tmp_path: Path
) -> None:
    ask(library, tmp_path)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        ask(library, tmp_path, "wait")
    assert ask(library, tmp_path, word="next")[0]["word"] == "next"


def test_threads_take_turns(library: IsolatedLibrary, tmp_path: Path) -> None:
    found: list[str] = []

    def one(n: int) -> None:
        place = tmp_path / str(n)
        place.mkdir()
        found.extend(ask(library, place, word=f"{n}-{k}")[0]["word"] for k in range(5))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == sorted(f"{n}-{k}" for n in range(4) for k in range(5))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_has_its_own_and_all_end(library: IsolatedLibrary, tmp_path: Path) -> None:
    code = f"""
import os, sys
from retime.process.library import IsolatedLibrary
made = IsolatedLibrary({str(library.program)!r}, module="numpy", extra="toy", kind="Toy")
def pid():
    request = {{"do": "double", "word": ""}}
    return made.ask(request, folder={str(tmp_path)!r}, size=1, path="")[0]["pid"]
first = pid()
made.server._turn.acquire()
forked = os.fork()
if not forked:
    print(pid(), flush=True)
    os._exit(0)
made.server._turn.release()
os.waitpid(forked, 0)
print(first, pid())
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    of_fork, first, again = map(int, done.stdout.split())
    assert first == again != of_fork
    for _ in range(100):  # the fork's own ends when it finds nobody who asks
        if not any(Path(f"/proc/{pid}/exe").exists() for pid in (first, of_fork)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process is left")
