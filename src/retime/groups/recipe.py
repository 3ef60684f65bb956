"""Recipes of groups: what members do together, and the steps of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retime.errors import FormatError, InputError
from retime.groups.parameters import GroupParameters
from retime.io.json_text import must_be_shallow, must_be_version, parse_json, write_json
from retime.one_line import one_line
from retime.parameters import build, declared, values_of
from retime.recipe import Recipe
from retime.recipe import json as recipe_json

__all__ = ["GroupRecipe", "read_group_recipe", "write_group_recipe"]

FORMAT, VERSION = "retime-group", 1


@one_line()
@dataclass(frozen=True, eq=False)
class GroupRecipe:
    """The common timing of a group, and the recipe of each member after it.

    Parameters
    ----------
    members : mapping of str to Recipe
        The steps of each member, in the time after the common timing.
    together : GroupParameters
        The common timing.
    """

    members: Mapping[str, Recipe]
    together: GroupParameters = field(default_factory=GroupParameters)

    def to_document(self) -> dict[str, Any]:
        """Return the recipe as a JSON document."""
        members = {}
        for name, recipe in self.members.items():
            document = recipe_json.to_document(recipe)
            members[name] = {k: document[k] for k in ("input", "steps") if k in document}
        defaults = {p.name: p.default for p in declared(GroupParameters)}
        values = {n: v for n, v in values_of(self.together).items() if v != defaults[n]}
        together = {n: _plain(v) for n, v in values.items()}
        return {"format": FORMAT, "version": VERSION, "members": members, "together": together}

    @classmethod
    def from_document(cls, document: Any) -> GroupRecipe:
        """Make a recipe from a JSON document."""
        must_be_version(document, FORMAT, "group recipe", VERSION)
        must_be_shallow(document)
        unknown = set(document) - {"format", "version", "members", "together"}
        if unknown:
            raise InputError(f"a group recipe has no {sorted(unknown)[0]!r}")
        members, together = document.get("members"), document.get("together", {})
        if not isinstance(members, Mapping) or not isinstance(together, Mapping):
            raise InputError('a group recipe needs "members" and "together", both objects')
        return cls(
            {str(name): _member(name, entry) for name, entry in members.items()},
            build(GroupParameters, together),
        )


def _member(name: str, entry: Any) -> Recipe:
    if not isinstance(entry, Mapping):
        raise InputError(f'member {name!r} is an object with "steps"')
    unknown = set(entry) - {"input", "steps"}
    if unknown:
        raise InputError(f"member {name!r} has no {sorted(unknown)[0]!r}")
    document = {"format": recipe_json.FORMAT, "version": recipe_json.VERSION, "steps": [], **entry}
    try:
        return recipe_json.from_document(document)
    except InputError as error:
        raise error.within(f"member {name!r}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return value.to_document() if hasattr(value, "to_document") else value


def read_group_recipe(path: str | Path) -> GroupRecipe:
    """Read a group recipe file.

    Parameters
    ----------
    path : str or Path
        The JSON file.
    """
    document = parse_json(path)
    try:
        return GroupRecipe.from_document(document)
    except InputError as error:
        raise FormatError(str(error), path=path) from None


def write_group_recipe(recipe: GroupRecipe, path: str | Path) -> None:
    """Write a group recipe file, completely or not at all.

    Parameters
    ----------
    recipe : GroupRecipe
        The recipe.
    path : str or Path
        The file.
    """
    write_json(recipe.to_document(), path)
