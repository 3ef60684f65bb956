"""Data for the editors of steps: surfaces in space, poses in time, effects of steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray
from retime.evaluate import Evaluated
from retime.evaluate.evaluator import warp_between
from retime.recipe import Solved
from retime.studio import frame_headers, jobs, pose_blocks
from retime.studio.wording import studio_notes
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.surface import ControlSurfaces

Editor = frame_headers.SurfaceEditor | frame_headers.PosesEditor
# Moments at which a way or a layer is drawn.
_WAY, _LAYER = 41, 300
# The time axis in space: a second is this many heights of the figure long.
_PACE = 0.8
# A surface stands this far from the body, in heights, so that neither hides the other.
_ASIDE = 0.55
# The drag by which a key shows its reach before it is dragged, seconds.
_LITTLE = 1e-3


def editor_of(
    job: jobs.Result, found: Evaluated, solved: Solved
) -> tuple[Editor | None, dict[str, Any]]:
    """Return the data and arrays of a step's editor; nothing for steps without one."""
    name = job.steps[solved.number - 1]
    made: tuple[Editor, dict[str, Any]]
    match solved.step.method:
        case "surface":
            made = _surfaces(name, solved)
        case "stagger":
            made = _poses(name, solved)
        case _:
            return None, {}
    editor, arrays = made
    place = found.solved.index(solved)
    return editor, arrays | {"joint_times": _joint_times(found, place)}


def _after(found: Evaluated, place: int) -> TimeWarp:
    """Return the body's warp of all steps behind one: from the result's time to its output's."""
    return warp_between(found, place + 1)


def _joint_times(found: Evaluated, place: int) -> FloatArray:
    """Return how far ahead of its own output each joint of a step is, (F, J) seconds."""
    warp = found.solved[place].edit.warp
    names = found.source.skeleton.names
    at = _after(found, place)(found.motion.times)
    out = np.zeros((len(at), len(names)))
    if warp is not None:
        for j, name in enumerate(names):
            if name in warp.channels or not warp.is_identity:
                out[:, j] = warp(at, name) - at
    return out


def step_times(job: jobs.Result, found: Evaluated) -> dict[str, Any]:
    """Convert times of each step to those of the source and the result, if they differ."""
    timing = [s for s in found.solved if s.edit.warp is not None and not s.edit.warp.is_identity]
    if len(timing) < 2:
        return {}
    out = {}
    for place, solved in enumerate(found.solved):
        name = job.steps[solved.number - 1]
        before = warp_between(found, 0, place)
        after = _after(found, place)
        out[f"before:{name}"] = np.c_[before.output, before.source]
        out[f"after:{name}"] = np.c_[after.output, after.source]
    return out


def layers(job: jobs.Result, found: Evaluated) -> dict[str, Any]:
    """Return the effect of each step on source time: of the body, and the range of all joints."""
    if not found.solved:
        return {}
    times = np.linspace(*found.motion.domain, min(_LAYER, len(found.motion)))
    out: dict[str, Any] = {"layer_times": times}
    for place, solved in enumerate(found.solved):
        rows = np.zeros((len(times), 3))
        if solved.edit.warp is not None:
            at = _after(found, place)(times)
            warp = solved.edit.weighted_warp(solved.given.domain)
            rows[:] = (warp.of_body()(at) - at)[:, None]
            for channel in warp.channels:
                ahead = warp(at, channel) - at
                rows[:, 1] = np.minimum(rows[:, 1], ahead)
                rows[:, 2] = np.maximum(rows[:, 2], ahead)
        out[f"layer:{job.steps[solved.number - 1]}"] = rows
    return out


# ---- surfaces


def _surfaces(name: str, solved: Solved) -> tuple[frame_headers.SurfaceEditor, dict[str, Any]]:
    from retime.methods.surface.surface import control_surfaces

    p, motion = solved.step.parameters, solved.given
    made = control_surfaces(motion, p)
    order = sorted(range(len(p.keys)), key=lambda k: p.keys[k].time)
    points, root = made.points, motion.skeleton.roots[0]
    start, end = made.motion.domain if p.range is None else p.range
    spans = made.spans
    views, arrays = [], {}
    for k, key in enumerate(made.keys):
        plane = made.view(k)
        pace = _PACE * made.height
        base = _at(points[:, root], motion.times, key.time) + _ASIDE * made.height * plane.along
        grid = made.surface(k)
        places = (
            base
            + grid.x[:, None, None] * plane.across
            + grid.y[None, :, None] * plane.up
            + (pace * grid.shift)[..., None] * plane.along
        )
        weights, pull = _reach(made, k, grid.shift)
        arrays[f"grid:{k}"] = np.concatenate([places, np.clip(pull, 0, 1)[..., None]], axis=-1)
        moments = np.linspace(*spans[k], _WAY)
        frame, share = motion.frame_at(moments)
        after = np.minimum(frame + 1, len(motion) - 1)
        flat = made.paths(k)
        ways = flat[frame] + share[:, None, None] * (flat[after] - flat[frame])
        along = (pace * (moments - key.time))[:, None, None] * plane.along
        arrays[f"paths:{k}"] = (
            base + ways[..., :1] * plane.across + ways[..., 1:] * plane.up + along
        )
        flat_places = made.places(k)
        arrays[f"places:{k}"] = base + flat_places[:, :1] * plane.across + (
            flat_places[:, 1:] * plane.up
        )  # fmt: skip
        drags = [d for d in key.drags if d.joint is not None]
        arrived = max(made.arrivals_of(k), key=lambda a: abs(a.asked))
        views.append(
            frame_headers.SurfaceKeyView(
                index=order[k],
                time=key.time,
                joints=[d.joint for d in drags if d.joint is not None],
                shift=key.drags[0].shift,
                made=float(made.shifts[k][np.abs(made.shifts[k]).argmax()]),
                arrived=arrived.measured,
                off=arrived.distance,
                start=spans[k][0],
                end=spans[k][1],
                room=(
                    spans[k - 1][1] if k else start,
                    spans[k + 1][0] if k + 1 < len(spans) else end,
                ),
                base=base.tolist(),
                across=plane.across.tolist(),
                up=plane.up.tolist(),
                along=plane.along.tolist(),
                pace=pace,
                weights=weights.tolist(),
            )
        )
    return frame_headers.SurfaceEditor(name, views, studio_notes(made.notes)), arrays


def _reach(made: ControlSurfaces, k: int, shift: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return every joint's fraction of a drag, and the pull on the surface's vertices (P, Q).

    A key that is not dragged yet shows what a small drag would do.
    """
    from retime.methods.surface import ControlSurfaces

    key = made.keys[k]
    if not any(d.shift for d in key.drags):
        points = tuple(replace(c, shift=_LITTLE) for c in key.control_points)
        tried = replace(key, shift=_LITTLE, control_points=points)
        made, k = ControlSurfaces(made.motion, [tried], root=made.root, grid=made.grid), 0
        shift = made.surface(0).shift
    most = max(abs(d.shift) for d in made.keys[k].drags)
    return made.weights(k), np.abs(shift) / most


def _at(track: FloatArray, times: FloatArray, t: float) -> FloatArray:
    return np.array([np.interp(t, times, track[:, c]) for c in range(3)])


# ---- poses


def _poses(name: str, solved: Solved) -> tuple[frame_headers.PosesEditor, dict[str, Any]]:
    from retime.methods.staggered.stagger import counted_poses, edited_poses

    poses = edited_poses(solved.given, solved.step.parameters)
    skeleton = solved.given.skeleton
    joints = [skeleton.index(c.removesuffix(":translation")) for c in poses.channels]
    evidence = poses.evidence
    curve = np.zeros((0, 2))
    found = len(poses)
    if evidence is not None:
        # Likelihood is told where its moment went: a moved pose takes its peak along.
        went = poses.warp().of_body().inverse(evidence.times)
        curve = np.c_[went, evidence.probability]
        found = len(evidence.candidates) + 2
    editor = frame_headers.PosesEditor(
        name, list(poses.channels), joints, list(poses.free), found,
        studio_notes(poses.notes), counted_poses(solved.given, solved.step.parameters),
        len(poses.curves[0].stack), [layer.weight for layer in poses.curves[0].stack],
    )  # fmt: skip
    return editor, {
        "pose_times": poses.times,
        "refinements": poses.refinements,
        "delivered": poses.arrivals.delivered if poses.timing.is_edited else poses.refinements,
        "included": poses.timing.included,
        "probability": curve,
        "candidates": pose_blocks.candidates(poses, solved.step.parameters),
        "tangents": pose_blocks.tangents(poses),
    }
