"""No regular expression backtracks: each one of the sources meets strings made against it."""

from __future__ import annotations

import ast
import importlib
import re
import re._parser as grammar  # type: ignore[import-not-found]
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import retime

SOURCE = Path(retime.__file__).parent
FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "split", "findall", "finditer")
# A pattern that goes back takes 70 million steps for so many characters, others 12,000.
LENGTH = 12_000
MOST_SECONDS = 0.05
CHARACTERS = 'aA0 \t\n-.,:"\\{<|@_é'


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if re.search(rf"\bre\.({'|'.join(FUNCTIONS)})\(", path.read_text()):
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            yield ".".join(p for p in parts if p != "__init__"), path


def patterns(name: str, path: Path) -> Iterator[tuple[int, Any, set[str]]]:
    """Yield every pattern of a module with its line and the functions that use it."""
    text = path.read_text()
    tree = ast.parse(text)
    named = {
        id(n.value): n.targets[0].id
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            continue
        if called.value.id != "re" or called.attr not in FUNCTIONS:
            continue
        assert isinstance(node, ast.Call)
        flags = ""
        for argument in [*node.args[1:], *(k.value for k in node.keywords if k.arg == "flags")]:
            if "re." in (said := ast.unparse(argument)):
                flags = f", {said}"
        code = f"re.compile({ast.unparse(node.args[0])}{flags})"
        # What a pattern is put together from is the module's own; a local name stands for a word.
        space = vars(importlib.import_module(name))
        local = {n.id: "NaN" for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
        pattern = eval(code, {**local, **space, "re": re})
        used = {called.attr} - {"compile"} or {"search"}
        if called.attr == "compile" and id(node) in named:
            ways = "|".join(FUNCTIONS)
            used = set(re.findall(rf"\b{named[id(node)]}\.({ways})\(", text)) or {"search"}
        yield node.lineno, pattern, used


def samples(parsed: Any) -> Iterator[str]:
    """Yield texts that a pattern's beginnings match: up to each of its parts."""
    so_far = ""
    for operation, argument in parsed:
        yield so_far
        so_far += sample(operation, argument)
    yield so_far


def sample(operation: Any, argument: Any) -> str:
    word = str(operation)
    if word == "LITERAL":
        return chr(int(argument))
    if word in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return "".join(sample(*part) for part in argument[2]) * max(int(argument[0]), 1)
    if word == "SUBPATTERN":
        return "".join(sample(*part) for part in argument[3])
    if word == "ATOMIC_GROUP":
        return "".join(sample(*part) for part in argument)
    if word == "BRANCH":
        return "".join(sample(*part) for part in argument[1][0])
    if word == "IN":
        return next((c for c in CHARACTERS if one(argument, c)), "x")
    known = {"NOT_LITERAL": "x", "ANY": "x"}
    return known.get(word, "")


def one(items: Any, character: str) -> bool:
    classes = {
        "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s",
        "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
    }  # fmt: skip
    found = negated = False
    for operation, argument in items:
        word = str(operation)
        negated |= word == "NEGATE"
        found |= word == "LITERAL" and chr(argument) == character
        found |= word == "RANGE" and argument[0] <= ord(character) <= argument[1]
        if word == "CATEGORY":
            found |= bool(re.match(classes[str(argument)], character))
    return found != negated


def hostile(pattern: Any) -> Iterator[str]:
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    parsed = grammar.parse(text, pattern.flags & ~re.UNICODE)
    own = "".join(dict.fromkeys(c for s in samples(parsed) for c in s))[:8]
    pumps = [*dict.fromkeys(CHARACTERS + own), *(a + b for a, b in pairwise(own)), own]
    for begin in dict.fromkeys(samples(parsed)):
        for pump in filter(None, pumps):
            yield begin + pump * (LENGTH // len(pump)) + "\x01"
            if begin:
                yield (begin + pump) * (LENGTH // (len(begin) + len(pump))) + "\x01"


def seconds(pattern: Any, use: str, text: Any) -> float:
    def ask() -> None:
        if use == "sub":
            pattern.sub("" if isinstance(text, str) else b"", text)
        elif use == "finditer":
            list(pattern.finditer(text))
        else:
            getattr(pattern, use)(text)

    best = 1.0
    # Shorter ones first: the worst patterns take twice the time for every character.
    for length in (20, 60, 200, 1000):
        begun = time.process_time()
        ask_short = getattr(pattern, use if use in ("match", "fullmatch") else "search")
        ask_short(text[:length] + text[-1:])
        if (took := time.process_time() - begun) > MOST_SECONDS / 5:
            return best + took
    for _ in range(3):
        begun = time.process_time()
        ask()
        best = min(best, time.process_time() - begun)
        if best < MOST_SECONDS or best > 4 * MOST_SECONDS:
            break  # too far from the limit for noise to matter
    return best


ALL = list(modules())


@pytest.mark.parametrize("name, path", ALL, ids=[name for name, _ in ALL])
def test_no_pattern_goes_back(name: str, path: Path) -> None:
    slow = []
    for line, pattern, used in patterns(name, path):
        for text in hostile(pattern):
            given = text if isinstance(pattern.pattern, str) else text.encode("latin1", "replace")
            for use in used:
                if (took := seconds(pattern, use, given)) > MOST_SECONDS:
                    slow.append((path.name, line, pattern.pattern, use, text[:30], took))
                    break
            if len(slow) > 3:
                break
    assert slow == []


def test_the_test_finds_patterns_that_go_back() -> None:
    for bad in (r"(\d*)\.?(\d*)x", r"(a+)+b"):
        pattern = re.compile(bad)
        assert any(seconds(pattern, "match", text) > MOST_SECONDS for text in hostile(pattern)), bad
