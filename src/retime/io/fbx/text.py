"""FBX as text (ASCII): the same tree of nodes as the binary form, and text again.

Nodes that were not changed are written with their own characters, comments and spaces included.
Long lists of numbers that retiming does not need, such as the points of meshes, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from retime.io.fbx.properties import Packed, array, packed, real, text, values
from retime.io.fbx.tree import Malformed, Node, Tree, empty_tree

_SKIPPED = re.compile(rb"(?:\s+|;[^\n]*)*")
_NAME = re.compile(rb"([A-Za-z_|][\w|.\-]*+(?: ++[\w|.\-]++)*+)\s*+:(?!:)")
_STRING = re.compile(rb'"([^"]*)"')
_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.#])")
# What libraries write for no number: 1.#INF, nan(ind), -inf.
_SPECIAL = re.compile(rb"[-+]?(?:\d+\.#\w+|nan|inf(?:inity)?)(?:\(\w*\))?(?!\w)", re.IGNORECASE)
_WORD = re.compile(rb"[A-Za-z_][\w.]*")
_COUNT = re.compile(rb"\*(\d++)\s*+\{\s*+(?:a\s*+:)?([^{}]*+)\}")
_RUN = re.compile(rb"(?:[-+0-9.eE]+[ \t]*,\s*){64,}[-+0-9.eE]+")
# What values begin with on a line of their own; a node's name cannot.
_BEGINS = re.compile(rb'[-+\d."]')
_MOST_NODES = 2_000_000
_DEEPEST = 64
# From this version on, tangents are written as the bits of floats.
_BITS_FROM = 7200
_WHOLE = {b"KeyTime": "l", b"KeyAttrFlags": "i", b"KeyAttrRefCount": "i"}
_FLOATS = (b"KeyValueFloat", b"KeyAttrDataFloat")
_ESCAPES = ((b"&quot;", b'"'), (b"&cr;", b"\r"), (b"&lf;", b"\n"))


@dataclass(frozen=True, eq=False)
class TextTree(Tree):
    """A whole file of text."""

    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where each node stands, by its ``id``: from the end of what is before it to its own end."""
    heads: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where its name and values stand, by the ``id`` of its properties."""


def is_text(data: bytes) -> bool:
    """Return whether a file is FBX as text."""
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    named = start.startswith(b"; FBX") or b"FBXHeaderExtension" in start
    return named and not start.startswith(b"Kaydara")


def parse_text(data: bytes) -> TextTree:
    """Read the node tree of a file of text."""
    version = _version(data)
    if version >= 8000:
        raise Malformed(f"FBX version {version} is newer than 7.7; save it as FBX 2020 or earlier")
    if version < 6000:
        raise Malformed(f"FBX {version / 1000:.1f} is too old; 6.1 to 7.7 can be read")
    base = empty_tree(version)
    reader = _TextReader(data, base)
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    nodes, end = reader.nodes(at, 0, b"")
    return TextTree(data, version, nodes, data[end:], end, reader.spans, reader.heads)


def _version(data: bytes) -> int:
    found = re.search(rb"FBXVersion\s*:\s*(\d{4})\b", data[:65536])
    if found is None:
        raise Malformed("the text has no FBXVersion")
    return int(found[1])


class _TextReader:
    """Walks the text; every step goes forward, so that damaged text ends in a sentence."""

    def __init__(self, data: bytes, base: Tree) -> None:
        self.data, self.base = data, base
        self.spans: dict[int, tuple[int, int]] = {}
        self.heads: dict[int, tuple[int, int]] = {}
        self.count = 0

    def fail(self, at: int, what: str) -> Malformed:
        line = self.data.count(b"\n", 0, at) + 1
        return Malformed(f"line {line}: {what}")

    def skipped(self, at: int) -> int:
        found = _SKIPPED.match(self.data, at)
        return found.end() if found else at

    def nodes(self, at: int, depth: int, parent: bytes) -> tuple[tuple[Node, ...], int]:
        """Read nodes up to a closing brace or the end; return where they end."""
        out: list[Node] = []
        while True:
            before, here = at, self.skipped(at)
            if here >= len(self.data) or self.data[here : here + 1] == b"}":
                return tuple(out), before
            name = _NAME.match(self.data, here)
            if name is None:
                raise self.fail(here, "expected a node's name and a colon")
            self.count += 1
            if self.count > _MOST_NODES or depth > _DEEPEST:
                raise self.fail(here, "more nodes than a scene has, or deeper ones")
            node, at = self.node(name, before, depth, parent)
            out.append(node)

    def node(
        self, name: re.Match[bytes], before: int, depth: int, parent: bytes
    ) -> tuple[Node, int]:
        """Read the values and children of a node."""
        label, data = name[1], self.data
        parts, at = self.values(label, name.end(), parent)
        head = (before, at)
        children: tuple[Node, ...] = ()
        closed = False
        brace = self.skipped(at)
        if data[brace : brace + 1] == b"{":
            closed, head = True, (before, brace)
            children, at = self.nodes(brace + 1, depth + 1, label)
            at = self.skipped(at)
            if data[at : at + 1] != b"}":
                raise self.fail(brace, f"the braces of {label.decode('ascii', 'replace')} are open")
            at += 1
        # A separate view: it identifies nodes that keep their values.
        own = memoryview(b"".join(parts))
        bare = self.base.remade(label, len(parts), own, children, closed, closed)
        node = Node(label, bare.count, own, children, closed, before, bare.size)
        self.spans[id(node)] = (before, at)
        self.heads[id(own)] = head
        return node, at

    def values(self, label: bytes, at: int, parent: bytes) -> tuple[list[bytes], int]:
        """Read a node's values as packed properties; return where they end."""
        data = self.data
        parts: list[bytes] = []
        at = _blanks(data, at)
        if data[at : at + 1] == b"*":
            return self.listed(label, at)
        below = self.skipped(at)
        if _BEGINS.match(data, below):  # exporters of Blender 2.5 to 2.79 break the line
            at = below
        while True:
            run = _RUN.match(data, at)
            if run is not None and label != b"Key":
                return [], run.end()  # values that retiming does not need
            part, at = self.value(at, label, parent, len(parts))
            if part is not None:
                parts.append(part)
            after = self.skipped(at)
            if data[after : after + 1] != b",":
                return parts, at
            at = self.skipped(after + 1)

    def value(self, at: int, label: bytes, parent: bytes, place: int) -> tuple[bytes | None, int]:
        """Read one value as a packed property, ``None`` if there is none; return where it ends."""
        data = self.data
        if found := _STRING.match(data, at):
            return _string(found[1], named=parent == b"Objects" and place < 2), found.end()
        if found := _NUMBER.match(data, at):
            return _number(found[0]), found.end()
        if found := _SPECIAL.match(data, at):
            return real(float("nan")), found.end()
        if found := _WORD.match(data, at):
            return text(found[0]), found.end()
        return None, at  # as before the comma of embedded image data

    def listed(self, label: bytes, at: int) -> tuple[list[bytes], int]:
        """Read an array with its length before it."""
        found = _COUNT.match(self.data, at)
        if found is None:
            raise self.fail(at, f"the list of {label.decode('ascii', 'replace')} does not end")
        if label not in _WHOLE and label not in _FLOATS:
            return [], found.end()
        told = [v for v in found[2].replace(b"\n", b"").split(b",") if v.strip()]
        if len(told) != int(found[1]):
            raise self.fail(at, f"a list of {int(found[1])} values has {len(told)}")
        return [self.numbers(label, told, at)], found.end()

    def numbers(self, label: bytes, told: list[bytes], at: int) -> bytes:
        try:
            if label in _WHOLE:
                return packed(_WHOLE[label], np.array([int(v) for v in told], dtype=np.int64))
            if label == b"KeyAttrDataFloat" and self.base.version >= _BITS_FROM:
                whole = np.array([int(_float(v)) for v in told], dtype=np.int64)
                return packed("f", (whole & 0xFFFFFFFF).astype("<u4").view("<f4"))
            return packed("f", np.array([_float(v) for v in told]))
        except (ValueError, OverflowError):
            name = label.decode("ascii", "replace")
            raise self.fail(at, f"the list of {name} has a value that is not a number") from None


def _string(said: bytes, *, named: bool) -> bytes:
    """Pack a string; names are written kind first and stored name first."""
    for code, plain in _ESCAPES:
        said = said.replace(code, plain)
    kind, mark, own = said.partition(b"::")
    return text(own + b"\x00\x01" + kind if named and mark else said)


def _float(digits: bytes) -> float:
    return float("nan") if _SPECIAL.fullmatch(digits.strip()) else float(digits)


def _number(digits: bytes) -> bytes:
    """Pack a whole number of 64 bits, or a float."""
    is_whole = digits.lstrip(b"+-").isdigit() and len(digits) <= 20
    if is_whole and -(1 << 63) <= int(digits) < 1 << 63:
        return real(int(digits), "L")
    return real(float(digits))


def _blanks(data: bytes, at: int) -> int:
    while data[at : at + 1] in (b" ", b"\t"):
        at += 1
    return at


# ---- writing


def write_text(tree: TextTree, nodes: Iterable[Node]) -> list[bytes]:
    """Return the parts of a file of text with these nodes."""
    out: list[bytes] = [b"\xef\xbb\xbf"] if tree.data.startswith(b"\xef\xbb\xbf") else []
    line = b"\r\n" if b"\r\n" in tree.data[:4096] else b"\n"

    def emit(node: Node, depth: int) -> None:
        span = tree.spans.get(id(node))
        if span is not None:
            out.append(tree.data[span[0] : span[1]])
            return
        head = tree.heads.get(id(node.properties))
        indent = line + b"\t" * depth
        if head is not None:
            out.append(tree.data[head[0] : head[1]])
        else:
            out.append(indent + node.name + b": " + _values_text(node, tree.version, indent))
        if node.children or node.closed:
            own = head is not None and tree.data[head[1] : head[1] + 1] == b"{"
            out.append(b"{" if own else b" {")
            for child in node.children:
                emit(child, depth + 1)
            out.append(indent + b"}")

    for node in nodes:
        emit(node, 0)
    out.append(tree.footer)
    return out


def _values_text(node: Node, version: int, indent: bytes) -> bytes:
    found = values(node)
    if len(found) == 1 and isinstance(found[0], Packed):
        listed = _array_text(node, version)
        return b"*%d {%s\ta: %s%s}" % (len(listed), indent, b",".join(listed), indent)
    if node.name == b"Key":  # of version 6: letters without quotes
        return b",".join(v if isinstance(v, bytes) else _value_text(v) for v in found)
    return b",".join(_value_text(v) for v in found)


def _array_text(node: Node, version: int) -> list[bytes]:
    numbers = array(node, node.name.decode("ascii", "replace"))
    if node.name == b"KeyAttrDataFloat" and version >= _BITS_FROM:
        numbers = numbers.view("<i4")
    if numbers.dtype.kind == "f":
        digits = 9 if numbers.itemsize == 4 else 17
        return [b"%.*g" % (digits, v) for v in numbers.tolist()]
    return [b"%d" % v for v in numbers.tolist()]


def _value_text(value: object) -> bytes:
    if isinstance(value, bytes):
        own, mark, kind = value.partition(b"\x00\x01")
        said = kind + b"::" + own if mark else own
        for code, plain in _ESCAPES:
            said = said.replace(plain, code)
        return b'"' + said + b'"'
    if isinstance(value, float):
        return b"%.17g" % value if not value.is_integer() else b"%.1f" % value
    return b"%d" % int(value)  # type: ignore[call-overload]
