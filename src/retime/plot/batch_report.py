"""One page about a batch: accepted and rejected results, reasons, and distributions of measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from retime.body.measure.metrics import Measure
from retime.errors import RetimeError
from retime.io.files import write_bytes
from retime.motion import Motion
from retime.plot.report import html_page, picture
from retime.plot.strips import strip_figure
from retime.plot.style import INK, KEY, RETIMED, SERIES, canvas, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Rows of the tables of rejected and of failed results; the CSV has all.
_LISTED = 200
_BINS = 40
# Values beyond this percentile are counted at the edge: one outlier must not hide the rest.
_EDGE = 99.0
_ACROSS = 3
_NOTHING = 1e-6


class ClipResult(Protocol):
    """Data of one result for the page."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def state(self) -> str: ...  # noqa: D102
    @property
    def verdict(self) -> str: ...  # noqa: D102
    @property
    def reasons(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def measures(self) -> Mapping[str, float] | None: ...  # noqa: D102
    @property
    def seconds(self) -> float: ...  # noqa: D102
    @property
    def clip_seconds(self) -> float: ...  # noqa: D102
    @property
    def error(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Strip:
    """A result to draw, with its source if that still exists."""

    name: str
    reasons: Sequence[str]
    source: Motion | None
    result: Motion


def write_batch_report(
    path: Path,
    results: Sequence[ClipResult],
    *,
    title: str,
    about: Mapping[str, Any],
    limits: Mapping[str, Mapping[str, Any]],
    measures: Mapping[str, Measure],
    strips: Sequence[Strip] = (),
    tables: Sequence[str] = (),
) -> None:
    """Write a page about a batch; it needs no other file.

    Parameters
    ----------
    path : Path
        The .html file to write.
    results : sequence of ClipResult
        All results, including failed ones.
    title : str
        Name of the batch on the page.
    about : mapping
        Facts from the manifest: recipe, library, variations.
    limits : mapping of str to mapping
        The gate, as in its file.
    measures : mapping of str to Measure
        Descriptions of the measures.
    strips : sequence of Strip
        The worst results, worst first.
    tables : sequence of str
        Names of the tables that are beside the page.
    """
    done = [r for r in results if r.state == "done"]
    counts = Counter(r.verdict if r.state == "done" else r.state for r in results)
    shown = ", ".join(f"{counts[n]} {n}" for n in ("accepted", "rejected", "failed"))
    if counts["running"]:
        shown += f", {counts['running']} begun and not finished"
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{len(results)} results: {shown}</p>',
        _about(about, done, tables),
        *_measured(results, done, limits, measures),
        *_offenders(strips, "Worst offenders" if limits else "Most foot skate"),
        *_listed("Rejected", [(r.name, "; ".join(r.reasons)) for r in done if r.reasons]),
        *_listed("Failed", [(r.name, r.error) for r in results if r.state == "failed"]),
    ]
    write_bytes(path, [html_page(title, sections)])


def _measured(
    results: Sequence[ClipResult],
    done: Sequence[ClipResult],
    limits: Mapping[str, Mapping[str, Any]],
    measures: Mapping[str, Measure],
) -> Iterator[str]:
    if limits:
        yield "<h2>Gate</h2>" + _gate(results, limits, measures)
    names = [n for n in measures if any(n in (r.measures or {}) for r in done)]
    if names:
        yield "<h2>Distributions</h2>"
        yield picture(_histograms(done, names, limits, measures), "How measures are spread")


def _about(about: Mapping[str, Any], done: Sequence[ClipResult], tables: Sequence[str]) -> str:
    steps = [s.get("method", "") for s in about.get("recipe", {}).get("steps", [])]
    rows = [
        ("library", str(about.get("library", ""))),
        ("recipe", ", then ".join(steps) or "no steps"),
        ("varied", ", ".join(about.get("vary", [])) or "nothing"),
        ("copies, seed", f"{about.get('copies', 1)}, {about.get('seed', 0)}"),
        ("retime", str(about.get("retime", ""))),
    ]
    if done:
        work, motion = sum(r.seconds for r in done), sum(r.clip_seconds for r in done)
        middle = 1e3 * float(np.median([r.seconds for r in done]))
        text = f"{middle:.0f} ms per result (median); {motion:.0f} s of motion in {work:.0f} s"
        rows.append(("work", text))
    cells = "".join(f"<tr><td>{k}</td><td>{escape(v)}</td></tr>" for k, v in rows)
    links = ", ".join(f'<a href="{escape(t)}">{escape(t)}</a>' for t in tables)
    return f"<table>{cells}<tr><td>tables</td><td>{links}</td></tr></table>"


def _gate(
    results: Sequence[ClipResult],
    limits: Mapping[str, Mapping[str, Any]],
    measures: Mapping[str, Measure],
) -> str:
    rows = ["<tr><th>measure</th><th>limit</th><th>unit</th><th>rejected by it</th></tr>"]
    for name, limit in limits.items():
        text = name.replace("_", " ")
        ends = [f"at {'least' if k == 'min' else 'most'} {limit[k]:g}" for k in ("min", "max")
                if k in limit]  # fmt: skip
        count = sum(any(reason.startswith(f"{text} ") for reason in r.reasons) for r in results)
        rows.append(
            f"<tr><td>{text}</td><td>{', '.join(ends)}</td>"
            f'<td class="dim">{measures[name].unit}</td><td class="number">{count}</td></tr>'
        )
    return "<table>" + "".join(rows) + "</table>"


def _histograms(
    done: Sequence[ClipResult],
    names: Sequence[str],
    limits: Mapping[str, Mapping[str, Any]],
    measures: Mapping[str, Measure],
) -> Figure:
    lines = -(-len(names) // _ACROSS)
    figure = canvas(4.2 * _ACROSS, 2.4 * lines)
    for k, name in enumerate(names):
        axes = figure.add_subplot(lines, _ACROSS, k + 1)
        _histogram(axes, done, name, limits.get(name, {}))
        unit = f" ({measures[name].unit})" if measures[name].unit else ""
        axes.set_title(name.replace("_", " ") + unit, loc="left", fontsize=10, color=INK)
        if k == 0 and any(r.verdict == "rejected" for r in done):
            axes.legend(frameon=False, fontsize=8)
    return figure


def _histogram(
    axes: Axes, done: Sequence[ClipResult], name: str, limit: Mapping[str, Any]
) -> None:  # fmt: skip
    found: dict[str, list[float]] = {"accepted": [], "rejected": []}
    for r in done:
        if r.measures is not None and name in r.measures:
            found[r.verdict].append(r.measures[name])
    # Values near 0 become 0, so that rounding errors do not fill an axis.
    values = {n: np.where(np.abs(v) < _NOTHING, 0.0, v) for n, v in found.items()}
    every = np.concatenate(list(values.values()))
    ends = [limit[k] for k in ("min", "max") if k in limit]
    low, high = np.percentile(every, [100 - _EDGE, _EDGE])
    low, high = min(low, *ends, high), max(high, *ends, low)
    edges = np.linspace(low, high if high > low else low + 1e-9 + abs(low) * 1e-6, _BINS + 1)
    axes.hist(
        [np.clip(v, low, high) for v in values.values()], edges.tolist(), stacked=True,
        color=[RETIMED, SERIES[2]], label=list(values),
    )  # fmt: skip
    for end in ends:
        axes.axvline(end, color=KEY, linewidth=1.5)
    plain(axes)
    axes.locator_params(axis="y", integer=True, nbins=4)
    axes.locator_params(axis="x", nbins=5)


def _offenders(strips: Sequence[Strip], title: str) -> Iterator[str]:
    if strips:
        yield f"<h2>{title}</h2>"
    for strip in strips:
        yield from _drawn(strip)


def _drawn(strip: Strip) -> Iterator[str]:
    reasons = "; ".join(strip.reasons)
    yield f"<p><b>{escape(strip.name)}</b> {escape(reasons)}</p>"
    motions = {} if strip.source is None else {"source": strip.source}
    try:
        figure = strip_figure({**motions, "result": strip.result}, poses=10)
    except RetimeError as e:
        yield f"<p>It cannot be drawn: {escape(str(e))}</p>"
        return
    yield picture(figure, f"Film strip of {strip.name}")


def _listed(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not rows:
        return
    more = f" (the first {_LISTED} of {len(rows)})" if len(rows) > _LISTED else ""
    yield f"<h2>{title}{more}</h2><table>"
    for name, text in rows[:_LISTED]:
        yield f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>"
    yield "</table>"
