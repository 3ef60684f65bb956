"""``retime live``."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

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

if TYPE_CHECKING:
    from retime.live_server.serve import ServerPlan


# The port on which programs that send VMC do so unless told otherwise.
_HEARD = "vmc://127.0.0.1:39539"
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
        str | None,
        typer.Option(
            "--in",
            metavar="vmc://HOST:PORT",
            help=f"Where the performer's stream comes in. Default: {_HEARD}.",
        ),
    ] = None,
    outs: Annotated[
        list[str] | None,
        typer.Option(
            "--out", metavar="vmc://HOST:PORT", help="Where the partner goes; repeatable."
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
    replay: Annotated[
        Path | None,
        file_option("--replay", "Play a clip in place of the stream."),
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
    from retime.live_server.places import StreamAddress
    from retime.live_server.serve import ServerPlan, serve

    partners = partners or []
    files = [*references, *partners, *([] if replay is None else [replay])]
    must_take_a_skeleton(reading, files)
    _must_go_together(references, partners, page=page, feed=feed)
    _must_be_writable(record, score, files)
    played = _played(replay, reading, speed, replay_rate, heard)
    plan = ServerPlan(
        follower=_follower(references, partners, reading, aligner, ahead, plausible),
        heard=None if played is not None else StreamAddress.parse(heard or _HEARD),
        outs=tuple(StreamAddress.parse(o) for o in outs or ()),
        rate=rate,
        feed=None if feed is None else _host_and_port(feed),
        page=page,
        replay=played,
        record=record,
    )
    with Display(as_json) as display:
        notes = serve(plan, opened=display.opened, told=display.told)
    for text in notes:
        note(text)
    if score is not None:
        _write_score(plan, score)
    if as_json:
        print(json.dumps({"type": "end", "scores": [
            {"reference": n, **s.summary} for n, s in plan.follower.history.scores()
        ]}), flush=True)  # fmt: skip


def _must_go_together(
    references: list[Path], partners: list[Path], *, page: Path | None, feed: str | None
) -> None:
    """Refuse options that lack their other half."""
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


def _played(
    replay: Path | None, reading: Reading, speed: str, rate: float, heard: str | None
) -> Any:
    from retime.live_server.replay import Replay

    if replay is None:
        if speed != "1":
            raise InputError("--speed is how fast a --replay is; without one it does nothing")
        return None
    if heard is not None:
        raise InputError("a --replay stands in for the stream: leave --in out, or --replay")
    return Replay(reading.for_file(replay).read(replay), speed=speed, rate=rate)


def _follower(
    references: list[Path],
    partners: list[Path],
    reading: Reading,
    aligner: str,
    ahead: float,
    plausible: bool,
) -> Any:
    from retime.live import BayesAligner, PredictiveAligner
    from retime.live_server.follower import Follower, Part

    parts = []
    for k, path in enumerate(references):
        motion = reading.for_file(path).read(path)
        partner = reading.for_file(partners[k]).read(partners[k]) if partners else None
        limits = None
        if plausible:
            from retime.live_server.plausible import PlausibleRates

            limits = PlausibleRates(motion if partner is None else partner)
        name = path.stem if [p.stem for p in references].count(path.stem) == 1 else str(path)
        parts.append(Part(name, motion, partner, limits))

    def predictive(recording: Any) -> Any:
        return PredictiveAligner(recording, gamma=0.15)

    return Follower(parts, make=BayesAligner if aligner == "bayes" else predictive, ahead=ahead)


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
    history = plan.follower.history
    if path.suffix.lower() == ".json":
        from retime.io.files import write_bytes

        text = json.dumps({"format": "retime-scores", "performances": history.to_json()}, indent=1)
        write_bytes(path, [text.encode(), b"\n"])
        note(f"the timing is in {path}")
        return
    scores = history.scores()
    if not scores:
        note("nothing was performed, so there is no timing to draw")
        return
    from retime.plot.alignments import draw_score

    draw_score(scores[-1][1], path)
    note(f"the timing of the last performance is drawn in {path}")
