"""Options that several commands share, and checks of what was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.command import ADVANCED, READING
from retime.cli.streams import from_stream, to_stream
from retime.coercion import listed
from retime.errors import FormatError, InputError
from retime.evaluate.reading import Reading
from retime.parameters import About, declared
from retime.parameters_shared import DropRest, Fps
from retime.times import ClipTime, Clock

if TYPE_CHECKING:
    from retime.motion import Motion
    from retime.recipe import Step

OUTPUT = "Output"


def word(metavar: str, about: str, **more: Any) -> About:
    """Describe a word of a command that has no flag."""
    return About(about, metavar=metavar, argument=True, **more)


_OUTPUT = word(
    "OUT", "File to write the result to; - or bvh:- for standard output.", parse=to_stream
)
Input = Annotated[Path, word("IN", "Motion file, or - for standard input.", parse=from_stream)]
Output = Annotated[Path, _OUTPUT]
MaybeOutput = Annotated[Path | None, _OUTPUT]
Json = Annotated[bool, About("Print the result as JSON.", flag="json")]
WarpOut = Annotated[Path | None, About("Also write the warp to this file.", flag="warp")]
Contacts = Annotated[
    Path | None,
    About(
        "Known contacts as JSON, as `retime contacts` writes them. They replace the detected "
        "contacts of the joints they name.",
        panel=ADVANCED,
    ),
]
_ANIMATION = "Animation of the file to use, by name or number"
Animation = Annotated[
    str | None, About(f"{_ANIMATION}, or all of them (all).", metavar="NAME|all", panel=READING)
]
OneAnimation = Annotated[str | None, About(f"{_ANIMATION}.", metavar="NAME", panel=READING)]


@dataclass(frozen=True, kw_only=True)
class Retiming:
    """Options that every retiming command shares."""

    reading: Reading
    hold: Annotated[bool, About("Keep planted feet in place after the edit.")] = False
    contacts: Contacts = None
    fps: Fps = None
    exact: Annotated[
        bool,
        About("Keep the exact duration and change the frame time slightly instead.", panel=OUTPUT),
    ] = False
    also: Annotated[
        Sequence[str],
        About(
            "Apply the same warp to another file: a partner, a camera, a prop.",
            metavar="FILE[=OUT]",
            panel=OUTPUT,
        ),
    ] = ()
    recipe: Annotated[Path | None, About("Also write the recipe to this file.", panel=OUTPUT)] = (
        None
    )
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


def seconds(
    time: float | ClipTime, flag: str, fps: float | Callable[[], float] | None = None
) -> float:
    """Return a time that is of no clip in seconds; it may be frames where their rate is known.

    ``fps`` may be a function, which is called only where frames are given.
    """
    if not isinstance(time, ClipTime):
        return time
    if time.unit == "%":
        raise InputError(f"--{flag} is {time}, but there is nothing to take a percentage of")
    rate = fps() if callable(fps) else fps
    if rate is None:
        raise InputError(f"--{flag} is {time}, but the frame rate is not known; write seconds")
    return time.amount / rate


def read_listed(path: Path, kind: Any, noun: str, members: str) -> tuple[Any, ...]:
    """Read a JSON list of a method's own kind of data."""
    from retime.io.json_text import parse_json

    try:
        return listed(parse_json(path), kind.from_document, noun, members)
    except FormatError:
        raise
    except InputError as e:
        raise InputError(f"{path}: {e}") from None
