"""The studio's document and the commands that change it: plain data, no files, no network.

A project holds motions by relative path and hash, and two versions of a recipe to compare. A
command is data too; applied to a project it gives another one or says why not. What a sequence of
commands makes is always the same, so that a journal of them can be replayed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from retime import recipe
from retime.errors import InputError

__all__ = [
    "MOST_STEPS",
    "AddAudio",
    "AddMotion",
    "AddStep",
    "Audio",
    "ChangeStep",
    "ClientCommand",
    "Command",
    "CopyVersion",
    "MotionEntry",
    "MoveAudio",
    "MoveFile",
    "MoveStep",
    "NewStep",
    "Project",
    "RemoveAudio",
    "RemoveMotion",
    "RemoveStep",
    "ReplaceSteps",
    "StepEntry",
    "UseMotion",
    "Version",
    "change",
    "project_hash",
    "recipe_of",
]

Version = Literal["A", "B"]
FORMAT, VERSION = "retime-project", 1
# More would only be an accident or an attack; a recipe of a hundred steps was never seen.
MOST_STEPS, _MOST_MOTIONS = 200, 1000
# How deep lists and objects lie in each other in any parameter that a method takes, and some more.
_DEEPEST = 20
_NAME = re.compile(r"[a-z][1-9]\d{0,8}")
# How a parameter names one of the project's own motions, where a recipe has a path.
OWN_MOTION = "motion:"


class MotionEntry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A motion of the project: where its file lies under the root, and what it held."""

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


class Project(Struct, frozen=True, forbid_unknown_fields=True):
    """The document: motions, which of them is retimed, and the two versions of its recipe."""

    motions: dict[str, MotionEntry] = {}
    source: str | None = None
    versions: dict[Version, tuple[StepEntry, ...]] = msgspec.field(
        default_factory=lambda: {"A": (), "B": ()}
    )
    audio: Audio | None = None

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


class AddMotion(Struct, frozen=True, tag="add_motion", forbid_unknown_fields=True):
    """Take a motion into the project, and use it as the source where there is none yet."""

    motion: MotionEntry


class RemoveMotion(Struct, frozen=True, tag="remove_motion", forbid_unknown_fields=True):
    """Take a motion out of the project; its file stays."""

    id: str


class UseMotion(Struct, frozen=True, tag="use_motion", forbid_unknown_fields=True):
    """Retime this motion."""

    id: str


class MoveFile(Struct, frozen=True, tag="move_file", forbid_unknown_fields=True):
    """Say where a motion's file lies now, and what it holds."""

    id: str
    path: str
    sha256: str


class AddAudio(Struct, frozen=True, tag="add_audio", forbid_unknown_fields=True):
    """Set the sound."""

    audio: Audio


class MoveAudio(Struct, frozen=True, tag="move_audio", forbid_unknown_fields=True):
    """Let the sound start at another time."""

    offset: float


class RemoveAudio(Struct, frozen=True, tag="remove_audio", forbid_unknown_fields=True):
    """Take the sound away."""


class NewStep(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A step that has no name yet."""

    method: str
    parameters: dict[str, Any] = {}
    weight: float = 1.0
    mute: bool = False
    label: str = ""


class AddStep(Struct, frozen=True, tag="add_step", forbid_unknown_fields=True):
    """Add a step at a place, at the end where none is given."""

    version: Version
    step: NewStep
    index: int | None = None


class RemoveStep(Struct, frozen=True, tag="remove_step", forbid_unknown_fields=True):
    """Remove a step."""

    id: str


class MoveStep(Struct, frozen=True, tag="move_step", forbid_unknown_fields=True):
    """Move a step to another place of its version."""

    id: str
    index: int


class ChangeStep(Struct, frozen=True, tag="change_step", forbid_unknown_fields=True):
    """Change parameters (``null`` brings the default back), weight, mute or label of a step."""

    id: str
    parameters: dict[str, Any] = {}
    weight: float | None = None
    mute: bool | None = None
    label: str | None = None


class ReplaceSteps(Struct, frozen=True, tag="replace_steps", forbid_unknown_fields=True):
    """Replace all steps of a version, as by a recipe that is brought in."""

    version: Version
    steps: tuple[NewStep, ...]


class CopyVersion(Struct, frozen=True, tag="copy_version", forbid_unknown_fields=True):
    """Make a version the same as the other."""

    to: Version


# What a window may send; files come in by other ways, which look at them first.
ClientCommand = (
    RemoveMotion
    | UseMotion
    | AddStep
    | RemoveStep
    | MoveStep
    | ChangeStep
    | ReplaceSteps
    | CopyVersion
    | MoveAudio
    | RemoveAudio
)
Command = AddMotion | MoveFile | AddAudio | ClientCommand


def change(project: Project, command: Command) -> Project:
    """Apply a command; a project that it does not fit is left as it is, with an ``InputError``."""
    made = _changed(project, command)
    _must_travel(made)
    return made


def _must_travel(project: Project) -> None:
    """Refuse what no file and no window could be told."""
    try:
        for steps in project.versions.values():
            for step in steps:
                _must_be_shallow(step.parameters, _DEEPEST)
        json.dumps(to_document(project), allow_nan=False).encode()
        msgspec.json.encode(project)
    except (ValueError, UnicodeError, RecursionError):
        raise InputError("it holds a number or a text that no file can hold") from None


def _must_be_shallow(value: Any, depth: int) -> None:
    if depth < 0:
        raise InputError("its parameters are nested too deeply")
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            _must_be_shallow(inner, depth - 1)


def _changed(project: Project, command: Command) -> Project:
    match command:
        case AddMotion(motion):
            if len(project.motions) >= _MOST_MOTIONS:
                raise InputError(f"a project holds at most {_MOST_MOTIONS} motions")
            name = _next("m", project.motions)
            source = name if project.source is None else project.source
            return replace(project, motions=project.motions | {name: motion}, source=source)
        case RemoveMotion(id):
            return _without_motion(project, id)
        case UseMotion(id):
            project.motion(id)
            return replace(project, source=id)
        case MoveFile(id, path, sha256):
            moved = replace(project.motion(id), path=path, sha256=sha256)
            return replace(project, motions=project.motions | {id: moved})
        case AddAudio(audio):
            return replace(project, audio=audio)
        case MoveAudio(offset):
            if project.audio is None:
                raise InputError("the project has no sound")
            return replace(project, audio=replace(project.audio, offset=offset))
        case RemoveAudio():
            return replace(project, audio=None)
        case AddStep(version, step, index):
            steps = list(project.versions[version])
            place = len(steps) if index is None else min(max(index, 0), len(steps))
            steps.insert(place, _named(project, step))
            return _with_steps(project, version, steps)
        case RemoveStep(id):
            version, place = project.step(id)
            steps = list(project.versions[version])
            del steps[place]
            return _with_steps(project, version, steps)
        case MoveStep(id, index):
            version, place = project.step(id)
            steps = list(project.versions[version])
            moved_step = steps.pop(place)
            steps.insert(min(max(index, 0), len(steps)), moved_step)
            return _with_steps(project, version, steps)
        case ChangeStep():
            return _changed_step(project, command)
        case ReplaceSteps(version, new):
            if len(new) > MOST_STEPS:
                raise InputError(f"a recipe holds at most {MOST_STEPS} steps")
            cleared = _with_steps(project, version, [])
            for step in new:
                cleared = _changed(cleared, AddStep(version, step))
            return cleared
        case CopyVersion(to):
            other: Version = "B" if to == "A" else "A"
            cleared = _with_steps(project, to, [])
            for entry in project.versions[other]:
                cleared = _changed(cleared, AddStep(to, _unnamed(entry)))
            return cleared


def _without_motion(project: Project, name: str) -> Project:
    project.motion(name)
    for version, steps in project.versions.items():
        for step in steps:
            if _mentions(step.parameters, OWN_MOTION + name):
                raise InputError(
                    f"{project.motions[name].name} is what {step.method} of version {version} "
                    "looks at; choose another there first"
                )
    motions = {k: v for k, v in project.motions.items() if k != name}
    source = project.source
    if source == name:
        source = next(iter(motions), None)
    return replace(project, motions=motions, source=source)


def _mentions(value: Any, text: str) -> bool:
    if isinstance(value, dict | list | tuple):
        inner = value.values() if isinstance(value, dict) else value
        return any(_mentions(v, text) for v in inner)
    return bool(value == text)


def _changed_step(project: Project, command: ChangeStep) -> Project:
    version, place = project.step(command.id)
    step = project.versions[version][place]
    values = step.parameters | command.parameters
    step = StepEntry(
        step.id,
        step.method,
        {k: v for k, v in values.items() if v is not None},
        step.weight if command.weight is None else command.weight,
        step.mute if command.mute is None else command.mute,
        step.label if command.label is None else command.label,
    )
    _must_be_a_step(step)
    steps = list(project.versions[version])
    steps[place] = step
    return _with_steps(project, version, steps)


def _with_steps(project: Project, version: Version, steps: list[StepEntry]) -> Project:
    if len(steps) > MOST_STEPS:
        raise InputError(f"a recipe holds at most {MOST_STEPS} steps")
    return replace(project, versions=project.versions | {version: tuple(steps)})


def _named(project: Project, step: NewStep) -> StepEntry:
    names = {s.id for steps in project.versions.values() for s in steps}
    kept = {k: v for k, v in step.parameters.items() if v is not None}
    named = StepEntry(_next("s", names), step.method, kept, step.weight, step.mute, step.label)
    _must_be_a_step(named)
    return named


def _unnamed(step: StepEntry) -> NewStep:
    return NewStep(step.method, step.parameters, step.weight, step.mute, step.label)


def _next(letter: str, names: Any) -> str:
    return f"{letter}{1 + max((int(n[1:]) for n in names), default=0)}"


def _must_be_a_step(step: StepEntry) -> None:
    """Refuse what no recipe could hold; whether it fits the motion shows when it is solved."""
    recipe.step_from_document(_recipe_document([step])["steps"][0])


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
    return {"format": recipe.FORMAT, "version": recipe.VERSION, "steps": listed}


def recipe_of(project: Project, version: Version, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return a version as a recipe's document; ``paths`` are the motions' files, by name."""

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

    document = _recipe_document(project.versions[version])
    for step in document["steps"]:
        step["parameters"] = resolved(step["parameters"])
    return document


def to_document(project: Project) -> dict[str, Any]:
    """Return what a project file holds."""
    return {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(project)}


def from_document(document: Any) -> Project:
    """Make a project of what a project file holds."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise InputError(f'not a project: it lacks "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise InputError(
            f"a project of version {document.get('version')!r}; this retime reads {VERSION}"
        )
    plain = {k: v for k, v in document.items() if k not in ("format", "version")}
    try:
        project = msgspec.convert(plain, Project)
    except msgspec.ValidationError as e:
        raise InputError(f"not a project that retime made: {e}") from None
    if set(project.versions) != {"A", "B"}:
        raise InputError("a project has the versions A and B")
    if project.source is not None:
        project.motion(project.source)
    listed = [step for steps in project.versions.values() for step in steps]
    for step in listed:
        _must_be_a_step(step)
    names = [*project.motions, *(step.id for step in listed)]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(n) for n in names):
        raise InputError("a project's motions are m1, m2, ... and its steps s1, s2, ..., each once")
    _must_travel(project)
    return project


def project_hash(project: Project) -> str:
    """Return the SHA-256 of a project: the same for the same content, however it came about."""
    text = json.dumps(to_document(project), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
