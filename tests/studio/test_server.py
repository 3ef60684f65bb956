"""The studio's server as a process: windows, workers, files, crashes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import retime
from gltf_making import Maker
from studio_running import Studio, Window, skip_without_pages

Start = Callable[..., Studio]
SPLINE = {"method": "spline", "parameters": {"duration": 2.5, "keytimes": [[1.0, 1.2]]}}
SHARED = Path(__file__).parents[3] / "shared"
KILLS = 20 if os.environ.get("RETIME_STRESS") else 3


def opened(studio: Studio) -> Window:
    window = studio.window()
    window.send(type="show", version="A")
    window.next("result")
    return window


def test_a_motion_is_shown_retimed_and_exported(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = studio.window()
    welcome, _ = window.next("welcome")
    assert {m["name"] for m in welcome["methods"]} >= {"spline", "guided", "physics", "align"}
    motion, arrays = window.next("motion")
    source = retime.read(jump_file)
    assert arrays["positions"].shape == (
        len(source),
        len(motion["joints"]) + len(motion["ends"]),
        3,
    )
    np.testing.assert_allclose(
        arrays["positions"], retime.positions(source, end_sites=True), atol=1e-5
    )
    window.do(type="add_step", version="A", step=SPLINE)
    _, arrays = window.next("result", lambda h: bool(h["steps"]))
    recipe = retime.Recipe([retime.Step("spline", SPLINE["parameters"])])
    expected = recipe.evaluate(source)
    np.testing.assert_allclose(
        arrays["positions"], retime.positions(expected, end_sites=True), atol=1e-5
    )
    assert np.interp(1.0, arrays["output"], arrays["source"]) == pytest.approx(1.2, abs=1e-5)
    for form, suffix in [("bvh", ".bvh"), ("npz", ".npz"), ("glb", ".glb")]:
        status, headers, data = studio.ask("GET", f"/export?format={form}&version=A")
        assert status == 200
        assert f"-retimed{suffix}" in headers["content-disposition"]
        out = studio.folder.parent / f"out{suffix}"
        out.write_bytes(data)
        np.testing.assert_allclose(
            retime.positions(retime.read(out)), retime.positions(expected), atol=2e-4
        )
    _, _, data = studio.ask("GET", "/export?format=warp&version=A")
    np.testing.assert_allclose(json.loads(data)["source"], recipe.warp(source).source)
    _, _, page = studio.ask("GET", "/export?format=report&version=A")
    assert b"<html" in page
    _, _, data = studio.ask("GET", "/export?format=recipe&version=A")
    assert studio.upload("mine.json", data, "B")[0] == 200
    document, _ = window.next("document", lambda h: bool(h["project"]["versions"]["B"]))
    assert document["project"]["versions"]["B"][0]["parameters"] == SPLINE["parameters"]
    assert studio.stop() in (0, 143)


def test_windows_agree_and_only_the_latest_preview_counts(
    start_studio: Start, jump_file: Path
) -> None:
    studio = start_studio(jump_file)
    one, other = opened(studio), opened(studio)
    one.do(type="add_step", version="A", step=SPLINE)
    for window in (one, other):
        window.next("result", lambda h: bool(h["steps"]))
    last = 0
    for k in range(30):
        change = {"type": "change_step", "id": "s1", "parameters": {"duration": 2.5 + 0.05 * k}}
        last = one.send(type="preview", command=change)
    result, _ = one.next("result", lambda h: h["request"] == last)
    assert result["duration"] == pytest.approx(2.5 + 0.05 * 29, abs=0.01)
    shown = [h["request"] for h in one.seen if h["type"] == "result" and h["request"] is not None]
    assert shown == sorted(shown)
    assert len(shown) <= 30
    one.do(**change)
    committed = [w.next("document", lambda h: h["undo"] == 2)[0] for w in (one, other)]
    assert committed[0]["hash"] == committed[1]["hash"]
    assert committed[0]["request"] == last + 1
    assert committed[1]["request"] is None
    other.next("result", lambda h: h["duration"] > 3)
    assert not [h for h in other.seen if h["type"] == "result" and h["request"] is not None]
    other.send(type="undo")
    for window in (one, other):
        window.next("document", lambda h: (h["undo"], h["redo"]) == (1, 1))


def test_a_discarded_drag_leaves_no_trace(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    window.do(type="add_step", version="A", step=SPLINE)
    before, arrays = window.next("result", lambda h: bool(h["steps"]))
    change = {"type": "change_step", "id": "s1", "parameters": {"duration": 4.0}}
    window.send(type="preview", command=change)
    window.next("result", lambda h: h["duration"] > 3)
    window.send(type="discard")
    back, again = window.next("result")
    assert back["duration"] == before["duration"]
    np.testing.assert_array_equal(arrays["positions"], again["positions"])
    window.send(type="save")
    document, _ = window.next("document")
    assert document["undo"] == 1


def watching(studio: Studio, window: Window) -> set[int]:
    """Let a search be watched; return the workers of that moment."""
    window.send(type="ask", question="watch", step="s1")
    window.next("result", lambda h: h["interim"])
    return set(studio.workers())


def test_a_slow_solver_is_cancelled_and_what_comes_next_works(
    start_studio: Start, jump_file: Path
) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    window.do(
        type="add_step", version="A", step={"method": "physics", "parameters": {"duration": 2}}
    )
    window.next("result", lambda h: bool(h["steps"]))
    for _ in range(5):  # on a busy machine the search may be over before it is stopped
        before = watching(studio, window)
        window.send(type="push", time=1.0, rate=2.0)
        window.send(type="cancel")
        window.next("problem", lambda h: h["stopped"])
        for _ in range(30):  # what was ended is listed until it is waited for
            kept = set(studio.workers()) & before
            time.sleep(0.1)
            if len(kept) == 1:
                break
        if len(kept) == 1:
            break
    window.do(type="change_step", id="s1", parameters={"duration": 2.2})
    result, _ = window.next("result", lambda h: abs(h["duration"] - 2.2) < 0.02)
    assert not result["interim"]
    assert len(kept) == 1  # one was ended, one took its place


def test_a_worker_that_dies_is_replaced_and_said(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    window.do(
        type="add_step", version="A", step={"method": "physics", "parameters": {"duration": 2}}
    )
    window.next("result", lambda h: bool(h["steps"]))
    said = ""
    for _ in range(5):  # on a busy machine the search may be over before its process is ended
        watching(studio, window)
        for worker in studio.workers():
            os.kill(worker, signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            said = window.next("problem", wait=5)[0]["text"]
            break
    assert "ended unexpectedly" in said
    window.do(type="change_step", id="s1", parameters={"duration": 2.2})
    window.next("result", lambda h: abs(h["duration"] - 2.2) < 0.02)


def test_questions_are_answered(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    window.do(
        type="add_step", version="A", step={"method": "physics", "parameters": {"duration": 1.6}}
    )
    window.next("result", lambda h: bool(h["steps"]))
    window.send(type="ask", question="physics", step="s1")
    physics, arrays = window.next("physics")
    source = retime.read(jump_file)
    least = retime.PhysicsModel(source).minimum_duration()
    assert physics["least"] == pytest.approx(least)
    assert physics["violations"]
    assert arrays["use"].shape == (len(arrays["times"]), len(source.skeleton))
    assert arrays["starts"][-1] == len(arrays["corners"])
    assert (arrays["distance"] > 0).any()
    window.send(type="ask", question="suggestions", step="s1")
    answer, _ = window.next("answer")
    expected = [s.time for s in retime.suggest_keytimes(source)]
    assert [s["time"] for s in answer["suggestions"]] == pytest.approx(expected)


def test_wrong_messages_get_a_sentence_and_change_nothing(
    start_studio: Start, jump_file: Path
) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    window.send(type="save")
    before = window.next("document")[0]["hash"]
    for text in ("", "nonsense", "[]", "{}", '{"type": "do"}', "[" * 100_000, '{"type": "do", '
                 '"request": 1, "command": {"type": "add_motion", "motion": {"name": "x", '
                 '"path": "/etc/passwd", "sha256": ""}}}'):  # fmt: skip
        window.socket.send(text)
        problem, _ = window.next("problem")
        assert problem["title"] == "The message was not understood"
    for command in (
        {"type": "remove_step", "id": "s9"},
        {"type": "add_step", "version": "A", "step": {"method": "nothing"}},
        {"type": "add_step", "version": "A",
         "step": {"method": "guided", "parameters": {"influence": "x"}}},
        {"type": "choose_motion", "id": "m9"},
        {"type": "move_audio", "offset": 1.0},
    ):  # fmt: skip
        window.do(**command)
        window.next("problem")
    window.send(type="ask", question="watch", step="s1")
    window.next("problem")
    window.send(type="save")
    assert window.next("document")[0]["hash"] == before


def test_a_library_outside_the_root_is_not_looked_into(
    start_studio: Start, jump_file: Path
) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    step = {"method": "guided", "parameters": {"reference": ["/etc"]}}
    window.do(type="add_step", version="A", step=step)
    problem, _ = window.next("problem")
    assert "outside" in problem["text"]
    # A file under the root is shown beside the result.
    shutil.copy(jump_file, studio.folder.parent / "reference.bvh")
    step = {"method": "guided", "parameters": {"reference": ["reference.bvh"]}}
    window.do(type="add_step", version="A", step=step)
    assert window.next("motion", lambda h: h["id"] == "reference.bvh")[0]["name"] == "reference"


def test_uploads_are_looked_at_first(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    before = sorted(p.name for p in (studio.folder / "motions").iterdir())
    good = jump_file.read_bytes()
    for name, data, said in (
        ("broken.bvh", good[: len(good) // 3], ""),
        ("broken.bvh", good.replace(b"MOTION", b"NOTION"), "MOTION"),
        ("broken.glb", b"glTF" + bytes(40), ""),
        ("broken.npz", b"PK\x03\x04", ""),
        ("thing.exe", b"MZ", "reads .bvh"),
        ("none", b"", "reads .bvh"),
        ("recipe.json", b"{}", "neither a recipe nor a warp"),
        ("recipe.json", b"{", "not valid JSON"),
    ):
        status, reply = studio.upload(name, data)
        assert status == 422
        assert said in reply["text"], reply
        assert str(studio.folder) not in reply["text"]
        assert reply["title"] == f"{name} was not loaded"
    assert sorted(p.name for p in (studio.folder / "motions").iterdir()) == before
    assert studio.upload("a%20second.bvh", good)[0] == 200
    document, _ = window.next("document", lambda h: len(h["project"]["motions"]) == 2)
    assert document["project"]["motions"]["m2"]["name"] == "a second"
    assert studio.upload("sound.wav", b"RIFF")[0] == 200
    assert studio.ask("GET", "/audio")[2] == b"RIFF"


def test_a_file_with_many_clips_is_one_step_of_undo(start_studio: Start, tmp_path: Path) -> None:
    studio = start_studio()
    window = studio.window()
    window.next("document")
    assert studio.upload("many.glb", many_clips(tmp_path, 14))[0] == 200
    document, _ = window.next("document", lambda h: h["project"]["motions"])
    assert len(document["project"]["motions"]) == 14
    assert document["undo"] == 1
    full = document["hash"]
    window.send(type="undo")
    document, _ = window.next("document", lambda h: not h["project"]["motions"])
    assert (document["undo"], document["redo"]) == (0, 1)
    window.send(type="redo")
    document, _ = window.next("document", lambda h: h["project"]["motions"])
    assert document["hash"] == full
    studio.stop()
    again = start_studio().window()  # the journal says the same
    document, _ = again.next("document")
    assert (document["hash"], document["undo"]) == (full, 1)


def many_clips(folder: Path, count: int) -> bytes:
    """A GLB that holds one clip several times."""
    file = folder / "one.glb"
    retime.write(retime.samples.jump(), file)
    data = file.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    document, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    clip = document["animations"][0]
    document["animations"] = [clip | {"name": f"Clip {k + 1}"} for k in range(count)]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    size = 20 + len(text) + len(rest)
    head = data[:8] + size.to_bytes(4, "little") + len(text).to_bytes(4, "little") + data[16:20]
    return head + text + rest


def test_too_much_is_refused_before_it_is_sent(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    with socket.create_connection(("127.0.0.1", studio.port)) as raw:
        head = (
            f"POST /upload?name=big.bvh HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n"
            f"Origin: {studio.origin}\r\nCookie: {studio.cookie}\r\n"
            "Content-Length: 2147483648\r\n\r\n"
        )
        raw.sendall(head.encode())
        raw.settimeout(20)
        assert b" 422 " in raw.recv(4096).split(b"\r\n")[0]
    assert not [p for p in (studio.folder / "motions").iterdir() if p.name.startswith(".")]


def test_a_result_that_is_shown_again_is_of_the_present_document(
    start_studio: Start, jump_file: Path
) -> None:
    window = opened(start_studio(jump_file))
    window.do(type="add_step", version="A", step=SPLINE)
    first, arrays = window.next("result", lambda h: h["steps"])
    for change in ("undo", "redo", "undo", "redo"):  # quicker than any result
        window.send(type=change)
    again, same = window.next("result", lambda h: h["revision"] == first["revision"] + 4)
    assert sorted(again) == sorted(first)
    np.testing.assert_array_equal(same["positions"], arrays["positions"])


def test_strangers_are_refused(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    assert studio.ask("GET", "/")[0] == 200
    assert studio.ask("GET", "/", Host="evil.example")[0] == 403
    assert studio.ask("GET", "/", Origin="http://evil.example")[0] == 403
    assert studio.ask("GET", "/", cookie="x=y")[0] == 403
    assert studio.ask("GET", "/?token=wrong", cookie="")[0] == 403
    assert studio.ask("POST", "/upload?name=x.bvh", b"x")[0] == 403
    assert studio.ask("GET", "/motions/m9/mesh")[0] == 422
    assert studio.ask("GET", "/..%2f..%2fpyproject.toml")[0] == 404
    for wrong in ({"origin": "http://evil.example"}, {"Cookie": "x=y"}, {"Host": "evil.example"}):
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            studio.window(**wrong).next("welcome")


@pytest.mark.parametrize("trial", range(KILLS))
def test_a_power_cut_loses_nothing_that_was_done(
    start_studio: Start, jump_file: Path, trial: int
) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    rng = random.Random(trial)
    window.do(type="add_step", version="A", step=SPLINE)
    count = rng.randrange(5, 40)
    for k in range(count):
        window.do(type="change_step", id="s1", parameters={"duration": 2.5 + 0.01 * (k + 1)})
    asked = 2.5 + 0.01 * count
    told = window.next("document", lambda h: h["undo"] >= 1 + rng.randrange(1, count))[0]
    done = told["hash"]
    time.sleep(rng.random() * 0.02)
    studio.kill()
    again = start_studio()
    document, _ = again.window().next("document")
    assert document["undo"] >= told["undo"]
    duration = document["project"]["versions"]["A"][0]["parameters"]["duration"]
    assert duration <= asked + 1e-9
    other = again.window()
    for depth in range(document["undo"], told["undo"], -1):
        other.send(type="undo")
        other.next("document", lambda h, d=depth: h["undo"] == d - 1)  # type: ignore[misc]
    other.send(type="save")
    assert other.next("document", lambda h: h["undo"] == told["undo"])[0]["hash"] == done


def test_a_motion_that_moved_is_found_by_its_content(start_studio: Start, tmp_path: Path) -> None:
    clip = tmp_path / "clip.bvh"
    retime.write(retime.samples.jump(), clip)
    studio = start_studio(clip)
    opened(studio)
    studio.stop()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    shutil.move(clip, tmp_path / "deep" / "er" / "other name.bvh")
    again = start_studio()
    window = again.window()
    document, _ = window.next("document")
    assert document["missing"] == ["m1"]
    window.send(type="locate", id="m1", path="../none.bvh")
    window.next("problem")
    window.send(type="locate", id="m1")
    document, _ = window.next("document", lambda h: not h["missing"])
    assert document["project"]["motions"]["m1"]["path"] == "../deep/er/other name.bvh"
    window.next("motion")


def test_a_taken_port_gets_a_sentence(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, _, err = run("studio", "--project", tmp_path / "p.retime", "--port", str(port),
                             "--no-browser")  # fmt: skip
    assert status == 2
    assert "--port 0" in err or "has no pages" in err


def test_no_form_of_a_path_leads_out(start_studio: Start, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "root").mkdir()
    for place in (outside, tmp_path / "root"):
        retime.write(retime.samples.jump(), place / "clip.bvh")
    studio = start_studio(tmp_path / "root" / "clip.bvh", folder=tmp_path / "root" / "p.retime")
    window = opened(studio)
    secret = str(outside / "clip.bvh")
    for step in (
        {"method": "align", "parameters": {"reference": {"path": secret}}},
        {"method": "align", "parameters": {"reference": [secret]}},
        {"method": "guided", "parameters": {"reference": [{"path": secret, "sha256": "x"}]}},
        {"method": "guided", "parameters": {"reference": [[secret]]}},
        {"method": "physics", "parameters": {"limit_clips": [secret]}},
    ):
        window.do(type="add_step", version="A", step=step)
        problem, _ = window.next("problem")
        assert "outside" in problem["text"] or "is a path" in problem["text"], problem
        window.send(type="undo")
    inside = {"method": "align", "parameters": {"reference": {"path": "clip.bvh"}}}
    window.do(type="add_step", version="A", step=inside)
    window.next("result", lambda h: bool(h["steps"]))


def test_an_undone_step_is_not_shown_later(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    step = {"method": "physics", "parameters": {"duration": 4.0}}
    window.do(type="add_step", version="A", step=step)
    time.sleep(0.2)
    window.send(type="undo")
    window.next("document", lambda h: h["redo"] == 1)
    before = len(window.seen)
    studio.rest()
    window.do(type="add_step", version="A", step=SPLINE)
    window.next("result", lambda h: bool(h["steps"]) and h["steps"][0]["line"]
                == "to \x1f2.5000\x1f, 1 keytime")  # fmt: skip
    shown = [h for h in window.seen[before:] if h["type"] == "result" and h["steps"]]
    assert all("keytime" in h["steps"][0]["line"] for h in shown)


def test_workers_that_die_again_and_again_are_said_and_come_back(
    start_studio: Start, jump_file: Path
) -> None:
    studio = start_studio(jump_file)
    window = opened(studio)
    for _ in range(8):
        for worker in studio.workers():
            os.kill(worker, signal.SIGKILL)
        time.sleep(0.3)
    window.do(type="add_step", version="A", step=SPLINE)
    window.next("result", lambda h: bool(h["steps"]))


def test_a_refused_preview_does_not_deafen_a_window(start_studio: Start, jump_file: Path) -> None:
    studio = start_studio(jump_file)
    one, other = opened(studio), opened(studio)
    one.send(type="preview", command={"type": "remove_step", "id": "s9"})
    one.next("problem")
    other.do(type="add_step", version="A", step=SPLINE)
    one.next("result", lambda h: bool(h["steps"]))


def test_undo_brings_the_old_motion_back_to_windows(start_studio: Start, tmp_path: Path) -> None:
    clip, other = tmp_path / "clip.bvh", tmp_path / "other.bvh"
    retime.write(retime.samples.jump(), clip)
    retime.write(retime.samples.walk(), other)
    studio = start_studio(clip)
    window = opened(studio)
    window.send(type="locate", id="m1", path="../other.bvh")
    walk, _ = window.next("motion")
    window.send(type="undo")
    jump, _ = window.next("motion")
    assert (walk["duration"], jump["duration"]) == (
        pytest.approx(retime.samples.walk().duration), pytest.approx(retime.samples.jump().duration)
    )  # fmt: skip


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are absent")
def test_a_motion_from_outside_the_root_brings_its_skeleton(
    start_studio: Start, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("cmu_11.asf", "cmu_11_01.amc"):
        shutil.copy(SHARED / "samples" / name, elsewhere)
    root = tmp_path / "root"
    root.mkdir()
    studio = start_studio(elsewhere / "cmu_11_01.amc", folder=root / "study.retime")
    motion, _ = studio.window().next("motion")
    assert "lfemur" in motion["joints"]
    kept = {p.name for p in (studio.folder / "motions").iterdir()}
    assert kept >= {"cmu_11_01.amc", "cmu_11_01.asf"}


def test_all_retimed_clips_go_into_one_file(start_studio: Start, tmp_path: Path) -> None:
    maker = Maker()
    for name in ("Wave", "Walk", "Rest"):
        maker.animate("translation", [0, 0.5, 1], [[0, 0, 0], [1, 0, 0], [0, 1, 0]], name=name)
    studio = start_studio(maker.write(tmp_path / "robot.glb"))
    window = studio.window()
    window.next("document", lambda d: len(d["project"]["motions"]) == 3)
    for motion, length in (("m1", 2.0), ("m2", 3.0)):
        window.do(type="choose_motion", id=motion)
        step = {"method": "spline", "parameters": {"duration": length}}
        window.do(type="add_step", version="A", step=step)
    window.next("document", lambda d: d["undo"] == 3)
    status, headers, data = studio.ask("GET", "/export?format=all&version=A")
    assert status == 200, data
    assert headers["content-disposition"].endswith("robot-retimed.glb")
    out = tmp_path / "out.glb"
    out.write_bytes(data)
    lengths = [retime.read(out, animation=n).duration for n in ("Wave", "Walk", "Rest")]
    assert lengths == pytest.approx([2.0, 3.0, 1.0])

    # Motions of several files come in an archive, each in its own format.
    window.send(type="sample", name="walk")
    window.next("document", lambda d: len(d["project"]["motions"]) == 4)
    window.do(type="set_recipe", motions=["m4"], version="A", steps=[SPLINE])
    window.next("document", lambda d: "m4" in d["project"]["recipes"])
    _, _, data = studio.ask("GET", "/export?format=all&version=A&fps=30")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["robot-retimed.glb", "walk-retimed.bvh"]
        archive.extract("walk-retimed.bvh", tmp_path)
    walk = retime.read(tmp_path / "walk-retimed.bvh")
    assert (walk.rate, walk.duration) == pytest.approx((30, 2.5))
    status, _, data = studio.ask("GET", "/export?format=all&version=B")
    assert status == 422
    assert b"No motion has a step in version B" in data


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Ctrl+C as a signal is a Unix thing")
def test_ctrl_c_in_a_terminal_ends_it_quietly(tmp_path: Path) -> None:
    """A file named at the start that fails is reported; Ctrl+C reaches the workers too."""
    skip_without_pages()
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY")
    command = [str(Path(sys.executable).with_name("retime")), "studio", str(broken), "--no-browser"]
    with (tmp_path / "log").open("w+") as log:
        studio = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            until = time.monotonic() + 60
            while "was not loaded" not in (tmp_path / "log").read_text():
                assert time.monotonic() < until
                time.sleep(0.1)
            os.killpg(studio.pid, signal.SIGINT)  # as a terminal does
            assert studio.wait(timeout=60) == 0
        finally:
            studio.kill()
            studio.wait()
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 3, lines
    assert lines[2] == (
        "retime: broken.bvh was not loaded. Has no MOTION section; the file may be cut off."
    )


def test_files_named_at_the_start_stay_listed_until_they_load(
    start_studio: Start, jump_file: Path, tmp_path: Path
) -> None:
    take, notes, song = tmp_path / "take.bvh", tmp_path / "notes.txt", tmp_path / "song.wav"
    take.write_text("HIERARCHY")
    notes.write_text("not a motion")
    song.write_bytes(b"RIFF")
    studio = start_studio(take, notes, song)
    window = studio.window()
    state, _ = window.next(
        "document", lambda h: len(h["failed"]) == 2 and h["project"]["audio"] is not None
    )
    assert [f["name"] for f in state["failed"]] == ["take.bvh", "notes.txt"]
    assert state["failed"][0]["text"] == "Has no MOTION section; the file may be cut off."
    assert state["failed"][1]["text"].startswith(
        "The studio cannot open a .txt file. It reads .bvh"
    )
    assert state["project"]["audio"]["name"] == "song"
    assert state["undo"] == 0

    window.send(type="forget", path=state["failed"][1]["path"])
    state, _ = window.next("document", lambda h: len(h["failed"]) == 1)
    path = state["failed"][0]["path"]
    window.send(type="retry", path=path)
    told, _ = window.next("problem")
    assert told["title"] == "take.bvh was not loaded"
    shutil.copyfile(jump_file, take)
    window.send(type="retry", path=path)
    state, _ = window.next("document", lambda h: not h["failed"])
    assert [m["name"] for m in state["project"]["motions"].values()] == ["take"]
    window.send(type="retry", path=str(jump_file))  # only files of the list
    studio.rest()
    state, _ = studio.window().next("document")
    assert [m["name"] for m in state["project"]["motions"].values()] == ["take"]
