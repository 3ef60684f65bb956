"""Parameters of a group: what its members do together, and each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.errors import InputError, did_you_mean
from retime.methods.guided.parameters import FreeLength, MaxSpeed, MinSpeed, Strength
from retime.parameters import About, Choice, TimingParameters

Times = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Shared:
    """A span of source time that members show at the same output times.

    Parameters
    ----------
    start, end : float
        First and last source time, seconds; text such as ``48f`` or ``1:02.5`` is a time too.
    who : sequence of str
        The members. Default: all that do not follow.
    """

    start: Any
    end: Any
    who: Sequence[str] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Shared:
        """Make a span from ``{"range": [start, end], "who": [names]}``."""
        _must_know(document, {"range", "who"}, "a shared span")
        ends, who = _pair(document.get("range")), document.get("who", ())
        if ends is None or not isinstance(who, list | tuple):
            raise InputError('a shared span has a "range" of two times, and "who", a list of names')
        return cls(*ends, tuple(map(str, who)))

    def to_document(self) -> dict[str, Any]:
        """Return the span as a JSON object."""
        document: dict[str, Any] = {"range": [self.start, self.end]}
        return document | ({"who": list(self.who)} if self.who else {})


@dataclass(frozen=True)
class Link:
    """The output time from a moment of one member to a moment of another, or of the same.

    Parameters
    ----------
    first : str
        A member.
    first_time : float
        Source time of its moment.
    second : str
        A member, the same or another.
    second_time : float
        Source time of its moment.
    seconds : float, optional
        Output time from the first moment to the second. Default: as in the source.
    """

    first: str
    first_time: Any
    second: str
    second_time: Any
    seconds: Any = None

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Link:
        """Make a link from ``{"from": [name, time], "to": [name, time], "seconds": length}``."""
        _must_know(document, {"from", "to", "seconds"}, "a link")
        first, second = _pair(document.get("from")), _pair(document.get("to"))
        if first is None or second is None:
            raise InputError('a link has "from" and "to", each a name and a source time')
        (one, at), (other, then) = first, second
        return cls(str(one), at, str(other), then, document.get("seconds"))

    def to_document(self) -> dict[str, Any]:
        """Return the link as a JSON object."""
        ends = {"from": [self.first, self.first_time], "to": [self.second, self.second_time]}
        return ends | ({} if self.seconds is None else {"seconds": self.seconds})


def _pair(value: Any) -> tuple[Any, Any] | None:
    return (value[0], value[1]) if isinstance(value, list | tuple) and len(value) == 2 else None


def _must_know(document: Mapping[str, Any], names: set[str], what: str) -> None:
    unknown = sorted(set(document) - names)
    if unknown:
        raise InputError(f"{what} has no {unknown[0]!r}{did_you_mean(unknown[0], names)}")


@dataclass(frozen=True, kw_only=True)
class GroupParameters(TimingParameters):
    """Parameters of the common timing of a group."""

    duration: FreeLength = None
    strength: Strength = 0.4
    method: Annotated[
        Literal["guided", "physics"],
        About(
            "How each member is timed between the shared moments.",
            choices=(
                Choice("guided", "Own timing", "keep actions and trim idle time"),
                Choice(
                    "physics",
                    "Physics",
                    "stay within what each body alone can do; forces between bodies are left out",
                ),
            ),
        ),
    ] = "guided"
    shared: Annotated[
        Sequence[Shared] | Literal["auto"],
        About(
            "Spans that members show at the same time; auto finds touches of hands.",
            widget="data",
        ),
    ] = ()
    links: Annotated[
        Sequence[Link],
        About("Output times between moments: a ball in flight, a stretch's length.", widget="data"),
    ] = ()
    keytimes: Annotated[
        Mapping[str, Times] | None,
        About("Show source time SRC of a member at output time OUT.", unit="s", widget="data"),
    ] = None
    pauses: Annotated[
        Mapping[str, Times] | None,
        About("Hold the pose of a member at a source time for some seconds.", widget="data"),
    ] = None
    locked: Annotated[
        Mapping[str, Times] | None,
        About("Play parts of a member at their recorded speed.", unit="s", widget="data"),
    ] = None
    rates: Annotated[
        Mapping[str, Times] | None,
        About("Playback speeds of a member at source times.", widget="data", advanced=True),
    ] = None
    follow: Annotated[
        Mapping[str, Any] | None,
        About(
            "Members without a timing of their own, such as cameras and props, and whom they "
            "follow: a name, or a share for each of several.",
            widget="data",
        ),
    ] = None
    max_speed: MaxSpeed = 8.0
    min_speed: MinSpeed = None
