"""Dragged limbs and staggering sliders: computing one, against applying a warp with held contacts.

Every repeat has another value, as a hand on a slider gives, and must stay within three times. The
first value of a slider also finds how staggering is reduced along the slider, which takes longer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from bench.performances import MOCAP
from bench.timing import Figure, seconds
from retime import Motion, Recipe, Step, SurfaceKey, TimeWarp, apply, find_body, read, samples
from retime.motion.memory import memory

_REPEATS = 9


def _clip() -> Motion:
    file = MOCAP / "124_07.bvh"
    motion = read(file) if file.exists() else samples.walk(seconds=10)
    end = min(10.0, motion.duration)
    return apply(motion, TimeWarp([0, end], [0, end]), fps=120)


def _slid(motion: Motion, step: Callable[[float], Step]) -> Callable[[], Motion]:
    """Evaluate a step whose value moves a little with every call."""
    counted = itertools.count()
    return lambda: Recipe([step(1e-3 * next(counted))]).evaluate(motion)


def figures() -> Iterator[Figure]:
    motion = _clip()
    body, names = find_body(motion), motion.skeleton.names
    middle = motion.duration / 2

    def held(more: float) -> Motion:
        warp = [(middle + 0.1 + more, middle)]
        return Recipe([Step("spline", {"keytimes": warp}), Step("hold", {})]).evaluate(motion)

    counted = itertools.count()
    full = seconds(lambda: held(1e-3 * next(counted)), repeats=_REPEATS)
    peer = "a warp, contacts held"
    for role in ("right_hand", "right_foot"):
        joint = names[body.roles[role]]

        def drag(more: float, joint: str = joint) -> Step:
            key = SurfaceKey(time=middle, joint=joint, shift=-0.15 + more)
            return Step("surface", {"keys": [key]})

        size = f"{motion.duration:.0f} s, {len(names)} joints"
        yield Figure(
            f"drag the {role.replace('_', ' ')}, {size}",
            seconds(_slid(motion, drag), repeats=_REPEATS),
            peer,
            full,
        )
    exaggerated = _slid(motion, lambda more: Step("stagger", {"exaggerate": 0.3 + more}))
    yield Figure("slide exaggerate", seconds(exaggerated, repeats=_REPEATS), peer, full)
    sliders: dict[str, Callable[[float], dict[str, Any]]] = {
        "overlap": lambda more: {"overlap": 1.6 + more},
        "jitter": lambda more: {"jitter": 0.03 + more},
        "succession": lambda more: {"succession": [(names[body.roles["hips"]], 0.02 + more, 1.0)]},
    }
    for what, parameters in sliders.items():

        def slide(more: float, made: Callable[[float], dict[str, Any]] = parameters) -> Step:
            return Step("stagger", made(more))

        slid = _slid(motion, slide)
        yield Figure(f"slide {what}", seconds(slid, repeats=_REPEATS), peer, full)

        def first(slid: Callable[[], Motion] = slid) -> Motion:
            memory(motion, "reductions").clear()
            return slid()

        yield Figure(f"first value of {what}", seconds(first, repeats=_REPEATS), peer, full)
