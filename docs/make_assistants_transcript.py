"""Run a session of an assistant for the page on assistants: requests, answers and pictures."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import retime

PAGE = Path(__file__).with_name("assistants.md")
PICTURES = Path(__file__).with_name("pictures")
START, END = "<!-- transcript -->\n", "<!-- end of transcript -->"


def _recipe(duration: float) -> dict[str, Any]:
    return {"steps": [{"method": "guided", "parameters": {"duration": duration}}]}


CALLS: list[tuple[str, str, dict[str, Any], str]] = [
    ("What is there?", "list_motions", {}, ""),
    ("What is in it?", "inspect", {"motion": "jump.bvh"}, ""),
    ("Make it 0.3 s long.", "propose", {"motion": "jump.bvh", "recipe": _recipe(0.3)}, ""),
    ("Then two seconds.", "propose", {"motion": "jump.bvh", "recipe": _recipe(2.0)}, ""),
    (
        "How does it look?",
        "look",
        {"motion": "jump.bvh", "show": "compare", "recipe": _recipe(2.0)},
        "assistants-compare",
    ),
    (
        "And its timing?",
        "look",
        {"motion": "jump.bvh", "show": "warp", "recipe": _recipe(2.0)},
        "assistants-warp",
    ),
    (
        "Write it.",
        "apply",
        {"motion": "jump.bvh", "recipe": _recipe(2.0), "output": "short.bvh"},
        "",
    ),
    ("Check the file.", "check", {"motion": "short.bvh", "source": "jump.bvh"}, ""),
]


async def _session(folder: Path) -> str:
    program = str(Path(sys.executable).with_name("retime"))
    server = StdioServerParameters(command=program, args=["mcp", str(folder)])
    lines = []
    async with Client(server) as client:
        for wish, tool, arguments, picture in CALLS:
            result = await client.call_tool(tool, arguments)
            lines += [f"**{wish}** `{tool}`", "", "```json", json.dumps(arguments), "```", ""]
            for part in result.content:
                if isinstance(part, types.ImageContent):
                    (PICTURES / f"{picture}.png").write_bytes(base64.b64decode(part.data))
                    lines += [f"![{wish}](pictures/{picture}.png)", ""]
                elif isinstance(part, types.TextContent):
                    lines += ["```text", *textwrap.wrap(part.text, 110), "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    try:
        retime.write(retime.samples.jump(), folder / "jump.bvh")
        transcript = asyncio.run(_session(folder))
    finally:
        shutil.rmtree(folder)
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(START)
    tail = rest.split(END)[1]
    PAGE.write_text(f"{head}{START}\n{transcript}{END}{tail}", encoding="utf-8")
    print(f"wrote {PAGE.name}")
