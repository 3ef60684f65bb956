"""Options that several commands share, and options made from a method's parameters."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from retime.cli.console import METHOD_FLAGS, READING_FLAGS
from retime.cli.streams import from_stream, to_stream
from retime.coercion import listed, options_of
from retime.errors import FormatError, InputError
from retime.evaluate.reading import Reading
from retime.parameters import Parameter, build, declared
from retime.times import Clock, parse_time

if TYPE_CHECKING:
    from retime.motion import Motion
    from retime.recipe import Step

Command = Callable[..., Any]


def file_option(flag: str, about: str, panel: str | None = None) -> Any:
    """Make an option that names a file."""
    return typer.Option(flag, help=about, metavar="FILE", rich_help_panel=panel)


# Panels that only ``--help-all`` prints.
ADVANCED = "Advanced"
CLIP = "Parts and cycles"
OUTPUT = "Output"
READING = "Reading the file"

Input = Annotated[
    Path,
    typer.Argument(
        metavar="IN", help="Motion file, or - for standard input.", callback=from_stream
    ),
]
_OUTPUT = typer.Argument(
    metavar="OUT",
    help="File to write the result to; - or bvh:- for standard output.",
    callback=to_stream,
)
Output = Annotated[Path, _OUTPUT]
MaybeOutput = Annotated[Path | None, _OUTPUT]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Fps = Annotated[
    float | None,
    typer.Option(
        "--fps",
        metavar="HZ",
        help="Frame rate of the result. Default: the source's.",
        min=0.001,
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Keep the exact duration and change the frame time slightly instead.",
        rich_help_panel=OUTPUT,
    ),
]
DropRest = Annotated[
    bool,
    typer.Option(
        "--drop-rest",
        help="Do not write the rest pose that --rest-frame set aside.",
        rich_help_panel=OUTPUT,
    ),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="FILE[=OUT]",
        help="Apply the same warp to another file: a partner, a camera, a prop (repeatable).",
        rich_help_panel=OUTPUT,
    ),
]
RecipeOut = Annotated[
    Path | None, file_option("--recipe", "Also write the recipe to this file.", OUTPUT)
]


Contacts = Annotated[
    Path | None,
    file_option(
        "--contacts",
        "Known contacts as JSON, as `retime contacts` writes them. They replace the detected "
        "contacts of the joints they name.",
        ADVANCED,
    ),
]
Animation = Annotated[
    str | None,
    typer.Option(
        "--animation",
        help="Animation of the file to use, by name or number, or all of them (all).",
        metavar="NAME|all",
        rich_help_panel=READING,
    ),
]
OneAnimation = Annotated[
    str | None,
    typer.Option(
        "--animation",
        help="Animation of the file to use, by name or number.",
        metavar="NAME",
        rich_help_panel=READING,
    ),
]
Shortest = Annotated[
    float,
    typer.Option(
        "--min-contact",
        metavar="S",
        help="Shortest contact to report (s, default 0.1).",
        min=0.001,
        rich_help_panel=ADVANCED,
    ),
]
SourceMotion = Annotated[
    Path | None, file_option("--source", "Source clip that the motion was made from.")
]
WarpIn = Annotated[
    Path | None,
    file_option("--warp", "Warp that was applied to the source."),
]
TrueWarp = Annotated[
    Path | None, file_option("--truth", "Known correct warp to compare --warp with.", ADVANCED)
]
Hold = Annotated[bool, typer.Option("--hold", help="Keep planted feet in place after the edit.")]


WarpOut = Annotated[Path | None, file_option("--warp", "Also write the warp to this file.")]


def must_be_a_picture(path: Path) -> None:
    """Reject, before any work, a picture that could not be written."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"{path}: a picture's name must end in .png, .svg or .pdf")
    must_have_a_folder(path)


def must_be_pictures(source: Path, *pictures: Path | None) -> None:
    """Reject, before any work, pictures that could not be written or would replace the input."""
    for picture in pictures:
        if picture is not None:
            must_differ(source, picture)
            must_be_a_picture(picture)


def must_have_a_folder(path: Path) -> None:
    """Reject, before any work, a file whose folder does not exist."""
    if not path.resolve().parent.is_dir():
        raise InputError(f"the folder {path.resolve().parent} does not exist; make it first")


def must_differ(source: Path, target: Path) -> None:
    """Reject an output that would overwrite the input."""
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"{target} is the input; give the result another name")


def must_read_plainly(reading: Reading, why: str) -> None:
    """Reject reading options if no motion is read."""
    for p in declared(Reading):
        if getattr(reading, p.name) != p.default:
            raise InputError(f"--{p.flag} is about reading a motion, but {why}: leave it out")


def must_take_a_skeleton(reading: Reading, files: Sequence[Path]) -> None:
    """Reject a skeleton file that none of the files needs."""
    from retime.io import kind_of

    if not files or reading.skeleton is None:
        return
    if not any(kind_of(f).skeleton_apart for f in files):
        raise InputError(f"{files[0]} has its own skeleton; leave --skeleton out")


def seconds(text: str, flag: str, fps: float | Callable[[], float] | None = None) -> float:
    """Read a time that is of no clip: seconds, minutes, or frames where their rate is known.

    ``fps`` may be a function, which is called only where frames are given.
    """
    time = parse_time(text, f"--{flag}")
    if isinstance(time, float):
        return time
    if time.unit == "%":
        raise InputError(f"--{flag} is {time}, but there is nothing to take a percentage of")
    rate = fps() if callable(fps) else fps
    if rate is None:
        raise InputError(f"--{flag} is {time}, but the frame rate is not known; write seconds")
    return time.amount / rate


def with_parameters(
    cls: type, *, leave_out: tuple[str, ...] = (), panels: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Give a command an option for every parameter that a dataclass declares, but those left out.

    The command takes the values as the mapping ``parameters``, as text that is not converted yet;
    it contains only the options that were given. ``panels`` moves parameters out of the everyday
    options, where the screen has no room for all that are not declared as advanced.
    """
    known = [p for p in declared(cls) if p.name not in leave_out]
    METHOD_FLAGS.update((p.name, p.flag) for p in known)
    panels = panels or {}
    return _gathered(
        "parameters",
        [_option(p, panels.get(p.name)) for p in known],
        lambda values: given(_by_name(known, values)),
    )


def with_reading(command: Command) -> Command:
    """Give a command the options of reading motion files, as one argument ``reading``."""
    READING_FLAGS.update((p.name, p.flag) for p in declared(Reading))
    return _gathered("reading", _READING_OPTIONS, _read_as)(command)


def _read_as(values: dict[str, Any]) -> Reading:
    told = given(_by_name(declared(Reading), values))
    roles = told.pop("roles", None)
    if "skeleton" in told:
        told["skeleton"] = str(Path(told["skeleton"]).absolute())
    reading: Reading = build(Reading, told)
    return reading if roles is None else replace(reading, roles=read_roles(Path(roles)))


def read_roles(path: Path) -> dict[str, str]:
    """Read a map file: joints by role."""
    from retime.io.json_text import parse_json

    given = parse_json(path)
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise InputError(f'{path} must map roles to joints: {{"left_foot": "Foot.L", ...}}')
    return given


def read_listed(path: Path, kind: Any, noun: str, members: str) -> tuple[Any, ...]:
    """Read a JSON list of a method's own kind of data."""
    from retime.io.json_text import parse_json

    try:
        return listed(parse_json(path), kind.from_document, noun, members)
    except FormatError:
        raise
    except InputError as e:
        raise InputError(f"{path}: {e}") from None


def with_retiming(command: Command) -> Command:
    """Give a command the options of every command that retimes, as one argument ``retiming``."""
    hints = typing.get_type_hints(Retiming, include_extras=True)
    own = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(Retiming)
        if field.name != "reading"
    ]

    def gather(values: dict[str, Any]) -> Retiming:
        as_read = {o.name: values.pop(o.name) for o in _READING_OPTIONS}
        return Retiming(_read_as(as_read), **values)

    return _gathered("retiming", [*own[:-1], *_READING_OPTIONS, own[-1]], gather)(command)


@dataclass(frozen=True)
class Retiming:
    """Options that every retiming command shares."""

    reading: Reading
    hold: Hold = False
    contacts: Contacts = None
    fps: Fps = None
    exact: Exact = False
    also: Also = None
    recipe: RecipeOut = None
    drop_rest: DropRest = False
    animation: Animation = None
    as_json: Json = False

    def read(self, path: Path) -> Motion:
        """Read the input."""
        chosen = None if self.animation == "all" else self.animation
        return self.reading.read(path, animation=chosen)

    def read_for(self, step: Step, path: Path) -> tuple[Motion, Step]:
        """Read the input, and return it with a step whose times are in its seconds."""
        motion = self.read(path)
        return motion, step.resolved(Clock.of(motion, self.fps))


def _gathered(
    argument: str, options: list[inspect.Parameter], gather: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Pass several options to a command as one argument; typer sees each option."""

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        kept = [p for p in own.parameters.values() if p.name != argument]

        def wrapped(**values: Any) -> Any:
            chosen = {o.name: values.pop(o.name) for o in options}
            return command(**values, **{argument: gather(chosen)})

        made = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*kept, *options]]
        wrapped.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {p.name: p.annotation for p in made}
        wrapped.__doc__ = command.__doc__
        wrapped.__name__ = command.__name__
        return wrapped

    return decorate


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that were given."""
    return {n: v for n, v in values.items() if v is not None and v != []}


def _option(p: Parameter, panel: str | None = None) -> inspect.Parameter:
    flags = [f"--{p.flag}"]
    if p.type is bool and p.default is True:
        flags = [f"--{p.flag}/--no-{p.flag}"]
    panel = panel or (ADVANCED if p.about.advanced else CLIP if p.shared else None)
    option = typer.Option(
        *flags,
        help=p.help_with(times="s"),
        metavar=p.about.metavar or _metavar(p),
        show_default=False,
        rich_help_panel=panel,
    )
    return inspect.Parameter(
        _argument(p),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[_plain(p), option],
    )


def _metavar(p: Parameter) -> str | None:
    """Return the placeholder of a value in the help: ``TIME``, ``N``, or the choices."""
    if p.takes_times:
        return "TIME"
    kinds = [k for k in options_of(p.type) if k is not type(None)]
    choices = [str(c) for k in kinds if typing.get_origin(k) is Literal for c in typing.get_args(k)]
    if choices:
        return "|".join(choices)
    return None if kinds == [bool] else "N"


def _argument(p: Parameter) -> str:
    """Return the name of a parameter on the command line: that of its flag."""
    return p.flag.replace("-", "_")


def _by_name(known: Sequence[Parameter], values: dict[str, Any]) -> dict[str, Any]:
    return {p.name: values[_argument(p)] for p in known}


def _plain(p: Parameter) -> Any:
    """Return the type that the command line parses for a parameter's type; ``None`` is unset."""
    if p.repeatable:
        return list[str] | None
    # Everything else is converted like the values of recipes, with the same error messages.
    return bool | None if options_of(p.type) == (bool,) else str | None


_READING_OPTIONS = [_option(p, READING) for p in declared(Reading)]
