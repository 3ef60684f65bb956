"""Files are written whole or not at all, and every failure is one sentence."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import retime
from retime import samples
from retime.io.files import read_bytes, write_bytes

OLD = b"what was there before"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out.bvh"
    path.write_bytes(OLD)
    return path


def must_be_untouched(target: Path) -> None:
    assert target.read_bytes() == OLD
    assert [p.name for p in target.parent.iterdir()] == [target.name]


def one_sentence(error: BaseException) -> None:
    assert isinstance(error, retime.RetimeError)
    assert str(error)
    assert "\n" not in str(error)


def test_writes_and_replaces(target: Path) -> None:
    write_bytes(target, [b"one ", b"", b"two"])
    assert target.read_bytes() == b"one two"
    write_bytes(target, [])
    assert target.read_bytes() == b""
    assert [p.name for p in target.parent.iterdir()] == [target.name]


@pytest.mark.parametrize("error", [ValueError, OSError, MemoryError, KeyboardInterrupt])
def test_failure_on_the_way(target: Path, error: type[BaseException]) -> None:
    def chunks() -> Iterator[bytes]:
        yield 100_000 * b"x"
        raise error("midway")

    with pytest.raises((error, retime.RetimeError)):
        write_bytes(target, chunks())
    must_be_untouched(target)


def test_failure_leaves_no_new_file(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"x"
        raise OSError(28, "No space left on device")

    with pytest.raises(retime.InputError, match="No space left on device"):
        write_bytes(tmp_path / "new.bvh", chunks())
    assert list(tmp_path.iterdir()) == []


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(retime.InputError, match="does not exist") as caught:
        retime.write(samples.jump(), tmp_path / "absent" / "out.bvh")
    one_sentence(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_file_in_place_of_a_folder(target: Path) -> None:
    with pytest.raises(retime.InputError) as caught:
        retime.write(samples.jump(), target / "out.bvh")
    one_sentence(caught.value)
    must_be_untouched(target)


@pytest.mark.parametrize("suffix", ["bvh", "npz"])
def test_folder_as_target(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / f"folder.{suffix}"
    folder.mkdir()
    with pytest.raises(retime.InputError, match="folder") as caught:
        retime.write(samples.jump(), folder)
    one_sentence(caught.value)
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_read_only_folder(target: Path) -> None:
    target.parent.chmod(0o555)
    try:
        with pytest.raises(retime.InputError, match="cannot write") as caught:
            retime.write(samples.jump(), target)
        one_sentence(caught.value)
        must_be_untouched(target)
    finally:
        target.parent.chmod(0o755)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_unreadable_file(target: Path) -> None:
    target.chmod(0)
    with pytest.raises(retime.InputError, match="cannot read"):
        retime.read(target)


FULL_DISK = """
import resource, signal, sys
import retime
from retime import samples
# A file may grow to 4 kB only: writing on fails as on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
motion = samples.jump()
warp = retime.TimeWarp(range(5000), range(5000))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    if sys.argv[1].endswith("json"):
        retime.write_warp(warp, sys.argv[1])
    else:
        retime.write(motion, sys.argv[1])
except retime.RetimeError as e:
    print(e)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="file-size limits are a Unix thing")
@pytest.mark.parametrize("suffix", ["bvh", "npz", "json"])
@pytest.mark.parametrize("there", [True, False], ids=["over a file", "new file"])
def test_full_disk(tmp_path: Path, suffix: str, there: bool) -> None:
    path = tmp_path / f"out.{suffix}"
    if there:
        path.write_bytes(OLD)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    assert str(path) in done.stdout
    if there:
        must_be_untouched(path)
    else:
        assert list(tmp_path.iterdir()) == []


def test_mode_is_kept_or_the_usual_one(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    before = os.umask(0o027)
    try:
        write_bytes(path, [b"x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_bytes(path, [b"y"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real.bvh", tmp_path / "link.bvh"
    real.write_bytes(OLD)
    link.symlink_to(real)
    write_bytes(link, [b"new"])
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert [p.name for p in (tmp_path / "far").iterdir()] == ["real.bvh"]


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    loop, dangling = tmp_path / "loop.bvh", tmp_path / "dangling.bvh"
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "absent" / "a.bvh")
    for link in (loop, dangling):
        with pytest.raises(retime.InputError) as caught:
            write_bytes(link, [b"new"])
        one_sentence(caught.value)
        with pytest.raises(retime.InputError) as caught:
            read_bytes(link)
        one_sentence(caught.value)
    assert {p.name for p in tmp_path.iterdir()} == {"loop.bvh", "dangling.bvh"}


def test_long_names(tmp_path: Path) -> None:
    """Any name that the file system takes can be written; one too long is a sentence."""
    longest = tmp_path / (251 * "n" + ".bvh")
    longest.write_bytes(OLD)
    with pytest.raises(retime.InputError):
        read_bytes(tmp_path / (300 * "n" + ".bvh"))
    with pytest.raises(retime.InputError):
        write_bytes(tmp_path / (300 * "n" + ".bvh"), [b"x"])
    write_bytes(longest, [b"new"])
    assert longest.read_bytes() == b"new"


def test_zero_byte_in_a_name(tmp_path: Path) -> None:
    with pytest.raises(retime.InputError):
        read_bytes(tmp_path / "a\0b.bvh")
    with pytest.raises(retime.InputError):
        write_bytes(tmp_path / "a\0b.bvh", [b"x"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are a Unix thing")
def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    """Neither a pipe nor, for root, /dev/null may give way to a file."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(retime.InputError):
        write_bytes(pipe, [b"x"])
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_oversized_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.bvh"
    with path.open("wb") as f:
        f.truncate(5 << 30)  # sparse: takes no room
    with pytest.raises(retime.FormatError, match="5 GB") as caught:
        retime.read(path)
    assert caught.value.path == str(path)
    path.unlink()


@pytest.mark.parametrize("name", ["out", "out.txt", "out.bhv", ".bvh", "out."])
def test_unknown_suffixes(tmp_path: Path, name: str) -> None:
    with pytest.raises(retime.InputError) as caught:
        retime.write(samples.jump(), tmp_path / name)
    one_sentence(caught.value)
    with pytest.raises(retime.InputError):
        retime.read(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_suffix_in_capitals_and_path_as_text(tmp_path: Path) -> None:
    retime.write(samples.jump(), str(tmp_path / "OUT.BVH"))
    assert len(retime.read(str(tmp_path / "OUT.BVH"))) > 0
