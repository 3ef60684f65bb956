"""What the library says, as a window says it."""

from __future__ import annotations

import re

import pytest

from retime import InputError, TimeWarp
from retime.notes import Note, Remedy
from retime.studio.forms import method_forms
from retime.studio.wording import studio_error, studio_notes, studio_words


def test_the_help_of_forms_names_no_argument_of_the_command_line() -> None:
    foreign = re.compile(
        r"\b(?!(?:IK|FK|GLB|BVH)\b)[A-Z]{2,}\b|\b[ABSVW]\b[ ,.]|Python|JSON|equation"
    )
    fields = [(f.name, f.help) for form in method_forms() for f in form.fields]
    assert [(name, text) for name, text in fields if foreign.search(text)] == []


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
    assert studio_error(again).startswith("step 2 (spline): the range lasts 1 s")
    assert studio_error(again).endswith("(the field Ripple)")
