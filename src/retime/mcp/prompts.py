"""Prompts: common tasks, as a person would set them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from retime.errors import InputError
from retime.parameters import About, declared

MotionFile = Annotated[str, About("Motion file.")]


@dataclass(frozen=True, kw_only=True)
class ShortenThisClip:
    """Shorten this clip"""  # noqa: D400 - a title

    motion: MotionFile
    duration: Annotated[str, About("Length to reach, such as 2.0 or 80%.")] = "80%"

    text = (
        "Shorten {motion} to {duration}. Inspect it first. Propose a recipe with the method guided "
        "and look at it; if it is refused, propose the length that the answer names. Compare its "
        "figures with uniform speed, then apply it to a new file and check that."
    )


@dataclass(frozen=True, kw_only=True)
class PutThisOnTheBeat:
    """Put this on the beat"""  # noqa: D400

    motion: MotionFile
    bpm: Annotated[str, About("Beats per minute.")]

    text = (
        "Put the accents of {motion} on the beats of music with {bpm} beats per minute, by the "
        "method sync. Explain sync first, propose a recipe, look at its warp, and apply it to a "
        "new file if feet do not slide more than in the source."
    )


@dataclass(frozen=True, kw_only=True)
class MakeThePunchLand:
    """Make the punch land at 0.3 s"""  # noqa: D400

    motion: MotionFile
    at: Annotated[str, About("Time of the hit in the result, seconds.")] = "0.3"

    text = (
        "Make the punch in {motion} land at {at} s. Inspect it and find the source time of the hit "
        "among its keytimes; look at the film strip to be sure. Propose the method guided with "
        "that keytime, then apply it to a new file."
    )


PROMPTS: dict[str, type] = {
    "shorten_this_clip": ShortenThisClip,
    "put_this_on_the_beat": PutThisOnTheBeat,
    "make_the_punch_land": MakeThePunchLand,
}


def prompt_text(name: str, values: dict[str, str]) -> str:
    """Return the task of a prompt with its values."""
    if name not in PROMPTS:
        raise InputError(f"no prompt is called {name[:80]!r}; known: {', '.join(PROMPTS)}")
    made = PROMPTS[name]
    given = {p.name: values.get(p.name, p.default) for p in declared(made)}
    missing = [p.name for p in declared(made) if p.required and p.name not in values]
    if missing:
        raise InputError(f"the prompt {name} needs {missing[0]!r}")
    text: str = made.text  # type: ignore[attr-defined]
    return text.format(**given)
