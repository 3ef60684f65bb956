"""Guided time warping (Hsu, da Silva, Popović 2007): the best warp, guided by a reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.guided.features import SMOOTHING, Signals, filtered, pose_signals
from retime.methods.guided.parameters import GuidedParameters, SignalParameters
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.methods.guided.problem import Problem
from retime.methods.guided.references import cut, gather, signature
from retime.methods.guided.solve import Guidance, solve
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.kinematics import ground_height, positions
from retime.motion.memory import last
from retime.timing import TimeWarp


@takes(GuidedParameters)
def guided_warp(motion: Motion, p: GuidedParameters) -> TimeWarp:
    """Find the warp through keytimes whose local timing is most similar to that of a reference.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    TimeWarp
        Its notes give its cost, and the costs of the spline and of uniform speed.

    Examples
    --------
    >>> from retime import guided_warp, samples
    >>> jump = samples.jump()                       # 3.25 s, of which 1.4 s are the jump itself
    >>> warp = guided_warp(jump, duration=2.0)
    >>> bool(abs(warp.rate(warp.inverse(1.65)) - 1) < 0.05)     # in flight, time is as it was
    True
    """
    return _guidance(motion, p).warp


@takes(GuidedParameters)
def guide(motion: Motion, p: GuidedParameters) -> Guidance:
    """Find a guided warp like :func:`guided_warp`, and return it with its costs."""
    return _guidance(motion, p)


def _guidance(motion: Motion, p: GuidedParameters) -> Guidance:
    if len(motion) < 3:
        raise InputError(f"a clip of {len(motion)} frames is too short for guided time warping")
    clip = motion if p.range is None else cut(motion, p.range, "range")
    if p.backwards and p.range is not None:
        raise InputError("only a whole clip can run backwards, not a range of it")
    signals = _signals(motion, clip, p)
    found = _guided(
        Problem(
            signals.curve,
            signals.references,
            clip.domain,
            p.search_fps,
            p,
            signals.own,
            signals.tall,
        )
    )
    if p.range is None:
        return found
    return replace(found, warp=found.warp.within(motion.domain, p.range, ripple=p.ripple))


def _signals(motion: Motion, clip: Motion, p: GuidedParameters) -> Signals:
    """Return the features to compare; they are cached with the motion, for dragged keytimes."""
    seen = signature(p.reference)

    def make() -> Signals:
        references = gather(
            motion, p.reference, rate=p.search_fps, span=p.reference_range, warp=p.reference_warp
        )
        # The floor may be at any height; a part of a clip does not show it.
        level = p.reference is not None and p.reference_range is None
        floor = ground_height(positions(motion)) if level else None
        return pose_signals(clip, references, rate=p.search_fps, floor=floor)

    if seen is None:
        return make()
    key = (seen, p.range, p.search_fps, p.reference_range, p.reference_warp)
    return last(motion, "guided signals", key, make)


@takes(GuidedParameters)
def guided_edit(motion: Motion, p: GuidedParameters) -> Edit:
    """Find a guided warp as a step of a recipe, with its cost and those of the alternatives."""
    found = _guidance(motion, p)
    curves = {} if found.evidence is None else {"evidence": found.evidence}
    return Edit(warp=found.warp, figures=found.costs, curves=curves)


@takes(SignalParameters)
def guided_signal_warp(signal: npt.ArrayLike, p: SignalParameters) -> TimeWarp:
    """Find a guided warp of any signal: a camera's path, a graphic's values, sound features.

    Parameters
    ----------
    signal : array (F, D)
        Values over time, in units in which differences of all columns mean about the same.
    """
    if not p.fps > 0:
        raise InputError(f"the signal's samples per second must be above 0, not {p.fps}")
    values = _signal(signal, "signal")
    other = values if p.reference is None else _signal(p.reference, "reference")
    if other.shape[1] != values.shape[1]:
        raise InputError(
            f"the reference has {other.shape[1]} columns and the signal {values.shape[1]}"
        )
    end = p.start + (len(values) - 1) / p.fps
    poses = filtered(_resampled(values, p.fps, p.search_fps, FINE), SMOOTHING * p.search_fps * FINE)
    guide = filtered(_resampled(other, p.fps, p.search_fps), SMOOTHING * p.search_fps)
    # Joints vary by about an eighth of the height, so the size of a signal is that of its spread.
    size = 8 * max(float(np.sqrt(3 * values.var(axis=0).mean())), 1e-12)
    own = p.reference is None
    domain = (p.start, end)
    return _guided(Problem(PoseCurve(poses), (guide,), domain, p.search_fps, p, own, size)).warp


def _signal(values: npt.ArrayLike, what: str) -> FloatArray:
    out = np.asarray(values, dtype=float)
    if out.ndim != 2 or len(out) < 3 or not np.isfinite(out).all():
        raise InputError(f"a {what} is an array (F, D) of at least three finite frames")
    return out


def _resampled(values: FloatArray, fps: float, rate: float, fine: int = 1) -> FloatArray:
    steps = max(round((len(values) - 1) / fps * rate), 2) * fine
    position = np.linspace(0, len(values) - 1, steps + 1)
    before = np.clip(position.astype(int), 0, len(values) - 2)
    share = (position - before)[:, None]
    out: FloatArray = (1 - share) * values[before] + share * values[before + 1]
    return out


def _guided(problem: Problem) -> Guidance:
    p, (start, end) = problem.p, problem.domain
    if not p.backwards:
        return solve(problem)
    turned = replace(
        p,
        keytimes=tuple((t, start + end - s) for t, s in p.keytimes),
        speed_limits=tuple(
            (start + end - b, start + end - a, low, high) for a, b, low, high in p.speed_limits
        ),
    )
    found = solve(
        replace(
            problem,
            curve=PoseCurve(problem.curve.poses[::-1]),
            references=tuple(z[::-1] for z in problem.references),
            p=turned,
        )
    )
    warp = found.warp
    back = TimeWarp(warp.output, start + end - warp.source, loop=p.loop, notes=warp.notes)
    evidence = found.evidence
    if evidence is not None:
        evidence = np.c_[start + end - evidence[::-1, 0], evidence[::-1, 1]]
    return replace(found, warp=back, evidence=evidence)
