"""FBX 6.1, binary and as text: read, and retimed in place."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from fbx_making import TICKS, differ, evaluated
from mutating import mutants
from retime import TimeWarp, apply, quat
from retime.errors import RetimeError
from retime.io.fbx.properties import real, text
from retime.io.fbx.tree import Node, empty_tree, write

# Keys of an angle: linear, constant, cubic with slopes, and with weights.
KEYS: list[list[Any]] = [
    [0.0, 0.0, "L"],
    [0.5, 40.0, "C", "s"],
    [1.0, -20.0, "U", "b", 90.0, -30.0, "n"],
    [1.5, 10.0, "U", "b", 20.0, 60.0, "a", 0.5, 0.25],
    [2.0, 30.0, "L"],
]
WAY = [[0.0, 0.0, "L"], [2.0, 50.0, "L"]]


def _tree() -> list[Any]:
    """Describe a file: nodes are (name, values, children)."""

    def model(name: str, x: float) -> Any:
        rows = [("Property", ["Lcl Translation", "Lcl Translation", "A+", x, 10.0, 0.0], None)]
        return ("Model", [f"Model::{name}", "Limb"], [("Properties60", [], rows)])

    def channel(name: str, keys: list[list[Any]] | None, default: float = 0.0) -> Any:
        below: list[Any] = [("Default", [default], None)]
        if keys is not None:
            flat = [v for k in keys for v in [round(k[0] * TICKS), *k[1:]]]
            below += [
                ("KeyVer", [4005], None),
                ("KeyCount", [len(keys)], None),
                ("Key", flat, None),
            ]
        return ("Channel", [name], [*below, ("Color", [1, 0, 0], None)])

    turn = ("Channel", ["R"], [channel("X", KEYS), channel("Y", None), channel("Z", WAY)])
    move = ("Channel", ["T"], [channel("X", WAY), channel("Y", None, 10.0), channel("Z", None)])
    take = [
        ("FileName", ["walk.tak"], None),
        ("LocalTime", [0, 2 * TICKS], None),
        ("ReferenceTime", [0, 2 * TICKS], None),
        (
            "Model",
            ["Model::Hips"],
            [("Version", [1.1], None), ("Channel", ["Transform"], [move, turn])],
        ),
        ("Model", ["Model::Arm"], [("Channel", ["Transform"], [turn])]),
    ]
    up = ("Property", ["UpAxis", "int", "", 1], None)
    unit = ("Property", ["UnitScaleFactor", "double", "", 1.0], None)
    return [
        ("FBXHeaderExtension", [], [("FBXVersion", [6100], None)]),
        ("Objects", [], [
            model("Hips", 0.0), model("Spine", 5.0), model("Arm", 20.0),
            ("GlobalSettings", [], [("Properties60", [], [up, unit])]),
        ]),
        ("Connections", [], [
            ("Connect", ["OO", "Model::Hips", "Model::Scene"], None),
            ("Connect", ["OO", "Model::Spine", "Model::Hips"], None),
            ("Connect", ["OO", "Model::Arm", "Model::Spine"], None),
        ]),
        ("Takes", [], [("Current", ["walk"], None), ("Take", ["walk"], take)]),
        ("Version5", [], [("Settings", [], [
            ("FrameRate", ["20"], None),
            ("TimeLineStartTime", [0], None),
            ("TimeLineStopTime", [2 * TICKS], None),
        ])]),
    ]  # fmt: skip


def _as_text(nodes: list[Any], depth: int = 0) -> str:
    out = ""
    for name, values, children in nodes:
        quoted = [f'"{v}"' if isinstance(v, str) and name != "Key" else str(v) for v in values]
        tabs = depth * chr(9)
        body = "" if children is None else f" {{\n{_as_text(children, depth + 1)}{tabs}}}"
        out += f"{tabs}{name}: {','.join(quoted)}{body}\n"
    return out


def _as_nodes(nodes: list[Any]) -> list[Node]:
    tree = empty_tree(6100)
    out = []
    for name, values, children in nodes:
        parts = []
        for v in values:
            if isinstance(v, str):
                kind, mark, own = v.partition("::")
                letter = name == "Key"
                label = f"{own}\x00\x01{kind}" if mark else v
                parts.append(b"C" + v.encode() if letter else text(label.encode()))
            else:
                parts.append(
                    real(
                        v,
                        "D"
                        if isinstance(v, float)
                        else "L"
                        if name == "Key" or "Time" in name
                        else "I",
                    )
                )
        below = () if children is None else _as_nodes(children)
        out.append(tree.node(name.encode(), parts, below, closed=children is not None))
    return out


@pytest.fixture(params=["text", "binary"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "old.fbx"
    if request.param == "text":
        path.write_text("; FBX 6.1.0 project file\n\n" + _as_text(_tree()) + "; end\n")
    else:
        path.write_bytes(b"".join(write(empty_tree(6100), _as_nodes(_tree()))))
    return path


def test_an_old_file_is_read_as_ufbx_reads_it(file: Path) -> None:
    motion = retime.read(file)
    assert motion.skeleton.names == ("Hips", "Spine", "Arm")
    assert (motion.fps, motion.duration) == (20.0, 2.0)
    judged = evaluated(file, motion.times)
    for j, name in enumerate(motion.skeleton.names):
        assert quat.angle(motion.rotations[:, j], judged[name][:, 3:7]).max() < 1e-3
    np.testing.assert_allclose(motion.root_translation, judged["Hips"][:, :3], atol=1e-3)


@pytest.mark.parametrize("warp", [[[0, 3.0], [0, 2.0]], [[0, 0.7, 1.6, 3], [0, 1.2, 1.3, 2]]])
def test_an_old_file_is_retimed_in_place(file: Path, tmp_path: Path, warp: Any) -> None:
    motion, warp = retime.read(file), TimeWarp(*warp)
    out = tmp_path / "slow.fbx"
    retime.write(apply(motion, warp, exact=True), out)
    times = np.array([0.1, 0.4, 0.9, 1.3, 1.7, 2.2, 2.6, 2.95])
    assert differ(evaluated(out, times), evaluated(file, warp(times))) < 1e-3
    again = retime.read(out)
    assert again.duration == pytest.approx(3.0, abs=1e-6)
    if file.read_bytes().startswith(b";"):
        before, after = file.read_text(), out.read_text()
        assert after.startswith("; FBX 6.1.0")
        assert before[: before.index("Takes")] == after[: after.index("Takes")]
        assert after.endswith("; end\n")
        assert f"TimeLineStopTime: {3 * TICKS}" in after


def test_an_identity_leaves_the_bytes(file: Path, tmp_path: Path) -> None:
    retime.write(retime.read(file), tmp_path / "same.fbx")
    assert (tmp_path / "same.fbx").read_bytes() == file.read_bytes()


def test_edited_poses_get_the_channels_that_the_take_has_not(file: Path, tmp_path: Path) -> None:
    """A turned arm has no keys about Y, a turned spine is in no take, a moved arm has no T."""
    motion = retime.read(file)
    turned = motion.rotations.copy()
    turned[:, 2] = quat.from_axis_angle([0, 1, 0], np.linspace(0.1, 0.9, len(motion)))
    turned[:, 1] = quat.from_axis_angle([0, 0, 1], np.linspace(0.3, -0.3, len(motion)))
    moved = {
        **motion.translations,
        "Arm": np.array([20.0, 10, 0]) + np.linspace(0, 6, len(motion))[:, None],
    }
    edited = replace(motion, rotations=turned, translations=moved)
    warp = TimeWarp([0, 1.0, 3.0], [0, 1.5, 2.0])
    for out, shown in (("edited.fbx", edited), ("slow.fbx", apply(edited, warp))):
        retime.write(shown, tmp_path / out)
        judged = evaluated(tmp_path / out, shown.times)
        for j, name in ((1, "Spine"), (2, "Arm")):
            assert quat.angle(shown.rotations[:, j], judged[name][:, 3:7]).max() < 1e-3, name
        np.testing.assert_allclose(shown.translations["Arm"], judged["Arm"][:, :3], atol=1e-3)
        again = retime.read(tmp_path / out)
        assert again.skeleton.names == motion.skeleton.names
        retime.write(again, tmp_path / "same.fbx")  # what was added is understood and kept
        assert (tmp_path / "same.fbx").read_bytes() == (tmp_path / out).read_bytes()


def test_damaged_old_files_are_sentences(file: Path, tmp_path: Path) -> None:
    for mutant in mutants(file.read_bytes(), seed=5):
        (tmp_path / "m.fbx").write_bytes(mutant)
        with contextlib.suppress(RetimeError):  # anything else would be a fault
            retime.read(tmp_path / "m.fbx")
