"""Draw docs/pictures/layers.svg: the packages in the order in which they may import each other.

The order is the contract "Layers" of pyproject.toml. ``--check`` only compares, for the tests.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "layers.svg"
# Pixels: height of a row, of a box, of text; width of a character and of the picture; gap.
_ROW, _BOX, _TEXT, _CHARACTER, _WIDTH, _GAP = 30, 24, 13, 7.6, 760, 8
# Small modules at the bottom are one row.
_BASE = "parameters"


def layers() -> list[list[str]]:
    """Return the rows of packages, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = next(c["layers"] for c in contracts if c["name"] == "Layers")
    named = [[n.strip().removeprefix("retime.") for n in row.split("|")] for row in rows]
    base = next(k for k, row in enumerate(named) if _BASE in row)
    return [*named[:base], [name for row in named[base:] for name in row]]


def picture(rows: list[list[str]]) -> str:
    """Return the SVG."""
    out = []
    y = 4.0
    for row in rows:
        widths = [_CHARACTER * len(name) + 14 for name in row]
        lines, line = [], []
        for name, width in zip(row, widths, strict=True):
            if line and sum(w + _GAP for _, w in line) + width > _WIDTH - 8:
                lines.append(line)
                line = []
            line.append((name, width))
        for boxes in [*lines, line]:
            x = (_WIDTH - sum(w for _, w in boxes) - _GAP * (len(boxes) - 1)) / 2
            for name, width in boxes:
                out.append(
                    f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{_BOX}" rx="4" '
                    'fill="#f3f0fd" stroke="#7a5cf0"/>'
                    f'<text x="{x + width / 2:.1f}" y="{y + 16:g}">{escape(name)}</text>'
                )
                x += width + _GAP
            y += _ROW
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y:g}" '
        f'viewBox="0 0 {_WIDTH} {y:g}" font-family="monospace" font-size="{_TEXT}" '
        'text-anchor="middle" fill="#22262d">'
        f'<rect width="{_WIDTH}" height="{y:g}" fill="white"/>'
    )
    return "\n".join([head, *out, "</svg>"]) + "\n"


if __name__ == "__main__":
    made = picture(layers())
    if "--check" in sys.argv:
        sys.exit(0 if PICTURE.read_text(encoding="utf-8") == made else f"{PICTURE.name} is stale")
    PICTURE.write_text(made, encoding="utf-8")
