"""Draw docs/pictures/groups-*.png: two people shake hands, and two throw and catch a ball."""

from __future__ import annotations

from pathlib import Path

from retime import Link, Shared, group, samples
from retime.plot.warps import draw_warps

PICTURES = Path(__file__).with_name("pictures")


def draw_handshake() -> None:
    """Draw the warps of a handshake in which Ann raises her hand earlier."""
    ann, ben = samples.handshake()
    spans = [(1.2, 2.7)]
    result = group(
        {"Ann": ann, "Ben": ben},
        duration=3.0,
        shared=[Shared(*span) for span in spans],
        keytimes={"Ann": [(0.3, 0.9)]},
    )
    draw_warps(result.warps, PICTURES / "groups-handshake.png", shared=spans)


def draw_throw() -> None:
    """Draw the warps of a throw: the ball flies as long as it did."""
    ann, ben, _ = samples.throw()
    result = group({"Ann": ann, "Ben": ben}, duration=3.0, links=[Link("Ann", 1.6, "Ben", 2.3)])
    draw_warps(result.warps, PICTURES / "groups-throw.png")


if __name__ == "__main__":
    draw_handshake()
    draw_throw()
