"""Archives of arrays, read member by member as needed."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError
from retime.io.gaps import are_usable

_MOST_MEMBERS = 1000
# Limit on the unpacked size of the requested arrays: a constant, and a multiple of the file's size.
# Poses compress little; resting hands compress well.
_SOME_BYTES, _MOST_TIMES = 64 << 20, 4


class Members:
    """A numpy archive: the names of its members, and arrays on request.

    ``path`` is the file's path, for error messages; ``most_bytes`` is what all arrays that are
    asked for may unpack to.
    """

    def __init__(self, data: bytes, path: str | Path, *, most_bytes: int | None = None) -> None:
        self.path = path
        self._left = most_bytes or _SOME_BYTES + _MOST_TIMES * len(data)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            listed = self._archive.infolist()
        except Exception:  # zipfile raises various exceptions for a damaged archive
            raise self._broken() from None
        if len(listed) > _MOST_MEMBERS:
            raise FormatError(f"contains {len(listed)} arrays, which is too many", path=path)
        self._members = {i.filename.removesuffix(".npy"): i for i in listed}
        self.names = list(self._members)

    def _broken(self) -> FormatError:
        return FormatError(
            "not a whole numpy archive: it is damaged or cut off; copy or download it again",
            path=self.path,
        )

    def _opened(self, name: str) -> IO[bytes]:
        """Open a member, and count its size against the limit of unpacked bytes."""
        member = self._members[name]
        if member.file_size > self._left:
            raise FormatError(
                f"{name} unpacks to {member.file_size >> 20} MB, far more than such a file needs",
                path=self.path,
            )
        self._left -= member.file_size
        return self._archive.open(member)

    def raw(self, name: str) -> bytes:
        """Return a member as its bytes."""
        try:
            with self._opened(name) as f:
                return f.read(self._members[name].file_size)
        except FormatError:
            raise
        except Exception:
            raise self._broken() from None

    def shape(self, name: str) -> tuple[int, ...]:
        """Return an array's shape without reading it; empty if it is not a plain array."""
        return self._head(name)[0]

    def _head(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return an array's shape and the bytes that it must have."""
        try:
            with self._archive.open(self._members[name]) as f:
                version = np.lib.format.read_magic(f)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }[version]
                shape, _, dtype = read(f)
                size = math.prod(int(n) for n in shape) * max(dtype.itemsize, 1)
                return ((), 0) if dtype.hasobject else (tuple(shape), size)
        except Exception:
            return (), 0

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if self._head(name)[1] > self._members[name].file_size:
            raise FormatError(f"{name} is cut off", path=self.path)
        try:
            with self._opened(name) as f:
                found: npt.NDArray[Any] = np.lib.format.read_array(f, allow_pickle=False)
        except FormatError:
            raise
        except ValueError as e:
            if "allow_pickle" in str(e) or "Object arrays" in str(e):
                raise FormatError(
                    f"{name} is pickled, which may run code and is not read; save it as plain "
                    "numbers",
                    path=self.path,
                ) from None
            raise self._broken() from None
        except Exception:
            raise self._broken() from None
        return found

    def floats(self, name: str, *, may_miss: bool = False) -> npt.NDArray[np.float64]:
        """Return an array of finite numbers; some that ``may_miss`` are NaN."""
        values = self[name]
        if values.dtype.kind not in "iuf":
            raise FormatError(f"{name} contains no numbers", path=self.path)
        out = values.astype(np.float64, copy=False)
        if not are_usable(out, may_miss=may_miss):
            raise FormatError(f"{name} has values that are not finite", path=self.path)
        return out
