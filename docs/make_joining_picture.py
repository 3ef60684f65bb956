"""Draw docs/pictures/joining.png: a walk into a jump, and the path of its hips beside a cut's."""

from __future__ import annotations

from pathlib import Path

from retime import concatenate, join, samples
from retime.plot.strips import StripRow
from retime.plot.style import FAINT, INK, RETIMED, canvas, plain, save

PICTURE = Path(__file__).with_name("pictures") / "joining.png"
# Seconds between poses, and the times that are shown; the width of a pose, in seconds of a strip.
_DRAWN = 0.62
_STEP, _SHOWN = 0.5, (-0.3, 7.8)


def main() -> None:
    """Draw the picture."""
    walk, jump = samples.walk(), samples.jump()
    joined, cut = join(walk, jump), concatenate([walk, jump])
    figure = canvas(9.0, 4.6)
    strip, path = figure.subplots(2, 1, height_ratios=(3, 2))
    row = StripRow.of(joined, _STEP)
    row.draw(strip, _DRAWN, RETIMED)
    strip.set_ylim(row.bottom, row.top)
    strip.set_xlim(*_SHOWN)
    path.set_xlim(*_SHOWN)
    for motion, colour, name in ((cut, FAINT, "cut"), (joined, RETIMED, "join")):
        hips = motion.root_translation
        path.plot(motion.times, hips[:, 2], color=colour, linewidth=2, label=name)
    path.set_xlabel("time (s)", color=INK)
    path.set_ylabel("hips, forwards (m)", color=INK)
    path.legend(frameon=False)
    plain(path)
    save(figure, PICTURE)


if __name__ == "__main__":
    main()
