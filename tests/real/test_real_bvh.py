"""Real clips: word for word back, and joints where plain matrices put them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import quat

SHARED = Path(__file__).parents[2].parent / "shared"
CMU = sorted((SHARED / "mocap").glob("*.bvh"))
SAMPLES = sorted((SHARED / "samples").glob("*.bvh"))
CLIPS = CMU + SAMPLES

pytestmark = pytest.mark.skipif(not CLIPS, reason=f"no clips beside the project, in {SHARED.name}/")


class Plain:
    """A clip read without any of retime's code: words, matrices, and nothing clever."""

    def __init__(self, path: Path) -> None:
        words = path.read_text().split()
        self.words = words
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[list[float]] = []
        self.channels: list[tuple[int, str]] = []  # joint and channel of each column
        self.ends: list[tuple[int, list[float]]] = []
        stack: list[int] = []
        i = 1
        while words[i] != "MOTION":
            word = words[i]
            if word in ("ROOT", "JOINT"):
                self.parents.append(stack[-1] if stack else -1)
                self.names.append(words[i + 1])
                self.offsets.append([])
                stack.append(len(self.names) - 1)
                i += 3
            elif word == "End":
                # End Site { OFFSET x y z }
                self.ends.append((stack[-1], [float(w) for w in words[i + 4 : i + 7]]))
                i += 8
            elif word == "OFFSET":
                self.offsets[stack[-1]] = [float(w) for w in words[i + 1 : i + 4]]
                i += 4
            elif word == "CHANNELS":
                count = int(words[i + 1])
                self.channels += [(stack[-1], c) for c in words[i + 2 : i + 2 + count]]
                i += 2 + count
            else:
                assert word == "}"
                stack.pop()
                i += 1
        self.frames = int(words[i + 2])
        numbers = np.array(words[i + 6 :], dtype=float)
        self.rows = numbers.reshape(self.frames, len(self.channels))

    def positions(self, frames: np.ndarray) -> np.ndarray:
        """Place joints and end sites by products of 3 x 3 matrices, (F, J + E, 3)."""
        rows = self.rows[frames]
        local = np.tile(np.eye(3), (len(frames), len(self.names), 1, 1))
        place = np.tile(np.array(self.offsets), (len(frames), 1, 1))
        for column, (joint, channel) in enumerate(self.channels):
            axis = "XYZ".index(channel[0])
            if channel.endswith("position"):
                place[:, joint, axis] = rows[:, column]
                continue
            angle = np.radians(rows[:, column])
            j, k = (axis + 1) % 3, (axis + 2) % 3
            turn = np.tile(np.eye(3), (len(frames), 1, 1))
            turn[:, j, j] = turn[:, k, k] = np.cos(angle)
            turn[:, k, j] = np.sin(angle)
            turn[:, j, k] = -np.sin(angle)
            local[:, joint] = local[:, joint] @ turn
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                place[:, joint] = place[:, parent] + (
                    local[:, parent] @ place[:, joint, :, None]
                ).squeeze(-1)
                local[:, joint] = local[:, parent] @ local[:, joint]
        ends = [place[:, j] + local[:, j] @ np.array(offset) for j, offset in self.ends]
        return np.concatenate([place, np.stack(ends, axis=1)], axis=1)


@pytest.fixture(scope="module", params=CLIPS, ids=lambda p: p.stem)
def clip(request: pytest.FixtureRequest) -> tuple[Path, Plain]:
    return request.param, Plain(request.param)


def test_word_for_word(clip: tuple[Path, Plain], tmp_path: Path) -> None:
    path, plain = clip
    retime.write(retime.read(path), tmp_path / "out.bvh")
    assert (tmp_path / "out.bvh").read_text().split() == plain.words


def test_joints_stand_where_matrices_put_them(clip: tuple[Path, Plain]) -> None:
    path, plain = clip
    motion = retime.read(path, scale=1.0, up="Y", rest_frame="keep")
    assert list(motion.skeleton.file_names) == plain.names
    assert motion.skeleton.parents.tolist() == plain.parents
    assert motion.skeleton.offsets.tolist() == plain.offsets
    assert [(s.parent, list(s.offset)) for s in motion.skeleton.end_sites] == plain.ends
    assert len(motion) == plain.frames
    frames = np.unique(np.linspace(0, plain.frames - 1, 200).astype(int))
    got = retime.positions(motion, end_sites=True)[frames]
    size = np.abs(plain.rows).max()
    assert np.abs(got - plain.positions(frames)).max() < 1e-11 * size


def test_retimed_by_nothing_keeps_the_angles(clip: tuple[Path, Plain], tmp_path: Path) -> None:
    path, plain = clip
    motion = retime.read(path, rest_frame="keep")
    same = retime.apply(motion, retime.TimeWarp.identity(*motion.domain))
    retime.write(same, tmp_path / "out.bvh")
    again = Plain(tmp_path / "out.bvh")
    assert again.channels == plain.channels
    # A hair off the lock, a millionth of a degree of the middle angle moves the outer ones more.
    assert np.abs(again.rows - plain.rows).max() < 1e-3


def test_retimed_angles_stay_near_the_source(clip: tuple[Path, Plain], tmp_path: Path) -> None:
    path, plain = clip
    motion = retime.read(path, scale=1.0, up="Y", rest_frame="keep")
    start, end = motion.domain
    slow = retime.apply(motion, retime.TimeWarp([start, 1.5 * end], [start, end]))
    retime.write(slow, tmp_path / "out.bvh")
    again = Plain(tmp_path / "out.bvh")
    assert again.channels == plain.channels
    near = np.clip(np.round(slow.times / 1.5 * motion.fps).astype(int), 0, plain.frames - 1)
    turning = [i for i, (_, c) in enumerate(plain.channels) if c.endswith("rotation")]
    assert np.abs(again.rows - plain.rows[near])[:, turning].max() <= 180
    back = retime.read(tmp_path / "out.bvh", scale=1.0, up="Y", rest_frame="keep")
    assert np.degrees(quat.angle(back.rotations, slow.rotations)).max() < 1e-4
    size = np.abs(plain.rows).max()
    apart = retime.positions(back, end_sites=True) - retime.positions(slow, end_sites=True)
    assert np.abs(apart).max() < 1e-6 * size


@pytest.mark.skipif(not CMU, reason="no CMU clips")
@pytest.mark.parametrize("path", CMU, ids=lambda p: p.stem)
def test_cmu_rest_frame_and_rate(path: Path, tmp_path: Path) -> None:
    motion = retime.read(path)
    frames = int(path.read_text().split("Frames:")[1].split()[0])
    assert len(motion) == frames - 1
    assert motion.rest_pose is not None
    assert any("rest pose" in note for note in motion.notes)
    assert motion.fps == 120.0
    retime.write(motion, tmp_path / "out.bvh", drop_rest=True)
    dropped = (tmp_path / "out.bvh").read_text()
    assert f"Frames: {frames - 1}\n" in dropped
    assert dropped.split()[-96:] == path.read_text().split()[-96:]


@pytest.mark.skipif(not SAMPLES, reason="no samples")
def test_samples_are_read_as_they_are() -> None:
    rates = {"makehuman_zombieWalk1": 24.0, "three_pirouette": 120.0}
    found = {p.stem: retime.read(p) for p in SAMPLES}
    for name, rate in rates.items():
        if name in found:
            assert found[name].fps == rate
            assert found[name].rest_pose is None
