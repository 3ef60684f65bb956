"""A running live server shown in a studio's window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import retime
from live_server_running import Running
from retime import samples
from studio_running import Studio


@pytest.fixture
def feed(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "walk.npz"
    retime.write(samples.walk(), path)
    with Running(path, "--replay", path, "--speed", "0.02", "--feed", "0") as running:
        yield running.opened["feed"]


def test_frames_of_a_live_server_come_to_the_window_that_asked(
    start_studio: Callable[..., Studio], feed: str
) -> None:
    window = start_studio().window()
    request = window.send(type="listen", address=feed)
    header, arrays = window.next("live-server")
    assert header["request"] == request
    assert header["reference"] == "walk"
    assert arrays["partner"].shape == (len(header["partner_joints"]), 3)
    assert arrays["performer"].shape == (len(header["performer_joints"]), 3)
    window.send(type="listen", address=None)
    assert window.next("live-server-over")[0]["request"] == request
    again = window.send(type="listen", address=feed)  # the key was used; the studio has a session
    window.next("live-server", lambda h: h["request"] == again)


def test_a_wrong_address_gets_a_sentence(start_studio: Callable[..., Studio], feed: str) -> None:
    window = start_studio().window()
    for address, said in (
        ("http://127.0.0.1:9/?token=x", "no live server answers"),
        ("http://192.0.2.1:80/?token=x", "on this machine only"),
        ("ftp://127.0.0.1:8", "not an address of retime live"),
        ("nonsense", "not an address of retime live"),
        (feed[:-4] + "nope", "did not accept the key"),
    ):
        window.send(type="listen", address=address)
        assert said in window.next("problem")[0]["text"]
