"""Convert paths in a step's parameters to files that the studio may open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from retime.errors import InputError
from retime.methods import method
from retime.parameters import declared


def resolve_paths(step: dict[str, Any], resolve: Callable[[str], str]) -> None:
    """Convert the paths in a step's parameters to files under the root."""
    for p in declared(method(step["method"]).parameters):
        value = step["parameters"].get(p.name)
        if not p.names_files(value):
            continue
        if isinstance(value, list):
            step["parameters"][p.name] = [_resolved(v, p.name, resolve) for v in value]
        else:
            step["parameters"][p.name] = _resolved(value, p.name, resolve)


def _resolved(value: Any, name: str, resolve: Callable[[str], str]) -> Any:
    """Resolve a path, or a path with the hash of its content; nothing else names a file."""
    if isinstance(value, str):
        return resolve(value)
    if isinstance(value, dict) and isinstance(value.get("path"), str):
        return value | {"path": resolve(value["path"])}
    raise InputError(f"{name} is a path, or an object with a path, not {str(value)[:40]}")
