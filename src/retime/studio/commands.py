"""Commands that change the studio's document.

A command is data. Applied to a project it returns another one, or raises an error. A sequence of
commands always has the same result, so that a journal can be replayed.
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
    must_be_sets,
    must_travel,
)

# More would only be an accident or an attack.
_MOST_MOTIONS = 1000


class _Command(Struct, frozen=True, forbid_unknown_fields=True):
    """Data that makes another project of one."""

    def apply(self, project: Project) -> Project:
        """Return the changed project, or raise an ``InputError``."""
        raise NotImplementedError


class AddMotion(_Command, frozen=True, tag="add_motion"):
    """Add a motion to the project, and use it as the source if there is none yet."""

    motion: MotionEntry

    def apply(self, project: Project) -> Project:
        """Return the project with the motion."""
        if len(project.motions) >= _MOST_MOTIONS:
            raise InputError(f"a project holds at most {_MOST_MOTIONS} motions")
        name = _next("m", project.motions)
        source = name if project.source is None else project.source
        return replace(project, motions=project.motions | {name: self.motion}, source=source)


class DropMotion(_Command, frozen=True, tag="drop_motion"):
    """Remove a motion and its recipe from the project; its file stays."""

    id: str

    def apply(self, project: Project) -> Project:
        """Return the project without the motion; raise if a step of another motion uses it."""
        _must_be_unused(project, self.id)
        if project.source == self.id:
            following = next((m for m in project.motions if m != self.id), None)
            if following is None:
                project = replace(project, source=None, versions={"A": (), "B": ()})
            else:
                project = ChooseMotion(following).apply(project)
        motions = {k: v for k, v in project.motions.items() if k != self.id}
        recipes = {k: v for k, v in project.recipes.items() if k != self.id}
        return replace(project, motions=motions, recipes=recipes)


class ChooseMotion(_Command, frozen=True, tag="choose_motion"):
    """Retime this motion, by its own recipe."""

    id: str

    def apply(self, project: Project) -> Project:
        """Return the project with another source, whose recipe is then edited."""
        project.motion(self.id)
        if project.source == self.id:
            return project
        recipes = dict(project.recipes)
        versions = recipes.pop(self.id, {"A": (), "B": ()})
        if project.source is not None and any(project.versions.values()):
            recipes[project.source] = project.versions
        return replace(project, source=self.id, versions=versions, recipes=recipes)


class SetRecipe(_Command, frozen=True, tag="set_recipe"):
    """Give motions a recipe: pasted to one, or applied to all."""

    motions: tuple[str, ...]
    version: Version
    steps: tuple[NewStep, ...]

    def apply(self, project: Project) -> Project:
        """Return the project with only these steps in the version of these motions."""
        source = project.source
        for motion in self.motions:
            project = ChooseMotion(motion).apply(project)
            project = ReplaceSteps(self.version, self.steps).apply(project)
        return project if source is None else ChooseMotion(source).apply(project)


class MoveFile(_Command, frozen=True, tag="move_file"):
    """Set the new path and content of a motion's file."""

    id: str
    path: str
    sha256: str

    def apply(self, project: Project) -> Project:
        """Return the project with another file of the motion."""
        moved = replace(project.motion(self.id), path=self.path, sha256=self.sha256)
        return replace(project, motions=project.motions | {self.id: moved})


class AddAudio(_Command, frozen=True, tag="add_audio"):
    """Set the sound."""

    audio: Audio

    def apply(self, project: Project) -> Project:
        """Return the project with the sound."""
        return replace(project, audio=self.audio)


class MoveAudio(_Command, frozen=True, tag="move_audio"):
    """Set the start time of the sound."""

    offset: float

    def apply(self, project: Project) -> Project:
        """Return the project with the sound at its new time."""
        if project.audio is None:
            raise InputError("the project has no sound")
        return replace(project, audio=replace(project.audio, offset=self.offset))


class RemoveAudio(_Command, frozen=True, tag="remove_audio"):
    """Remove the sound."""

    def apply(self, project: Project) -> Project:
        """Return the project without sound."""
        return replace(project, audio=None)


class SetJointSets(_Command, frozen=True, tag="set_joint_sets"):
    """Replace the named sets of joints."""

    sets: dict[str, tuple[str, ...]]

    def apply(self, project: Project) -> Project:
        """Return the project with only these sets."""
        must_be_sets(self.sets)
        return replace(project, joint_sets=self.sets)


class AddStep(_Command, frozen=True, tag="add_step"):
    """Add a step at a place, at the end if none is given."""

    version: Version
    step: NewStep
    index: int | None = None

    def apply(self, project: Project) -> Project:
        """Return the project with the step."""
        steps = list(project.versions[self.version])
        place = len(steps) if self.index is None else max(self.index, 0)
        steps.insert(place, _named(project, self.step))
        return _with_steps(project, self.version, steps)


class RemoveStep(_Command, frozen=True, tag="remove_step"):
    """Remove a step."""

    id: str

    def apply(self, project: Project) -> Project:
        """Return the project without the step."""
        version, steps, place = _steps_around(project, self.id)
        del steps[place]
        return _with_steps(project, version, steps)


class MoveStep(_Command, frozen=True, tag="move_step"):
    """Move a step to another place of its version."""

    id: str
    index: int

    def apply(self, project: Project) -> Project:
        """Return the project with the step at its new place."""
        version, steps, place = _steps_around(project, self.id)
        steps.insert(max(self.index, 0), steps.pop(place))
        return _with_steps(project, version, steps)


class ChangeStep(_Command, frozen=True, tag="change_step"):
    """Change parameters (``null`` restores the default), weight, mute or label of a step."""

    id: str
    parameters: dict[str, Any] = {}
    weight: float | None = None
    mute: bool | None = None
    label: str | None = None

    def apply(self, project: Project) -> Project:
        """Return the project with the changed step, which must be valid."""
        changed = self.preview(project)
        _, steps, place = _steps_around(changed, self.id)
        must_be_a_step(steps[place])
        return changed

    def preview(self, project: Project) -> Project:
        """Return the project with the changed step, without validating it."""
        version, steps, place = _steps_around(project, self.id)
        values = steps[place].parameters | self.parameters
        told = {"weight": self.weight, "mute": self.mute, "label": self.label}
        steps[place] = replace(
            steps[place],
            parameters={k: v for k, v in values.items() if v is not None},
            **{k: v for k, v in told.items() if v is not None},
        )
        return _with_steps(project, version, steps)


class ReplaceSteps(_Command, frozen=True, tag="replace_steps"):
    """Replace all steps of a version, for example by an imported recipe."""

    version: Version
    steps: tuple[NewStep, ...]

    def apply(self, project: Project) -> Project:
        """Return the project with only these steps in the version."""
        if len(self.steps) > MOST_STEPS:
            raise InputError(f"a recipe holds at most {MOST_STEPS} steps")
        made = _with_steps(project, self.version, [])
        for step in self.steps:
            made = AddStep(self.version, step).apply(made)
        return made


class CopyVersion(_Command, frozen=True, tag="copy_version"):
    """Copy one version to the other."""

    to: Version

    def apply(self, project: Project) -> Project:
        """Return the project with two equal versions."""
        copied = project.versions["B" if self.to == "A" else "A"]
        return ReplaceSteps(self.to, tuple(map(_unnamed, copied))).apply(project)


# What a window may send; files come in by other ways, which look at them first.
ClientCommand = (
    DropMotion
    | ChooseMotion
    | SetRecipe
    | AddStep
    | RemoveStep
    | MoveStep
    | ChangeStep
    | ReplaceSteps
    | CopyVersion
    | MoveAudio
    | RemoveAudio
    | SetJointSets
)
Command = AddMotion | MoveFile | AddAudio | ClientCommand


def change(project: Project, command: Command) -> Project:
    """Apply a command; raise an ``InputError`` if it does not fit the project."""
    must_travel(command)  # all that is new in the project comes with the command
    return command.apply(project)


def preview(project: Project, command: Command) -> Project:
    """Apply a temporary command, such as that of a drag; its step is validated when solved."""
    must_travel(command)
    made = command.preview if isinstance(command, ChangeStep) else command.apply
    return made(project)


def _must_be_unused(project: Project, motion: str) -> None:
    """Refuse to lose a motion that a step of some recipe looks at."""
    project.motion(motion)
    for owner in (project.source, *project.recipes):
        if owner is None or owner == motion:
            continue  # its recipe goes with it
        for version, steps in project.versions_of(owner).items():
            for step in steps:
                if _mentions(step.parameters, OWN_MOTION + motion):
                    whose = "" if owner == project.source else f" of {project.motion(owner).name}"
                    raise InputError(
                        f"{project.motions[motion].name} is used by {step.method} of version "
                        f"{version}{whose}; choose another motion there first"
                    )


def _mentions(value: Any, text: str) -> bool:
    if isinstance(value, dict | list | tuple):
        inner = value.values() if isinstance(value, dict) else value
        return any(_mentions(v, text) for v in inner)
    return bool(value == text)


def _steps_around(project: Project, name: str) -> tuple[Version, list[StepEntry], int]:
    """Return the version of a step, all steps of it, and the step's place among them."""
    version, place = project.step(name)
    return version, list(project.versions[version]), place


def _with_steps(project: Project, version: Version, steps: list[StepEntry]) -> Project:
    if len(steps) > MOST_STEPS:
        raise InputError(f"a recipe holds at most {MOST_STEPS} steps")
    return replace(project, versions=project.versions | {version: tuple(steps)})


def _named(project: Project, step: NewStep) -> StepEntry:
    names = {step.id for step in project.all_steps}
    kept = {k: v for k, v in step.parameters.items() if v is not None}
    named = StepEntry(_next("s", names), step.method, kept, step.weight, step.mute, step.label)
    must_be_a_step(named)
    return named


def _unnamed(step: StepEntry) -> NewStep:
    return NewStep(step.method, step.parameters, step.weight, step.mute, step.label)


def _next(letter: str, names: Any) -> str:
    return f"{letter}{1 + max((int(n[1:]) for n in names), default=0)}"
