"""The packages for game engines: Unity's scripts run on a character, Godot's are parsed."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest

from live_stage import Stage, scene
from retime.live_server.avatar import Avatar, FigurePose
from retime.live_server.follower import Part
from retime.live_server.serve import _hello
from retime.live_server.touch import TouchPair
from retime.live_server.vmc import parse_packet

RUNTIMES = Path(__file__).parents[2] / "runtimes"
HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(RUNTIMES.rglob("*.gd")), ids=lambda p: p.name)
def test_godot_scripts_are_parsed(path: Path) -> None:
    parser = pytest.importorskip("gdtoolkit.parser", reason="gdtoolkit is not installed").parser
    assert parser.parse(path.read_text(), gather_metadata=True).children


def test_packages_have_the_version_of_the_package() -> None:
    import retime

    unity = json.loads((RUNTIMES / "unity" / "package.json").read_text())
    godot = (RUNTIMES / "godot" / "addons" / "retime" / "plugin.cfg").read_text()
    assert unity["version"] == retime.__version__
    assert f'version="{retime.__version__}"' in godot


def test_a_character_in_unity_touches_with_its_own_arms(tmp_path: Path) -> None:
    """Its legs are longer: the hips are scaled, and the hand is where it touches."""
    mcs, mono = shutil.which("mcs"), shutil.which("mono")
    if mcs is None or mono is None:
        pytest.skip("no C# compiler (mono-mcs) is installed")
    sources = [*sorted((RUNTIMES / "unity" / "Runtime").glob("*.cs")), *sorted(HERE.glob("*.cs"))]
    program = tmp_path / "scene.exe"
    subprocess.run(
        [mcs, "-nowarn:0649,0618", *map(str, sources), f"-out:{program}"], check=True, timeout=120
    )
    motion, partner = scene("handshake")
    assert partner is not None
    part = Part("shake", motion, partner, touches=(TouchPair("right_hand", "right_hand"),))
    stage = Stage(part)
    avatar = Avatar(partner)
    pose = avatar.pose(1.5)
    _, places = pose.world()
    rest = rest_places(avatar)
    higher = 1.5
    lines = []
    for k, role in enumerate(avatar.roles):
        x, y, z = rest[k]
        above = avatar.parents[k]
        lines.append(f"{bone(role)} {'-' if above < 0 else bone(avatar.roles[above])} {-x} {y} {z}")
    (tmp_path / "character").write_text("\n".join(lines))
    target = places[avatar.roles.index("right_upper_arm")] * [1, higher, 1] + [0.1, -0.1, 0.35]
    hello = _hello(stage.server.follower, 90.0, 1)
    hello["legs"]["shake"] = avatar.leg_length / higher
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.settimeout(20)
        numbers = [*target, 1.0]
        given = [
            json.dumps(hello), "shake", " ".join(str(v) for b in pose.bones() for v in b),
            " ".join(map(str, numbers)), str(heard.getsockname()[1]),
        ]  # fmt: skip
        found = subprocess.run(
            [mono, str(program), str(tmp_path / "character")],
            input="\n".join(given) + "\n", capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        packet = parse_packet(heard.recv(65_535))
    rows = [line.split() for line in found.stdout.splitlines()]
    at = {name: np.array([float(v) for v in place]) for name, *place in rows}
    hips = places[avatar.roles.index("hips")] * [-1, higher, 1]
    np.testing.assert_allclose(at["Hips"], hips, atol=1e-4)
    np.testing.assert_allclose(at["RightHand"], target * [-1, 1, 1], atol=2e-3)
    # What the touch does not bend is turned as it was recorded.
    lower, upper = (avatar.roles.index(f"left_{part}_leg") for part in ("lower", "upper"))
    thigh = (places[lower] - places[upper]) * [-1, 1, 1]
    own = at["LeftLowerLeg"] - at["LeftUpperLeg"]
    assert thigh @ own > 0.999 * np.linalg.norm(thigh) * np.linalg.norm(own)
    # What is sent of the same character has its joints at the same places.
    sent = np.array([packet.bones[role] for role in avatar.roles])
    _, seen = FigurePose(sent[:, 3:], sent[:, :3], avatar.parents).world()
    joints = np.array([at[bone(role)] for role in avatar.roles]) * [-1, 1, 1]
    np.testing.assert_allclose(seen, joints, atol=1e-4)


def bone(role: str) -> str:
    return "".join(word.capitalize() for word in role.split("_")).replace("Toe", "Toes")


def rest_places(avatar: Avatar) -> np.ndarray:
    """Return the T-pose that rotations are relative to: bones of the figure, unturned."""
    offsets = np.array([bone[:3] for bone in avatar.bones(0.0)])
    out = np.zeros_like(offsets)
    for k, above in enumerate(avatar.parents):
        out[k] = offsets[k] if above < 0 else out[above] + offsets[k]
    return out
