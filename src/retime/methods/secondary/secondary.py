"""Secondary motion: a pose layer in which loose parts follow the motion of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.model.body import Body
from retime.body.solve.hinges import within_hinges
from retime.body.solve.holding import contact_fixes
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.secondary.follower import Follower
from retime.methods.secondary.parameters import SecondaryParameters
from retime.motion import Motion, quat
from retime.motion.edits import Edit, correction_between
from retime.motion.kinematics import cached_positions, carriers, global_rotations, upright
from retime.motion.loops import must_loop
from retime.notes import Note, Remedy
from retime.parameters import part_of_clip
from retime.timing import TimeWarp

# Lag of a joint beside its parent that is never exceeded, radians; half of it is hardly limited.
_MOST_LAG = 1.0
# Hip joints whose line is at least this level, as a squared cosine, tell the heading fully.
_FLAT = 0.75
# Limits of the frequency and damping of a chain.
_FREQUENCIES, _DAMPINGS = (0.05, 60.0), (0.01, 10.0)


@takes(SecondaryParameters)
def secondary(motion: Motion, p: SecondaryParameters) -> Edit:
    """Make parts lag behind the body's motion, overshoot and settle.

    A damped spring follows the rotation of each joint relative to the body's heading, that of an
    elbow relative to its upper arm. Fingers, and joints below that are not selected, move with
    their parent. Use this step after those that retime, because springs swing in the time of its
    input.

    Parameters
    ----------
    motion : Motion
        Input of the step.
    """
    if p.loop:
        must_loop(motion)
    if p.loop and p.range is not None:
        raise InputError("a part of a cycle is not a cycle: give either a range or loop")
    followers, notes = _followers(motion, p)
    around = TimeWarp.identity(*motion.domain, loop=p.loop)
    warp = around.with_notes(*notes) if p.loop or notes else None
    if p.strength == 0 or not followers or len(motion) < 2:
        return Edit(warp=warp)
    made = _followed(motion, followers, p)
    return Edit(
        warp=warp,
        layer=correction_between(motion, within_hinges(motion, made)),
        fixes=contact_fixes(p.constraints),
    )


def loose_joints(body: Body) -> tuple[int, ...]:
    """Return the first joints of loose parts: arms, and parts without a role, such as hair."""
    skeleton = body.skeleton
    if not body.roles:  # all parts of an unknown figure follow the root
        return tuple(j for j in range(len(skeleton)) if int(skeleton.parents[j]) in skeleton.roots)
    arms = [body.limbs[n].upper for n in ("left_arm", "right_arm") if n in body.limbs]
    held = {j for role in body.roles.values() for j in skeleton.chain(role)}
    held |= set(carriers(skeleton)) | set(skeleton.roots)
    limbs = {
        j for limb in body.limbs.values() for j in (limb.upper, limb.lower, limb.end, limb.tip)
    }
    # Fingers follow their arm, and parts of a leg stay, because they may be on the ground.
    others = [
        j
        for j, parent in enumerate(skeleton.parents.tolist())
        if j not in held and parent in held and limbs.isdisjoint(skeleton.chain(j))
    ]
    return tuple(sorted([*arms, *others]))


def _followers(motion: Motion, p: SecondaryParameters) -> tuple[dict[int, Follower], list[Note]]:
    """Return the spring of each joint that has one, and notes."""
    skeleton = motion.skeleton
    starts = _chosen(motion, p)
    if not starts:
        starts = dict.fromkeys(loose_joints(find_body(motion)), (p.frequency, p.damping))
    if not starts:
        remedy = Remedy("name the joints that follow", parameter="joints")
        return {}, [Note("no loose parts were found", remedy, code="no-loose-parts")]
    out = {}
    fingers = _fingers(find_body(motion))
    for j in range(len(skeleton)):
        depths = [(depth, k) for depth, k in enumerate(skeleton.chain(j)) if k in starts]
        if depths and (j in starts or j not in fingers):
            depth, start = depths[0]  # the nearest start above
            frequency, damping = starts[start]
            out[j] = Follower(frequency * (1 - p.drag) ** depth, damping)
    return out, []


def _fingers(body: Body) -> set[int]:
    """Return the joints below hands: their springs would turn them against a hand that is fast."""
    hands = [limb.end for name, limb in body.limbs.items() if name.endswith("arm")]
    chains = (body.skeleton.chain(j) for j in range(len(body.skeleton)))
    return {j for j, chain in enumerate(chains) if any(h in chain[1:] for h in hands)}


def _chosen(motion: Motion, p: SecondaryParameters) -> dict[int, tuple[float, float]]:
    """Return the frequency and damping of the joints that the parameters name."""
    body, skeleton = find_body(motion), motion.skeleton
    for name, frequency, damping in p.chains:
        _within(frequency, _FREQUENCIES, f"the frequency of {name!r}")
        _within(damping, _DAMPINGS, f"the damping of {name!r}")
    chains = [*((name, p.frequency, p.damping) for name in p.joints), *p.chains]
    return {
        skeleton.index(joint): (frequency, damping)
        for name, frequency, damping in chains
        for joint in body.find_joints([name])
    }


def _within(value: float, bounds: tuple[float, float], what: str) -> None:
    if not bounds[0] <= value <= bounds[1]:
        raise InputError(f"{what} is {bounds[0]:g} to {bounds[1]:g}, not {value:g}")


def _followed(motion: Motion, followers: dict[int, Follower], p: SecondaryParameters) -> Motion:
    """Return the motion with its loose parts lagging behind."""
    body, turns = find_body(motion), global_rotations(motion)
    heading = quat.from_axis_angle([0.0, 1.0, 0.0], _heading(motion, body))
    back = quat.conjugate(heading)
    share, span = _share(motion, p)
    after = turns.copy()
    local = motion.rotations.copy()
    parents = motion.skeleton.parents
    elbows = {limb.lower for name, limb in body.limbs.items() if name.endswith("arm")}
    lags: dict[int, FloatArray] = {}
    for j in range(len(parents)):
        parent = int(parents[j])
        base = _base(motion, after, parent)
        if j not in followers:
            if any(k in followers for k in motion.skeleton.chain(j)):
                after[:, j] = quat.multiply(base, local[:, j])
                lags[j] = lags.get(parent, np.zeros((len(motion), 3)))
            continue
        way = _developed(local[:, j] if j in elbows else quat.multiply(back, turns[:, j]))
        lag = np.zeros_like(way)
        lag[span] = followers[j].lag(motion.times[span], way[span], loop=p.loop)
        lag *= p.strength * share[:, None]
        if j in elbows:  # a hinge stays one
            lag = _limited(lag)
            lags[j] = lags.get(parent, np.zeros_like(lag))
            after[:, j] = quat.multiply(base, quat.multiply(quat.exp(lag), local[:, j]))
        else:
            led = lags.get(parent, np.zeros_like(lag))
            lag = lags[j] = led + _limited(lag - led)
            behind = quat.exp(quat.rotate(heading, lag))
            after[:, j] = quat.multiply(behind, turns[:, j])
        changed = lag.any(axis=1) | _moved(turns, after, parent)
        own = quat.multiply(quat.conjugate(base), after[:, j])
        local[changed, j] = own[changed]
    return replace(motion, rotations=local)


def _heading(motion: Motion, body: Body) -> FloatArray:
    """Return the heading (F,) in radians; it turns less the more a body lies on its side.

    The line through the hip joints points nowhere then, and would swing by half a turn.
    """
    heading = body.frame(motion)[1]
    ends = [body.roles.get(f"{side}_upper_leg") for side in ("left", "right")]
    if None in ends:
        return heading
    left, right = (cached_positions(motion)[:, j] for j in ends if j is not None)
    side = left - right
    flat = (side[:, [0, 2]] ** 2).sum(axis=1) / np.maximum((side**2).sum(axis=1), 1e-12)
    share = np.minimum(flat / _FLAT, 1.0)
    turns = np.diff(heading) * (share[1:] + share[:-1]) / 2
    return np.asarray(heading[0] + np.r_[0.0, np.cumsum(turns)])


def _limited(lag: FloatArray) -> FloatArray:
    """Return rotation vectors (F, 3) that are nearly the same if short, and never too long."""
    length = np.linalg.norm(lag, axis=1, keepdims=True)
    return np.asarray(lag * np.tanh(length / _MOST_LAG) * _MOST_LAG / np.maximum(length, 1e-12))


def _base(motion: Motion, turns: FloatArray, parent: int) -> FloatArray:
    """Return the orientations of a joint's parent; for a root, that of the file's up axis."""
    if parent >= 0:
        return turns[:, parent]
    return np.broadcast_to(upright(motion.units), (len(motion), 4))


def _moved(before: FloatArray, after: FloatArray, joint: int) -> npt.NDArray[np.bool_]:
    if joint < 0:
        return np.zeros(len(before), dtype=bool)
    moved: npt.NDArray[np.bool_] = (before[:, joint] != after[:, joint]).any(axis=1)
    return moved


def _developed(turns: FloatArray) -> FloatArray:
    """Return a path (F, 3) whose steps are the rotation vectors between frames of (F, 4).

    Rotations may be of any size. The path may drift, but the response of a spring depends only on
    the last steps.
    """
    steps = quat.log(quat.multiply(turns[1:], quat.conjugate(turns[:-1])))
    out: FloatArray = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    return out


def _share(motion: Motion, p: SecondaryParameters) -> tuple[FloatArray, slice]:
    """Return the weight of the change per frame, (F,), and the frames of the range."""
    times = motion.times
    if p.range is None:
        return np.ones(len(times)), slice(0, len(times))
    first, last = part_of_clip(p.range, motion.domain)
    inside = np.flatnonzero((times >= first - 1e-9) & (times <= last + 1e-9))
    fade = max(min(p.fade, (last - first) / 2), 1e-9)
    away = last - times
    if first > motion.domain[0] + 1e-9:  # fade in after the part before it
        away = np.minimum(times - first, away)
    u = np.clip(np.where(away < 1e-9, 0.0, away) / fade, 0.0, 1.0)
    share: FloatArray = u * u * (3 - 2 * u)
    if not len(inside):
        return np.zeros(len(times)), slice(0, 0)
    return share, slice(int(inside[0]), int(inside[-1]) + 1)
