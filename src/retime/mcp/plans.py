"""Read the recipes of requests: jobs of one motion, of groups, and tables of lengths."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retime.coercion import options_of
from retime.errors import InputError
from retime.evaluate import GroupJob, Job
from retime.groups.recipe import FORMAT as GROUP
from retime.groups.recipe import VERSION as GROUP_VERSION
from retime.groups.recipe import GroupRecipe
from retime.length_tables import LengthsParameters
from retime.mcp.folder import Folder
from retime.mcp.requests import Apply, Propose
from retime.methods import method
from retime.parameters import Parameter, build, declared
from retime.recipe import Recipe
from retime.recipe.json import FORMAT, VERSION, from_document

_KINDS = 'a recipe has "steps", a group recipe "together" and "members", a table "lengths"'


@dataclass(frozen=True)
class TablePlan:
    """A table of lengths to make."""

    job: Job
    parameters: LengthsParameters


Plan = Job | GroupJob | TablePlan


def plan_of(request: Propose, folder: Folder) -> Plan:
    """Return what a request plans; the files that it names are in the folder."""
    document = dict(request.recipe)
    targets = _targets(request, folder) if isinstance(request, Apply) else {}
    if "lengths" in document:
        return _table(request, document, folder, targets)
    if document.keys() & {"together", "members"}:
        return _group(request, document, folder, targets)
    if "steps" not in document:
        raise InputError(_KINDS)
    recipe = recipe_of(document, folder)
    return Job(
        source=folder.file(_one(request.motion)),
        recipe=recipe,
        animation=request.animation,
        fps=request.fps,
        exact=request.exact,
        target=_only(targets),
    )


def recipe_of(document: Mapping[str, Any], folder: Folder) -> Recipe:
    """Return a recipe of a request; its format and version may be left out."""
    whole = {"format": FORMAT, "version": VERSION, **copy.deepcopy(dict(document))}
    return from_document(_with_files(whole, folder))


def _group(
    request: Propose, document: dict[str, Any], folder: Folder, targets: Mapping[str, Path]
) -> GroupJob:
    if not isinstance(request.motion, Mapping):
        raise InputError('the motions of a group are an object: {"ann": "ann.bvh", ...}')
    members = document.get("members", {})
    if not isinstance(members, Mapping):
        raise InputError('"members" is an object with the steps of each member')
    named = {str(n): _with_files(copy.deepcopy(m), folder) for n, m in members.items()}
    whole = {"format": GROUP, "version": GROUP_VERSION, **document, "members": named}
    missing = sorted(request.motion.keys() - targets.keys()) if targets else []
    if missing:
        raise InputError(f'"output" has no file for the member {missing[0]!r}')
    jobs = {
        name: Job(source=folder.file(_text(file)), target=targets.get(name))
        for name, file in request.motion.items()
    }
    recipe = GroupRecipe.from_document(whole)
    return GroupJob(members=jobs, recipe=recipe, fps=request.fps, exact=request.exact)


def _table(
    request: Propose, document: dict[str, Any], folder: Folder, targets: Mapping[str, Path]
) -> TablePlan:
    values, target = document["lengths"], _only(targets)
    if not isinstance(values, Mapping) or len(document) > 1:
        raise InputError('a table of lengths is {"lengths": {...}} with its parameters')
    if target is not None and target.suffix.lower() != ".json":
        raise InputError(f"{target}: the name of a table of lengths ends in .json")
    source = folder.file(_one(request.motion))
    job = Job(source=source, animation=request.animation, target=target)
    return TablePlan(job, build(LengthsParameters, values))


# ---- files


def _targets(request: Apply, folder: Folder) -> dict[str, Path]:
    """Return the files to write by member; without the wish to overwrite, none may exist."""
    given = request.output if isinstance(request.output, Mapping) else {"": request.output}
    out: dict[str, Path] = {}
    for name, path in given.items():
        place = folder.place(_text(path))
        if place.exists() and not request.overwrite:
            raise InputError(f'{path} exists; give another name, or "overwrite": true')
        if not place.parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; name a file in one that does")
        out[str(name)] = place.relative_to(folder.root)
    motions = request.motion.values() if isinstance(request.motion, Mapping) else [request.motion]
    sources = {folder.file(_text(m)) for m in motions}
    if len(set(out.values())) < len(out) or sources & set(out.values()):
        raise InputError("each result needs a name of its own, which is not that of a source")
    return out


def _only(targets: Mapping[str, Path]) -> Path | None:
    if not targets:
        return None
    if targets.keys() != {""}:
        raise InputError('"output" is the name of one file: only a group has several')
    return targets[""]


def _one(motion: Any) -> str:
    if not isinstance(motion, str):
        raise InputError('"motion" is the name of one file: only a group has several')
    return motion


def _text(path: Any) -> str:
    if not isinstance(path, str):
        raise InputError(f"the name of a file is text, not {str(path)[:40]}")
    return path


def _with_files(document: Any, folder: Folder) -> Any:
    """Check the files that steps name, and make them paths from the folder."""
    steps = document.get("steps") if isinstance(document, dict) else None
    for step in steps if isinstance(steps, list) else ():
        if not isinstance(step, dict) or not isinstance(step.get("parameters"), dict):
            continue
        values = step["parameters"]
        for p in declared(method(str(step.get("method"))).parameters):
            if _names_a_file(p) and values.get(p.name) is not None:
                values[p.name] = _found(values[p.name], folder)
    return document


def _names_a_file(p: Parameter) -> bool:
    return p.is_path or (p.about.metavar == "FILE" and str in options_of(p.type))


def _found(value: Any, folder: Folder) -> Any:
    if isinstance(value, list):
        return [_found(v, folder) for v in value]
    if isinstance(value, dict) and "path" in value:
        return value | {"path": _found(value["path"], folder)}
    return str(folder.file(value)) if isinstance(value, str) else value
