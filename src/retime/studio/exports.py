"""Exported files: one result in some format, or all retimed clips in their own files."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import msgspec

from retime.errors import InputError
from retime.io import format_of
from retime.studio import jobs
from retime.studio.intake import Intake
from retime.studio.job_maker import JobMaker
from retime.studio.meshes import READ_BY_WINDOWS
from retime.studio.problems import must_be_done
from retime.studio.project import MotionEntry, Project, Version, recipe_of
from retime.studio.workers import Workers
from retime.studio.workspace import sha256_of

# Frame rates that a file can hold.
_RATES = (1.0, 1000.0)


class Exports:
    """Writes files for the windows of a session; the caller removes them."""

    def __init__(self, maker: JobMaker, intake: Intake, workers: Workers) -> None:
        self.maker, self.intake, self.workers = maker, intake, workers

    async def one(
        self, project: Project, form: jobs.EXPORTS, version: Version, fps: float | None
    ) -> tuple[Path, str]:
        """Write the result of a version to a file; return it and its download name."""
        _must_be_a_rate(fps)
        result = self.maker.result(project, (version, None))
        if result is None or project.source is None:
            raise InputError("There is no motion to export. Open one first.")
        if form == "recipe":
            own = {n: m.path for n, m in project.motions.items()}
            result = msgspec.structs.replace(result, recipe=recipe_of(project, version, own))
        source = project.motions[project.source]
        place, name = self.intake.export_place(source, form)
        await self._write(jobs.Export([result], form, str(place), source.name, fps), place)
        return place, name

    async def mesh(self, project: Project, name: str) -> tuple[Path, bool]:
        """Return the file with a motion's mesh, and whether it was made for the caller.

        Where windows read the motion's format, it is the motion's own file.
        """
        entry = project.motion(name)
        place = self.intake.workspace.resolve(entry.path)
        if await asyncio.to_thread(sha256_of, place) != entry.sha256:
            raise InputError(f"{entry.name} is not where it was, or holds something else now.")
        if place.suffix.lower() in READ_BY_WINDOWS:
            return place, False
        place, _ = self.intake.export_place(msgspec.structs.replace(entry, path="mesh"), "glb")
        await self._write(jobs.Mesh(self.maker.clip(project, name), str(place)), place)
        return place, True

    async def all(self, project: Project, version: Version, fps: float | None) -> tuple[Path, str]:
        """Write every motion that has a recipe into a copy of its own file, at its own rate.

        Clips of one file go into one copy of it; several files into an archive.
        """
        _must_be_a_rate(fps)
        files: dict[str, list[str]] = {}
        for name, entry in project.motions.items():
            if any(not s.mute for s in project.versions_of(name)[version]):
                files.setdefault(entry.path, []).append(name)
        if not files:
            raise InputError(
                f"No motion has a step in version {version}: there is nothing to export."
            )
        made: list[tuple[Path, str]] = []
        try:
            for names in files.values():
                several = format_of(project.motions[names[0]].path).several
                for group in [names] if several else [[n] for n in names]:
                    made.append(await self._group(project, version, group, fps))
            if len(made) == 1:
                return made.pop()
            return self._archive(made)
        finally:
            for place, _ in made:
                place.unlink(missing_ok=True)

    async def _group(
        self, project: Project, version: Version, names: list[str], fps: float | None
    ) -> tuple[Path, str]:
        """Write clips of one file into a copy of it."""
        results = [self.maker.result(project, (version, None), motion=n) for n in names]
        entry = project.motions[names[0]]
        if any(r is None for r in results):
            raise InputError(f"{entry.name} is not where it was. Find its file first.")
        title = Path(entry.path).stem if len(names) > 1 else entry.name
        place, name = self.intake.export_place(msgspec.structs.replace(entry, name=title), "own")
        found = [r for r in results if r is not None]
        await self._write(jobs.Export(found, "own", str(place), title, fps), place)
        return place, name

    def _archive(self, made: list[tuple[Path, str]]) -> tuple[Path, str]:
        place, _ = self.intake.export_place(MotionEntry("motions", "motions.zip", ""), "own")
        taken: set[str] = set()
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, name in made:
                free, number = name, 1
                while free in taken:
                    number += 1
                    free = f"{Path(name).stem}-{number}{Path(name).suffix}"
                taken.add(free)
                archive.write(file, free)
        return place, "motions-retimed.zip"

    async def _write(self, job: jobs.Export | jobs.Mesh, place: Path) -> None:
        try:
            said = await self.workers.run("answer", f"export:{place.name}", job)
            must_be_done(said, job.results[0] if isinstance(job, jobs.Export) else None)
        except BaseException:
            place.unlink(missing_ok=True)
            raise


def _must_be_a_rate(fps: float | None) -> None:
    if fps is not None and not _RATES[0] <= fps <= _RATES[1]:
        raise InputError(
            f"A frame rate is between {_RATES[0]:g} and {_RATES[1]:g} fps, not {fps:g}."
        )
