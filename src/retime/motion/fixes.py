"""Fixes: corrections of a finished motion, which run once, after all steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat
from retime.motion.contact import Contact
from retime.motion.motion import Motion
from retime.motion.sampling import rest_of
from retime.timing import TimeWarp

FixKind = Literal["smoothing", "detail", "cartoon", "contact IK"]
FIX_ORDER: tuple[FixKind, ...] = ("smoothing", "detail", "cartoon", "contact IK")


@dataclass(frozen=True, eq=False)
class FixContext:
    """Context of a fix, in addition to the retimed motion."""

    source: Motion
    """What all steps started from."""
    warp: TimeWarp
    """From the retimed motion's time to the source's."""
    contacts: tuple[Contact, ...] | None
    """Contacts that a step gave, carried to the retimed motion's time."""
    carry: Callable[[tuple[Contact, ...]], tuple[Contact, ...]]
    """Carries contacts of the source to the retimed motion's time, step by step."""
    body_at: Callable[[FloatArray], Motion]
    """Evaluates the steps before fixes at source times (N,), every part at the body's own time:
    changes of pose are in, timings of single channels are not.
    """
    ground: Callable[[str, FloatArray], FloatArray] | None
    """Returns how far steps moved the ground under a joint at output times (N,), (N, 3) metres;
    ``None`` if no step moved it.
    """


@dataclass(frozen=True, eq=False)
class Fix:
    """A correction of the finished motion."""

    kind: FixKind
    """Its place in the order; the last step's wins where several steps have one of a kind."""
    run: Callable[[Motion, FixContext], Motion]
    """``(retimed, FixContext) -> Motion`` on the same frames."""


def run_fixes(out: Motion, context: FixContext, fixes: Iterable[tuple[Fix, float]]) -> Motion:
    """Apply fixes with their weights, in order; of each kind, only the last one."""
    last = {fix.kind: (fix, weight) for fix, weight in fixes}
    for kind in FIX_ORDER:
        fix, weight = last.get(kind, (None, 0.0))
        if fix is None or weight == 0:
            continue
        fixed = fix.run(out, context)
        out = fixed if weight == 1 else _between(out, fixed, weight)
    return out


def _between(a: Motion, b: Motion, weight: float) -> Motion:
    """Scale a fix's displacement."""
    share = np.full(a.rotations.shape[:2], weight)
    rest = rest_of(a)

    def mixed(
        one: Mapping[str, FloatArray], other: Mapping[str, FloatArray], which: int
    ) -> dict[str, FloatArray]:
        return {
            n: (1 - weight) * one.get(n, rest(n)[which]) + weight * other.get(n, rest(n)[which])
            for n in other
        }

    return replace(
        b,
        rotations=quat.slerp(a.rotations, b.rotations, share),
        translations=mixed(a.translations, b.translations, 0),
        scales=mixed(a.scales, b.scales, 1),
    )
