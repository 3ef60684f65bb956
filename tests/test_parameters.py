"""Parameters: declared once, and what comes loose is brought to their types."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import retime
from retime import InputError, TimeWarp
from retime.coercion import coerce
from retime.keywords import takes
from retime.methods import METHODS, Method, method
from retime.parameters import About, build, declared
from sources import parsed

SOURCE = Path(retime.__file__).parent


@dataclass(frozen=True, kw_only=True)
class Sample:
    size: Annotated[float, About("How large.", unit="m", minimum=0.0, maximum=2.0)]
    count: Annotated[int, About("How many.", flag="number")] = 3
    pairs: Annotated[Sequence[tuple[float, float]], About("Pairs.")] = ()
    mode: Annotated[Literal["a", "b"], About("Which.")] = "a"
    limit: Annotated[float | None, About("At most.", advanced=True)] = None


def test_declared_tells_all_about_a_parameter() -> None:
    size, count, pairs, *_, limit = declared(Sample)
    assert (size.name, size.type, size.about.unit, size.required) == ("size", float, "m", True)
    assert (size.about.minimum, size.about.maximum, size.flag) == (0.0, 2.0, "size")
    assert (count.default, count.flag, count.required) == (3, "number", False)
    assert (pairs.repeatable, size.repeatable, limit.about.advanced) == (True, False, True)
    assert count.full_help == "How many (default 3)."
    assert size.full_help == "How large (m)."


@takes(Sample)
def sample(name: str, p: Sample) -> tuple[str, Sample]:
    """Take a sample.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    tuple
        What it was given.
    """
    return name, p


def test_a_function_takes_declared_parameters_as_keywords() -> None:
    assert sample("a", size=1, pairs=[(1, 2)]) == ("a", Sample(size=1.0, pairs=((1.0, 2.0),)))
    assert list(inspect.signature(sample).parameters) == [
        "name", "size", "count", "pairs", "mode", "limit",
    ]  # fmt: skip
    text = inspect.getdoc(sample) or ""
    assert "name : str\n    Its name.\nsize : float\n    How large (m)." in text
    assert text.index("limit : float, optional") < text.index("Returns")


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda s: s(size=1), TypeError, "needs 'name'"),
        (lambda s: s("a", 1), TypeError, "takes 1 positional"),
        (lambda s: s("a", name="b", size=1), TypeError, "two values for 'name'"),
        (lambda s: s("a", sice=1), TypeError, "no argument 'sice'; did you mean 'size'"),
        (lambda s: s("a", size=9), InputError, "size is 9 m; the maximum is 2 m"),
    ],
)
def test_a_wrong_call_gets_a_sentence(call: Any, error: type, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        call(sample)


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
        ([[1, 2]], Sequence[tuple[float, float]], ((1.0, 2.0),)),
        ({"a": 1}, Mapping[str, float] | Sequence[tuple[str, float]], (("a", 1.0),)),
        ("a=1", tuple[str, float], ("a", 1.0)),
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
        ({"size": -1}, "size is -1 m; the minimum is 0 m"),
        ({"size": 3}, "size is 3 m; the maximum is 2 m"),
        ({"size": "big"}, "size: 'big' is not a number"),
    ],
)
def test_build_refuses_with_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        build(Sample, values)


@pytest.mark.parametrize("bound", [0, 2])
def test_bounds_are_allowed(bound: float) -> None:
    assert build(Sample, {"size": bound}).size == bound


def declarations() -> list[ast.Call]:
    """Every ``About(...)`` of the source, and every word of a command."""
    sources = [path for path in sorted(SOURCE.rglob("*.py")) if "About(" in path.read_text()]
    nodes = [n for path in sources for n in ast.walk(parsed(path))]
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    named = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id in ("About", "word")]
    return [c for c in named if not isinstance(c.args[-1], ast.Name)]


def test_no_parameter_is_declared_twice() -> None:
    texts = Counter(ast.unparse(call.args[-1]) for call in declarations())
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("known", METHODS.values(), ids=METHODS)
def test_every_parameter_is_declared_in_exactly_one_place(known: Method) -> None:
    """A method's keywords, their defaults and their explanations come from its dataclass alone."""
    function: Any = known.function
    parameters = declared(known.parameters)
    written = list(inspect.signature(function.implementation).parameters)
    assert len(written) == 2, "the function takes the motion and the dataclass, and no keywords"
    own = inspect.getdoc(function.implementation) or ""
    for p in parameters:
        assert p.about.help.endswith("."), p.name
        assert f"\n{p.name} :" not in own, f"{p.name} is explained in the docstring once more"
        assert f"\n{p.name} : " in (inspect.getdoc(function) or "")
    keywords = list(inspect.signature(function).parameters)[1:]
    assert sorted(keywords) == sorted(p.name for p in parameters)


@pytest.mark.parametrize(
    "name",
    ["read", "guided", "guided_signal_warp", "physics", "spline", "surface",
     "align", "PhysicsModel.__init__", "PhysicsModel.warp", "StaggeredPoses.from_motion",
     "ControlSurfaces.__init__", "live.find_alignment"],
)  # fmt: skip
def test_public_functions_take_what_is_declared(name: str) -> None:
    function: Any = retime
    for part in name.split("."):
        function = getattr(function, part)
    names = {p.name for p in declared(function.parameters)}
    assert names <= set(inspect.signature(function).parameters)


def test_forms_and_panels_follow_the_declarations() -> None:
    script = SOURCE.parents[1] / "blender" / "make_parameters.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_method_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no method named 'splin'; did you mean 'spline'"):
        method("splin")
