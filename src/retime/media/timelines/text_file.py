"""Text files whose unchanged bytes are kept: encoding, byte order mark, line ends."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from retime.errors import FormatError
from retime.io.files import read_bytes, write_bytes

_WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class Text:
    """A file's text, its byte order mark, and its encoding."""

    lines: list[str]
    encoding: str
    mark: bytes

    def write(self, path: str | Path, text: str) -> None:
        """Write other text as this was written."""
        write_bytes(path, [self.mark, text.encode(self.encoding)])


def read_text(path: str | Path) -> Text:
    """Read text as lines with their ends.

    Text that is not UTF-16 is read byte by byte: times are digits in every other encoding, and the
    rest is copied.
    """
    data = read_bytes(path)
    mark, encoding = b"", "latin-1"
    for sign, wide in _WIDE.items():
        if data.startswith(sign):
            mark, encoding = sign, wide
    if data.startswith(codecs.BOM_UTF8):
        mark = codecs.BOM_UTF8
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise FormatError(
            "not text: it is marked as UTF-16 but is not valid UTF-16", path=path
        ) from None
    if "\0" in text:
        raise FormatError("not a text file", path=path)
    # Only real line ends: a byte of another encoding may look like one of Unicode's.
    lines = text.replace("\r\n", "\0").replace("\r", "\r\0").replace("\n", "\n\0")
    return Text(_split(lines), encoding, mark)


def _split(text: str) -> list[str]:
    """Split text in which every line end is a NUL, or followed by one."""
    parts = text.split("\0")
    ended = [p if p.endswith(("\r", "\n")) else f"{p}\r\n" for p in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended
