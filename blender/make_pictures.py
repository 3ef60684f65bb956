"""Make the pictures of docs/blender.md: curves drawn from what Blender holds, and Cycles renders.

It runs where retime is installed and starts Blender's Python (``.venv-blender``) for the rest:
``python blender/make_pictures.py``.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import retime

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs/pictures"
_INSIDE = '''
import json, os, sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

sys.path.insert(0, os.environ["RETIME_ROOT"])
import blender as extension

extension.register()
from blender import actions, engine_process, graphs
from blender.keys import Keys

OUT = Path(os.environ["RETIME_OUT"])


def curve_of(figure, path, index):
    keys = Keys.read(actions.animation_of(figure).find(path, index))
    curve = actions.animation_of(figure).find(path, index)
    first, last = keys.co[0, 0], keys.co[-1, 0]
    frames = np.linspace(first, last, 400)
    return {
        "co": keys.co.tolist(), "left": keys.handle_left.tolist(),
        "right": keys.handle_right.tolist(), "frames": frames.tolist(),
        "values": [curve.evaluate(f) for f in frames],
    }


def few_keys():
    """An arm of five keys, and the same arm through a marker that was dragged."""
    bpy.ops.wm.read_homefile(use_empty=True)
    data = bpy.data.armatures.new("arm")
    figure = bpy.data.objects.new("arm", data)
    bpy.context.scene.collection.objects.link(figure)
    bpy.context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("Arm")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = figure.pose.bones["Arm"]
    bone.rotation_mode = "XYZ"
    for frame, turn in ((1, 0.0), (13, -0.5), (25, 1.6), (34, 1.3), (61, 0.0)):
        bone.rotation_euler.x = turn
        bone.keyframe_insert("rotation_euler", index=0, frame=frame)
    scene = bpy.context.scene
    path = 'pose.bones["Arm"].rotation_euler'
    out = {"before": curve_of(figure, path, 0)}
    scene.timeline_markers.new("hit", frame=25)
    bpy.ops.retime.pin_markers()
    scene.timeline_markers["hit"].frame = 37
    bpy.ops.retime.keytimes(method="spline")
    out["after"] = curve_of(figure, path, 0)
    warp = json.loads((engine_process._running.folder / "warp.json").read_text())
    out["warp"] = {k: (1 + 24 * np.array(warp[k])).tolist() for k in ("output", "source")}
    return out


def body(figure):
    """Give every bone a simple shape, and light the scene."""
    shapes = []
    for bone in figure.data.bones:
        if bone.length < 1e-3:
            continue
        width = 0.12 * bone.length + 0.03
        w = (width, width * 0.8)
        mesh = bpy.data.meshes.new(bone.name)
        points = [(0, 0, 0)]
        points += [(sx * w[0], 0.2 * bone.length, sz * w[1]) for sx, sz in
                   ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        points += [(0, bone.length, 0)]
        faces = [(0, a, b) for a, b in ((2, 1), (3, 2), (4, 3), (1, 4))]
        faces += [(5, a, b) for a, b in ((1, 2), (2, 3), (3, 4), (4, 1))]
        mesh.from_pydata(points, [], faces)
        shapes.append((bone.name, mesh))
    return shapes


def strip(frames, place, colour):
    """Copy the figure's shapes as it stands at some frames, side by side along x."""
    scene = bpy.context.scene
    skin = bpy.data.materials.new("skin")
    skin.use_nodes = True
    skin.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1)
    copies = [(name, mesh.copy()) for name, mesh in shapes]
    for _, mesh in copies:
        mesh.materials.append(skin)
    for k, frame in enumerate(frames):
        scene.frame_set(int(frame))
        seen = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for name, mesh in copies:
            thing = bpy.data.objects.new(f"{name} {frame}", mesh)
            shift = Matrix.Translation(Vector((1.05 * k, 0, place)))
            thing.matrix_world = shift @ centred @ seen.matrix_world @ seen.pose.bones[name].matrix
            scene.collection.objects.link(thing)


figures = few_keys()
bpy.ops.wm.read_homefile(use_empty=True)
import addon_utils

addon_utils.enable("io_anim_bvh")
bpy.ops.import_anim.bvh(filepath=os.environ["RETIME_BVH"], update_scene_fps=True,
                        update_scene_duration=True, global_scale=1.0)
figure = bpy.context.object
shapes = body(figure)
centred = Matrix.Identity(4)
every = 12
_, last = (int(f) for f in actions.animation_of(figure).frame_range)
strip(range(1, last + 1, every), 2.4, (0.2, 0.22, 0.26))
count = len(range(1, last + 1, every))
bpy.ops.retime.to_length(frames=round((last - 1) * 0.62), method="guided")
_, new = (int(f) for f in actions.animation_of(figure).frame_range)
strip(range(1, new + 1, every), 0.0, (0.7, 0.2, 0.05))
scene = bpy.context.scene
figure.hide_render = True
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
scene.camera = camera
camera.data.type = "ORTHO"
camera.data.ortho_scale = 1.05 * (count + 0.6)
camera.location = (1.05 * (count - 1) / 2, -12, 2.2)
camera.rotation_euler = (1.5708, 0, 0)
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.data.energy, sun.rotation_euler = 2.0, (0.8, 0.3, 0.4)
scene.collection.objects.link(sun)
scene.world = bpy.data.worlds.new("world")
if not scene.world.use_nodes:
    scene.world.use_nodes = True  # Blender 4 asks for it
scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.8, 0.82, 0.85, 1)
scene.render.engine = "CYCLES"
scene.cycles.samples = 24
scene.cycles.use_denoising = False
scene.view_settings.view_transform = "Standard"
scene.render.resolution_x, scene.render.resolution_y = 1400, 400
scene.render.filepath = str(OUT / "blender-strip.png")
bpy.ops.render.render(write_still=True)
figures["frames"] = [last, new, every]
(OUT / "figures.json").write_text(json.dumps(figures))
engine_process.stop_engine()
'''


def main():
    """Make both pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        retime.write(retime.apply(retime.samples.jump(), _whole(), fps=60), folder / "jump.bvh")
        settings = {
            "RETIME_ROOT": str(ROOT),
            "RETIME_OUT": name,
            "RETIME_BVH": str(folder / "jump.bvh"),
            "RETIME_ENGINE": sys.executable,
            "BLENDER_USER_RESOURCES": str(folder / "user"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        python = ROOT / ".venv-blender/bin/python"
        subprocess.run([str(python), "-c", _INSIDE], env=os.environ | settings, check=True)
        found = json.loads((folder / "figures.json").read_text())
        with Image.open(folder / "blender-strip.png") as picture:
            few = picture.convert("RGB").quantize(96, dither=Image.Dither.NONE)
        few.save(PICTURES / "blender-strip.png", optimize=True)
        print(found["frames"])
    _draw_curves(found)


def _whole():
    start, end = retime.samples.jump().domain
    return retime.TimeWarp.identity(start, end)


def _draw_curves(found):
    figure, (one, two) = plt.subplots(
        1, 2, figsize=(11, 4), width_ratios=(1.7, 1), layout="constrained"
    )
    for name, colour, text in (("before", "#8a8f98", "as keyed"), ("after", "#d9622b", "re-keyed")):
        curve = found[name]
        one.plot(curve["frames"], curve["values"], color=colour, label=text)
        keys, left, right = (np.array(curve[k]) for k in ("co", "left", "right"))
        for k in range(len(keys)):
            one.plot(*np.stack([left[k], keys[k], right[k]]).T, color=colour, lw=0.8, alpha=0.6)
        one.plot(*keys.T, "o", color=colour, ms=5)
    one.axvline(25, color="#8a8f98", lw=0.8, ls=":")
    one.axvline(37, color="#d9622b", lw=0.8, ls=":")
    one.annotate("", (37, 1.78), (25, 1.78), arrowprops={"arrowstyle": "->"})
    one.text(24, 1.78, "the marker is dragged", fontsize=9, ha="right", va="center")
    one.set(xlabel="frame", ylabel="rotation, rad", ylim=(-0.8, 1.95))
    one.legend(frameon=False)
    two.plot(found["warp"]["output"], found["warp"]["source"], color="#2b6cd9")
    two.plot([37], [25], "o", color="#2b6cd9")
    two.set(xlabel="frame of the result", ylabel="frame of the source", title="the warp between")
    for axis in (one, two):
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURES / "blender-curves.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
