"""Parameters: declared once, and what comes loose is brought to their types."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from retime import InputError, TimeWarp
from retime.methods import METHODS, Method, method
from retime.parameters import build, coerce, declared, parameter


@dataclass(frozen=True, kw_only=True)
class Sample:
    size: float = parameter(help="How large.", unit="m", minimum=0.0, maximum=2.0)
    count: int = parameter(3, help="How many.", flag="--number")
    pairs: tuple[tuple[float, float], ...] = parameter((), help="Pairs.")
    mode: Literal["a", "b"] = parameter("a", help="Which.")
    limit: float | None = parameter(None, help="At most.")


def test_declared_tells_all_about_a_parameter() -> None:
    size, count, *_ = declared(Sample)
    assert (size.name, size.type, size.unit, size.required) == ("size", float, "m", True)
    assert (size.minimum, size.maximum, size.flag) == (0.0, 2.0, "--size")
    assert (count.default, count.flag, count.required) == (3, "--number", False)


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        (2, float, 2.0),
        ("2.5", float, 2.5),
        ("7", int, 7),
        (7.0, int, 7),
        (True, bool, True),
        ("word", str, "word"),
        (None, float | None, None),
        ("1", float | None, 1.0),
        ("1=2", tuple[float, float], (1.0, 2.0)),
        ("1:2", tuple[float, float], (1.0, 2.0)),
        ("1,2", tuple[float, float], (1.0, 2.0)),
        ([1, 2], tuple[float, float], (1.0, 2.0)),
        (["1=2", [3, 4]], tuple[tuple[float, float], ...], ((1.0, 2.0), (3.0, 4.0))),
        ("b", Literal["a", "b"], "b"),
    ],
)
def test_loose_values_become_their_type(value: Any, kind: Any, wanted: Any) -> None:
    got = coerce(value, kind, "it")
    assert got == wanted
    assert type(got) is type(wanted)


@pytest.mark.parametrize(
    ("value", "kind", "sentence"),
    [
        ("x", float, "it: 'x' is not a number"),
        ("nan", float, "it"),
        (float("inf"), float, "it is inf; it must be a finite number"),
        (10**400, float, "it"),
        (True, float, "it is True; it should be of type float"),
        (True, int, "it is True; it should be of type int"),
        (1.5, int, "it is 1.5; it should be of type int"),
        ("c", Literal["a", "b"], "it is 'c'; it can be 'a', 'b'"),
        ("1", tuple[float, float], "it takes 2 values"),
        ([1, 2, 3], tuple[float, float], "it takes 2 values"),
        (5, tuple[float, float], "it is 5; it should be a list"),
        ([[1, 2], [3, "x"]], tuple[tuple[float, float], ...], r"it\[1\]: 'x' is not a number"),
        ("yes", bool, "it should be of type bool"),
        ("nothing", float | None, "it: 'nothing' is not a number"),
        ({}, TimeWarp, "it should be of type TimeWarp"),
    ],
)
def test_values_of_another_type_get_a_sentence(value: Any, kind: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        coerce(value, kind, "it")


def test_build_fills_in_defaults() -> None:
    assert build(Sample, {"size": "1.5", "pairs": ["1=2"]}) == Sample(size=1.5, pairs=((1.0, 2.0),))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "missing parameter 'size': How large."),
        ({"size": 1, "cuont": 2}, "no parameter named 'cuont'; did you mean 'count'"),
        ({"size": -1}, "size is -1 m; the least is 0 m"),
        ({"size": 3}, "size is 3 m; the most is 2 m"),
        ({"size": "big"}, "size: 'big' is not a number"),
    ],
)
def test_build_refuses_with_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        build(Sample, values)


@pytest.mark.parametrize("bound", [0, 2])
def test_bounds_are_allowed(bound: float) -> None:
    assert build(Sample, {"size": bound}).size == bound


@pytest.mark.parametrize("known", METHODS.values(), ids=METHODS)
def test_a_methods_keywords_past_the_motion_are_its_parameters(known: Method) -> None:
    keywords = {
        n: p.default
        for n, p in list(inspect.signature(known.function).parameters.items())[
            1:
        ]  # past the motion
    }
    parameters = {p.name: p for p in declared(known.parameters)}
    assert set(keywords) == set(parameters)
    for name, p in parameters.items():
        assert p.help.endswith(".")
        assert p.required == (keywords[name] is inspect.Parameter.empty)
        assert p.required or keywords[name] == p.default


def test_an_unknown_method_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no method named 'splin'; did you mean 'spline'"):
        method("splin")
