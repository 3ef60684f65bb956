"""Convert messages to a host's terms: frames of its timeline instead of seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"((?<![\d.])-?\d++(?:\.\d++)?(?:e-?\d++)?)"
# The unit "s" after a number; not the start of another unit or word.
_SECONDS = r" (?:s|seconds?)(?![\w/²·])"
_STEP = re.compile(r"^(?:(?:step|edit) \d+(?: \([^)]*\))?: )+", re.IGNORECASE)
_SPAN = re.compile(rf"(from )?{_NUMBER} (to|and) {_NUMBER}{_SECONDS}")
_MOMENT = re.compile(rf"\b(at|near) {_NUMBER}{_SECONDS}")
_LENGTH = re.compile(rf"{_NUMBER}{_SECONDS}")
_IN_WORDS = {"a tenth of a second": "0.1 s", "one second": "1 s"}
# Animators' words for these; a solver's steps are not recipe steps.
_WORDS = (
    (re.compile(r"\bknot(s?)\b"), r"key\1"),
    (re.compile(r"\bafter (\d+) steps\b"), r"after \1 iterations"),
    (re.compile(r"\bthe step's\b"), "the motion's"),
)


@dataclass(frozen=True)
class Frames:
    """A host's timeline.

    Parameters
    ----------
    first : float
        Frame number of second 0.
    fps : float
        Frames per second.
    """

    first: float
    fps: float

    def said(self, text: str) -> str:
        """Return a sentence with times in frames, without the number of its step.

        Examples
        --------
        >>> Frames(1, 24).said("step 1 (surface): the key at 2 s is outside the range, 0 to 1.5 s")
        'the key at frame 49 is outside the range, frames 1 to 37'
        """
        text = _STEP.sub("", text)
        for words, short in _IN_WORDS.items():
            text = text.replace(words, short)
        for pattern, word in _WORDS:
            text = pattern.sub(word, text)
        text = _SPAN.sub(lambda m: f"frames {self._at(m[2])} {m[3]} {self._at(m[4])}", text)
        text = _MOMENT.sub(lambda m: f"{m[1]} frame {self._at(m[2])}", text)
        return _LENGTH.sub(lambda m: _counted(float(m[1]) * self.fps), text)

    def _at(self, seconds: str) -> str:
        return _short(self.first + float(seconds) * self.fps)


def _short(frame: float) -> str:
    return f"{frame:.1f}".rstrip("0").rstrip(".")


def _counted(frames: float) -> str:
    text = _short(frames)
    return f"{text} frame" if text == "1" else f"{text} frames"
