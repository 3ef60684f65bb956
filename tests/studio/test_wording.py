"""What the library says, as a window says it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import retime
from retime.studio.wording import studio_notes, studio_words

OPTION = re.compile(r"(?<![\w-])--[a-z]")
# What is said before a window is there, or by the command line itself.
BEFORE_A_WINDOW = ("cli", "server.py", "__main__.py", "batch", "engine.py", "plot", "stage")


def sentences() -> list[str]:
    """Texts of the library that name an option; pieces that a program fills in stand as X."""
    found = []
    root = Path(retime.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if any(part in BEFORE_A_WINDOW for part in path.relative_to(root).parts):
            continue
        tree = ast.parse(path.read_text())
        flags = {
            id(k.value) for n in ast.walk(tree) if isinstance(n, ast.Call)
            for k in n.keywords if k.arg == "flag"
        }  # fmt: skip
        own = path.name == "wording.py"
        documented = {
            id(n.body[0].value) for n in ast.walk(tree)
            if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and n.body and isinstance(n.body[0], ast.Expr)
        }  # fmt: skip
        inside = {
            id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values
        }
        for node in ast.walk(tree):
            if own or id(node) in flags | documented | inside:
                continue
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(p.value) if isinstance(p, ast.Constant) else "X"
                               for p in node.values)  # fmt: skip
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            if OPTION.search(text) and " " in text:
                found.append(text)
    return found


def test_no_sentence_names_an_option_of_the_command_line() -> None:
    said = sentences()
    assert len(said) > 8  # the search finds what there is
    for text in said:
        meant = studio_words(text)
        assert not OPTION.search(meant), meant
        assert not re.search(r"\(\)|  ", meant), meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("shift what follows (--ripple)", "shift what follows (the field Ripple)"),
        (
            "if that is noise, filter it (--filter)",
            "if that is noise, filter it (the field Noise filter)",
        ),
        ("drag a joint at a time (--at, --joint, --shift)", "drag a joint at a time"),
        ("a dash -- as here -- stays", "a dash -- as here -- stays"),
        ("nothing to say", "nothing to say"),
    ],
)
def test_an_option_is_named_by_its_field(said: str, meant: str) -> None:
    assert studio_words(said) == meant
    assert studio_notes([said]) == [meant]
