"""The studio's document: plain data, no files, no network.

A project holds motions by relative path and hash, and for each of them two versions of a recipe to
compare.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from retime.errors import InputError, RetimeError
from retime.io.json_text import must_be_version
from retime.recipe import json as recipe_json
from retime.recipe.json import VERSION

Version = Literal["A", "B"]
FORMAT = "retime-project"
# More would only be an accident or an attack; a recipe of a hundred steps was never seen.
MOST_STEPS = 200
# How deep lists and objects lie in each other in any parameter that a method takes, and some more.
_DEEPEST = 20
_MOST_SETS, _MOST_JOINTS, _LONGEST_NAME = 200, 2000, 100
_NAME = re.compile(r"[a-z][1-9]\d{0,8}")
# How a parameter names one of the project's own motions, where a recipe has a path.
OWN_MOTION = "motion:"


class MotionEntry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A motion of the project: the path of its file under the root, and its content."""

    name: str
    path: str
    sha256: str
    animation: str | None = None


class Audio(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Sound that belongs to the motion; ``offset`` is the motion's time at which it starts."""

    name: str
    path: str
    sha256: str
    offset: float = 0.0


class StepEntry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A step of a recipe, with a name by which commands can tell it from others."""

    id: str
    method: str
    parameters: dict[str, Any] = {}
    weight: float = 1.0
    mute: bool = False
    label: str = ""


Versions = dict[Version, tuple[StepEntry, ...]]


class Project(Struct, frozen=True, forbid_unknown_fields=True):
    """The document: motions, which of them is retimed, and the two versions of its recipe.

    ``recipes`` are those of the other motions, as far as they have any; ``joint_sets`` names sets
    of joints that edits can be of.
    """

    motions: dict[str, MotionEntry] = {}
    source: str | None = None
    versions: Versions = msgspec.field(default_factory=lambda: {"A": (), "B": ()})
    audio: Audio | None = None
    recipes: dict[str, Versions] = {}
    joint_sets: dict[str, tuple[str, ...]] = {}

    def versions_of(self, motion: str | None) -> Versions:
        """Return both versions of a motion's recipe."""
        if motion == self.source:
            return self.versions
        return self.recipes.get(motion or "", {"A": (), "B": ()})

    @property
    def all_steps(self) -> list[StepEntry]:
        """Steps of all motions' recipes."""
        recipes = (self.versions, *self.recipes.values())
        return [step for versions in recipes for steps in versions.values() for step in steps]

    def step(self, name: str) -> tuple[Version, int]:
        """Find a step: its version and its place there."""
        for version, steps in self.versions.items():
            for place, step in enumerate(steps):
                if step.id == name:
                    return version, place
        raise InputError("that step is gone: it was removed in another window, or by an undo")

    def motion(self, name: str) -> MotionEntry:
        """Find a motion."""
        try:
            return self.motions[name]
        except KeyError:
            raise InputError(f"the project has no motion {name!r}") from None


class NewStep(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A step that has no name yet."""

    method: str
    parameters: dict[str, Any] = {}
    weight: float = 1.0
    mute: bool = False
    label: str = ""


def must_travel(told: Struct) -> None:
    """Reject a project or a command that cannot be saved or sent to windows."""
    # Parameters lie deeper in a project than in the command that they came with.
    deepest = _DEEPEST + (10 if isinstance(told, Project) else 5)
    try:
        plain = msgspec.to_builtins(told)
        _must_be_shallow(plain, deepest)
        json.dumps(plain, allow_nan=False)  # no NaN
        msgspec.json.encode(told)  # no broken text
    except InputError:
        raise
    except (ValueError, UnicodeError, RecursionError):
        raise InputError(
            "the project would contain NaN, infinity or invalid text, and could not be saved"
        ) from None


def _must_be_shallow(value: Any, depth: int) -> None:
    if depth < 0:
        raise InputError("its parameters are nested too deeply")
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            _must_be_shallow(inner, depth - 1)


def must_be_a_step(step: StepEntry) -> None:
    """Reject an invalid step; whether it fits the motion is found when it is solved."""
    recipe_json.step_from_document(_recipe_document([step])["steps"][0])


def _recipe_document(steps: Any) -> dict[str, Any]:
    listed = [
        {
            "method": s.method,
            "parameters": s.parameters,
            "weight": s.weight,
            "mute": s.mute,
            "label": s.label,
        }
        for s in steps
    ]
    return {"format": recipe_json.FORMAT, "version": recipe_json.VERSION, "steps": listed}


def recipe_of(
    project: Project, version: Version, paths: Mapping[str, str], motion: str | None = None
) -> dict[str, Any]:
    """Return a version as a recipe's document; ``paths`` are the motions' files, by name.

    It is the source's, or that of another motion.
    """

    def resolved(value: Any) -> Any:
        if isinstance(value, str) and value.startswith(OWN_MOTION):
            name = value.removeprefix(OWN_MOTION)
            project.motion(name)
            return paths[name]
        if isinstance(value, list):
            return [resolved(v) for v in value]
        if isinstance(value, dict):
            return {k: resolved(v) for k, v in value.items()}
        return value

    versions = project.versions if motion is None else project.versions_of(motion)
    document = _recipe_document(versions[version])
    for step in document["steps"]:
        step["parameters"] = resolved(step["parameters"])
    return document


def to_document(project: Project) -> dict[str, Any]:
    """Return a project as the document of its file."""
    plain = msgspec.to_builtins(project)
    for name in ("recipes", "joint_sets"):
        if not plain[name]:
            del plain[name]
    return {"format": FORMAT, "version": VERSION, **plain}


def from_document(document: Any) -> Project:
    """Make a project from the document of its file."""
    must_be_version(document, FORMAT, "project", VERSION)
    plain = {k: v for k, v in document.items() if k not in ("format", "version")}
    try:
        project = msgspec.convert(plain, Project)
    except (msgspec.ValidationError, UnicodeError) as e:  # UnicodeError: half a character in a name
        raise InputError(f"not a project that retime made: {e}") from None
    _must_be_sound(project)
    must_travel(project)
    return project


def salvaged(document: Any) -> tuple[Project, list[str]]:
    """Make a project from the intact parts of a damaged document; also list what was left out."""
    must_be_version(document, FORMAT, "project", VERSION)
    head = {"format": FORMAT, "version": VERSION}
    kept: dict[str, Any] = {}
    lost: list[str] = []
    versions: dict[str, list[Any]] = {"A": [], "B": []}

    def holds() -> bool:
        try:
            from_document({**head, "versions": versions, **kept})
        except (RetimeError, LookupError, TypeError, ValueError):
            return False
        return True

    found = document.get("motions")
    for name, motion in list(found.items())[:MOST_STEPS] if isinstance(found, dict) else ():
        kept.setdefault("motions", {})[name] = motion
        if not holds():
            del kept["motions"][name]
            lost.append(f"the motion {name[:20]!r}")
    steps = document.get("versions")
    for letter, listed in versions.items():
        given = steps.get(letter) if isinstance(steps, dict) else None
        for number, step in enumerate(given[:MOST_STEPS] if isinstance(given, list) else (), 1):
            listed.append(step)
            if not holds():
                listed.pop()
                lost.append(f"step {number} of version {letter}")
    for name in ("source", "audio", "joint_sets"):
        if document.get(name) is not None:
            kept[name] = document[name]
            if not holds():
                del kept[name]
                lost.append(f"its {name.replace('_', ' ')}")
    project = from_document({**head, "versions": versions, **kept})
    return project, lost or ["what retime does not know"]


def _must_be_sound(project: Project) -> None:
    """Refuse a project whose parts do not fit together."""
    if any(set(v) != {"A", "B"} for v in (project.versions, *project.recipes.values())):
        raise InputError("a project has the versions A and B")
    if project.source is not None:
        project.motion(project.source)
    for name in project.recipes:
        project.motion(name)
    must_be_sets(project.joint_sets)
    listed = project.all_steps
    for step in listed:
        must_be_a_step(step)
    names = [*project.motions, *(step.id for step in listed)]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(n) for n in names):
        raise InputError("a project's motions are m1, m2, ... and its steps s1, s2, ..., each once")


def must_be_sets(sets: Mapping[str, Sequence[str]]) -> None:
    """Reject too many or too long sets of joints."""
    if len(sets) > _MOST_SETS:
        raise InputError(f"a project holds at most {_MOST_SETS} sets of joints")
    for name, joints in sets.items():
        if not 0 < len(name) <= _LONGEST_NAME or len(joints) > _MOST_JOINTS:
            raise InputError(
                f"a set of joints has a name of 1 to {_LONGEST_NAME} characters and at most "
                f"{_MOST_JOINTS} joints"
            )


def project_hash(project: Project) -> str:
    """Return the SHA-256 of a project, which only depends on its content."""
    text = json.dumps(to_document(project), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
