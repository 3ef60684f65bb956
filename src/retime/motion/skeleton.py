"""Skeletons: joints with unique names, parents before children, and their rest transforms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InputError, did_you_mean
from retime.motion import quat
from retime.one_line import one_line

# Longest name, characters. Most have less than a hundred; some rigs write a path of joints.
MOST_NAME = 1000
# Largest length in any unit; its square fits a double.
MOST_LENGTH = 1e12


@dataclass(frozen=True)
class EndSite:
    """The end of a bone without a further joint, such as a fingertip or the top of the head.

    Parameters
    ----------
    parent : int
        The parent joint.
    offset : (float, float, float)
        Position relative to that joint, in the file's units.
    name : str
        Its name, if the file has one.
    """

    parent: int
    offset: tuple[float, float, float]
    name: str = ""


def _must_be_short(names: Sequence[str]) -> None:
    longest = max(names, key=len)
    if len(longest) > MOST_NAME:
        raise InputError(
            f"the joint {longest[:40]!r}... has a name of {len(longest)} characters; at most "
            f"{MOST_NAME} are read, so shorten it in the program that wrote the file"
        )


def _checked_parents(given: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    parents = np.array(given, dtype=np.int64)
    if parents.shape != (count,):
        raise InputError(f"{count} joints need {count} parents, not {parents.shape}")
    if (parents < -1).any() or (parents >= np.arange(count)).any():
        raise InputError("a joint's parent must come before it; -1 marks a root")
    parents.setflags(write=False)
    return parents


def _must_be_valid(site: EndSite, names: tuple[str, ...]) -> None:
    if not 0 <= site.parent < len(names):
        raise InputError(f"an end site has the parent joint {site.parent}; there are {len(names)}")
    read_only(site.offset, (3,), f"the end site of {names[site.parent]!r}")


@one_line(lambda s: s._facts())
@dataclass(frozen=True, eq=False)
class Skeleton(ReadOnlyArrays):
    """Joints, their parents and their rest transforms, in the file's own units.

    Parameters
    ----------
    names : sequence of str (J,)
        Unique names.
    parents : sequence of int (J,)
        Index of each joint's parent, which comes before it; -1 for a root. Several roots are
        allowed.
    offsets : array (J, 3)
        Rest translations relative to the parent.
    rest_rotations : array (J, 4), optional
        Rest rotations, wxyz. Default: identity.
    rest_scales : array (J, 3), optional
        Rest scales. Default: one.
    end_sites : sequence of EndSite
        Ends of the leaf bones.
    file_names : sequence of str (J,), optional
        Names in the file, which may occur twice.
    """

    names: tuple[str, ...]
    parents: npt.NDArray[np.int64]
    offsets: FloatArray
    rest_rotations: FloatArray = None  # type: ignore[assignment]  # filled below
    rest_scales: FloatArray = None  # type: ignore[assignment]
    end_sites: tuple[EndSite, ...] = ()
    file_names: tuple[str, ...] = field(default=())

    def _facts(self) -> list[str]:
        return [f"{len(self)} joints", *(f"root {self.names[r]!r}" for r in self.roots[:3])]

    def __post_init__(self) -> None:
        names = tuple(self.names)
        n = len(names)
        if n == 0:
            raise InputError("a skeleton needs at least one joint")
        if len(set(names)) < n:
            twice = min(name for name, count in Counter(names).items() if count > 1)
            raise InputError(f"joint names must be unique; {twice!r} occurs twice")
        _must_be_short([*names, *self.file_names, *(s.name for s in self.end_sites)])
        parents = _checked_parents(self.parents, n)
        rotations = quat.identity(n) if self.rest_rotations is None else self.rest_rotations
        scales = np.ones((n, 3)) if self.rest_scales is None else self.rest_scales
        put = object.__setattr__
        put(self, "names", names)
        put(self, "parents", parents)
        put(self, "offsets", read_only(self.offsets, (n, 3), "offsets"))
        put(self, "rest_rotations", read_only(rotations, (n, 4), "rest rotations"))
        put(self, "rest_scales", read_only(scales, (n, 3), "rest scales"))
        for site in self.end_sites:
            _must_be_valid(site, names)
        put(self, "end_sites", tuple(self.end_sites))
        put(self, "file_names", tuple(self.file_names) or names)
        if len(self.file_names) != n:
            raise InputError(f"{n} joints need {n} names of the file, not {len(self.file_names)}")

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the index of a joint; for an unknown name, raise with similar names."""
        try:
            return self._index[name]
        except KeyError:
            raise InputError(f"no joint named {name!r}{did_you_mean(name, self.names)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Indices of the joints without a parent."""
        return tuple(int(j) for j in np.flatnonzero(self.parents < 0))

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Names of the warp channels: the joints, and ``NAME:translation`` for each root."""
        return (*self.names, *(f"{self.names[r]}:translation" for r in self.roots))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each joint's children."""
        out: list[list[int]] = [[] for _ in self.names]
        for j, p in enumerate(self.parents):
            if p >= 0:
                out[p].append(j)
        return tuple(map(tuple, out))

    def chain(self, joint: int) -> list[int]:
        """Return a joint and its ancestors, up to its root."""
        parents, out = self._parents, [int(joint)]
        while parents[out[-1]] >= 0:
            out.append(parents[out[-1]])
        return out

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        """Parents as plain integers, which are faster one by one."""
        return tuple(self.parents.tolist())

    def same_joints(self, other: Skeleton) -> bool:
        """Return whether names and parents agree."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Make names unique: the second ``Foot.L`` becomes ``Foot.L#2``; empty ones get a number.

    >>> unique_names(["Hips", "Foot", "Foot", ""])
    ('Hips', 'Foot', 'Foot#2', 'joint#4')
    """
    taken: set[str] = set()
    own = set(names)
    last: dict[str, int] = {}  # last number of each name, so that equal names take linear time
    out = []
    for i, name in enumerate(names, 1):
        new = name or f"joint#{i}"
        base, k = name or "joint", last.get(name, 1)
        while new in taken or (new != name and new in own):
            k += 1
            new = f"{base}#{k}"
        last[name] = k
        taken.add(new)
        out.append(new)
    return tuple(out)
