"""Attack commands and the studio from outside, with damage that knows how files are built.

    python tests/attack_commands.py --rounds 40 --seed 7
    python tests/attack_commands.py --studio --rounds 5

It shares no code with ``tests/stress``, so that a blind spot of one is not one of the other. Each
damaged file goes through ``retime info`` and ``retime convert`` (recipes and warps through ``retime
run`` and ``retime apply``), or is uploaded to a running studio. A traceback, a death, more than
five seconds of work, or memory beyond ten times the file and a constant is a finding, and its file
is kept.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

sys.path[:0] = [str(Path(__file__).parent)]

import retime  # noqa: E402
from every_format import motion_file  # noqa: E402
from retime import samples  # noqa: E402
from retime.cli import main as command_line  # noqa: E402

SECONDS = 5.0
MEMORY = 400 << 20
BINARY = (".glb", ".fbx", ".usdc", ".c3d", ".npz", ".npy", ".pkl")
_COUNTS = (b"-1", b"0", b"999999999", b"4294967296", b"1e999", b"9" * 5000, b"0x7f", b"nan", b"")
_LENGTHS = (0, 1, 0x7F, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
_WORD = re.compile(rb"[A-Za-z_]{3,40}")
_NUMBER = re.compile(rb"-?[0-9][0-9.]{0,30}")

Damage = Callable[[bytes, random.Random], bytes]


def cut_off(data: bytes, dice: random.Random) -> bytes:
    """Cut a file off anywhere, or just before its end."""
    return data[: dice.choice((dice.randrange(len(data)), len(data) - dice.randrange(1, 9)))]


def flipped(data: bytes, dice: random.Random) -> bytes:
    """Flip some bits."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 3, 30, 300))):
        out[dice.randrange(len(out))] ^= 1 << dice.randrange(8)
    return bytes(out)


def other_length(data: bytes, dice: random.Random) -> bytes:
    """Change what looks like a length: a small number in four or eight bytes."""
    size, order = dice.choice(((4, "<I"), (4, ">I"), (8, "<Q"), (2, "<H")))
    start = dice.randrange(max(len(data) - 4096, 1)) if dice.random() < 0.5 else 0
    places = [
        k
        for k in range(start, min(start + 4096, len(data) - size))
        if 0 < struct.unpack_from(order, data, k)[0] <= len(data)
    ]
    if not places:
        return flipped(data, dice)
    at, out = dice.choice(places), bytearray(data)
    old = struct.unpack_from(order, data, at)[0]
    new = dice.choice((*_LENGTHS, old + 1, old - 1, old * 2, len(data), 1 << 40, (1 << 64) - 1))
    struct.pack_into(order, out, at, new % (1 << 8 * size))
    return bytes(out)


def huge_count(data: bytes, dice: random.Random) -> bytes:
    """Replace a number in text by another that is none, or far too large."""
    found = list(_NUMBER.finditer(data[:200_000]))
    if not found:
        return other_length(data, dice)
    near = dice.choice(found[:40] if dice.random() < 0.6 else found)
    return data[: near.start()] + dice.choice(_COUNTS) + data[near.end() :]


def long_name(data: bytes, dice: random.Random) -> bytes:
    """Make a word a megabyte long, here or everywhere."""
    found = list(_WORD.finditer(data[:200_000]))
    if not found:
        return flipped(data, dice)
    word = dice.choice(found)
    name = dice.choice((b"A", b"\xc3\xa9", b"a.", b"\\", b"' ", b"\x01")) * (1 << 19)
    if dice.random() < 0.2:
        return data.replace(word[0], name, 3)
    return data[: word.start()] + name + data[word.end() :]


def deep(data: bytes, dice: random.Random) -> bytes:
    """Nest what opens and closes, thousands of times."""
    start, end = dice.choice(
        ((b"{", b"}"), (b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"<", b">"))
    )
    depth = dice.choice((200, 5000, 200_000))
    places = [m.start() for m in re.finditer(rb"[\[{(:,\n]", data[:100_000])] or [0]
    at = dice.choice(places) + 1
    return data[:at] + start * depth + (end * depth if dice.random() < 0.5 else b"") + data[at:]


def repeated(data: bytes, dice: random.Random) -> bytes:
    """Repeat a line or a piece many times."""
    lines = data[:50_000].split(b"\n")
    if len(lines) > 3 and dice.random() < 0.7:
        k = dice.randrange(len(lines))
        many = [lines[k]] * dice.choice((2, 50, 20_000 if len(lines[k]) < 200 else 200))
        return b"\n".join([*lines[:k], *many, *lines[k:]]) + data[50_000:]
    at, length = dice.randrange(len(data)), dice.choice((4, 64, 512))
    return data[:at] + data[at : at + length] * dice.choice((2, 100)) + data[at:]


def swapped(data: bytes, dice: random.Random) -> bytes:
    """Exchange two pieces."""
    a, b = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    c = dice.randrange(b, len(data))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def other_bytes(data: bytes, dice: random.Random) -> bytes:
    """Be another encoding, another line end, or nothing at all."""
    text = data.decode("latin-1")
    return dice.choice(
        (
            b"",
            b"\0" * len(data),
            data.replace(b"\n", b"\r"),
            data.replace(b" ", b"\0"),
            text.encode("utf-16"),
            b"\xef\xbb\xbf" + data,
            data + data,
            dice.randbytes(len(data) % 5000 + 1),
        )
    )


DAMAGES: tuple[Damage, ...] = (
    cut_off, flipped, other_length, huge_count, long_name, deep, repeated, swapped, other_bytes,
)  # fmt: skip


def seeds(folder: Path) -> Iterator[tuple[str, str, bytes, list[Path]]]:
    """Yield a name, a suffix, a sound file and what lies beside it, of everything that is read."""
    for suffix in (".bvh", ".glb", ".gltf", ".npz", ".amc", ".npy", ".pkl", ".c3d", ".fbx",
                   ".usda", ".usdc"):  # fmt: skip
        try:
            first, *others = motion_file(suffix, folder)
        except retime.RetimeError:
            continue
        yield suffix[1:], suffix, first.read_bytes(), others + list(folder.glob("*.bin"))
    amc, asf = motion_file(".amc", folder)
    yield "asf", ".asf", asf.read_bytes(), [amc]
    warp = folder / "w.json"
    retime.write_warp(retime.TimeWarp([0.0, 0.4, 1.0], [0.0, 0.5, 1.0]), warp)
    yield "warp", ".json", warp.read_bytes(), []
    steps = [
        {"method": "guided", "parameters": {"duration": 2.0, "keytimes": [[0.5, 0.7]]}},
        {"method": "warp", "parameters": {"warp": json.loads(warp.read_text())}, "label": "x"},
        {"method": "smooth", "parameters": {}},
    ]
    recipe = {"format": "retime-recipe", "version": 2, "steps": steps}
    yield "recipe", ".json", json.dumps(recipe, indent=1).encode(), []


def commands(name: str, path: Path, clip: Path) -> list[list[str]]:
    """List the commands that read a file."""
    out = str(path.with_name("out.bvh"))
    if name == "recipe":
        return [["run", str(path), str(clip), out]]
    if name == "warp":
        return [["apply", str(clip), out, "--warp", str(path)], ["warp", "show", str(path)]]
    if name == "asf":
        path = path.with_name("take_01.amc")
    return [["info", str(path)], ["convert", str(path), out]]


def run(arguments: list[str], size: int) -> str | None:
    """Run a command in a fork, which shares what is compiled; return what is wrong with it."""
    with tempfile.TemporaryFile() as said:
        return _judged(arguments, size, said)


def _judged(arguments: list[str], size: int, said: IO[bytes]) -> str | None:
    begun = time.monotonic()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.setsid()
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0), write_through=True)
            sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), write_through=True)
            sys.argv = ["retime", *arguments]
            status = 70
            try:
                command_line()
                status = 0
            except SystemExit as e:
                status = e.code if isinstance(e.code, int) else 1
            except BaseException:
                import traceback

                traceback.print_exc()
            os._exit(status)
        os._exit(71)
    # Work is bounded in processor time: other programs of a busy machine are no fault of a file.
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        waited = time.monotonic() - begun
        if ended or waited > 12 * SECONDS:
            break
        time.sleep(0.005)
    if not ended:
        os.killpg(child, signal.SIGKILL)
        os.wait4(child, 0)
        return f"hangs: {waited:.0f} s"
    said.seek(0)
    text = said.read().decode("utf-8", "replace")
    if "Traceback" in text:
        return f"traceback: {text[-1500:]}"
    if os.WIFSIGNALED(status):
        return f"died of {signal.Signals(os.WTERMSIG(status)).name}"
    if os.WEXITSTATUS(status) not in (0, 1, 2):
        return f"status {os.WEXITSTATUS(status)}: {text[-300:]}"
    worked = used.ru_utime + used.ru_stime
    if worked > SECONDS:
        return f"slow: {worked:.1f} s of work, {waited:.1f} s in all"
    if (grown := 1024 * used.ru_maxrss - _own_memory()) > MEMORY + 10 * size:
        return f"memory: {grown >> 20} MB for {size} bytes"
    long = [line for line in text.splitlines() if line.startswith("retime:") and len(line) > 400]
    return f"a sentence of {len(long[0])} characters: {long[0][:100]}" if long else None


def _own_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def attack_commands(rounds: int, seed: int, only: list[str], keep: Path) -> tuple[int, int]:
    """Attack all commands; return how many inputs there were, and how many findings."""
    done = found = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        clip = folder / "clip.bvh"
        retime.write(samples.jump(fps=12), clip)
        made = list(seeds(folder))
        for name, suffix, data, beside in made:
            if only and name not in only:
                continue
            begun, worst = time.monotonic(), 0.0
            for k in range(-1, rounds * len(DAMAGES)):
                dice = random.Random(f"{seed} {name} {k}")
                damage = DAMAGES[k % len(DAMAGES)]
                harmed = data if k < 0 else damage(data, dice)
                work = folder / "work"
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir()
                for other in beside:
                    shutil.copy(other, work)
                stem = "take" if name == "asf" else "take_01"
                path = work / f"{stem}{suffix}"
                path.write_bytes(harmed)
                for arguments in commands(name, path, clip):
                    if k < 0:
                        _warm(arguments)
                        continue
                    at = time.monotonic()
                    wrong = run(arguments, len(harmed))
                    worst = max(worst, time.monotonic() - at)
                    if wrong is not None:
                        found += 1
                        keep.mkdir(parents=True, exist_ok=True)
                        kept = keep / f"{name}-{seed}-{k}{suffix}"
                        kept.write_bytes(harmed)
                        word = damage.__name__
                        print(f"FOUND {kept} ({word}, {arguments[0]}): {wrong}", flush=True)
                done += k >= 0
            took = time.monotonic() - begun
            print(f"{name}: {rounds * len(DAMAGES)} inputs in {took:.0f} s, worst {worst:.1f} s")
            sys.stdout.flush()
    return done, found


def _warm(arguments: list[str]) -> None:
    """Read the sound file here: forks share what this imports and compiles. It must be read."""
    sys.argv = ["retime", *arguments]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            command_line()
        except SystemExit as e:
            if e.code:
                print(f"the sound file is refused: retime {' '.join(arguments)}", file=sys.stderr)


def attack_studio(rounds: int, seed: int, only: list[str], keep: Path) -> tuple[int, int]:
    """Upload damaged files to a running studio, whose window must go on working."""
    from studio_running import Studio

    done = found = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made = list(seeds(folder))
        studio = Studio(folder / "attacked.retime")
        try:
            window = studio.window()
            window.next("welcome")
            for name, suffix, data, _ in made:
                if (only and name not in only) or name == "asf":
                    continue
                worst = 0.0
                for k in range(rounds * len(DAMAGES)):
                    dice = random.Random(f"{seed} {name} {k}")
                    harmed = DAMAGES[k % len(DAMAGES)](data, dice)
                    begun = time.monotonic()
                    status, answer = studio.upload(f"take{suffix}", harmed)
                    took = time.monotonic() - begun
                    worst = max(worst, took)
                    text = json.dumps(answer)
                    bad = status >= 500 or "Traceback" in text or took > 3 * SECONDS
                    if bad:
                        found += 1
                        keep.mkdir(parents=True, exist_ok=True)
                        kept = keep / f"studio-{name}-{seed}-{k}{suffix}"
                        kept.write_bytes(harmed)
                        print(
                            f"FOUND {kept}: {status} after {took:.1f} s, {text[:300]}", flush=True
                        )
                    done += 1
                begun = time.monotonic()
                assert studio.ask("GET", "/")[0] == 200
                print(f"{name}: {rounds * len(DAMAGES)} uploads, worst {worst:.1f} s, a page after "
                      f"{time.monotonic() - begun:.2f} s", flush=True)  # fmt: skip
        finally:
            studio.stop()
    return done, found


def main() -> None:
    """Attack, print what was found, and end with a status."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ask.add_argument("--rounds", type=int, default=20, help="inputs of each kind of damage")
    ask.add_argument("--seed", type=int, default=int(time.time()))
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--studio", action="store_true", help="upload to a studio")
    ask.add_argument("--keep", type=Path, default=Path(".stress/commands"))
    asked = ask.parse_args()
    attack = attack_studio if asked.studio else attack_commands
    done, found = attack(asked.rounds, asked.seed, asked.only, asked.keep)
    print(f"seed {asked.seed}: {done} inputs, {found} findings")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
