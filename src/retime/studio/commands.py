"""Commands that change the studio's document.

A command is data; applied to a project it gives another one, or says why not. What a sequence of
commands makes is always the same, so that a journal of them can be replayed.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from retime.errors import InputError
from retime.studio.project import (
    MOST_STEPS,
    OWN_MOTION,
    Audio,
    MotionEntry,
    NewStep,
    Project,
    StepEntry,
    Version,
    must_be_a_step,
    must_travel,
)

# More would only be an accident or an attack.
_MOST_MOTIONS = 1000


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
    must_travel(command)  # all that is new in the project comes with the command
    return _changed(project, command)


def preview(project: Project, command: Command) -> Project:
    """Apply a command that is not to stay: a drag's. Whether its step is one shows when solved."""
    must_travel(command)
    if isinstance(command, ChangeStep):
        return _changed_step(project, command)
    return _changed(project, command)


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
            changed = _changed_step(project, command)
            version, place = changed.step(command.id)
            must_be_a_step(changed.versions[version][place])
            return changed
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
    must_be_a_step(named)
    return named


def _unnamed(step: StepEntry) -> NewStep:
    return NewStep(step.method, step.parameters, step.weight, step.mute, step.label)


def _next(letter: str, names: Any) -> str:
    return f"{letter}{1 + max((int(n[1:]) for n in names), default=0)}"
