r"""Audacity labels: start, end and name per line, separated by tabs.

A line that begins with a backslash contains the frequencies of the label before it, and moves with
it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from retime.errors import FormatError
from retime.media.timelines.blocks import Block, EventText
from retime.media.timelines.carrying import Carrier

_NUMBER = r"-?\d{1,9}(?:[.,]\d{0,12})?"
_LABEL = re.compile(rf"^({_NUMBER})\t({_NUMBER})((?:\t[^\r\n]*)?)([\r\n]*)$")


def parse_labels(lines: list[str], path: Path) -> EventText:
    """Parse a label track."""
    blocks: list[Block] = []
    n = 0
    head, gap = "", ""
    while n < len(lines):
        line, first = lines[n], n
        n += 1
        if not line.strip():
            if blocks:
                gap += line
            else:
                head += line
            continue
        if gap:
            blocks[-1], gap = replace(blocks[-1], after=blocks[-1].after + gap), ""
        found = _LABEL.match(line)
        if found is None:
            raise FormatError(
                "not a label: start and end in seconds and a name, with tabs between",
                path=path,
                line=first + 1,
            )
        more = ""
        while n < len(lines) and lines[n].startswith("\\"):
            more += lines[n]
            n += 1
        blocks.append(_block(found, more, path, first + 1))
    if gap:
        blocks[-1] = replace(blocks[-1], after=blocks[-1].after + gap)
    if not blocks:
        raise FormatError("there is no label in the file", path=path)
    return EventText(head, tuple(blocks), "")


def _block(found: re.Match[str], more: str, path: Path, line: int) -> Block:
    opening, closing, name, ending = found.groups()
    start, end = (float(v.replace(",", ".")) for v in (opening, closing))
    if end < start:
        raise FormatError("the label ends before it begins", path=path, line=line)
    mark = "," if "," in opening else "."
    digits = max(len(re.split("[.,]", opening)[-1]) if re.search("[.,]", opening) else 0, 6)
    body = f"{name}{ending}{more}"
    inner = body.rstrip("\r\n")

    def write(number: int, start: float, end: float, carrier: Carrier) -> str:
        times = (f"{t:.{digits}f}".replace(".", mark) for t in (start, end))
        return "\t".join(times) + inner

    return Block("", start, None if end == start else end, body[len(inner) :], write)
