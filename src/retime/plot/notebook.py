"""Notebook displays of retime's types: an inline picture, a table, and the notes."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.errors import RetimeError
from retime.plot.contacts import contact_figure
from retime.plot.figures import png_of
from retime.plot.physics import physics_figure, region_figure, speeds_figure
from retime.plot.strips import strip_figure
from retime.plot.warps import warp_figure
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Bytes of a picture before it is written as text, which takes a third more: 200 kB in all.
_MOST_BYTES = 130_000
_RESOLUTIONS = (80, 64, 48, 32, 20)
_POSES = 9
# Rows of a table, and channels of a warp that are drawn.
_MOST_ROWS = 60
_MOST_NOTES = 20
# Frames of a model of physics.
_MOST_ANALYSED = 3000


def html_of(thing: Any) -> str | None:
    """Return the display of a notebook; ``None`` if a line of text suffices."""
    for kind in type(thing).__mro__:
        show = _SHOWN.get(kind.__name__)
        if show is not None and kind.__module__.startswith("retime."):
            return f'<div class="retime">{"".join(show(thing))}</div>'
    return None


def _motion(motion: Any) -> Iterable[str]:
    yield _line(repr(motion))
    if len(motion):
        yield _picture(lambda: strip_figure({"motion": motion}, poses=_POSES))
    yield _notes(motion.notes)


def _warp(warp: Any) -> Iterable[str]:
    yield _line(repr(warp))
    yield _picture(lambda: warp_figure({"warp": warp}))
    yield _notes(warp.notes)


def _recipe(recipe: Any) -> Iterable[str]:
    rows = []
    for number, step in enumerate(recipe.steps, 1):
        _, *told = step._facts()
        rows.append((str(number), step.label or step.method, ", ".join(told) or "defaults"))
    yield _table(("step", "method", "parameters"), rows)


def _evaluated(found: Any) -> Iterable[str]:
    yield _line(repr(found.motion))
    moved = {"source": found.source, "result": found.motion}
    yield _picture(lambda: strip_figure(moved, poses=_POSES))
    yield _picture(lambda: warp_figure({"warp": found.warp}))
    yield _notes(found.notes)


def _contacts(contacts: Sequence[Any]) -> Iterable[str]:
    yield _line(f"{len(contacts)} contacts")
    if contacts:
        end = max(c.end for c in contacts)
        yield _picture(lambda: contact_figure({"contact": contacts}, end))
    rows = [
        (
            c.joint,
            c.point.replace("_", " "),
            f"{c.start:.3f}",
            f"{c.end:.3f}",
            f"{c.confidence:.2f}",
        )
        for c in contacts
    ]
    yield _table(("joint", "point", "start (s)", "end (s)", "confidence"), rows)


def _found(found: Any) -> Iterable[str]:
    yield from _contacts(found.contacts)
    flights = ", ".join(f"{a:.2f} to {b:.2f} s" for a, b in found.flights)
    yield _line(f"flights: {flights or 'none'}; {found.unknown:.0%} of the frames not explained")


def _model(model: Any) -> Iterable[str]:
    yield _line(repr(model))
    # Contacts take about a millisecond per frame, so a long clip is not analysed for a picture.
    if len(model.times) <= _MOST_ANALYSED or "regions" in vars(model):
        begin, end = float(model.times[0]), float(model.times[-1])
        as_recorded = TimeWarp([begin, end], [begin, end])
        yield _line(
            f"feasible durations: {_range(model.minimum_duration(), model.maximum_duration())}"
        )
        yield _picture(lambda: physics_figure(model, as_recorded))
    yield from _flights(model.flights)
    yield _notes(model.notes)


def _range(shortest: float | None, longest: float | None) -> str:
    if shortest is None:
        return "none"
    return (
        f"{shortest:.3g} s or longer" if longest is None else f"{shortest:.3g} to {longest:.3g} s"
    )


def _extremes(found: Any) -> Iterable[str]:
    if found.fastest is None:
        yield _line(f"no timing is feasible: frame {found.stuck} leaves none")
        return
    speeds = {"fastest": np.sqrt(found.fastest), "slowest": np.sqrt(np.maximum(found.slowest, 0))}
    yield _line("the fastest and the slowest feasible timing")
    yield _picture(lambda: speeds_figure(speeds, None, "frame"))


def _solution(found: Any) -> Iterable[str]:
    yield _line(repr(found))
    speeds = {"found": np.sqrt(np.maximum(found.square_speed, 0))}
    yield _picture(lambda: speeds_figure(speeds, found.times, "output time (s)"))


def _region(region: Any) -> Iterable[str]:
    if region.empty:
        yield _line("no timing of this frame is feasible")
        return
    yield _line(f"feasible timings of one frame, {len(region.corners)} corners")
    yield _picture(lambda: region_figure(region))


def _flights(flights: Sequence[Any]) -> Iterable[str]:
    rows = [
        (f"{f.start:.2f} to {f.end:.2f}", f"{f.gravity:.2f}", "yes" if f.clear else "no")
        for f in flights
    ]
    yield _table(("flight (s)", "falls with (m/s²)", "clear"), rows)


def _violations(listed: Sequence[Any]) -> Iterable[str]:
    rows = [
        (
            f"{v.start:.2f} to {v.end:.2f}",
            v.cause,
            f"{v.rate:.2f}",
            f"{v.feasible_rate:.2f}",
            v.text,
        )
        for v in listed
    ]
    yield _table(("source (s)", "limit", "rate", "feasible rate", "why"), rows)


def _residuals(listed: Sequence[Any]) -> Iterable[str]:
    rows = [
        (r.name, f"{r.rms:.1f}", f"{r.most:.1f}", r.unit, f"{r.weights:.3f}", r.verdict)
        for r in listed
    ]
    yield _table(("residual", "rms", "max", "unit", "rms in body weights", "verdict"), rows)


def _explanation(told: Any) -> Iterable[str]:
    yield _line(f"{told.share:.0%} of the frames are feasible")
    yield from _violations(told.violations)


def _judgement(told: Any) -> Iterable[str]:
    yield from _explanation(told.explanation)
    yield from _residuals(told.residuals)
    yield from _flights(told.flights)
    yield _notes([str(n) for n in told.notes])


# By the name of a type: those of recipes and evaluation are beside or above this module.
_SHOWN: dict[str, Any] = {
    "Motion": _motion,
    "TimeWarp": _warp,
    "Recipe": _recipe,
    "Evaluated": _evaluated,
    "Contacts": _contacts,
    "FoundContacts": _found,
    "PhysicsModel": _model,
    "Extremes": _extremes,
    "Solution": _solution,
    "Region": _region,
    "Flight": lambda flight: _flights([flight]),
    "Violation": lambda violation: _violations([violation]),
    "Residual": lambda residual: _residuals([residual]),
    "Explanation": _explanation,
    "Judgement": _judgement,
}


def _line(text: str) -> str:
    return f"<p><code>{escape(text)}</code></p>"


def _picture(make: Any) -> str:
    """Draw a figure inline at the finest resolution that fits; ``None`` if it cannot be drawn."""
    try:
        figure: Figure = make()
    except RetimeError as e:
        return _line(f"no picture: {e}")
    for dpi in _RESOLUTIONS:
        data = png_of(figure, dpi=dpi)
        if len(data) <= _MOST_BYTES:
            break
    text = base64.b64encode(data).decode()
    return f'<img style="max-width:100%" src="data:image/png;base64,{text}"/>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = ["<tr>" + "".join(f"<th>{escape(h)}</th>" for h in header) + "</tr>"]
    lines += [
        "<tr>" + "".join(f'<td style="text-align:left">{escape(c)}</td>' for c in row) + "</tr>"
        for row in rows[:_MOST_ROWS]
    ]
    more = f"<p>and {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table>{''.join(lines)}</table>{more}"


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    listed = "".join(f"<li>{escape(str(n)[:500])}</li>" for n in notes[:_MOST_NOTES])
    return f"<ul>{listed}</ul>"
