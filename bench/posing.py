"""Full-body posing: one reach of a recorded figure, against pinocchio with pink and against ikpy.

All start from one pose with planted feet, on the same bones; targets lie on rays from the shoulder.
Pink takes steps of its quadratic program until hand and feet are within 1 mm, or 100 steps, with
the same weights on postures and the feet as equality constraints. ikpy knows one chain: it runs
from one planted foot to the hand, each ball joint as three hinges, and nothing holds the other
foot. Its search is scipy's. Peers that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bench.performances import MOCAP
from bench.timing import Figure, in_turns, seconds
from retime import Motion, StaggeredPoses, TimeWarp, apply, positions, read, samples
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.solve.posing import _MOVING, _Figure, _Variables, planted_joints, pose_figure
from retime.motion import quat

# Directions from the shoulder, and how far along them targets lie, metres.
_WAYS = [(0.2, -0.2, 1.0), (0.7, 0.5, -0.4), (-0.9, -0.4, 0.1), (0.1, -0.7, 0.7), (-0.3, 0.9, 0.2)]
_FAR = (0.4, 0.7, 1.0)
_CLOSE, _STEPS = 1e-3, 100


def _first(motion: Motion, frame: int) -> Motion:
    return replace(
        motion,
        rotations=motion.rotations[[frame]],
        translations={n: t[[frame]] for n, t in motion.translations.items()},
        sample_times=None,
        start=0.0,
    )


def _with_pink(
    motion: Motion, clip: Motion, hand: int, feet: tuple[int, ...]
) -> Callable[[FloatArray], tuple[float, float]]:
    """Return what brings the hand to a place, and tells how far hand and feet are off."""
    import pink
    import pinocchio as pin
    from pink.tasks import FrameTask, PostureTask

    figure, body = _Figure.of(motion), find_body(motion)
    free = _Variables.of(figure, body, {hand: np.zeros(3)}, feet, "body", {}, clip)
    model, weights = pin.Model(), [_MOVING] * 3
    ids: dict[int, Any] = {}
    at = pin.SE3.Identity()
    root = model.addJoint(0, pin.JointModelTranslation(), at, "move")
    for j, p in enumerate(figure.parents):
        place = figure.offsets[j] if p >= 0 else np.zeros(3)
        if p < 0:
            at.translation = figure.offsets[j]
        own = np.flatnonzero(free.joint == j)
        # A joint turns in its parent's axes: its frame is placed before its rotation.
        kind = pin.JointModelSpherical()
        if len(own) == 1:
            kind = pin.JointModelRevoluteUnaligned(free.axis[own[0]])
        above, before = ids.get(int(p), (root, pin.SE3.Identity()))
        placed = before * pin.SE3(np.eye(3), place if p >= 0 else figure.offsets[j])
        turn = pin.SE3(quat.to_matrix(figure.rotations[j]), np.zeros(3))
        if not len(own):
            ids[j] = above, placed * turn
        else:
            made = model.addJoint(above, kind, placed, f"j{j}")
            ids[j] = made, turn
            weights += list(free.weight[own])
        here, offset = ids[j]
        model.addFrame(pin.Frame(f"f{j}", here, offset, pin.FrameType.OP_FRAME))
    data = model.createData()
    start = pin.neutral(model)
    posture = PostureTask(cost=np.sqrt(weights))
    posture.set_target(start)
    tasks: list[Any] = [posture]
    held: list[Any] = []
    for f in feet:
        if int(figure.parents[f]) in feet:
            continue  # a second constraint on a rigid foot makes its program singular
        task = FrameTask(f"f{f}", position_cost=1.0, orientation_cost=1.0)
        task.set_target(pin.SE3(quat.to_matrix(figure.turns[f]), figure.places[f]))
        held.append(task)
    asked = FrameTask(f"f{hand}", position_cost=300.0, orientation_cost=0.0)
    tasks.append(asked)

    def frame(configuration: Any, joint: int) -> FloatArray:
        place: FloatArray = configuration.get_transform_frame_to_world(f"f{joint}").translation
        return place

    def run(target: FloatArray) -> tuple[float, float]:
        asked.set_target(pin.SE3(np.eye(3), target))
        configuration = pink.Configuration(model, data, start)
        for _ in range(_STEPS):
            velocity = pink.solve_ik(
                configuration, tasks, 1.0, solver="quadprog", constraints=held, safety_break=False
            )
            configuration.integrate_inplace(velocity, 1.0)
            off = [
                float(np.linalg.norm(frame(configuration, j) - place))
                for j, place in [(hand, target), *((f, figure.places[f]) for f in feet)]
            ]
            if max(off) < _CLOSE:
                break
        return off[0], max(off[1:])

    return run


def _with_ikpy(motion: Motion, hand: int, foot: int) -> Callable[[FloatArray], float]:
    """Return what brings the hand to a place along the chain from a foot, and how far it is off."""
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    figure = _Figure.of(motion)
    up, down = ([int(k) for k in np.flatnonzero(figure.below[:, e])] for e in (foot, hand))
    common = max(set(up) & set(down))
    path = [*reversed([j for j in up if j > common]), common, *(j for j in down if j > common)]
    places = figure.places[path]
    links: list[Any] = [OriginLink()]
    steps = [np.zeros(3), *np.diff(places, axis=0)]
    for n, step in enumerate(steps[:-1]):
        for c, axis in enumerate(np.eye(3)):
            links.append(
                URDFLink(
                    f"l{n}{c}", step if c == 0 else np.zeros(3), np.zeros(3), rotation=axis,
                    bounds=(-1.5, 1.5),
                )
            )  # fmt: skip
    links.append(URDFLink("hand", steps[-1], np.zeros(3), rotation=[1, 0, 0]))
    mask = [False, *[True] * (len(links) - 2), False]
    chain = Chain(links, active_links_mask=mask)
    start = np.zeros(len(links))

    def run(target: FloatArray) -> float:
        found = chain.inverse_kinematics(target - places[0], initial_position=start)
        end = chain.forward_kinematics(found)[:3, 3]
        return float(np.linalg.norm(end + places[0] - target))

    return run


def figures() -> Iterator[Figure]:
    file = MOCAP / "49_02.bvh"
    clip = read(file) if file.exists() else samples.jump()
    frame = min(int(1.0 * clip.rate), len(clip) - 1) if file.exists() else 0
    motion, body = _first(clip, frame), find_body(clip)
    hand = body.roles["right_hand"]
    at = dict.fromkeys(clip.skeleton.names, float(clip.times[frame]))
    feet = planted_joints(clip, None, at, [hand])
    shoulder = positions(motion)[0, body.roles["right_upper_arm"]]
    targets = [
        shoulder + far * np.array(way) / np.linalg.norm(way) for way in _WAYS for far in _FAR
    ]
    what = f"reach, {len(clip.skeleton)} joints, {len(feet)} planted"

    def ours() -> list[tuple[float, float]]:
        made = [pose_figure(motion, {hand: t}, planted=feet, source=clip) for t in targets]
        return [(m.missed[hand], m.slipped) for m in made]

    def told(misses: list[float]) -> str:
        met = sum(m < _CLOSE for m in misses)
        return f"{met} of {len(misses)} within 1 mm"

    ours()
    said = told([max(both) for both in ours()])
    peers: dict[str, Callable[[], object]] = {}
    if importlib.util.find_spec("pink"):
        pink_run = _with_pink(motion, clip, hand, feet)
        found = [pink_run(t) for t in targets]
        name = f"pink: {told([max(both) for both in found])}, feet too"
        peers[name] = lambda: [pink_run(t) for t in targets]
    if importlib.util.find_spec("ikpy"):
        foot = next(f for f in feet if int(clip.skeleton.parents[f]) not in feet)
        ikpy_run = _with_ikpy(motion, hand, foot)
        name = f"ikpy, one chain: {told([ikpy_run(t) for t in targets])}"
        peers[name] = lambda: [ikpy_run(t) for t in targets]
    count = len(targets)
    frame_time = 1 / 60
    taken = in_turns(ours, *peers.values(), rounds=3)
    yield Figure(f"{what}: {said}", taken[0] / count, "a frame at 60 Hz", frame_time)
    for name, peer_s in zip(peers, taken[1:], strict=True):
        yield Figure(what, taken[0] / count, name, peer_s / count)
    part = apply(clip, TimeWarp([0, 4], [0, 4]), fps=60) if clip.duration > 4 else clip
    poses = StaggeredPoses.from_motion(part)
    k = len(poses) // 2
    near = positions(part)[round(float(poses.times[k]) * part.rate), hand] + [0.0, -0.2, 0.3]
    edit = seconds(lambda: poses.reach(k, {"right_hand": near}).motion(), repeats=9)
    what = f"reach as an edit of {part.duration:.0f} s, evaluated, contacts held"
    yield Figure(what, edit, "a frame at 60 Hz", frame_time)
