"""Child processes: messages both ways, a deadline, an end by hand or by themselves."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Iterator

import pytest

from retime.process.child import Child

ECHO = """
import os, sys, time
from retime.process.inside import own_output, queued_messages, send_message
framed = sys.argv[1] == "framed"
target = own_output()
print("what a library prints is no message")
messages = queued_messages(framed=framed)
while True:
    said = messages.get()
    if said.startswith(b"sleep"):
        time.sleep(60)
    if said.startswith(b"die"):
        os._exit(3)
    send_message(target, said.rstrip(b"\\n")[::-1], framed=framed)
"""


@pytest.fixture(params=["lines", "framed"])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    command = [sys.executable, "-c", ECHO, request.param]
    made = Child(command, framed=request.param == "framed")
    yield made
    made.end()


def test_messages_go_both_ways(child: Child) -> None:
    for word in (b"abc", b"{}", b"long" * 10_000):
        assert child.send(word)
        assert (child.receive(20) or b"").rstrip(b"\n") == word[::-1]


def test_a_deadline_is_kept_and_the_child_can_be_ended(child: Child) -> None:
    child.send(b"abc")
    assert child.receive(20)
    child.send(b"sleep")
    begun = time.monotonic()
    assert child.receive(0.2) is None
    assert time.monotonic() - begun < 5
    child.end()
    assert child.process.returncode is not None
    assert child.receive(5) == b""
    assert not child.send(b"abc")


def test_a_child_that_ends_by_itself_is_told(child: Child) -> None:
    child.send(b"die")
    assert child.receive(20) == b""
    assert child.receive(20) == b""  # and so it stays
    assert child.process.wait(5) == 3
    assert not child.alive


def test_frames_may_hold_line_ends() -> None:
    child = Child([sys.executable, "-c", ECHO, "framed"], framed=True)
    try:
        child.send(b"a\nb\n\x00c")
        assert child.receive(20) == b"c\x00\nb\na"
    finally:
        child.end()


def test_who_listens_is_called_with_every_message() -> None:
    heard: queue.Queue[bytes] = queue.Queue()
    child = Child([sys.executable, "-c", ECHO, "lines"], heard=heard.put)
    try:
        child.send(b"abc")
        assert heard.get(timeout=20) == b"cba\n"
        child.kill()
        assert heard.get(timeout=20) == b""
    finally:
        child.end()
