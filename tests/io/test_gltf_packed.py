"""Animations packed by EXT_meshopt_compression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from gltf_making import glb, parts
from retime import FormatError, TimeWarp, apply, quat, samples
from retime.io.gltf.kernels import decode_attributes

NAME = "EXT_meshopt_compression"


def encode(values: np.ndarray[Any, Any]) -> bytes:
    """Pack rows of bytes as the extension's text tells: each group by its smallest mode."""
    count, stride = values.shape
    most = min((8192 // stride) & ~15, 256)
    out, last = bytearray([0xA0]), values[0].astype(int)
    for start in range(0, count, most):
        block = values[start : start + most].astype(int)
        for k in range(stride):
            delta = np.diff(np.r_[last[k], block[:, k]]).astype(np.int8).astype(int)
            zigzag = ((delta << 1) ^ (delta >> 7)) & 255
            zigzag = np.r_[zigzag, np.zeros(-len(zigzag) % 16, dtype=int)]
            modes, bodies = [], []
            for group in zigzag.reshape(-1, 16):
                sizes = [0 if not group.any() else 99, *(_size(group, b) for b in (2, 4)), 16]
                modes.append(int(np.argmin(sizes)))
                bodies.append(_packed(group, modes[-1]))
            header = [0] * (-(-len(modes) // 4))
            for g, mode in enumerate(modes):
                header[g // 4] |= mode << (2 * (g % 4))
            out += bytes(header) + b"".join(bodies)
        last = block[-1]
    return bytes(out) + bytes(max(32 - stride, 0)) + bytes(values[0].tobytes())


def _size(group: Any, bits: int) -> int:
    return 2 * bits + int((group >= 2**bits - 1).sum())


def _packed(group: Any, mode: int) -> bytes:
    if mode in (0, 3):
        return b"" if mode == 0 else bytes(group.tolist())
    bits, full = 2 * mode, 2 ** (2 * mode) - 1
    text = "".join(f"{min(v, full):0{bits}b}" for v in group.tolist())
    return int(text, 2).to_bytes(2 * bits, "big") + bytes(v for v in group.tolist() if v >= full)


@pytest.mark.parametrize("count", [1, 16, 17, 300])
@pytest.mark.parametrize("stride", [4, 8, 12, 64])
def test_what_was_packed_is_unpacked(count: int, stride: int) -> None:
    draw = np.random.default_rng(count + stride)
    noise = draw.integers(0, 256, (count, stride))
    for values in (noise, 0 * noise, np.cumsum(noise % 3, axis=0), np.where(noise < 20, noise, 7)):
        rows = values.astype(np.uint8)
        found, whole = decode_attributes(np.frombuffer(encode(rows), np.uint8), count, stride)
        assert whole
        np.testing.assert_array_equal(found, rows)


def _pack(source: Path, target: Path, damage: Any = lambda data: data) -> None:
    """Pack every animation sampler of a GLB as gltfpack does: keys by filter, times plainly."""
    document, body = parts(source)
    packed = bytearray(body)
    samplers = [s for a in document["animations"] for s in a["samplers"]]
    for index in {s[which] for s in samplers for which in ("input", "output")}:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        at = view["byteOffset"] + accessor.get("byteOffset", 0)
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        values = np.frombuffer(body, "<f4", accessor["count"] * width, at).reshape(-1, width)
        name, rows = "NONE", values.view(np.uint8)
        if width == 4:
            name, rows = "QUATERNION", _quaternion_filter(values)
            accessor |= {"componentType": 5122, "normalized": True}
        elif width == 3:
            name, rows = "EXPONENTIAL", _exponential_filter(values)
        data = damage(encode(np.ascontiguousarray(rows)))
        told = {
            "buffer": 0, "byteOffset": len(packed), "byteLength": len(data), "mode": "ATTRIBUTES",
            "byteStride": rows.shape[1], "count": len(rows), "filter": name,
        }  # fmt: skip
        packed += data + bytes(-len(data) % 4)
        accessor |= {"bufferView": len(document["bufferViews"]), "byteOffset": 0}
        length = len(rows) * rows.shape[1]
        document["bufferViews"].append(
            {"buffer": 1, "byteLength": length, "extensions": {NAME: told}}
        )
    document["buffers"][0]["byteLength"] = len(packed)
    document["buffers"].append({"byteLength": 1, "extensions": {NAME: {"fallback": True}}})
    document["extensionsRequired"] = [NAME]
    target.write_bytes(glb(document, bytes(packed)))


def _quaternion_filter(values: Any) -> Any:
    place = np.argmax(np.abs(values), axis=1)
    rows = np.arange(len(values))
    signed = values * np.where(values[rows, place] < 0, -1, 1)[:, None]
    out = np.zeros((len(values), 4), "<i2")
    for k in range(3):
        out[:, k] = np.rint(signed[rows, (place + k + 1) & 3] * np.sqrt(2) * 32767)
    out[:, 3] = (32767 & ~3) | place
    return out.view(np.uint8)


def _exponential_filter(values: Any) -> Any:
    exponent = np.maximum(np.frexp(np.abs(values))[1] - 22, -100)
    mantissa = np.rint(np.ldexp(values.astype(float), -exponent)).astype(np.int64)
    return ((mantissa & 0xFFFFFF) | ((exponent & 0xFF) << 24)).astype("<u4").view(np.uint8)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("glb") / "walk.glb"
    retime.write(samples.walk(), path)
    return path


def test_a_packed_animation_is_read_and_retimed_in_place(plain: Path, tmp_path: Path) -> None:
    _pack(plain, tmp_path / "packed.glb")
    before, packed = retime.read(plain), retime.read(tmp_path / "packed.glb")
    assert quat.angle(packed.rotations, before.rotations).max() < 2e-4
    np.testing.assert_allclose(retime.positions(packed), retime.positions(before), atol=1e-3)
    slow = apply(packed, TimeWarp([0, 2 * packed.duration], [0, packed.duration]))
    retime.write(slow, tmp_path / "slow.glb")
    written = retime.read(tmp_path / "slow.glb")
    assert written.duration == pytest.approx(2 * before.duration, abs=1e-5)
    at = retime.apply(written, TimeWarp.identity(*written.domain), times=2 * before.times)
    np.testing.assert_allclose(retime.positions(at), retime.positions(before), atol=2e-3)


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda d: d[:-40], "is damaged|is cut off"),
        (lambda d: d[:1] + bytes([255]) * (len(d) - 1), "is damaged"),
        (lambda d: b"\xa1" + d[1:], "another version"),
    ],
)
def test_damaged_packs_are_a_sentence(plain: Path, tmp_path: Path, damage: Any, said: str) -> None:
    _pack(plain, tmp_path / "packed.glb", damage)
    with pytest.raises(FormatError, match=said):
        retime.read(tmp_path / "packed.glb")
