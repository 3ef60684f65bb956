"""Installing the engine: an environment of its own beside the extension, from the wheel in it."""

import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import bpy

from .engine_process import clean_environment, engine_folder, python_of, quiet
from .problem import Problem

_WHEELS = Path(__file__).with_name("engine")
# So many lines of pip are about an installation's whole.
_LINES = 60


def installing():
    """Install: a generator that yields (share, word) and returns sentences.

    The new environment is made beside the old one and takes its place when it works.
    """
    wheel = next(iter(sorted(_WHEELS.glob("retime-*.whl"))), None)
    if wheel is None:
        raise Problem("This copy of the extension has no engine in it. Build it with make blender")
    if not bpy.app.online_access:
        raise Problem(
            "Installing downloads numpy, scipy and numba. Allow it in Preferences > System > "
            "Network > Allow Online Access"
        )
    place = engine_folder(create=True)
    beside = place.with_name(place.name + "-new")
    shutil.rmtree(beside, ignore_errors=True)
    notes = []
    try:
        yield 0.02, "Making an environment"
        yield from _run([sys.executable, "-m", "venv", str(beside)], 0.02, 0.1)
        pip = [str(python_of(beside)), "-m", "pip", "install", "--disable-pip-version-check",
               "--no-input"]  # fmt: skip
        try:
            yield from _run([*pip, f"{wheel}[physics]"], 0.1, 0.9)
        except Problem:
            # Pinocchio has no packages for some systems; the other methods need none.
            yield from _run([*pip, str(wheel)], 0.1, 0.9)
            notes.append("Physics could not be installed here; the other methods are")
        yield 0.95, "Trying it"
        yield from _run([str(python_of(beside)), "-m", "retime", "--version"], 0.95, 1.0)
        # An environment's programs know its folder: it is made again in place where that matters,
        # but its Python does not, and only that is used.
        shutil.rmtree(place, ignore_errors=True)
        beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [*notes, f"The engine is installed in {place}"]


def _run(command, start, end):
    """Run a program, line by line; a failure is a Problem with its last words."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=clean_environment(), encoding="utf-8", errors="replace", **quiet(),
        )  # fmt: skip
    except OSError as e:
        raise Problem(f"{command[0]} does not start: {e}") from None
    lines = queue.Queue()

    def listen():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    said, word, ended = [], "Installing", False
    try:
        while True:
            try:
                line = lines.get(timeout=0.01)
            except queue.Empty:
                yield start + (end - start) * min(len(said) / _LINES, 1.0), word
                continue
            if line is None:
                ended = True
                break
            if line.strip():
                said.append(line.strip())
                word = said[-1][:60]
    finally:
        if not ended:  # cancelled
            process.kill()
        process.wait()
        process.stdout.close()
    if process.returncode:
        reason = next((s for s in reversed(said) if "error" in s.lower()), said[-1] if said else "")
        raise Problem(f"Installing failed: {reason[:300]}")
