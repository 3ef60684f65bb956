"""Installing the engine: an environment of its own beside the extension, from wheels in the zip.

A zip that was built with all wheels, or a folder of wheels beside it, needs no network.
"""

import queue
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from pathlib import Path

import bpy

from .engine_process import clean_environment, engine_folder, python_of, quiet
from .problem import Problem

_WHEELS = Path(__file__).with_name("engine")
# Packages that the engine downloads where no wheels are at hand: bytes unpacked, about.
_USUAL_BYTES = 450e6
# How often the bar looks at what is unpacked, in seconds.
_LOOKS = 0.25


def installing(beside=""):
    """Install: a generator that yields (share, word) and returns sentences.

    ``beside`` is a folder of wheels, or nothing. The new environment is made beside the old one
    and takes its place when it works.
    """
    folders = [_WHEELS, *([Path(beside)] if beside else [])]
    wheel = next((w for f in folders for w in sorted(f.glob("retime-*.whl")) if fits(w.name)), None)
    if wheel is None:
        raise Problem(
            "This copy of the extension has no engine for Python "
            f"{sys.version_info.major}.{sys.version_info.minor} on this system. Build it with make "
            "blender, or choose a folder of wheels in the preferences"
        )
    offline = has_packages(folders)
    if not offline and not bpy.app.online_access:
        raise Problem(
            "The engine needs numpy and scipy, which are downloaded. Turn on Allow Online "
            "Access in Preferences > System > Network, or install the zip that contains all wheels"
        )
    place = engine_folder(create=True)
    fresh = place.with_name(place.name + "-new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        yield 0.0, "Creating an environment"
        yield from _run([sys.executable, "-m", "venv", str(fresh)], 0.0, 0.1, fresh, 25e6)
        yield from _packages(wheel, folders if offline else None, fresh)
        yield 0.95, "Testing the engine"
        version = [str(python_of(fresh)), "-m", "retime", "--version"]
        yield from _run(version, 0.95, 1.0, fresh, 0)
        # An environment's programs know its folder: it is made again in place where that matters,
        # but its Python does not, and only that is used.
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return [f"The engine is installed in {place}"]


def fits(wheel):
    """Return whether a wheel is for this Python and system, by its name."""
    python, abi, platform = wheel.removesuffix(".whl").split("-")[-3:]
    this = sys.version_info.major, sys.version_info.minor
    number = re.fullmatch(r"cp(\d)(\d+)", python)
    if number is not None:
        least = int(number[1]), int(number[2])
        if least > this or (least < this and abi != "abi3"):
            return False
    machine = sysconfig.get_platform().rpartition("-")[2].removeprefix("win_")
    system = {"linux": "linux", "darwin": "macosx", "win32": "win"}.get(sys.platform, sys.platform)
    if platform == "any":
        return True
    return system in platform and (machine in platform or "universal2" in platform)


def has_packages(folders):
    """Return whether folders contain the packages that the engine needs, too."""
    return any(not w.name.startswith("retime-") for f in folders for w in f.glob("*.whl"))


def _packages(wheel, folders, place):
    """Install the wheel with all it needs; from folders of wheels, or from the network."""
    pip = [str(python_of(place)), "-m", "pip", "install", "--disable-pip-version-check",
           "--no-input", "--no-compile"]  # fmt: skip
    if folders is not None:
        pip += ["--no-index"]
        for folder in folders:
            pip += ["--find-links", str(folder)]
    yield from _run([*pip, str(wheel)], 0.1, 0.95, place, _USUAL_BYTES)


class Unpacked:
    """How much of an installation is on the disk, of what its wheels hold."""

    def __init__(self, place, usual):
        self.place, self.usual = Path(place), usual
        self.before, self.total, self.named = _size(self.place), 0, False
        self._seen, self._looked = 0.0, -1.0

    def hear(self, line):
        """Count a wheel that pip says it takes."""
        found = re.match(r"Processing (.*\.whl)", line)
        if found is not None and Path(found[1]).is_file():
            with zipfile.ZipFile(found[1]) as archive:
                self.total += sum(i.file_size for i in archive.infolist())
        self.named = self.named or line.startswith("Installing collected packages")

    @property
    def share(self):
        """Share from 0 to 1; looking at the disk is done a few times per second only."""
        if time.monotonic() - self._looked > _LOOKS:
            self._looked = time.monotonic()
            # Before pip has named all wheels, their total is not known.
            total = self.total if self.named and self.total else max(self.usual, self.total, 1.0)
            self._seen = max(self._seen, min((_size(self.place) - self.before) / total, 1.0))
        return self._seen


def _size(folder):
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size
        except OSError:  # pip removes what it made in between
            continue
    return total


def _run(command, start, end, place, usual):
    """Run a program and yield its progress; if it fails, raise a Problem with its last error."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=clean_environment(), encoding="utf-8", errors="replace", **quiet(),
        )  # fmt: skip
    except OSError as e:
        raise Problem(f"{command[0]} does not start: {e}") from None
    said, word, ended = [], "Installing", False
    unpacked = Unpacked(place, usual)
    try:
        for line in _lines(process.stdout):
            if line is None:
                yield start + (end - start) * unpacked.share, word
            elif line.strip():
                said.append(line.strip())
                unpacked.hear(said[-1])
                word = _word(said[-1])
        ended = True
    finally:
        if not ended:  # cancelled
            process.kill()
        process.wait()
        process.stdout.close()
    if process.returncode:
        reason = next((s for s in reversed(said) if "error" in s.lower()), said[-1] if said else "")
        raise Problem(f"Installing failed: {reason[:300]}")


def _lines(stream):
    """Yield the lines of a stream as they come, and ``None`` while there is none yet."""
    lines, end = queue.Queue(), object()

    def listen():
        for line in stream:
            lines.put(line)
        lines.put(end)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=0.01)
        except queue.Empty:
            yield None
            continue
        if line is end:
            return
        yield line


def _word(line):
    """Shorten a line of pip for a bar: the package, not its path."""
    found = re.match(r"(?:Processing|Collecting|Downloading) (\S+)", line)
    if found is not None:
        return f"Reading {Path(found[1]).name.partition('-')[0]}"
    return "Installing packages" if line.startswith("Installing collected") else line[:60]
