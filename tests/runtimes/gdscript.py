"""Run the arithmetic of a GDScript file as Python: the two differ in little but types.

Godot itself is not needed. gdtoolkit parses the file; this only checks its numbers.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any


class _List(list):  # type: ignore[type-arg]
    size, append_array = list.__len__, list.extend


class _Object(dict):  # type: ignore[type-arg]
    __getattr__ = dict.__getitem__


def _typed(value: Any) -> Any:
    """Return parsed JSON as Godot holds it: every number is a float."""
    if isinstance(value, dict):
        return _Object({k: _typed(v) for k, v in value.items()})
    if isinstance(value, list):
        return _List(map(_typed, value))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _Json:
    @staticmethod
    def parse_string(text: str) -> Any:
        try:
            return _typed(json.loads(text))
        except ValueError:
            return None


def load(path: Path) -> tuple[Any, list[str]]:
    """Return the class of a file, and the list of errors that it pushes."""
    text = re.sub(r"^(class_name|extends|@export|##).*\n", "", path.read_text(), flags=re.M)
    members = "phases|lengths|times|moments|loop"
    static = re.findall(r"^static func (\w+)", text, re.M)
    own = re.findall(r"^func (\w+)", text, re.M)
    text = re.sub(r"^static func (.*)", r"@staticmethod\ndef \1", text, flags=re.M)
    text = re.sub(r"^func (\w+)\(", r"def \1(self, ", text, flags=re.M)
    text = re.sub(r"\bvar (\w+)(: \w+ =| :=)", r"\1 =", text).replace("var ", "")
    text = re.sub(r"(\w+): (float|int|String|Variant|PackedFloat64Array)\b(?=[,)])", r"\1", text)
    text = re.sub(r"% \[(.*?)\]", r"% (\1,)", text)
    text = re.sub(rf"(?<![\w.\"'])({members})\b(?!\")", r"self.\1", text)
    text = re.sub(rf"(?<![\w.])(?<!def )({'|'.join(own)})\(", r"self.\1(", text)
    text = re.sub(rf"(?<![\w.])(?<!def )({'|'.join(static)})\(", r"RetimeLengths.\1(", text)
    body = "".join(f"\t{line}\n" for line in text.splitlines())
    errors: list[str] = []
    start = "\tdef __init__(self):\n\t\tself.times = _List()\n\tnew = classmethod(lambda c: c())\n"
    names: dict[str, Any] = {
        "_List": _List, "JSON": _Json, "PackedFloat64Array": _List, "true": True, "false": False,
        "null": None, "floorf": math.floor, "absf": abs, "minf": min, "is_finite": math.isfinite,
        "clampf": lambda x, a, b: min(max(x, a), b), "typeof": type, "push_error": errors.append,
        "TYPE_DICTIONARY": _Object, "TYPE_ARRAY": _List, "TYPE_BOOL": bool, "TYPE_FLOAT": float,
        "TYPE_INT": int,
    }  # fmt: skip
    exec(f"from __future__ import annotations\nclass RetimeLengths:\n{start}{body}", names)
    return names["RetimeLengths"], errors
