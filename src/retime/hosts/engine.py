"""The engine: retime another program's motions on requests in lines of JSON.

A host such as the Blender extension starts ``retime engine`` once and keeps it. Requests and
answers are lines of JSON (``process/child.py``); motions and warps pass as files (``.npz``, warp
JSON) that the request names. End the process to cancel.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from retime import __version__
from retime.coercion import coerce
from retime.errors import InputError, RetimeError
from retime.evaluate import Evaluator, Job
from retime.hosts.in_frames import Frames, Labels
from retime.methods import method
from retime.motion import Motion
from retime.notes import ROUTINE, present
from retime.parameters import declared
from retime.process.inside import Say, serve_jobs

# Version of the protocol; a host rejects an engine with another one.
PROTOCOL = 4
# Number of motions to cache with their results, so that a second try is quick.
_KEPT = 4
# Range of heights for which the host's declared unit is accepted, metres.
_HEIGHTS = (0.4, 3.0)


class Engine:
    """Answers requests, one after the other."""

    def __init__(self) -> None:
        self._say: Say = lambda message: None
        self._presenter = Labels()
        self._evaluator = Evaluator()
        self._motions: OrderedDict[str, Motion] = OrderedDict()
        self._does: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "version": self._version,
            "recipe": self._retime,
            "check": self._check,
            "poses": self._poses,
            "rest": self._rest,
            "beats": self._beats,
        }

    def do(self, request: Mapping[str, Any], say: Say) -> dict[str, Any]:
        """Answer one request; ``say`` takes its progress."""
        self._say, self._presenter = say, Labels()
        self._presenter = _presenter(request)
        kind = next((k for k in self._does if k in request), None)
        if kind is None:
            raise InputError("a request asks for one of: " + ", ".join(self._does))
        return self._does[kind](request)

    def failed(self, error: RetimeError) -> dict[str, Any]:
        """Return the answer to a request that failed."""
        return {"error": self._said(error.note)}

    def tell(self, word: str, share: float | None = None) -> None:
        """Send the progress of the current request."""
        self._say({"progress": share, "word": word})

    def _said(self, note: str) -> str:
        """Return a note with the labels of the host's panel and in the frames of its timeline."""
        return present(note, self._presenter)

    # ---- requests

    def _version(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"retime": __version__, "protocol": PROTOCOL}

    def _retime(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from retime.io import write
        from retime.io.files import passed_on
        from retime.io.warp_json import write_warp
        from retime.recipe.json import from_document

        self.tell("Reading the motion", 0.0)
        motion = self._motion(_text(request, "motion"))
        job = Job(
            source=motion,
            recipe=from_document(_with_references(request)),
            fps=request.get("fps"),
            first_frame=coerce(request.get("first_frame", 0), int, "first_frame"),
            corrections=coerce(request.get("corrections", True), bool, "corrections"),
        )

        def told(done: int, count: int, name: str) -> None:
            self.tell(method(name).doing, 0.1 + 0.7 * done / count)

        found = self._evaluator.evaluate(job, name=_text(request, "motion"), progress=told)
        self.tell("Writing the result", 0.95)
        with passed_on():
            write(found.motion, _text(request, "out"))
            write_warp(found.warp, _text(request, "warp"))
        edited = found.touched.joints
        return {
            "notes": [self._said(n) for n in found.notes],
            "about": [self._said(n) for n in motion.notes if n.code not in ROUTINE],
            "figures": {k: v for k, v in found.figures.items() if np.isfinite(v)},
            "joints": [n for n in motion.skeleton.names if n in edited],
            "bezier": _bezier(found.warp, request.get("bezier")),
        }

    def _check(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from retime.body.measure.metrics import MEASURES, measure
        from retime.hosts.sliding import sliding

        motion = self._motion(_text(request, "check"))
        self.tell("Measuring", 0.2)
        measures = [
            {"name": n, "value": v, "unit": MEASURES[n].unit, "meaning": MEASURES[n].meaning}
            for n, v in measure(motion).items()
        ]
        problems = sliding(motion)
        share = None
        if request.get("physics"):
            from retime.methods.physics import judge, judged_by

            values = request.get("parameters", {})
            if not isinstance(values, Mapping):
                raise InputError('"parameters" must be an object')
            self.tell("Checking what the body can do", 0.5)
            told = judge(motion, judged_by((), values)).explanation
            share = float(told.share)
            problems += [{"start": v.start, "end": v.end, "what": v.text} for v in told.violations]
        return {
            "measures": measures,
            "feasible": share,
            "problems": sorted(problems, key=lambda p: p["start"]),
            "notes": [self._said(n) for n in motion.notes],
        }

    def _poses(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from retime.methods.staggered import StaggerParameters, edited_poses
        from retime.parameters import build

        motion = self._motion(_text(request, "poses"))
        self.tell("Finding the poses", 0.2)
        values = request.get("parameters", {})
        if not isinstance(values, Mapping):
            raise InputError('"parameters" must be an object')
        poses = edited_poses(motion, build(StaggerParameters, values))
        # Time of each joint at each pose: body parts do not arrive at exactly the same time.
        arrivals = poses.times[:, None] + poses.refinements
        joints = motion.skeleton.names
        return {
            "metres": motion.units.metres,
            "times": [float(t) for t in poses.times],
            "arrivals": {n: arrivals[:, j].tolist() for j, n in enumerate(joints)},
        }

    def _rest(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from retime.io.rest_frame import count_rest_frames
        from retime.motion import quat

        motion = self._motion(_text(request, "rest"))
        # A host's joints have rest rotations; in the rest pose, no rotation is added to them.
        turned = quat.multiply(quat.conjugate(motion.skeleton.rest_rotations), motion.rotations)
        return {"rest_frames": count_rest_frames(turned)}

    def _beats(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from retime.hosts.song import heard

        self.tell("Listening to the song", 0.2)
        return heard(_text(request, "beats"), request)

    # ---- motions

    def _motion(self, path: str) -> Motion:
        """Read a motion; the same bytes return the cached motion with its results."""
        motion = self._evaluator.motion(Job(source=path))
        key = motion.origin.sha256 if motion.origin is not None else path
        if key not in self._motions:
            self._motions[key] = _with_likely_unit(motion)
        self._motions.move_to_end(key)
        while len(self._motions) > _KEPT:
            self._motions.popitem(last=False)
        return self._motions[key]


def _presenter(request: Mapping[str, Any]) -> Labels:
    """Return how to show messages: with a host's labels, and in frames of its timeline if given."""
    labels, given = _given_labels(request), request.get("in_frames")
    if given is None:
        return Labels(labels)
    first, fps = coerce(given, tuple[float, float], "in_frames")
    if not fps > 0:
        raise InputError(f"the frame rate must be above 0, not {fps:g}")
    return Frames(labels, first, fps)


def _given_labels(request: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the host's own labels of parameters, by name."""
    given = request.get("labels", {})
    if not isinstance(given, Mapping) or not all(isinstance(v, str) for v in given.values()):
        raise InputError("labels must map names of parameters to texts")
    return given


def _text(request: Mapping[str, Any], name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f'"{name}" must name a file')
    return value


def _with_references(request: Mapping[str, Any]) -> Any:
    """Replace the names of the host's other motions in a recipe by files."""
    files = request.get("references") or {}
    if not isinstance(files, Mapping):
        raise InputError('"references" must be an object of names and files')

    recipe = request["recipe"]
    if not files or not isinstance(recipe, Mapping) or not isinstance(recipe.get("steps"), list):
        return recipe
    return {**recipe, "steps": [_with_files(step, files) for step in recipe["steps"]]}


def _with_files(step: Any, files: Mapping[str, str]) -> Any:
    values = step.get("parameters") if isinstance(step, Mapping) else None
    if not isinstance(values, Mapping):
        return step

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(v) for v in value]
        return files.get(value, value) if isinstance(value, str) else value

    known = declared(method(str(step.get("method"))).parameters)
    paths = {p.name for p in known if p.names_files(values.get(p.name))}
    named = {k: put(v) if k in paths else v for k, v in values.items()}
    return {**step, "parameters": named}


def _with_likely_unit(motion: Motion) -> Motion:
    """Infer the unit if the host's makes a person a giant: imports are often unscaled."""
    from retime.body import find_body
    from retime.motion.kinematics import height, infer_units

    low, high = _HEIGHTS
    if low <= height(motion.skeleton) * motion.units.metres <= high:
        return motion
    if not find_body(motion).is_biped:
        return motion
    units, notes = infer_units(motion, up=motion.units.up, person=True)
    return replace(motion, units=units).with_notes(*notes)


def _bezier(warp: Any, tolerance: Any) -> list[list[float]]:
    """Fit the body's curve with few keys for a host's graph editor, if requested.

    A row is a key and its handles: x, y, left x, left y, right x, right y, in seconds.
    """
    if tolerance is None:
        return []
    from retime.timing.curves import fit_bezier

    curve = fit_bezier(warp.of_body(), tolerance=coerce(tolerance, float, "bezier"))
    rows: list[list[float]] = np.hstack([curve.keys, curve.left, curve.right]).tolist()
    return rows


# ---- the process


class _Announced(logging.Handler):
    """Forward the library's log to the host."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        self._engine.tell(text[:1].upper() + text[1:])


def main() -> None:
    """Serve this process's standard streams."""
    engine = Engine()
    logging.getLogger("retime").addHandler(_Announced(engine))
    serve_jobs(engine.do, failed=engine.failed)
