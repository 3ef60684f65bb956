"""A short, seeded part of the attack on all readers, and every input that once broke one."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="time and memory are bounded by POSIX's means")

from stress import workers
from stress.driver import attack, campaign
from stress.targets import Target, make_targets
from stress.workers import Findings, Piece

FOUND = Path(__file__).parent / "found"
# Inputs of each target; those that another process reads take longer.
ROUNDS, SLOW_ROUNDS = (2000, 200) if os.environ.get("RETIME_STRESS") else (40, 5)
SLOW = ("c3d", "usda", "usdc", "manifest")
NAMES = (
    "amc", "asf", "bvh", "c3d", "fbx", "fbx-ascii", "glb", "gltf", "journal", "json", "labels",
    "manifest", "maya", "npy", "npz", "packet", "pkl", "pmx", "project", "recipe", "srt", "storage",
    "table", "trc", "unity", "usda", "usdc", "vmd", "vrm", "vrma", "vtt", "warp",
)  # fmt: skip


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    return make_targets(tmp_path_factory.mktemp("seeds"))


@pytest.mark.parametrize("name", NAMES)
def test_mutated_inputs_are_read_or_refused(
    name: str, targets: dict[str, Target], tmp_path: Path
) -> None:
    if name not in targets:
        pytest.skip(f"what reads {name} is not installed")
    rounds = SLOW_ROUNDS if name in SLOW else ROUNDS
    found = campaign(name, targets[name], rounds, 1, tmp_path)
    assert not found, "\n".join(text for _, _, text in found)


@pytest.mark.parametrize("file", sorted(p.name for p in FOUND.iterdir() if p.suffix != ".md"))
def test_what_was_found_is_read_or_refused(
    file: str, targets: dict[str, Target], tmp_path: Path
) -> None:
    name = next(n for n in sorted(NAMES, key=len, reverse=True) if file.startswith(n))
    if name not in targets:
        pytest.skip(f"what reads {name} is not installed")
    _, finding = attack(targets[name], (FOUND / file).read_bytes(), tmp_path, 60)
    assert finding is None, finding


def test_all_targets_are_named(targets: dict[str, Target]) -> None:
    assert set(targets) <= set(NAMES)


def test_a_finding_is_found(tmp_path: Path) -> None:
    def broken(path: Path) -> None:
        if len(path.read_bytes()) > 100:
            raise KeyError("x")

    found = campaign("broken", Target((b"abc" * 20,), ".txt", broken), 60, 1, tmp_path)
    assert [name for name, _, _ in found] == ["broken"]
    assert "KeyError" in found[0][2]


def _breaks(piece: Piece, folder: Path) -> Findings:
    """Read ten inputs; the fourth one kills or hangs the process where the seed says so."""
    record = workers.Record(folder)
    if piece.name == "never begins":
        os.kill(os.getpid(), signal.SIGKILL)
    for number in range(min(piece.count, 10)):
        record.begin(number + 1, b"input %d" % number)
        if number == 3 and piece.name == "kills" and piece.seed == 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        if number == 3 and piece.name == "hangs" and piece.seed == 1:
            time.sleep(100)
    return []


def test_a_process_that_dies_or_hangs_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SECONDS_OF_SILENCE", 1.0)
    pieces = [Piece(n, 10, 1, str(tmp_path)) for n in ("kills", "hangs", "well", "never begins")]
    told = list(workers.do_all(pieces, _breaks, 2, tmp_path))
    found = {name: (data, text) for _, some in told for name, data, text in some}
    assert found["kills"] == (b"input 3", "the process died of SIGSEGV")
    assert found["hangs"] == (b"input 3", "hung: one input took over 1 s")
    assert found["never begins"] == (b"", "the process died of SIGKILL")
    assert sorted(found) == ["hangs", "kills", "never begins"]
    # The rest of a piece is done all the same, unless no input of it could be begun.
    assert sum(piece.count for piece, _ in told) == 30
    assert not list(tmp_path.iterdir())
