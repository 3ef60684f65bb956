"""Attack every reader with mutated inputs; what behaves in a new way is kept and mutated further.

    python tests/stress/driver.py --inputs 1000000

A reader may answer or say a sentence (``RetimeError``). Anything else is a finding: another
exception, more than five seconds, memory beyond the bound, a process that dies or hangs. Findings
are kept in ``.stress/findings``; each becomes a file in ``tests/stress/found``, which every test
run reads. A run that was interrupted goes on where it was when it is given the same ``--seed``.
"""

from __future__ import annotations

import argparse
import contextlib
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
from stress.workers import Findings, Piece, Record, do_all

SECONDS = 5
# What reading a small input may add to this process: a constant, and ten times the input.
SOME_MEMORY = 300 << 20
# What a child with a native library may take in all: its imports and a gigabyte.
CHILD_MEMORY = 1500 << 20
_LONGEST = 1 << 20
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
    return bytes(out[: min(4 * len(data) + 4096, max(len(data), _LONGEST))])


# Inputs of a target that are kept, each of another behaviour.
MOST_KEPT = 1000


class SlowError(BaseException):
    """The time is up; no reader catches it."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise SlowError


def attack(
    target: Target, data: bytes, folder: Path, seconds: float = SECONDS
) -> tuple[str, str | None]:
    """Read an input in a fresh folder: what it behaved like, and the finding where it is one."""
    place = folder / "input"
    path = place / f"take{target.suffix}"
    _empty(place)
    with open(path, "wb", buffering=0) as file:
        file.write(data)
    for name, content in target.beside:
        (place / name).write_bytes(content)
    before = _start_of_memory()
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
    grown = _memory_since(before)
    if grown > SOME_MEMORY + 10 * len(data):
        return "memory", f"{grown >> 20} MB for {len(data)} bytes"
    if (child := _memory_of_children()) > CHILD_MEMORY + 10 * len(data):
        return "memory of a child", f"{child >> 20} MB in a child process for {len(data)} bytes"
    return kind[:80], None


def _empty(place: Path) -> None:
    """Make an empty folder; most readers leave nothing but the input, which is written over."""
    try:
        entries = list(os.scandir(place))
    except FileNotFoundError:
        place.mkdir(parents=True)
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry)
        else:
            os.unlink(entry)


def _start_of_memory() -> int:
    """Forget the peak of this process's memory, where the system can, and return the peak."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "wb", buffering=0) as file:
        file.write(b"5")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _memory_since(before: int) -> int:
    return 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def _memory_of_children() -> int:
    """Return the largest peak of the programs that this process runs, in bytes."""
    most = 0
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            for child in Path(f"/proc/self/task/{task}/children").read_text().split():
                with contextlib.suppress(OSError):
                    status = Path(f"/proc/{child}/status").read_text()
                    found = re.search(r"VmHWM:\s+(\d+)", status)
                    most = max(most, 1024 * int(found[1]) if found else 0)
    return most


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
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        for file in sorted(kept.iterdir())[:MOST_KEPT]:  # named after what they behaved like
            seen.add(file.name)
            corpus.append(file.read_bytes())
    record = Record(folder)  # where this process dies, the input is still there
    for data in target.seeds:  # compiles what is compiled, and starts what is started
        kind, finding = attack(target, data, folder, seconds=120)
        seen.add(_name_of(kind))
        if finding is not None:
            found.setdefault(kind, (name, data, f"a sound input: {finding}"))
    for number, data in enumerate(inputs(target, corpus, dice)):
        if number >= count:
            break
        record.begin(number + 1, data)
        kind, finding = attack(target, data, folder)
        if kind == "slow":  # once more, with the time that a busy machine takes
            kind, finding = attack(target, data, folder, SECONDS * max(_load(), 1.0))
        if finding is not None:
            found.setdefault(kind, (name, data, finding))
        elif _name_of(kind) not in seen and len(corpus) < MOST_KEPT:
            seen.add(_name_of(kind))
            corpus.append(data)
            if kept is not None:
                (kept / _name_of(kind)).write_bytes(data)
    record.close()
    return list(found.values())


@functools.cache
def _name_of(kind: str) -> str:
    return hashlib.sha256(kind.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _load() -> float:
    """Return how many programs wait for each processor."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


# The share of inputs of a target: small where it is slow, or where there is little to damage.
_SHARES = {"gltf": 0.5, "asf": 0.5, "npy": 0.5, "pkl": 0.5, "c3d": 0.3, "fbx": 0.3, "usda": 0.2,
           "usdc": 0.2, "warp": 0.5, "json": 0.5, "manifest": 0.3, "srt": 0.5, "vtt": 0.5,
           "labels": 0.4, "table": 0.4}  # fmt: skip


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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what it made is removed
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
    wanted = sum(t.count for t in tasks)
    log = Path(asked.folder) / f"done-{asked.seed}.txt"
    before = log.read_text().splitlines() if log.exists() else []
    tasks = [t for t in tasks if _line(t) not in before]
    done = wanted - sum(t.count for t in tasks)
    print(f"seed {asked.seed}, {wanted} inputs, {done} done before: {', '.join(names)}", flush=True)
    findings: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="retime-stress-", dir=_in_memory()) as place:
        for piece, found in do_all(tasks, _part, asked.processes, Path(place)):
            done += piece.count
            with log.open("a") as file:
                print(_line(piece), file=file)
            for _, data, text in found:
                kept = _keep(Path(asked.folder) / "findings", piece.name, data, text)
                findings.add(kept)
            if done % 5_000 < piece.count:
                print(f"{done} inputs, {len(findings)} findings", flush=True)
    print(f"{done} inputs, {len(findings)} findings")
    if done < wanted:  # processes died before they could read an input
        sys.exit(f"{wanted - done} inputs were not tried: see the findings")
    sys.exit(bool(findings))


def _line(piece: Piece) -> str:
    return f"{piece.name} {piece.seed} {piece.count}"


def _keep(folder: Path, name: str, data: bytes, text: str) -> str:
    """Keep a finding, and print it even where an earlier run has found it."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    place.write_bytes(data)
    place.with_suffix(".txt").write_text(text)
    print(f"FOUND {place}: {text.strip().splitlines()[-1][:200]}", flush=True)
    return place.name


def _in_memory() -> str | None:
    """Return a folder in memory, ten times as fast; where there is none, temporary files do."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


if __name__ == "__main__":
    main()
