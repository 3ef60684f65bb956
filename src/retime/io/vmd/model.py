"""The bones of a model of MikuMikuDance (.pmx): names, parents and places.

Everything before the bones is skipped: a file has no table of contents.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

from retime.errors import FormatError
from retime.io.sampled import depth_first
from retime.io.vmd.skeleton import Bone
from retime.motion.skeleton import unique_names

_ENCODINGS = ("utf-16-le", "utf-8")
_MOST_BONES = 5000
_FARTHEST = 1e6
# Flags of a bone, and the bytes that each adds; two depend on the size of an index.
_TAIL, _IK, _INHERITS = 0x0001, 0x0020, 0x0300
_MORE = {0x0400: 12, 0x0800: 24, 0x2000: 4}


def read_bones(data: bytes, path: Path) -> dict[str, Bone]:
    """Return parent and place of each bone, parents first."""
    if data[:4] != b"PMX " or len(data) < 17:
        raise FormatError("this is not a model of MikuMikuDance (PMX)", path=path)
    return _Model(data, path).bones()


class _Model:
    """A file that is read from its start to its bones."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data, self.path, self.at = data, path, 9 + data[8]
        if data[8] < 8 or data[9] > 1:
            raise self.fail("its header is not that of PMX 2.0 or 2.1")
        self.encoding, self.extra = _ENCODINGS[data[9]], data[10]
        self.vertex, self.texture, _, self.bone = data[11:15]
        if not {self.vertex, self.texture, self.bone} <= {1, 2, 4}:
            raise self.fail("the sizes of its indices are not 1, 2 or 4")

    def fail(self, what: str) -> FormatError:
        return FormatError(what, path=self.path)

    def skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise self.fail("the model ends early; the file may be cut off")

    def number(self, form: str) -> float:
        start = self.at
        self.skip(struct.calcsize(form))
        found: float = struct.unpack_from(form, self.data, start)[0]
        return found

    def count(self, least: int, what: str) -> int:
        """Return how many there are, each of which takes some bytes."""
        found = int(self.number("<i"))
        if not 0 <= found * least <= len(self.data) - self.at:
            raise self.fail(f"it ends early: {found} {what} do not fit")
        return found

    def text(self) -> str:
        length, start = self.count(1, "letters"), self.at
        self.skip(length)
        return self.data[start : start + length].decode(self.encoding, "replace")

    def bones(self) -> dict[str, Bone]:
        for _ in range(4):  # names and comments
            self.text()
        self._skip_mesh()
        count = self.count(8 + 12 + self.bone + 6, "bones")
        if not 0 < count <= _MOST_BONES:
            raise self.fail(f"it has {count} bones; 1 to {_MOST_BONES} are read")
        rows = [self._bone() for _ in range(count)]
        parents = [p if 0 <= p < count else -1 for _, p, _ in rows]
        order = depth_first(range(count), parents.__getitem__, -1)
        if len(order) < count:
            raise self.fail("its bones are parented to each other in a circle")
        names = unique_names([name or "bone" for name, _, _ in rows])
        return {names[n]: (names[parents[n]] if parents[n] >= 0 else "", rows[n][2]) for n in order}

    def _skip_mesh(self) -> None:
        index = self.bone
        sizes = (index, 2 * index + 4, 4 * index + 16, 2 * index + 40, 4 * index + 16)
        start = 32 + 16 * self.extra
        for _ in range(self.count(start + 1 + index + 4, "vertices")):
            self.skip(start + 1)
            kind = self.data[self.at - 1]
            if kind >= len(sizes):
                raise self.fail("a vertex has an unknown kind of weights")
            self.skip(sizes[kind] + 4)
        self.skip(self.count(self.vertex, "corners") * self.vertex)
        for _ in range(self.count(4, "textures")):
            self.text()
        for _ in range(self.count(8 + 65 + 2 * self.texture + 11, "materials")):
            self.text(), self.text()
            self.skip(65 + 2 * self.texture + 1)
            shared = self.number("<B")
            self.skip(1 if shared else self.texture)
            self.text()
            self.skip(4)

    def _bone(self) -> tuple[str, int, tuple[float, float, float]]:
        name, _ = self.text(), self.text()
        x, y, z = (self.number("<f") for _ in range(3))
        if not all(math.isfinite(v) and abs(v) < _FARTHEST for v in (x, y, z)):
            raise self.fail(f"the place of the bone {name[:40]!r} is not finite, or too far")
        parent = int(self.number({1: "<b", 2: "<h", 4: "<i"}[self.bone]))
        self.skip(4)
        flags = int(self.number("<H"))
        self.skip(self.bone if flags & _TAIL else 12)
        self.skip((self.bone + 4) if flags & _INHERITS else 0)
        self.skip(sum(size for flag, size in _MORE.items() if flags & flag))
        if flags & _IK:
            self.skip(self.bone + 8)
            for _ in range(self.count(self.bone + 1, "links")):
                self.skip(self.bone)
                self.skip(24 if self.number("<B") else 0)
        return name, parent, (x, y, z)
