"""The recipe for one clip: placeholders filled, references found, random values chosen.

A recipe's paths may hold ``{stem}``, ``{name}``, ``{folder}`` and ``{library}``: the clip's name
without and with suffix, its folder, and the library.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retime.batch.clip_files import file_sha256
from retime.batch.clip_table import ClipTable
from retime.batch.library_index import folder_digest, index_folder
from retime.batch.plan import Item
from retime.batch.vary import Variation
from retime.errors import InputError
from retime.methods import method
from retime.parameters import declared
from retime.recipe import Recipe
from retime.recipe.json import to_document

_PLACEHOLDERS = ("stem", "name", "folder", "library")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ClipRecipe:
    """The recipe of one result."""

    document: Mapping[str, Any]
    """As a recipe's JSON file, its paths absolute."""
    duration: tuple[int, float] | None
    """The step whose duration is this factor of the clip's."""
    varied: Mapping[str, Any]
    """Drawn values by variation."""
    sha256: str
    """Hash of all that decides the result, what references hold included; where they lie is not."""


@dataclass
class ClipRecipes:
    """Makes recipes for clips."""

    recipe: Recipe
    """The recipe for all clips."""
    library: Path
    """The folder of clips."""
    indices: Path
    """Where indices of reference folders are kept."""
    variations: Sequence[Variation] = ()
    """Variations between copies."""
    seed: int = 0
    """Another seed draws other values."""
    also: Mapping[str, Any] = field(default_factory=dict)
    """Further settings that decide a result, for its hash."""
    table: ClipTable = field(default_factory=ClipTable)
    """Parameters of single clips."""
    _known: dict[str, tuple[tuple[int, int], str]] = field(default_factory=dict)
    _folders: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._document = to_document(self.recipe)
        self._document.pop("input", None)  # it is made for all clips of the library
        self._check_paths()

    def prepare(self) -> None:
        """Index the reference folders that all clips share."""

        def index(given: Any) -> Any:
            text = given["path"] if isinstance(given, Mapping) else given
            if not _PLACEHOLDER.search(text) and Path(text).is_dir():
                self._indexed(Path(text).absolute())
            return given

        self._each_path(self._document, index)

    def make(self, item: Item, clip_sha256: str) -> ClipRecipe:
        """Make the recipe of one result; a reference that does not exist is an ``InputError``."""
        document = copy.deepcopy(self._document)
        varied: dict[str, Any] = {}
        duration = None
        for cell in self.table.of(item.clip):
            document["steps"][cell.step]["parameters"][cell.parameter] = cell.value
            varied[cell.column] = cell.value
        for v in self.variations:
            value = v.draw(clip_sha256, item.copy, self.seed)
            varied[v.text.partition("=")[0].strip()] = value
            if v.factor:
                duration = (v.step, float(value))
            else:
                document["steps"][v.step]["parameters"][v.parameter] = value
        clip = self.library / item.clip
        digests: list[Any] = []
        self._each_path(document, lambda text: self._resolved(text, clip, digests))
        plain = copy.deepcopy(document)
        self._each_path(plain, lambda text: "")  # their contents are compared, not their paths
        told = {"recipe": plain, "duration": duration, "references": digests, **self.also}
        text = json.dumps(told, sort_keys=True, ensure_ascii=True, allow_nan=False)
        return ClipRecipe(document, duration, varied, hashlib.sha256(text.encode()).hexdigest())

    # ---- paths in parameters

    def _each_path(self, document: dict[str, Any], change: Callable[[Any], Any]) -> None:
        for entry in document["steps"]:
            if entry.get("mute"):
                continue
            for p in declared(method(entry["method"]).parameters):
                value = entry["parameters"].get(p.name)
                if not p.names_files(value):
                    continue
                listed = isinstance(value, list)
                changed = [change(v) for v in (value if listed else [value])]
                entry["parameters"][p.name] = changed if listed else changed[0]

    def _check_paths(self) -> None:
        """Reject unknown placeholders, and missing references that all clips share."""

        def check(given: Any) -> Any:
            text = given.get("path", "") if isinstance(given, Mapping) else given
            if not isinstance(text, str):
                raise InputError(f"a path in a recipe is text, not {text!r}")
            names = _PLACEHOLDER.findall(text)
            for name in names:
                if name not in _PLACEHOLDERS:
                    known = ", ".join(f"{{{n}}}" for n in _PLACEHOLDERS)
                    raise InputError(f"{text}: no placeholder {{{name}}}; known: {known}")
            if not names and not Path(text).exists():
                raise InputError(f"the recipe's reference {text} does not exist")
            return given

        self._each_path(self._document, check)

    def _resolved(self, given: Any, clip: Path, digests: list[Any]) -> Any:
        text = given["path"] if isinstance(given, Mapping) else given
        values = {
            "stem": clip.stem,
            "name": clip.name,
            "folder": str(clip.parent),
            "library": str(self.library),
        }
        path = Path(_PLACEHOLDER.sub(lambda m: values[m[1]], text)).absolute()
        if path.is_dir():
            digest, index = self._indexed(path)
            digests.append(digest)
            return {"index": index}
        if not path.is_file():
            raise InputError(f"there is no reference {path}")
        digest = self._file(path)
        if isinstance(given, Mapping) and given.get("sha256") not in (None, digest):
            raise InputError(f"the reference {path} has changed since the recipe was written")
        digests.append(digest)
        return str(path)

    def _file(self, path: Path) -> str:
        found = path.stat()
        stamp = (found.st_size, found.st_mtime_ns)
        known = self._known.get(str(path))
        if known is None or known[0] != stamp:
            known = self._known[str(path)] = (stamp, file_sha256(path))
        return known[1]

    def _indexed(self, path: Path) -> tuple[str, str]:
        """Index a folder of references once per run."""
        if str(path) not in self._folders:
            digest = folder_digest(path)
            self._folders[str(path)] = (digest, str(index_folder(path, self.indices, digest)))
        return self._folders[str(path)]
