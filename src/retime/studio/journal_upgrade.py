"""Convert journals of older versions to the current one, with their whole history."""

from __future__ import annotations

from typing import Any

import msgspec

from retime.errors import InputError
from retime.recipe.upgrade import upgrade_parameters
from retime.studio.commands import AddStep, ChangeStep, Command, ReplaceSteps, change
from retime.studio.project import Project, from_document, project_hash, to_document, upgrade_step


def upgrade_lines(lines: list[dict[str, Any]], version: int) -> list[dict[str, Any]]:
    """Rewrite the lines of a journal of an older version; hashes are those of the new document.

    The documents are made again step by step, since a change of a step's parameters does not tell
    its method.
    """
    out: list[dict[str, Any]] = []
    past: list[Project] = []
    future: list[Project] = []
    project = Project()
    for line in lines:
        if "start" in line:
            project = from_document(line["start"])
            new: dict[str, Any] = {"start": to_document(project)}
        elif "do" in line:
            told = line["do"] if isinstance(line["do"], list) else [line["do"]]
            past.append(project)
            future.clear()
            commands = []
            for entry in told:
                command = _present(msgspec.convert(entry, Command), project, version)
                project = change(project, command)
                commands.append(msgspec.to_builtins(command))
            new = {"do": commands[0] if len(commands) == 1 else commands}
        elif "undo" in line and past:
            future.append(project)
            project, new = past.pop(), {"undo": 1}
        elif "redo" in line and future:
            past.append(project)
            project, new = future.pop(), {"redo": 1}
        else:
            raise InputError(f"a line is not an edit: {str(line)[:80]}")
        out.append({**new, "hash": project_hash(project)})
    return out


def _present(command: Command, project: Project, version: int) -> Command:
    """Return a command with its parameters' present names."""
    replace = msgspec.structs.replace
    if isinstance(command, AddStep):
        return replace(command, step=upgrade_step(command.step, version))
    if isinstance(command, ReplaceSteps):
        return replace(command, steps=tuple(upgrade_step(s, version) for s in command.steps))
    if isinstance(command, ChangeStep):
        letter, place = project.step(command.id)
        method = project.versions[letter][place].method
        values = upgrade_parameters(method, command.parameters, version)
        return replace(command, parameters=values)
    return command
