"""Retiming parts of the body: one bone's action, staggering, succession, poses."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ..problem import Problem
from ..retiming import Retiming, armature_of, part_of, step
from ..settings import chosen


def selected_bones(context):
    """Return the names of the selected pose bones, parents first."""
    armature = armature_of(context)
    wanted = {b.name for b in armature.pose.bones if _is_selected(b)}
    return [b.name for b in armature.data.bones if b.name in wanted]


def _is_selected(bone):
    # Blender 5 moved it from the bone to the pose bone.
    return bone.select if hasattr(bone, "select") else bone.bone.select


def one_bone(context, name):
    """Return the bone that is named, or the active one."""
    armature = armature_of(context)
    if name:
        if name not in armature.pose.bones:
            raise Problem(f"{armature.name} has no bone {name}")
        return name
    active = armature.data.bones.active
    if active is None:
        raise Problem("No bone is active. Choose one in pose mode")
    return active.name


class _Parts(Retiming):
    """Steps that hold feet themselves (``constraints``)."""

    holds = True


class RETIME_OT_shift(_Parts, bpy.types.Operator):
    """Make what a bone does at the current frame happen earlier or later; what is near follows"""

    bl_idname = "retime.shift"
    bl_label = "Earlier / Later"

    shift: IntProperty(
        name="Frames", default=-4, soft_min=-50, soft_max=50, description="Less than 0 is earlier"
    )
    bone: StringProperty(name="Bone", options={"SKIP_SAVE"}, description="Empty: the active bone")
    frame: IntProperty(
        name="Frame", default=-(2**31), options={"SKIP_SAVE"},
        description="Its moment; left alone: the current frame",
    )  # fmt: skip
    spread: FloatProperty(
        name="Spread", default=0.25, min=0.01, soft_max=1.0,
        description="How far along the body it is felt, in heights of the figure",
    )  # fmt: skip
    fade: FloatProperty(
        name="Fade", default=0.3, min=0.01, soft_max=2.0, subtype="TIME_ABSOLUTE",
        description="Seconds over which it is felt before and after",
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """One step: a surface that is dragged at the bone."""
        frame = context.scene.frame_current if self.frame == -(2**31) else self.frame
        if not capture.first <= frame <= capture.last:
            raise Problem(f"Frame {frame} is outside the action. Go to the moment that is meant")
        spread = round(self.spread, 6)
        key = {
            "time": capture.time(frame),
            "joint": one_bone(context, self.bone),
            "shift": self.shift / capture.fps,
            "sigma": [spread, spread],
            "range_sigma": spread,
            "gamma": round(self.fade, 6),
        }
        values = chosen(context.scene.retime, "surface")
        return [step("surface", **values, keys=[key], range=part_of(context, capture))]
        yield


class RETIME_OT_stagger(_Parts, bpy.types.Operator):
    """Let the selected bones arrive at poses one after the other, or at random"""

    bl_idname = "retime.stagger"
    bl_label = "Stagger"

    frames: FloatProperty(
        name="Frames",
        default=2.0,
        soft_min=-10,
        soft_max=10,
        description="Between one and the next",
    )
    random: BoolProperty(name="Random", description="Up to so many frames either way, by chance")
    seed: IntProperty(name="Seed", min=0, description="Which chance")

    def recipe(self, context, capture, engine):
        """One step; the poses are asked for first, where each gets its refinements."""
        bones = selected_bones(context)
        if not bones:
            raise Problem("No bones are selected. Select some in pose mode")
        values = chosen(context.scene.retime, "stagger")
        part = part_of(context, capture)
        seconds = self.frames / capture.fps
        if self.random:
            return [step("stagger", **values, joints=bones, jitter=abs(seconds), seed=self.seed,
                         range=part)]  # fmt: skip
        found = {k: v for k, v in values.items() if k != "constraints"}
        if part is not None:
            found["range"] = part
        asked = {"poses": str(engine.folder / "in.npz"), "parameters": found}
        answer = yield from engine.ask(asked)
        if len(answer["times"]) < 3:
            raise Problem("No poses were found between the motion's ends")
        # Bones that would cross their next pose stop short of it, as those of a succession do.
        later = {name: k * seconds for k, name in enumerate(bones)}
        edits = [{"do": "refine_poses", "refinements": later}]
        return [step("stagger", **values, edits=edits, range=part)]


class RETIME_OT_succession(_Parts, bpy.types.Operator):
    """Let movement travel down from the active bone: each bone below it arrives later"""

    bl_idname = "retime.succession"
    bl_label = "Succession"

    frames: FloatProperty(
        name="Frames", default=1.0, soft_min=-10, soft_max=10, description="Later, for each bone"
    )
    power: FloatProperty(
        name="Power", default=1.0, min=0.1, soft_max=3.0, description="How the delay grows"
    )
    bone: StringProperty(name="Bone", options={"SKIP_SAVE"}, description="Empty: the active bone")

    def recipe(self, context, capture, engine):
        """One step."""
        values = chosen(context.scene.retime, "stagger")
        bone = one_bone(context, self.bone)
        way = [bone, self.frames / capture.fps, round(self.power, 6)]
        return [step("stagger", **values, succession=[way], range=part_of(context, capture))]
        yield


class RETIME_OT_exaggerate(_Parts, bpy.types.Operator):
    """Push the poses of the selected bones, or of all, further"""

    bl_idname = "retime.exaggerate"
    bl_label = "Exaggerate"

    amount: FloatProperty(
        name="Amount", default=0.3, soft_min=-1, soft_max=1, subtype="FACTOR",
        description="Share by which poses are pushed; less than 0 calms them",
    )  # fmt: skip
    only: EnumProperty(
        name="Bones",
        items=[("SELECTED", "Selected", "Bones selected in pose mode, or all where none is"),
               ("ALL", "All", "The whole body")],
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """One step."""
        values = chosen(context.scene.retime, "stagger")
        bones = selected_bones(context) if self.only == "SELECTED" else []
        part = part_of(context, capture)
        return [step("stagger", **values, exaggerate=round(self.amount, 6), joints=bones or None,
                     range=part)]  # fmt: skip
        yield


class RETIME_OT_hold_feet(_Parts, bpy.types.Operator):
    """Hold planted feet in place by inverse kinematics"""

    bl_idname = "retime.hold_feet"
    bl_label = "Hold Feet"

    def recipe(self, context, capture, engine):
        """One step."""
        return [step("hold", **chosen(context.scene.retime, "hold"))]
        yield


CLASSES = (
    RETIME_OT_shift, RETIME_OT_stagger, RETIME_OT_succession, RETIME_OT_exaggerate,
    RETIME_OT_hold_feet,
)  # fmt: skip
