"""Run by Blender's Python: make a character as FBX, or say what Blender sees in one.

``make OUT`` exports a rig with a skinned mesh, a material, a morph and two actions; ``look IN TIMES
OUT`` imports a file and writes bones' matrices at times, vertices and materials as numpy files.
"""

import json
import math
import sys
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Vector

BONES = {
    "Hips": (None, (0, 0, 1), (0, 0, 1.2)),
    "Spine": ("Hips", (0, 0, 1.2), (0, 0.05, 1.5)),
    "Head": ("Spine", (0, 0.05, 1.5), (0, 0, 1.8)),
    "Arm.L": ("Spine", (0.2, 0, 1.4), (0.6, 0, 1.4)),
    "Hand.L": ("Arm.L", (0.6, 0, 1.4), (0.8, 0.1, 1.4)),
    "Leg.L": ("Hips", (0.1, 0, 1.0), (0.1, 0.02, 0.5)),
    "Foot.L": ("Leg.L", (0.1, 0.02, 0.5), (0.1, -0.1, 0.0)),
}


def make(target: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 1, 41
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Armature", armature)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in BONES.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = armature.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, 0, 1.2))
    body = bpy.context.object
    body.name = "Body"
    body.data.materials.append(bpy.data.materials.new("Skin"))
    for k, bone in enumerate(armature.bones):
        body.vertex_groups.new(name=bone.name).add([k % 8, (k + 3) % 8], 0.5, "ADD")
    body.modifiers.new("skin", "ARMATURE").object = rig
    body.parent = rig
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="Smile")
    smile.data[0].co += Vector((0.1, 0, 0))
    for name, size in (("Walk", 1.0), ("Jump", 0.5)):
        rig.animation_data_create()
        action = bpy.data.actions.new(name)
        rig.animation_data.action = action
        for frame in range(1, 42, 4):
            _pose(rig, frame, size)
        track = rig.animation_data.nla_tracks.new()
        track.name = name
        track.strips.new(name, 1, action)
        rig.animation_data.action = None
    for frame in (1, 20, 41):
        smile.value = frame % 40 / 40
        smile.keyframe_insert("value", frame=frame)
    # A key on every frame: between keys Blender's reader goes straight in its own space.
    bpy.ops.export_scene.fbx(
        filepath=target, bake_anim_use_all_actions=False, bake_anim_simplify_factor=0
    )


def _pose(rig: Any, frame: int, size: float) -> None:
    for k, bone in enumerate(rig.pose.bones):
        turn = (size * math.sin(0.2 * frame + k), 0.3 * math.cos(0.3 * frame), 0.2 * size)
        if k % 2:
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = Euler(turn).to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        else:
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = turn
            bone.keyframe_insert("rotation_euler", frame=frame)
    hips = rig.pose.bones["Hips"]
    hips.location = (0.05 * frame * size, 0.1 * math.sin(frame), 0)
    hips.keyframe_insert("location", frame=frame)


def look(source: str, times: str, target: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.fbx(filepath=source)
    scene = bpy.context.scene
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    wanted = json.loads(times)
    actions = [a for a in bpy.data.actions if a.name.startswith("Armature|Walk")]
    if actions:
        rig.animation_data.action = actions[0]
        slots = getattr(rig.animation_data, "action_suitable_slots", [])
        if len(slots):
            rig.animation_data.action_slot = slots[0]
    poses = []
    for t in wanted:
        frame = 1 + t * scene.render.fps / scene.render.fps_base
        scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        poses.append([np.array(rig.matrix_world @ b.matrix) for b in rig.pose.bones])
    meshes = sorted((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: o.name)
    np.savez(
        target,
        fps=scene.render.fps / scene.render.fps_base,
        actions=np.array([a.name for a in bpy.data.actions]),
        bones=np.array([b.name for b in rig.pose.bones]),
        poses=np.array(poses),
        vertices=np.concatenate([np.array([v.co for v in o.data.vertices]) for o in meshes]),
        materials=np.array([m.name for o in meshes for m in o.data.materials]),
        groups=np.array([g.name for o in meshes for g in o.vertex_groups]),
    )


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "make":
        make(*arguments)
    else:
        look(*arguments)
