"""Explain methods, parameters, errors and codes of notes, from where they are declared."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import retime
from retime import errors
from retime.errors import InputError, did_you_mean
from retime.groups.parameters import GroupParameters
from retime.length_tables import LengthsParameters
from retime.mcp.schemas import schema_of
from retime.methods import METHODS
from retime.parameters import declared

# What requests name beside methods.
_OTHERS = {"together": GroupParameters, "lengths": LengthsParameters}
_SUMMARIES = {
    "together": "The common timing of a group.",
    "lengths": "A table with the timing of a clip at any length.",
}


def methods_listed() -> str:
    """Return a line for each method, and for what recipes contain beside methods."""
    lines = [f"{name}: {m.summary}" for name, m in METHODS.items()]
    return "\n".join([*lines, *(f"{name}: {text}" for name, text in _SUMMARIES.items())])


def explained(name: str) -> str:
    """Return the text about a method, a parameter, an error or the code of a note."""
    if not name:
        return methods_listed()
    declarations = {n: m.parameters for n, m in METHODS.items()} | _OTHERS
    if name in declarations:
        summary = METHODS[name].summary if name in METHODS else _SUMMARIES[name]
        schema = schema_of(declarations[name])
        return f"{summary}\n{json.dumps(schema, ensure_ascii=False, separators=(',', ':'))}"
    scope, _, parameter = name.rpartition(".")
    wanted = {scope: declarations[scope]} if scope in declarations else declarations
    found: dict[str, list[str]] = {}
    for owner, declaration in wanted.items():
        for p in declared(declaration):
            if p.name == parameter:
                found.setdefault(p.full_help, []).append(owner)
    if found:
        return "\n".join(f"{', '.join(owners)}: {text}" for text, owners in found.items())
    error = getattr(errors, name, None)
    if isinstance(error, type) and issubclass(error, Exception):
        return (inspect.getdoc(error) or "").partition("\n\n")[0]
    texts = _texts_of(name)
    if texts:
        return "\n".join(texts)
    raise InputError(f"nothing is called {name[:80]!r}{did_you_mean(name, declarations)}")


def _texts_of(code: str) -> list[str]:
    """Return the sentences of notes with a code, with names in braces in place of values."""
    out = []
    for path in sorted(Path(retime.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if f'code="{code}"' in text:
            out += [s for s in map(_sentence, _notes(ast.parse(text), code)) if s]
    return list(dict.fromkeys(out))


def _notes(tree: ast.AST, code: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and any(
            k.arg == "code" and isinstance(k.value, ast.Constant) and k.value.value == code
            for k in node.keywords
        )
    ]


def _sentence(call: ast.Call) -> str:
    """Return the text of a note: its first argument, and the words of its remedy."""
    words = []
    for argument in call.args[:2]:
        inner = argument.args[0] if isinstance(argument, ast.Call) and argument.args else argument
        if isinstance(inner, ast.Constant):
            words.append(str(inner.value))
        elif isinstance(inner, ast.JoinedStr):
            words.append(ast.unparse(inner)[2:-1])
    return "; ".join(words)
