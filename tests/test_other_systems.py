"""Windows and macOS, as far as they can be simulated: paths, locks, pipes, signals, encodings."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import retime
from retime import InputError, samples
from retime.cli import _is_broken_pipe, _leave_tidily, main
from retime.cli.streams import to_stream
from retime.io import files
from retime.io.links import path_from
from retime.process import child, inside


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")


@pytest.mark.usefixtures("windows")
def test_a_file_that_a_scanner_has_open_is_written_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, refused = os.replace, iter([True, True, False])

    def busy(source: str, target: Path) -> None:
        if next(refused):
            raise PermissionError(errno.EACCES, "Access is denied")
        replace(source, target)

    monkeypatch.setattr(files, "_BETWEEN", 0.0)
    monkeypatch.setattr(os, "replace", busy)
    files.write_bytes(tmp_path / "a.bvh", [b"text"])
    assert (tmp_path / "a.bvh").read_bytes() == b"text"


@pytest.mark.usefixtures("windows")
def test_a_file_that_stays_open_elsewhere_is_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(source: str, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(files, "_BETWEEN", 0.0)
    monkeypatch.setattr(os, "replace", busy)
    with pytest.raises(InputError, match=r"cannot write .*Access is denied"):
        files.write_bytes(tmp_path / "a.bvh", [b"text"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("windows")
def test_locks_lie_beyond_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []

    def locking(handle: int, mode: int, count: int) -> None:
        if held:
            raise OSError(errno.EACCES, "Permission denied")
        held.append(os.lseek(handle, 0, os.SEEK_CUR))

    fake = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"{}\n")
    with path.open("r+b") as first:
        files.lock_file(first, "taken")
        with pytest.raises(InputError, match="taken"):
            files.lock_file(path.open("r+b"), "taken")
    assert held[0] > path.stat().st_size


def test_links_between_drives_are_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    def relpath(place: Any, folder: Any) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    assert path_from("/a/b/c.png", "/a/d") == "../b/c.png"
    monkeypatch.setattr(os.path, "relpath", relpath)
    assert path_from("/a/b/c.png", "/a/d") == "/a/b/c.png"


def test_pictures_of_a_gltf_on_another_drive_are_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retime.write(samples.jump(), tmp_path / "a.gltf")
    document = json.loads((tmp_path / "a.gltf").read_text(encoding="utf-8"))
    document["images"] = [{"uri": "skin%20a.png"}]
    (tmp_path / "a.gltf").write_text(json.dumps(document), encoding="utf-8")
    motion = retime.read(tmp_path / "a.gltf")

    def relpath(place: Any, folder: Any) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    (tmp_path / "other").mkdir()
    monkeypatch.setattr(os.path, "relpath", relpath)
    retime.write(motion, tmp_path / "other" / "b.gltf")
    written = json.loads((tmp_path / "other" / "b.gltf").read_text(encoding="utf-8"))
    assert written["images"][0]["uri"] == (tmp_path / "skin a.png").as_uri()


@pytest.mark.parametrize("text", [r"C:\clips\out.bvh", "C:out.bvh", r"C:\-"])
def test_a_drive_is_not_a_format(text: str) -> None:
    assert to_stream(text) == Path(text)


def test_a_reader_that_left_is_a_wrong_argument_on_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = OSError(errno.EINVAL, "Invalid argument")
    assert _is_broken_pipe(BrokenPipeError())
    assert not _is_broken_pipe(left)
    monkeypatch.setattr(sys, "platform", "win32")
    assert _is_broken_pipe(left)
    assert not _is_broken_pipe(OSError(errno.EINVAL, "Invalid argument", "a:b.bvh"))


def test_windows_ends_tidily_at_ctrl_break(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[int, Any] = {}
    monkeypatch.setattr(signal, "SIGBREAK", 21, raising=False)
    monkeypatch.delattr(signal, "SIGHUP")
    monkeypatch.setattr(signal, "signal", told.__setitem__)
    _leave_tidily()
    assert set(told) == {signal.SIGTERM, 21}
    with pytest.raises(SystemExit) as ended:
        told[21](21, None)
    assert ended.value.code == 149


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_narrow_consoles_print_everything(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "zażółć.bvh"
    retime.write(samples.jump(fps=15), path)

    def printed(*arguments: str) -> str:
        buffer = io.BytesIO()
        stream = io.TextIOWrapper(buffer, encoding)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            main(["info", str(path), *arguments])
        stream.flush()
        return buffer.getvalue().decode(encoding)

    assert json.loads(printed("--json"))["file"] == str(path)
    assert "za" in printed()


@pytest.mark.usefixtures("windows")
def test_children_open_no_console(monkeypatch: pytest.MonkeyPatch) -> None:
    started: dict[str, Any] = {}

    class Started:
        stdin = stdout = io.BytesIO()

        def __init__(self, command: list[str], **options: Any) -> None:
            started.update(options, command=command)

        def poll(self) -> None:
            return None

    monkeypatch.setattr(subprocess, "Popen", Started)
    child.Child(["retime", "engine"])
    assert started["creationflags"] == 0x08000000
    assert started["command"] == ["retime", "engine"]


def test_bounds_that_a_system_lacks_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    inside.bound_memory(1 << 20)
    inside.bound_time(5.0)
