"""Make jobs from the document: files, recipes, and allowed paths."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from retime.errors import InputError, RetimeError
from retime.studio import jobs, messages
from retime.studio.paths import resolve_paths
from retime.studio.project import OWN_MOTION, Project, recipe_of
from retime.studio.session import Session
from retime.studio.window import Shows, Window


class JobMaker:
    """Makes the jobs of one session's document."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # Motions whose file is not where it was.
        self.missing: list[str] = session.missing()

    def clip(self, project: Project, name: str) -> jobs.Clip:
        """Return a motion of the document as its file."""
        entry = project.motion(name)
        place = self.session.workspace.resolve(entry.path)
        return jobs.Clip(name, entry.name, str(place), entry.sha256, entry.animation)

    def references(self, project: Project) -> dict[str, jobs.Clip]:
        """Find the files that steps of the source refer to, by their paths in the document.

        Windows show them beside the result. A folder shows nothing, and what is wrong with a path
        is said where the step is solved.
        """
        found: dict[str, jobs.Clip] = {}
        steps = [] if project.source is None else project.versions_of(project.source).values()
        for step in (s for version in steps for s in version):
            named = step.parameters.get("reference")
            for value in named if isinstance(named, list) else [named]:
                path = value.get("path") if isinstance(value, dict) else value
                if not isinstance(path, str) or path.startswith(OWN_MOTION):
                    continue
                with contextlib.suppress(RetimeError, OSError):
                    place = Path(self._inside(path))
                    if place.is_file():
                        found[path] = jobs.Clip(path, place.stem, str(place), "")
        return found

    def result(
        self,
        project: Project,
        shows: Shows,
        request: int | None = None,
        *,
        motion: str | None = None,
    ) -> jobs.Result | None:
        """Make the job of a version's result; ``None`` if there is no motion yet.

        It is that of the source, or of another motion by its own recipe.
        """
        version, editing = shows
        motion = project.source if motion is None else motion
        if motion is None or motion in self.missing:
            return None
        workspace = self.session.workspace
        paths = {n: str(workspace.resolve(m.path)) for n, m in project.motions.items()}
        document = recipe_of(project, version, paths, motion)
        for step in document["steps"]:
            resolve_paths(step, self._inside)
        names = [s.id for s in project.versions_of(motion)[version]]
        clip = self.clip(project, motion)
        revision = self.session.revision
        return jobs.Result(clip, document, names, version, revision, request, editing)

    def question(
        self, project: Project, asked: messages.Ask, window: Window
    ) -> tuple[jobs.Result, jobs.Job, str, str]:
        """Convert a window's question to its result, the job, its worker and its purpose."""
        result = self.result(project, window.shows)
        if result is None:
            raise InputError("There is no motion yet. Open one first.")
        purpose = f"{asked.question}:{window.number}"
        match asked.question:
            case "suggestions":
                suggest = jobs.Suggest(result, asked.step, asked.request)
                return result, suggest, "answer", purpose
            case "physics":
                physics = jobs.Physics(result, asked.step, asked.request)
                return result, physics, "answer", purpose
            case "live":
                if asked.motion is None:
                    raise InputError("Choose a motion to follow.")
                performer = self.clip(project, asked.motion)
                live = jobs.Live(result.clip, performer, asked.request)
                return result, live, "answer", purpose
            case "watch":
                if asked.step is None:
                    raise InputError("Choose a step to watch.")
                watch = jobs.Watch(result, asked.step, asked.request)
                return result, watch, "solve", f"preview:{window.number}"

    def _inside(self, path: str) -> str:
        """Resolve a path that a parameter names; no link in a folder may lead out of the root."""
        workspace = self.session.workspace
        place = workspace.resolve(path)
        if not place.exists():  # a person who types a path means the root as often as the project
            place = workspace.resolve(str(workspace.root / path))
        workspace.must_stay_inside(place)
        return str(place)


def content_of(job: jobs.Result) -> str:
    """Hash the inputs of a result: the source and the recipe."""
    parts = msgspec.json.encode([job.clip, job.recipe, job.steps, job.editing], order="sorted")
    return hashlib.sha256(parts).hexdigest()
