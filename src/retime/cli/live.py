"""``retime live``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from retime.cli.command import ADVANCED
from retime.cli.console import note
from retime.cli.live_feed import Feed
from retime.cli.live_plan import Aligning, Partners, Performers, Replaying
from retime.cli.options import (
    Json,
    must_be_a_picture,
    must_differ,
    must_have_a_folder,
    must_take_a_skeleton,
    word,
)
from retime.cli.perform import must_have_osc
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About

if TYPE_CHECKING:
    from retime.live_server.serve import ServerPlan


def live(
    references: Annotated[
        Sequence[Path],
        word("REFERENCE...", "Recordings to follow. With several, the performed one is detected."),
    ],
    *,
    partners: Partners,
    performers: Performers,
    cue: Annotated[
        Sequence[str],
        About(
            "Send a message when the recording passes a time in seconds. TARGET is "
            "osc://HOST:PORT/ADDRESS, or midi://PORT/NOTE (needs mido).",
            metavar="[REFERENCE:]TIME=TARGET",
            panel=ADVANCED,
        ),
    ] = (),
    rate: Annotated[
        float, About("Frame rate of the partner as sent.", metavar="HZ", minimum=1, maximum=1000)
    ] = 90.0,
    feed: Feed,
    replaying: Replaying,
    score: Annotated[
        Path | None, About("Write the timing score at the end: .json, or a picture.")
    ] = None,
    aligning: Aligning,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Play a recorded partner in sync with a live performer.

    A motion capture program sends the performer by VMC. The recording, or a partner recorded with
    it, is sent out at the performer's speed. To try it without a motion capture suit, use retime
    perform or --replay.

    Examples
    --------
    retime live punches.bvh --out vmc://127.0.0.1:39540

    retime live shake.bvh --partner partner.bvh --replay shake.bvh --speed 0:1,1:0.5 --feed 0
    """
    must_have_osc()
    from retime.cli.live_display import Display
    from retime.live_server.cues import CuePoint
    from retime.live_server.serve import ServerPlan, serve

    files = [*references, *partners.partner, *replaying.files]
    must_take_a_skeleton(reading, files)
    partners.must_fit(references)
    served = feed.for_plan()
    _must_be_writable(performers.record, score, files)
    make = aligning.maker()
    played = replaying.played(reading, performers.heard)
    parts = partners.parts(references, reading)
    plan = ServerPlan(
        stations=performers.stations(parts, make, played),
        rate=rate,
        cues=tuple(CuePoint.parse(c) for c in cue),
        **served,
    )
    with Display(as_json) as display:
        ended = serve(plan, opened=display.opened, told=display.told, again=display.again)
    for text in ended.notes:
        note(text)
    scores = [found for s in plan.stations for found in s.follower.history.scores()]
    if score is not None:
        _write_score(plan, score)
    if as_json:
        print(json.dumps({"type": "end", "scores": [
            {"reference": n, **s.summary} for n, s in scores
        ]}), flush=True)  # fmt: skip
    if ended.failed:
        raise SystemExit(1)


def _must_be_writable(record: Path | None, score: Path | None, files: list[Path]) -> None:
    """Reject, before anything is served, files that could not be written at the end."""
    for path in (record, score):
        if path is not None:
            must_have_a_folder(path)
            for file in files:
                must_differ(file, path)
    if record is not None and score is not None and record.resolve() == score.resolve():
        raise InputError(f"{record} would be written twice: give --record and --score two names")
    if score is not None and score.suffix.lower() != ".json":
        must_be_a_picture(score)


def _write_score(plan: ServerPlan, path: Path) -> None:
    histories = [s.follower.history for s in plan.stations]
    if path.suffix.lower() == ".json":
        from retime.io.files import write_bytes

        text = json.dumps(
            {
                "format": "retime-scores",
                "performances": [p for h in histories for p in h.to_json()],
            },
            indent=1,
        )
        write_bytes(path, [text.encode(), b"\n"])
        note(f"the timing is in {path}")
        return
    scores = [found for h in histories for found in h.scores()]
    if not scores:
        note("nothing was performed, so there is no timing to draw")
        return
    from retime.plot.alignments import draw_score

    draw_score(scores[-1][1], path)
    note(f"the timing of the last performance is drawn in {path}")
