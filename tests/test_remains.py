"""What a hostile file may cost: memory, the length of a sentence, and what a kill leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import FormatError, InputError, samples
from retime.errors import MOST_SENTENCE, bounded
from retime.io import files
from retime.notes import Note, Remedy
from retime.temporary import remove_left, temporary_folder

POSIX = pytest.mark.skipif(os.name == "nt", reason="processes are asked by POSIX's means")


def _with_zeros(path: Path, name: str, size: int) -> None:
    """Add an array of zeros to an archive, packed a thousandfold."""
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    packed = zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open(f"{name}.npy", "w") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
        block = bytes(1 << 20)
        for _ in range(size >> 20):
            f.write(block)


# What an unused array unpacks to.
_ZEROS = (1536 if os.environ.get("RETIME_STRESS") else 80) << 20


def _peak(path: Path) -> int:
    tracemalloc.start()
    try:
        retime.read(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _amass(path: Path) -> None:
    frames = 40
    np.savez(path, poses=np.zeros((frames, 156)), trans=np.zeros((frames, 3)), mocap_framerate=60.0)


@pytest.mark.parametrize("kind", ["retime", "amass"])
def test_an_array_that_is_not_needed_is_not_unpacked(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    retime.write(samples.jump(), path) if kind == "retime" else _amass(path)
    retime.read(path)  # compiled and imported
    _with_zeros(path, "unused", _ZEROS)
    assert _peak(path) < 10 * path.stat().st_size + (30 << 20)


def test_an_array_that_is_needed_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, trans=np.zeros((40, 3)), mocap_framerate=60.0)
    _with_zeros(path, "poses", 80 << 20)
    tracemalloc.start()
    with pytest.raises(FormatError, match="poses unpacks to 80 MB, far more than such a file"):
        retime.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * path.stat().st_size + (30 << 20)


@POSIX
def test_a_child_process_is_held_to_the_same_bound() -> None:
    code = (
        "import sys; from retime.process.inside import bound_memory, _SOME_MEMORY\n"
        "import numpy as np\n"
        "bound_memory(1_000_000)\n"
        "np.empty(_SOME_MEMORY // 2, np.uint8)\n"
        "try: np.empty(_SOME_MEMORY + 11_000_000, np.uint8)\n"
        "except MemoryError: sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_sentences_are_short_and_keep_both_ends() -> None:
    name = "A" * 3000 + "Z"
    error = InputError(f"no joint named {name!r}; known: Hips")
    assert len(str(error)) <= MOST_SENTENCE
    assert str(error).startswith("no joint named 'AAAA")
    assert str(error).endswith("AZ'; known: Hips")
    words = bounded("first " + "word " * 1000 + "last")
    assert len(words) == MOST_SENTENCE
    assert words.startswith("first word")
    assert words.endswith("word last")
    noted = InputError(Note("x" * 5000, Remedy("give it", parameter="fps"), code="c"))
    assert isinstance(noted.note, Note)
    assert len(noted.note) <= MOST_SENTENCE
    assert noted.note.remedy is not None
    assert len(str(FormatError("y" * 500, path="p" * 4000))) <= MOST_SENTENCE


def test_files_that_a_kill_left_are_tidied(tmp_path: Path) -> None:
    old, young, other = (tmp_path / n for n in (".retime-old~", ".retime-new~", ".retime-keep"))
    for path in (old, young, other):
        path.write_text("x")
        os.utime(path, (time.time() - 7200,) * 2)
    os.utime(young)
    files._tidied.discard(tmp_path)
    retime.write(samples.jump(fps=10), tmp_path / "a.bvh")
    assert not old.exists()
    assert young.exists()
    assert other.exists()


@POSIX
def test_folders_of_processes_that_ended_are_tidied(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, alive = (tmp_path / f"retime-{n}-x" for n in (ended.pid, os.getpid()))
    for folder in (left, alive):
        folder.mkdir()
        (folder / "file").touch()
        os.utime(folder, (time.time() - 7200,) * 2)
    remove_left(tmp_path, "retime-*", by_process=True)
    assert not left.exists()
    assert alive.exists()
    with temporary_folder() as own:
        assert Path(own).parent == Path(tempfile.gettempdir())
        assert f"retime-{os.getpid()}-" in own
