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
from retime.methods.align.forecast import ForecastName

if TYPE_CHECKING:
    from retime.live_server.serve import ServerPlan


# Where the feed is served if only an address is given.
_FEED_PORT = 8765


@with_reading
def live(
    reading: Reading,
    references: Annotated[
        list[Path],
        typer.Argument(
            metavar="REFERENCE...",
            help="Recordings to follow; of several, the one that is performed is found.",
        ),
    ],
    partners: Annotated[
        list[Path] | None,
        file_option(
            "--partner",
            "Recorded together with the reference: goes out in its place; one for each.",
        ),
    ] = None,
    heard: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            metavar="vmc://HOST:PORT",
            help="Where the performer's stream comes in: VMC bones or trackers, or VRChat OSC "
            "trackers. Repeat it for several performers: the first performs the first reference, "
            f"and so on. Default: {live_plan.HEARD}.",
        ),
    ] = None,
    outs: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            metavar="vmc://HOST:PORT",
            help="Where the partner goes (repeatable). With several performers, one for each.",
        ),
    ] = None,
    start: Annotated[
        Literal["beginning", "anywhere"],
        typer.Option(
            "--start",
            help="Where a performance begins: at the recording's beginning, or anywhere in it.",
        ),
    ] = "beginning",
    touch: Annotated[
        list[str] | None,
        typer.Option(
            "--touch",
            metavar="PARTNER_JOINT=PERFORMER_JOINT",
            help="Keep the recorded offset between these joints while they touch in the "
            "recordings, such as right_hand=right_hand (repeatable). auto finds the hands that "
            "hold each other.",
        ),
    ] = None,
    cue: Annotated[
        list[str] | None,
        typer.Option(
            "--cue",
            metavar="[REFERENCE:]TIME=TARGET",
            help="Send a message when the recording passes a time in seconds (repeatable): "
            "osc://HOST:PORT/ADDRESS, or midi://PORT/NOTE (needs mido).",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", help="Frames a second that go out.", min=1, max=1000)
    ] = 90.0,
    ahead: Annotated[
        float,
        typer.Option(
            "--ahead",
            help="Seconds that the display takes: what goes out is for then.",
            min=0,
            max=1,
        ),
    ] = 0.0,
    feed: Annotated[
        str | None,
        typer.Option(
            "--feed",
            metavar="[HOST:]PORT",
            help="Serve frames as a WebSocket; 0 takes a free port, 0.0.0.0 lets other machines in "
            f"(port {_FEED_PORT}).",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FOLDER", help="Serve this page with the feed."),
    ] = None,
    origins: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="URL",
            help="Let pages of this site listen to the feed with its key, such as "
            "https://show.example (repeatable).",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        file_option(
            "--key",
            "Private file with a key of the feed that programs may use again and again; it is made "
            "where there is none.",
        ),
    ] = None,
    tls: Annotated[
        str | None,
        typer.Option(
            "--tls",
            metavar="CERTIFICATE,KEY",
            help="Serve the feed encrypted (https, wss) with these PEM files.",
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        file_option(
            "--replay",
            "Play a clip in place of the stream; - reads a BVH or glTF file from standard input.",
        ),
    ] = None,
    speed: Speed = "1",
    replay_rate: ReplayRate = 60.0,
    record: Annotated[Path | None, file_option("--record", "Keep what came in this file.")] = None,
    score: Annotated[
        Path | None,
        file_option("--score", "Write how the timing was, at the end: .json, or a picture."),
    ] = None,
    plausible: Annotated[
        bool,
        typer.Option("--plausible", help="Play at rates that a body could produce, and no others."),
    ] = False,
    aligner: Annotated[
        Literal["bayes", "predictive"],
        typer.Option("--aligner", help="How it is followed: by belief, or the paper's way."),
    ] = "bayes",
    gamma: Annotated[
        str,
        typer.Option(
            help="Predictive aligner: share of the remaining time that a sample may stretch or "
            "compress, 0 to 1, or auto."
        ),
    ] = "0.15",
    omega: Annotated[
        str,
        typer.Option(
            help="Predictive aligner: seconds between samples, or auto for the stream's own."
        ),
    ] = "0.04",
    forecast: Annotated[
        ForecastName,
        typer.Option(help="Predictive aligner: how the next pose is predicted."),
    ] = "dead_reckoning",
    cost: Annotated[
        Literal["position", "derivative"],
        typer.Option(help="Predictive aligner: compare where joints are, or how they move."),
    ] = "position",
    as_json: Json = False,
) -> None:
    """Play a recorded partner in sync with a live performer.

    A motion capture program sends a performer as VMC; the recording that they perform, or a partner
    that was recorded with it, goes out in step with them. Without a suit, send a clip with retime
    perform, or play one here with --replay.

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
        references, partners, page=page, feed=feed, touch=touch, tls=tls, origins=origins, key=key
    )
    _must_be_writable(record, score, [f for f in files if f is not None])
    make = live_plan.aligner(aligner, start, gamma, omega, forecast, cost)
    played = live_plan.played(replay, reading, speed, replay_rate, heard)
    parts = live_plan.parts(references, partners, reading, plausible, touch or [])
    plan = ServerPlan(
        stations=live_plan.stations(parts, make, ahead, heard, outs or [], played, record),
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
    tls: str | None,
    origins: list[str] | None,
    key: Path | None,
) -> None:
    """Refuse options that lack their other half."""
    if touch and not partners:
        raise InputError("--touch is about a partner: give --partner, too")
    for given, option in ((tls, "--tls"), (origins, "--origin"), (key, "--key")):
        if given and feed is None:
            raise InputError(f"{option} is about the feed: give --feed, too")
    if page is not None and feed is None:
        raise InputError("--page is served with the feed: give --feed, too")
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
    """Refuse, before anything is served, files that could not be written at the end."""
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
        raise InputError(f"--feed {text!r} is no port; write 8765, 127.0.0.1:8765, or 0 for any")
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
