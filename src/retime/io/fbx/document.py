"""An FBX file as objects and connections: models, stacks, layers, curves, settings."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retime.errors import FormatError
from retime.io.fbx.properties import numbers, values
from retime.io.fbx.text import TextTree, is_text, parse_text, write_text
from retime.io.fbx.tree import Malformed, Node, Tree, parse, write
from retime.io.files import read_bytes, write_bytes

if TYPE_CHECKING:
    from retime.io.fbx.curves import Curve
    from retime.io.fbx.legacy import Legacy

# Ticks per second: of most files, and of files that declare another time code.
_TICKS = 46_186_158_000
_NEW_TICKS = 141_120_000
_OLD_TIME_CODE = 127
# From this version of its header on, the time code of a file applies.
_TIME_CODES_FROM = 1004
# From this version on, objects have numbers.
_NEW = 7000
# Objects whose numbers must be unique: those that retiming touches.
_OURS = (b"Model", b"AnimationStack", b"AnimationLayer", b"AnimationCurveNode", b"AnimationCurve")


@dataclass(frozen=True, eq=False)
class Thing:
    """One object of a file."""

    id: int
    """Its number, which connections name."""
    kind: bytes
    """``Model``, ``AnimationCurve``, ..."""
    name: str
    """Its name, which need not be unique."""
    subclass: str
    """What kind of model it is: ``LimbNode``, ``Mesh``, ..."""
    node: Node
    """The object itself."""


@dataclass(frozen=True)
class Link:
    """A connection: an object is below another, or drives a property of it."""

    kind: str
    child: int
    parent: int
    property: str
    at: int


class Document:
    """A parsed file; it is never changed."""

    def __init__(
        self, tree: Tree, path: str | Path, sha256: str, legacy: Legacy | None = None
    ) -> None:
        self.tree = tree
        self.legacy = legacy  # the file itself, where the tree is a view of an older version
        # Keys that were read, by the number of their curve, and how many.
        self.curves: dict[int, Curve | None] = {} if legacy is None else legacy.curves
        self.keys = 0
        self.path = Path(path)
        self.sha256 = sha256

    def fail(self, message: str) -> FormatError:
        """Make an error about this file."""
        return FormatError(message, path=self.path)

    def top(self, name: bytes) -> Node | None:
        """Return a node at the top of the file."""
        return next((n for n in self.tree.nodes if n.name == name), None)

    @cached_property
    def objects(self) -> dict[int, Thing]:
        """All objects by their number, in the file's order."""
        out: dict[int, Thing] = {}
        holder = self.top(b"Objects")
        for node in holder.children if holder is not None else ():
            found = values(node)
            if len(found) < 2 or not isinstance(found[0], int) or not isinstance(found[1], bytes):
                continue  # an object that connections cannot refer to
            label = found[2] if len(found) > 2 and isinstance(found[2], bytes) else b""
            thing = Thing(found[0], node.name, plain_name(found[1]), _decoded(label), node)
            if thing.id in out and _OURS.count(node.name):
                raise Malformed(f"two objects have the number {thing.id}")
            out.setdefault(thing.id, thing)
        return out

    def of_kind(self, kind: bytes) -> list[Thing]:
        """List the objects of a kind."""
        return [thing for thing in self.objects.values() if thing.kind == kind]

    @cached_property
    def links(self) -> list[Link]:
        """All connections, in the file's order."""
        out = []
        holder = self.top(b"Connections")
        for at, node in enumerate(holder.children if holder is not None else ()):
            found = values(node)
            if len(found) < 3 or not isinstance(found[0], bytes):
                continue
            if not isinstance(found[1], int) or not isinstance(found[2], int):
                continue
            last = found[-1] if len(found) > 3 else b""
            property = _decoded(last) if isinstance(last, bytes) else ""
            out.append(Link(_decoded(found[0]), found[1], found[2], property, at))
        return out

    @cached_property
    def below(self) -> dict[int, list[Link]]:
        """Connections by their destination."""
        return self._links_by("parent")

    @cached_property
    def above(self) -> dict[int, list[Link]]:
        """Connections by their source."""
        return self._links_by("child")

    def _links_by(self, end: str) -> dict[int, list[Link]]:
        out: dict[int, list[Link]] = {}
        for link in self.links:
            out.setdefault(getattr(link, end), []).append(link)
        return out

    @cached_property
    def settings(self) -> dict[str, list[Any]]:
        """Properties of the whole scene."""
        node = self.top(b"GlobalSettings")
        return {} if node is None else property_rows(node)

    def setting(self, name: str, default: float) -> float:
        """Return a number of the whole scene."""
        found = self.settings.get(name, [])
        return float(found[0]) if found and _is_number(found[0]) else default

    @cached_property
    def ticks(self) -> int:
        """Ticks per second, the unit of times."""
        header = self.top(b"FBXHeaderExtension")
        version = None if header is None else header.child(b"FBXHeaderVersion")
        if header is None or not any(v >= _TIME_CODES_FROM for v in numbers(version)):
            return _TICKS  # a time code of an older header means nothing
        flags = header.child(b"OtherFlags")
        code = None if flags is None else flags.child(b"TCDefinition")
        if code is None:
            return _TICKS
        found = values(code)
        return _TICKS if not found or found[0] == _OLD_TIME_CODE else _NEW_TICKS

    @cached_property
    def model_defaults(self) -> dict[str, list[Any]]:
        """Default properties of models."""
        holder = self.top(b"Definitions")
        for kind in holder.named(b"ObjectType") if holder is not None else ():
            if values(kind)[:1] == [b"Model"]:
                template = kind.child(b"PropertyTemplate")
                return {} if template is None else property_rows(template)
        return {}

    def save(self, nodes: list[Node], path: Path) -> None:
        """Write the file with other nodes at its top, completely or not at all."""
        try:
            if isinstance(self.tree, TextTree):
                parts: Any = write_text(self.tree, nodes)
            else:
                parts = write(self.tree, nodes)
        except Malformed as e:
            raise self.fail(str(e)) from None
        write_bytes(path, parts)


def property_rows(node: Node) -> dict[str, list[Any]]:
    """Return the values of an object's properties by name."""
    holder = node.child(b"Properties70")
    out: dict[str, list[Any]] = {}
    for row in holder.named(b"P") if holder is not None else ():
        found = values(row)
        if len(found) >= 4 and isinstance(found[0], bytes):
            out[_decoded(found[0])] = found[4:]
    return out


def vector(rows: dict[str, list[Any]], name: str, default: float = 0.0) -> list[float]:
    """Return three numbers of a property."""
    found = rows.get(name, [])
    if len(found) < 3 or not all(_is_number(v) for v in found[:3]):
        return [default] * 3
    return [float(v) for v in found[:3]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def plain_name(raw: bytes) -> str:
    """Return an object's name without its class."""
    return _decoded(raw.split(b"\x00\x01")[0])


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


@contextmanager
def said_of(path: str | Path) -> Iterator[None]:
    """Convert exceptions of a malformed file to a ``FormatError`` that names the file."""
    try:
        yield
    except Malformed as e:
        raise FormatError(str(e), path=path) from None


def load(path: str | Path) -> Document:
    """Read a file's nodes."""
    data = read_bytes(path)
    with said_of(path):
        tree = parse_text(data) if is_text(data) else parse(data)
        sha256 = hashlib.sha256(data).hexdigest()
        if tree.version >= _NEW:
            return Document(tree, path, sha256)
        from retime.io.fbx.legacy import seen_as_new  # a module at a higher level makes it

        view, legacy = seen_as_new(tree)
        return Document(view, path, sha256, legacy)
