"""Numpy archives with a page about them: lossless and quick, without pickle."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import FormatError
from retime.io.files import write_bytes
from retime.io.json_text import parse_bytes

# What an archive may unpack to.
_MOST_BYTES = 4 << 30


def write_archive(path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write an archive, whole or not at all."""
    text = json.dumps(about, ensure_ascii=True).encode()
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, about=np.frombuffer(text, dtype=np.uint8), **arrays)
    write_bytes(path, [buffer.getvalue()])


def unpack(data: bytes, path: str | Path, form: str, version: int) -> tuple[Any, dict[str, Any]]:
    """Unpack an archive's page and arrays; damaged ones raise whatever their readers do."""
    if not data:
        raise FormatError("the file is empty", path=path)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _MOST_BYTES:
        raise FormatError(f"unpacks to {size >> 30} GB, which is too much", path=path)
    with np.load(io.BytesIO(data), allow_pickle=False) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    about = parse_bytes(arrays.pop("about").tobytes(), path)
    if about.get("format") != form:
        raise KeyError("format")
    if about["version"] != version:
        raise FormatError(
            f"version {about['version']!r}; this retime reads version {version}", path=path
        )
    return about, arrays
