"""The command line: one module per command, loaded when it is called.

``retime --help`` lists the commands from the table below and imports none of them.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import threading
import warnings
from typing import Any

import typer

from retime.errors import RetimeError

__all__ = ["COMMANDS", "main"]

# Each command's line of help. Its module, and the function or group in it, have the same name.
COMMANDS = {
    "info": "Show the contents of a motion file.",
    "contacts": "List, draw and export ground contacts.",
    "convert": "Write a motion in another format.",
    "trim": "Keep a part of a motion.",
    "join": "Join motions of one skeleton.",
    "warp": "Make, show, compose, invert and export time warps.",
    "guided": "Change the length of a motion, or copy the timing of a reference.",
    "physics": "Retime within the limits of body, gravity and ground contact.",
    "stagger": "Edit key poses whose body parts arrive at different times.",
    "tween": "Blend poses toward others, and ease in and out of them.",
    "surface": "Move the action of one joint earlier or later.",
    "secondary": "Add follow-through to arms, tails, hair and props.",
    "align": "Copy the timing of another take of the same action.",
    "sync": "Move the accents of a motion onto the beats of music.",
    "beats": "Find the beats of a song.",
    "live": "Play a recorded partner in sync with a live performer.",
    "perform": "Send a recorded clip as a test performer.",
    "score": "Compare the timing of a performance with a recording.",
    "apply": "Retime a motion with a warp file or keytimes.",
    "video": "Retime a video and its sound with a warp.",
    "run": "Apply a recipe to a motion.",
    "batch": "Apply a recipe to every motion of a library.",
    "check": "Measure the quality of a motion or a retiming.",
    "report": "Write an HTML report about a motion.",
    "samples": "List, write or download sample motions.",
    "plot": "Draw a warp, or motions as film strips.",
    "studio": "Edit timing in the browser.",
    "engine": "Serve another program, such as the Blender extension.",
    "demo": "Retime sample motions, with pictures.",
}

_ABOUT = "Edit when things happen in a character's motion. Try retime demo first."


def _listed() -> None:
    """List a command without loading it."""


def build_app(arguments: list[str]) -> typer.Typer:
    """Make the program; only the command that the arguments name is loaded."""
    from retime.cli.help import Group

    app = typer.Typer(
        name="retime",
        cls=Group,
        help=_ABOUT,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def options(
        version: bool = typer.Option(False, "--version", help="Print the version and exit."),
        quiet: bool = typer.Option(
            False, "--quiet", help="Print errors only. Works with every command."
        ),
        verbose: bool = typer.Option(
            False, "--verbose", help="Print each step and its time. Works with every command."
        ),
    ) -> None:
        if version:
            from retime import __version__

            typer.echo(__version__)
            raise typer.Exit

    completing = "_RETIME_COMPLETE" in os.environ
    wanted = next((a for a in arguments if not a.startswith("-")), None)
    for name, summary in COMMANDS.items():
        if not completing and name != wanted:
            app.command(name, help=summary)(_listed)
            continue
        _add_command(app, name, summary)
    return app


def _add_command(app: typer.Typer, name: str, summary: str) -> None:
    """Load a command, or a group of commands, and add it to the program."""
    from retime.cli.help import Command, Group

    command = getattr(importlib.import_module(f"retime.cli.{name}"), name)
    if not isinstance(command, typer.Typer):
        app.command(name, cls=Command)(command)
        return
    for part in command.registered_commands:
        part.cls = Command
    app.add_typer(command, name=name, help=summary, cls=Group)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    from retime.cli.console import note

    note(str(message))


def main(arguments: list[str] | None = None) -> None:
    """Run the program; errors in the input become one line and exit status 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments == ["--version"]:
        from retime import __version__

        print(__version__)
        return
    warnings.showwarning = _show_warning
    warnings.simplefilter("always")
    _print_anything()
    _leave_tidily()
    arguments = _with_loudness(arguments)
    from retime.cli.streams import STREAMS

    try:
        _run(arguments)
    finally:
        STREAMS.close()


def _with_loudness(arguments: list[str]) -> list[str]:
    """Remove ``--quiet`` and ``--verbose`` from the arguments of any command, and apply them."""
    from retime.cli.console import set_loudness

    end = arguments.index("--") if "--" in arguments else len(arguments)
    told = {"--quiet", "--verbose"} & set(arguments[:end])
    if len(told) == 2:
        _fail("--quiet and --verbose contradict each other; give one of them", 2)
    set_loudness(quiet="--quiet" in told, verbose="--verbose" in told)
    return [a for k, a in enumerate(arguments) if k >= end or a not in told]


def _run(arguments: list[str]) -> None:
    from retime.cli.help import take_help_all
    from retime.cli.streams import STREAMS

    arguments, asked = take_help_all(arguments)
    try:
        _run_app(arguments, asked)
    except SystemExit as e:
        if e.code == 130:  # typer's own way to end at Ctrl-C says nothing
            _fail("stopped", 130)
        raise
    except RetimeError as e:
        from retime.cli.console import explain, said

        explain()
        _fail(STREAMS.named(said(e.note)), 2)
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except OSError as e:
        _fail_by_system(e)


def _run_app(arguments: list[str], asked: dict[str, Any]) -> None:
    """Run the program; a successful command sends its result to standard output."""
    from retime.cli.streams import STREAMS

    try:
        build_app(arguments)(args=arguments, prog_name="retime", obj=asked)
    except SystemExit as e:
        if not e.code:
            STREAMS.finish()
        raise


def _fail_by_system(error: OSError) -> None:
    """End on an error of the system, such as a full disk."""
    if _is_broken_pipe(error):
        # The reader of the pipe has closed it; redirect stdout, so that Python exits silently.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    from retime.errors import bounded

    where = f"{error.filename}: " if error.filename else ""
    _fail(bounded(f"{where}{error.strerror or error}"), 2)


def _is_broken_pipe(e: OSError) -> bool:
    """Return whether the reader of a pipe left, which Windows reports as a wrong argument."""
    return isinstance(e, BrokenPipeError) or (
        sys.platform == "win32" and e.errno == errno.EINVAL and e.filename is None
    )


def _print_anything() -> None:
    """Make streams with a narrow encoding, as on Windows, replace characters that they lack."""
    for stream in (sys.stdout, sys.stderr):
        narrow = (getattr(stream, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
        if narrow and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _leave_tidily() -> None:
    """End on a signal as on Ctrl-C, so that no half-written file stays behind."""

    def stop(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # the last one is Windows' Ctrl-Break
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), stop)


def _fail(message: str, status: int) -> None:
    print(f"retime: {message}", file=sys.stderr)
    raise SystemExit(status)
