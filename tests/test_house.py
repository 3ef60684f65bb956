"""Rules of the house that a person would forget."""

from __future__ import annotations

import ast
import inspect
import itertools
import operator
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numpydoc.validate import validate

import retime
from retime import errors
from sources import parsed

ROOT = Path(__file__).parents[1]


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, retime; early = 'numpy' in sys.modules;"
        "import retime.studio.server, retime.studio.worker, retime.studio.evaluation;"
        "late = [m for m in ('scipy', 'av') if m in sys.modules];"
        "sys.exit(['numpy'] * early + late or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_explained() -> None:
    for name in retime.__all__:
        value = getattr(retime, name)
        assert inspect.getdoc(value), name


def _documented() -> list[str]:
    values = {n: getattr(retime, n) for n in retime.__all__}
    values |= {f"live.{n}": getattr(retime.live, n) for n in retime.live.__all__}
    plain = {n: v for n, v in values.items() if callable(v)}
    return [n for n, v in plain.items() if not (isinstance(v, type) and issubclass(v, Exception))]


@pytest.mark.parametrize("name", _documented())
def test_a_public_docstring_names_its_parameters(name: str) -> None:
    value = operator.attrgetter(name)(retime)
    found = validate(f"{value.__module__}.{value.__qualname__}")["errors"]
    # No docstring; parameters that are missing, unknown or in another order.
    assert [text for code, text in found if code in ("GL08", "PR01", "PR02", "PR03")] == []


def test_reference_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_reference.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run `make docs`:\n{done.stdout}{done.stderr}"


def test_every_exception_is_documented() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    for name in retime.__all__:
        if name.endswith(("Error", "Warning")):
            assert name in text, name


# Packages below the front ends: none of their sentences may name a command-line option.
BELOW = (
    "arrays", "body", "bounded_json", "coercion", "errors", "evaluate", "io",
    "keywords", "live", "media", "methods", "motion", "notes", "numeric", "one_line", "parameters",
    "parameters_shared", "plugins",
    "pictured", "plot", "process", "recipe", "samples", "temporary", "sentences", "serving",
    "times", "timing", "pacing", "joint_times", "groups", "assembling",
    "length_tables",
)  # fmt: skip
_FLAG = re.compile(r"(?<![\w-])--[a-z]")


def _strings(path: Path) -> list[tuple[int, str]]:
    """Every string of a module but its docstrings, with its line."""
    tree = parsed(path)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    blocks = [n for n in ast.walk(tree) if isinstance(n, kinds)]
    docs = {id(b.body[0].value) for b in blocks if b.body and isinstance(b.body[0], ast.Expr)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in docs]
    return [(n.lineno, n.value) for n in found if isinstance(n.value, str)]


def test_no_sentence_below_a_front_end_names_an_option() -> None:
    source = Path(retime.__file__).parent
    found = []
    for name in BELOW:
        for path in [source / f"{name}.py", *(source / name).rglob("*.py")]:
            if path.exists():
                found += [f"{path}:{n}: {s}" for n, s in _strings(path) if _FLAG.search(s)]
    assert found == []


def test_every_package_is_a_front_end_or_below_one() -> None:
    source = Path(retime.__file__).parent
    front = {"cli", "studio", "batch", "live_server", "hosts", "mcp"}
    there = {p.stem for p in source.iterdir() if p.is_dir() or p.suffix == ".py"}
    # The kernels are a module that is no Python; their stubs may lie beside it.
    assert there - {"__init__", "__main__", "__pycache__", "_native"} == front | set(BELOW)


def _notes_in_plain_text(tree: ast.AST) -> list[int]:
    """Find the lines where a sentence without a code becomes a note.

    Types tell most of them apart (`notes` are lists of `Note`); this finds literals at once.
    """
    found = []
    for node in ast.walk(tree):
        held: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            adds = node.func.attr == "append" and owner.split(".")[-1].strip("_") == "notes"
            if adds or node.func.attr in ("with_notes", "saying"):
                held = node.args
        if isinstance(node, ast.keyword) and node.arg == "notes":
            held = [node.value]
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(ast.unparse(t).split(".")[-1] == "notes" for t in targets):
                held = [node.value]
        for value in held:
            listed = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            found += [
                v.lineno
                for v in listed
                if isinstance(v, ast.JoinedStr)
                or (isinstance(v, ast.Constant) and isinstance(v.value, str))
            ]
    return found


def test_every_note_has_a_code() -> None:
    """A note without one cannot be made; a plain sentence is not taken for one."""
    with pytest.raises(TypeError, match="code"):
        retime.notes.Note("nobody can tell this from others")  # type: ignore[call-arg]
    plain = ["notes.append('x')", "m.with_notes(f'{x}')", "Motion(notes=('x',))", "notes += ['x']"]
    assert all(_notes_in_plain_text(ast.parse(line)) for line in plain)
    for path in (ROOT / "src" / "retime").rglob("*.py"):
        tree = parsed(path)
        if path.name != "otio_child.py":  # it runs alone, and its sentences become notes later
            assert _notes_in_plain_text(tree) == [], path
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Note":
                codes = [k.value for k in node.keywords if k.arg == "code"]
                assert codes, f"{path}:{node.lineno}"
                if isinstance(codes[0], ast.Constant):
                    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", str(codes[0].value)), codes[0].value


def test_workflows_name_files_that_exist() -> None:
    for workflow in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        for name in re.findall(r"(?:tests|blender|\.ci|docs|bench)/[\w./]+", workflow.read_text()):
            assert (ROOT / name).exists(), f"{workflow.name} names {name}"


def _seconds_as_text(tree: ast.AST) -> list[int]:
    """Find the lines where a message has a time in seconds as text instead of a term."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _MESSAGES:
            for text in ast.walk(node):
                if isinstance(text, ast.JoinedStr):
                    found += [n.lineno for n in _values_in_seconds(text)]
    return found


_MESSAGES = {"InputError", "InfeasibleError", "Note", "Remedy"}
_IN_SECONDS = re.compile(r"^ (s|seconds?|ms)\b(?![/²·])")


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _values_in_seconds(text: ast.JoinedStr) -> list[ast.expr]:
    return [
        value
        for value, after in itertools.pairwise(text.values)
        if isinstance(value, ast.FormattedValue)
        and isinstance(after, ast.Constant)
        and _IN_SECONDS.match(str(after.value))
    ]


@pytest.mark.parametrize(
    "name", ["timing", "motion", "body", "methods", "recipe", "length_tables", "evaluate"]
)
def test_times_in_messages_are_terms(name: str) -> None:
    found = []
    for path in sorted((Path(retime.__file__).parent / name).rglob("*.py")):
        found += [f"{path}:{n}" for n in _seconds_as_text(parsed(path))]
    assert found == []


def test_a_missing_part_is_installed_from_where_retime_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert errors.install_command("video").endswith(f"pip install -e '.[video]' in {ROOT}")
    monkeypatch.setattr(errors, "__file__", "/usr/lib/python3/site-packages/retime/errors.py")
    assert errors.install_command("video") == "pip install 'retime[video]'"


# Names that hide what they hold. The number may only fall: name the thing.
PARTICIPLES = frozenset({"found", "kept", "made", "given", "told", "known"})
MOST_PARTICIPLES = 1089


def test_variables_are_named_by_what_they_hold() -> None:
    count = 0
    for path in Path(retime.__file__).parent.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                count += node.id in PARTICIPLES
            elif isinstance(node, ast.arg):
                count += node.arg in PARTICIPLES
    assert count <= MOST_PARTICIPLES, f"{count} variables; name them by what they hold"
