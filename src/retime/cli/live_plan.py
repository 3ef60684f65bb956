"""The options of ``retime live`` that make the plan of its server."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from retime.cli.command import ADVANCED
from retime.cli.console import note
from retime.cli.perform import ReplayRate, Speed
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About

if TYPE_CHECKING:
    from collections.abc import Callable

    from retime.live import Aligner, Recording
    from retime.live_server.follower import Part
    from retime.live_server.serve import Station
    from retime.live_server.touch import TouchPair
    from retime.motion import Motion

# Default port of programs that send VMC.
HEARD = "vmc://127.0.0.1:39539"
# File name that stands for standard input.
STDIN = Path("-")
PREDICTIVE = "Predictive aligner"
AlignerName = Annotated[
    Literal["bayes", "predictive"],
    About("Aligner: bayes is probabilistic, predictive is the paper's.", panel=PREDICTIVE),
]


@dataclass(frozen=True, kw_only=True)
class Partners:
    """The motions to play, and how they touch and stand."""

    partner: Annotated[
        Sequence[Path],
        About(
            "Partner to play, recorded together with the reference. Give one for each reference. "
            "Default: play the reference itself."
        ),
    ] = ()
    touch: Annotated[
        Sequence[str],
        About(
            "Keep two joints together while they touch in the recordings, such as "
            "right_hand=right_hand. auto finds hands that touch.",
            metavar="PARTNER_JOINT=PERFORMER_JOINT",
            panel=ADVANCED,
        ),
    ] = ()
    place: Annotated[
        Literal["performer", "recorded"] | None,
        About(
            "Turn and move the partner with the performer, or leave it where it was recorded "
            "(default: performer with --touch, otherwise recorded).",
            panel=ADVANCED,
        ),
    ] = None
    plausible: Annotated[
        bool, About("Play only at speeds that a body could produce.", panel=ADVANCED)
    ] = False

    def must_fit(self, references: Sequence[Path]) -> None:
        """Reject options without those that they need."""
        if self.touch and not self.partner:
            raise InputError("--touch needs a partner: give --partner, too")
        if self.place == "performer" and not self.partner:
            raise InputError("--place performer needs a partner: give --partner, too")
        if self.partner and len(self.partner) != len(references):
            raise InputError(
                f"{len(references)} references and {len(self.partner)} partners: give one for "
                "each, in the same order"
            )

    def parts(self, references: Sequence[Path], reading: Reading) -> list[Part]:
        """Read the recordings, and the motion to send for each."""
        from retime.live_server.follower import Part
        from retime.live_server.touch import TouchPair, found_pairs

        given = [TouchPair.parse(t) for t in self.touch if t != "auto"]
        parts = []
        for k, path in enumerate(references):
            motion = reading.for_file(path).read(path)
            partner = (
                reading.for_file(self.partner[k]).read(self.partner[k]) if self.partner else None
            )
            limits = None
            if self.plausible:
                from retime.live_server.plausible import PlausibleRates

                limits = PlausibleRates(motion if partner is None else partner)
            pairs = tuple(given)
            if "auto" in self.touch and partner is not None:
                pairs = tuple(dict.fromkeys((*pairs, *found_pairs(motion, partner))))
            if partner is not None and self.touch:
                _tell_touches(pairs, motion, partner, f"{path.name} and {self.partner[k].name}")
            name = path.stem if [p.stem for p in references].count(path.stem) == 1 else str(path)
            placed = None if self.place is None else self.place == "performer"
            parts.append(Part(name, motion, partner, limits, pairs, placed))
        return parts


@dataclass(frozen=True, kw_only=True)
class Performers:
    """The streams of performers, and where their partners are sent."""

    heard: Annotated[
        Sequence[str],
        About(
            f"Address of the performer's stream (default {HEARD}). It carries VMC bones or "
            "trackers, or VRChat OSC trackers. Repeat it for several performers, in the order of "
            "the references.",
            flag="in",
            metavar="vmc://HOST:PORT",
        ),
    ] = ()
    out: Annotated[
        Sequence[str],
        About(
            "Address to send the partner to. With several performers, give one for each.",
            metavar="vmc://HOST:PORT",
        ),
    ] = ()
    sender: Annotated[
        Sequence[str],
        About(
            "Listen to this sender only (one for each --in). Default: the first that sends.",
            metavar="HOST[:PORT]",
            panel=ADVANCED,
        ),
    ] = ()
    ahead: Annotated[
        float,
        About(
            "Display latency to compensate for (s, default 0).", metavar="S", minimum=0, maximum=1
        ),
    ] = 0.0
    record: Annotated[Path | None, About("Record the performer to this file.")] = None

    def stations(
        self, parts: list[Part], make: Callable[[Recording], Aligner], played: Any
    ) -> tuple[Station, ...]:
        """Assign parts to performers: all parts to one, or one part to each."""
        from retime.live_server.follower import Follower
        from retime.live_server.places import StreamAddress
        from retime.live_server.serve import Station

        ins = [StreamAddress.parse(a) for a in self.heard or (HEARD,)]
        goals = [StreamAddress.parse(o) for o in self.out]
        only = [StreamAddress.parse_sender(s) for s in self.sender]
        if only and len(only) != len(ins):
            raise InputError(f"{len(ins)} performers and {len(only)} --sender: give one for each")
        record = self.record
        if len(ins) == 1:
            follower = Follower(parts, make=make, ahead=self.ahead)
            station = Station(follower, None if played else ins[0], tuple(goals), played, record)
            return (replace(station, sender=only[0]) if only else station,)
        if len(ins) != len(parts) or len(goals) not in (0, len(parts)):
            raise InputError(
                f"{len(ins)} performers (--in), {len(parts)} references and {len(goals)} --out: "
                "with several performers give one of each for every performer, in the same order"
            )
        return tuple(
            Station(
                Follower([part], make=make, ahead=self.ahead),
                ins[k],
                tuple(goals[k : k + 1]),
                None,
                None if record is None else record.with_stem(f"{record.stem}-{k + 1}"),
                only[k] if only else None,
            )
            for k, part in enumerate(parts)
        )


@dataclass(frozen=True, kw_only=True)
class Replaying:
    """A clip in place of a stream."""

    replay: Annotated[
        Path | None,
        About("Play a clip in place of the stream. - reads BVH or glTF from standard input."),
    ] = None
    speed: Speed = "1"
    replay_rate: ReplayRate = 60.0

    @property
    def files(self) -> list[Path]:
        """The file of the clip, if it is one."""
        return [] if self.replay in (None, STDIN) else [self.replay]

    def played(self, reading: Reading, heard: Sequence[str]) -> Any:
        """Return the replay to use instead of a stream, if there is one."""
        from retime.live_server.replay import Replay

        if self.replay is None:
            if self.speed != "1":
                raise InputError("--speed is the playback speed of --replay: give --replay, too")
            return None
        if heard:
            raise InputError("--replay replaces the stream; leave out --in or --replay")
        if self.replay == STDIN:
            return _from_stdin(reading, self.speed, self.replay_rate)
        motion = reading.for_file(self.replay).read(self.replay)
        return Replay(motion, speed=self.speed, rate=self.replay_rate)


@dataclass(frozen=True, kw_only=True)
class Aligning:
    """The aligner that follows the performer."""

    start: Annotated[
        Literal["beginning", "anywhere"],
        About("Where in the recording a performance may start."),
    ] = "beginning"
    aligner: AlignerName = "bayes"
    gamma: Annotated[
        float | Literal["auto"],
        About(
            "Fraction of the remaining time that a sample may stretch or compress, from 0 to 1, or "
            "auto.",
            metavar="N|auto",
            panel=PREDICTIVE,
        ),
    ] = 0.15
    omega: Annotated[float, About("Time between samples.", unit="s", panel=PREDICTIVE)] = 0.04
    cost: Annotated[
        Literal["position", "derivative"],
        About("Compare positions of joints, or their velocities.", panel=PREDICTIVE),
    ] = "position"

    def maker(self) -> Callable[[Recording], Aligner]:
        """Return a function that makes the aligner of a recording."""
        from functools import partial

        from retime.live import BayesAligner, PredictiveAligner

        if self.aligner == "bayes":
            if replace(self, start="beginning") != Aligning():
                raise InputError(
                    "--gamma, --omega and --cost belong to the predictive aligner: "
                    "give --aligner predictive, too"
                )
            return partial(BayesAligner, start=self.start)
        if self.start != "beginning":
            raise InputError("the predictive aligner starts at the beginning; leave --start out")
        return partial(
            PredictiveAligner,
            gamma=self.gamma,
            period=self.omega,
            cost=self.cost,
        )


def _from_stdin(reading: Reading, speed: str, rate: float) -> Any:
    """Play what comes on standard input: BVH row by row, glTF and GLB when all of it has come.

    A curve of speed needs the whole file, too.
    """
    from retime.live_server.replay import Replay

    # bypass Python's buffer, because a waiting thread would hold its lock
    def read(size: int) -> bytes:
        return os.read(sys.stdin.fileno(), size)

    begun = b""
    while len(begun.lstrip()) < 16 and (more := read(1 << 16)):
        begun += more
    kinds = ((b"glTF", ".glb"), (b"HIERARCHY", ".bvh"), (b"{", ".gltf"))
    start = begun.lstrip()[:16]
    suffix = next((s for word, s in kinds if start.upper().startswith(word.upper())), None)
    if suffix is None:
        raise InputError("--replay -: standard input is not a BVH, glTF or GLB file")
    if suffix == ".bvh" and speed == "1":
        from retime.io.bvh.coming import ComingBvh
        from retime.live_server.piped import PipedReplay

        coming = ComingBvh(read, begun)
        return PipedReplay(coming, _read_as(coming.first, suffix, reading))
    whole = [begun]
    while more := read(1 << 20):
        whole.append(more)
    return Replay(_read_as(b"".join(whole), suffix, reading), speed=speed, rate=rate)


def _read_as(data: bytes, suffix: str, reading: Reading) -> Motion:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stdin{suffix}"
        path.write_bytes(data)
        return reading.for_file(path).read(path)


def _tell_touches(
    pairs: tuple[TouchPair, ...], performer: Motion, partner: Motion, whose: str
) -> None:
    """Print when each pair touches, and a warning where none does."""
    from retime.live_server.touch import Touch

    if not pairs:
        note(f"no hands of {whose} touch: give the joints, such as right_hand=right_hand")
    for pair in pairs:
        spans = Touch(pair, performer, partner).spans
        listed = ", ".join(f"{a:.2f}-{b:.2f} s" for a, b in spans)
        said = f"touch at {listed}" if spans else "never touch, so --touch has no effect on them"
        note(f"{pair.partner} and {pair.performer} of {whose} {said}")
