"""The table of keytimes that solvers take, by which the studio draws its limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retime import RetimeError, guided, samples
from retime.methods.physics.search.request import Request

TABLE = json.loads((Path(__file__).parents[1] / "data" / "keytimes.json").read_text())
JUMP = samples.jump()


@pytest.mark.parametrize("case", TABLE["cases"], ids=str)
def test_a_solver_takes_or_refuses(case: dict[str, Any]) -> None:
    assert tuple(TABLE["span"]) == pytest.approx(JUMP.domain)
    p = case["parameters"]
    try:
        if case["method"] == "guided":
            guided(JUMP, **p)
        else:
            Request.of(JUMP.domain, p["duration"], p["keytimes"], []).must_have_speeds()
    except RetimeError:
        assert not case["taken"]
    else:
        assert case["taken"]
