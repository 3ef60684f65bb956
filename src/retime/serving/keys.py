"""Keys in private files, for programs that are started again and again."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from retime.errors import InputError

_KEY = re.compile(r"[A-Za-z0-9_-]{32,200}")


def key_in(path: Path) -> str:
    """Return the key in a private file; create the file with a new key if it does not exist.

    A file that other users can read, or that holds no key, is an ``InputError``.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _kept(path)
    except OSError as e:
        raise InputError(f"{path}: the key cannot be written ({e.strerror})") from None
    key = secrets.token_urlsafe(32)
    with os.fdopen(handle, "w", encoding="ascii") as f:
        f.write(f"{key}\n")
    return key


def _kept(path: Path) -> str:
    if not path.is_file():  # reading a pipe or a device may never end
        raise InputError(f"{path} is not an ordinary file")
    try:
        with path.open("rb") as f:
            mode = stat.S_IMODE(os.fstat(f.fileno()).st_mode)
            text = f.read(1000).decode("ascii", "replace").strip()
    except OSError as e:
        raise InputError(f"{path}: the key cannot be read ({e.strerror})") from None
    if os.name == "posix" and mode & 0o077:
        raise InputError(f"{path}: other users can read this key; run chmod 600 on the file")
    if not _KEY.fullmatch(text):
        raise InputError(
            f"{path} holds no key (32 or more letters, digits, - and _); name a file that does not "
            "exist, and one is made"
        )
    return text
