"""What the library says, as a window says it."""

from __future__ import annotations

import re
import typing
from typing import Any

import pytest

from retime import InputError, TimeWarp
from retime.methods import METHODS
from retime.notes import Note, Remedy
from retime.parameters import Parameter, declared
from retime.recipe import Step
from retime.studio.forms import method_forms
from retime.studio.lines import line_of
from retime.studio.wording import studio_error, studio_notes, studio_words


def test_the_help_of_forms_names_no_argument_of_the_command_line() -> None:
    foreign = re.compile(
        r"\b(?!(?:IK|FK|GLB|BVH)\b)[A-Z]{2,}\b|\b[ABSVW]\b[ ,.]|Python|JSON|equation"
    )
    fields = [(f.name, f.help) for form in method_forms() for f in form.fields]
    assert [(name, text) for name, text in fields if foreign.search(text)] == []


def test_every_choice_has_a_label_that_says_more_than_its_value() -> None:
    """Labels are declared with the parameters: a menu never shows a word of the recipe's syntax."""
    for method in METHODS.values():
        for p in declared(method.parameters):
            where = f"{method.name}.{p.name}"
            assert [c.value for c in p.about.choices if c.value not in _text(p)] == [], where
            assert {c.value for c in p.about.choices} >= set(_words(p.type)), where
            labels = [c.label for c in p.about.choices]
            assert len(set(labels)) == len(labels), where
            for label in labels:
                assert re.fullmatch(r"[A-Z0-9½][^_]*[^.]", label), where
    fields = {f.name: f for form in method_forms() for f in form.fields}
    shown = {c.label for f in fields.values() for c in f.choices}
    assert not shown & {"Auto", "Frozen", "Intersection", "Log", "Levenberg-marquardt", "Touched"}


def _words(kind: Any) -> list[str]:
    """The words among the values of a type, tables of a parameter included."""
    if typing.get_origin(kind) is typing.Literal:
        return [w for w in typing.get_args(kind) if isinstance(w, str)]
    return [w for inner in typing.get_args(kind) for w in _words(inner)]


def _text(p: Parameter) -> list[str]:
    """The words of a parameter; one of free text takes what it declares."""
    free = p.type is str or str in typing.get_args(p.type)
    return [c.value for c in p.about.choices] if free else _words(p.type)


def test_the_help_of_a_choice_uses_the_labels_of_its_menu() -> None:
    for form in method_forms():
        for f in form.fields:
            for choice in f.choices:
                named = re.search(rf"(?:^|[.;(] ?){re.escape(choice.value)}[:)]", f.help)
                assert not named, (f.name, f.help)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            Note("joints flip", Remedy("filter them", parameter="filter"), code="said"),
            "joints flip; filter them (the field Noise filter)",
        ),
        (
            Note("it is coarse", Remedy("search finer", parameter="upsample", value=4), code="x"),
            "it is coarse; search finer (the field Upsample: 4)",
        ),
        (
            Note("it tells no rate", Remedy("give it", parameter="reading.fps"), code="said"),
            "it tells no rate; write a frame rate into the file",
        ),
        (Note("rounded to frames", Remedy(parameter="exact"), code="said"), "rounded to frames"),
        (Note("an option of elsewhere", Remedy("do it", parameter="jobs"), code="said"),
         "an option of elsewhere; do it"),
        ("a dash -- as here -- stays", "a dash -- as here -- stays"),
        ("nothing to do", "nothing to do"),
    ],
)  # fmt: skip
def test_a_remedy_is_named_by_its_field(said: str, meant: str) -> None:
    assert studio_words(said) == meant
    assert studio_notes([said]) == [meant]


def test_an_error_names_the_field_that_helps() -> None:
    with pytest.raises(InputError) as caught:
        TimeWarp([1, 2.5], [1, 2]).within((0, 3), (1, 2))
    assert studio_error(caught.value).endswith("or shift what follows (the field Ripple)")
    again = caught.value.within("step 2 (spline)")
    # Times are marked, for windows that show frames.
    assert studio_error(again).startswith("step 2 (spline): the range lasts \ue000l|1|1 s\ue001")
    assert studio_error(again).endswith("(the field Ripple)")


@pytest.mark.parametrize(
    ("parameters", "line"),
    [({}, "no beats yet"), ({"bpm": 110}, "110 beats a minute"), ({"beats": [1, 2, 3]}, "3 beats")],
)
def test_the_line_of_a_sync_step_counts_its_beats(parameters: dict[str, Any], line: str) -> None:
    assert line_of(Step("sync", METHODS["sync"].parameters(**parameters))) == line
