"""Read and write recipe files: JSON that can be edited by hand and kept under version control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from retime.coercion import is_number, options_of
from retime.errors import FormatError, InputError
from retime.io import warp_json
from retime.io.json_text import must_be_shallow, must_be_version, parse_json, write_json
from retime.methods import method
from retime.motion import Motion
from retime.parameters import declared
from retime.recipe.recipe import Recipe, Step
from retime.sentences import StepName
from retime.timing import TimeWarp

__all__ = [
    "FORMAT",
    "VERSION",
    "from_document",
    "read_recipe",
    "step_from_document",
    "to_document",
    "write_recipe",
]

FORMAT = "retime-recipe"
# Version of written recipes, projects, journals and batch manifests.
VERSION = 2


def _encode(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_encode(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _encode(v) for k, v in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return _encode_object(value)


def _encode_object(value: Any) -> Any:
    if isinstance(value, TimeWarp):
        return warp_json.to_document(value)
    if isinstance(value, Motion) and value.origin is not None and value.origin.warp is None:
        return {"path": value.origin.path, "sha256": value.origin.sha256}
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "to_document"):  # data of a method
        return _encode(value.to_document())
    raise InputError(
        f"a recipe file cannot contain {type(value).__name__}; it works in Python only"
    )


def _decode(value: Any, kind: Any) -> Any:
    """Convert the document of a warp to a warp; other values are converted by their step."""
    if TimeWarp in options_of(kind) and value is not None:
        return warp_json.from_document(value)
    return value


def to_document(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as a JSON document, without values that are defaults."""
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if recipe.input:
        document["input"] = dict(recipe.input)
    return document | {"steps": [_step_document(step) for step in recipe.steps]}


def _step_document(step: Step) -> dict[str, Any]:
    values = {name: _encode(value) for name, value in step.changed.items()}
    entry: dict[str, Any] = {"method": step.method, "parameters": values}
    if step.weight != 1:
        entry["weight"] = step.weight
    if step.mute:
        entry["mute"] = True
    if step.label:
        entry["label"] = step.label
    return entry


def from_document(document: Any) -> Recipe:
    """Make a recipe from a JSON document."""
    must_be_version(document, FORMAT, "recipe", VERSION)
    listed = document.get("steps")
    if not isinstance(listed, list):
        raise InputError('a recipe needs "steps", a list')
    steps = []
    for number, entry in enumerate(listed, 1):
        try:
            steps.append(step_from_document(entry))
        except InputError as e:
            raise e.within(StepName("step", number)) from None
    given = document.get("input")
    if given is not None and not isinstance(given, Mapping):
        raise InputError('"input" must be an object')
    return Recipe(steps, given)


def step_from_document(entry: Any) -> Step:
    """Make a step from its entry in a JSON document."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("method"), str):
        raise InputError('it needs a "method"')
    must_be_shallow(entry)
    unknown = set(entry) - {"method", "parameters", "weight", "mute", "label"}
    if unknown:
        raise InputError(f"a step has no {sorted(unknown)[0]!r}")
    values = entry.get("parameters", {})
    if not isinstance(values, Mapping):
        raise InputError('"parameters" must be an object')
    kinds = {p.name: p.type for p in declared(method(entry["method"]).parameters)}
    decoded = {n: _decode(v, kinds.get(n)) for n, v in values.items()}
    weight, mute = _weight_and_mute(entry)
    return Step(entry["method"], decoded, weight, mute, str(entry.get("label", "")))


def _weight_and_mute(entry: Mapping[str, Any]) -> tuple[float, bool]:
    weight, mute = entry.get("weight", 1.0), entry.get("mute", False)
    if not is_number(weight):
        raise InputError(f"the weight is {weight!r}, not a number")
    if abs(weight) > 1:
        raise InputError(f"the weight is {str(weight)[:20]}; it must be between 0 and 1")
    if not isinstance(mute, bool):
        raise InputError(f"mute is {mute!r}; it is true or false")
    return float(weight), mute


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe file.

    Parameters
    ----------
    path : str or Path
        The JSON file. Relative paths in it start at its folder, or at the working folder if the
        file is not there.
    """
    document = parse_json(path)
    try:
        recipe = from_document(document)
    except InputError as e:
        raise FormatError(str(e), path=path) from None
    folder = Path(path).parent
    steps = [_found_beside(step, folder) for step in recipe.steps]
    return Recipe(steps, recipe.input)


def _found_beside(step: Step, folder: Path) -> Step:
    """Resolve the paths of a step relative to the recipe's folder, if the files exist."""

    def find(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(find(v) for v in value)
        if isinstance(value, Mapping) and isinstance(value.get("path"), str):
            return {**value, "path": find(value["path"])}
        if isinstance(value, str | Path) and (folder / value).exists():
            return str(folder / value)
        return value

    own = step.parameters
    paths = {p.name: getattr(own, p.name) for p in declared(type(own)) if p.is_path}
    found = {name: find(value) for name, value in paths.items()}
    return step if found == paths else replace(step, parameters=replace(own, **found))


def write_recipe(recipe: Recipe, path: str | Path) -> None:
    """Write a recipe file, completely or not at all.

    Parameters
    ----------
    recipe : Recipe
        The recipe.
    path : str or Path
        The file.
    """
    write_json(to_document(recipe), path)
