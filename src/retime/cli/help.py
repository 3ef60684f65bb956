"""Print ``--help``: one screen of everyday options. ``--help-all`` prints every option.

An option in a named panel (``rich_help_panel``) is not an everyday one.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from retime.cli.usage import in_one_sentence
from retime.errors import InputError, did_you_mean

# Wider lines are hard to read; wider labels get a separate line.
_WIDEST, _WIDEST_LABEL = 100, 28
_HELP_ALL, _EVERY = "--help-all", "retime.help_all"
_TIMES = "Times are seconds (2.4), frames (48f), percent (80%) or minutes (1:02.5)."
# Everyday options, the most used first; pictures and files that are also written come last.
_FIRST = ("--duration", "--keytime", "--reference")
_LAST = ("--plot", "--strip", "--warp", "--hold", "--fps", "--json")
# A paragraph, or a title above names and their texts.
Part = str | tuple[str, list[tuple[str, str]]]
# Names and their texts, by the title above them.
Panels = dict[str, list[tuple[str, str]]]


class Command(TyperCommand):
    """A command whose help fits a screen."""

    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments."""
        with in_one_sentence(self, _path(info_name, parent), args):
            return super().make_context(info_name, args, parent, **extra)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the name of the command in its usage."""
        return [*(_argument(p) for p in self.params if _is_argument(p)), "[OPTIONS]"]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_page(self, ctx, _options(self, ctx)))


class Group(TyperGroup):
    """A group of commands whose help lists them."""

    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments before the command; without any, print the help."""
        with in_one_sentence(self, _path(info_name, parent), args):
            return super().make_context(info_name, args or ["--help"], parent, **extra)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first argument names."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            near = did_you_mean(args[0], self.commands)
            raise InputError(
                f"there is no command {args[0]!r}{near} (see {ctx.command_path} --help)"
            )
        return super().resolve_command(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the name of the group in its usage."""
        return ["COMMAND", "..."]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_page(self, ctx, _commands(self, ctx)))


def _path(name: Any, parent: Any) -> str:
    """Return how a command is called, such as ``retime warp make``."""
    return f"{parent.command_path} {name}" if parent is not None else str(name)


def take_help_all(arguments: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Replace ``--help-all`` by ``--help``.

    Returns
    -------
    tuple of list and dict
        The arguments, and the context object that records which of the two was given.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if _HELP_ALL not in arguments[:end]:
        return arguments, {}
    plain = ["--help" if a == _HELP_ALL and k < end else a for k, a in enumerate(arguments)]
    return plain, {_EVERY: True}


def _page(command: Any, ctx: Any, parts: Iterator[Part]) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = [
        _styled("Usage:", bold=True)
        + " ".join(["", ctx.command_path, *command.collect_usage_pieces(ctx)])
    ]
    for part in (*_paragraphs(command.help), *parts):
        lines.append("")
        lines += _filled(part, width) if isinstance(part, str) else _table(*part, width)
    return "\n".join([*lines, ""])


def _styled(text: str, **style: Any) -> str:
    """Return a text with codes of a terminal, which are removed where the output is none."""
    return text if os.environ.get("NO_COLOR") else typer.style(text, **style)


def _paragraphs(text: str | None) -> list[str]:
    """Split a docstring into paragraphs of one line; indented examples are the last one."""
    before, _, after = inspect.cleandoc(text or "").partition("Examples\n--------\n")
    paragraphs = [p.replace("\n", " ") for p in before.strip().split("\n\n")]
    examples = "\n".join(f"  {line}" for line in after.splitlines() if line.strip())
    return [*paragraphs, *([examples] if examples else [])]


def _filled(paragraph: str, width: int) -> list[str]:
    if paragraph.startswith("  "):  # examples are not wrapped
        return [paragraph]
    return [textwrap.fill(line, width) for line in paragraph.splitlines()]


def _table(title: str, rows: list[tuple[str, str]], width: int) -> Iterator[str]:
    room = max([len(n) for n, _ in rows if len(n) <= _WIDEST_LABEL], default=_WIDEST_LABEL) + 2
    yield _styled(title, bold=True)
    for name, text in rows:
        summary = inspect.cleandoc(text).split("\n\n")[0]
        label = _styled(f"  {name:{room}}", fg="cyan")
        if len(name) > room - 2:
            yield label
            label = " " * (room + 2)
        for line in textwrap.wrap(summary, width - room - 2) or [""]:
            yield label + line
            label = " " * (room + 2)


def _is_argument(parameter: Any) -> bool:
    return not parameter.opts[0].startswith("-")


def _argument(parameter: Any) -> str:
    name: str = parameter.metavar or parameter.name.upper()
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _is_for_all(ctx: Any) -> bool:
    """Return whether ``--help-all`` was given."""
    return bool((ctx.find_root().obj or {}).get(_EVERY))


def _options(command: Any, ctx: Any) -> Iterator[Part]:
    every = _is_for_all(ctx)
    panels = _panels(command.params, whole=every)
    shown = panels if every else {k: panels[k] for k in ("Arguments", "Options")}
    yield from ((title, rows) for title, rows in shown.items() if rows)
    hidden = {title: rows for title, rows in panels.items() if title not in shown}
    end = [*_about_times(shown), *_about_hidden(hidden)]
    if end:
        yield "\n".join(end)


def _about_times(shown: Panels) -> list[str]:
    names = [name for rows in shown.values() for name, _ in rows]
    return [_TIMES] if any("TIME" in name for name in names) else []


def _about_hidden(hidden: Panels) -> list[str]:
    if not hidden:
        return []
    count, topics = sum(map(len, hidden.values())), ", ".join(hidden).lower()
    return [f"{count} more options with {_HELP_ALL}: {topics}."]


def _panels(parameters: Any, *, whole: bool) -> Panels:
    """Return names and texts by panel: ``whole`` texts, or the first sentences of options."""
    panels: Panels = {"Arguments": [], "Options": []}
    for p in sorted(parameters, key=_rank):
        text = p.help or ""
        if _is_argument(p):
            name = _argument(p)
            if not p.required:  # one pair of brackets around the whole
                name = name.removeprefix("[").removesuffix("]")
            panels["Arguments"].append((name, text))
        elif p.name != "help":
            panel = getattr(p, "rich_help_panel", None) or "Options"
            panels.setdefault(panel, []).append((_option(p), text if whole else _first(text)))
    return panels


def _rank(p: Any) -> int:
    """Return the place of an option among the others; those without one keep their order."""
    flag = p.opts[0]
    if flag in _FIRST:
        return _FIRST.index(flag) - len(_FIRST)
    return 1 + _LAST.index(flag) if flag in _LAST else 0


def _option(p: Any) -> str:
    flag = " / ".join([p.opts[0], *p.secondary_opts[:1]])
    return flag if p.is_flag else f"{flag} {p.metavar or 'TEXT'}"


def _first(text: str) -> str:
    """Return the first sentence."""
    return re.split(r"(?<=\.) ", text, maxsplit=1)[0]


def _commands(group: Any, ctx: Any) -> Iterator[Part]:
    yield "Commands", [(name, c.help or "") for name, c in group.commands.items()]
    rare = () if _is_for_all(ctx) else ("install_completion", "show_completion")
    options = [(_option(p), p.help or "") for p in group.params if p.name not in ("help", *rare)]
    yield "Options", [*options, ("--help", f"Explain a command: {ctx.command_path} COMMAND --help")]
