"""The HIERARCHY part of a BVH file: parsed by statements, written back with its own digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from retime.errors import FormatError
from retime.motion.skeleton import MOST_LENGTH, MOST_NAME

# Hair and ropes hang a few hundred bones deep; deeper nesting is a broken or hostile file.
MOST_DEPTH = 1024
MOST_NODES = 100_000

_STATEMENT = re.compile(r"[{}]|[^{}]+")
_WORD = re.compile(r"\S++")
_CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)


@dataclass(frozen=True)
class Channel:
    """One column of a row: an axis (0 to 2) of a position or a rotation."""

    axis: int
    rotation: bool
    text: str


@dataclass
class Node:
    """A ROOT, a JOINT or an End Site, with its text as the file had it."""

    keyword: str
    name: str
    parent: int
    line: int
    offset: tuple[str, ...] = ("0.0", "0.0", "0.0")
    channels: list[Channel] = field(default_factory=list)
    first_column: int = 0

    @property
    def is_end(self) -> bool:
        """Whether it is an End Site."""
        return self.keyword == "End Site"

    @property
    def rotation_axes(self) -> tuple[int, ...]:
        """Axes of its rotation channels, in order."""
        return tuple(c.axis for c in self.channels if c.rotation)

    @property
    def has_position(self) -> bool:
        """Whether it has a position channel."""
        return any(not c.rotation for c in self.channels)


@dataclass
class Hierarchy:
    """All nodes in file order, and the number of columns of a row."""

    nodes: list[Node]
    columns: int

    @property
    def joints(self) -> list[Node]:
        """The nodes without the End Sites."""
        return [n for n in self.nodes if not n.is_end]


class _Line:
    """Words taken from a text one by one; what is left is never copied."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def word(self) -> str:
        """Take the next word; empty at the end."""
        found = _WORD.search(self._text, self._at)
        self._at = len(self._text) if found is None else found.end()
        return "" if found is None else found[0]

    def rest(self) -> str:
        """Take all that is left, blanks within it included."""
        found, self._at = self._text[self._at :].strip(), len(self._text)
        return found


class _Words:
    """Statements of the hierarchy: braces, and the words between them and line ends."""

    def __init__(self, lines: list[str], path: str) -> None:
        self.path = path
        self.line = 0
        self._chunks = self._walk(lines)

    def _walk(self, lines: list[str]) -> Iterator[tuple[int, str]]:
        for number, text in enumerate(lines, 1):
            for chunk in _STATEMENT.findall(text):
                if chunk.strip():
                    yield number, chunk.strip()

    def __iter__(self) -> Iterator[str]:
        for line, chunk in self._chunks:
            self.line = line
            yield chunk

    def take(self, what: str) -> str:
        for chunk in self:
            return chunk
        raise FormatError(f"the file ends where {what} should be", path=self.path, line=self.line)

    def fail(self, message: str) -> FormatError:
        return FormatError(message, path=self.path, line=self.line)


def parse_hierarchy(lines: list[str], path: str) -> Hierarchy:
    """Parse the lines up to MOTION; the first line is the file's first."""
    parser = _Parser(_Words(lines, path))
    for chunk in parser.words:
        parser.take(chunk)
    return parser.whole()


class _Parser:
    """Nodes, put together statement by statement."""

    def __init__(self, words: _Words) -> None:
        self.words = words
        self.nodes: list[Node] = []
        self.stack: list[int] = []
        self.waiting: Node | None = None  # a node whose brace has not opened yet
        self.columns = 0

    def take(self, chunk: str) -> None:
        """Take a brace, or the words between braces and line ends."""
        if chunk == "{":
            self._open()
        elif chunk == "}":
            if not self.stack:
                raise self.words.fail("a brace closes that none opened")
            self.stack.pop()
        else:
            line = _Line(chunk)
            while word := line.word():
                line = self._statement(word.lower(), line)

    def _open(self) -> None:
        if self.waiting is None:
            raise self.words.fail("a brace opens where no joint was declared")
        self.stack.append(len(self.nodes) - 1)
        self.waiting = None
        if len(self.stack) > MOST_DEPTH:
            raise self.words.fail(f"joints are nested more than {MOST_DEPTH} deep")

    def _statement(self, keyword: str, line: _Line) -> _Line:
        """Take a statement, and return the line that it ended on."""
        if keyword == "hierarchy":
            return line
        if self.waiting is not None:
            raise self.words.fail(f"{self.waiting.name!r} has no braces")
        if keyword in ("root", "joint", "end"):
            if len(self.nodes) >= MOST_NODES:
                raise self.words.fail(f"more than {MOST_NODES} joints")
            self.waiting = _declare(self.words, keyword, line, self.stack, self.nodes)
            self.nodes.append(self.waiting)
            return line
        if keyword == "offset":
            return _read_offset(self.words, self._inside(), line)
        if keyword != "channels":
            raise self.words.fail(f"expected JOINT, OFFSET or CHANNELS, found {keyword[:40]!r}")
        node = self._inside()
        line = _read_channels(self.words, node, line)
        node.first_column = self.columns
        self.columns += len(node.channels)
        return line

    def _inside(self) -> Node:
        if not self.stack:
            raise self.words.fail("OFFSET or CHANNELS outside of any joint")
        return self.nodes[self.stack[-1]]

    def whole(self) -> Hierarchy:
        """Return what was parsed, once all chunks are taken."""
        if self.stack or self.waiting is not None:
            name = self.nodes[self.stack[-1] if self.stack else -1].name
            raise self.words.fail(f"the braces of {name!r} are not closed before MOTION")
        if not self.nodes:
            raise self.words.fail("the hierarchy declares no joint")
        return Hierarchy(self.nodes, self.columns)


def _declare(words: _Words, keyword: str, line: _Line, stack: list[int], nodes: list[Node]) -> Node:
    """Make the node that a ROOT, JOINT or End Site line declares; its name may hold blanks."""
    parent = stack[-1] if stack else -1
    if keyword == "end" and parent < 0:
        raise words.fail("an End Site is outside of any joint")
    if parent >= 0 and nodes[parent].is_end:
        raise words.fail("an End Site cannot have children")
    rest = line.rest()
    if len(rest) > MOST_NAME:
        raise words.fail(f"a name of {len(rest)} characters; at most {MOST_NAME} are read")
    if keyword == "end":
        inside = _Line(rest)
        name = inside.rest() if inside.word().lower() in ("site", "") else rest
        return Node("End Site", name, parent, words.line)
    if keyword == "joint" and parent < 0:
        raise words.fail(f"JOINT {rest} is outside of any ROOT")
    return Node("JOINT" if parent >= 0 else "ROOT", rest, parent, words.line)


def _read_offset(words: _Words, node: Node, line: _Line) -> _Line:
    numbers: list[str] = []
    while len(numbers) < 3:
        if text := line.word():
            parse_number(text, words)
            numbers.append(text)
        else:
            line = _Line(words.take("an offset"))
    node.offset = tuple(numbers)
    return line


def parse_number(text: str, words: _Words) -> float:
    """Parse a finite decimal number, or say what is wrong with it."""
    try:
        if "_" in text:
            raise ValueError
        value = float(text)
        if abs(value) > MOST_LENGTH:
            raise words.fail(f"{text[:40]!r} is too large to be a length")
    except ValueError:
        hint = "; decimals need a point, not a comma" if "," in text else ""
        raise words.fail(f"{text[:40]!r} is not a number{hint}") from None
    if not np.isfinite(value):
        raise words.fail(f"{text[:40]!r} is not a finite number")
    return value


def _read_channels(words: _Words, node: Node, line: _Line) -> _Line:
    if node.is_end:
        raise words.fail("an End Site has no channels")
    if node.channels:
        raise words.fail(f"{node.name!r} declares its channels twice")
    number = line.word()
    if not number:
        line = _Line(words.take("a number of channels"))
        number = line.word()
    try:
        count = int(number)
    except ValueError:
        raise words.fail(f"CHANNELS needs a number, found {number[:40]!r}") from None
    if not 0 <= count <= 6:
        raise words.fail(f"a joint has 0 to 6 channels, not {number[:20]}")
    while len(node.channels) < count:
        text = line.word()
        if not text:
            line = _Line(words.take(f"a channel of {node.name!r}"))
            continue
        match = _CHANNEL.fullmatch(text)
        if match is None:
            raise words.fail(f"unknown channel {text[:40]!r} of {node.name!r}")
        channel = Channel("xyz".index(match[1].lower()), match[2].lower() == "rotation", text)
        if any(c.axis == channel.axis and c.rotation == channel.rotation for c in node.channels):
            raise words.fail(f"{node.name!r} has the channel {text} twice")
        node.channels.append(channel)
    return line
