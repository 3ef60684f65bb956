"""Sentences, and how front ends show their terms."""

from __future__ import annotations

import pickle

import pytest

from retime.cli.console import said
from retime.errors import InfeasibleError, InputError
from retime.hosts.in_frames import Frames
from retime.notes import Note, Remedy, present
from retime.parameters import build
from retime.recipe import Recipe, Step
from retime.samples import jump
from retime.sentences import (
    Duration,
    Moment,
    ParameterName,
    Sentence,
    Span,
    StepName,
    after,
    listed,
)
from retime.studio.wording import studio_error

FRAMES = Frames(first=1, fps=24)


def test_a_sentence_is_a_string_in_seconds() -> None:
    told = Sentence("{joint} at {time:.2f}", joint="{Hips}", time=Moment(1.239))
    assert told == "{Hips} at 1.24 s"
    assert present(told, FRAMES) == "{Hips} at frame 30.7"


def test_names_with_braces_are_no_fields() -> None:
    assert str(InputError("no joint {x}")) == "no joint {x}"
    assert Note("no joint {x}", code="none", joint="{x}") == "no joint {x}"


@pytest.mark.parametrize(
    "text",
    [
        Sentence("at {time}", time=Moment(1.0)),
        Note("at {time}", Remedy("or {by}", by=Duration(0.5)), code="at", time=Moment(1.0)),
        after(StepName("step", 2, "guided"), Sentence("at {time}", time=Moment(1.0))),
        listed([Sentence("{clip}", clip=Span(0, 1)), "and more"]),
    ],
)
def test_terms_survive_a_pickle(text: str) -> None:
    again = pickle.loads(pickle.dumps(text))
    assert again == text
    assert present(again, FRAMES) == present(text, FRAMES) != str(text)


def test_terms_survive_in_errors() -> None:
    error = InfeasibleError("raise {name}", name=ParameterName("max_speed"))
    again = pickle.loads(pickle.dumps(error)).within("guided").within(StepName("step", 1))
    assert str(again) == "step 1: guided: raise max_speed"
    assert present(again.note, FRAMES) == "guided: raise Max speed"


def test_values_of_notes_are_numbers() -> None:
    note = Note("{a} {b}", code="both", a=Moment(1.5), b=Span(0, 2))
    assert note.values == {"a": 1.5, "b": (0, 2)}
    assert note.within("face") == "face: 1.5 s 0 to 2 s"


def test_each_front_end_names_a_parameter() -> None:
    recipe = Recipe([Step("guided", {"min_speed": 2.0, "max_speed": 1.5})])
    with pytest.raises(InputError, match=r"choose a min_speed of 1\.5 or less") as found:
        recipe.evaluate(jump())
    assert "choose a Min speed of 1.5" in studio_error(found.value)
    shown = present(found.value.note, FRAMES)
    assert "Min speed is 2 and Max speed 1.5" in shown
    assert not shown.startswith("step")
    with pytest.raises(InfeasibleError, match="choose a duration of") as lasting:
        Recipe([Step("guided", {"duration": 0.1})]).evaluate(jump())
    assert "frame 79 of the source is at frame 3.4" in present(lasting.value.note, FRAMES)


def test_text_of_several_parts_explains_its_form() -> None:
    method = Step("stagger").parameters
    with pytest.raises(InputError, match="takes 3 values, not 2; the form is JOINT:S:POWER"):
        build(type(method), {"succession": ["hips:0.04"]})
    with pytest.raises(
        InputError, match=r"^succession\[0\] is hips, 0.04; it takes 3 values, not 2$"
    ):
        build(type(method), {"succession": [("hips", 0.04)]})
    with pytest.raises(InputError) as found:
        build(type(method), {"succession": ["hips:0.04"]})
    assert said(found.value.note).startswith(("--succession is", "succession[0] is"))
