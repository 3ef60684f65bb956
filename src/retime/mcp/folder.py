"""The folder that a server may open, and a fence around it for all that runs in its process."""

from __future__ import annotations

import os
import site
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retime.errors import InputError, did_you_mean
from retime.process.library import FENCE

# Files that are listed, and looked at to find them.
MOST_FILES, _MOST_LOOKED_AT = 300, 20_000
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Events of the interpreter that change files, and the arguments that are their paths.
_CHANGES = {
    "os.remove": (0,), "os.rename": (0, 1), "os.rmdir": (0,), "os.mkdir": (0,), "os.link": (0, 1),
    "os.symlink": (0, 1), "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,),
    "shutil.rmtree": (0,), "shutil.move": (0, 1),
}  # fmt: skip


class Folder:
    """A folder; paths of requests are relative to it."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise InputError(f"{root} is not a folder")

    def place(self, path: str) -> Path:
        """Return the file that a path leads to, after its links; it must be below the folder."""
        try:
            place = (self.root / path).resolve()
            place.exists()
        except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL, a long name
            raise InputError(f"{path[:200]!r} is not the path of a file") from None
        if not place.is_relative_to(self.root):
            raise InputError(
                f"{path[:200]} is outside the folder of this server; name a file below the folder"
            )
        return place

    def file(self, path: str) -> Path:
        """Return an existing file, as a path from the folder."""
        place = self.place(path)
        if not place.is_file():
            if place.exists():
                raise InputError(f"{path[:200]} is not a file")
            near = did_you_mean(path, map(self.name, self.motions()))
            raise InputError(f"no file {path[:200]!r}{near}")
        return place.relative_to(self.root)

    def name(self, place: Path) -> str:
        """Return the name of a file for an assistant."""
        return place.relative_to(self.root).as_posix()

    def motions(self, under: str = "") -> Iterator[Path]:
        """Find motion files, folder by folder; hidden ones and links out of it are left out."""
        from retime.io import FORMATS

        suffixes = {s for f in FORMATS.values() for s in f.suffixes}
        top, left = self.place(under), _MOST_LOOKED_AT
        if not top.is_dir():
            raise InputError(f"{under[:200]} is not a folder")
        for folder, inner, files in os.walk(top):
            inner[:] = sorted(n for n in inner if not n.startswith("."))
            left -= len(inner) + len(files)
            for name in sorted(files):
                place = Path(folder, name)
                if name.startswith(".") or place.suffix.lower() not in suffixes:
                    continue
                if _real(place).is_relative_to(self.root):
                    yield place
            if left < 0:
                return


def fence(folder: Folder) -> None:
    """Let this process open files below a folder and those of its own installation, for good.

    Paths of requests are checked before; this holds for files that other files name, too. Only the
    temporary folder and the folder itself may be changed.
    """
    ours = [folder.root, *map(_real, (tempfile.gettempdir(), *_caches()))]
    readable = [*ours, *map(_real, _installed())]
    devices = (Path("/dev"), Path("/proc"))

    def open_or_refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            changes = bool(flags & _WRITES) if isinstance(flags, int) else mode != "r"
            _must_be_in(path, [*ours, *devices] if changes else [*readable, *devices])
        elif event in _CHANGES:
            for place in _CHANGES[event]:
                _must_be_in(arguments[place], ours)

    os.environ[FENCE] = str(folder.root)  # libraries in processes of their own refuse files, too
    sys.dont_write_bytecode = True  # beside modules that are imported later
    sys.addaudithook(open_or_refuse)


def _must_be_in(path: Any, places: list[Path]) -> None:
    if isinstance(path, int) or path is None:
        return
    place = _real(os.fsdecode(path))
    if not any(place.is_relative_to(p) for p in places):
        raise InputError(f"{os.fsdecode(path)[-100:]} is outside the folder of this server")


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _caches() -> list[str]:
    import matplotlib

    return [matplotlib.get_cachedir(), matplotlib.get_configdir()]


def _installed() -> Iterator[str | Path]:
    """List the folders of Python, of packages, and of the system's fonts."""
    import matplotlib.font_manager as fonts

    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path))
    yield from site.getsitepackages()
    yield Path(__file__).parents[1]
    yield from {Path(f.fname).parent for f in fonts.fontManager.ttflist}
    yield from ("/etc", "/usr/share", "/usr/lib", "/System/Library", r"C:\Windows")
