"""Figures with the bone names of other programs, keyed plainly or by controls."""

import bpy
import numpy as np
from scenes import choose

FRAMES = (1, 10, 20, 30)
# Where the parts of a person of 1.7 m are, and what each hangs on; sided ones are the left.
_PLACES = {
    "hips": (0, 0, 1.0), "spine": (0, 0, 1.1), "chest": (0, 0, 1.3), "neck": (0, 0, 1.5),
    "head": (0, 0, 1.6), "upper_leg": (0.1, 0, 0.95), "lower_leg": (0.1, -0.02, 0.5),
    "foot": (0.1, 0, 0.08), "toe": (0.1, -0.13, 0.02), "shoulder": (0.03, 0, 1.45),
    "upper_arm": (0.17, 0, 1.45), "lower_arm": (0.45, 0.02, 1.45), "hand": (0.7, 0, 1.45),
}  # fmt: skip
_PARENTS = {
    "spine": "hips", "chest": "spine", "neck": "chest", "head": "neck", "upper_leg": "hips",
    "lower_leg": "upper_leg", "foot": "lower_leg", "toe": "foot", "shoulder": "chest",
    "upper_arm": "shoulder", "lower_arm": "upper_arm", "hand": "lower_arm",
}  # fmt: skip
_MIDDLE = ("hips", "spine", "chest", "neck", "head")
# Names by part; {} is the side.
SCHEMES = {
    "arp": (
        ("l", "r"), "root.x", "spine_01.x", "spine_02.x", "neck.x", "head.x", "thigh_stretch.{}",
        "leg_stretch.{}", "foot.{}", "toes_01.{}", "shoulder.{}", "arm_stretch.{}",
        "forearm_stretch.{}", "hand.{}",
    ),
    "metahuman": (
        ("l", "r"), "pelvis", "spine_01", "spine_02", "neck_01", "head", "thigh_{}", "calf_{}",
        "foot_{}", "ball_{}", "clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}",
    ),
    # Bones that were extruded and never named: no segments of one limb.
    "numbered": (
        ("L", "R"), "hips", "spine", "chest", "neck", "head", "leg.{}", "leg.{}.001",
        "leg.{}.002", "leg.{}.003", "shoulder.{}", "arm.{}", "arm.{}.001", "arm.{}.002",
    ),
    "mixamo": (
        ("Left", "Right"), *(f"mixamorig:{n}" for n in (
            "Hips", "Spine", "Spine2", "Neck", "Head", "{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase",
            "{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand")),
    ),
}  # fmt: skip
# Further chains of a side: the part that each hangs on, and its bones with their places.
_MORE = {
    "mixamo": [
        *(("hand", [(f"mixamorig:{{}}Hand{finger}{k}", (0.76 + 0.03 * k, y, 1.45))
                    for k in (1, 2, 3)])
          for finger, y in (("Thumb", -0.03), ("Index", -0.02), ("Pinky", 0.03))),
        ("toe", [("mixamorig:{}Toe_End", (0.1, -0.2, 0.02))]),
    ],
    "arp": [
        ("upper_leg", [("thigh_twist.{}", (0.1, 0, 0.9))]),
        ("lower_leg", [("leg_twist.{}", (0.1, -0.01, 0.2))]),
        ("upper_arm", [("arm_twist.{}", (0.2, 0, 1.45))]),
        ("lower_arm", [("forearm_twist.{}", (0.6, 0.01, 1.45))]),
        ("hand", [(f"c_index{k}.{{}}", (0.76 + 0.03 * k, -0.02, 1.45)) for k in (1, 2, 3)]),
    ],
}  # fmt: skip


def bones_of(scheme):
    """Return the bones of a scheme, parents first: name, parent, place."""
    sides, *names = SCHEMES[scheme]
    named = dict(zip(_PLACES, names, strict=True))
    out = [(named[p], named.get(_PARENTS.get(p)), np.array(_PLACES[p])) for p in _MIDDLE]
    for side, flip in zip(sides, (1, -1), strict=True):
        way = np.array([flip, 1, 1])
        for p in list(_PLACES)[len(_MIDDLE) :]:
            parent = named[_PARENTS[p]].format(side)
            out.append((named[p].format(side), parent, np.array(_PLACES[p]) * way))
        for p, chain in _MORE.get(scheme, ()):
            parent = named[p].format(side)
            for name, place in chain:
                out.append((name.format(side), parent, np.array(place) * way))
                parent = name.format(side)
    return out


def body_of(scheme):
    """Name the bones of a scheme that are parts of the body, without twists, fingers and ends."""
    sides, *names = SCHEMES[scheme]
    sided = [n.format(s) for s in sides for n in names[len(_MIDDLE) :]]
    return [*names[: len(_MIDDLE)], *sided]


# What controls are called, and the limbs that IK controls lead: the end, and the bones above it.
CONTROLS = {"arp": "c_{}", "metahuman": "{}_ctrl"}
_LIMBS = {"hand": ("lower_arm", "upper_arm"), "foot": ("lower_leg", "upper_leg")}


def limbs_of(scheme):
    """List the limbs of a scheme: end, lower and upper bone."""
    sides, *names = SCHEMES[scheme]
    named = dict(zip(_PLACES, names, strict=True))
    return [
        tuple(named[p].format(side) for p in (end, *above))
        for end, above in _LIMBS.items()
        for side in sides
    ]


def ik_person(scheme):
    """Build a figure whose hands and feet are led by keyed IK controls with poles."""
    armature = person(scheme)
    armature.animation_data_clear()
    bones = {name: (parent, place) for name, parent, place in bones_of(scheme)}
    limbs, called = limbs_of(scheme), CONTROLS[scheme].format
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    within = {n for limb in limbs for n in limb}
    for name in bones:  # one control for each bone outside the limbs, and for each limb's end
        if name not in within or any(name == end for end, *_ in limbs):
            _copied(edit, name, called(name), None)
    for name, (parent, _) in bones.items():
        if called(name) in edit and parent and name not in within and called(parent) in edit:
            edit[called(name)].parent = edit[called(parent)]
    for end, lower, upper in limbs:
        _copied(edit, upper, f"MCH-{upper}", called(bones[upper][0]))
        _copied(edit, lower, f"MCH-{lower}", f"MCH-{upper}")
        pole = edit.new(called(f"{end}_pole"))
        bend = -1.0 if "arm" in upper.lower() else 1.0
        pole.head = np.array(edit[lower].head) - [0, 0.5 * bend, 0]
        pole.tail, pole.use_deform = np.add(pole.head, (0, 0, 0.1)), False
    bpy.ops.object.mode_set(mode="POSE")
    pose = armature.pose.bones
    for name in bones:
        source = called(name) if called(name) in pose else f"MCH-{name}"
        if source in pose:
            copied = pose[name].constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = armature, source
    for end, lower, _ in limbs:
        ik = pose[f"MCH-{lower}"].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = armature, called(end), 2
        ik.pole_target, ik.pole_subtarget = armature, called(f"{end}_pole")
    for k, frame in enumerate(FRAMES):
        swing = (0.0, 0.2, -0.1, 0.1)[k]
        for name in (n for n in bones if called(n) in pose):
            control = pose[called(name)]
            control.rotation_mode = "XYZ"
            control.rotation_euler = (swing / 2, 0, swing)
            control.keyframe_insert("rotation_euler", frame=frame)
        for end, *_ in limbs:
            for control, far in ((called(end), 0.6), (called(f"{end}_pole"), 0.2)):
                pose[control].location = (far * swing, 0.5 * far * swing, far * abs(swing))
                pose[control].keyframe_insert("location", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    return choose(armature)


def _copied(edit, name, new, parent):
    """Add a bone where another is."""
    bone = edit.new(new)
    bone.head, bone.tail, bone.roll = edit[name].head, edit[name].tail, edit[name].roll
    bone.use_deform, bone.parent = False, None if parent is None else edit[parent]


def person(scheme, *, controls=False, scale=1.0):
    """Build a figure whose bones are keyed, or moved by keyed controls whose names start with c_.

    With a ``scale`` of the object the bones are as much larger, as of imports in centimetres.
    """
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.frame_end = FRAMES[-1]
    data = bpy.data.armatures.new("figure")
    armature = bpy.data.objects.new("figure", data)
    armature.scale = (scale,) * 3
    bpy.context.scene.collection.objects.link(armature)
    choose(armature)
    bones = bones_of(scheme)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, place in bones:
        below = [at for _, p, at in bones if p == name]
        tail = below[0] if below else place - [0, 0.1, 0]
        for prefix in ("", "c_") if controls else ("",):
            bone = data.edit_bones.new(prefix + name)
            bone.head, bone.tail = place / scale, tail / scale
            bone.use_deform = not prefix
            if parent:
                bone.parent = data.edit_bones[prefix + parent]
    bpy.ops.object.mode_set(mode="POSE")
    for name, _, _ in bones:
        control = armature.pose.bones[name]
        if controls:
            copied = control.constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = armature, f"c_{name}"
            control = armature.pose.bones[f"c_{name}"]
        control.rotation_mode = "XYZ"
        for frame, turn in zip(FRAMES, (0.0, 0.2, -0.1, 0.1), strict=True):
            control.rotation_euler = (turn, 0, turn / 2)
            control.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    return choose(armature)
