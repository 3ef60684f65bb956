"""Sessions as an assistant has them: inspect, propose, look, apply, check."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mcp", reason="the part mcp is not installed")

from matplotlib.image import imread
from mcp.client import Client

import retime
from mcp_running import HttpServer, data_of, fill, http_server, over_pipes, picture_of, run, text_of
from retime import Evaluator, Job, Recipe, Step
from retime.cli.mcp import _address

Connect = Callable[[], AbstractAsyncContextManager[Client]]
# What a session that shortens a clip may cost: descriptions of tools, and all that they return.
MOST_CHARACTERS = 6000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    fill(folder)
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Any:
    with http_server(folder) as server:
        yield server


def _guided(duration: Any) -> dict[str, Any]:
    return {"steps": [{"method": "guided", "parameters": {"duration": duration}}]}


async def _shorten(client: Client, file: str, out: str) -> int:
    """Shorten a clip as an assistant would; return the characters that it read."""
    listed = await client.list_tools()
    tools = json.dumps([t.model_dump(exclude_none=True, by_alias=True) for t in listed.tools])
    read = [tools]

    async def call(tool: str, **arguments: Any) -> Any:
        result = await client.call_tool(tool, arguments)
        read.append(text_of(result))
        return result

    motions = data_of(await call("list_motions"))["motions"]
    (row,) = [m for m in motions if m[0] == file]
    assert row[2:] == pytest.approx([3.25, 60])
    facts = data_of(await call("inspect", motion=file))
    assert len(facts["flights"]) == 1
    assert facts["possible_lengths"]["guided"][0] == pytest.approx(0.4167, abs=1e-3)

    refused = await call("propose", motion=file, recipe=_guided(0.2))
    assert refused.is_error
    assert "0.417 s" in text_of(refused)  # the shortest that is possible

    proposed = data_of(await call("propose", motion=file, recipe=_guided(2.0)))
    assert proposed["duration"] == pytest.approx(2.0)
    assert 2 <= len(proposed["warp"]) <= 64
    assert proposed["warp"][-1] == pytest.approx([2.0, 3.25])
    assert proposed["figures"]["of"] == ["result", "uniform", "source"]
    result, uniform, _ = proposed["figures"]["flight_error g"]
    assert result < 0.1 < uniform

    picture = picture_of(await call("look", motion=file, show="compare", recipe=_guided(2.0)))
    assert max(imread(io.BytesIO(picture)).shape) <= 1024

    applied = data_of(await call("apply", motion=file, recipe=_guided(2.0), output=out))
    assert applied["written"] == out
    assert applied["figures"]["jerk"] == pytest.approx(proposed["figures"]["jerk"], rel=0.02)
    checked = data_of(await call("check", motion=out, source=file))
    assert checked["duration"] == pytest.approx(2.0, abs=1e-3)
    return sum(map(len, read))


def test_a_session_over_pipes_costs_few_characters(folder: Path) -> None:
    async def work() -> int:
        async with over_pipes(folder) as client:
            return await _shorten(client, "jump.bvh", "short.bvh")

    characters = run(work())
    assert characters <= MOST_CHARACTERS
    written = retime.read(folder / "short.bvh")
    recipe = Recipe([Step("guided", {"duration": 2.0})])
    done = Evaluator().evaluate(Job(source=retime.samples.jump(), recipe=recipe))
    assert np.allclose(retime.positions(written), retime.positions(done.motion), atol=1e-4)


@pytest.mark.parametrize("suffix", ["glb", "fbx"])
def test_sessions_over_http(served: HttpServer, folder: Path, suffix: str) -> None:
    async def work() -> None:
        async with served.client() as client:
            await _shorten(client, f"jump.{suffix}", f"short.{suffix}")

    run(work())
    assert retime.read(folder / f"short.{suffix}").duration == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(
    "text, place",
    [("", ("127.0.0.1", 8766)), ("9000", ("127.0.0.1", 9000)), ("[::1]:0", ("::1", 0))],
)
def test_an_address_may_be_left_out(text: str, place: tuple[str, int]) -> None:
    assert _address(text) == place


def test_groups_tables_and_explanations(served: HttpServer, folder: Path) -> None:
    group = {"together": {"duration": "75%", "shared": [{"range": [1.2, 2.7]}]}, "members": {}}
    table = {"lengths": {"moments": {"land": 2.0}, "pins": {"land": "60%"}, "rows": 3}}
    heard: list[str | None] = []

    async def progress(
        progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        heard.append(message)

    async def work() -> None:
        async with served.client() as client:
            pair = {"ann": "ann.bvh", "ben": "ben.bvh"}
            proposed = data_of(
                await client.call_tool(
                    "propose", {"motion": pair, "recipe": group}, progress_callback=progress
                )
            )
            assert proposed["members"]["ben"]["duration"] == pytest.approx(3.0, abs=0.02)
            out = {"ann": "ann2.bvh", "ben": "ben2.bvh"}
            done = {"motion": pair, "recipe": group, "output": out}
            applied = data_of(await client.call_tool("apply", done))
            assert applied["written"] == out
            made = data_of(
                await client.call_tool(
                    "apply", {"motion": "jump.bvh", "recipe": table, "output": "jump.json"}
                )
            )
            assert made["bytes"] == (folder / "jump.json").stat().st_size
            played = {"steps": [{"method": "lengths", "parameters": {
                "table": "jump.json", "duration": 2.0}}]}  # fmt: skip
            shown = data_of(
                await client.call_tool("propose", {"motion": "jump.bvh", "recipe": played})
            )
            assert shown["duration"] == pytest.approx(2.0)
            for about, words in {
                "": "guided: ",
                "guided": '"max_speed"',
                "guided.max_speed": "Maximum",
                "InfeasibleError": "cannot be satisfied",
                "no-feet": "no feet were found",
            }.items():
                assert words in text_of(await client.call_tool("explain", {"about": about}))
            resources = (await client.list_resources()).resources
            texts = [await client.read_resource(r.uri) for r in resources]
            schema = json.loads(texts[0].contents[0].text)  # type: ignore[union-attr]
            methods = schema["properties"]["steps"]["items"]["oneOf"]
            assert {m["properties"]["method"]["const"] for m in methods} >= {"guided", "physics"}
            for prompt in (await client.list_prompts()).prompts:
                values = {a.name: "jump.bvh" for a in prompt.arguments or []}
                got = await client.get_prompt(prompt.name, values)
                assert "jump.bvh" in str(got.messages[0].content)

    run(work())
    assert any(heard)
