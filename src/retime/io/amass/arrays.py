"""Archives of arrays, member by member: what is not asked for is never opened."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError

# What one array may unpack to.
_MOST_BYTES = 2 << 30
_MOST_MEMBERS = 1000


class Arrays:
    """A numpy archive: its members' names, and each array where it is asked for.

    ``path`` is the file's path, for error messages.
    """

    def __init__(self, data: bytes, path: str | Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            listed = self._archive.infolist()
        except Exception as e:  # a damaged archive makes zipfile raise anything
            raise self._broken(e) from None
        if len(listed) > _MOST_MEMBERS:
            raise FormatError(f"holds {len(listed)} arrays, which is too many", path=path)
        self._members = {i.filename.removesuffix(".npy"): i for i in listed}
        self.names = list(self._members)

    def _broken(self, e: Exception) -> FormatError:
        reason = f"{type(e).__name__}: {e}".splitlines()[0][:200]
        return FormatError(f"not a whole numpy archive ({reason})", path=self.path)

    def raw(self, name: str) -> bytes:
        """Return a member as its bytes."""
        member = self._members[name]
        if member.file_size > _MOST_BYTES:
            raise FormatError(f"{name} unpacks to {member.file_size >> 30} GB", path=self.path)
        try:
            with self._archive.open(member) as f:
                return f.read(member.file_size)
        except Exception as e:
            raise self._broken(e) from None

    def shape(self, name: str) -> tuple[int, ...]:
        """Return an array's shape without reading it; of what is no plain array, none."""
        try:
            with self._archive.open(self._members[name]) as f:
                version = np.lib.format.read_magic(f)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }[version]
                shape, _, dtype = read(f)
                return () if dtype.hasobject else tuple(shape)
        except Exception:
            return ()

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        shape = self.shape(name)
        data = self.raw(name)
        if np.prod([float(n) for n in shape]) > len(data):
            raise FormatError(f"{name} is cut off", path=self.path)
        try:
            found: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        except ValueError as e:
            if "allow_pickle" in str(e) or "Object arrays" in str(e):
                raise FormatError(
                    f"{name} is pickled, which may run code and is not read; save it as plain "
                    "numbers",
                    path=self.path,
                ) from None
            raise self._broken(e) from None
        except Exception as e:
            raise self._broken(e) from None
        return found

    def floats(self, name: str) -> npt.NDArray[np.float64]:
        """Return an array of finite numbers."""
        values = self[name]
        if values.dtype.kind not in "iuf":
            raise FormatError(f"{name} holds no numbers", path=self.path)
        out = values.astype(np.float64)
        if not np.isfinite(out).all() or np.abs(out).max(initial=0.0) > 1e9:
            raise FormatError(f"{name} has values that are not finite", path=self.path)
        return out
