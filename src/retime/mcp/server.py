"""The protocol: tools, resources and prompts over standard streams or HTTP."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

from retime import __version__
from retime.bounded_json import parse
from retime.errors import InputError, RetimeError, did_you_mean
from retime.mcp.prompts import PROMPTS, prompt_text
from retime.mcp.requests import MOST_BYTES, TOOLS
from retime.mcp.schemas import schema_of
from retime.mcp.wording import error_words
from retime.mcp.workers import Heard, Workers
from retime.parameters import declared
from retime.serving.addresses import hosts, is_every_address, is_loopback, listen, shown
from retime.serving.guard import Guard
from retime.serving.http import BoundedServer

PATH = "/mcp"
_INSTRUCTIONS = (
    "Edit when things happen in character motion. Inspect, propose, look, then apply to a new "
    "file; report only figures that a tool returned."
)
_RESOURCES = {
    "retime://recipe-schema": ("recipe-schema", "Schema of recipes", "application/json"),
    "retime://methods": ("methods", "List of methods", "text/plain"),
}
# Most sessions at once, and largest message of a connection, bytes.
_MOST_SESSIONS, _MOST_BYTES = 64, 4 << 20


class Assistants:
    """Handlers of the protocol's requests."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def server(self) -> Server[Any]:
        """Return the protocol's server."""
        return Server(
            "retime",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_read_resource=self._resource,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
        )

    async def _tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(name, made) for name, made in TOOLS.items()])

    async def _call(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            job = _job(params.name, params.arguments or {})
            answer = await self._workers.do(job, _heard(ctx))
        except RetimeError as e:
            told = types.TextContent(text=error_words(e))
            return types.CallToolResult(content=[told], is_error=True)
        content: list[types.ContentBlock] = []
        if answer.text:
            content.append(types.TextContent(text=answer.text))
        if answer.picture:
            data = base64.b64encode(answer.picture).decode()
            content.append(types.ImageContent(data=data, mime_type="image/png"))
        return types.CallToolResult(content=content)

    async def _resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        listed = [
            types.Resource(uri=uri, name=name, description=about, mime_type=kind)
            for uri, (name, about, kind) in _RESOURCES.items()
        ]
        return types.ListResourcesResult(resources=listed)

    async def _resource(
        self, ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in _RESOURCES:
            raise _refused(f"no resource is called {uri[:80]!r}; known: {', '.join(_RESOURCES)}")
        name, _, kind = _RESOURCES[uri]
        try:
            answer = await self._workers.do({"resource": name}, _heard(ctx))
        except RetimeError as e:
            raise _refused(error_words(e)) from None
        found = types.TextResourceContents(uri=uri, text=answer.text, mime_type=kind)
        return types.ReadResourceResult(contents=[found])

    async def _prompts(self, ctx: Any, params: Any) -> types.ListPromptsResult:
        listed = [
            types.Prompt(
                name=name,
                title=inspect.getdoc(made),
                arguments=[
                    types.PromptArgument(name=p.name, description=p.about.help, required=p.required)
                    for p in declared(made)
                ],
            )
            for name, made in PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=listed)

    async def _prompt(
        self, ctx: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            text = prompt_text(params.name, params.arguments or {})
        except InputError as e:
            raise _refused(error_words(e)) from None
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[message])


def _tool(name: str, made: type) -> types.Tool:
    about = (inspect.getdoc(made) or "").replace("\n\n", " ").replace("\n", " ")
    hints = types.ToolAnnotations(read_only_hint=name != "apply")
    return types.Tool(
        name=name, description=about, input_schema=schema_of(made, brief=True), annotations=hints
    )


def _job(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if name not in TOOLS:
        raise InputError(f"there is no tool {name[:80]!r}{did_you_mean(name, TOOLS)}")
    try:
        parse(json.dumps(arguments), most_bytes=MOST_BYTES)  # as the child process will
    except RecursionError:
        raise InputError("the arguments are nested too deep") from None
    except RetimeError as e:
        raise e.within("arguments") from None
    return {"tool": name, "arguments": dict(arguments)}


def _heard(ctx: Any) -> Heard:
    async def heard(done: float, total: float, word: str) -> None:
        await ctx.session.report_progress(done, total, word)

    return heard


def _refused(text: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, text)


# ---- transports


def serve_streams(folder: Path) -> None:
    """Serve one client over standard input and output."""
    asyncio.run(_over_streams(folder))


async def _over_streams(folder: Path) -> None:
    workers = Workers(folder)
    server = Assistants(workers).server()
    try:
        async with stdio_server() as (receiving, sending):
            await server.run(receiving, sending, server.create_initialization_options())
    finally:
        workers.close()


def serve_http(folder: Path, host: str, port: int, *, key: str | None = None) -> None:
    """Serve clients over HTTP that bring a key, which is printed unless it is given."""
    listening = listen(host, port, parameter="http")
    try:
        asyncio.run(_over_http(folder, host, listening, key))
    finally:
        listening.close()


async def _over_http(folder: Path, host: str, listening: Any, key: str | None) -> None:
    workers = Workers(folder)
    port = listening.getsockname()[1]
    app = (
        Assistants(workers)
        .server()
        .streamable_http_app(
            streamable_http_path=PATH,
            max_sessions=_MOST_SESSIONS,
            max_request_body_size=_MOST_BYTES,
            # The guard below checks names, sites and keys.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
    )
    guard = Guard(
        app,
        hosts=hosts(host, port),
        port=port,
        token=key,
        name="mcp",
        every_address=is_every_address(host),
        programs=True,
    )
    print(f"retime mcp: http://{shown(host)}:{port}{PATH}", flush=True)
    if key is None:
        print(f"Authorization: Bearer {guard.token}", flush=True)
    if not is_loopback(host):
        print(
            f"Warning: {host} can be reached from other machines. Anyone with the key can read "
            f"and write files under {folder}.",
            file=sys.stderr,
            flush=True,
        )
    server = BoundedServer(guard, most_message=_MOST_BYTES, most_waiting=64)
    try:
        await server.serve(sockets=[listening])
    finally:
        workers.close()
