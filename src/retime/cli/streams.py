"""Standard input and output as motion files: ``-``, or ``bvh:-`` where a format must be named."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from retime.errors import InputError


class Streams:
    """Standard input and output of a command.

    Formats need files with a suffix, so both are files in a folder that lasts as long as the
    command.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._read: Path | None = None
        self.written: Path | None = None
        self.suffix = ""  # of the first input

    def file(self, name: str) -> Path:
        """Return the path of a file with a name."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="retime-")
        return Path(self._folder.name) / name

    def read(self, suffix: str) -> Path:
        """Put standard input into a file."""
        if self._read is not None:
            raise InputError("standard input can be read once; give the other input as a file")
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError(
                "there is nothing on standard input; send a file to it: retime ... < FILE"
            )
        data = sys.stdin.buffer.read()
        if not data:
            raise InputError("standard input is empty")
        self._read = self.file("stdin" + (suffix or suffix_of(data)))
        self._read.write_bytes(data)
        return self._read

    def write(self, suffix: str) -> Path:
        """Return the file that goes to standard output when the command is done."""
        if self.written is not None:
            raise InputError("standard output can be written once; give the other result a name")
        self.written = self.file("stdout" + suffix)
        return self.written

    def named(self, text: str) -> str:
        """Remove the folder from messages about its files."""
        return text if self._folder is None else text.replace(f"{self._folder.name}/", "")

    def finish(self) -> None:
        """Send the result."""
        if self.written is not None and self.written.exists():
            sys.stdout.flush()
            sys.stdout.buffer.write(self.written.read_bytes())
            sys.stdout.buffer.flush()

    def close(self) -> None:
        """Forget the files."""
        if self._folder is not None:
            self._folder.cleanup()
        self.__init__()  # type: ignore[misc]


STREAMS = Streams()
# First bytes of the formats that are recognised without a file name.
_STARTS = (
    (b"HIERARCHY", ".bvh"),
    (b"glTF", ".glb"),
    (b"Kaydara FBX", ".fbx"),
    (b"; FBX", ".fbx"),
    (b"#usda", ".usda"),
    (b"PXR-USDC", ".usdc"),
    (b"\x93NUMPY", ".npy"),
    (b"{", ".gltf"),
    (b":", ".amc"),
    (b"#!OML", ".amc"),
)


def suffix_of(data: bytes) -> str:
    """Return a motion file's suffix from its first bytes."""
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    for mark, suffix in _STARTS:
        if start.startswith(mark):
            return suffix
    if data.startswith(b"PK"):
        return ".usdz" if b".usd" in data[:256] else ".npz"
    if data[1:2] == b"\x50":
        return ".c3d"
    raise InputError("standard input has no known format; name the format, as in bvh:-")


def _stream(path: Path) -> str | None:
    """Return the suffix that names standard input or output, empty if none is given."""
    from retime.io import FORMATS

    text = str(path)
    if text == "-":
        return ""
    if not text.endswith(":-"):
        return None
    name = text[:-2].lower()
    known = {s[1:]: s for f in FORMATS.values() for s in f.suffixes}
    known |= {f.name: f.suffixes[0] for f in FORMATS.values()}
    if name not in known:
        raise InputError(f"{text}: no format {name!r}; known: {', '.join(known)}")
    return known[name]


def from_stream(text: str) -> Path:
    """Take a motion from standard input where ``-`` is given."""
    path = Path(text)
    if (suffix := _stream(path)) is not None:
        path = STREAMS.read(suffix)
    STREAMS.suffix = STREAMS.suffix or path.suffix.lower()
    return path


def to_stream(text: str) -> Path:
    """Write a motion to standard output where ``-`` is given, in the first input's format."""
    suffix = _stream(Path(text))
    if suffix is None:
        return Path(text)
    if not (suffix or STREAMS.suffix):
        raise InputError("name the format of standard output, as in bvh:-")
    return STREAMS.write(suffix or STREAMS.suffix)
