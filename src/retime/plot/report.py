"""One self-contained page about a motion or a retiming: the thing to send to a colleague."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts
from retime.body.measure.metrics import MEASURES, measure, skate_by_frame
from retime.io.files import write_bytes
from retime.motion import Motion
from retime.motion.contact import carry_contacts
from retime.plot.contacts import contact_figure
from retime.plot.strips import strip_figure
from retime.plot.warps import warp_figure
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
:root { color-scheme: light; font: 15px/1.5 system-ui, "Segoe UI", sans-serif; color: #22262d; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1.25rem; background: #fff; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.lead { color: #5a6270; margin: 0 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #e7eaef; }
td.number, th.number { text-align: right; } td.dim { color: #5a6270; }
.worse { color: #b03a2e; } .better { color: #2e7d4f; }
img { max-width: 100%; height: auto; } ul { padding-left: 1.2rem; }
"""
# Measures of which more is better; of the rest, less is, and some are neither.
_MORE_IS_BETTER = {"jerk", "contacts_kept", "unnoticed"}
_NEITHER = {"contacts", "flight_seconds", "rate_change", "bending", "slope_change"}


def write_report(
    path: str | Path,
    motion: Motion,
    *,
    title: str,
    source: Motion | None = None,
    warp: TimeWarp | None = None,
    truth: TimeWarp | None = None,
    evidence: FloatArray | None = None,
    min_contact: float = 0.1,
) -> None:
    """Write a page with metrics before and after, warp, film strips, contacts and worst frames.

    Parameters
    ----------
    path : str or Path
        The .html file to write; it needs no other file.
    motion : Motion
        The motion that the page is about.
    title : str
        Name of the motion on the page.
    source : Motion, optional
        Its source.
    warp : TimeWarp, optional
        From its time to the source's.
    truth : TimeWarp, optional
        Known correct warp.
    evidence : array (n, 2), optional
        Times of the motion, and how much a reference resembles it there, 0 to 1.
    min_contact : float
        Shortest contact, seconds; 0.1 suits running.
    """
    page = _Page(title, motion, source, warp, truth, evidence, min_contact)
    write_bytes(path, [html_page(title, page.sections())])


def html_page(title: str, sections: Iterable[str]) -> bytes:
    """Combine sections to a self-contained page."""
    body = "\n".join(sections)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )
    return text.encode()


@dataclass(frozen=True, eq=False)
class _Page:
    title: str
    motion: Motion
    source: Motion | None
    warp: TimeWarp | None
    truth: TimeWarp | None
    evidence: FloatArray | None
    min_contact: float

    def sections(self) -> Iterator[str]:
        motion = self.motion
        yield f"<h1>{escape(self.title)}</h1>"
        before = "" if self.source is None else f" from {self.source.duration:.2f} s"
        yield (
            f'<p class="lead">{motion.duration:.2f} s{before}, {len(motion)} frames at '
            f"{motion.rate:g} fps, {len(motion.skeleton)} joints</p>"
        )
        yield "<h2>Quality</h2>" + self._table()
        if self.warp is not None:
            yield "<h2>Timing</h2>"
            warps = {"this warp": self.warp}
            if self.truth is not None:
                warps["true warp"] = self.truth
            drawn = warp_figure(warps, evidence=self.evidence)
            yield picture(drawn, "Source against output time; the rate below")
        yield "<h2>Film strip</h2>"
        strips = {} if self.source is None else {"source": self.source}
        yield picture(strip_figure(strips | {"this motion": motion}), "Poses at equal time steps")
        yield from self._contacts()
        yield from self._worst()
        notes = [*(self.source.notes if self.source else ()), *motion.notes]
        if notes:
            items = "".join(f"<li>{escape(n)}</li>" for n in dict.fromkeys(notes))
            yield f"<h2>Notes</h2><ul>{items}</ul>"

    def _table(self) -> str:
        after = measure(
            self.motion,
            source=self.source,
            warp=self.warp,
            truth=self.truth,
            min_contact=self.min_contact,
        )
        before = {} if self.source is None else measure(self.source, min_contact=self.min_contact)
        head = '<tr><th>measure</th><th class="number">this motion</th>'
        head += '<th class="number">source</th>' if before else ""
        rows = [head + "<th>unit</th><th>meaning</th></tr>"]
        for name, value in after.items():
            about = MEASURES[name]
            old = before.get(name)
            kind = _verdict(name, value, old)
            row = f"<td>{name.replace('_', ' ')}</td>"
            row += f'<td class="number {kind}">{about.text(value)}</td>'
            if before:
                row += f'<td class="number">{"" if old is None else about.text(old)}</td>'
            row += f'<td class="dim">{about.unit}</td><td class="dim">{about.meaning}</td>'
            rows.append(f"<tr>{row}</tr>")
        return "<table>" + "".join(rows) + "</table>"

    def _contacts(self) -> Iterator[str]:
        found = {}
        if self.source is not None:
            found["source"] = detect_contacts(self.source, min_contact=self.min_contact)
        if self.source is not None and self.warp is not None:
            period = self.source.duration if self.warp.loop else None
            found["this motion"] = carry_contacts(found["source"], self.warp, period=period)
        else:
            found["this motion"] = detect_contacts(self.motion, min_contact=self.min_contact)
        yield "<h2>Contacts</h2>"
        if not any(found.values()):
            yield "<p>No contacts were found.</p>"
            return
        end = max(m.domain[1] for m in (self.motion, self.source) if m is not None)
        yield picture(contact_figure(found, end), "When feet stand")

    def _worst(self) -> Iterator[str]:
        skate = skate_by_frame(self.motion) * self.motion.rate
        frames = _peaks(skate, self.motion.rate)
        if not len(frames):
            return
        yield "<h2>Worst frames</h2><table><tr><th>frame</th><th>time</th><th>foot skate</th></tr>"
        for frame in frames:
            yield (
                f'<tr><td class="number">{frame}</td><td>{self.motion.times[frame]:.2f} s</td>'
                f'<td class="number">{100 * skate[frame]:.1f} cm/s</td></tr>'
            )
        yield "</table>"


def _verdict(name: str, value: float, old: float | None) -> str:
    if old is None or name in _NEITHER or abs(value - old) <= 0.05 * abs(old) + 1e-9:
        return ""
    return "better" if (value > old) == (name in _MORE_IS_BETTER) else "worse"


def _peaks(values: FloatArray, rate: float, *, most: int = 5, apart: float = 0.25) -> list[int]:
    """Return the frames of the largest values, not too near to each other."""
    out: list[int] = []
    for frame in np.argsort(values)[::-1]:
        if values[frame] <= 0.05 or len(out) == most:
            break
        if all(abs(int(frame) - f) > apart * rate for f in out):
            out.append(int(frame))
    return sorted(out)


def picture(figure: Figure, alt: str) -> str:
    """Write a figure into a page, as a part of its text."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<p><img alt="{escape(alt)}" src="data:image/png;base64,{data}"></p>'
