"""The HIERARCHY section of a BVH file. Numbers stay text, to be written back unchanged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retime.errors import FormatError
from retime.io.bvh.numbers import comma_hint, parse_decimal
from retime.motion.skeleton import MOST_LENGTH, MOST_NAME

# Chains of hair and ropes are a few hundred bones deep; deeper nesting is a broken or hostile file.
MOST_DEPTH = 1024
MOST_NODES = 100_000

_STATEMENT = re.compile(r"[{}]|[^{}]+")
_WORD = re.compile(r"\S++")
_CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)


@dataclass(frozen=True)
class Channel:
    """One column of a row: a position along, or a rotation about, an axis (0 to 2)."""

    axis: int
    rotation: bool
    text: str


@dataclass
class Node:
    """A ROOT, JOINT or End Site, with offset and channels as text of the file."""

    keyword: str
    name: str
    parent: int
    line: int
    offset: tuple[str, ...] = ("0.0", "0.0", "0.0")
    channels: list[Channel] = field(default_factory=list)
    first_column: int = 0

    @property
    def is_end(self) -> bool:
        """Whether the node is an End Site."""
        return self.keyword == "End Site"

    @property
    def offset_values(self) -> tuple[float, float, float]:
        """The offset as numbers."""
        x, y, z = map(float, self.offset)
        return x, y, z

    @property
    def rotation_axes(self) -> tuple[int, ...]:
        """Axes of the rotation channels, in file order."""
        return tuple(c.axis for c in self.channels if c.rotation)

    @property
    def position_axes(self) -> tuple[int, ...]:
        """Axes of the position channels, in file order."""
        return tuple(c.axis for c in self.channels if not c.rotation)

    def columns(self, *, rotation: bool) -> list[int]:
        """Return the columns of the rotation or of the position channels, in file order."""
        kind = enumerate(self.channels, self.first_column)
        return [column for column, c in kind if c.rotation == rotation]


@dataclass
class Hierarchy:
    """All nodes in file order, and the number of columns in a row."""

    nodes: list[Node]
    columns: int

    @property
    def joints(self) -> list[Node]:
        """The nodes that are not End Sites."""
        return [n for n in self.nodes if not n.is_end]


class _Line:
    """Words taken from a text one by one, without copying the remainder."""

    def __init__(self, text: str = "") -> None:
        self._text, self._at = text, 0

    def word(self) -> str:
        """Take the next word; empty at the end."""
        found = _WORD.search(self._text, self._at)
        self._at = len(self._text) if found is None else found.end()
        return "" if found is None else found[0]

    def rest(self) -> str:
        """Take the remaining text, including the spaces inside it."""
        found, self._at = self._text[self._at :].strip(), len(self._text)
        return found


def parse_hierarchy(lines: list[str], path: str) -> Hierarchy:
    """Parse the lines up to MOTION; the first line is the file's first."""
    parser = _Parser(lines, path)
    for chunk in parser.chunks:
        parser.parse(chunk)
    return parser.finished()


class _Parser:
    """Build nodes statement by statement."""

    def __init__(self, lines: list[str], path: str) -> None:
        self.chunks = self._walk(lines)
        self._path, self._line_number = path, 0
        self._line = _Line()
        self._nodes: list[Node] = []
        self._stack: list[int] = []
        self._waiting: Node | None = None  # a node whose brace has not opened yet
        self._columns = 0

    def _walk(self, lines: list[str]) -> Iterator[str]:
        """Yield braces and the texts between them, line by line."""
        for self._line_number, text in enumerate(lines, 1):
            yield from filter(None, map(str.strip, _STATEMENT.findall(text)))

    def _fail(self, message: str) -> FormatError:
        return FormatError(message, path=self._path, line=self._line_number)

    def _word(self, what: str) -> str:
        """Take the next word, from the next line where the current one has ended."""
        while not (word := self._line.word()):
            chunk = next(self.chunks, None)
            if chunk is None:
                raise self._fail(f"the file ends where {what} should be")
            self._line = _Line(chunk)
        return word

    def parse(self, chunk: str) -> None:
        """Parse a brace, or the statements between braces and line ends."""
        if chunk == "{":
            self._open()
        elif chunk == "}":
            self._close()
        else:
            self._line = _Line(chunk)
            while word := self._line.word():
                self._statement(word.lower())

    def _open(self) -> None:
        if self._waiting is None:
            raise self._fail("a brace opens where no joint was declared")
        self._stack.append(len(self._nodes) - 1)
        self._waiting = None
        if len(self._stack) > MOST_DEPTH:
            raise self._fail(f"joints are nested more than {MOST_DEPTH} deep")

    def _close(self) -> None:
        if not self._stack:
            raise self._fail("a closing brace has no opening brace")
        self._stack.pop()

    def _statement(self, keyword: str) -> None:
        """Parse the statement that a keyword begins; it may end on a later line."""
        if keyword == "hierarchy":
            return
        if self._waiting is not None:
            raise self._fail(f"{self._waiting.name!r} has no braces")
        if keyword in ("root", "joint", "end"):
            self._declare(keyword)
        elif keyword == "offset":
            self._read_offset(self._inside())
        elif keyword == "channels":
            self._read_channels(self._inside())
        else:
            raise self._fail(f"expected JOINT, OFFSET or CHANNELS, found {keyword[:40]!r}")

    def _inside(self) -> Node:
        if not self._stack:
            raise self._fail("OFFSET or CHANNELS outside of any joint")
        return self._nodes[self._stack[-1]]

    def _declare(self, keyword: str) -> None:
        """Add the node that a ROOT, JOINT or End Site line declares; names may contain spaces."""
        if len(self._nodes) >= MOST_NODES:
            raise self._fail(f"more than {MOST_NODES} joints")
        name = self._line.rest()
        if len(name) > MOST_NAME:
            raise self._fail(f"a name of {len(name)} characters; the maximum is {MOST_NAME}")
        self._must_fit(keyword, name)
        parent = self._stack[-1] if self._stack else -1
        kind = "JOINT" if self._stack else "ROOT"
        if keyword == "end":
            kind, name = "End Site", _end_name(name)
        self._waiting = Node(kind, name, parent, self._line_number)
        self._nodes.append(self._waiting)

    def _must_fit(self, keyword: str, name: str) -> None:
        """Reject a node that cannot be declared inside the current one."""
        if self._stack:
            if self._inside().is_end:
                raise self._fail("an End Site cannot have children")
        elif keyword == "end":
            raise self._fail("an End Site is outside of any joint")
        elif keyword == "joint":
            raise self._fail(f"JOINT {name} is outside of any ROOT")

    def _read_offset(self, node: Node) -> None:
        numbers = [self._word("an offset") for _ in range(3)]
        for text in numbers:
            self._must_be_length(text)
        node.offset = tuple(numbers)

    def _must_be_length(self, text: str) -> None:
        value = parse_decimal(text)
        if math.isnan(value):
            raise self._fail(f"{text[:40]!r} is not a number{comma_hint(text)}")
        if abs(value) > MOST_LENGTH:
            raise self._fail(f"{text[:40]!r} is too large to be a length")

    def _read_channels(self, node: Node) -> None:
        if node.is_end:
            raise self._fail("an End Site has no channels")
        if node.channels:
            raise self._fail(f"{node.name!r} declares its channels twice")
        for _ in range(self._channel_count()):
            node.channels.append(self._channel(node))
        node.first_column = self._columns
        self._columns += len(node.channels)

    def _channel_count(self) -> int:
        number = self._word("a number of channels")
        try:
            count = int(number)
        except ValueError:
            raise self._fail(f"CHANNELS needs a number, found {number[:40]!r}") from None
        if not 0 <= count <= 6:
            raise self._fail(f"a joint has 0 to 6 channels, not {number[:20]}")
        return count

    def _channel(self, node: Node) -> Channel:
        text = self._word(f"a channel of {node.name!r}")
        match = _CHANNEL.fullmatch(text)
        if match is None:
            raise self._fail(f"unknown channel {text[:40]!r} of {node.name!r}")
        axis, rotation = "xyz".index(match[1].lower()), match[2].lower() == "rotation"
        if (axis, rotation) in {(c.axis, c.rotation) for c in node.channels}:
            raise self._fail(f"{node.name!r} has the channel {text} twice")
        return Channel(axis, rotation, text)

    def finished(self) -> Hierarchy:
        """Return the hierarchy after the last chunk."""
        if self._stack or self._waiting is not None:
            name = self._nodes[self._stack[-1] if self._stack else -1].name
            raise self._fail(f"the braces of {name!r} are not closed before MOTION")
        if not self._nodes:
            raise self._fail("the hierarchy declares no joint")
        return Hierarchy(self._nodes, self._columns)


def _end_name(text: str) -> str:
    """Return the name of an End Site, which most files leave empty."""
    line = _Line(text)
    return line.rest() if line.word().lower() in ("site", "") else text
