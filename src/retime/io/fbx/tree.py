"""The node tree of a binary FBX file: read without copying, written with new end offsets.

A node is a name, a list of properties and nodes below it. Headers hold absolute offsets, so a node
that moves within the file gets new headers; its properties are copied as they are, packed or not.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MAGIC = b"Kaydara FBX Binary  \x00"
_END_MAGIC = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
_HEADER_SIZE = 27
_FOOTER_ID = 16
_TAIL = 4 + 120 + len(_END_MAGIC)
# Limits on nodes and depth; real files have thousands of nodes, a dozen levels deep.
_MOST_NODES = 2_000_000
_DEEPEST = 64
# From this version on, offsets have 64 bits.
_WIDE = 7500


class Malformed(Exception):
    """The file is malformed; the message gives the position."""


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One node."""

    name: bytes
    """Its name."""
    count: int
    """How many properties it has."""
    properties: bytes | memoryview
    """They, as in the file."""
    children: tuple[Node, ...]
    """The nodes below it."""
    closed: bool
    """Whether an empty record ends it; some writers do so without children, too."""
    start: int
    """Where it stood in the file that it came from; -1 where it is new."""
    size: int
    """Bytes that it takes, all below it included."""

    def __reduce__(self) -> tuple[type[Node], tuple[Any, ...]]:
        # A view cannot be sent to another process, so its bytes are sent.
        parts = (self.name, self.count, bytes(self.properties), self.children)
        return Node, (*parts, self.closed, self.start, self.size)

    def child(self, name: bytes) -> Node | None:
        """Return the first node of a name below this one."""
        return next((c for c in self.children if c.name == name), None)

    def named(self, name: bytes) -> Iterator[Node]:
        """Yield the nodes of a name below this one."""
        return (c for c in self.children if c.name == name)


@dataclass(frozen=True, eq=False)
class Tree:
    """A whole file."""

    data: bytes
    """The file."""
    version: int
    """Such as 7400."""
    nodes: tuple[Node, ...]
    """Its top."""
    footer: bytes
    """What follows the nodes."""
    footer_at: int
    """Where that stood."""

    @property
    def wide(self) -> bool:
        """Whether offsets have 64 bits."""
        return self.version >= _WIDE

    def node(
        self,
        name: bytes,
        properties: Iterable[bytes] = (),
        children: Iterable[Node] = (),
        *,
        closed: bool | None = None,
    ) -> Node:
        """Make a new node of this file."""
        own, below = tuple(properties), tuple(children)
        return self.remade(name, len(own), b"".join(own), below, bool(below), closed)

    def remade(
        self,
        name: bytes,
        count: int,
        properties: bytes | memoryview,
        children: tuple[Node, ...],
        was_closed: bool,
        closed: bool | None = None,
    ) -> Node:
        """Make a node of properties that are packed already."""
        ends = was_closed or bool(children) if closed is None else closed
        head = _record(self.wide)
        size = head.size + 1 + len(name) + len(properties) + sum(c.size for c in children)
        size += (head.size + 1) * ends
        return Node(name, count, properties, children, ends, -1, size)

    def with_children(self, node: Node, children: Iterable[Node]) -> Node:
        """Return a node with others below it, its own properties as they were."""
        return self.remade(node.name, node.count, node.properties, tuple(children), node.closed)

    def with_properties(self, node: Node, properties: Iterable[bytes]) -> Node:
        """Return a node with other properties and the same children."""
        own = tuple(properties)
        return self.remade(node.name, len(own), b"".join(own), node.children, node.closed)


def _record(wide: bool) -> struct.Struct:
    """End offset, number of properties and their bytes, before the name's length."""
    return struct.Struct("<QQQ" if wide else "<III")


def parse(data: bytes) -> Tree:
    """Read the node tree of a file."""
    if not data.startswith(MAGIC):
        told = "this is not an FBX file, binary or text; export it again as FBX"
        raise Malformed(told if data else "the file is empty")
    if len(data) < _HEADER_SIZE:
        raise Malformed("the file ends within its header")
    if data[22] != 0:
        raise Malformed("it is in big-endian byte order, which no program of today writes")
    version = struct.unpack_from("<I", data, 23)[0]
    if version < 6000:
        raise Malformed(
            f"FBX {version / 1000:.1f} is too old; 6.1 to 7.7 (FBX 2006 and later) can be read: "
            "convert it with Autodesk's FBX Converter, or save it again"
        )
    if version >= 8000:
        raise Malformed(f"FBX version {version} is newer than 7.7; save it as FBX 2020 or earlier")
    reader = _Reader(data, version >= _WIDE)
    nodes, end = reader.top(_HEADER_SIZE)
    return Tree(data, version, nodes, data[end:], end)


class _Reader:
    """Walk the records of a file, and check every length before using it."""

    def __init__(self, data: bytes, wide: bool) -> None:
        self.data = data
        self.view = memoryview(data)
        self.head = _record(wide)
        self.null = self.head.size + 1
        self.count = 0

    def top(self, at: int) -> tuple[tuple[Node, ...], int]:
        """Read the nodes at the top; return where they end."""
        nodes: list[Node] = []
        while True:
            if at + self.null > len(self.data):
                raise Malformed(f"the file ends at byte {len(self.data)}, within its nodes")
            if not any(self.view[at : at + self.null]):
                return tuple(nodes), at + self.null
            node, at = self.node(at, len(self.data), 0)
            nodes.append(node)

    def node(self, at: int, limit: int, depth: int) -> tuple[Node, int]:
        """Read the node at a byte offset, which must end before ``limit``."""
        data, head = self.data, self.head
        start = at
        if at + self.null > limit:
            raise Malformed(f"a node at byte {at} does not fit into the one that holds it")
        end, count, size = head.unpack_from(data, at)
        length = data[at + head.size]
        at += self.null
        if not end and length + size:  # some files leave it out where nothing is below
            end = at + length + size
        if end > len(data):
            raise Malformed(
                f"the file ends early: the node at byte {start} goes on to byte {end}, and there "
                f"are {len(data)}"
            )
        if not at + length + size <= end <= limit:
            raise Malformed(f"the node at byte {start} has a wrong length")
        name = data[at : at + length]
        at += length
        self.count += 1
        if self.count > _MOST_NODES:
            raise Malformed(f"it has more than {_MOST_NODES} nodes")
        if depth > _DEEPEST:
            raise Malformed(f"its nodes are more than {_DEEPEST} deep")
        if count > size:  # a property takes at least two bytes
            raise Malformed(f"the node at byte {start} has a wrong number of properties")
        properties = self.view[at : at + size]
        at += size
        children: list[Node] = []
        closed = False
        while at < end:
            if end - at == self.null and not any(self.view[at:end]):
                closed = True
                at = end
                break
            child, at = self.node(at, end, depth + 1)
            children.append(child)
        return Node(name, count, properties, tuple(children), closed, start, end - start), end


def write(tree: Tree, nodes: Iterable[Node]) -> list[bytes | memoryview]:
    """Return the parts of a file with a tree's header and footer, and these nodes."""
    head = _record(tree.wide)
    empty = bytes(head.size + 1)
    source = memoryview(tree.data)
    most = (1 << 64 if tree.wide else 1 << 32) - 1
    out: list[bytes | memoryview] = [tree.data[:_HEADER_SIZE]]

    def emit(node: Node, at: int) -> None:
        if node.start == at:
            out.append(source[at : at + node.size])
            return
        end = at + node.size
        if end > most:
            raise Malformed("the file would be larger than its version of FBX can hold (4 GB)")
        out.append(
            head.pack(end, node.count, len(node.properties)) + bytes([len(node.name)]) + node.name
        )
        out.append(node.properties)
        at += len(empty) + len(node.name) + len(node.properties)
        for child in node.children:
            emit(child, at)
            at += child.size
        if node.closed:
            out.append(empty)

    at = _HEADER_SIZE
    for node in nodes:
        emit(node, at)
        at += node.size
    out.append(empty)
    out.append(_moved_footer(tree, at + len(empty)))
    return out


def _moved_footer(tree: Tree, at: int) -> bytes:
    """Return the footer for another position: its version is at a multiple of 16 bytes."""
    footer = tree.footer
    middle = footer[_FOOTER_ID : len(footer) - _TAIL]
    usual = len(footer) >= _FOOTER_ID + _TAIL and footer.endswith(_END_MAGIC) and not any(middle)
    if not usual or len(middle) != _padding(tree.footer_at):
        return footer
    return footer[:_FOOTER_ID] + bytes(_padding(at)) + footer[-_TAIL:]


def _padding(at: int) -> int:
    """Count the zeros between a footer's first code and its version."""
    after = at + _FOOTER_ID + 4
    return 4 + (-after % 16 or 16)


def new_footer(version: int, at: int) -> bytes:
    """Make the footer of a file whose nodes end at a byte."""
    code = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
    return code + bytes(_padding(at)) + struct.pack("<I", version) + bytes(120) + _END_MAGIC


def empty_tree(version: int) -> Tree:
    """Make a file without nodes."""
    header = MAGIC + b"\x1a\x00" + struct.pack("<I", version)
    end = _HEADER_SIZE + _record(version >= _WIDE).size + 1
    return Tree(header, version, (), new_footer(version, end), end)
