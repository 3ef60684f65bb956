"""``retime live``."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from retime.cli import live_plan
from retime.cli.console import note
from retime.cli.options import (
    ADVANCED,
    Json,
    file_option,
    must_be_a_picture,
    must_differ,
    must_have_a_folder,
    must_take_a_skeleton,
    with_reading,
)
from retime.cli.perform import ReplayRate, Speed, must_have_osc
from retime.errors import InputError, MissingDependencyError
from retime.evaluate.reading import Reading

if TYPE_CHECKING:
    from retime.live_server.serve import ServerPlan


# Where the feed is served if only an address is given.
_FEED_PORT = 8765
# Panels that only ``--help-all`` prints.
FEED, PREDICTIVE = "Feed", "Predictive aligner"


@with_reading
def live(
    reading: Reading,
    references: Annotated[
        list[Path],
        typer.Argument(
            metavar="REFERENCE...",
            help="Recordings to follow. With several, the performed one is detected.",
        ),
    ],
    partners: Annotated[
        list[Path] | None,
        file_option(
            "--partner",
            "Partner to play, recorded together with the reference. Give one for each reference. "
            "Default: play the reference itself.",
        ),
    ] = None,
    heard: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            metavar="vmc://HOST:PORT",
            help=f"Address of the performer's stream (default {live_plan.HEARD}). It carries VMC "
            "bones or trackers, or VRChat OSC trackers. Repeat it for several performers, in the "
            "order of the references.",
        ),
    ] = None,
    outs: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            metavar="vmc://HOST:PORT",
            help="Address to send the partner to (repeatable). With several performers, give one "
            "for each.",
        ),
    ] = None,
    senders: Annotated[
        list[str] | None,
        typer.Option(
            "--sender",
            metavar="HOST[:PORT]",
            help="Listen to this sender only (one for each --in). Default: the first that sends.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    start: Annotated[
        Literal["beginning", "anywhere"],
        typer.Option(
            "--start",
            metavar="beginning|anywhere",
            help="Where in the recording a performance may start (default beginning).",
        ),
    ] = "beginning",
    touch: Annotated[
        list[str] | None,
        typer.Option(
            "--touch",
            metavar="PARTNER_JOINT=PERFORMER_JOINT",
            help="Keep two joints together while they touch in the recordings, such as "
            "right_hand=right_hand (repeatable). auto finds hands that touch.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    place: Annotated[
        Literal["performer", "recorded"] | None,
        typer.Option(
            "--place",
            metavar="performer|recorded",
            help="Turn and move the partner with the performer, or leave it where it was recorded "
            "(default: performer with --touch, otherwise recorded).",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    cue: Annotated[
        list[str] | None,
        typer.Option(
            "--cue",
            metavar="[REFERENCE:]TIME=TARGET",
            help="Send a message when the recording passes a time in seconds (repeatable). TARGET "
            "is osc://HOST:PORT/ADDRESS, or midi://PORT/NOTE (needs mido).",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(
            "--rate",
            metavar="HZ",
            help="Frame rate of the partner as sent (default 90).",
            min=1,
            max=1000,
        ),
    ] = 90.0,
    ahead: Annotated[
        float,
        typer.Option(
            "--ahead",
            metavar="S",
            help="Display latency to compensate for (s, default 0).",
            min=0,
            max=1,
        ),
    ] = 0.0,
    feed: Annotated[
        str | None,
        typer.Option(
            "--feed",
            metavar="[HOST:]PORT",
            help=f"Serve frames over a WebSocket (default port {_FEED_PORT}). Port 0 uses a free "
            "one; host 0.0.0.0 lets other machines connect.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="FOLDER",
            help="Serve the web page in this folder with the feed.",
            rich_help_panel=FEED,
        ),
    ] = None,
    origins: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="URL",
            help="Let pages of another site read the feed with its key, such as "
            "https://show.example (repeatable).",
            rich_help_panel=FEED,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        file_option(
            "--key",
            "Private file with a reusable key for the feed; created if it does not exist.",
        ),
    ] = None,
    tls: Annotated[
        str | None,
        typer.Option(
            "--tls",
            metavar="CERTIFICATE,KEY",
            help="Encrypt the feed (https, wss) with these PEM files.",
            rich_help_panel=FEED,
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        file_option(
            "--replay",
            "Play a clip in place of the stream. - reads BVH or glTF from standard input.",
        ),
    ] = None,
    speed: Speed = "1",
    replay_rate: ReplayRate = 60.0,
    record: Annotated[
        Path | None, file_option("--record", "Record the performer to this file.")
    ] = None,
    score: Annotated[
        Path | None,
        file_option("--score", "Write the timing score at the end: .json, or a picture."),
    ] = None,
    plausible: Annotated[
        bool,
        typer.Option(
            "--plausible",
            help="Play only at speeds that a body could produce.",
            rich_help_panel=ADVANCED,
        ),
    ] = False,
    aligner: Annotated[
        Literal["bayes", "predictive"],
        typer.Option(
            "--aligner",
            metavar="bayes|predictive",
            help="Aligner: probabilistic (bayes) or the paper's (predictive); default bayes.",
            rich_help_panel=PREDICTIVE,
        ),
    ] = "bayes",
    gamma: Annotated[
        str,
        typer.Option(
            metavar="N|auto",
            help="Fraction of the remaining time that a sample may stretch or compress, from 0 to "
            "1, or auto (default 0.15).",
            rich_help_panel=PREDICTIVE,
        ),
    ] = "0.15",
    omega: Annotated[
        str,
        typer.Option(
            metavar="S|auto",
            help="Time between samples, or auto for that of the stream (s, default 0.04).",
            rich_help_panel=PREDICTIVE,
        ),
    ] = "0.04",
    cost: Annotated[
        Literal["position", "derivative"],
        typer.Option(
            metavar="position|derivative",
            help="Compare positions of joints, or their velocities (default position).",
            rich_help_panel=PREDICTIVE,
        ),
    ] = "position",
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
    from retime.serving.keys import key_in

    partners = partners or []
    files = [*references, *partners, *([] if replay in (None, live_plan.STDIN) else [replay])]
    must_take_a_skeleton(reading, [f for f in files if f is not None])
    _must_go_together(
        references, partners, page=page, feed=feed, touch=touch, place=place, tls=tls,
        origins=origins, key=key,
    )  # fmt: skip
    _must_be_writable(record, score, [f for f in files if f is not None])
    make = live_plan.aligner(aligner, start, gamma, omega, cost)
    played = live_plan.played(replay, reading, speed, replay_rate, heard)
    parts = live_plan.parts(references, partners, reading, plausible, touch or [], place)
    plan = ServerPlan(
        stations=live_plan.stations(
            parts, make, ahead, heard, outs or [], played, record, senders or []
        ),
        rate=rate,
        feed=None if feed is None else _host_and_port(feed),
        page=page,
        origins=tuple(origins or ()),
        key=None if key is None else key_in(key),
        tls=None if tls is None else live_plan.two_files(tls),
        cues=tuple(CuePoint.parse(c) for c in cue or ()),
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
        raise typer.Exit(1)


def _must_go_together(
    references: list[Path],
    partners: list[Path],
    *,
    page: Path | None,
    feed: str | None,
    touch: list[str] | None,
    place: str | None,
    tls: str | None,
    origins: list[str] | None,
    key: Path | None,
) -> None:
    """Reject options without those that they need."""
    if touch and not partners:
        raise InputError("--touch needs a partner: give --partner, too")
    if place == "performer" and not partners:
        raise InputError("--place performer needs a partner: give --partner, too")
    of_feed = {"--tls": tls, "--origin": origins, "--key": key, "--page": page}
    alone = next((option for option, given in of_feed.items() if given), None)
    if alone is not None and feed is None:
        raise InputError(f"{alone} needs the feed: give --feed, too")
    if partners and len(partners) != len(references):
        raise InputError(
            f"{len(references)} references and {len(partners)} partners: give one for each, in the "
            "same order"
        )
    if feed is not None:
        try:
            import starlette  # noqa: F401
            import uvicorn  # noqa: F401
        except ModuleNotFoundError:
            raise MissingDependencyError("the feed", "live") from None


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


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if _is_address(text):  # an address alone
        host, port = text, str(_FEED_PORT)
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise InputError(f"--feed {text!r} is not a port; write 8765, 127.0.0.1:8765, or 0 for any")
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return text == "localhost"
    return True


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
