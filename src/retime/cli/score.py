"""``retime score``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from retime.cli.command import READING
from retime.cli.console import report, table
from retime.cli.live_plan import AlignerName
from retime.cli.options import Json, must_differ, must_take_a_skeleton, word
from retime.evaluate.reading import Reading, read_roles
from retime.parameters import About

if TYPE_CHECKING:
    from retime.live import Aligner, TimingScore
    from retime.motion import Motion

# A limb is named from this delay on, seconds.
_SEEN = 0.05


def score(
    recording: Annotated[Path, word("RECORDING", "Motion with the correct timing.")],
    performance: Annotated[Path, word("PERFORMANCE", "Motion to compare with it.")],
    *,
    aligner: AlignerName = "bayes",
    count: Annotated[
        int, About("Number of largest deviations to list.", flag="moments", minimum=1, maximum=100)
    ] = 5,
    plot: Annotated[Path | None, About("Draw the timing as a picture.")] = None,
    performance_roles: Annotated[
        Path | None,
        About(
            "JSON file that maps roles to joints of the performance.",
            flag="performance-map",
            panel=READING,
        ),
    ] = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Compare the timing of a performance with a recording, with an aligner for live streams.

    Examples
    --------
    retime score punches.bvh punches-slow.bvh --plot timing.png
    """
    from retime.live import score as score_times

    if plot is not None:
        for file in (recording, performance):
            must_differ(file, plot)
    must_take_a_skeleton(reading, [recording, performance])
    reference = reading.for_file(recording).read(recording)
    if performance_roles is not None:
        reading = replace(reading, roles=read_roles(performance_roles))
    performed = reading.for_file(performance).read(performance)
    found = score_times(_aligner(aligner, reference), performed)
    if plot is not None:
        from retime.plot.alignments import draw_score

        draw_score(found, plot)
    if as_json:
        moments = [asdict(m) for m in found.moments(count)]
        report({**found.to_json(), "moments": moments, "picture": plot}, as_json=True)
    else:
        report({**found.summary, "picture": plot}, as_json=False)
        _print_moments(found, count)
        for limb, late in found.limbs.items():
            if abs(late) >= _SEEN:
                print(f"{limb} {1e3 * abs(late):.0f} ms {'late' if late > 0 else 'early'}")


def _aligner(name: str, reference: Motion) -> Aligner:
    from retime.live import BayesAligner, PredictiveAligner

    if name == "bayes":
        return BayesAligner(reference)
    return PredictiveAligner(reference, gamma=0.15)


def _print_moments(found: TimingScore, count: int) -> None:
    """Print the largest deviations."""
    rows = [
        (f"{m.time:.2f}", f"{m.source:.2f}", f"{1e3 * m.late:+.0f}", f"{m.confidence:.2f}")
        for m in found.moments(count)
    ]
    if rows:
        table(rows, header=("at s", "recorded s", "late ms", "sure"))
