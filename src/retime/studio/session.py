"""A session: the document with commands, undo and redo, its project file and its journal.

It knows nothing of networks or windows. Everything that changes the document goes through
:meth:`Session.do`, :meth:`Session.undo` and :meth:`Session.redo`; each is in the journal before the
document changes, so that a crash at any moment loses nothing that was reported as done.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from retime.errors import FormatError, InputError, RetimeError
from retime.io.json_text import parse_json, write_json
from retime.studio.commands import Command, change, preview
from retime.studio.history import change_name
from retime.studio.journal import Journal, free_name
from retime.studio.project import (
    Project,
    from_document,
    project_hash,
    salvaged,
    to_document,
)
from retime.studio.workspace import Workspace, sha256_of


class Session:
    """A project that is open.

    Parameters
    ----------
    workspace : Workspace
        Where its files lie.

    Attributes
    ----------
    project : Project
        The document as it is now.
    revision : int
        Counts changes; undo counts up too.
    notices : list of str
        Notes about opening it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.notices: list[str] = []
        self.revision = 0
        self._so_far: Project | None = None  # what the sound lines of a damaged journal make
        self._names: dict[tuple[int, int], tuple[Project, Project, str]] = {}
        workspace.make()
        workspace.tidy()
        self._file = workspace.folder / "project.json"
        self._journal = Journal(workspace.folder / "journal.jsonl")
        try:
            self._past, self._future, self.project = self._open()
        except BaseException:
            self._journal.close()
            raise
        # The revision that the last change made; undo and redo make others.
        self._done: int | None = None
        self._hash: tuple[int, str] = (-1, "")
        self._saved_hash: str | None = None
        self._written = _content(self._file)
        self.save()

    # ---- opening

    def _open(self) -> tuple[list[Project], list[Project], Project]:
        history, wrong = self._history()
        try:
            on_file = from_document(parse_json(self._file)) if self._file.exists() else None
        except RetimeError as e:
            if history is None and self._so_far is None:
                on_file = self._salvaged(e)
                return self._anew(on_file)
            kept = free_name(self._file)
            self._file.rename(kept)
            self.notices.append(
                f"project.json could not be read ({e}). It was kept as {kept.name}, and the "
                "journal brought the project back."
            )
            on_file = None
        if history is not None:
            past, future, project, hashes = history
            if on_file is None or project_hash(on_file) in hashes:
                return past, future, project
            self.notices.append(
                "project.json was changed outside the studio, so undo starts from it. "
                "The old journal was kept beside it."
            )
            return self._anew(on_file)
        if wrong is not None:
            if on_file is None and self._so_far is None:
                raise FormatError(
                    f"the journal cannot be replayed ({wrong}) and there is no project file; "
                    "restore project.json, or move the journal away",
                    path=self._journal.path,
                )
            if on_file is None:
                self.notices.append(
                    f"The journal is damaged ({wrong}), and there is no project.json: the project "
                    "is as it was before the damage. The old journal was kept beside it."
                )
                return self._anew(self._so_far or Project())
            self.notices.append(
                "The journal could not be replayed, so undo starts from here. "
                "The old one was kept beside it."
            )
        return self._anew(on_file or Project())

    def _salvaged(self, wrong: RetimeError) -> Project:
        """Return what a damaged project file still tells; its old content is kept beside it."""
        project, lost = salvaged(parse_json(self._file))
        if not project.motions and not any(project.versions.values()):
            raise wrong
        kept = free_name(self._file)
        self._file.rename(kept)
        self.notices.append(
            f"project.json is damaged ({wrong}). Its sound parts were kept, but not "
            f"{', '.join(lost[:8])}. The old file is now {kept.name}."
        )
        return project

    def _history(self) -> tuple[_History | None, Exception | None]:
        """Replay the journal, or say why it cannot be; neither if there is none."""
        try:
            lines = self._journal.read()
            if not lines and self._journal.damaged is None:
                return None, None
            if self._journal.damaged is not None:
                self._so_far = _replayed(lines) if lines else None
                raise InputError(f"line {self._journal.damaged} is not one that a studio wrote")
            self._so_far = _replayed(lines)
            return _replay(lines), None
        except (RetimeError, msgspec.ValidationError, LookupError, TypeError, ValueError) as e:
            return None, e

    def _anew(self, project: Project) -> tuple[list[Project], list[Project], Project]:
        self._journal.restart({"start": to_document(project), "hash": project_hash(project)})
        return [], [], project

    # ---- changing

    def would_be(self, command: Command) -> Project:
        """Return the document that a command would produce; nothing is changed."""
        return preview(self.project, command)

    def do(self, *commands: Command, joins: int | None = None) -> None:
        """Change the document by one or more commands, as one step of undo.

        If the last change made the revision ``joins``, and nothing was undone or redone since, they
        are part of its step instead.
        """
        made = self.project
        for command in commands:
            made = change(made, command)
        if made == self.project:
            return
        told = [msgspec.to_builtins(command) for command in commands]
        line = {"do": told[0] if len(told) == 1 else told, "hash": project_hash(made)}
        joined = joins is not None and joins == self._done == self.revision
        self._journal.append(line | ({"joins": True} if joined else {}))
        if not joined:
            self._past.append(self.project)
        self._future.clear()
        self._become(made)
        self._done = self.revision

    def start_with(self, commands: Sequence[Command]) -> None:
        """Change the document that the history starts from, where there is no history yet.

        Files named at the start of the studio are not changes by a person.
        """
        if self._past or self._future:
            self.do(*commands)
            return
        made = self.project
        for command in commands:
            made = change(made, command)
        # A line more, not a line instead: a crash between the two finds one or the other.
        self._journal.append({"start": to_document(made), "hash": project_hash(made)})
        self._become(made)

    def undo(self) -> bool:
        """Undo the last change; return false if there is none."""
        if not self._past:
            return False
        self._journal.append({"undo": 1, "hash": project_hash(self._past[-1])})
        self._future.append(self.project)
        self._become(self._past.pop())
        return True

    def redo(self) -> bool:
        """Redo the last undone change; return false if there is none."""
        if not self._future:
            return False
        self._journal.append({"redo": 1, "hash": project_hash(self._future[-1])})
        self._past.append(self.project)
        self._become(self._future.pop())
        return True

    def _become(self, project: Project) -> None:
        self.project = project
        self.revision += 1

    # ---- what is known of it

    @property
    def undo_depth(self) -> int:
        """Number of changes that can be undone."""
        return len(self._past)

    @property
    def redo_depth(self) -> int:
        """Number of changes that can be redone."""
        return len(self._future)

    def history(self, most: int) -> tuple[list[str], list[str]]:
        """Return the names of changes to undo and to redo, the next one first."""
        undo, redo = [], []
        after = self.project
        for before in reversed(self._past[-most:]):
            undo.append(self._name(before, after))
            after = before
        before = self.project
        for after in reversed(self._future[-most:]):
            redo.append(self._name(before, after))
            before = after
        return undo, redo

    def _name(self, before: Project, after: Project) -> str:
        key = id(before), id(after)  # both stay as long as the history holds them
        if len(self._names) > 1000:
            self._names.clear()
        if key not in self._names:
            self._names[key] = before, after, change_name(before, after)
        return self._names[key][2]

    @property
    def hash(self) -> str:
        """The document's hash."""
        if self._hash[0] != self.revision:
            self._hash = (self.revision, project_hash(self.project))
        return self._hash[1]

    @property
    def saved(self) -> bool:
        """Whether the project file contains the current document."""
        return self._saved_hash == self.hash

    def missing(self) -> list[str]:
        """List the motions whose file is missing or has changed."""
        out = []
        for name, motion in self.project.motions.items():
            try:
                place = self.workspace.resolve(motion.path)
            except InputError:
                out.append(name)
                continue
            if sha256_of(place) != motion.sha256:
                out.append(name)
        return out

    # ---- files

    def save(self) -> None:
        """Write the project file to a temporary name, flush it to disk, and replace the old one."""
        if self.saved:
            return
        found = _content(self._file)
        if found is not None and found != self._written:
            kept = free_name(self._file)
            self._file.rename(kept)
            self.notices.append(
                f"project.json was changed outside the studio while it ran. That one is now "
                f"{kept.name}."
            )
        write_json(_sorted(to_document(self.project)), self._file, private=True)
        self._saved_hash, self._written = self.hash, _content(self._file)

    def close(self) -> None:
        """Save and close the project."""
        try:
            self.save()
        finally:
            self._journal.close()


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


# States before and after the document, the document, and the hashes that it went through.
_History = tuple[list[Project], list[Project], Project, set[str]]


def _replay(lines: list[dict[str, Any]]) -> _History:
    """Make the document and its history again; also the hashes that it went through."""
    project = from_document(lines[0]["start"])
    past: list[Project] = []
    future: list[Project] = []
    hashes = {project_hash(project)}
    for line in lines[1:]:
        project = _redone(line, past, project, future)
        hashes.add(str(line["hash"]))
    if project_hash(project) != lines[-1]["hash"]:
        raise InputError("replaying the journal does not reproduce the saved project")
    return past, future, project, hashes


def _replayed(lines: list[dict[str, Any]]) -> Project | None:
    """Make the document of as many lines as can be replayed, or ``None`` of none."""
    past: list[Project] = []
    future: list[Project] = []
    project = None
    with contextlib.suppress(
        RetimeError, msgspec.ValidationError, LookupError, TypeError, ValueError
    ):
        project = from_document(lines[0]["start"])
        for line in lines[1:]:
            project = _redone(line, past, project, future)
    return project


def _redone(
    line: dict[str, Any], past: list[Project], project: Project, future: list[Project]
) -> Project:
    """Return the document that a line of the journal makes; states before and after move along."""
    if "start" in line and not past and not future:
        return from_document(line["start"])
    if "do" in line:
        if not line.get("joins"):
            past.append(project)
        future.clear()
        for told in line["do"] if isinstance(line["do"], list) else [line["do"]]:
            project = change(project, msgspec.convert(told, Command))
        return project
    for word, back, ahead in (("undo", past, future), ("redo", future, past)):
        if word in line and back:
            ahead.append(project)
            return back.pop()
    raise InputError(f"a line is not an edit: {str(line)[:80]}")


def _sorted(value: Any) -> Any:
    """Order keys, so that a file's differences are the document's."""
    if isinstance(value, dict):
        return {k: _sorted(value[k]) for k in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(v) for v in value]
    return value
