"""A Rigify figure, keyed as an animator does: the left arm and the legs IK, the right arm FK."""

import math

import bpy
import numpy as np
from scenes import OUT, choose, opened, part

FRAMES = (1, 13, 25, 37, 49)


def _generate():
    """Generate the rig of Rigify's basic human and key it."""
    import addon_utils

    bpy.ops.wm.read_homefile(use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_basic_human_metarig_add()
    meta = bpy.context.object
    for frame in (1, 10):
        meta.pose.bones["spine"].location.y = 0.01 * frame
        meta.pose.bones["spine"].keyframe_insert("location", frame=frame)
    bpy.ops.export_anim.bvh(filepath=str(OUT / "metarig.bvh"), frame_start=1, frame_end=10)
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    assert rig is not meta
    bpy.context.scene.render.fps = 24
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 49
    bones = rig.pose.bones
    for side in "LR":
        bones[f"upper_arm_parent.{side}"]["pole_vector"] = True
    bones["upper_arm_parent.R"]["IK_FK"] = 1.0
    for k, frame in enumerate(FRAMES):
        swing = math.sin(k * math.pi / 2)
        _key(bones["torso"], frame, location=(0.05 * swing, 0.1 * k, -0.08 * abs(swing)))
        _key(bones["chest"], frame, rotation_euler=(0.1 * swing, 0.25 * swing, 0))
        _key(bones["head"], frame, rotation_euler=(0.2 * swing, 0, 0.1))
        _key(bones["hand_ik.L"], frame, location=(0.15 * swing, -0.3 + 0.1 * k, 0.35 * abs(swing)),
             rotation_euler=(0.3 * swing, 0.1, 0))  # fmt: skip
        _key(bones["upper_arm_ik_target.L"], frame, location=(0.05 * swing, 0, 0))
        for name, turn in (("upper_arm_fk.R", 0.6), ("forearm_fk.R", 0.9), ("hand_fk.R", 0.4)):
            _key(bones[name], frame, rotation_euler=(turn * swing, 0.1 * k, 0))
        for side, way in (("L", 1), ("R", -1)):
            step = max(way * swing, 0.0)
            _key(bones[f"foot_ik.{side}"], frame, location=(0, -0.1 * k, 0.2 * step))
    bpy.data.objects.remove(meta)
    for bone in bones:
        select(bone, False)
    choose(rig)


def _key(bone, frame, **values):
    for name, value in values.items():
        if name == "rotation_euler":
            bone.rotation_mode = "XYZ"
        setattr(bone, name, value)
        bone.keyframe_insert(name, frame=frame)


def rigify():
    """Open the scene; return the rig."""
    opened("rigify.blend", _generate)
    return choose(bpy.context.scene.objects["rig"])


def select(bone, wanted):
    """Select a pose bone."""
    if hasattr(bone, "select"):
        bone.select = wanted
    else:
        bone.bone.select = wanted


def select_only(rig, *names):
    """Select pose bones by name, the first of them the active one."""
    for bone in rig.pose.bones:
        select(bone, bone.name in names)
    rig.data.bones.active = rig.data.bones[names[0]]
    bpy.ops.ed.undo_push(message="selected")


def place(rig, bone, frame):
    """Return where a bone is in the armature at a frame, which may lie between frames."""
    whole = math.floor(frame)
    bpy.context.scene.frame_set(whole, subframe=float(frame - whole))
    seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(seen.pose.bones[bone].matrix)


def rig_map(rig):
    """Return what the extension makes of the rig."""
    return part("rig").rig_of(rig, part("capture")._keyed(rig))
