"""USDZ packages: archives whose first file is the scene, unpacked into a private folder."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retime.errors import FormatError

_MOST_FILES = 20_000
# Files in a package are not compressed, so their total size is limited by its size.
_SLACK = 1.01
_SCENES = (".usd", ".usda", ".usdc")


@dataclass(frozen=True)
class Unpacked:
    """A package on disk: its files in their order, the scene first."""

    folder: Path
    names: tuple[str, ...]

    @property
    def scene(self) -> Path:
        """The first layer of the package."""
        return self.folder / self.names[0]


def unpack(data: bytes, folder: Path, path: str | Path) -> Unpacked:
    """Unpack a package; compressed files and paths outside its folder are errors."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [e for e in archive.infolist() if not e.is_dir()]
            _check(entries, len(data), path)
            for entry in entries:
                place = folder / entry.filename
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(entry))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        raise FormatError("the package is damaged: its archive cannot be read", path=path) from None
    return Unpacked(folder, tuple(e.filename for e in entries))


def _check(entries: list[zipfile.ZipInfo], size: int, path: str | Path) -> None:
    if not entries or not entries[0].filename.lower().endswith(_SCENES):
        raise FormatError("the package does not start with a USD layer", path=path)
    if len(entries) > _MOST_FILES:
        raise FormatError(f"the package has {len(entries)} files", path=path)
    names = [e.filename for e in entries]
    if len({n.casefold() for n in names}) < len(names):
        raise FormatError("two files of the package have one name", path=path)
    for entry in entries:
        _check_entry(entry, path)
    if sum(e.file_size for e in entries) > _SLACK * size:
        raise FormatError("the files of the package are larger than it", path=path)


def _check_entry(entry: zipfile.ZipInfo, path: str | Path) -> None:
    if _leads_out(entry.filename):
        parts = PurePosixPath(entry.filename).parts
        raise FormatError(f"the package leads out of its folder: {parts[:3]}", path=path)
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
        raise FormatError(
            f"{entry.filename} is compressed or encrypted, which USDZ does not allow", path=path
        )


def _leads_out(name: str) -> bool:
    """Return whether a file's name leads out of the folder that it is unpacked into."""
    parts = PurePosixPath(name).parts
    odd = {"..", "."} & set(parts) or any(mark in name for mark in "\\:\0")
    return bool(odd) or not parts or name.startswith("/")
