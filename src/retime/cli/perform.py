"""``retime perform``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from retime.cli.options import must_take_a_skeleton, word
from retime.errors import MissingDependencyError
from retime.evaluate.reading import Reading
from retime.parameters import About

# Default port of programs that receive VMC.
_TARGET = "vmc://127.0.0.1:39539"

Speed = Annotated[
    str,
    About(
        "Playback speed: 0.8, TIME:SPEED,TIME:SPEED, or a warp file.", flag="speed", metavar="CURVE"
    ),
]
ReplayRate = Annotated[
    float, About("Frame rate of the clip as sent.", metavar="HZ", minimum=1, maximum=1000)
]


def must_have_osc() -> None:
    """Reject, before any work, streams that need a missing package."""
    try:
        import pythonosc  # noqa: F401
    except ModuleNotFoundError:
        raise MissingDependencyError("following live streams", "live") from None


def perform(
    clip: Annotated[Path, word("FILE", "Clip to send.")],
    *,
    outs: Annotated[
        Sequence[str],
        About(
            f"Address to send to (default {_TARGET}).",
            flag="out",
            metavar="vmc://HOST:PORT",
        ),
    ] = (),
    speed: Speed = "1",
    rate: ReplayRate = 60.0,
    reading: Reading,
) -> None:
    """Send a recorded clip as a test performer, like a motion capture program.

    Examples
    --------
    retime perform punches-slow.bvh

    retime perform punches.bvh --speed 0:1,1:0.5 --out vmc://127.0.0.1:39539
    """
    must_have_osc()
    from retime.live_server.places import StreamAddress
    from retime.live_server.replay import Replay
    from retime.live_server.serve import send_replay

    must_take_a_skeleton(reading, [clip])
    places = tuple(StreamAddress.parse(out) for out in outs or (_TARGET,))
    replay = Replay(reading.for_file(clip).read(clip), speed=speed, rate=rate)
    shown = ", ".join(map(str, places))
    print(f"sending {clip} to {shown}: {replay.duration:.1f} s (Ctrl+C ends it)", file=sys.stderr)
    count = send_replay(replay, places)
    print(f"sent {count} frames", file=sys.stderr)
