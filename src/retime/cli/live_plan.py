"""Make the plan of ``retime live`` from its options."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from retime.cli.console import note
from retime.errors import InputError
from retime.evaluate.reading import Reading

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


def played(
    replay: Path | None, reading: Reading, speed: str, rate: float, heard: list[str] | None
) -> Any:
    """Return the replay to use instead of a stream, if there is one."""
    from retime.live_server.replay import Replay

    if replay is None:
        if speed != "1":
            raise InputError("--speed is the playback speed of --replay: give --replay, too")
        return None
    if heard:
        raise InputError("--replay replaces the stream; leave out --in or --replay")
    if replay == STDIN:
        return _from_stdin(reading, speed, rate)
    return Replay(reading.for_file(replay).read(replay), speed=speed, rate=rate)


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


def parts(
    references: list[Path],
    partners: list[Path],
    reading: Reading,
    plausible: bool,
    touch: list[str],
    place: str | None,
) -> list[Part]:
    """Read the recordings, and the motion to send for each."""
    from retime.live_server.follower import Part
    from retime.live_server.touch import TouchPair, found_pairs

    given = [TouchPair.parse(t) for t in touch if t != "auto"]
    parts = []
    for k, path in enumerate(references):
        motion = reading.for_file(path).read(path)
        partner = reading.for_file(partners[k]).read(partners[k]) if partners else None
        limits = None
        if plausible:
            from retime.live_server.plausible import PlausibleRates

            limits = PlausibleRates(motion if partner is None else partner)
        pairs = tuple(given)
        if "auto" in touch and partner is not None:
            pairs = tuple(dict.fromkeys((*pairs, *found_pairs(motion, partner))))
        if partner is not None and touch:
            _tell_touches(pairs, motion, partner, f"{path.name} and {partners[k].name}")
        name = path.stem if [p.stem for p in references].count(path.stem) == 1 else str(path)
        placed = None if place is None else place == "performer"
        parts.append(Part(name, motion, partner, limits, pairs, placed))
    return parts


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


def aligner(
    name: str, start: Literal["beginning", "anywhere"], gamma: str, omega: str,
    cost: Literal["position", "derivative"],
) -> Callable[[Recording], Aligner]:  # fmt: skip
    """Return a function that makes the aligner of a recording."""
    from functools import partial

    from retime.live import BayesAligner, PredictiveAligner

    if name == "bayes":
        if (gamma, omega, cost) != ("0.15", "0.04", "position"):
            raise InputError(
                "--gamma, --omega and --cost belong to the predictive aligner: "
                "give --aligner predictive, too"
            )
        return BayesAligner if start == "beginning" else partial(BayesAligner, start=start)
    if start != "beginning":
        raise InputError("the predictive aligner starts at the beginning; leave --start out")
    return partial(
        PredictiveAligner,
        gamma=_number_or_auto("--gamma", gamma),
        period=_number_or_auto("--omega", omega),
        cost=cost,
    )


def _number_or_auto(option: str, text: str) -> float | Literal["auto"]:
    if text == "auto":
        return "auto"
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} {text!r} is neither a number nor auto") from None


def stations(
    parts: list[Part], make: Callable[[Recording], Aligner], ahead: float,
    heard: list[str] | None, outs: list[str], played: Any, record: Path | None,
    senders: list[str],
) -> tuple[Station, ...]:  # fmt: skip
    """Assign parts to performers: all parts to one, or one part to each."""
    from retime.live_server.follower import Follower
    from retime.live_server.places import StreamAddress
    from retime.live_server.serve import Station

    ins = [StreamAddress.parse(a) for a in heard or [HEARD]]
    goals = [StreamAddress.parse(o) for o in outs]
    only = [StreamAddress.parse_sender(s) for s in senders]
    if only and len(only) != len(ins):
        raise InputError(f"{len(ins)} performers and {len(only)} --sender: give one for each")
    if len(ins) == 1:
        follower = Follower(parts, make=make, ahead=ahead)
        station = Station(follower, None if played else ins[0], tuple(goals), played, record)
        return (replace(station, sender=only[0]) if only else station,)
    if len(ins) != len(parts) or len(goals) not in (0, len(parts)):
        raise InputError(
            f"{len(ins)} performers (--in), {len(parts)} references and {len(goals)} --out: with "
            "several performers give one of each for every performer, in the same order"
        )
    return tuple(
        Station(
            Follower([part], make=make, ahead=ahead),
            ins[k],
            tuple(goals[k : k + 1]),
            None,
            None if record is None else record.with_stem(f"{record.stem}-{k + 1}"),
            only[k] if only else None,
        )
        for k, part in enumerate(parts)
    )


def two_files(text: str) -> tuple[Path, Path]:
    """Read the paths of a certificate and its key."""
    certificate, comma, key = text.partition(",")
    if not comma:
        raise InputError(f"--tls {text!r}: write CERTIFICATE,KEY, two PEM files")
    return Path(certificate), Path(key)
