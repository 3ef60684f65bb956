"""Small glTF files for tests."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """Take a GLB apart without the code under test."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def glb(document: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body += b"\0" * (-len(body) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body))
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    return head + chunks + struct.pack("<I4s", len(body), b"BIN\0") + body


class Maker:
    """Builds small glTF documents by hand."""

    def __init__(self) -> None:
        self.body = b""
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "A"}],
            "bufferViews": [], "accessors": [], "animations": [],
        }  # fmt: skip

    def view(self, data: bytes) -> int:
        self.body += b"\0" * (-len(self.body) % 4)
        entry = {"buffer": 0, "byteOffset": len(self.body), "byteLength": len(data)}
        self.json["bufferViews"].append(entry)
        self.body += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, kind: str, *, component: int = 5126, **more: Any) -> int:
        dtype = {5126: "<f4", 5122: "<i2", 5120: "i1", 5121: "u1"}[component]
        array = np.asarray(values, dtype=dtype)
        view = self.view(array.tobytes())
        count = len(array)
        entry = {"bufferView": view, "componentType": component, "count": count, "type": kind}
        self.json["accessors"].append(entry | more)
        return len(self.json["accessors"]) - 1

    def animate(
        self,
        path: str,
        times: Any,
        values: Any,
        kind: str = "LINEAR",
        node: int = 0,
        name: str = "",
        **more: Any,
    ) -> None:
        at = self.accessor(times, "SCALAR")
        size = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
        out = self.accessor(values, size, **more)
        self.json["animations"].append(
            {
                "name": name or f"{path} {kind}",
                "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
                "samplers": [{"input": at, "output": out, "interpolation": kind}],
            }
        )

    def write(self, path: Path) -> Path:
        self.json["buffers"] = [{"byteLength": len(self.body)}]
        path.write_bytes(glb(self.json, self.body))
        return path
