"""Retiming parts of the body: one bone's action, staggering, succession, poses."""

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .. import fields
from ..capture import decomposed
from ..declared import chosen
from ..problem import Problem
from ..retiming import Retiming, armature_of, part_of, step


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
        raise Problem("No bone is active. Select one in Pose Mode")
    return active.name


def joints_for(operator, capture, bones, *, limbs=False):
    """Name the joints that bones stand for, in the body's order, each once; say for whom they do.

    On a control rig a bone without keys, a deform or mechanism bone, stands for its control. With
    ``limbs`` an IK control stands for all joints of its limb.
    """
    rig, found = capture.rig, set()
    for bone in bones:
        joint = rig.joint_of(bone)
        if joint is None:
            raise Problem(f"{bone} moves no part of the body. Select a control of the part")
        if rig.is_control and bone not in rig.keyed:
            operator.said.append(_stands_for(rig, bone, joint))
        found |= {joint, *(rig.limb_of(bone) if limbs else ())}
    return [n for n in rig.joints if n in found]


def _stands_for(rig, bone, joint):
    """Say which controls a bone without keys stands for."""
    controls = rig.governors(joint)
    if not controls:
        raise Problem(f"No control with keys moves {bone}. Key its control first")
    more = f" and {len(controls) - 3} more" if len(controls) > 3 else ""
    return f"{bone} has no keys; its control was edited: {', '.join(controls[:3])}{more}"


def must_be_inside(frame, part, capture):
    """Refuse a frame outside the action, or outside the part of it that is edited."""
    ends = (0.0, capture.time(capture.last)) if part is None else part
    first, last = (round(capture.first + capture.fps * t) for t in ends)
    if not first <= frame <= last:
        where = "action" if part is None else "preview range"
        raise Problem(
            f"Frame {frame} is outside the {where}, frames {first} to {last}. Go to the frame of "
            "the pose"
        )


def timing_values(context, capture, method):
    """Return a method's settings for an edit of time alone.

    Keys of a control rig hold its feet themselves, where and as long as the animator wants it.
    """
    values = chosen(context.scene.retime, method, capture)
    if capture.rig.is_control and not context.scene.retime.hold_feet:
        values["constraints"] = "free"
    return values


def arrivals(result, joints, poses):
    """Return when joints arrive at poses, before and after: output frames (poses, joints) each.

    ``poses`` has the source frames by joint.
    """
    before = np.stack([poses[j] for j in joints], axis=1)
    after = np.stack([result.warp.of(j).output(poses[j]) for j in joints], axis=1)
    return before, after


def poses_of(context, capture, engine, values):
    """Ask for a motion's poses and when joints arrive at them: a generator."""
    found = {k: v for k, v in values.items() if k != "constraints"}
    part = part_of(context, capture)
    if part is not None:
        found["range"] = part
    asked = {"poses": str(engine.folder / "in.npz"), "parameters": found}
    return (yield from engine.ask(asked | capture.words))


def pose_frames(context, capture, engine, values):
    """Ask when joints arrive at a motion's poses, its ends left out: a generator.

    Returns the poses' frames, and each joint's by name.
    """
    answer = yield from poses_of(context, capture, engine, values)

    def frames(times):
        return capture.first + capture.fps * np.array(times[1:-1])

    if len(answer["times"]) < 3:
        raise Problem("There is no pose between the first frame and the last. Use a longer action")
    return frames(answer["times"]), {n: frames(t) for n, t in answer["arrivals"].items()}


def in_frames(value):
    """Write a number of frames shortly."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def counted(value, word="frame"):
    """Write a number of things: 1 frame, 2.5 frames."""
    text = in_frames(value)
    return f"{text} {word}" if text in ("1", "-1") else f"{text} {word}s"


def reached_text(asked, reached, what):
    """Say how far a delay went: frames asked for, and frames reached at each pose."""
    least, most = float(np.min(reached)), float(np.max(reached))
    middle = float(np.median(reached))
    if max(abs(least - asked), abs(most - asked)) < 0.05:
        return f"{what} by {counted(asked)} at every pose"
    return (
        f"{what} by {counted(middle)} of the {in_frames(asked)} asked for, {in_frames(least)} to "
        f"{in_frames(most)} at single poses; poses leave no room for more"
    )


class PartsRetiming(Retiming):
    """Steps that hold feet themselves (``constraints``)."""

    holds = True


class RETIME_OT_shift(PartsRetiming, bpy.types.Operator):
    """Move the action of a bone at the current frame earlier or later; neighboring bones follow"""

    bl_idname = "retime.shift"
    bl_label = "Earlier / Later"

    shift: IntProperty(
        name="Frames",
        default=-4,
        soft_min=-50,
        soft_max=50,
        description="Shift in frames; negative is earlier",
    )
    bone: fields.bone()
    frame: IntProperty(
        name="Frame", default=-(2**31), options={"SKIP_SAVE"},
        description="Frame of the action to move. Defaults to the current frame",
    )  # fmt: skip
    spread: FloatProperty(
        name="Spread", default=0.25, min=0.01, soft_max=1.0,
        description="Falloff along the bones, in body heights",
    )  # fmt: skip
    fade: FloatProperty(
        name="Fade", default=0.0, min=0.0, soft_max=100.0, options={"SKIP_SAVE"},
        description="Falloff before and after, in frames. 0: chosen by the frame rate",
    )  # fmt: skip

    def must_be_ready(self, context):
        """Refuse a bone that is missing."""
        one_bone(context, self.bone)

    def recipe(self, context, capture, engine):
        """Return one step: a surface that is dragged at the bone."""
        frame = context.scene.frame_current if self.frame == -(2**31) else self.frame
        must_be_inside(frame, None, capture)
        spread = round(self.spread, 6)
        key = {
            "time": capture.time(frame),
            "joint": joints_for(self, capture, [one_bone(context, self.bone)])[0],
            "shift": self.shift / capture.fps,
            "sigma": [spread, spread],
            "range_sigma": spread,
            "gamma": round(self.fade / capture.fps, 6) if self.fade else 0.3,
        }
        values = timing_values(context, capture, "surface")
        return [step("surface", **values, keys=[key], range=part_of(context, capture))]
        yield


class RETIME_OT_stagger(PartsRetiming, bpy.types.Operator):
    """Make the selected bones arrive at poses one after the other, or at random"""

    bl_idname = "retime.stagger"
    bl_label = "Stagger"

    frames: fields.delay("Frames between one bone and the next")
    random: BoolProperty(
        name="Random", description="Shift each bone at random, by at most this many frames"
    )
    seed: IntProperty(name="Seed", min=0, description="Seed of the random delays")

    def must_be_ready(self, context):
        """Refuse an empty selection."""
        if not selected_bones(context):
            raise Problem("No bones are selected. Select some in Pose Mode")

    def recipe(self, context, capture, engine):
        """Return one step; the poses are asked for first, where each gets its refinements."""
        joints = joints_for(self, capture, selected_bones(context))
        values = timing_values(context, capture, "stagger")
        part = part_of(context, capture)
        length = (capture.last - capture.first) / capture.fps
        seconds = self.frames / capture.fps
        _, self.poses = yield from pose_frames(context, capture, engine, values)
        self.joints = joints
        if self.random:
            return [step("stagger", **values, joints=joints, jitter=min(abs(seconds), length),
                         seed=self.seed, range=part)]  # fmt: skip
        if len(joints) < 2:
            raise Problem(
                f"The selected bones move one part only, {joints[0]}. Select the bones of two "
                "parts or more"
            )
        # Bones that would cross their next pose stop short of it, as those of a succession do.
        most = length / (len(joints) - 1)
        later = {n: k * min(max(seconds, -most), most) for k, n in enumerate(joints)}
        edits = [{"do": "refine_poses", "refinements": later}]
        return [step("stagger", **values, edits=edits, range=part)]

    def after(self, context, result):
        """Say how far the bones are apart."""
        before, after = arrivals(result, self.joints, self.poses)
        if self.random:
            most = float(np.abs(after - before).max())
            return [f"bones arrive up to {counted(most)} earlier or later"]
        gaps = np.diff(after, axis=1)
        return [reached_text(self.frames, gaps, "each bone follows the one before")]


class RETIME_OT_succession(PartsRetiming, bpy.types.Operator):
    """Make each bone below the active bone arrive later than its parent"""

    bl_idname = "retime.succession"
    bl_label = "Succession"

    frames: fields.delay("Frames between a bone and its parent", default=1.0)
    power: FloatProperty(
        name="Power",
        default=1.0,
        min=0.1,
        soft_max=3.0,
        description="Growth of the delay along the chain; 1 is even",
    )
    bone: fields.bone()

    def must_be_ready(self, context):
        """Refuse a bone that is missing."""
        one_bone(context, self.bone)

    def recipe(self, context, capture, engine):
        """Return one step."""
        values = timing_values(context, capture, "stagger")
        joint = joints_for(self, capture, [one_bone(context, self.bone)])[0]
        below = _levels(capture.rig, joint)
        if not below:
            raise Problem(f"No bone follows {joint}. Choose one further up, such as the shoulder")
        power = round(self.power, 6)
        length = (capture.last - capture.first) / capture.fps
        most = length / max(below.values()) ** power
        seconds = min(max(self.frames / capture.fps, -most), most)
        _, self.poses = yield from pose_frames(context, capture, engine, values)
        self.first, self.last = joint, max(below, key=below.get)
        self.asked = self.frames * below[self.last] ** power
        way = [joint, seconds, power]
        return [step("stagger", **values, succession=[way], range=part_of(context, capture))]

    def after(self, context, result):
        """Say how late the last bone is."""
        before, after = arrivals(result, [self.first, self.last], self.poses)
        late = after - before
        return [
            reached_text(self.asked, late[:, 1] - late[:, 0], f"{self.last} follows {self.first}")
        ]


def _levels(rig, joint):
    """Count how far below a joint each joint is."""
    chains = {name: rig.above(name) for name in rig.joints if name != joint}
    return {name: above.index(joint) for name, above in chains.items() if joint in above}


class RETIME_OT_exaggerate(PartsRetiming, bpy.types.Operator):
    """Exaggerate the poses of the selected bones, or of all bones"""

    bl_idname = "retime.exaggerate"
    bl_label = "Exaggerate"

    amount: fields.exaggeration()
    only: EnumProperty(
        name="Bones",
        items=[("SELECTED", "Selected", "Bones selected in Pose Mode, or all if none is selected"),
               ("ALL", "All", "The whole body")],
        description="Bones to exaggerate",
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """Return one step."""
        bones = selected_bones(context) if self.only == "SELECTED" else []
        # Feet are held where the whole body goes further.
        get = (
            timing_values if bones else lambda c, seen, method: chosen(c.scene.retime, method, seen)
        )
        values = get(context, capture, "stagger")
        self.joints = joints_for(self, capture, bones, limbs=True)
        self.poses, _ = yield from pose_frames(context, capture, engine, values)
        part = part_of(context, capture)
        return [step("stagger", **values, exaggerate=round(self.amount, 6),
                     joints=self.joints or None, range=part)]  # fmt: skip

    def after(self, context, result):
        """Say how much further poses are from one another."""
        capture = result.capture
        joints = self.joints or result.joints
        if not joints:
            return ["no pose changed: the poses do not differ"]
        at = np.clip(np.round(self.poses - capture.first), 0, len(capture.local) - 1).astype(int)
        _, turns, _ = decomposed(capture.local[at][:, [capture.names.index(n) for n in joints]])
        out = result.warp.body.output(capture.first + at) - capture.first
        out = np.clip(np.round(out), 0, len(result) - 1).astype(int)
        new = result.rotations[out][:, [result.names.index(n) for n in joints]]
        before, after = _apart(turns), _apart(new)
        if before < 1e-6:
            return []
        return [f"poses are {100 * (after / before - 1):.0f} % further from one another "
                f"({100 * self.amount:.0f} % asked for)"]  # fmt: skip


def _apart(turns):
    """Return the mean angle between one pose and the next, rotations (P, J, 4)."""
    dots = np.abs(np.einsum("pji,pji->pj", turns[1:], turns[:-1]))
    return float(2 * np.arccos(np.clip(dots, 0, 1)).mean()) if len(turns) > 1 else 0.0


class RETIME_OT_hold_feet(PartsRetiming, bpy.types.Operator):
    """Hold planted feet in place by inverse kinematics"""

    bl_idname = "retime.hold_feet"
    bl_label = "Hold Feet"
    every_frame = True

    def recipe(self, context, capture, engine):
        """Return one step."""
        return [step("hold", **chosen(context.scene.retime, "hold"))]
        yield


CLASSES = (
    RETIME_OT_shift, RETIME_OT_stagger, RETIME_OT_succession, RETIME_OT_exaggerate,
    RETIME_OT_hold_feet,
)  # fmt: skip
