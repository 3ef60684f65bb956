"""One-line summaries of steps, for lists.

Times stand between two ``TIME`` characters, in seconds: windows show them in the chosen unit.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from retime.parameters import declared
from retime.recipe import Step

TIME = "\x1f"  # ASCII's separator of units, which no name contains


def line_of(step: Step) -> str:
    """Return a short summary of a step."""
    said = _LINES.get(step.method)
    return "" if said is None else said(step.parameters)


def _timed(p: Any, *more: str) -> str:
    parts = [_length(getattr(p, "duration", None)), _count(len(p.keytimes), "keytime"), *more]
    return ", ".join(x for x in parts if x) or "length unchanged"


def _guided(p: Any) -> str:
    like = ", ".join(Path(str(r)).stem for r in (p.reference or ())[:2])
    return _timed(p, f"like {like}" if like else "")


def _physics(p: Any) -> str:
    return _timed(p, *_world(p))


def _sync(p: Any) -> str:
    beats = _count(len(p.beats), "beat")
    return beats or (f"{p.bpm:g} beats a minute" if p.bpm else "no beats yet")


def _warp(p: Any) -> str:
    return _time(p.warp.duration) if hasattr(p.warp, "duration") else "given"


_LINES: dict[str, Callable[[Any], str]] = {
    "spline": _timed,
    "guided": _guided,
    "physics": _physics,
    "align": lambda p: f"to {Path(str(p.reference)).stem}",
    "sync": _sync,
    # A window words a single surface itself: it names joints by their roles.
    "surface": lambda p: _count(len(p.keys), "surface") or "no surface yet",
    "stagger": lambda p: _count(len(getattr(p, "edits", ())), "edit") or "poses found",
    "tween": lambda p: _count(len(p.tweens) + len(p.eases), "tween") or "no tween yet",
    "secondary": lambda p: f"strength {p.strength:g}",
    "hold": lambda p: ", ".join(p.joints) or "contacts found",
    "warp": _warp,
}


def _length(duration: float | str | None) -> str:
    if duration is None:
        return ""
    return "length free" if duration == "free" else f"to {_time(float(duration))}"


def _time(seconds: float) -> str:
    return f"{TIME}{seconds:.4f}{TIME}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""


def _world(p: Any) -> list[str]:
    """Return the changes of gravity, loads, strength and ground in words."""
    usual = {f.name: f.default for f in declared(type(p))}
    about = {f.name: f.about for f in declared(type(p))}
    out = []
    if p.gravity != usual["gravity"]:
        out.append(f"gravity {about['gravity'].word_for(p.gravity) or _gravity(p.gravity)}")
    out += [f"{kilograms:g} kg on {place}" for place, kilograms in p.load]
    out += [f"{joint} × {factor:g}" for joint, factor in dict(p.mass_scale).items()]
    if p.strength != usual["strength"]:
        out.append(f"strength {p.strength:.0%}")
    if p.friction != usual["friction"]:
        word = about["friction"].word_for(p.friction)
        out.append(f"on {word} ground" if word else f"friction {p.friction:g}")
    return out


def _gravity(value: object) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, int | float) else "tilted"
