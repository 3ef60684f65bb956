"""The engine: one process that lives on, asked in lines of JSON."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy

from .problem import Problem
from .shared.child import Ended, JobServer, TimedOut

PROTOCOL = 4
# Seconds that one look for an answer waits: short enough for a window, long enough to cost nothing.
_MOMENT = 0.005
_NO_ENGINE = (
    "There is no engine. Install it in the extension's preferences (Edit > Preferences > Add-ons > "
    "Retime > Install Engine), or set the path of an installed retime there"
)


def engine_folder(create=False):
    """Return the folder of the engine's own Python."""
    try:
        return Path(bpy.utils.extension_path_user(__package__, path="engine", create=create))
    except ValueError:  # run from a folder of sources, not as an installed extension
        return Path(bpy.utils.user_resource("CONFIG", path="retime", create=create)) / "engine"


def python_of(place):
    """Find the Python of a folder (an environment), or take a file as it is; ``None`` if absent."""
    place = Path(place)
    if place.is_file():
        return place
    for name in ("bin/python", "Scripts/python.exe"):
        if (place / name).is_file():
            return place / name
    return None


def engine_command(preferred=""):
    """Return the command that starts the engine."""
    for given in (preferred, os.environ.get("RETIME_ENGINE", "")):
        if given:
            found = python_of(bpy.path.abspath(given))
            if found is None:
                raise Problem(f"There is no retime at {given}. Correct it in the preferences")
            if found.stem.startswith("retime"):
                return [str(found), "engine"]
            return [str(found), "-m", "retime", "engine"]
    own = python_of(engine_folder())
    if own is not None:
        return [str(own), "-m", "retime", "engine"]
    on_path = shutil.which("retime")
    if on_path is not None:
        return [on_path, "engine"]
    raise Problem(_NO_ENGINE)


def clean_environment():
    """Return this process's environment without what points another Python at Blender's own."""
    drop = ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV")
    return {k: v for k, v in os.environ.items() if k not in drop}


def quiet():
    """Return options that keep a child process from opening a window."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if sys.platform == "win32" else {}


class Engine:
    """A running engine."""

    def __init__(self, command):
        self.command = command
        self.folder = Path(tempfile.mkdtemp(prefix="retime-", dir=bpy.app.tempdir or None))
        self._log = open(self.folder / "engine.log", "w+b")  # noqa: SIM115, closed with the process
        self._server = JobServer(
            command, env=clean_environment(), cwd=self.folder, stderr=self._log
        )
        self._is_new = True

    @property
    def pid(self):
        """The process's number."""
        return self._server.pid

    @property
    def alive(self):
        """Whether it runs."""
        return self.pid is not None

    def ask(self, request):
        """Send a request: a generator that yields (share, word), and returns the answer."""
        share, word = 0.0, "Starting the engine" if self._is_new else "Asking the engine"
        self._is_new, answer = False, {}
        try:
            for message in self._server.do(request, wait=_MOMENT):
                answer = message or {}
                share, word = answer.get("progress") or share, answer.get("word") or word
                if not answer.keys() & {"done", "error"}:
                    yield share, word
        except OSError as e:
            raise Problem(f"The engine does not start ({e}). Correct it in the preferences") from e
        except TimedOut as e:
            raise Problem("The engine does not answer. Install it again in the preferences") from e
        except Ended as e:
            raise self._died() from e
        if "error" in answer:
            text = answer["error"]
            raise Problem(text[:1].upper() + text[1:])
        return answer

    def _died(self):
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()
        last = f": {said[-1][:200]}" if said else ""
        return Problem(f"The engine ended before it answered{last}. Nothing was changed; try again")

    def stop(self):
        """End the process and remove its files."""
        self._server.kill()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_running = None


def running_engine(preferred=""):
    """Return the engine; it is started, or restarted, if necessary: a generator.

    The first use checks that both ends speak the same protocol.
    """
    global _running
    command = engine_command(preferred)
    if _running is not None and _running.alive and _running.command == command:
        return _running
    stop_engine()
    _running = Engine(command)
    try:
        answer = yield from _running.ask({"version": PROTOCOL})
    except BaseException:  # also where the waiting is cancelled
        stop_engine()
        raise
    spoken = answer.get("protocol")
    if spoken != PROTOCOL:
        stop_engine()
        raise Problem(
            f"The engine speaks protocol {spoken}, this extension {PROTOCOL}. Install the engine "
            "again in the preferences"
        )
    return _running


def stop_engine():
    """End the engine, if one runs; a new one starts at need."""
    global _running
    if _running is not None:
        _running.stop()
        _running = None
