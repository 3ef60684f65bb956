"""Report wrong arguments in one sentence: what is wrong, where, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from retime.errors import InputError, did_you_mean

# The parser's own base class of usage errors, wherever the installed version of typer keeps it.
_UsageError: Any = typer.BadParameter.__mro__[1]
# The parser's messages about values, and plainer words.
_PLAINER = (
    (r".* is not a valid int(eger)?", "expected a whole number"),
    (r".* is not a valid float", "expected a number"),
    (r".* is not in the range x>=(.+)", r"the minimum is \1"),
    (r".* is not in the range x<=(.+)", r"the maximum is \1"),
    (r".* is not in the range x>(.+)", r"it must be above \1"),
    (r".* is not in the range (.+)<=x<=(.+)", r"expected a value from \1 to \2"),
)


@contextmanager
def in_one_sentence(command: Any, path: str, arguments: Sequence[str]) -> Iterator[None]:
    """Turn an error of the argument parser into an ``InputError`` of one sentence.

    ``path`` is how the command is called, such as ``retime warp make``.
    """
    arguments = list(arguments)  # the parser empties its own list
    try:
        yield
    except _UsageError as e:
        raise InputError(f"{_problem(e, command, arguments)} (see {path} --help)") from None


def _problem(e: Any, command: Any, arguments: Sequence[str]) -> str:
    kind, param = type(e).__name__, getattr(e, "param", None)
    if kind == "NoSuchOption":
        known = [o for p in command.params for o in (*p.opts, *p.secondary_opts) if o[:2] == "--"]
        return f"there is no option {e.option_name}{did_you_mean(e.option_name, known)}"
    if kind == "BadOptionUsage" and "requires an argument" in e.message:
        metavars = {o: p.metavar for p in command.params for o in p.opts}
        return f"{e.option_name} needs a value ({metavars.get(e.option_name) or 'TEXT'})"
    if kind == "MissingParameter" and param is not None:
        usage = " ".join(command.collect_usage_pieces(e.ctx))
        return (
            f"{param.metavar or param.name.upper()} is missing; usage: {e.ctx.command_path} {usage}"
        )
    if param is not None:
        name = param.opts[0] if param.opts[0][:1] == "-" else param.metavar
        return f"{name}{_value(param, arguments)}: {_plainer(e.message)}"
    if "unexpected extra argument" in e.message:
        extra = e.message.rpartition("(")[2].rstrip(")")
        return f"one argument too many: {extra}; put a value with spaces in quotes"
    return str(e.format_message()).rstrip(".")


def _plainer(message: str) -> str:
    """Return a message of the parser about a value in plainer words."""
    message = message.rstrip(".")
    for pattern, words in _PLAINER:
        match = re.fullmatch(pattern, message)
        if match is not None:
            return match.expand(words)
    return message


def _value(param: Any, arguments: Sequence[str]) -> str:
    """Return the last value that was given to an option, after a space, or nothing."""
    for k in reversed(range(len(arguments))):
        flag, equals, joined = arguments[k].partition("=")
        if flag in param.opts:
            following = " ".join(arguments[k + 1 : k + 2])
            return f" {joined if equals else following}"
    return ""
