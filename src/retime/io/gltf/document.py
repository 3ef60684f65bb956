"""A glTF file as a document: its JSON, its buffers, and queries on them.

Files outside the file's folder are never read, and sizes are bounded by the file's size.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from retime.bounded_json import parse
from retime.coercion import is_whole
from retime.errors import FormatError, RetimeError
from retime.io.files import read_bytes, write_bytes
from retime.io.links import path_from

_MAGIC = b"glTF"
_JSON, _BIN = 0x4E4F534A, 0x004E4942
# Maximum bytes of the JSON.
_MOST_JSON = 256 << 20


@dataclass(eq=False)
class Document:
    """One glTF file."""

    path: Path
    """Path of the file."""
    json: dict[str, Any]
    """The whole of its JSON."""
    buffers: list[bytes]
    """The contents of its buffers."""
    tail: bytes = b""
    """Chunks of a GLB after its binary one, kept as they are."""
    sha256: str = ""
    """Hash of the file's bytes."""
    values_read: int = 0
    key_times: dict[int, Any] = field(default_factory=dict)
    """Key times (K,) that were read, by their accessor."""
    unpacked: dict[int, bytes] = field(default_factory=dict)
    """Buffer views that were packed, by their number."""
    _added: bytearray = field(default_factory=bytearray)
    _checked: dict[str, Any] = field(default_factory=dict)
    _files: dict[Path, bytes] = field(default_factory=dict)
    _named: dict[str, bytes] = field(default_factory=dict)

    def fail(self, message: str) -> FormatError:
        """Return an error about this file."""
        return FormatError(message, path=self.path)

    @property
    def is_vrm(self) -> bool:
        """Whether it is an avatar."""
        extensions = self.json.get("extensions")
        return isinstance(extensions, dict) and bool({"VRM", "VRMC_vrm"} & extensions.keys())

    def objects(self, name: str) -> list[dict[str, Any]]:
        """Return a list of objects of the top level; none is an empty one."""
        found: Any = self.json.get(name, [])
        if name in self._checked and self._checked[name] is found:
            return found  # type: ignore[no-any-return]  # looked through once, asked for often
        if not isinstance(found, list) or not all(isinstance(v, dict) for v in found):
            raise self.fail(f'"{name}" is not a list of objects')
        self._checked[name] = found
        return found

    def item(self, name: str, index: Any, what: str) -> dict[str, Any]:
        """Return one object of a list of the top level; a wrong index is an error."""
        found = self.objects(name)
        if not is_whole(index) or not 0 <= index < len(found):
            raise self.fail(f"{what} names {name} {index!r}; there are {len(found)}")
        return found[index]

    # ---- adding

    def edited(self) -> Document:
        """Return a copy whose JSON may be changed; buffers are shared."""
        return Document(self.path, _copied(self.json), list(self.buffers), self.tail)

    def add(
        self,
        data: bytes,
        *,
        component: int,
        kind: str,
        count: int,
        target: int | None = None,
        bounds: dict[str, list[float]] | None = None,
    ) -> int:
        """Append an accessor with its data to the end of the file; return its index.

        ``bounds`` are its ``min`` and ``max``; ``target`` is its purpose on the graphics card.
        """
        view = self.add_view(data, target=target)
        accessors = self.json.setdefault("accessors", [])
        entry = {"bufferView": view, "componentType": component, "count": count}
        accessors.append(entry | {"type": kind} | (bounds or {}))
        return len(accessors) - 1

    def add_view(self, data: bytes, *, target: int | None = None) -> int:
        """Append data to the end of the file; return the index of its buffer view."""
        while len(self._added) % 4:
            self._added.append(0)
        views = self.json.setdefault("bufferViews", [])
        view = {"buffer": -1, "byteOffset": len(self._added), "byteLength": len(data)}
        views.append(view if target is None else view | {"target": target})
        self._added += data
        return len(views) - 1

    def _place_added(self, *, binary: bool) -> None:
        """Append the added data to the binary chunk, or put it into a new buffer."""
        views = [v for v in self.json.get("bufferViews", []) if v.get("buffer") == -1]
        if not views:
            return
        buffers = self.json.setdefault("buffers", [])
        at = start = 0
        if binary and buffers and self._is_whole(buffers[0]):
            # The old bytes stay where they are.
            length = max(int(buffers[0].get("byteLength", 0)), 0)
            start = -(-length // 4) * 4
            old = self.buffers[0][:length]
            self.buffers[0] = b"".join((old, bytes(start - length), self._added))
            buffers[0]["byteLength"] = len(self.buffers[0])
        else:
            at = len(buffers)
            buffers.append({"byteLength": len(self._added)})
            self.buffers.append(bytes(self._added))
        for view in views:
            view["buffer"] = at
            view["byteOffset"] += start
        self._added = bytearray()

    def _is_whole(self, first: dict[str, Any]) -> bool:
        """Return whether the first buffer's data is complete and in the binary chunk."""
        return "uri" not in first and len(self.buffers[0]) >= int(first.get("byteLength", 0))

    # ---- writing

    def save(self, path: Path) -> None:
        """Write a GLB or a .gltf, completely or not at all."""
        binary = path.suffix.lower() != ".gltf"
        self._move_links(path)
        self._place_added(binary=binary)
        if not binary:
            self._embed(0)
            write_bytes(path, [_text(self.json, indent=1), b"\n"])
            return
        self._embed(1)
        buffers = self.json.get("buffers", [])
        body = self.buffers[0] if buffers and "uri" not in buffers[0] else b""
        text = _text(self.json, separators=(",", ":"))
        text += b" " * (-len(text) % 4)
        body += b"\0" * (-len(body) % 4)
        chunks = [struct.pack("<II", len(text), _JSON), text]
        if body:
            chunks += [struct.pack("<II", len(body), _BIN), body]
        chunks.append(self.tail)
        length = 12 + sum(map(len, chunks))
        write_bytes(path, [struct.pack("<4sII", _MAGIC, 2, length), *chunks])

    def _embed(self, first: int) -> None:
        """Embed buffers without a file in the JSON, from number ``first`` on."""
        for buffer, data in list(zip(self.json.get("buffers", []), self.buffers, strict=False))[
            first:
        ]:
            told = buffer.get("byteLength", 0)
            if "uri" not in buffer and len(data) >= told:  # shorter ones are not in the file
                text = base64.b64encode(data[: buffer.get("byteLength", len(data))]).decode()
                buffer["uri"] = f"data:application/octet-stream;base64,{text}"

    def _move_links(self, path: Path) -> None:
        """Embed the buffers beside the source, and make links to images relative to the target."""
        source, target = self.path.resolve().parent, path.resolve().parent
        if source == target:
            return
        for buffer in self.json.get("buffers", []):
            if _is_local(str(buffer.get("uri", "data:"))):
                del buffer["uri"]
        for image in self.json.get("images", []):
            uri = image.get("uri") if isinstance(image, dict) else None
            if isinstance(uri, str) and _is_local(uri):
                link = path_from(source / unquote(uri), target)
                image["uri"] = Path(link).as_uri() if os.path.isabs(link) else quote(link)


def _copied(value: Any) -> Any:
    """Copy plain JSON; several times as fast as ``copy.deepcopy``."""
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return [_copied(v) for v in value] if isinstance(value, list) else value


def _text(document: dict[str, Any], **style: Any) -> bytes:
    try:
        return json.dumps(document, ensure_ascii=False, **style).encode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which only an escape can write
        return json.dumps(document, ensure_ascii=True, **style).encode()


def _is_local(uri: str) -> bool:
    return ":" not in uri.split("/", 1)[0] and not uri.startswith(("/", "\\"))


def load(path: str | Path) -> Document:
    """Read a GLB or a .gltf with its buffers."""
    path = Path(path)
    data = read_bytes(path)
    text, body, tail = _parts(data, path)
    digest = hashlib.sha256(data).hexdigest()
    document = Document(path, _parse(text, path), [], tail, digest)
    _must_be_version_2(document)
    for n, buffer in enumerate(document.objects("buffers")):
        document.buffers.append(_buffer(document, n, buffer, body))
    return document


def _parts(data: bytes, path: Path) -> tuple[bytes, bytes | None, bytes]:
    """Split a file into its JSON, its binary chunk and what follows; a .gltf is all JSON."""
    if not data:
        raise FormatError("the file is empty", path=path)
    if data[:4] == _MAGIC:
        return _chunks(data, path)
    if path.suffix.lower() != ".gltf" and data.lstrip()[:1] not in b"{\xef":
        raise FormatError("this is not a GLB file: it does not begin with 'glTF'", path=path)
    return data, None, b""


def _must_be_version_2(document: Document) -> None:
    asset = document.json.get("asset")
    asset = asset if isinstance(asset, dict) else {}
    version, least = asset.get("version", ""), asset.get("minVersion", "2.0")
    if not str(version).startswith("2.") or str(least) != "2.0":
        raise document.fail(f"glTF of version {version!r} ({least!r}); retime reads version 2.0")


def companions(path: Path) -> list[Path]:
    """Return the files with the buffers of a .gltf; a GLB contains its own."""
    if path.suffix.lower() != ".gltf":
        return []
    try:
        document = Document(path, _parse(read_bytes(path), path), [], b"", "")
        named = [(n, str(b.get("uri", "data:"))) for n, b in enumerate(document.objects("buffers"))]
        return [_place(document, n, uri) for n, uri in named if not uri.startswith("data:")]
    except RetimeError:  # reading the file reports the error
        return []


def _chunks(data: bytes, path: Path) -> tuple[bytes, bytes | None, bytes]:
    """Split a GLB into its JSON, its binary chunk and what follows."""
    data = data[: _glb_length(data, path)]
    text, at = _chunk(data, 12)
    if struct.unpack_from("<I", data, 16)[0] != _JSON or text is None:
        raise FormatError("its first chunk is not complete JSON", path=path)
    if at + 8 > len(data):
        return text, None, data[at:]
    body, end = _chunk(data, at)
    if body is None:
        raise FormatError("its binary chunk ends early", path=path)
    if struct.unpack_from("<I", data, at + 4)[0] != _BIN:
        return text, None, data[at:]
    return text, body, data[end:]


def _chunk(data: bytes, at: int) -> tuple[bytes | None, int]:
    """Return a chunk's contents, ``None`` if they are cut off, and where they end."""
    end = at + 8 + struct.unpack_from("<I", data, at)[0]
    return (data[at + 8 : end] if end <= len(data) else None), end


def _glb_length(data: bytes, path: Path) -> int:
    """Check the header of a GLB, and return its length."""
    if len(data) < 20:
        raise FormatError("the file ends inside its header", path=path)
    _, version, length = struct.unpack_from("<4sII", data)
    if length < 20:
        raise FormatError(f"its header declares a length of {length} bytes", path=path)
    if version != 2:
        raise FormatError(f"GLB of version {version}; retime reads version 2", path=path)
    if length > len(data):
        raise FormatError(f"the file ends early: it has {len(data)} of {length} bytes", path=path)
    return int(length)


def _parse(text: bytes, path: Path) -> dict[str, Any]:
    found = parse(text, path=path, most_bytes=_MOST_JSON, constants=True)
    if not isinstance(found, dict):
        raise FormatError("its JSON is not an object", path=path)
    return found


def _buffer(document: Document, n: int, buffer: dict[str, Any], body: bytes | None) -> bytes:
    length = buffer.get("byteLength", 0)
    if not is_whole(length) or length < 0:
        raise document.fail(f"buffer {n} has the length {length!r}")
    uri = buffer.get("uri")
    if uri is None:
        return body if n == 0 and body is not None else b""
    if not isinstance(uri, str):
        raise document.fail(f"the address of buffer {n} is not text")
    data = _linked(document, n, uri)
    if len(data) < length:
        raise document.fail(f"buffer {n} has {len(data)} of its {length} bytes")
    return data


def _linked(document: Document, n: int, uri: str) -> bytes:
    """Return the data at an address: in the address itself, or in a file beside the document."""
    if uri.startswith("data:"):
        return _decoded(document, n, uri)
    if uri not in document._named:
        document._named[uri] = _beside(document, n, uri)
    return document._named[uri]


def _decoded(document: Document, n: int, uri: str) -> bytes:
    head, _, text = uri.partition(",")
    if not head.endswith(";base64"):
        raise document.fail(f"buffer {n} contains data that is not base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise document.fail(f"the data of buffer {n} is broken") from None


def _beside(document: Document, n: int, uri: str) -> bytes:
    place = _place(document, n, uri)
    if place not in document._files:
        document._files[place] = read_bytes(place)
    return document._files[place]


def _place(document: Document, n: int, uri: str) -> Path:
    """Find a buffer's file; files outside the document's folder are never opened."""
    folder = document.path.resolve().parent
    try:
        name = unquote(uri, errors="strict")
        place = (folder / name).resolve() if _is_local(uri) else None
        inside = place is not None and place.is_relative_to(folder)
        found = place is not None and inside and place.is_file()
    except (OSError, ValueError, RuntimeError):  # a NUL, a name that is too long, or circular links
        raise document.fail(f"buffer {n} has no file's address: {uri[:60]!r}") from None
    if place is None or not inside:
        raise document.fail(
            f"buffer {n} is outside the file's folder ({uri[:60]!r}); it is not followed"
        )
    if not found:
        raise document.fail(f"buffer {n} is missing: {uri[:60]!r} is not beside the file")
    return place
