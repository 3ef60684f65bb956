"""Scenes to try the extension on, and looking at them: all of it inside Blender."""

import math
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

SHARED = Path(os.environ["RETIME_SHARED"])
OUT = Path(os.environ["RETIME_OUT"])
NAME = "bl_ext.user_default.retime"


def install():
    """Install the built extension as a person does, and enable it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["RETIME_ZIP"], repo="user_default", enable_on_install=True,
        overwrite=True,
    )  # fmt: skip
    import addon_utils

    for name in ("io_anim_bvh", "io_scene_gltf2"):
        addon_utils.enable(name)


def part(name):
    """Return one of the extension's modules."""
    return sys.modules[f"{NAME}.{name}"]


def opened(name, make):
    """Open a scene that is made once and saved."""
    if not (OUT / name).exists():
        make()
        bpy.ops.wm.save_as_mainfile(filepath=str(OUT / name))
    bpy.ops.wm.open_mainfile(filepath=str(OUT / name))


def make_base():
    """Make the scene that most checks start from: a real clip with markers."""
    bpy.ops.wm.read_homefile(use_empty=True)
    fill_base()


def fill_base():
    """Import the clip and set the markers of that scene."""
    bpy.ops.import_anim.bvh(
        filepath=str(SHARED / "mocap/16_06.bvh"), update_scene_fps=True, update_scene_duration=True
    )
    for name, frame in (("push", 120), ("land", 260)):
        bpy.context.scene.timeline_markers.new(name, frame=frame)


def mocap():
    """Open that scene as a user does, nothing set; return its armature."""
    opened("base.blend", make_base)
    return choose(bpy.context.scene.objects["16_06"])


def base():
    """Open that scene; return its armature."""
    opened("base.blend", make_base)
    # Its first frame is a T-pose, which is set aside; most checks compare all frames, re-keyed.
    bpy.context.scene.retime.rest_frame = "KEEP"
    bpy.context.scene.retime.apply = "REKEY"
    return choose(bpy.context.scene.objects["16_06"])


def choose(thing):
    """Make an object the active and only selected one, and start an undo step."""
    for other in bpy.context.scene.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.ed.undo_push(message="before")
    return thing


def curves(thing):
    """Return the F-curves of a data-block by path and index."""
    found = part("actions").animation_of(thing)
    return {} if found is None else {(c.data_path, c.array_index): c for c in found.curves}


def keys(thing):
    """Return all keys of a data-block: frames, values, handles."""
    out = {}
    for name, curve in curves(thing).items():
        read = part("keys").Keys.read(curve)
        out[name] = np.concatenate([read.co, read.handle_left, read.handle_right], axis=1)
    return out


def snapshot():
    """Return all that a retiming may change, to compare."""
    scene = bpy.context.scene
    out = {
        "scene": (scene.frame_current, scene.frame_start, scene.frame_end),
        "markers": sorted((m.name, m.frame) for m in scene.timeline_markers),
        "actions": sorted(a.name for a in bpy.data.actions),
    }
    for thing in scene.objects:
        blocks = [thing, thing.data, getattr(thing.data, "shape_keys", None)]
        for block in (b for b in blocks if b is not None):
            data = block.animation_data
            if data is None:
                continue
            action = None if data.action is None else data.action.name
            tracks = [(t.name, [s.name for s in t.strips]) for t in data.nla_tracks]
            listed = {k: v.tobytes() for k, v in keys(block).items()}
            out[f"{type(block).__name__} {block.name}"] = (action, tracks, listed)
    return out


def capture(armature, name):
    """Capture an armature and write it for a comparison outside; return the capture."""
    retiming = part("retiming")
    _, first, last = retiming.action_span(armature)
    seen = exhausted(part("capture").captured(bpy.context, armature, first, last))
    seen.write(OUT / f"{name}.npz")
    return seen


_CAPTURED = {}


def captured_once(armature, name):
    """Capture an armature as its scene was opened, each scene once; return the capture."""
    seen = _CAPTURED.get(bpy.data.filepath)
    if seen is None:
        seen = _CAPTURED[bpy.data.filepath] = capture(armature, name)
    seen.write(OUT / f"{name}.npz")
    return seen


def exhausted(steps):
    """Run a generator to its end and return what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as e:
            return e.value


def poses_at(armature, frames, name):
    """Write local rotations and the root's place at frames that need not be whole."""
    capture_, scene = part("capture"), bpy.context.scene
    rig = part("rig").rig_of(armature, capture_._keyed(armature))
    names, parents = rig.joints, rig.parents
    before = scene.frame_current
    local = []
    for frame in frames:
        whole = math.floor(frame)
        scene.frame_set(whole, subframe=float(frame - whole))
        seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        pose = np.array([np.array(seen.pose.bones[n].matrix) for n in names])
        made = capture_.relative(pose[None], parents)[0]
        for j, p in enumerate(parents):
            if p < 0:
                made[j] = np.array(seen.matrix_world) @ made[j]
        local.append(made)
    scene.frame_set(before)
    places, turns, _ = capture_.decomposed(np.array(local))
    np.savez(OUT / f"{name}.npz", frames=frames, places=places[:, 0], turns=turns)


@contextmanager
def results():
    """Collect what the engine makes of a motion while operators run."""
    module, found = part("retiming"), []
    applied = module.apply_result

    def heard(*given):
        found.append(given[4])
        return applied(*given)

    module.apply_result = heard
    try:
        yield found
    finally:
        module.apply_result = applied


def warp_of_last(capture_):
    """Return the warp of the last retiming, in frames, and keep its file."""
    engine = part("engine_process")._running
    path = engine.folder / "warp.json"
    return part("graphs").Warp.read(path, capture_.first, capture_.fps), path


def undo():
    """Undo one step; everything must be looked up again."""
    bpy.ops.ed.undo()
    return bpy.context.scene.objects


def rig():
    """Make a small rig: an IK leg with a control, shape keys, a constraint's influence, a prop."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 61
    data = bpy.data.armatures.new("rig")
    armature = bpy.data.objects.new("rig", data)
    scene.collection.objects.link(armature)
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    places = {
        "Hips": ((0, 0, 1.0), (0, 0, 1.2), None), "Spine": ((0, 0, 1.2), (0, 0, 1.6), "Hips"),
        "Thigh": ((0.1, 0, 1.0), (0.1, -0.05, 0.5), "Hips"),
        "Shin": ((0.1, -0.05, 0.5), (0.1, 0, 0.05), "Thigh"),
        "FootControl": ((0.1, 0, 0.05), (0.1, 0.1, 0.05), None),
    }  # fmt: skip
    for name, (head, tail, parent) in places.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="POSE")
    bones = armature.pose.bones
    ik = bones["Shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = armature, "FootControl", 2
    for frame, x, turn, share in ((1, 0.0, 0.0, 1.0), (21, 0.3, 0.5, 0.5), (61, 0.1, -0.4, 1.0)):
        bones["FootControl"].location = (x, 0.1 * x, x / 2)
        bones["FootControl"].keyframe_insert("location", frame=frame)
        bones["Spine"].rotation_mode = "XYZ"
        bones["Spine"].rotation_euler = (turn, 0, turn / 2)
        bones["Spine"].keyframe_insert("rotation_euler", frame=frame)
        ik.influence = share
        ik.keyframe_insert("influence", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new("face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = bpy.data.objects.new("face", mesh)
    scene.collection.objects.link(face)
    face.parent = armature
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    for frame, value in ((1, 0.0), (31, 1.0), (61, 0.2)):
        smile.value = value
        smile.keyframe_insert("value", frame=frame)
    prop = bpy.data.objects.new("ball", None)
    scene.collection.objects.link(prop)
    for frame, x in ((1, 0.0), (41, 2.0), (61, 3.0)):
        prop.location.x = x
        prop.keyframe_insert("location", index=0, frame=frame)
    scene.timeline_markers.new("beat", frame=31)
    return choose(armature)
