"""The clients in examples/live listen to a running server."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import retime
from live_server_running import Running
from retime import samples

EXAMPLES = Path(__file__).parents[2] / "examples" / "live"
CLIENT = Path(__file__).parents[2] / "runtimes" / "unity" / "Runtime" / "LiveClient.cs"
BLENDER = Path(__file__).parents[2] / ".venv-blender" / "bin" / "python"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    path = tmp_path_factory.mktemp("live") / "walk.npz"
    retime.write(samples.walk(), path)
    with Running(path, "--replay", path, "--speed", "0.02", "--feed", "0") as running:
        yield running


def said(command: list[str | Path], wanted: str) -> None:
    """Run a client until it says something, and end it."""
    with subprocess.Popen(
        [str(c) for c in command],
        cwd=EXAMPLES,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as client:
        assert client.stdout is not None
        lines = []
        for line in client.stdout:
            lines.append(line)
            if wanted in line or len(lines) > 200:
                break
        client.kill()
    assert wanted in "".join(lines)


def test_the_javascript_client(server: Running) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    said([node, "client.mjs", server.new_feed()], "walk")


def test_a_page_s_figure_is_whole_whatever_joints_it_has() -> None:
    from retime.body import ROLES
    from retime.live import PAPER_JOINTS

    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    figures = [
        list(ROLES),
        list(PAPER_JOINTS),
        [r for r in ROLES if r not in ("spine", "chest", "neck")],
        [r for r in ROLES if r not in ("upper_chest", "left_shoulder", "right_shoulder")],
        ["head", "left_hand", "right_hand", "hips"],
    ]
    script = (
        'import { bonesOf } from "./figure.mjs";'
        f"console.log(JSON.stringify({json.dumps(figures)}.map(bonesOf)));"
    )
    found = subprocess.run(
        [node, "--input-type=module", "-e", script],
        cwd=EXAMPLES, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    for names, bones in zip(figures, json.loads(found.stdout), strict=True):
        reached = {"hips"}
        for _ in names:
            reached |= {b for a, b in bones if a in reached}
        assert reached == set(names)  # one piece, no joint left out


def test_the_c_sharp_client(server: Running, tmp_path: Path) -> None:
    mcs, mono = shutil.which("mcs"), shutil.which("mono")
    if mcs is None or mono is None:
        pytest.skip("no C# compiler (mono-mcs) is installed")
    program = tmp_path / "live.exe"
    subprocess.run(
        [mcs, str(CLIENT), "LiveProgram.cs", f"-out:{program}"], cwd=EXAMPLES, check=True
    )
    said([mono, program, server.new_feed()], '"reference": "walk"')


def test_the_blender_script_raises_the_left_arm() -> None:
    if not BLENDER.exists():
        pytest.skip("Blender's module bpy is not installed")
    found = subprocess.run(
        [BLENDER, Path(__file__).with_name("in_blender.py")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "the left hand is above the shoulder" in found.stdout, found.stdout + found.stderr
