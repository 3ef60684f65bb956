"""Print ``--help``: one screen of everyday options. ``--help-all`` prints every option.

An option of a panel is not an everyday one.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

import click

# Wider lines are hard to read; wider labels get a separate line.
_WIDEST, _WIDEST_LABEL = 100, 28
_TIMES = "Times are seconds (2.4), frames (48f), percent (80%) or minutes (1:02.5)."
# Everyday options, the most used first; pictures and files that are also written come last.
_FIRST = ("--duration", "--keytime", "--reference")
_LAST = ("--plot", "--strip", "--warp", "--hold", "--fps", "--json")
Rows = list[tuple[str, str]]


def command_page(command: click.Command, ctx: click.Context, *, whole: bool) -> str:
    """Return the help of a command: everyday options, or the ``whole`` text of every option."""
    panels: dict[str, Rows] = {"Arguments": [], "Options": []}
    words = [p for p in command.params if isinstance(p, click.Argument)]
    for w in words:  # a metavar in brackets keeps them in the usage only
        name = word(w)
        label = name if w.required else name.removeprefix("[").removesuffix("]")
        panels["Arguments"].append((label, _help(w)))
    for p in sorted(shown_options(command), key=_rank):
        panel = p.panel or "Options"  # type: ignore[attr-defined]
        panels.setdefault(panel, []).append((_label(p), _help(p) if whole else _first(_help(p))))
    shown = panels if whole else {k: panels[k] for k in ("Arguments", "Options")}
    tables = [(title, rows) for title, rows in shown.items() if rows]
    hidden = {title: rows for title, rows in panels.items() if title not in shown}
    end = []
    if any("TIME" in name for _, rows in tables for name, _ in rows):
        end.append(_TIMES)
    if hidden:
        count, topics = sum(map(len, hidden.values())), ", ".join(hidden).lower()
        end.append(f"{count} more options with --help-all: {topics}.")
    return _page(command, ctx, [*map(word, words), "[OPTIONS]"], tables, end)


def group_page(group: Any, ctx: click.Context, *, whole: bool) -> str:
    """Return the help of a group: its commands."""
    rows = [(_label(p), _help(p)) for p in shown_options(group) if whole or not p.panel]  # type: ignore[attr-defined]
    rows.append(("--help", f"Explain a command: {ctx.command_path} COMMAND --help"))
    tables = [*_parts(group.lines), ("Options", rows)]
    return _page(group, ctx, ["COMMAND", "..."], tables, [])


def _parts(lines: Any) -> Iterator[tuple[str, Rows]]:
    yield "Commands", list(lines.items())


def shown_options(command: click.Command) -> list[click.Option]:
    """Return the options of a command that its help lists, without those of every command."""
    options = [p for p in command.params if isinstance(p, click.Option)]
    return [p for p in options if not p.hidden and p.name != "help"]


def word(p: click.Parameter) -> str:
    """Return an argument as the usage shows it."""
    name = p.metavar or ""
    return name if p.required or name.startswith("[") else f"[{name}]"


def _help(p: Any) -> str:
    return p.help or ""


def _label(p: click.Option) -> str:
    flag = " / ".join([p.opts[0], *p.secondary_opts[:1]])
    return flag if p.is_flag else f"{flag} {p.metavar}"


def _rank(p: click.Option) -> int:
    """Return the place of an option among the others; those without one keep their order."""
    flag = p.opts[0]
    if flag in _FIRST:
        return _FIRST.index(flag) - len(_FIRST)
    return 1 + _LAST.index(flag) if flag in _LAST else 0


def _first(text: str) -> str:
    """Return the first sentence."""
    return re.split(r"(?<=\.) ", text, maxsplit=1)[0]


# ---- pages


def _page(
    command: click.Command,
    ctx: click.Context,
    usage: list[str],
    tables: list[tuple[str, Rows]],
    end: list[str],
) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    about, _, examples = inspect.cleandoc(command.help or "").partition("Examples\n--------\n")
    lines = [" ".join([_styled("Usage:", bold=True), ctx.command_path, *usage])]
    for paragraph in about.strip().split("\n\n"):
        lines += ["", textwrap.fill(paragraph.replace("\n", " "), width)]
    if examples:  # these are not wrapped
        lines += ["", *(f"  {line}" for line in examples.splitlines() if line)]
    for title, rows in tables:
        lines += ["", _styled(title, bold=True), *_table(rows, width)]
    return "\n".join([*lines, *([""] if end else []), *(textwrap.fill(e, width) for e in end)])


def _styled(text: str, **style: Any) -> str:
    """Return a text with codes of a terminal, which are removed where the output is none."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **style)


def _table(rows: Rows, width: int) -> Iterator[str]:
    room = max([len(n) for n, _ in rows if len(n) <= _WIDEST_LABEL], default=_WIDEST_LABEL) + 2
    for name, text in rows:
        label = _styled(f"  {name:{room}}", fg="cyan")
        if len(name) > room - 2:
            yield label
            label = " " * (room + 2)
        for line in textwrap.wrap(text, width - room - 2) or [""]:
            yield label + line
            label = " " * (room + 2)
