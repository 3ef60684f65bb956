"""Draw docs/pictures of reaching, secondary motion and tween tools, on bundled motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.methods.secondary import Follower
from retime.plot.style import INK, ORIGINAL, RETIMED, canvas, plain, save

PICTURES = Path(__file__).with_name("pictures")


def draw_response() -> None:
    """Draw how a follower lags, overshoots and settles."""
    times = np.linspace(0, 2.5, 301)
    u = np.clip((times - 0.3) / 0.4, 0, 1)
    angle = (60 * u**3 * (10 - 15 * u + 6 * u * u))[:, None]
    figure = canvas(7.0, 3.0)
    axes = figure.subplots()
    axes.plot(times, angle, color=ORIGINAL, linewidth=2, label="source")
    for damping, style in ((0.3, "-"), (1.0, "--")):
        behind = angle + Follower(2.0, damping).lag(times, angle)
        name = f"frequency 2 Hz, damping {damping:g}"
        axes.plot(times, behind, style, color=RETIMED, linewidth=2, label=name)
    axes.set_xlabel("time (s)", color=INK)
    axes.set_ylabel("angle (degrees)", color=INK)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    save(figure, PICTURES / "secondary-response.png")


def main() -> None:
    """Draw all pictures."""
    draw_response()


if __name__ == "__main__":
    main()
