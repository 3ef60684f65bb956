"""The child process: answers requests, and can open nothing but the folder.

The server may end this process at any time. Files are written completely or not at all.
"""

from __future__ import annotations

import json
import queue
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retime.errors import InputError, RetimeError
from retime.evaluate import EvaluatedGroup, Evaluator, GroupJob, Job, evaluate_group
from retime.evaluate.reading import Reading
from retime.io import read, write
from retime.mcp.explaining import explained, methods_listed
from retime.mcp.folder import MOST_FILES, Folder, fence
from retime.mcp.plans import Plan, TablePlan, plan_of, recipe_of
from retime.mcp.requests import (
    TOOLS,
    Apply,
    Check,
    Explain,
    Inspect,
    ListMotions,
    Look,
    Propose,
)
from retime.mcp.results import by_measure, facts_of, figures_of, knots_of, rounded, size_of
from retime.mcp.schemas import recipe_schema
from retime.mcp.wording import error_words, notes_of
from retime.methods import METHODS
from retime.parameters import build
from retime.process.inside import Say, bound_memory, serve_jobs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from retime.evaluate import Evaluated
    from retime.motion import Motion

# Largest side of a picture, pixels, and most pixels of an inch.
_MOST_PIXELS, _DENSITY = 1024, 80
_POSES = 8

Answer = dict[str, Any]


class Worker:
    """Answers requests about the files of a folder."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.evaluator = Evaluator()
        self.say: Say = lambda message: None
        # The server allows a request to write unless it was cancelled meanwhile.
        self.allowed: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def do(self, job: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        """Answer a request: text or data, and perhaps a picture as the body."""
        self.say = say
        if "resource" in job:
            return {"text": _resource(job["resource"])}
        request = build(TOOLS[job["tool"]], job["arguments"])
        answer = getattr(self, job["tool"])(request)
        picture = answer.pop("picture", None)
        text = answer.pop("text", None)
        if text is None:
            text = json.dumps(rounded(answer), ensure_ascii=False, separators=(",", ":"))
        return {"text": text} | ({} if picture is None else {"body": _png(picture)})

    # ---- tools

    def list_motions(self, request: ListMotions) -> Answer:
        """List files; one that cannot be read has a reason in place of a length."""
        places = self.folder.motions(request.under)
        files = [self.folder.name(p) for _, p in zip(range(MOST_FILES + 1), places, strict=False)]
        rows = []
        for number, file in enumerate(files[:MOST_FILES]):
            self.say({"progress": number, "total": len(files), "word": file})
            rows.append([file, *self._listed(file)])
        more = {"more": "name a subfolder"} if len(files) > MOST_FILES else {}
        return {"of": ["file", "format", "duration", "fps"], "motions": rows, **more}

    def _listed(self, file: str) -> list[Any]:
        from retime.io import kind_of

        try:
            motion = self._read(file, None)
            return [kind_of(file).name, motion.duration, motion.rate]
        except RetimeError as e:
            return [error_words(e)]

    def inspect(self, request: Inspect) -> Answer:
        """Return what is in a motion, and what looks wrong."""
        from retime.body.measure.suspicions import suspicions
        from retime.io import kind_of

        file = self.folder.file(request.motion)
        motion = self._read(request.motion, request.animation)
        several = kind_of(file).contents(file)
        return {
            "format": kind_of(file).name,
            **({"animations": [str(c["name"]) for c in several]} if len(several) > 1 else {}),
            **facts_of(motion),
            "notes": notes_of([*motion.notes, *suspicions(motion)]),
        }

    def look(self, request: Look) -> Answer:
        """Draw a motion, a warp, or two motions."""
        from retime.plot import figures

        motion = self._read(request.motion, request.animation)
        if request.recipe is not None:
            recipe = recipe_of(request.recipe, self.folder)
            job = Job(source=motion, recipe=recipe)
            found = self.evaluator.evaluate(job, progress=self._progress)
            if request.show == "warp":
                drawn = figures.warp({"warp": found.warp})
            elif request.show == "compare":
                drawn = _compared(found)
            else:
                drawn = figures.strip({"result": found.motion}, poses=_POSES)
        elif request.show == "compare" and request.result is not None:
            result = self._read(request.result, None)
            drawn = figures.compare(motion, result, poses=_POSES)
        elif request.show == "strip":
            drawn = figures.strip({Path(request.motion).name: motion}, poses=_POSES)
        else:
            other = ', or a "result" to compare' if request.show == "compare" else ""
            raise InputError(f'{request.show} needs a "recipe"{other}')
        return {"text": "", "picture": drawn}

    def propose(self, request: Propose) -> Answer:
        """Solve a plan, and measure it."""
        return self._told(self._solved(plan_of(request, self.folder)), picture=request.picture)

    def check(self, request: Check) -> Answer:
        """Measure a file, and its source."""
        from retime.body.measure.metrics import measure
        from retime.body.measure.suspicions import suspicions

        motion = self._read(request.motion, request.animation)
        columns, recorded = {"file": measure(motion)}, request.source is None
        if request.source is not None:
            columns["source"] = measure(self._read(request.source, None))
        notes = [*motion.notes, *suspicions(motion, as_recorded=recorded)]
        return {
            **size_of(motion),
            "figures": by_measure(columns),
            "notes": notes_of(notes),
        }

    def apply(self, request: Apply) -> Answer:
        """Solve a plan, write it, and measure the written files."""
        plan = plan_of(request, self.folder)
        solved = self._solved(plan)
        self.say({"ready": True})
        self.allowed.get()
        if isinstance(plan, TablePlan):
            from retime.io.length_json import read_lengths, write_lengths

            write_lengths(solved.table, _target(plan.job))
            solved = replace(solved, table=read_lengths(_target(plan.job)))
            return {"written": str(plan.job.target), **self._told(solved, picture=request.picture)}
        jobs = plan.members if isinstance(plan, GroupJob) else {"": plan}
        members = solved.members if isinstance(solved, EvaluatedGroup) else {"": solved}
        for name, found in members.items():
            write(found.motion, _target(jobs[name]), original=found.source)
        written = {n: read(_target(j)) for n, j in jobs.items()}
        names = {n: str(j.target) for n, j in jobs.items()}
        told = self._told(solved, written, picture=request.picture)
        return {"written": names if isinstance(plan, GroupJob) else names[""], **told}

    def explain(self, request: Explain) -> Answer:
        """Return the text about a name."""
        return {"text": explained(request.about)}

    # ---- steps of several tools

    def _read(self, file: str, animation: str | None) -> Motion:
        place = self.folder.file(file)
        bound_memory(place.stat().st_size)
        return self.evaluator.motion(Job(source=place, reading=Reading(), animation=animation))

    def _progress(self, step: int, steps: int, name: str) -> None:
        word = METHODS[name].doing if name in METHODS else name
        self.say({"progress": step, "total": steps, "word": word})

    def _solved(self, plan: Plan) -> Any:
        jobs = plan.members.values() if isinstance(plan, GroupJob) else [_job(plan)]
        bound_memory(sum(Path(str(j.source)).stat().st_size for j in jobs))
        if isinstance(plan, GroupJob):
            return evaluate_group(self.evaluator, plan, progress=self._progress)
        if isinstance(plan, Job):
            return self.evaluator.evaluate(plan, progress=self._progress)
        from retime.length_tables import report

        return report(self.evaluator.motion(plan.job), plan.parameters)

    def _told(
        self, solved: Any, written: Mapping[str, Motion] | None = None, *, picture: bool
    ) -> Answer:
        """Return the figures of a result, of what was written if it was."""
        from retime.plot import figures

        if isinstance(solved, EvaluatedGroup):
            told = {n: self._one(e, (written or {}).get(n)) for n, e in solved.members.items()}
            spans = [(s.start, s.end) for s in solved.timing.scene.shared]
            warps = {n: e.warp.of_body() for n, e in solved.members.items()}
            drawn = {"picture": figures.warp(warps, shared=spans)} if picture else {}
            shared = {"shared": [list(s) for s in spans]} if spans else {}
            return {"members": told, **shared, "notes": notes_of(solved.notes), **drawn}
        if hasattr(solved, "table"):
            drawn = {"picture": figures.lengths(solved.table)} if picture else {}
            return {**_table(solved), **drawn}
        drawn = {"picture": _compared(solved)} if picture else {}
        return {**self._one(solved, (written or {}).get("")), **drawn}

    def _one(self, found: Evaluated, written: Motion | None) -> Answer:
        delivered = found.motion if written is None else written
        warp = {"warp": knots_of(found.warp)} if written is None else {}
        return {
            **size_of(delivered),
            "figures": figures_of(found, delivered, self.evaluator),
            **warp,
            "notes": notes_of(found.notes),
        }


def _job(plan: Job | TablePlan) -> Job:
    return plan.job if isinstance(plan, TablePlan) else plan


def _target(job: Job) -> Path:
    return Path(str(job.target))


def _table(told: Any) -> Answer:
    return {
        "lengths": list(told.span),
        "moments": {name: list(times) for name, times in told.moments.items()},
        "bytes": told.size,
        "saved_of_uniform": told.gain,
        "lost_between_rows": told.lost,
        "notes": notes_of(told.notes),
    }


def _compared(found: Evaluated) -> Figure:
    from retime.plot import figures

    return figures.compare(found.source, found.motion, found.warp, poses=_POSES)


def _png(figure: Figure) -> bytes:
    from retime.plot.figures import png_of

    longest = max(figure.get_size_inches())
    return png_of(figure, dpi=min(_DENSITY, (_MOST_PIXELS - 1) / longest))


def _resource(name: str) -> str:
    return json.dumps(recipe_schema()) if name == "recipe-schema" else methods_listed()


def main() -> None:
    """Run the worker of a folder on this process's standard streams."""
    folder = Folder(sys.argv[1])
    worker = Worker(folder)
    fence(folder)
    serve_jobs(worker.do, failed=lambda e: {"error": error_words(e)}, pushed=worker.allowed.put)


if __name__ == "__main__":
    main()
