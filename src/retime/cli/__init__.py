"""The command line: one module per command, loaded when it is called.

``retime --help`` lists the commands from the table below, and those of methods of other packages;
it imports none of them.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any

from retime.errors import RetimeError
from retime.plugins import added, package_of, summary_of

if TYPE_CHECKING:
    import click

    from retime.cli.command import Group

__all__ = ["COMMANDS", "main"]

# Each command's line of help. Its module, and the function or group in it, have the same name.
COMMANDS = {
    "info": "Show the contents of a motion file.",
    "contacts": "List, draw and export ground contacts.",
    "convert": "Write a motion in another format.",
    "trim": "Keep a part of a motion.",
    "join": "Join motions of one skeleton.",
    "loop": "Cut a cycle out of a longer take, and close it.",
    "vary": "Write variations of a motion, for crowds and training data.",
    "group": "Retime several characters together, so that they meet exactly.",
    "lengths": "Make a table of a clip at any length, for game engines.",
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
    "mcp": "Let an assistant inspect, retime and check motions.",
    "engine": "Serve another program, such as the Blender extension.",
    "demo": "Retime sample motions, with pictures.",
}

_ABOUT = "Edit when things happen in a character's motion. Try retime demo first."


def program(wanted: str = "") -> Group:
    """Return the program; a command is loaded when it is called.

    Other packages are looked at unless a command of retime is ``wanted``.
    """
    from retime.cli.command import Group, program_options

    lines = COMMANDS if wanted in COMMANDS else COMMANDS | _lines_of_packages()
    return Group("retime", _ABOUT, lines, _load, program_options())


def _lines_of_packages() -> dict[str, str]:
    """Return the lines of help of methods that other packages add."""
    from retime.cli.console import note

    lines = {}
    for name, (entry, *_) in added("retime.methods").items():
        package = package_of(entry)
        if name in COMMANDS:
            note(f"the package {package!r} adds no command {name!r}: there is another of this name")
        else:
            lines[name] = f"{summary_of(entry)} (package {package})"
    return lines


def _load(name: str) -> click.Command:
    """Load a command, or a group of commands."""
    from retime.cli.command import loaded

    if name not in COMMANDS:
        from retime.cli.plugin import command_of

        return loaded(name, command_of(name))
    return loaded(name, getattr(importlib.import_module(f"retime.cli.{name}"), name))


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
    from retime.cli.console import set_loudness
    from retime.cli.streams import STREAMS

    set_loudness("")
    try:
        _run(arguments)
        STREAMS.finish()
    finally:
        STREAMS.close()


def _run(arguments: list[str]) -> None:
    """Run a command; errors become one line."""
    import click

    from retime.cli.console import explain, said
    from retime.cli.streams import STREAMS

    called = program(next((a for a in arguments if not a.startswith("-")), ""))
    if "_RETIME_COMPLETE" in os.environ:
        from retime.cli.completion import complete

        complete(called)
    try:
        with called.make_context("retime", list(arguments)) as context:
            called.invoke(context)
    except click.exceptions.Exit as e:
        if e.exit_code:
            raise SystemExit(e.exit_code) from None
    except click.UsageError as e:
        from retime.cli.usage import sentence

        _fail(sentence(e), 2)
    except RetimeError as e:
        explain()
        _fail(STREAMS.named(said(e.note)), 2)
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except OSError as e:
        _fail_by_system(e)


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
