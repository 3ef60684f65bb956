"""Animations packed by EXT_meshopt_compression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from gltf_making import glb, parts
from retime import FormatError, TimeWarp, _native, apply, quat, samples

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
        data = np.frombuffer(encode(rows), np.uint8)
        found, whole = _native.gltf.decode_attributes(data, count, stride)
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


def _as_gltfpack(source: Path, target: Path, extension: str) -> None:
    """Make a GLB in the shape that gltfpack writes: no names, one view for all keys of a kind.

    Channels that stand still have one key at 0, times are shared, and a skin and a quantized mesh
    with packed indices lie beside.
    """
    document, body = parts(source)
    stored, views, accessors, fallback = bytearray(), [], [], 0

    def view(rows: Any, name: str, mode: str = "ATTRIBUTES") -> int:
        nonlocal stored, fallback
        data = (
            encode(np.ascontiguousarray(rows)) if mode == "ATTRIBUTES" else bytes([0xE1, 0, 0, 0])
        )
        told = {
            "buffer": 0, "byteOffset": len(stored), "byteLength": len(data), "mode": mode,
            "byteStride": rows.shape[1], "count": len(rows), "filter": name,
        }  # fmt: skip
        if name == "NONE":
            del told["filter"]
        stored += data + bytes(-len(data) % 4)
        views.append({
            "buffer": 1, "byteOffset": fallback, "byteLength": rows.size,
            "extensions": {extension: told},
        })  # fmt: skip
        fallback += rows.size
        return len(views) - 1

    def floats(index: int) -> Any:
        accessor = document["accessors"][index]
        at = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        at += accessor.get("byteOffset", 0)
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        return np.frombuffer(body, "<f4", accessor["count"] * width, at).reshape(-1, width)

    animation = document["animations"][0]
    times = floats(animation["samplers"][0]["input"])
    keys: dict[str, list[Any]] = {"rotation": [], "translation": [], "scale": []}
    for channel in animation["channels"]:
        values = floats(animation["samplers"][channel["sampler"]]["output"])
        still = bool((np.ptp(values, axis=0) < 1e-7).all())
        keys[channel["target"]["path"]].append((channel, values[:1] if still else values, still))
    at = view(np.r_[times, np.zeros((1, 1), "<f4")].view(np.uint8), "NONE")
    for offset, count in ((0, len(times)), (4 * len(times), 1)):
        low, high = (0.0, float(times[-1, 0])) if count > 1 else (0.0, 0.0)
        accessors.append({
            "bufferView": at, "byteOffset": offset, "componentType": 5126, "count": count,
            "type": "SCALAR", "min": [low], "max": [high],
        })  # fmt: skip
    samplers: list[dict[str, int]] = []
    for path, filtered, name, kind, more in (
        ("rotation", _quaternion_filter, "QUATERNION", "VEC4", {"normalized": True}),
        ("translation", _exponential_filter, "EXPONENTIAL", "VEC3", {}),
    ):
        together = np.concatenate([values for _, values, _ in keys[path]])
        rows, offset = filtered(together), 0
        at = view(rows, name)
        for channel, values, still in keys[path]:
            accessors.append({
                "bufferView": at, "byteOffset": offset, "count": len(values), "type": kind,
                "componentType": 5122 if path == "rotation" else 5126, **more,
            })  # fmt: skip
            offset += len(values) * rows.shape[1]
            channel["sampler"] = len(samplers)
            samplers.append({"input": int(still), "output": len(accessors) - 1})
    listed = [c for path in ("rotation", "translation") for c, *_ in keys[path]]
    places = view(np.zeros((3, 8), np.uint8), "NONE")
    corners = view(np.zeros((3, 2), np.uint8), "NONE", "TRIANGLES")
    accessors += [
        {"bufferView": places, "componentType": 5123, "normalized": True, "count": 3,
         "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]},
        {"bufferView": corners, "componentType": 5123, "count": 3, "type": "SCALAR"},
    ]  # fmt: skip
    primitive = {"attributes": {"POSITION": len(accessors) - 2}, "indices": len(accessors) - 1}
    nodes = [{k: v for k, v in n.items() if k != "name"} for n in document["nodes"]]
    nodes.append({"mesh": 0, "scale": [0.01] * 3, "translation": [-1, 0, 0]})
    scene = {"nodes": [*document["scenes"][0]["nodes"], len(nodes) - 1]}
    used = ["KHR_mesh_quantization", extension]
    made = {
        "asset": {"version": "2.0", "generator": "gltfpack 0.24"},
        "extensionsUsed": used, "extensionsRequired": used, "scene": 0, "scenes": [scene],
        "nodes": nodes, "meshes": [{"primitives": [primitive]}], "accessors": accessors,
        "bufferViews": views, "animations": [{"channels": listed, "samplers": samplers}],
        "buffers": [
            {"byteLength": len(stored)},
            {"byteLength": fallback, "extensions": {extension: {"fallback": True}}},
        ],
    }  # fmt: skip
    target.write_bytes(glb(made, bytes(stored)))


@pytest.mark.parametrize("extension", [NAME, NAME.replace("EXT", "KHR")])
def test_a_file_in_the_shape_of_gltfpack(plain: Path, tmp_path: Path, extension: str) -> None:
    _as_gltfpack(plain, tmp_path / "packed.glb", extension)
    before, packed = retime.read(plain), retime.read(tmp_path / "packed.glb")
    assert len(packed) == len(before)
    # Names are left out: joints are told by where they are.
    places, wanted = retime.positions(packed), retime.positions(before)
    apart = np.linalg.norm(places[:, :, None] - wanted[:, None], axis=-1).max(axis=0)
    assert apart.min(axis=0).max() < 2e-3
    warp = TimeWarp([0, 0.7, 2 * packed.duration], [0, 0.5, packed.duration])
    retime.write(apply(packed, warp, exact=True), tmp_path / "slow.glb")
    again = retime.read(tmp_path / "slow.glb")
    assert again.duration == pytest.approx(2 * before.duration, abs=1e-4)
    at = np.linspace(0.1, again.duration - 0.1, 9)
    shown = retime.positions(apply(again, TimeWarp.identity(*again.domain), times=at))
    source = retime.positions(apply(packed, TimeWarp.identity(*packed.domain), times=warp(at)))
    np.testing.assert_allclose(shown, source, atol=3e-3)
    assert parts(tmp_path / "slow.glb")[0]["meshes"] == parts(tmp_path / "packed.glb")[0]["meshes"]


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
