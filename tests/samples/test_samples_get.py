"""Recorded motions that are fetched: from a server of our own, good and bad."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import retime
from retime import InputError, samples
from retime.errors import MissingDependencyError
from retime.samples import downloads
from retime.samples.downloads import DOWNLOADS, Download, fetch

pytest.importorskip("pooch", reason="pooch is not installed (retime[samples])")
NAME = "cmu:test"


class Server:
    """A web server on this machine; what it answers to any request is ``answer``."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: Callable[[BaseHTTPRequestHandler], None] = lambda request: None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/data"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def sending(data: bytes, *, claimed: int | None = None, status: int = 200) -> Callable[..., None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(data) if claimed is None else claimed))
        request.end_headers()
        request.wfile.write(data)
        request.close_connection = True

    return answer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()


@pytest.fixture
def clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A motion that stands in the list under a name of its own."""
    retime.write(samples.jump(), tmp_path / "seed.bvh")
    data = (tmp_path / "seed.bvh").read_bytes()
    known = Download("001/01_01.bvh", len(data), hashlib.sha256(data).hexdigest(), "A jump.")
    monkeypatch.setitem(DOWNLOADS, NAME, known)
    return data


def kept(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def test_a_file_is_fetched_once(server: Server, clip: bytes, tmp_path: Path) -> None:
    server.answer = sending(clip)
    told: list[tuple[int, int, str]] = []
    place = fetch(
        NAME, cache=tmp_path / "c", base_url=server.url, progress=lambda *now: told.append(now)
    )
    assert place.read_bytes() == clip
    assert server.asked == ["/data/001/01_01.bvh"]
    assert told[-1] == (len(clip), len(clip), NAME)
    assert [done for done, _, _ in told] == sorted({done for done, _, _ in told})
    # What is there needs no network.
    assert fetch(NAME, cache=tmp_path / "c", base_url="http://127.0.0.1:9/") == place
    assert len(server.asked) == 1
    # What was damaged since is fetched again.
    place.write_bytes(b"damaged")
    assert fetch(NAME, cache=tmp_path / "c", base_url=server.url).read_bytes() == clip


def test_the_command_writes_a_copy(
    server: Server,
    clip: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[..., tuple[int, str, str]],
) -> None:
    server.answer = sending(clip)
    monkeypatch.setenv(downloads.URL_VARIABLE, server.url)
    monkeypatch.setenv(downloads.CACHE_VARIABLE, str(tmp_path / "cache"))
    status, out, said = run("samples", "get", NAME, "--into", tmp_path, "--json")
    assert status == 0, said
    assert json.loads(out)["files"] == [str(tmp_path / "01_01.bvh")]
    assert len(retime.read(tmp_path / "01_01.bvh")) == len(samples.jump())
    assert kept(tmp_path / "cache") == ["01_01.bvh"]
    assert run("samples", "get", NAME, "--into", tmp_path)[0] == 0
    (tmp_path / "01_01.bvh").write_text("my own capture")
    assert "exists and is another file" in run("samples", "get", NAME, "--into", tmp_path)[2]
    assert (tmp_path / "01_01.bvh").read_text() == "my own capture"
    assert NAME in run("samples", "get")[1]
    assert "jump" in run("samples")[1]
    status, _, said = run("samples", NAME)
    assert status == 2
    assert f"retime samples get {NAME}" in said


BROKEN: dict[str, tuple[str, Callable[[bytes], Callable[..., None]]]] = {
    "wrong hash": (r"SHA-256 differs\); nothing was kept", lambda d: sending(d[:-1] + b"x")),
    "shorter": ("nothing was kept", lambda d: sending(d[:-100])),
    "broken off": ("broke off; nothing was kept", lambda d: sending(d[:500], claimed=len(d))),
    "not there": ("answers status 404", lambda d: sending(b"no", status=404)),
    "server error": ("answers status 500", lambda d: sending(b"no", status=500)),
    "endless": ("sends more than the", lambda d: sending(d + bytes(1 << 20))),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_goes_wrong_is_a_sentence(
    server: Server, clip: bytes, tmp_path: Path, case: str
) -> None:
    word, answer = BROKEN[case]
    server.answer = answer(clip)
    with pytest.raises(InputError, match=word):
        fetch(NAME, cache=tmp_path / "c", base_url=server.url)
    assert kept(tmp_path / "c") == []
    server.answer = sending(clip)  # and it can be tried again
    assert fetch(NAME, cache=tmp_path / "c", base_url=server.url).read_bytes() == clip


def test_no_network_is_a_sentence(
    clip: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as s:  # a port that nobody listens on
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with pytest.raises(InputError, match=r"cannot be reached.*connection to the network"):
        fetch(NAME, cache=tmp_path / "c", base_url=f"http://127.0.0.1:{port}")
    with pytest.raises(InputError, match="not an address that starts with"):
        fetch(NAME, cache=tmp_path / "c", base_url="file:///etc")
    with pytest.raises(InputError, match="no recorded motion 'cmu:99_99' is known"):
        fetch("cmu:99_99")


def test_a_cache_that_cannot_be_written_is_a_sentence(
    server: Server, clip: bytes, tmp_path: Path
) -> None:
    server.answer = sending(clip)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be kept in"):
        fetch(NAME, cache=tmp_path / "file" / "c", base_url=server.url)


def test_a_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(MissingDependencyError, match=r"\[samples\]"):
        fetch("cmu:16_06")


def test_known_hashes_are_those_of_the_clips_at_hand() -> None:
    shared = Path(__file__).parents[3] / "shared" / "mocap"
    if not shared.is_dir():
        pytest.skip("the shared clips are absent")
    for name, known in DOWNLOADS.items():
        data = (shared / Path(known.path).name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (known.size, known.sha256), name
