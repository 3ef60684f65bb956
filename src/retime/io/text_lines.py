"""Lines of a text file, of which some are replaced and all others stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Lines by the first that they replace: the line after the last one, and what stands there.
Replacements = Mapping[int, tuple[int, list[str]]]


def ending(line: str) -> str:
    """Return the characters that end a line."""
    return line[len(line.rstrip("\r\n")) :]


def replaced(
    lines: Sequence[str], made: Replacements, start: int = 0, end: int | None = None
) -> list[str]:
    """Return lines, some stretches of which are replaced."""
    out: list[str] = []
    n, stop = start, len(lines) if end is None else end
    while n < stop:
        if n in made:
            n, own = made[n]
            out += own
        else:
            out.append(lines[n])
            n += 1
    return out
