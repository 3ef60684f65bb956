"""Sentences in a host's own terms: frames of its timeline, and the labels of its panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retime.methods import METHODS
from retime.notes import Presenter, Remedy
from retime.parameters import declared

# Parameters of remedies that are not parameters of methods; hosts have their own ways to set these.
_OF_JOBS = {"animation", "channel", "exact", "fps"}


@dataclass(frozen=True)
class Labels(Presenter):
    """Show parameters by the labels of a host's panel, without the numbers of steps.

    Parameters
    ----------
    own : mapping of str to str
        The host's own labels of parameters. Default: those of the library's forms.
    """

    own: Mapping[str, str] = field(default_factory=dict)

    def parameter(self, name: str, item: str) -> str:
        """Return the label of a parameter."""
        return self._label(name) or f"{name}{item}"

    def step(self, word: str, number: int, name: str) -> str:
        """Leave out the number of a step: a host runs one edit at a time."""
        return ""

    def remedy(self, remedy: Remedy) -> str | None:
        """Return the label of the parameter to change; hosts have none for reading files."""
        if "." in remedy.parameter or remedy.parameter in _OF_JOBS:
            return None
        return self._label(remedy.parameter)

    def _label(self, name: str) -> str | None:
        if name in self.own:
            return self.own[name]
        # One method at a time, because importing all of them takes longer than most retimings.
        known = (p for m in METHODS.values() for p in declared(m.parameters))
        return next((p.label for p in known if p.name == name), None)


@dataclass(frozen=True)
class Frames(Labels):
    """Show times in frames of a host's timeline.

    Parameters
    ----------
    first : float
        Frame number of second 0.
    fps : float
        Frames per second.

    Examples
    --------
    >>> from retime.sentences import Moment, Sentence, Span, spoken
    >>> told = Sentence("the key at {at} is outside {clip}", at=Moment(2.0), clip=Span(0.0, 1.5))
    >>> spoken(told, Frames(first=1, fps=24))
    'the key at frame 49 is outside frames 1 to 37'
    """

    first: float = 0.0
    fps: float = 1.0

    def moment(self, seconds: float, form: str) -> str:
        """Return a point in time as a frame."""
        return f"frame {self._at(seconds)}"

    def span(self, start: float, end: float, form: str) -> str:
        """Return a stretch of time as frames."""
        return f"frames {self._at(start)} to {self._at(end)}"

    def length(self, seconds: float, form: str) -> str:
        """Return a length of time as a number of frames."""
        count = _short(seconds * self.fps)
        return f"{count} frame" if count == "1" else f"{count} frames"

    def _at(self, seconds: float) -> str:
        return _short(self.first + seconds * self.fps)


def _short(frame: float) -> str:
    return f"{frame:.1f}".rstrip("0").rstrip(".")
