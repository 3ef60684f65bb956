"""Copy an edit by hand of one part of a clip to all similar parts (trial V7 of the paper).

The edit is known, so speeds need not be estimated from poses. Each moment is matched, by its poses
before the edit, with a moment of the edited part or with none, and gets the slowness of the edit
there. The edited part matches itself. Flights are matched by themselves (``like_flights``).
"""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.guided.features import Signals, filtered
from retime.methods.guided.matching import RATE_HZ, match, rate_for, windows
from retime.methods.guided.pace import Pace
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Smoothing of the logarithm of the slowness, seconds.
BLUR_S = 0.01
# Certainty of what the edit gives: it is known, so changes of rate may be as quick as in the edit.
CERTAIN = 1000.0
# Least slowness that is read from an edit: parts that it leaves out.
_LEAST = 1e-3
# Rates that differ from 1 by more are edited.
_EDITED = 0.01
# Share of alike moments below which a larger similarity is suggested.
_LITTLE = 0.25


def edited_span(edit: TimeWarp, domain: tuple[float, float]) -> tuple[float, float]:
    """Return the part of a clip whose rate a warp changes."""
    start, end = max(domain[0], edit.source[0]), min(domain[1], edit.source[-1])
    times = np.linspace(start, end, max(round((end - start) * RATE_HZ), 2) + 1)
    changed = np.abs(np.log(slowness_of(edit, (times[1:] + times[:-1]) / 2, times[1] - times[0])))
    at = np.flatnonzero(changed > _EDITED)
    if not len(at):
        raise InputError("the reference's warp changes no speed, so there is no edit to copy")
    return float(times[at[0]]), float(times[at[-1] + 1])


def slowness_of(edit: TimeWarp, times: FloatArray, step: float) -> FloatArray:
    """Return the slowness that an edit gives source times (N,), over a step around each."""
    return np.maximum(
        (edit.inverse(times + step / 2) - edit.inverse(times - step / 2)) / step, _LEAST
    )


def copied_edit(
    signals: Signals,
    domain: tuple[float, float],
    edit: TimeWarp,
    span: tuple[float, float],
    *,
    similarity: float,
) -> Pace:
    """Return the pace that copies an edit of a part of a clip to what is similar."""
    start, end = domain
    rate = rate_for(round((end - start) * RATE_HZ), round((span[1] - span[0]) * RATE_HZ))
    times = np.linspace(start, end, max(round((end - start) * rate), 2) + 1)
    step = float(times[1] - times[0])
    frames = (times - start) / (end - start) * signals.curve.frames
    poses = windows(signals.curve.at(frames), 1 / step)
    inside = np.flatnonzero((times >= span[0] - 1e-9) & (times <= span[1] + 1e-9))
    if len(inside) < 3:
        raise InputError("the part of the reference is shorter than three frames")
    matched = match(poses, poses[inside], tall=signals.tall, similarity=similarity)
    paced = np.log(slowness_of(edit, times[inside], step))
    log = np.where(matched.place >= 0, paced[matched.place], 0.0)
    log = filtered(log[:, None], BLUR_S / step)[:, 0]
    likeness = (matched.place >= 0).astype(float)
    alike = float(likeness.mean())
    note = Note(
        f"{100 * alike:.0f} % of the clip resembles the edited part"
        + ("" if alike > 0.995 else "; the rest keeps its timing"),
        Remedy(parameter="similarity") if alike < _LITTLE else None,
        code="guided-evidence",
        share=alike,
    )
    return Pace(times, np.exp(log), np.full(len(times), CERTAIN), likeness, (note,))
