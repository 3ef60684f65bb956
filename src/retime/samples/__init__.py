"""Synthetic motions with known properties, for the demo, the tour and the tests.

They are part of the package and need no file. ``samples.jump()`` and others return a
:class:`retime.Motion`; ``samples.sample("jump")`` also returns its known properties.
"""

from __future__ import annotations

from collections.abc import Callable

from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.samples.actions import make_handshake, make_punches, make_swing, make_toss
from retime.samples.chain import chain
from retime.samples.gait import make_run, make_walk
from retime.samples.jump import make_jump
from retime.samples.sample import Sample
from retime.samples.throwing import make_throw, throw_sample

__all__ = [
    "SAMPLES",
    "Sample",
    "chain",
    "handshake",
    "jump",
    "punches",
    "run",
    "sample",
    "swing",
    "throw",
    "toss",
    "walk",
]

SAMPLES: dict[str, tuple[Callable[[], Sample], str]] = {
    "jump": (make_jump, "A standing long jump with idle time before and after."),
    "walk": (make_walk, "Walking straight ahead: four strides, a cycle."),
    "run": (make_run, "Running straight ahead."),
    "punches": (make_punches, "A boxer's punches."),
    "punches-slow": (
        lambda: make_punches(slow=True),
        "The same punches, slow; the warp between the two is known.",
    ),
    "swing": (make_swing, "A golf-like swing; the feet stand."),
    "handshake": (make_handshake, "Two characters shake hands."),
    "throw": (throw_sample, "One throws a ball and another catches it."),
    "toss": (make_toss, "A thrown box that turns as it flies."),
    "chain": (lambda: Sample("chain", chain()), "Four hanging links that swing."),
}


def sample(name: str) -> Sample:
    """Make a bundled motion and its ground truth by name."""
    try:
        make, _ = SAMPLES[name]
    except KeyError:
        raise InputError(f"no bundled motion {name!r}{did_you_mean(name, SAMPLES)}") from None
    return make()


def jump(*, height: float = 0.35, distance: float = 0.6, fps: float = 60.0) -> Motion:
    """Make a standing long jump: idle, crouch, flight, landing, idle.

    Parameters
    ----------
    height : float
        Metres that the centre of mass rises above take-off.
    distance : float
        Metres that the feet travel.
    fps : float
        Frames per second.

    Examples
    --------
    >>> motion = jump()
    >>> len(motion), motion.duration
    (196, 3.25)
    """
    return make_jump(height=height, distance=distance, fps=fps).motion


def walk(*, seconds: float = 4.4, fps: float = 60.0) -> Motion:
    """Make a walk in a straight line; its four strides are a cycle."""
    return make_walk(seconds=seconds, fps=fps).motion


def run(*, seconds: float = 2.0, fps: float = 60.0) -> Motion:
    """Make a run in a straight line, with flights that fall freely."""
    return make_run(seconds=seconds, fps=fps).motion


def punches(*, slow: bool = False, fps: float = 60.0) -> Motion:
    """Make a boxer's punches; slow ones are the same in another timing."""
    return make_punches(slow=slow, fps=fps).motion


def swing(*, fps: float = 60.0) -> Motion:
    """Make a golf-like swing: address, back, down and through."""
    return make_swing(fps=fps).motion


def handshake(*, fps: float = 60.0) -> tuple[Motion, Motion]:
    """Make two characters shaking hands."""
    made = make_handshake(fps=fps)
    return made.motion, made.partner if made.partner is not None else made.motion


def throw(*, fps: float = 60.0) -> tuple[Motion, Motion, Motion]:
    """Make one who throws, another who catches, and the ball."""
    return make_throw(fps=fps)


def toss(*, fps: float = 60.0) -> Motion:
    """Make a thrown box that turns as it flies, falling freely."""
    return make_toss(fps=fps).motion
