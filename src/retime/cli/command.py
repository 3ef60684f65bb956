"""Commands made from declarations: a function's arguments are its words and options.

An argument is ``Annotated`` with an :class:`About`, or it is a dataclass of such fields, or it is a
mapping with :class:`Of`: the parameters of a method that were given.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click
from click.shell_completion import CompletionItem

from retime import __version__
from retime.cli.console import METHOD_FLAGS, READING_FLAGS, set_loudness
from retime.cli.help import command_page, group_page
from retime.coercion import is_sequence, options_of
from retime.errors import InputError, did_you_mean
from retime.parameters import Parameter, checked, declared, parameter

ADVANCED, CLIP, READING = "Advanced", "Parts and cycles", "Reading the file"
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Of:
    """The options of a method's declaration, but those left out.

    The values that were given are passed on as text, which the method's step converts.
    ``advanced`` are moved out of the everyday options, where the screen has no room for all.
    """

    declaration: type
    leave_out: tuple[str, ...] = ()
    advanced: tuple[str, ...] = ()
    panel: str = ""


class Text(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.5 on
    """A value as text, which its declaration converts; a shell completes its words, or files."""

    name = "text"

    def __init__(self, p: Parameter) -> None:
        self.words = [*_choices(p), *(w for w, _ in p.about.presets)]
        self.is_path = p.is_path or Path in options_of(p.type) or p.about.metavar == "FILE"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """Return the words that begin as given; files are the shell's own business."""
        if self.is_path:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(w) for w in self.words if w.startswith(incomplete)]


def _unset(p: Parameter) -> dict[str, Any]:
    """Let ``None`` stand for an option that is not given; its function has the default."""
    return {} if p.required else {"default": None}


class Option(click.Option):
    """An option of a command."""

    def __init__(self, p: Parameter, panel: str = "") -> None:
        flag, switch = f"--{p.flag}", options_of(p.type) == (bool,)
        shown = "" if switch else _metavar(p)
        # A value in brackets may be left out.
        optional = shown.startswith("[") and shown.endswith("]")
        more: dict[str, Any] = {"flag_value": ""} if optional else {}
        super().__init__(
            [_key(p), f"{flag}/--no-{p.flag}" if switch and p.default is True else flag],
            is_flag=switch,
            required=p.required,
            **_unset(p),
            multiple=p.repeatable,
            type=None if switch else Text(p),
            help=p.help_with(times="s"),
            metavar=shown or None,
            **more,
        )
        own = ADVANCED if p.about.advanced else CLIP if p.shared else ""
        self.panel = p.about.panel or panel or own


class Word(click.Argument):
    """A word of a command that has no flag."""

    def __init__(self, p: Parameter) -> None:
        super().__init__(
            [_key(p)],
            required=p.required,
            **_unset(p),
            nargs=-1 if p.repeatable else 1,
            type=Text(p),
            metavar=_metavar(p),
        )
        self.help = p.help_with(times="s").replace(", repeatable", "").replace(" (repeatable)", "")


def _switch(
    flag: str,
    about: str,
    act: Callable[[click.Context], None],
    *,
    panel: str = "",
    hidden: bool = False,
) -> click.Option:
    """Make an option that acts at once."""

    def call(ctx: click.Context, option: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            act(ctx)

    made = click.Option(
        [flag], is_flag=True, is_eager=True, expose_value=False, callback=call, help=about,
        hidden=hidden,
    )  # fmt: skip
    made.panel = panel  # type: ignore[attr-defined]
    return made


def _switches(*, hidden: bool) -> tuple[click.Option, ...]:
    """Return the switches that every command has; only the program's help lists them."""
    return (
        _switch(
            "--quiet",
            "Print errors only. Works with every command.",
            lambda _: set_loudness("quiet"),
            hidden=hidden,
        ),
        _switch(
            "--verbose",
            "Print each step and its time. Works with every command.",
            lambda _: set_loudness("verbose"),
            hidden=hidden,
        ),
        _switch("--help-all", "Show every option.", partial(_print_help, whole=True), hidden=True),
        _switch("--help", "Show the help.", partial(_print_help, whole=False)),
    )


def program_options() -> tuple[click.Option, ...]:
    """Return the switches of the program alone."""
    return (
        _switch("--version", "Print the version and exit.", _prints(lambda _: __version__)),
        *_switches(hidden=False),
        _switch(
            "--install-completion",
            "Complete commands in your shell.",
            _prints(lambda _: _completion().install()),
            panel="Shell",
        ),
        _switch(
            "--show-completion",
            "Print the script that completes commands in your shell.",
            _prints(lambda ctx: _completion().show(ctx.command)),
            panel="Shell",
        ),
    )


def _completion() -> Any:
    from retime.cli import completion

    return completion


def _prints(text: Callable[[click.Context], str]) -> Callable[[click.Context], None]:
    def act(ctx: click.Context) -> None:
        click.echo(text(ctx))
        ctx.exit()

    return act


def _print_help(ctx: click.Context, *, whole: bool) -> None:
    _prints(lambda ctx: ctx.command.page(ctx, whole=whole))(ctx)  # type: ignore[attr-defined]


class Command(click.Command):
    """A command that runs a function."""

    def __init__(self, name: str, function: Callable[..., None]) -> None:
        options, self.arguments_of = _taken(function)
        super().__init__(
            name,
            params=[*options, *_switches(hidden=True)],
            help=inspect.getdoc(function),
            add_help_option=False,
        )
        self.function = function

    def page(self, ctx: click.Context, *, whole: bool) -> str:
        """Return the help."""
        return command_page(self, ctx, whole=whole)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an error names the command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as e:
            e.ctx = ctx
            raise

    def invoke(self, ctx: click.Context) -> None:
        """Convert the values, and run the function."""
        self.function(**self.arguments_of(ctx.params))


class Group(click.Group):
    """Commands, which are loaded when they are called: their lines of help, by name."""

    def __init__(
        self,
        name: str,
        about: str,
        lines: Mapping[str, str],
        load: Callable[[str], click.Command],
        switches: tuple[click.Option, ...] = (),
    ) -> None:
        params = list(switches or _switches(hidden=True))
        super().__init__(name, params=params, help=about, add_help_option=False)
        self.lines, self._load = lines, load

    def page(self, ctx: click.Context, *, whole: bool) -> str:
        """Return the help."""
        return group_page(self, ctx, whole=whole)

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **more: Any) -> Any:
        """Parse the words before the command; without any, print the help."""
        return super().make_context(info_name, args or ["--help"], parent, **more)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        """Load a command."""
        if name not in self.lines:
            near = did_you_mean(name, self.lines)
            raise InputError(f"there is no command {name!r}{near} (see {ctx.command_path} --help)")
        return self._load(name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command; none is loaded for it."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        names = [n for n in self.lines if n.startswith(incomplete)]
        return [CompletionItem(n, help=self.lines[n]) for n in names]


def loaded(name: str, made: Any) -> click.Command:
    """Return the command of a function, or the group of a line of help and functions."""
    if callable(made):
        return Command(name, made)
    about, functions = made
    first = {n: (inspect.getdoc(f) or "").split("\n\n")[0] for n, f in functions.items()}
    lines = {n: text.replace("\n", " ") for n, text in first.items()}
    return Group(name, about, lines, lambda n: Command(n, functions[n]))


# ---- declarations


def _taken(takes: Any) -> tuple[list[click.Parameter], Callable[[Values], dict[str, Any]]]:
    """Return the options of a function or dataclass, and what makes its arguments of values."""
    hints = typing.get_type_hints(takes, include_extras=True)
    options: list[click.Parameter] = []
    arguments: dict[str, Callable[[Values], Any]] = {}
    for one in inspect.signature(takes).parameters.values():
        kind = hints[one.name]
        mark = getattr(kind, "__metadata__", (None,))[-1]
        if isinstance(mark, Of):
            more, arguments[one.name] = _of_method(mark)
            options += more
        elif dataclasses.is_dataclass(kind):
            more, arguments[one.name] = _of_dataclass(kind)
            options += more
        else:
            default = dataclasses.MISSING if one.default is one.empty else one.default
            p = parameter(one.name, kind, default)
            options.append(Word(p) if p.about.argument else Option(p))
            arguments[one.name] = partial(_value, p)
    return options, lambda values: {n: make(values) for n, make in arguments.items()}


def _of_dataclass(kind: Any) -> tuple[list[click.Parameter], Callable[[Values], Any]]:
    options, arguments_of = _taken(kind)
    if kind.__name__ == "Reading":
        READING_FLAGS.update((p.name, p.flag) for p in declared(kind))
        for option in options:
            option.panel = READING  # type: ignore[attr-defined]
    return options, lambda values: kind(**arguments_of(values))


def _of_method(of: Of) -> tuple[list[click.Parameter], Callable[[Values], dict[str, Any]]]:
    known = [p for p in declared(of.declaration) if p.name not in of.leave_out]
    METHOD_FLAGS.update((p.name, p.flag) for p in known)

    def given(values: Values) -> dict[str, Any]:
        told = {p.name: values[_key(p)] for p in known}
        return {n: v for n, v in told.items() if v not in (None, ())}

    panels = {p.name: ADVANCED if p.name in of.advanced else of.panel for p in known}
    return [Option(p, panels[p.name]) for p in known], given


def _value(p: Parameter, values: Values) -> Any:
    """Return the value of an option in the type of its declaration."""
    text = values[_key(p)]
    if text in (None, ()):
        return p.default
    name = _metavar(p) if p.about.argument else f"--{p.flag}"
    return checked(replace(p, name=name or p.name), text)


def _key(p: Parameter) -> str:
    """Return the name of an option among the values: that of its flag."""
    return p.flag.replace("-", "_")


def _choices(p: Parameter) -> list[str]:
    """Return the words that a parameter takes."""
    kinds = options_of(p.type)
    words = [str(c) for k in kinds if typing.get_origin(k) is Literal for c in typing.get_args(k)]
    return words or [c.value for c in p.about.choices]


def _metavar(p: Parameter) -> str:
    """Return the placeholder of a value in the help: ``TIME``, ``FILE``, ``N`` or the choices."""
    kinds = options_of(typing.get_args(p.type)[0] if is_sequence(p.type) else p.type)
    plain = "FILE" if Path in kinds else "TEXT" if kinds == (str,) else "N"
    words = [str(c) for k in kinds if typing.get_origin(k) is Literal for c in typing.get_args(k)]
    return p.about.metavar or ("TIME" if p.takes_times else "|".join(words)) or plain
