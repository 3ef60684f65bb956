"""Who may talk to the studio: tried at the guard itself, every way in."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from retime.serving.addresses import listen
from retime.serving.guard import Guard

HOST = "127.0.0.1:4242"
OWN = "http://127.0.0.1:4242"


async def _app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


def make_guard() -> Guard:
    return Guard(_app, hosts=[HOST, "localhost:4242"], port=4242)


def ask(guard: Guard, path: str = "/", kind: str = "http", method: str = "GET", query: str = "",
        server: Any = None, **headers: str) -> list[dict[str, Any]]:  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    given = {"host": HOST} | {k.replace("_", "-"): v for k, v in headers.items()}
    listed = [(k.encode(), v.encode()) for k, v in given.items() if v]
    scope = {"type": kind, "path": path, "method": method, "headers": listed,
             "query_string": query.encode(), "server": server}  # fmt: skip
    asyncio.run(guard(scope, receive, send))
    return sent


def cookie_of(guard: Guard) -> str:
    reply = dict(ask(guard, query=f"token={guard.token}")[0]["headers"])
    return bytes(reply[b"set-cookie"]).decode()


def passes(sent: list[dict[str, Any]]) -> bool:
    return sent[0].get("status") == 200 or sent[0]["type"] == "websocket.accept"


def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    guard = make_guard()
    start = ask(guard, query=f"token={guard.token}")[0]
    headers = dict(start["headers"])
    assert start["status"] == 303
    assert headers[b"location"] == b"/"
    cookie = cookie_of(guard)
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert guard.token not in cookie
    assert passes(ask(guard, cookie=cookie.split(";")[0]))
    assert len(guard.token) >= 43  # 256 bits


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "\u00e9"])
def test_a_wrong_token_is_refused(token: str) -> None:
    assert ask(make_guard(), query=f"token={token}x")[0]["status"] == 403


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:4242"},
        {"host": "127.0.0.1:4243"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:4242.evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"cookie": ""},
        {"cookie": "retime-4242=wrong"},
        {"cookie": "retime-4242=\x00;;=,"},
    ],
)
def test_a_stranger_is_refused(kind: str, headers: dict[str, str]) -> None:
    guard = make_guard()
    good = {"cookie": cookie_of(guard).split(";")[0], "origin": OWN}
    assert passes(ask(guard, "/ws", kind, **good))
    sent = ask(guard, "/ws", kind, **(good | headers))
    assert not passes(sent)
    assert sent[0].get("status") == 403 or sent[0]["type"] == "websocket.close"


def test_what_changes_something_must_say_where_it_comes_from() -> None:
    guard = make_guard()
    cookie = cookie_of(guard).split(";")[0]
    assert not passes(ask(guard, "/upload", method="POST", cookie=cookie))
    assert passes(ask(guard, "/upload", method="POST", cookie=cookie, origin=OWN))
    assert not passes(ask(guard, "/ws", "websocket", cookie=cookie))


def test_every_reply_is_locked_down() -> None:
    guard = make_guard()
    cookie = cookie_of(guard).split(";")[0]
    for sent in (ask(guard, cookie=cookie), ask(guard), ask(guard, query="token=x")):
        headers = dict(sent[0]["headers"])
        assert b"default-src 'self'" in headers[b"content-security-policy"]
        assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]
        assert b"unsafe" not in headers[b"content-security-policy"]
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert headers[b"cache-control"] == b"no-store"


def test_cookies_of_other_studios_do_not_open_this_one() -> None:
    one, other = make_guard(), make_guard()
    assert not passes(ask(other, cookie=cookie_of(one).split(";")[0]))


@pytest.mark.parametrize("other", ['prefs={"a": 1}', "x", "a=b c", "a@b=1", "retime-4242=old"])
def test_odd_cookies_of_other_programs_do_not_lock_out(other: str) -> None:
    guard = make_guard()
    own = cookie_of(guard).split(";")[0]
    assert passes(ask(guard, cookie=f"{other}; {own}"))
    assert passes(ask(guard, cookie=f"{own}; {other}"))


def test_an_origin_that_is_no_address_is_refused() -> None:
    guard = make_guard()
    cookie = cookie_of(guard).split(";")[0]
    assert not passes(ask(guard, cookie=cookie, origin="http://["))


def test_small_messages_are_sent_at_once() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # what asyncio wants for TCP_NODELAY


def test_a_server_at_all_addresses_lets_in_who_names_the_one_it_was_reached_at() -> None:
    guard = Guard(_app, hosts=[HOST], port=4242, every_address=True)
    cookie = cookie_of(guard)

    def reached(server: tuple[str, int], host: str, **headers: str) -> bool:
        return passes(ask(guard, server=server, host=host, cookie=cookie, **headers))

    assert reached(("192.168.1.20", 4242), "192.168.1.20:4242")
    assert reached(("2001:db8::7", 4242), "[2001:db8::7]:4242")
    assert reached(("192.168.1.20", 4242), "192.168.1.20:4242", origin="http://192.168.1.20:4242")
    assert not reached(("192.168.1.20", 4242), "evil.example:4242")
    assert not reached(("192.168.1.20", 4242), "192.168.1.21:4242")
    assert not reached(("192.168.1.20", 4242), "192.168.1.20:4242", origin="http://evil.example")
    strict = Guard(_app, hosts=[HOST], port=4242)
    assert not passes(ask(strict, server=("192.168.1.20", 4242), host="192.168.1.20:4242"))


def test_a_key_from_a_private_file_is_exchanged_without_a_redirection() -> None:
    guard = Guard(_app, hosts=[HOST], port=4242, one_time=True)
    key, page = guard.new_key(), {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    told: list[str] = []
    guard.used = told.append
    query = f"token={key}"
    # Another site's page in the background, or in a frame, is refused, and the key is kept.
    assert ask(guard, query=query, sec_fetch_site="cross-site")[0]["status"] == 403
    framed = page | {"sec_fetch_dest": "iframe"}
    assert ask(guard, query=query, sec_fetch_site="cross-site", **framed)[0]["status"] == 403
    assert told == []
    start, body = ask(guard, query=query, sec_fetch_site="cross-site", **page)
    assert start["status"] == 200  # a redirection would get no strict cookie
    assert b"set-cookie" in dict(start["headers"])
    assert b"url=/" in body["body"]
    assert told == [key]
    assert ask(guard, query=query, sec_fetch_site="cross-site", **page)[0]["status"] == 403
    assert ask(guard, query=f"token={guard.token}")[0]["status"] == 303
    assert ask(guard, query=f"token={guard.token}")[0]["status"] == 403
