"""Variations differ, come out the same every time, and are movements of the same body."""

from __future__ import annotations

import numpy as np
import pytest

from limits import beyond
from retime import InputError, draw_recipe, samples, vary
from retime.recipe.json import to_document

WALK = samples.walk()


def test_variations_differ_and_are_repeatable() -> None:
    first, again = (list(vary(WALK, 6, seed=5)) for _ in range(2))
    assert all(np.array_equal(a.motion.rotations, b.motion.rotations)
               for a, b in zip(first, again, strict=True))  # fmt: skip
    recipes = [str(to_document(v.recipe)) for v in first]
    assert len(set(recipes)) == len(recipes)
    assert str(to_document(draw_recipe(WALK, 4, seed=5))) == recipes[3]


def test_variations_are_movements_of_the_same_body() -> None:
    for amount in ("subtle", "clear", "strong"):
        for one in vary(WALK, 3, amount=amount):
            turn, acceleration, low = beyond(one.motion, WALK)
            assert turn < 3
            assert acceleration < 4
            assert low > -0.02


@pytest.mark.parametrize(
    ("options", "told"),
    [({"count": 0}, "between 1"), ({"count": 10**6}, "between 1"), ({"amount": "huge"}, "'huge'")],
)
def test_bad_input_gets_a_sentence(options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        next(vary(WALK, **options))  # type: ignore[arg-type]
