"""Where the studio may read and write: a root folder, and the project's own folder inside it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from retime.errors import InputError

# A name keeps letters, digits and a few marks; anything else could mean something to a system.
_UNSAFE = re.compile(r"[^\w .()+\-]", re.UNICODE)
_LONGEST_NAME = 120
_INCOMING = ".incoming-"
# Files that are hashed at most when a moved one is looked for.
_MOST_LOOKED_AT = 5000


def project_folder(files: list[Path], project: Path | None) -> tuple[Path, list[Path]]:
    """Return the project's folder and the motions to add, from the given paths.

    ``jump.bvh`` has its project in ``jump.retime`` beside it; a folder is a project itself.
    """
    motions = []
    for file in files:
        if file.is_dir() or file.suffix == ".retime" or file.name == "project.json":
            folder = file.parent if file.name == "project.json" else file
            if project is not None:
                raise InputError(f"{file} and {project} are two projects; open one at a time")
            project = folder
        elif not file.exists():
            raise InputError(f"no such file: {file}")
        else:
            motions.append(file.resolve())
    if project is None:
        beside = motions[0] if motions else Path("studio")
        project = beside.with_suffix(".retime")
        if not os.access(project.absolute().parent, os.W_OK):
            project = Path(project.name)  # a folder that may not be written: work here instead
    return project, motions


class Workspace:
    """The root folder, which limits all file access of windows, and the project folder in it.

    The project's folder is made when something is written.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self.root = root.resolve()
        self.folder = folder.resolve()
        if not self.folder.is_relative_to(self.root):
            raise InputError(f"the project's folder {folder} is not under {root}")

    @property
    def name(self) -> str:
        """The project's name."""
        return self.folder.name.removesuffix(".retime")

    def resolve(self, path: str) -> Path:
        """Resolve a path of the document, which is relative to the project's folder."""
        try:
            place = (self.folder / path).resolve()
        except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL
            raise InputError(f"{path[:200]!r} is not the path of a file") from None
        if not place.is_relative_to(self.root):
            raise InputError(
                f"{path[:200]} is outside {self.root}, the only folder that the studio opens; move "
                "it there, or start the studio in a folder above"
            )
        return place

    def relative(self, place: Path) -> str:
        """Return a file's path as in the document."""
        return Path(os.path.relpath(place.resolve(), self.folder)).as_posix()

    def holds(self, place: Path) -> bool:
        """Return whether a file is under the root."""
        return place.resolve().is_relative_to(self.root)

    def make(self) -> None:
        """Make the project's folder."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.folder, self.folder / "motions"):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as e:
            raise InputError(f"cannot make the folder {self.folder}: {e.strerror}") from None

    def place_of(self, name: str) -> Path:
        """Return a path in the project's own folder, where a file may exist."""
        self.make()
        stem, suffix = os.path.splitext(Path(name.replace("\\", "/")).name)
        return self.folder / "motions" / (file_name(stem) + _UNSAFE.sub("_", suffix)[:16])

    def free_place(self, name: str) -> Path:
        """Return the path of a new file in the project's own folder; it does not exist yet."""
        first = self.place_of(name)
        place, number = first, 2
        while place.exists():
            place, number = first.with_name(f"{first.stem}-{number}{first.suffix}"), number + 1
        return place

    async def receive(self, name: str, chunks: AsyncIterator[bytes], most: int) -> Path:
        """Store an upload in a file next to its path; raise if it is too large."""
        self.make()
        suffix = _UNSAFE.sub("_", Path(name).suffix[:16])
        size, beside = 0, ""
        try:
            handle, beside = tempfile.mkstemp(
                dir=self.folder / "motions", prefix=_INCOMING, suffix=suffix
            )
            with os.fdopen(handle, "wb") as f:
                async for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        raise InputError(
                            f"It contains more than the {most >> 20} MB that the studio takes in. "
                            "Start the studio with the file's path instead."
                        )
                    f.write(chunk)
            return Path(beside)
        except OSError as e:
            _forget(beside)
            raise InputError(f"It cannot be stored in {self.folder}: {e.strerror}.") from None
        except BaseException:
            _forget(beside)
            raise

    def tidy(self) -> None:
        """Remove the remains of uploads that a crash interrupted."""
        for left in (self.folder / "motions").glob(f"{_INCOMING}*"):
            left.unlink(missing_ok=True)

    def must_stay_inside(self, folder: Path) -> None:
        """Reject a folder in which a link leads out of the root."""
        for path in folder.rglob("*") if folder.is_dir() else ():
            if path.is_symlink() and not self.holds(path):
                raise InputError(
                    f"{folder.name} contains a link that leads out of {self.root} ({path.name}); "
                    "remove it, or start the studio in a folder above"
                )

    def find(self, sha256: str, suffix: str) -> Path | None:
        """Find a file under the root by its content."""
        looked = 0
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
            for name in sorted(files):
                if not name.lower().endswith(suffix.lower()):
                    continue
                looked += 1
                if looked > _MOST_LOOKED_AT:
                    return None
                place = Path(folder, name)
                if self.holds(place) and sha256_of(place) == sha256:
                    return place
        return None


def file_name(name: str) -> str:
    """Return a valid file name for a name, without a suffix."""
    plain = _UNSAFE.sub("_", name.replace(": ", "-")).strip(" .") or "motion"
    return plain.encode()[:_LONGEST_NAME].decode(errors="ignore")  # systems count bytes


def _forget(path: str) -> None:
    if path:
        Path(path).unlink(missing_ok=True)


def sha256_of(path: Path) -> str | None:
    """Return a file's hash, or ``None`` if it cannot be read."""
    try:
        if not path.is_file():  # a pipe would be waited for, for ever
            return None
        with path.open("rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    except OSError:
        return None
