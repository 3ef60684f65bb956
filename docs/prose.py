"""Check the prose: pages, help texts, docstrings, notes and errors, by the rules of prose.toml.

``make check`` runs it. ``--sample N SEED`` prints N texts at random, to read them by eye.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RULES = Path(__file__).with_name("prose.toml")
# Pages a person reads; what is written by a program or quotes others is not ours to judge.
_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/*.md")
_GENERATED = {"docs/reference.md"}
_SOURCES = ("src/retime/**/*.py", "blender/**/*.py", "examples/gallery/*.py")
# Calls whose first argument a person reads.
_SPOKEN = re.compile(r"(Error|Warning|Note|Remedy|Refused|Malformed|Problem|note|fail)$")


@dataclass(frozen=True)
class Text:
    """A text, where it stands, and what kind it is: page, help, docstring or message."""

    file: str
    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Finding:
    """A fault in a text."""

    at: Text
    rule: str
    advice: str
    words: str

    def __str__(self) -> str:
        return f"{self.at.file}:{self.at.line}: {self.rule}: {self.words!r}; {self.advice}"


def every_text() -> Iterator[Text]:
    """Yield every text of the project."""
    for pattern in _PAGES:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name not in _GENERATED:
                yield from page_texts(path.read_text(encoding="utf-8"), name)
    for pattern in _SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            yield from source_texts(path.read_text(encoding="utf-8"), name)


def page_texts(page: str, name: str) -> Iterator[Text]:
    """Yield the paragraphs, list items and table cells of a Markdown page."""
    fenced = False
    lines: list[str] = []
    start = 0
    for number, line in enumerate([*page.splitlines(), ""], 1):
        if line.lstrip().startswith(("```", ":::")):
            fenced = not fenced
        begins = re.match(r"\s*([-*#>]|\d+\.)\s", line) is not None
        ends = (
            fenced or not line.strip() or line.lstrip().startswith(("|", "```", "<", ":::", "$$"))
        )
        if lines and (ends or begins):
            yield Text(name, start, "page", _plain(" ".join(lines)))
            lines = []
        if ends:
            if line.startswith("|") and not fenced:
                for cell in line.strip("|").split("|"):
                    yield Text(name, number, "page", _plain(cell))
            continue
        if not lines:
            start = number
        lines.append(line.strip())


def _plain(markdown: str) -> str:
    """Take code, addresses and marks out of a paragraph."""
    text = re.sub(r"`[^`]*`", "X", markdown)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]*>|\$[^$]*\$", "X", text)
    return re.sub(r"^([-*#>]+|\d+\.)\s|\*\*|__", "", text.strip())


def source_texts(source: str, name: str) -> Iterator[Text]:
    """Yield docstrings, help texts and messages of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node)
            if doc:
                line = node.body[0].lineno
                yield from _docstring(doc, name, line)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            for value, kind in _spoken(node, called):
                text = _constant(value)
                if text is not None and " " in text:
                    yield Text(name, value.lineno, kind, re.sub(r"`[^`]*`", "X", text))


def _docstring(doc: str, name: str, line: int) -> Iterator[Text]:
    """Yield a docstring's paragraphs; sections of examples and notation are left out."""
    prose = re.split(r"^(?:Examples|References)\n-+$", doc, maxsplit=1, flags=re.M)[0]
    for paragraph in re.split(r"\n\s*\n", prose):
        kept = [t for t in paragraph.splitlines() if not re.match(r"\s*(-{3,}|>>>|\S+ : )", t)]
        text = " ".join(t.strip() for t in kept)
        if " " in text and "::" not in text:
            yield Text(
                name, line, "docstring", re.sub(r"``[^`]*``|:\w+:`[^`]*`|`[^`]*`", "X", text)
            )


def _spoken(call: ast.Call, called: str) -> Iterator[tuple[ast.expr, str]]:
    keywords = {k.arg: k.value for k in call.keywords}
    if called == "About" and call.args:
        yield call.args[0], "help"
    elif called == "file_option":
        yield call.args[1], "help"
    elif called in ("Option", "Argument") and "help" in keywords:
        yield keywords["help"], "help"
    elif called.endswith("Property"):  # of Blender
        yield from ((keywords[k], "help") for k in ("description",) if k in keywords)
    elif call.args and (_SPOKEN.search(called) or ast.unparse(call.func).endswith("notes.append")):
        yield call.args[0], "message"


def _constant(node: ast.expr) -> str | None:
    """Return a text with X for each value put into it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "X" for v in node.values)
    if isinstance(node, ast.BinOp):
        parts = [_constant(node.left), _constant(node.right)]
        return None if None in parts else "".join(p for p in parts if p)
    return None


def check(text: Text, rules: dict[str, Any]) -> Iterator[Finding]:
    """Yield the faults of a text."""
    for rule in rules["rule"]:
        if text.kind not in rule.get("kinds", (text.kind,)):
            continue
        for pattern in rule["patterns"]:
            for hit in re.finditer(pattern, text.text):
                yield Finding(text, rule["name"], rule["advice"], hit.group().strip())
    most = rules["longest"][text.kind]
    for sentence in re.split(r"(?<=[.!?:;])\s+", text.text):
        words = sentence.split()
        if len(words) > most:
            start = " ".join(words[:6])
            yield Finding(text, "long", f"{len(words)} words, at most {most}", start)


def main() -> int:
    """Print all findings, or a sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", nargs=2, type=int, metavar=("N", "SEED"))
    asked = parser.parse_args()
    if asked.sample:
        count, seed = asked.sample
        drawn = random.Random(seed)
        by_kind: dict[str, list[Text]] = {}
        for text in every_text():
            if len(text.text.split()) >= 5:
                by_kind.setdefault(text.kind, []).append(text)
        for k in range(count):  # the kinds in turn, so that no kind drowns the others
            kind = sorted(by_kind)[k % len(by_kind)]
            text = drawn.choice(by_kind[kind])
            print(f"{k + 1:>3}. {text.file}:{text.line} ({kind})\n     {text.text}")
        return 0
    rules = tomllib.loads(RULES.read_text(encoding="utf-8"))
    found = [f for text in every_text() for f in check(text, rules)]
    print("\n".join(map(str, found)) if found else "prose: no faults found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
