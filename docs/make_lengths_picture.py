"""Make the picture of the page on lengths: a jump whose landing is pinned."""

from __future__ import annotations

from pathlib import Path

import retime
from retime.plot.length_tables import draw_lengths

PICTURE = Path(__file__).parent / "pictures" / "lengths.png"

if __name__ == "__main__":
    jump = retime.samples.jump()
    draw_lengths(
        retime.lengths(jump, moments={"take-off": 1.45, "land": 2.0}, pins={"land": "60%"}), PICTURE
    )
