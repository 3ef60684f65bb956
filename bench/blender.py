"""The Blender extension in real Blender: re-keying an action, and a round trip to the engine.

The peers are what Blender's users have: a loop over keys in Python, as add-ons scale actions, and
Blender's own bake of the same frames.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.timing import Figure

ROOT = Path(__file__).parents[1]
_INSIDE = """
import json, os, sys, time
import bpy
import numpy as np

sys.path.insert(0, os.environ["RETIME_ROOT"])
import blender as extension

extension.register()
from blender import actions, capture, engine_process, graphs, plan, retiming

CURVES, KEYS = 96, 400
scene = bpy.context.scene
scene.render.fps = 120
data = bpy.data.armatures.new("figure")
figure = bpy.data.objects.new("figure", data)
scene.collection.objects.link(figure)
bpy.context.view_layer.objects.active = figure
bpy.ops.object.mode_set(mode="EDIT")
above = None
for k in range(CURVES // 3):
    bone = data.edit_bones.new(f"bone{k}")
    bone.head, bone.tail = (0, 0, k), (0, 0, k + 1)
    bone.parent, above = above, bone
bpy.ops.object.mode_set(mode="OBJECT")
draw = np.random.default_rng(0)
for bone in figure.pose.bones:
    bone.rotation_mode = "XYZ"
    bone.keyframe_insert("rotation_euler", frame=1)
animated = actions.animation_of(figure)
for curve in animated.curves:
    values = np.cumsum(draw.normal(0, 0.02, KEYS))
    from blender.keys import BEZIER, Keys
    Keys.made(np.arange(1, KEYS + 1), values, BEZIER).write(curve)

out = np.linspace(1, 300, 200)
graph = graphs.Graph(out, np.interp(out, [1, 100, 300], [1, 220, KEYS]))
warp = graphs.Warp(graph, {}, False, [])


def ours():
    for curve, keys in plan.rekeyed(animated.keyed_curves, graph, None):
        keys.write(curve)


def plain_loop():
    for curve in animated.curves:
        for key in curve.keyframe_points:
            key.co[0] = 1 + (key.co[0] - 1) * 1.001
            key.handle_left[0] = 1 + (key.handle_left[0] - 1) * 1.001
            key.handle_right[0] = 1 + (key.handle_right[0] - 1) * 1.001
        curve.update()


def best(run, repeats=5):
    took = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        took.append(time.perf_counter() - begun)
    return min(took)


def restore():
    for curve in animated.curves:
        keys = Keys.read(curve)
        Keys.made(np.arange(1, KEYS + 1), keys.co[:, 1], BEZIER).write(curve)


figures = {}
for name, run in (("rekey", ours), ("loop", plain_loop)):
    took = []
    for _ in range(7):
        restore()
        begun = time.perf_counter()
        run()
        took.append(time.perf_counter() - begun)
    figures[name] = min(took)
restore()


def steps():
    engine = yield from engine_process.running_engine("")
    seen = yield from capture.captured(bpy.context, figure, 1, KEYS)
    return engine, seen


def exhausted(run):
    while True:
        try:
            next(run)
        except StopIteration as e:
            return e.value


engine, seen = exhausted(steps())
recipe = retiming.recipe_of([retiming.step("guided", duration=2.5)])


def trip():
    seen.write(engine.folder / "in.npz")
    request = {
        "motion": str(engine.folder / "in.npz"), "recipe": recipe,
        "out": str(engine.folder / "out.npz"), "warp": str(engine.folder / "warp.json"),
    }
    answer = exhausted(engine.ask(request))
    return retiming.Result(seen, request["out"], request["warp"], answer)


trip()
figures["trip"] = best(lambda: (recipe["steps"][0]["parameters"].update(
    duration=recipe["steps"][0]["parameters"]["duration"] + 0.05), trip()))
figures["capture"] = best(lambda: exhausted(steps()), 3)
figures["whole"] = best(lambda: bpy.ops.retime.to_length(frames=300, method="guided"), 1)
from bpy_extras import anim_utils

options = anim_utils.BakeOptions(
    only_selected=False, do_pose=True, do_object=False, do_visual_keying=True,
    do_constraint_clear=False, do_parents_clear=False, do_clean=False, do_location=True,
    do_rotation=True, do_scale=True, do_bbone=True, do_custom_props=True,
)
figures["blender bake"] = best(
    lambda: anim_utils.bake_action(figure, action=None, frames=range(1, KEYS + 1),
                                   bake_options=options), 1)
engine_process.stop_engine()
print("FIGURES " + json.dumps(figures))
"""


def figures() -> Iterator[Figure]:
    python = ROOT / ".venv-blender/bin/python"
    if not python.exists():
        print("blender: there is no .venv-blender with bpy in it; left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "RETIME_ROOT": str(ROOT),
            "RETIME_ENGINE": sys.executable,
            "BLENDER_USER_RESOURCES": folder,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [str(python), "-c", _INSIDE],
            env=os.environ | settings, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
    found = [s[8:] for s in done.stdout.splitlines() if s.startswith("FIGURES ")]
    if not found:
        print(f"blender: left out, for it failed: {done.stderr.strip()[-500:]}")
        return
    took = json.loads(found[0])
    yield Figure(
        "re-key 96 F-curves x 400 keys", took["rekey"],
        "a loop over keys in Python, scaling only", took["loop"],
    )  # fmt: skip
    yield Figure(
        "round trip to the engine, 400 frames, guided", took["trip"], "1 s, an animator's patience",
        1.0,
    )  # fmt: skip
    yield Figure(
        "read 400 poses of 32 bones", took["capture"], "Blender's own bake", took["blender bake"]
    )
    yield Figure(
        "the whole operator, from click to keys",
        took["whole"],
        "Blender's own bake",
        took["blender bake"],
    )
