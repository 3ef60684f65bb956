"""Batches as processes: the same bytes everywhere, and nothing lost when any of them is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import retime
from batch_running import (
    cluster,
    finish,
    hashes,
    make_library,
    rows,
    run_batch_command,
    start,
    write_spline,
)

KILLS = 20 if os.environ.get("RETIME_STRESS") else 3
VARY = ("--vary", "duration=0.8..1.25", "--copies", "2", "--seed", "7")
TOTAL = 12  # five clips and a bad one, two copies each


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    make_library(folder / "library", bad=True)
    write_spline(folder / "recipe.json")
    gate = "[gate]\nfoot_skate = {max = 0.02}\nrate_change = {max = 0.6}\n"
    (folder / "gate.toml").write_text(gate)
    return folder


def asked(place: Path, out: Path) -> tuple[str | Path, ...]:
    return (place / "recipe.json", place / "library", out, "--gate", place / "gate.toml", *VARY)


@pytest.fixture(scope="module")
def right(place: Path) -> dict[str, str]:
    """Hashes of all results, from one worker that nobody disturbed."""
    status, lines, err = run_batch_command(*asked(place, place / "right"), "--jobs", "1")
    assert (status, err) == (1, "")
    assert len(lines) == TOTAL + 1
    end = lines[-1]
    assert (end["event"], end["total"], end["failed"]) == ("end", TOTAL, 2)
    assert min(end["accepted"], end["rejected"]) > 0
    results = [line for line in lines if line["event"] == "result"]
    assert {r["clip"] for r in results if r["state"] == "failed"} == {"bad.bvh"}
    assert all(r["reasons"] for r in results if r["verdict"] == "rejected")
    return hashes(place / "right")


def left_behind(parent: int) -> list[int]:
    """Find processes that a process has started, or their children."""
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    return [p.pid for p in psutil.Process(parent).children(recursive=True)]


def await_end(pids: list[int]) -> None:
    """Wait until processes are gone; forgotten ones fail the test."""
    until = time.monotonic() + 30
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids):
        alive = [p for p in pids if _runs(p)]
        if not alive:
            return
        assert time.monotonic() < until, f"still there: {alive}"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_dask_threads_make_the_same_bytes(
    place: Path, right: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    command = (*asked(place, tmp_path), "--backend", "dask", "--jobs", "2")
    assert run_batch_command(*command)[0] == 1
    assert hashes(tmp_path) == right


def test_a_cluster_makes_the_same_bytes_though_a_worker_is_killed(
    place: Path, right: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    out = tmp_path / "out"
    with cluster(tmp_path) as dask:
        for _ in range(3):
            dask.add_worker()
        dask.await_workers()
        process = start(
            "batch", *asked(place, out), "--backend", f"dask://{dask.address}", "--json"
        )
        assert process.stdout is not None
        seen = [json.loads(process.stdout.readline()) for _ in range(4)]
        children = left_behind(dask.workers[0].pid)
        dask.workers[0].kill()
        status, lines, err = finish(process)
        await_end(children)
    assert status == 1, err
    names = [line["name"] for line in [*seen, *lines] if line["event"] == "result"]
    assert len(names) == len(set(names)) == TOTAL
    assert hashes(out) == right
    assert {r.state for r in rows(out).values()} == {"done", "failed"}


def test_a_worker_with_another_retime_is_refused(place: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    other = tmp_path / "other"
    other.mkdir()
    # An editable installation is found before any folder of PYTHONPATH.
    (other / "sitecustomize.py").write_text(
        "import sys, types\n"
        "sys.modules['retime'] = types.ModuleType('retime')\n"
        "sys.modules['retime'].__version__ = '0.0.9'\n"
    )
    with cluster(tmp_path) as dask:
        dask.add_worker(PYTHONPATH=str(other))
        dask.await_workers()
        backend = ("--backend", f"dask://{dask.address}")
        status, _, err = run_batch_command(*asked(place, tmp_path / "out"), *backend)
    assert status == 2
    assert "retime 0.0.9" in err
    assert f"retime {retime.__version__}" in err
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_does_not_answer_is_named(place: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    backend = ("--backend", "dask://127.0.0.1:1")
    status, _, err = run_batch_command(*asked(place, tmp_path / "out"), *backend)
    assert status == 2
    assert "no Dask scheduler found at 127.0.0.1:1" in err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("trial", range(KILLS))
def test_a_killed_coordinator_is_continued_to_the_same_hashes(
    place: Path, right: dict[str, str], tmp_path: Path, trial: int
) -> None:
    rng = random.Random(trial)
    process = start("batch", *asked(place, tmp_path), "--jobs", "2", "--json")
    assert process.stdout is not None
    told = []
    for _ in range(rng.randrange(0, TOTAL - 2)):
        told.append(json.loads(process.stdout.readline()))
    time.sleep(rng.random() * (0.05 if told else 2.5))
    orphans = left_behind(process.pid)
    process.kill()
    process.communicate()
    await_end(orphans)
    done = {n for n, r in rows(tmp_path).items() if r.state == "done"}
    assert {t["name"] for t in told if t["state"] == "done"} <= done  # what was told is on disk
    status, lines, err = run_batch_command(*asked(place, tmp_path), "--jobs", "1", "--resume")
    assert status == 1, err
    assert lines[-1]["kept"] >= len(done)
    assert hashes(tmp_path) == right
    assert {r.state for r in rows(tmp_path).values()} == {"done", "failed"}
    assert not [p for p in tmp_path.rglob(".*") if p.name != ".references"]


def test_ctrl_c_stops_and_says_how_to_go_on(
    place: Path, right: dict[str, str], tmp_path: Path
) -> None:
    process = start(
        "batch", *asked(place, tmp_path), "--jobs", "2", "--json", start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    orphans = left_behind(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err
    await_end(orphans)
    assert run_batch_command(*asked(place, tmp_path), "--resume")[0] == 1
    assert hashes(tmp_path) == right


def test_a_killed_worker_process_is_replaced_and_the_bytes_are_the_same(
    place: Path, right: dict[str, str], tmp_path: Path
) -> None:
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    process = start("batch", *asked(place, tmp_path), "--jobs", "2", "--json")
    assert process.stdout is not None
    process.stdout.readline()
    workers = psutil.Process(process.pid).children(recursive=True)
    assert len(workers) <= 2
    workers[0].kill()
    status, _, err = finish(process)
    assert status == 1, err
    assert hashes(tmp_path) == right


def test_a_full_disk_stops_cleanly_and_is_continued(
    place: Path, right: dict[str, str], tmp_path: Path
) -> None:
    """On a small file system of its own, in a namespace that ends with the test."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    disk = tmp_path / "disk"
    disk.mkdir()
    out = disk / "out"
    words = " ".join(map(str, asked(place, out)))
    retime_ = f"{sys.executable} -P -c 'from retime.cli import main; main()'"
    script = f"""
    mount -t tmpfs -o size=600k tmpfs {disk} || exit 77
    {retime_} batch {words} --jobs 2 --json > {tmp_path}/first.jsonl 2> {tmp_path}/first.txt
    echo $? > {tmp_path}/status
    mkdir {tmp_path}/kept && cp -r {out}/manifest* {tmp_path}/kept || exit 78
    mount -o remount,size=100m {disk} || exit 77
    {retime_} batch {words} --resume --jobs 1 --json > {tmp_path}/second.jsonl
    cp -r {out} {tmp_path}/copy
    """
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True,
                          check=False)  # fmt: skip
    if done.returncode in (1, 77):
        pytest.skip(f"no small disk can be made here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "first.txt").read_text()
    assert (tmp_path / "status").read_text().strip() == "2"
    assert "full" in said
    assert "--resume" in said
    lines = [json.loads(t) for t in (tmp_path / "first.jsonl").read_text().splitlines()]
    told = {line["name"] for line in lines if line["state"] == "done"}
    kept = {n for n, r in rows(tmp_path / "kept").items() if r.state == "done"}
    assert told <= kept
    assert len(kept) < TOTAL
    end = json.loads((tmp_path / "second.jsonl").read_text().splitlines()[-1])
    assert end["kept"] >= len(told)
    assert hashes(tmp_path / "copy") == right
