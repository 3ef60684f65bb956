"""Variations of a motion that a body could do, for crowds and training data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.body import find_body
from retime.errors import InputError, did_you_mean
from retime.evaluate import Evaluator, Job
from retime.methods.guided import suggest_keytimes
from retime.motion import Motion
from retime.motion.kinematics import joint_speeds
from retime.motion.memory import last
from retime.one_line import one_line
from retime.recipe import Recipe, Step

Amount = Literal["subtle", "clear", "strong"]
# Scale of all draws.
AMOUNTS: dict[Amount, float] = {"subtle": 0.4, "clear": 1.0, "strong": 1.5}
# Standard deviations at "clear": logarithms of the length and of the time between two moments, time
# shift of parts (s), scale of timing offsets, shift of a drag (s).
_LENGTH, _KEY, _PARTS, _OVERLAP, _DRAG = 0.08, 0.12, 0.03, 0.4, 0.06
# Draws are cut at this many standard deviations.
_CUT = 2.0
# Fastest playback: accelerations grow with its square.
_FASTEST = 2.0
# Shares of the variations with a dragged hand, and with arms that swing loosely.
_WITH_DRAG, _WITH_SWING = 0.5, 0.3
# Time at the ends of a clip in which no hand is dragged, seconds.
_EDGE_S = 0.3
# A count above which the draws of one clip are hardly new.
MOST = 100_000


@one_line()
@dataclass(frozen=True, eq=False)
class Variation:
    """One variation.

    Parameters
    ----------
    number : int
        Its number, from 1.
    recipe : Recipe
        The steps, which give the same motion again.
    motion : Motion
        The result.
    """

    number: int
    recipe: Recipe
    motion: Motion


def vary(
    motion: Motion, count: int = 10, *, amount: Amount = "clear", seed: int = 1
) -> Iterator[Variation]:
    """Vary the timing of a motion within what its body can do.

    Length, moments, strength and the lateness of body parts are drawn at random; each method keeps
    its own limits. The same seed gives the same variations, on any number of processes.

    Parameters
    ----------
    motion : Motion
        The clip.
    count : int
        Number of variations.
    amount : str
        ``"subtle"``, ``"clear"`` or ``"strong"``.
    seed : int
        Seed of the draws.

    Yields
    ------
    Variation
        The motion with its recipe.

    Examples
    --------
    >>> from retime import samples, vary
    >>> crowd = list(vary(samples.walk(), 3))
    >>> len({one.motion.duration for one in crowd})
    3
    """
    if not 1 <= count <= MOST:
        raise InputError(f"the count is {count}; it must be between 1 and {MOST}")
    evaluator = Evaluator()
    for number in range(1, count + 1):
        recipe = draw_recipe(motion, number, amount=amount, seed=seed)
        done = evaluator.evaluate(Job(source=motion, recipe=recipe, hold=True))
        yield Variation(number, recipe, done.motion)


def draw_recipe(motion: Motion, number: int, *, amount: Amount = "clear", seed: int = 1) -> Recipe:
    """Draw the recipe of one variation, whatever was drawn before it.

    Parameters
    ----------
    motion : Motion
        The clip.
    number : int
        Number of the variation.
    amount, seed
        As in :func:`vary`.
    """
    if amount not in AMOUNTS:
        raise InputError(f"no amount named {amount!r}{did_you_mean(str(amount), AMOUNTS)}")
    rng = np.random.default_rng([seed, number, len(motion)])
    scale = AMOUNTS[amount]

    def drawn(deviation: float) -> float:
        return float(np.clip(rng.standard_normal(), -_CUT, _CUT)) * deviation * scale

    steps = []
    hand = _hand(motion, rng)
    if hand is not None and rng.random() < _WITH_DRAG:
        joint, moment = hand
        key = {"joint": joint, "time": moment, "shift": round(drawn(_DRAG), 4)}
        steps.append(Step("surface", {"keys": [key]}))
    overlap = round(max(1 + drawn(_OVERLAP), 0.0), 3)
    parts = {"jitter": round(abs(drawn(_PARTS)), 4), "seed": int(rng.integers(1 << 31))}
    steps.append(Step("stagger", {**parts, "overlap": overlap}))
    frames = max(round(motion.duration * np.exp(drawn(_LENGTH)) * motion.rate), 2)
    length = frames / motion.rate
    strength = round(float(rng.uniform(0.1, 0.8)), 3)
    keytimes = _keytimes(motion, length, drawn)
    timing = {"duration": length, "keytimes": keytimes, "max_speed": _FASTEST}
    steps.append(Step("guided", {**timing, "strength": strength}))
    if rng.random() < _WITH_SWING:
        steps.append(Step("secondary", {"strength": round(0.4 * scale * float(rng.random()), 3)}))
    return Recipe(steps)


def _keytimes(
    motion: Motion, length: float, drawn: Callable[[float], float]
) -> list[tuple[float, float]]:
    """Return the most active moments with more or less time between them."""
    moments = [s.time for s in suggest_keytimes(motion, count=2)]
    gaps = np.diff([motion.start, *moments, motion.domain[1]])
    gaps = gaps * [np.exp(drawn(_KEY)) for _ in gaps]
    output = motion.start + np.cumsum(gaps) * length / gaps.sum()
    return list(zip(output.tolist(), moments, strict=False))


def _hand(motion: Motion, rng: np.random.Generator) -> tuple[str, float] | None:
    """Return a hand and the time at which it is fastest; ``None`` without hands."""
    roles = find_body(motion).roles
    hands = [roles[role] for role in ("left_hand", "right_hand") if role in roles]
    edge = round(_EDGE_S * motion.rate)
    if not hands or len(motion) <= 2 * edge:
        return None
    hand = hands[int(rng.integers(len(hands)))]
    fastest = last(motion, "fastest moments", None, lambda: joint_speeds(motion)[edge:-edge])
    frame = edge + int(fastest[:, hand].argmax())
    return motion.skeleton.names[hand], round(float(motion.times[frame]), 4)
