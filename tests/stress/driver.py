"""Attack every reader with mutated inputs; what behaves in a new way is kept and mutated further.

    python tests/stress/driver.py --inputs 1000000

A reader may answer or say a sentence (``RetimeError``). Anything else is a finding: another
exception, more than five seconds, memory beyond the bound, a process that dies or hangs. Findings
are kept in ``.stress/findings``; each becomes a file in ``tests/stress/found``, which every test
run reads.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

if __package__ in (None, ""):
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from retime.errors import MOST_SENTENCE, RetimeError
from stress.targets import Target, make_targets
from stress.workers import Findings, Piece, do_all

SECONDS = 5
# What reading a small input may add to this process: a constant, and ten times the input.
SOME_MEMORY = 400 << 20
_WORDS = (
    b"0", b"-1", b"1e309", b"nan", b"-0.0", b"4294967295", b"9223372036854775807",
    b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\x7f\xff\xff\xff", b"[", b"{", b'"', b"null",
    b"true", b"\\ud800", b"\\u0000", b"\r", b"\n", b"\t", b" ", b"..", b"/", b"#", b":", b"*",
    b";", b"1" * 400, b"A" * 1200, b"\xef\xbb\xbf",
)  # fmt: skip


def mutated(data: bytes, dice: random.Random, others: list[bytes]) -> bytes:
    """Return a damaged input: bytes, numbers, words, pieces of itself and of another."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 6, 16))):
        at = dice.randrange(len(out) + 1)
        length = dice.choice((1, 2, 4, 8, 30, 200))
        kind = dice.randrange(10)
        if kind <= 2 and out:
            out[at % len(out)] = dice.randrange(256)
        elif kind == 3 and out:
            out[at % len(out)] ^= 1 << dice.randrange(8)
        elif kind == 4:
            del out[at : at + length]
        elif kind == 5:
            out[at:at] = dice.choice(_WORDS)
        elif kind == 6:
            out[at : at + dice.choice((0, 1, 4, 8))] = dice.choice(_WORDS)
        elif kind == 7:
            start = dice.randrange(len(out) + 1)
            out[at:at] = out[start : start + length] * dice.choice((1, 1, 2, 20))
        elif kind == 8 and others:
            other = dice.choice(others)
            start = dice.randrange(len(other) + 1)
            out[at:] = other[start:]
        elif kind == 9:
            numbers = list(re.finditer(rb"-?\d+(?:\.\d+)?", out[:20_000]))
            if numbers:
                found = dice.choice(numbers)
                out[found.start() : found.end()] = dice.choice(_WORDS)
            else:
                del out[at:]
    return bytes(out[: 4 * len(data) + 4096])


class SlowError(BaseException):
    """The time is up; no reader catches it."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise SlowError


def attack(
    target: Target, data: bytes, folder: Path, seconds: float = SECONDS
) -> tuple[str, str | None]:
    """Read an input in a fresh folder: what it behaved like, and the finding where it is one."""
    place = folder / "input"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    path = place / f"take{target.suffix}"
    path.write_bytes(data)
    for name, content in target.beside:
        (place / name).write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    alarm = threading_main()
    try:
        if alarm:
            signal.signal(signal.SIGALRM, _ring)
            signal.setitimer(signal.ITIMER_REAL, seconds)
        target.run(path)
        kind = "read"
    except RetimeError as e:
        said = str(e)
        kind = re.sub(r"\d+", "0", re.sub(r"'[^']*'|\"[^\"]*\"", "'", said.replace(str(path), "")))
        if len(said) > MOST_SENTENCE or "\n" in said.strip():
            return kind[
                :80
            ], f"a sentence of {len(said)} characters or several lines: {said[:200]!r}"
    except SlowError:
        return "slow", f"more than {SECONDS} s"
    except BaseException as e:
        trace = traceback.extract_tb(e.__traceback__)
        where = f"{Path(trace[-1].filename).name}:{trace[-1].lineno}" if trace else ""
        return f"{type(e).__name__} {where}", "".join(traceback.format_exception(e))[-3000:]
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    if grown > SOME_MEMORY + 10 * len(data):
        return "memory", f"{grown >> 20} MB for {len(data)} bytes"
    return kind[:80], None


def threading_main() -> bool:
    """Whether this is the thread that a timer can interrupt."""
    import threading

    return threading.current_thread() is threading.main_thread()


def inputs(target: Target, corpus: list[bytes], dice: random.Random) -> Iterator[bytes]:
    """Yield inputs for ever: mutants of seeds and of what was kept."""
    while True:
        fresh = dice.random() < 0.4 or not corpus
        base = dice.choice(target.seeds if fresh else corpus)
        yield mutated(base, dice, corpus)


def campaign(
    name: str, target: Target, count: int, seed: int, folder: Path, kept: Path | None = None
) -> list[tuple[str, bytes, str]]:
    """Attack a target so many times; return the findings, one of a kind."""
    dice = random.Random(f"{name}-{seed}")
    corpus: list[bytes] = []
    seen: set[str] = set()
    found: dict[str, tuple[str, bytes, str]] = {}
    if kept is not None and kept.is_dir():
        corpus = [p.read_bytes() for p in sorted(kept.iterdir())[:2000]]
    current, begun = folder / "current", folder / "number"
    for data in target.seeds:  # compiles what is compiled, and starts what is started
        attack(target, data, folder, seconds=120)
    for number, data in enumerate(inputs(target, corpus, dice)):
        if number >= count:
            break
        current.write_bytes(data)  # where this process dies, the input is still there
        begun.write_text(str(number + 1))
        kind, finding = attack(target, data, folder)
        if kind == "slow":  # once more: the machine may have been busy
            kind, finding = attack(target, data, folder)
        if finding is not None:
            found.setdefault(kind, (name, data, finding))
        elif kind not in seen:
            seen.add(kind)
            if number and len(corpus) < 2000:
                corpus.append(data)
                if kept is not None:
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    return list(found.values())


# The share of inputs that a target gets: some take a hundred times as long as others.
_SHARES = {"bvh": 0.4, "glb": 0.4, "gltf": 0.2, "npz": 0.4, "npy": 0.4, "pkl": 0.4, "amc": 0.4,
           "asf": 0.4, "fbx": 0.15, "c3d": 0.05, "usda": 0.02, "usdc": 0.03, "project": 0.3,
           "journal": 0.3, "manifest": 0.1}  # fmt: skip


def _part(piece: Piece, folder: Path) -> Findings:
    os.environ["PYTHONWARNINGS"] = "ignore"
    target = _targets(piece.folder)[piece.name]
    kept = Path(piece.folder, "corpus", piece.name)
    return campaign(piece.name, target, piece.count, piece.seed, folder, kept)


@functools.cache
def _targets(stress: str) -> dict[str, Target]:
    """Read the seeds that :func:`main` made; making them takes seconds."""
    with tempfile.TemporaryDirectory() as place:
        return make_targets(Path(place), Path(stress) / "seeds")


def main() -> None:
    """Attack all targets with a number of inputs, and print what was found."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ask.add_argument("--inputs", type=int, default=1_000_000, help="inputs over all targets")
    ask.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    ask.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    ask.add_argument("--only", nargs="*", help="names of targets")
    ask.add_argument("--folder", default=".stress", help="where corpus and findings are kept")
    asked = ask.parse_args()
    names = [n for n in _targets(asked.folder) if not asked.only or n in asked.only]
    whole = sum(_SHARES.get(n, 1.0) for n in names)
    counts = {n: max(int(asked.inputs * _SHARES.get(n, 1.0) / whole) + 1, 1) for n in names}
    # In pieces, so that all targets advance and a dead process costs little.
    size = 500
    tasks = [
        Piece(n, min(size, counts[n] - start), asked.seed + start, asked.folder)
        for start in range(0, max(counts.values()), size)
        for n in names
        if start < counts[n]
    ]
    print(
        f"seed {asked.seed}, {sum(t.count for t in tasks)} inputs: {', '.join(names)}", flush=True
    )
    findings, done = 0, 0
    for name, count, found in do_all(tasks, _part, asked.processes, Path(asked.folder)):
        done += count
        for _, data, text in found:
            place_ = (
                Path(asked.folder) / "findings" / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
            )
            place_.parent.mkdir(parents=True, exist_ok=True)
            if not place_.exists():
                findings += 1
                place_.write_bytes(data)
                place_.with_suffix(".txt").write_text(text)
                print(f"FOUND {place_}: {text.strip().splitlines()[-1][:200]}", flush=True)
        if done % 5_000 < count:
            print(f"{done} inputs, {findings} findings", flush=True)
    print(f"{done} inputs, {findings} findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
