"""Write ``src/protocol.ts`` from the messages and frame headers of ``retime.studio``."""

from __future__ import annotations

import sys
import types
import typing
from pathlib import Path
from typing import Any, Literal

import msgspec

from retime.studio import commands, frame_headers, messages

HEAD = """// Made by web/make_protocol.py from retime/studio; changes here are lost.
"""
UNIONS = {
    "Command": commands.ClientCommand,
    "ClientMessage": messages.ClientMessage,
    "ServerMessage": messages.ServerMessage,
    "FrameHeader": frame_headers.MotionHeader
    | frame_headers.ResultHeader
    | frame_headers.PhysicsHeader
    | frame_headers.LiveHeader
    | frame_headers.LiveServerHeader,
}
PLAIN = {float: "number", int: "number", str: "string", bool: "boolean", type(None): "null"}


def typescript(kind: Any) -> str:
    """Name a type as TypeScript does."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    for name, union in UNIONS.items():
        if kind == union:
            return name
    if kind is Any:
        return "unknown"
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Literal:
        return " | ".join(f'"{v}"' for v in inner)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(typescript(k) for k in inner)
    if origin is tuple and Ellipsis not in inner:
        return f"[{', '.join(typescript(k) for k in inner)}]"
    if origin in (list, tuple):
        item = typescript(inner[0])
        return f"({item})[]" if " " in item else f"{item}[]"
    if origin is dict:
        return f"Record<{typescript(inner[0])}, {typescript(inner[1])}>"
    return str(kind.__name__)


def _first_line(doc: str) -> str:
    return doc.strip().splitlines()[0]


def _structs(kind: Any, found: dict[str, type]) -> None:
    """Collect the structs that a type leads to."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind.__name__ in found:
            return
        for hint in typing.get_type_hints(kind).values():
            _structs(hint, found)
        found[kind.__name__] = kind
    for inner in typing.get_args(kind):
        _structs(inner, found)


def protocol() -> str:
    """Return the module's text."""
    found: dict[str, type] = {}
    for union in UNIONS.values():
        _structs(union, found)
    parts = [HEAD]
    for name, kind in found.items():
        lines = [f"/** {_first_line(kind.__doc__ or '')} */", f"export interface {name} {{"]
        config = kind.__struct_config__  # type: ignore[attr-defined]
        if config.tag is not None:
            lines.append(f'  type: "{config.tag}";')
        hints = typing.get_type_hints(kind)
        for field in msgspec.structs.fields(kind):
            optional = "?" if config.omit_defaults and not field.required else ""
            if not field.required and not config.omit_defaults and config.tag is not None:
                optional = "?"
            lines.append(f"  {field.encode_name}{optional}: {typescript(hints[field.name])};")
        parts.append("\n".join([*lines, "}", ""]))
    for name, union in UNIONS.items():
        members = " | ".join(k.__name__ for k in typing.get_args(union))
        parts.append(f"export type {name} = {members};\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).parent / "src" / "protocol.ts"
    if sys.argv[1:] == ["--check"]:
        sys.exit(target.read_text() != protocol())
    target.write_text(protocol())
