"""Write docs/reference.md from the code: commands, methods, formats, errors.

Run by ``make docs``; ``--check`` only compares, for the tests.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import retime
from retime.cli import COMMANDS, program
from retime.cli.help import shown_options
from retime.io import FORMATS
from retime.methods import METHODS
from retime.parameters import declared

PAGE = Path(__file__).with_name("reference.md")


def _row(*cells: str) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _command(words: list[str], command: Any) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from _command([*words, name], command.get_command(click.Context(command), name))
        return
    usage = " ".join(p.metavar for p in command.params if isinstance(p, click.Argument))
    yield f"### `{' '.join(words)} {usage}`\n"
    yield _with_examples(inspect.cleandoc(command.help or "")) + "\n"
    yield _row("option", "meaning")
    yield _row("---", "---")
    for p in shown_options(command):
        value = f" {p.metavar}" if p.metavar else ""
        yield _row(f"`{p.opts[0]}{value}`", p.help or "")
    yield ""


def _with_examples(text: str) -> str:
    """Return the help of a command with its examples as a block of code."""
    about, _, listed = text.partition("Examples\n--------\n")
    about, _, single = about.partition("Example: ")
    examples = [line for line in (listed or single).splitlines() if line]
    if not examples:
        return about
    return "\n".join([about.rstrip() + "\n", "```text", *examples, "```"])


def _type(kind: Any) -> str:
    text = kind.__name__ if isinstance(kind, type) else str(kind)
    return (
        text.replace("typing.", "")
        .replace("retime.timing.warp.", "")
        .replace("retime.motion.layers.", "")
    )


def page() -> str:
    """Make the page."""
    lines = ["# Reference", "", "Made from the code by `make docs`; do not edit.", ""]
    lines += ["## Commands", ""]
    app = program()
    for name in COMMANDS:
        lines += list(_command(["retime", name], app.get_command(click.Context(app), name)))
    lines += [
        "## Methods",
        "",
        "A recipe's steps name these; each returns a warp, a pose layer or a fix.",
        "",
    ]
    for method in METHODS.values():
        lines += [f"### `{method.name}`", "", method.summary, ""]
        lines += [_row("parameter", "type", "default", "unit", "meaning"), _row(*["---"] * 5)]
        for p in declared(method.parameters):
            default = "required" if p.required else repr(p.default)
            meaning = p.about.help_with_choices(lambda choice: f"`{choice.value}`")
            lines.append(
                _row(f"`{p.name}`", f"`{_type(p.type)}`", f"`{default}`", p.about.unit, meaning)
            )
        lines.append("")
    lines += ["## Formats", "", _row("format", "suffixes", "what"), _row("---", "---", "---")]
    for form in FORMATS.values():
        lines.append(_row(form.name, " ".join(form.suffixes), form.summary))
    lines += ["", "## Errors", "", _row("error", "meaning"), _row("---", "---")]
    for name in retime.__all__:
        if name.endswith(("Error", "Warning")):
            first = (inspect.getdoc(getattr(retime, name)) or "").splitlines()[0]
            lines.append(_row(f"`{name}`", first))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == text else "docs/reference.md is stale")
    PAGE.write_text(text)
    print(f"wrote {PAGE.name}")
