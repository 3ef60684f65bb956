"""Numpy archives with a JSON header: lossless and fast, without pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from retime.bounded_json import parse
from retime.errors import FormatError
from retime.io.files import write_bytes
from retime.io.members import Members


def write_archive(path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write an archive, completely or not at all."""
    text = json.dumps(about, ensure_ascii=True).encode()
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, about=np.frombuffer(text, dtype=np.uint8), **arrays)
    write_bytes(path, [buffer.getvalue()])


def unpack(
    data: bytes, path: str | Path, form: str, version: int, needed: Collection[str] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Unpack an archive's page and those arrays that are needed and there; by default, all.

    No other array is opened. Damaged archives raise the exceptions of their readers.
    """
    if not data:
        raise FormatError("the file is empty", path=path)
    arrays = Members(data, path)
    about = parse(arrays["about"].tobytes(), path=path)
    if about.get("format") != form:
        raise KeyError("format")
    if about["version"] != version:
        raise FormatError(
            f"version {about['version']!r}; this retime reads version {version}", path=path
        )
    return about, {
        name: arrays[name]
        for name in arrays.names
        if name != "about" and (needed is None or name in needed)
    }
