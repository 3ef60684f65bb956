"""retime's own motion file: lossless, without pickle, and wary."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import quat
from retime.io.npz import read_motion
from retime.notes import as_notes

Arrays = dict[str, np.ndarray]


def made(frames: int = 5) -> retime.Motion:
    rng = np.random.default_rng(3)
    names = ("mixamorig:Hips", "左腕", "Füße #2", "")
    skeleton = retime.Skeleton(
        names,
        np.array([-1, 0, 1, -1]),
        rng.normal(size=(4, 3)),
        rest_rotations=quat.normalize(rng.normal(size=(4, 4))),
        rest_scales=rng.uniform(0.5, 2, size=(4, 3)),
        end_sites=(retime.EndSite(2, (0.1, 0.2, 0.3), "端"), retime.EndSite(3, (0.0, 1.0, 0.0))),
        file_names=("Hips", "Arm", "Arm", ""),
    )
    return retime.Motion(
        skeleton,
        quat.normalize(rng.normal(size=(frames, 4, 4))),
        {n: rng.normal(size=(frames, 3)) for n in ("mixamorig:Hips", "", "左腕")},
        {"Füße #2": rng.uniform(0.5, 2, size=(frames, 3))},
        fps=29.97,
        start=0.1 + 0.2,
        units=retime.Units(0.0254, "Z", "inferred"),
        rest_pose=retime.Pose(
            quat.normalize(rng.normal(size=(4, 4))), {"mixamorig:Hips": rng.normal(size=3)}
        ),
        notes=as_notes(["found", "angenommen: Füße"]),
    )


def read(path: Path) -> retime.Motion:
    return retime.read(path, scale=1.0, up="Y")


def same(a: retime.Motion, b: retime.Motion) -> None:
    """Compare bit for bit."""
    for name in ("names", "file_names", "end_sites"):
        assert getattr(a.skeleton, name) == getattr(b.skeleton, name)
    for name in ("parents", "offsets", "rest_rotations", "rest_scales"):
        assert np.array_equal(getattr(a.skeleton, name), getattr(b.skeleton, name))
    assert np.array_equal(a.rotations, b.rotations)
    for kind in ("translations", "scales"):
        one, two = getattr(a, kind), getattr(b, kind)
        assert list(one) == list(two)
        assert all(np.array_equal(one[n], two[n]) for n in one)
    assert (a.fps, a.start, len(a)) == (b.fps, b.start, len(b))
    assert np.array_equal(a.times, b.times)
    assert (a.rest_pose is None) == (b.rest_pose is None)
    if a.rest_pose is not None and b.rest_pose is not None:
        assert np.array_equal(a.rest_pose.rotations, b.rest_pose.rotations)
        assert list(a.rest_pose.translations) == list(b.rest_pose.translations)
        for n, t in a.rest_pose.translations.items():
            assert np.array_equal(t, b.rest_pose.translations[n])


@pytest.mark.parametrize("frames", [0, 1, 5])
def test_round_trip_is_lossless(tmp_path: Path, frames: int) -> None:
    motion = made(frames)
    retime.write(motion, tmp_path / "a.npz")
    again = read_motion(tmp_path / "a.npz")
    same(again, motion)
    assert again.units == motion.units
    assert again.notes == motion.notes


def test_round_trip_of_uneven_samples(tmp_path: Path) -> None:
    motion = replace(made(), sample_times=np.array([0.0, 0.1, 0.4, 0.41, 2.0]))
    retime.write(motion, tmp_path / "a.npz")
    again = read(tmp_path / "a.npz")
    assert again.sample_times is not None
    same(again, motion)


def test_rest_pose_may_be_dropped(tmp_path: Path) -> None:
    retime.write(made(), tmp_path / "a.npz", drop_rest=True)
    assert read(tmp_path / "a.npz").rest_pose is None


def test_a_file_tells_what_it_was_made_of(tmp_path: Path) -> None:
    source = retime.samples.jump()
    retime.write(source, tmp_path / "a.bvh")
    motion = retime.read(tmp_path / "a.bvh")
    end = motion.duration
    name = motion.skeleton.names[1]
    warp = retime.TimeWarp([0, 2 * end], [0, end], channels={name: ([0, 1, 2 * end], [0, 0, end])})
    slow = retime.apply(motion, warp)
    retime.write(slow, tmp_path / "b.npz")
    again = retime.read(tmp_path / "b.npz")
    same(again, slow)
    assert again.origin is not None
    assert slow.origin is not None
    digest = hashlib.sha256((tmp_path / "b.npz").read_bytes()).hexdigest()
    assert (again.origin.format, again.origin.sha256) == ("npz", digest)
    assert again.origin.warp is None  # nothing happened to it since
    before = again.origin.made_of
    assert before is not None
    assert (before.format, before.sha256) == ("bvh", slow.origin.sha256)
    assert before.warp == slow.origin.warp


def test_bvh_to_npz_to_bvh(tmp_path: Path) -> None:
    motion = retime.samples.jump()
    retime.write(motion, tmp_path / "a.npz")
    retime.write(read(tmp_path / "a.npz"), tmp_path / "b.bvh")
    again = retime.read(tmp_path / "b.bvh", rest_frame="keep")
    assert np.degrees(quat.angle(again.rotations, motion.rotations)).max() < 1e-5


# ---- what must be refused


def fails(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(retime.FormatError) as caught:
        retime.read(path)
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def good(folder: Path) -> bytes:
    retime.write(made(), folder / "good.npz")
    return (folder / "good.npz").read_bytes()


def packed(arrays: dict[str, Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=True, **arrays, **options)
    return buffer.getvalue()


def unpacked(data: bytes) -> Arrays:
    with np.load(io.BytesIO(data)) as loaded:
        return {name: loaded[name] for name in loaded.files}


class Bomb:
    """Pickled, it leaves a mark when loaded."""

    went_off = False

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return setattr, (Bomb, "went_off", True)


def test_pickles_are_not_loaded(tmp_path: Path) -> None:
    arrays = unpacked(good(tmp_path))
    for key in arrays:
        fails(tmp_path / "a.npz", packed(arrays | {key: np.array([Bomb()], dtype=object)}))
    (tmp_path / "a.npz").write_bytes(
        packed(arrays | {"more": np.array([Bomb()], dtype=object)})
    )  # what is not needed is not opened
    retime.read(tmp_path / "a.npz")
    fails(tmp_path / "a.npz", pickle.dumps(Bomb()))
    assert not Bomb.went_off


def test_every_truncation(tmp_path: Path) -> None:
    data = good(tmp_path)
    for end in [*range(0, len(data), 97), len(data) - 1]:
        fails(tmp_path / "a.npz", data[:end])


def test_declared_sizes_beyond_bounds(tmp_path: Path) -> None:
    """A bomb is known by the sizes that the archive declares; nothing is unpacked."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", b"x")
    data = path.read_bytes()
    central = data.rindex(b"PK\x01\x02")
    # Two entries' worth of room: the 32-bit size field, its largest value that is no marker.
    forged = data[: central + 24] + (0xFFFFFFFE).to_bytes(4, "little") + data[central + 28 :]
    entry = forged[central : forged.rindex(b"PK\x05\x06")]
    end = bytearray(forged[forged.rindex(b"PK\x05\x06") :])
    end[8:12] = (2).to_bytes(2, "little") * 2
    end[12:16] = (2 * len(entry)).to_bytes(4, "little")
    message = fails(path, forged[:central] + entry + entry + bytes(end))
    assert "unpacks to 4095 MB, far more than such a file needs" in message


def header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "entry",
    [
        header("(99999999999999,)"),
        header("(9999999999999999999999999,)"),
        header("(4611686018427387904, 4)"),
        header("(-1,)"),
        header("(1.5,)"),
        header("((((("),
        header("'x'"),
        header("(2,)") + b"short",
        b"\x93NUMPY\x09\x00",
        b"",
        b"no array",
    ],
)
def test_arrays_that_lie(tmp_path: Path, entry: bytes) -> None:
    good(tmp_path)
    with (
        zipfile.ZipFile(tmp_path / "good.npz") as old,
        zipfile.ZipFile(tmp_path / "a.npz", "w") as new,
    ):
        for name in old.namelist():
            new.writestr(name, entry if name == "rotations.npy" else old.read(name))
    fails(tmp_path / "a.npz", (tmp_path / "a.npz").read_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        b"HIERARCHY\nROOT A\n",
        bytes(1000),
        packed({"x": np.zeros(3)}),
        packed({"about": np.zeros(3)}),
        packed({"about": np.frombuffer(b"{}", np.uint8)}),
        packed({"about": np.frombuffer(b"[1]", np.uint8)}),
        packed({"about": np.frombuffer(b"\xff\xff", np.uint8)}),
        packed({"about": np.frombuffer(b"[" * 100_000, np.uint8)}),
        packed({"about": np.frombuffer(b'{"format": "retime-motion"}', np.uint8)}),
    ],
)
def test_other_files(tmp_path: Path, data: bytes) -> None:
    fails(tmp_path / "a.npz", data)


def test_plain_array_and_plain_zip(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros((3, 3)))
    fails(tmp_path / "a.npz", buffer.getvalue())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme.txt", "no arrays")
    fails(tmp_path / "a.npz", buffer.getvalue())


ABOUT: dict[str, dict[str, Any]] = {
    "newer version": {"version": 2},
    "no version": {"version": None},
    "other format": {"format": "other"},
    "no names": {"names": []},
    "a name short": {"names": ["a", "b", "c"]},
    "same names": {"names": ["a"] * 4},
    "names no list": {"names": 4},
    "names no texts": {"names": [1, 2, 3, [4]]},
    "file names short": {"file_names": ["a"]},
    "zero rate": {"fps": 0},
    "huge rate": {"fps": 10**400},
    "rate no number": {"fps": "fast"},
    "NaN start": {"start": float("nan")},
    "bad units": {"units": [-1, "Y", "declared"]},
    "bad up axis": {"units": [1, "W", "declared"]},
    "unknown track": {"translations": ["x", "y", "z"]},
    "a track short": {"translations": ["左腕"]},
    "end site of no joint": {"end_sites": [[99, 0, 0, 0, ""]]},
    "end site of a negative joint": {"end_sites": [[-1, 0, 0, 0, ""]]},
    "end site without a place": {"end_sites": [[0, "x", None, 0, ""]]},
    "end site at NaN": {"end_sites": [[0, float("nan"), 0, 0, ""]]},
    "end site of infinite joint": {"end_sites": [[float("inf"), 0, 0, 0, ""]]},
    "short end site": {"end_sites": [[0]]},
    "rest pose without arrays": {"rest_pose": ["a", "b"]},
    "origin without warp": {"origin": {}},
    "origin no object": {"origin": 3},
    "bad warp": {"origin": {"format": "", "path": "", "sha256": "", "warp": {"format": "x"}}},
    "notes no list": {"notes": 5},
}
ARRAYS: dict[str, Arrays] = {
    "NaN rotation": {"rotations": np.full((5, 4, 4), np.nan)},
    "zero rotation": {"rotations": np.zeros((5, 4, 4))},
    "too few joints": {"rotations": quat.identity(5, 3)},
    "rotations no numbers": {"rotations": np.full((5, 4, 4), "x")},
    "complex rotations": {"rotations": quat.identity(5, 4).astype(complex)},
    "NaN translation": {"translations": np.full((3, 5, 3), np.nan)},
    "frames that differ": {"translations": np.zeros((3, 4, 3))},
    "NaN offset": {"offsets": np.full((4, 3), np.nan)},
    "parent after child": {"parents": np.array([-1, 2, 1, -1])},
    "parents too many": {"parents": np.array([-1, 0, 0, 0, 0])},
    "NaN rest rotation": {"rest_rotations": np.full((4, 4), np.nan)},
    "NaN rest scale": {"rest_scales": np.full((4, 3), np.nan)},
    "rest pose of other shape": {"rest_pose_rotations": quat.identity(3)},
    "rest pose NaN": {"rest_pose_rotations": np.full((4, 4), np.nan)},
    "rest pose place of other shape": {"rest_pose_translations": np.zeros((1, 5))},
    "sample times fall": {"sample_times": np.array([0.0, 1, 2, 1, 3])},
}


@pytest.mark.parametrize("change", ABOUT.values(), ids=ABOUT.keys())
def test_headers_that_make_no_motion(tmp_path: Path, change: dict[str, Any]) -> None:
    arrays = unpacked(good(tmp_path))
    about = json.loads(arrays["about"].tobytes()) | change
    text = json.dumps(about).encode()
    fails(tmp_path / "a.npz", packed(arrays | {"about": np.frombuffer(text, np.uint8)}))


@pytest.mark.parametrize("change", ARRAYS.values(), ids=ARRAYS.keys())
def test_arrays_that_make_no_motion(tmp_path: Path, change: Arrays) -> None:
    fails(tmp_path / "a.npz", packed(unpacked(good(tmp_path)) | change))


@pytest.mark.parametrize("key", ["about", "parents", "offsets", "rotations", "translations"])
def test_missing_arrays(tmp_path: Path, key: str) -> None:
    arrays = unpacked(good(tmp_path))
    del arrays[key]
    fails(tmp_path / "a.npz", packed(arrays))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_random_edits_are_read_or_refused(tmp_path: Path, method: int) -> None:
    good(tmp_path)
    buffer = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "good.npz") as old, zipfile.ZipFile(buffer, "w", method) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    data = buffer.getvalue()
    path = tmp_path / "a.npz"
    wrong: list[str] = []
    for seed in range(300):
        rng = random.Random(seed)
        edited = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            edited[rng.randrange(len(edited))] = rng.randrange(256)
        path.write_bytes(edited)
        try:
            retime.read(path)
        except retime.RetimeError:
            pass
        except Exception as e:
            wrong.append(repr(e))
    assert wrong == []
