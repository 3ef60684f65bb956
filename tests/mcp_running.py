"""A server for assistants that really runs, and the SDK's own client."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from fbx_making import made_of
from retime import samples, write

PROGRAM = str(Path(sys.executable).with_name("retime"))


def fill(folder: Path) -> None:
    """Write a jump in three formats, and a pair that shakes hands."""
    jump = samples.jump()
    write(jump, folder / "jump.bvh")
    write(jump, folder / "jump.glb")
    made_of(jump).write(folder / "jump.fbx")
    for name, motion in zip(("ann", "ben"), samples.handshake(), strict=True):
        write(motion, folder / f"{name}.bvh")


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


@contextlib.asynccontextmanager
async def over_pipes(folder: Path) -> AsyncIterator[Client]:
    async with Client(StdioServerParameters(command=PROGRAM, args=["mcp", str(folder)])) as client:
        yield client


class HttpServer:
    """A server over HTTP, and its key."""

    def __init__(self, folder: Path) -> None:
        command = [PROGRAM, "mcp", str(folder), "--http", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        self.key = self.process.stdout.readline().split()[-1]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", self.address), self.address

    @contextlib.asynccontextmanager
    async def client(self, key: str = "") -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {key or self.key}"}
        async with (
            create_mcp_http_client(headers) as http,
            Client(streamable_http_client(self.address, http_client=http)) as client,
        ):
            yield client


@contextlib.contextmanager
def http_server(folder: Path) -> Iterator[HttpServer]:
    server = HttpServer(folder)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait()
        assert server.process.stdout is not None
        server.process.stdout.close()


def text_of(result: types.CallToolResult) -> str:
    return "".join(c.text for c in result.content if isinstance(c, types.TextContent))


def data_of(result: types.CallToolResult) -> Any:
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


def picture_of(result: types.CallToolResult) -> bytes:
    (image,) = [c for c in result.content if isinstance(c, types.ImageContent)]
    return base64.b64decode(image.data)
