"""Report wrong arguments in one sentence: what is wrong, where, and how to fix it."""

from __future__ import annotations

import difflib

import click

from retime.cli.help import word

# What people try, and what to write if the command has its option.
_MEANT = {
    "length": "--duration",
    "seconds": "--duration",
    "time": "--duration",
    "percent": "--duration 80%",
    "speed": "--duration 80%, which is 1.25 times as fast",
    "frames": "--duration 48f",
    "key": "--keytime",
    "framerate": "--fps",
    "rename": "--map",
}


def sentence(error: click.UsageError) -> str:
    """Return what is wrong with the arguments of a command."""
    ctx = error.ctx
    if ctx is None:
        return error.format_message().rstrip(".")
    return f"{_problem(error, ctx)} (see {ctx.command_path} --help)"


def _problem(error: click.UsageError, ctx: click.Context) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"there is no option {error.option_name}{_instead(error.option_name, ctx.command)}"
    if isinstance(error, click.BadOptionUsage) and "requires an argument" in error.message:
        metavars = {o: p.metavar for p in ctx.command.params for o in p.opts}
        return f"{error.option_name} needs a value ({metavars.get(error.option_name)})"
    if isinstance(error, click.BadOptionUsage):
        return f"{error.option_name} takes no value"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        missing = error.param
        name = missing.opts[0] if isinstance(missing, click.Option) else missing.metavar
        words = (word(p) for p in ctx.command.params if isinstance(p, click.Argument))
        return f"{name} is missing; usage: {ctx.command_path} {' '.join(words)} [OPTIONS]"
    if "unexpected extra argument" in error.message:
        return _too_many(error.message.rpartition("(")[2].rstrip(")."), ctx.command)
    return error.format_message().rstrip(".")


def _too_many(extra: str, command: click.Command) -> str:
    if " " in extra:
        return f"too many arguments: {extra}; put a value with spaces in quotes"
    source = any(p.opts[0] == "--source" for p in command.params)
    return f"one argument too many: {extra}{f'; give it as --source {extra}' if source else ''}"


def _instead(option: str, command: click.Command) -> str:
    """Return what to write in place of an unknown option, if anything is near."""
    known = [o for p in command.params for o in (*p.opts, *p.secondary_opts) if o[:2] == "--"]
    name = option.lstrip("-")
    if name in ("output", "out", "o") and any(p.metavar == "OUT" for p in command.params):
        return "; the file to write is a word without an option, OUT"
    meant = _MEANT.get(name, "")
    if meant.split(" ")[0] in known:
        return f"; did you mean {meant}?"
    near = difflib.get_close_matches(name, [k[2:] for k in known], n=3, cutoff=0.6)
    # A part of one letter, or words in another order, are near as well.
    near = near or [k[2:] for k in known if name in k[2:].split("-") or k[2:].startswith(name)]
    return f"; did you mean {' or '.join(f'--{n}' for n in near[:3])}?" if near else ""
