"""``retime score``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from retime.cli.console import report, table
from retime.cli.options import (
    READING,
    Json,
    file_option,
    must_differ,
    must_take_a_skeleton,
    read_roles,
    with_reading,
)
from retime.evaluate.reading import Reading


@with_reading
def score(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="Motion with the correct timing.")
    ],
    performance: Annotated[
        Path, typer.Argument(metavar="PERFORMANCE", help="Motion to compare with it.")
    ],
    reading: Reading,
    aligner: Annotated[
        Literal["bayes", "predictive"],
        typer.Option(
            "--aligner",
            metavar="bayes|predictive",
            help="Aligner: probabilistic (bayes), or that of the paper (predictive) "
            "(default bayes).",
        ),
    ] = "bayes",
    count: Annotated[
        int,
        typer.Option(
            "--moments",
            metavar="N",
            help="Number of largest deviations to list (default 5).",
            min=1,
            max=100,
        ),
    ] = 5,
    plot: Annotated[Path | None, file_option("--plot", "Draw the timing as a picture.")] = None,
    performance_roles: Annotated[
        Path | None,
        file_option(
            "--performance-map", "JSON file that maps roles to joints of the performance.", READING
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare the timing of a performance with a recording, with an aligner for live streams.

    Examples
    --------
    retime score punches.bvh punches-slow.bvh --plot timing.png
    """
    from retime.live import BayesAligner, PredictiveAligner
    from retime.live import score as score_times

    if plot is not None:
        for file in (recording, performance):
            must_differ(file, plot)
    must_take_a_skeleton(reading, [recording, performance])
    reference = reading.for_file(recording).read(recording)
    if performance_roles is not None:
        reading = replace(reading, roles=read_roles(performance_roles))
    performed = reading.for_file(performance).read(performance)
    found = score_times(
        BayesAligner(reference) if aligner == "bayes" else PredictiveAligner(reference, gamma=0.15),
        performed,
    )
    if plot is not None:
        from retime.plot.alignments import draw_score

        draw_score(found, plot)
    picture = None if plot is None else str(plot)
    if as_json:
        moments = [asdict(m) for m in found.moments(count)]
        report({**found.to_json(), "moments": moments, "picture": picture}, as_json=True)
        return
    report({**found.summary, "picture": picture}, as_json=False)
    rows = [
        (f"{m.time:.2f}", f"{m.source:.2f}", f"{1e3 * m.late:+.0f}", f"{m.confidence:.2f}")
        for m in found.moments(count)
    ]
    if rows:
        table(rows, header=("at s", "recorded s", "late ms", "sure"))
