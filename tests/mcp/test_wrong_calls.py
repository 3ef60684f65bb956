"""Wrong requests: a sentence each, nothing written, and the server goes on."""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import os
from pathlib import Path
from typing import Any

import pytest

from retime import samples, write

pytest.importorskip("mcp", reason="the part mcp is not installed")

from mcp_running import data_of, fill, http_server, run, text_of

Call = tuple[str, dict[str, Any]]
J = {"motion": "jump.bvh"}


def _steps(method: Any = "guided", **parameters: Any) -> dict[str, Any]:
    return {"steps": [{"method": method, "parameters": parameters}]}


def _apply(output: Any, **more: Any) -> Call:
    return "apply", J | {"recipe": _steps(duration=2.0), "output": output} | more


def _propose(recipe: Any, **more: Any) -> Call:
    return "propose", J | {"recipe": recipe} | more


# A request that takes a second, to be cancelled.
SLOW = {"lengths": {"rows": 64}}
DEEP: Any = {}
for _ in range(150):
    DEEP = {"a": DEEP}

CALLS: dict[str, Call] = {
    "unknown tool": ("delete", {}),
    "no arguments": ("inspect", {}),
    "unknown argument": ("inspect", J | {"color": "red"}),
    "wrong type": ("inspect", {"motion": 7}),
    "a list for a file": ("inspect", {"motion": ["jump.bvh"]}),
    "a file that is not there": ("inspect", {"motion": "jmup.bvh"}),
    "a folder": ("inspect", {"motion": "inner"}),
    "no motion format": ("inspect", {"motion": "notes.txt"}),
    "a damaged file": ("inspect", {"motion": "broken.bvh"}),
    "an absolute path": ("inspect", {"motion": "/etc/passwd"}),
    "a path above": ("inspect", {"motion": "../secret.bvh"}),
    "a path above, from inside": ("inspect", {"motion": "inner/../../secret.bvh"}),
    "a link outside": ("inspect", {"motion": "link.bvh"}),
    "a linked folder": ("inspect", {"motion": "away/secret.bvh"}),
    "a circle of links": ("inspect", {"motion": "circle.bvh"}),
    "a NUL": ("inspect", {"motion": "jump\0.bvh"}),
    "a long name": ("inspect", {"motion": "j" * 100_000}),
    "a name of marks": ("inspect", {"motion": "\u202e\n.bvh"}),
    "a home folder": ("inspect", {"motion": "~/secret.bvh"}),
    "listing above": ("list_motions", {"under": ".."}),
    "listing a file": ("list_motions", {"under": "jump.bvh"}),
    "a file that names one outside": ("inspect", {"motion": "outside.gltf"}),
    "a linked skeleton": ("inspect", {"motion": "take.amc"}),
    "a layer outside": ("inspect", {"motion": "layer.usda"}),
    "a picture of nothing": ("look", J | {"show": "colours"}),
    "a warp without a recipe": ("look", J | {"show": "warp"}),
    "a result outside": ("look", J | {"show": "compare", "result": "../secret.bvh"}),
    "no recipe": ("propose", J),
    "an empty recipe": _propose({}),
    "a recipe as text": _propose("faster"),
    "steps that are none": _propose({"steps": "guided"}),
    "a step that is none": _propose({"steps": [7]}),
    "an unknown method": _propose(_steps("guide")),
    "an unknown parameter": _propose(_steps(durration=2)),
    "a length below zero": _propose(_steps(duration=-1)),
    "a huge length": _propose(_steps("spline", duration=1e300)),
    "a long length": _propose(_steps("spline", duration=1e9)),
    "a whole number beyond all": _propose(_steps(duration=10**400)),
    "a huge rate": _propose(_steps(duration=2.0), fps=1e12),
    "levels": _propose(DEEP),
    "a large request": _propose({"steps": [], "label": "x" * 1_100_000}),
    "an impossible length": _propose(_steps("physics", duration=0.5)),
    "a keytime outside": _propose(_steps(keytimes=[[0.5, 99.0]])),
    "a reference outside": _propose(_steps("align", reference="../secret.bvh")),
    "a reference by link": _propose(_steps(reference=["link.bvh"])),
    "a reference object": _propose(_steps("align", reference={"path": "/etc/passwd"})),
    "a table outside": _propose(_steps("lengths", table="../secret.json")),
    "a group of one name": _propose({"together": {}, "members": {}}),
    "a group without a file": _propose({"together": {}}, motion={"ann": "nobody.bvh"}),
    "a member that is no text": _propose({"together": {}}, motion={"ann": 7}),
    "a source that is gone": ("check", J | {"source": "gone.bvh"}),
    "an output outside": _apply("../out.bvh"),
    "an absolute output": _apply("/tmp/retime-out.bvh"),
    "an output by link": _apply("away/out.bvh"),
    "an output that exists": _apply("ann.bvh"),
    "the source as output": _apply("jump.bvh", overwrite=True),
    "no folder for it": _apply("new/out.bvh"),
    "no format": _apply("out.doc"),
    "an output of a group": _apply({"ann": "out.bvh"}),
    "a table as a motion": ("apply", J | {"recipe": {"lengths": {}}, "output": "out.bvh"}),
    "an unknown name": ("explain", {"about": "gided"}),
    "a name that is no text": ("explain", {"about": {"a": 1}}),
}


def _contents(folder: Path) -> dict[str, str]:
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink()]
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Make all calls to one server, by two clients in turn, among others that are cancelled."""
    top = tmp_path_factory.mktemp("top")
    folder = top / "clips"
    (folder / "inner").mkdir(parents=True)
    fill(folder)
    (top / "secret.bvh").write_bytes((folder / "jump.bvh").read_bytes())
    (top / "secret.json").write_text("{}")
    (folder / "notes.txt").write_text("not a motion")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT")
    (folder / "outside.gltf").write_text(
        '{"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret.bvh", "byteLength": 9}],'
        ' "animations": [{}]}'
    )
    (top / "secret.asf").write_text(":version 1.10")
    (folder / "take.amc").write_text(":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n")
    try:
        (folder / "take.asf").symlink_to(top / "secret.asf")
        write(samples.chain(), top / "secret.usda")
        (folder / "layer.usda").write_text("#usda 1.0\n(subLayers = [@../secret.usda@])\n")
        (folder / "link.bvh").symlink_to(top / "secret.bvh")
        (folder / "away").symlink_to(top)
        (folder / "circle.bvh").symlink_to(folder / "circle.bvh")
    except OSError:
        pytest.skip("the file system cannot make links")
    before = _contents(top)
    with http_server(folder) as server:
        found = run(_all_calls(server))
        status = [_status(server, **headers) for headers in _FOREIGN]
    return found, before, _contents(top), status


async def _all_calls(server: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    async with server.client() as one, server.client() as other:
        for number, (name, (tool, arguments)) in enumerate(CALLS.items()):
            client = (one, other)[number % 2]
            if number % 12 == 0:
                slow = J | {"recipe": SLOW, "output": f"never{number}.json"}
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(client.call_tool("apply", slow), 0.05)
            try:
                result = await client.call_tool(tool, arguments)
                out[name] = result.is_error, text_of(result)
            except Exception as e:  # a request that the protocol itself refuses
                out[name] = True, str(e)
        both = [c.call_tool("inspect", J) for c in (one, other)]
        out["alive"] = [data_of(r)["frames"] for r in await asyncio.gather(*both)]
    return out


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_is_answered_with_a_sentence(name: str, answers: Any) -> None:
    found, before, after, _ = answers
    is_error, text = found[name]
    assert is_error, text
    assert 10 < len(text) <= 400
    assert "\n" not in text.strip()
    assert not any(word in text for word in ("Traceback", "bug in retime", "Error:", str(os.sep)
                                             + "clips" + os.sep))  # fmt: skip
    assert before == after


@pytest.mark.parametrize("name", ["a link outside", "a linked folder", "a linked skeleton"])
def test_links_do_not_lead_out_of_the_folder(name: str, answers: Any) -> None:
    assert "outside the folder" in answers[0][name][1]


def test_the_server_goes_on(answers: Any) -> None:
    assert answers[0]["alive"] == [196, 196]


# Requests without the key, from other sites, and by another name.
_FOREIGN: list[dict[str, str]] = [
    {},
    {"Authorization": "Bearer wrong"},
    {"Origin": "http://elsewhere.example"},
    {"Host": "elsewhere.example"},
]


def _status(server: Any, **headers: str) -> int:
    place = server.address.removeprefix("http://").removesuffix("/mcp")
    connection = http.client.HTTPConnection(place, timeout=20)
    key = {"Authorization": f"Bearer {server.key}"} if "Authorization" not in headers else {}
    body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    try:
        connection.request("POST", "/mcp", body, (key if headers else {}) | headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_strangers_are_refused(answers: Any) -> None:
    assert answers[3] == [403] * len(_FOREIGN)
