"""Jobs in child processes: messages about them, deadlines, ends by hand or by themselves."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from retime.process.child import Ended, JobServer, TimedOut

PROGRAM = """
import os, sys, time
from retime.errors import InputError
from retime.process.inside import serve_jobs
print("what a library prints is no message")
pushes = []
def do(job, say):
    what = job["what"]
    if what == "sleep":
        time.sleep(60)
    if what == "die":
        os._exit(3)
    if what == "refuse":
        raise InputError("it is upside down")
    if what == "fail":
        raise ValueError("oh")
    if what == "watch":
        say({"word": "watching"})
        while not pushes:
            time.sleep(0.01)
        return {"pushed": pushes.pop()}
    say({"word": "half", "progress": 0.5, "body": b"a\\nb\\0c"})
    return {"pid": os.getpid(), "back": what[::-1], "body": b""}
serve_jobs(do, pushed=pushes.append, idle=float(sys.argv[1]))
"""


@pytest.fixture
def server() -> Iterator[JobServer]:
    made = JobServer([sys.executable, "-c", PROGRAM, "60"])
    yield made
    made.end()


def last(server: JobServer, what: str, **options: Any) -> dict[str, Any]:
    *_, message = server.do({"what": what}, **options)
    assert message is not None
    return message


def test_a_job_has_progress_a_body_and_a_result(server: JobServer) -> None:
    for what in ("abc", "é" * 10_000):
        half, done = server.do({"what": what})
        assert half is not None
        assert done is not None
        assert (half["word"], half["progress"], half["body"]) == ("half", 0.5, b"a\nb\0c")
        assert (done["back"], done["body"], done["done"]) == (what[::-1], b"", True)


def test_errors_are_the_last_message_and_cost_nothing(server: JobServer) -> None:
    pid = last(server, "abc")["pid"]
    assert last(server, "refuse")["error"] == "it is upside down"
    assert "ValueError: oh. This is a bug" in last(server, "fail")["error"]
    assert last(server, "abc")["pid"] == pid


def test_what_ends_a_process_costs_one_job(server: JobServer) -> None:
    begun = time.monotonic()
    with pytest.raises(TimedOut):
        last(server, "sleep", seconds=0.2)
    with pytest.raises(Ended, match="status 3"):
        last(server, "die")
    threading.Timer(0.3, server.kill).start()
    with pytest.raises(Ended, match="signal 9"):
        last(server, "sleep")
    waits = server.do({"what": "sleep"}, wait=0.01)
    assert next(waits) is None
    pid = server.pid
    waits.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 30
    assert last(server, "abc")["pid"] != pid


def test_a_job_that_was_not_begun_goes_to_another_process() -> None:
    server = JobServer([sys.executable, "-c", PROGRAM, "0.1"])
    pid = last(server, "abc")["pid"]
    time.sleep(0.5)  # idle for longer than it may be
    assert last(server, "abc")["pid"] != pid
    with pytest.raises(Ended):
        last(server, "abc", wanted=lambda: False)
    server.end()
    with pytest.raises(Ended, match="status 1"):
        last(JobServer([sys.executable, "-c", "raise SystemExit(1)"]), "abc")


def test_a_running_job_can_be_pushed(server: JobServer) -> None:
    messages = server.do({"what": "watch"})
    assert (next(messages) or {})["word"] == "watching"
    server.push([1, 2])
    assert (next(messages) or {})["pushed"] == [1, 2]


def test_a_process_ends_with_its_parent() -> None:
    code = f"""
from retime.process.child import JobServer
import os, sys
jobs = JobServer([sys.executable, "-c", {PROGRAM!r}, "60"]).do({{"what": "watch"}})
next(jobs)
print(jobs.gi_frame.f_locals["self"].pid, flush=True)
os._exit(0)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    until = time.monotonic() + 20
    while subprocess.run(["ps", "-p", told.stdout.strip()], capture_output=True).returncode == 0:
        assert time.monotonic() < until
        time.sleep(0.05)
