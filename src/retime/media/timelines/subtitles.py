"""Subtitles (.srt, .vtt): cues move, their text, style and place on the screen stay."""

from __future__ import annotations

import re
from pathlib import Path

from retime.errors import FormatError
from retime.media.timelines.blocks import Block, EventText
from retime.media.timelines.carrying import Carrier

_TIME = r"(?:(\d{1,6}):)?(\d{1,2}):(\d{1,2})([.,])(\d{1,6})"
_CUE = re.compile(rf"^([ \t]*){_TIME}([ \t]*-->[ \t]*){_TIME}([^\r\n]*)([\r\n]*)$")
_INSIDE = re.compile(rf"<{_TIME}>")


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str) -> float:
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds) + float(f"0.{fraction}")


def _shown(time: float, hours: str | None, mark: str, digits: int) -> str:
    """Write a time with the source's number of digits, and with hours if needed."""
    ticks = round(max(time, 0.0) * 10**digits)
    whole, fraction = divmod(ticks, 10**digits)
    minutes, seconds = divmod(whole, 60)
    tail = f"{seconds:02d}{mark}{fraction:0{digits}d}"
    if hours is None and minutes < 60:
        return f"{minutes:02d}:{tail}"
    width = len(hours) if hours is not None else 2
    return f"{minutes // 60:0{width}d}:{minutes % 60:02d}:{tail}"


def parse_srt(lines: list[str], path: Path) -> EventText:
    """Parse SubRip: a number, a line of times, text, an empty line."""
    return _parse(lines, path, "SubRip", numbered=True)


def parse_vtt(lines: list[str], path: Path) -> EventText:
    """Parse WebVTT; times inside a cue's text (karaoke) are retimed too."""
    if not lines or not lines[0].startswith("WEBVTT"):
        raise FormatError("a WebVTT file begins with WEBVTT", path=path, line=1)
    return _parse(lines, path, "WebVTT", numbered=False)


def _parse(lines: list[str], path: Path, kind: str, *, numbered: bool) -> EventText:
    cues = _cues(lines, numbered)
    if not cues:
        raise FormatError("there is no subtitle in the file", path=path)
    for n in cues:
        if _CUE.match(lines[n]) is None:
            form = "00:00:01,000 --> 00:00:02,000" if numbered else "00:01.000 --> 00:02.000"
            raise FormatError(f"not a line of times; {kind} has {form}", path=path, line=n + 1)
    starts = [_opening(lines, n, numbered) for n in cues]
    ends = [*starts[1:], len(lines)]
    blocks: list[Block] = []
    end = 0
    for n, first, last in zip(cues, starts, ends, strict=True):
        stop = _end_of_cue(lines, n + 1, last, numbered)
        before = "" if not blocks else "".join(lines[end:first])
        blocks.append(_block(lines[first:n], lines[n], lines[n + 1 : stop], before, path, n + 1))
        end = stop
    return EventText("".join(lines[: starts[0]]), tuple(blocks), "".join(lines[end:]))


def _end_of_cue(lines: list[str], first: int, last: int, numbered: bool) -> int:
    """Return the line after a cue's text.

    A cue of WebVTT ends at an empty line; text after it (comments) belongs before the next.
    """
    if numbered:
        return last
    return next((n for n in range(first, last) if not lines[n].strip()), last)


def _cues(lines: list[str], numbered: bool) -> list[int]:
    """Return the lines with times, except in WebVTT's other blocks, which end at empty lines."""
    out = []
    other, opens = False, True
    for n, line in enumerate(lines):
        if not line.strip():
            other = False
        elif opens and not numbered and re.match(r"(NOTE|STYLE|REGION)\b", line):
            other = True
        if "-->" in line and not other:
            out.append(n)
        opens = not line.strip()
    return out


def _opening(lines: list[str], cue: int, numbered: bool) -> int:
    """Return the line at which a cue begins: its number or name, if it has one."""
    if cue == 0 or not lines[cue - 1].strip():
        return cue
    if numbered and not lines[cue - 1].strip().isdigit():
        return cue
    return cue - 1


def _block(
    name: list[str], times: str, text: list[str], before: str, path: Path, line: int
) -> Block:
    found = _CUE.match(times)
    assert found is not None
    parts = found.groups()
    indent, first, arrow, second = parts[0], parts[1:6], parts[6], parts[7:12]
    rest, ending = parts[12:]
    start = _seconds(first[0], first[1], first[2], first[4])
    end = _seconds(second[0], second[1], second[2], second[4])
    if end < start:
        raise FormatError("the subtitle ends before it begins", path=path, line=line)
    body = "".join(text)
    inner = body.rstrip("\r\n \t")
    label = "".join(name)

    def write(number: int, start: float, end: float, carrier: Carrier) -> str:
        heading = re.sub(r"\d+", str(number), label, count=1) if label.strip().isdigit() else label
        digits = len(first[4])
        # A cue needs a duration, even if only a moment of it is shown.
        end = max(end, start + 10.0**-digits)
        opening = _shown(start, first[0], first[3], digits)
        closing = _shown(end, second[0], second[3], len(second[4]))

        def moved(inside: re.Match[str]) -> str:
            hours, minutes, seconds, mark, fraction = inside.groups()
            time = _seconds(hours, minutes, seconds, fraction)
            return f"<{_shown(carrier.within(time, start, end), hours, mark, len(fraction))}>"

        shown = _INSIDE.sub(moved, inner)
        return f"{heading}{indent}{opening}{arrow}{closing}{rest}{ending}{shown}"

    return Block(before, start, end, body[len(inner) :], write)
