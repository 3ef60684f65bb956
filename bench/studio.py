"""The studio in a headless browser: a dragged keytime until the new motion is on screen.

Ours is the median of the whole way there and back: the window's message, the solver's process, the
frame, the picture drawn and presented. The peers are what a hand and an eye ask for,
and what plain JSON or another reader takes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import retime
from bench.timing import Figure, seconds
from retime import quat

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
# Each method's step, and the parameters that a hand drags, by the number of the move.
_STEPS = {
    "spline": {"duration": 2.4, "keytimes": [[0.85, 1.42], [1.57, 2.29]]},
    "guided": {"duration": 2.4, "keytimes": [[0.85, 1.42], [1.57, 2.29]]},
    "surface": {"keys": [{"time": 1.6, "joint": "RightHand", "shift": 0.0}]},
    "stagger": {},
}
_MOVES = {
    "spline": "{ keytimes: [[0.85 + 0.004 * k, 1.42], [1.57, 2.29]] }",
    "guided": "{ keytimes: [[0.85 + 0.004 * k, 1.42], [1.57, 2.29]] }",
    "surface": "{ keys: [{ time: 1.6, joint: 'RightHand', shift: -0.002 * (k + 1) }] }",
    "stagger": "{ edits: [{ do: 'succession', joint: 'RightArm', step: 0.001 * (k + 1), "
    "power: 1.5 }] }",
}
_WHAT = {
    "spline": "keytime dragged until on screen, spline",
    "guided": "keytime dragged until on screen, guided",
    "surface": "surface dragged until on screen",
    "stagger": "succession slid until on screen",
}
# A result is on screen when the browser has presented the frame. The frame that draws the new
# motion adds a mark to the page, and the element timing of the mark gives the time.
_DRAG = """async (count) => {
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  const id = retime.state.selectedStep.value, ways = [], frames = [];
  let move = 0, presented = () => {}, mark = null, known = retime.state.result.value;
  const observer = new PerformanceObserver((list) => {
    for (const { identifier, renderTime } of list.getEntries())
      if (identifier === `move ${move}`) presented(renderTime);
  });
  observer.observe({ type: "element" });
  const forget = retime.state.result.subscribe((result) => {
    if (result === known) return;
    known = result;
    requestAnimationFrame(() => { // after the view's own, which asked first, or has drawn already
      mark?.remove();
      mark = document.createElement("span");
      mark.textContent = ".";
      mark.style.cssText = "position: fixed; left: 0; top: 0; z-index: 99; font-size: 4px";
      mark.setAttribute("elementtiming", `move ${move}`);
      document.body.append(mark);
    });
  });
  for (; move < count; move++) {
    const k = move, drawn = retime.view.drawCount, begun = performance.now();
    const seen = new Promise((done) => { presented = done; });
    retime.actions.preview({ id, parameters: MOVE });
    ways.push((await seen) - begun);
    if (retime.view.drawCount === drawn) throw new Error("the new motion was not drawn");
    frames.push(retime.view.lastFrameMs);
    await later(100);
  }
  forget();
  observer.disconnect();
  mark?.remove();
  retime.actions.discard();
  return [ways, frames];
}"""
_JSON = """async ([points, count]) => {
  const text = JSON.stringify(points), ways = [];
  for (let k = 0; k < count; k++) {
    const begun = performance.now();
    const rows = JSON.parse(text);
    const flat = new Float32Array(rows.length * rows[0].length * 3);
    let place = 0;
    for (const row of rows) for (const point of row) for (const x of point) flat[place++] = x;
    ways.push(performance.now() - begun);
  }
  return ways;
}"""
# A second connection of the page, without drawing: time from the request to readable numbers.
_RECEIVE = """async (count) => {
  const later = (ms) => new Promise((done) => setTimeout(done, ms)), ways = [];
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
  let taken = () => {};
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") return;
    const length = new DataView(data).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    if (header.type === "result") taken(new Float32Array(data, 4 + length));
  };
  await new Promise((done) => { socket.onopen = done; });
  await later(500);
  for (let k = 0; k < count; k++) {
    const received = new Promise((done) => { taken = done; }), begun = performance.now();
    socket.send(JSON.stringify({ type: "show", version: "A", editing: null }));
    const values = await received;
    ways.push(performance.now() - begun);
    if (values.length < 1200 * 31 * 3) throw new Error("that was not all of it");
    await later(100);
  }
  socket.close();
  return ways;
}"""
_SHOWN = """async (count) => {
  const later = (ms) => new Promise((done) => setTimeout(done, ms)), ways = [];
  for (let k = 0; k < count; k++) {
    const before = retime.state.result.value, begun = performance.now();
    retime.actions.showVersion("A");
    while (retime.state.result.value === before) await later(0);
    ways.push(performance.now() - begun);
    await later(100);
  }
  return ways;
}"""


_SHEET = """(count) => {
  const { poses } = document.querySelector("#panel-poses"), ways = [];
  for (let k = 0; k < count; k++) {
    window.dispatchEvent(new Event("resize"));  // which draws all of it at once
    ways.push(poses.drawTime());
  }
  return ways;
}"""


def _until(page: Any, expression: str, wait: float = 60) -> None:
    end = time.monotonic() + wait
    while not page.evaluate(f"Boolean({expression})"):
        if time.monotonic() > end:
            raise TimeoutError(expression)
        time.sleep(0.01)


def _long_clip(folder: Path) -> Path:
    """Make a clip of 5,000 frames: a walk on and on."""
    walk = retime.samples.walk()
    start, end = walk.domain
    times = np.linspace(start, end, 5000)
    long = retime.apply(walk, retime.TimeWarp.identity(start, end), times=times)
    rotations, translations = long.rotations, dict(long.translations)
    made = retime.Motion(long.skeleton, rotations, translations, fps=120)
    retime.write(made, folder / "long.bvh")
    return folder / "long.bvh"


def figures() -> Iterator[Figure]:
    path = shutil.which("chromium")
    if path is None:
        print("studio: chromium is not installed; left out")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        jump = retime.apply(
            retime.samples.jump(fps=120), retime.TimeWarp([0, 3.325], [0, 3.25]), fps=120
        )
        retime.write(jump, folder / "jump.bvh")
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("retime")), "studio", str(folder / "jump.bvh"),
             "--no-browser"], stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            page = browser.new_page(viewport={"width": 640, "height": 360})
            page.goto(address)
            _until(page, "window.retime && retime.state.result.value && retime.state.source.value")
            yield from _drags(page, len(jump))
            yield from _buffers(page, folder)
            yield from _loading(page, folder)
            yield from _sheet(page, folder)
            browser.close()
        finally:
            process.terminate()
            process.wait()


def _drags(page: Any, frames: int) -> Iterator[Figure]:
    for method, parameters in _STEPS.items():
        page.evaluate(
            "s => retime.actions.addStep(s)", {"method": method, "parameters": parameters}
        )
        _until(page, "retime.state.steps.value.length === 1 && !retime.state.computing.value")
        time.sleep(2)
        move = _DRAG.replace("MOVE", _MOVES[method])
        page.evaluate(move, 5)
        ways, draws = page.evaluate(move, 40)
        what = f"{_WHAT[method]}, {frames} frames"
        yield Figure(what, float(np.median(ways)) / 1e3, "50 ms, three frames at 60 Hz", 50e-3)
        if method == "spline":
            yield Figure(
                "main thread for a frame of the view", float(np.median(draws)) / 1e3,
                "8 ms, half a frame at 60 Hz", 8e-3,
            )  # fmt: skip
        page.evaluate("retime.actions.undo()")
        _until(page, "retime.state.steps.value.length === 0")


def _buffers(page: Any, folder: Path) -> Iterator[Figure]:
    draw = np.random.default_rng(0)
    parents = np.arange(-1, 30)
    skeleton = retime.Skeleton(
        tuple(f"J{j}" for j in range(31)), parents, draw.normal(0, 0.2, size=(31, 3))
    )
    turns = np.cumsum(draw.normal(0, 0.02, (1200, 31, 3)), axis=0)
    motion = retime.Motion(skeleton, quat.exp(turns), {"J0": np.zeros((1200, 3))}, fps=120)
    retime.write(motion, folder / "many.bvh")
    _upload(page, folder / "many.bvh", 2)
    page.evaluate("retime.actions.run({ type: 'choose_motion', id: 'm2' })")
    _until(page, "retime.state.result.value?.frames === 1200 && !retime.state.computing.value")
    time.sleep(2)
    received = float(np.median(page.evaluate(_RECEIVE, 15))) / 1e3
    shown = float(np.median(page.evaluate(_SHOWN, 15))) / 1e3
    points = np.round(retime.positions(motion), 5).tolist()
    plain = float(np.median(page.evaluate(_JSON, [points, 9]))) / 1e3
    text = seconds(lambda: json.dumps(points))
    for what, ours in (("received", received), ("drawn in all views", shown)):
        yield Figure(
            f"1,200 x 31 poses asked for and {what}", ours,
            "the same written and read as JSON", text + plain,
        )  # fmt: skip


def _upload(page: Any, clip: Path, count: int) -> None:
    page.evaluate(
        "([name, text]) => retime.actions.upload([new File([text], name)])",
        [clip.name, clip.read_text()],
    )
    _until(page, f"retime.state.clips.value.size === {count}")


def _loading(page: Any, folder: Path) -> Iterator[Figure]:
    import bvhio

    clip = _long_clip(folder)
    begun = time.perf_counter()
    _upload(page, clip, 3)
    ours = time.perf_counter() - begun
    yield Figure(
        "5,000 frames of BVH uploaded and shown", ours, "bvhio, read only",
        seconds(lambda: bvhio.readAsBvh(str(clip)), repeats=1),
    )  # fmt: skip


def _sheet(page: Any, folder: Path) -> Iterator[Figure]:
    """Draw a dope sheet of more than 10,000 keys, all rows unfolded and all of it in sight."""
    walk = retime.samples.walk(fps=30)
    turns = np.concatenate([walk.rotations] * 30)
    ways = {name: np.concatenate([way] * 30) for name, way in walk.translations.items()}
    retime.write(retime.Motion(walk.skeleton, turns, ways, fps=30), folder / "steps.bvh")
    page.set_viewport_size({"width": 1440, "height": 1300})
    page.evaluate("document.querySelector('.app').style.setProperty('--timeline-chosen', '720px')")
    _upload(page, folder / "steps.bvh", 4)
    page.evaluate("retime.actions.run({ type: 'choose_motion', id: 'm4' })")
    page.evaluate("retime.actions.addStep({ method: 'stagger' })")
    _until(page, "retime.state.result.value?.header.editor?.type === 'poses'")
    page.evaluate(
        "for (let n = 0; n < 5; n++) document.querySelectorAll('.pose-row.limb')[n].click()"
    )
    keys = page.evaluate("retime.state.result.value.block('included').reduce((a, b) => a + b)")
    time.sleep(1)
    page.evaluate(_SHEET, 5)
    ours = float(np.median(page.evaluate(_SHEET, 40))) / 1e3
    page.evaluate("retime.state.selectedStep.value = null")
    time.sleep(1)
    empty = float(np.median(page.evaluate(_SHEET, 40))) / 1e3
    yield Figure(f"dope sheet of {int(keys):,} keys drawn", ours, "the same sheet, empty", empty)
