"""Changing poses at the current frame, and what hangs loosely: tweens, eases, secondary."""

import re

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty

from .. import fields
from ..actions import animation_of
from ..capture import decomposed
from ..declared import chosen, seconds_of
from ..keys import PLACES, Keys
from ..links import bone_of
from ..problem import Problem
from ..retiming import armature_of, part_of, step
from .parts import (
    PartsRetiming,
    counted,
    joints_for,
    must_be_inside,
    poses_of,
    selected_bones,
    timing_values,
)

# Poses nearer to each other than this are one, frames.
_APART = 2.0
# Seconds within which a found pose gives way to the current frame.
_NEAR = 0.1


class _Posing(PartsRetiming):
    """Operators that change poses; an action with few keys keeps their number by default."""

    add_keys: BoolProperty(
        name="Add Keys", options={"SKIP_SAVE"},
        description="Add the keys that the result needs. Otherwise only values and handles of "
        "existing keys change",
    )  # fmt: skip

    def adds_keys(self, context):
        """Return what was chosen here, or the setting."""
        given = self.properties.is_property_set("add_keys")
        return self.add_keys if given else context.scene.retime.refine


class AtFrame(_Posing):
    """Operators that change the pose at the current frame."""

    def joints(self, context, capture):
        """Name the joints of the selected bones; ``None`` is the whole body."""
        bones = selected_bones(context)
        if not bones:
            return None
        found = joints_for(self, capture, bones, limbs=True)
        if set(found) <= capture.rig.roots:
            raise Problem(
                f"{bones[0]} carries the whole body, which stays where it is. Select other bones, "
                "or none for the whole body"
            )
        return found

    def edited(self, context, capture, engine, values, edit):
        """Make the step that edits the pose at the current frame: a generator.

        ``edit`` makes an edit of the pose's number and the engine's answer.
        """
        self.frame = frame = context.scene.frame_current
        part = part_of(context, capture)
        must_be_inside(frame, part, capture)
        keyed = self._keyed_frames(context, capture)
        # The pose that is shown is the one that changes, so its parts arrive together.
        values = values | {"max_refinement": 0.0}
        # Keys are the poses, and no other ones: found beside a key, a pose would end an ease too
        # early.
        if keyed is not None:
            values = values | {"keep": 0}
        answer = yield from poses_of(context, capture, engine, values)
        frames, edits = _with_poses(_frames(capture, answer), keyed or (), frame, capture)
        edits.append(edit(int(np.abs(frames - frame).argmin()), answer))
        made = step("stagger", **values, edits=edits, range=part)
        after = yield from poses_of(context, capture, engine, values | {"edits": edits})
        new = _frames(capture, after)
        added = [f for f in new if np.abs(frames - f).min() > 0.5]
        # A pose that is eased keeps its key, which moves with it; one that is changed needs a key.
        self.at = sorted({float(round(f)) for f in added} or {float(frame)})
        return [made]

    def _keyed_frames(self, context, capture):
        """Return the frames of keys, which are the poses of an action that has few; or ``None``."""
        animated = animation_of(armature_of(context))
        if animated is None or animated.is_dense:
            return None
        rig, frames = capture.rig, set()
        for curve in animated.keyed_curves:
            bone = bone_of(curve.data_path)
            joint = None if bone is None else rig.joint_of(bone[0])
            if joint is not None and (not self.chosen or joint in self.chosen):
                frames |= {float(f) for f in Keys.read(curve, PLACES).co[:, 0]}
        return sorted(frames)

    def worded(self, sentence):
        """Name the edited pose by the current frame."""
        return re.sub(r"\bat pose \d+", f"at frame {self.frame}", sentence)

    def edited_frames(self, context):
        """Return the frames of the pose and of what the edit put beside it."""
        return tuple(self.at)

    def keep_pose(self, context, capture):
        """Remember the pose that is shown, to say later how far it went."""
        frame = context.scene.frame_current
        self.before = shown(context, armature_of(context), frame, capture.names)

    def after(self, context, result):
        """Say how far the pose went, as it is shown now."""
        capture = result.capture
        now = shown(context, armature_of(context), self.frame, capture.names)
        turned = [
            _angle(now[k, :3, :3], before[:3, :3])
            for k, before in enumerate(self.before)
            if not self.chosen or capture.names[k] in self.chosen
        ]
        most = max(turned, default=0.0)
        if most < 0.05:
            return [f"the pose at frame {self.frame} stays as it is"]
        return [f"bones are turned by up to {most:.1f}° at frame {self.frame}"]


def _frames(capture, answer):
    return capture.first + capture.fps * np.array(answer["times"])


def _with_poses(frames, more, frame, capture):
    """Make poses at the current frame and at more frames: all frames then, and edits to do so.

    The library finds poses of its own; those too near to the current frame give way to it.
    """
    edits, inner = [], range(1, len(frames) - 1)
    near = [k for k in inner if abs(frames[k] - frame) < max(_APART, _NEAR * capture.fps)]
    edits += [{"do": "delete", "pose": k} for k in reversed(near)]
    out = [float(f) for k, f in enumerate(frames) if k not in near]
    for f in [float(frame), *more]:
        inside = frames[0] + _APART <= f <= frames[-1] - _APART
        if inside and all(abs(f - other) >= _APART for other in out):
            edits.append({"do": "insert", "time": capture.time(f)})
            out.append(f)
    return np.array(sorted(out)), edits


def shown(context, armature, frame, names):
    """Return bones as the scene shows them at a frame, within the armature, (J, 4, 4)."""
    scene = context.scene
    if scene.frame_current != frame or scene.frame_subframe:
        scene.frame_set(frame)
    seen = armature.evaluated_get(context.evaluated_depsgraph_get())
    return np.array([np.array(seen.pose.bones[n].matrix) for n in names])


def _angle(one, other):
    trace = np.trace(one.T @ other) / np.cbrt(np.linalg.det(one) * np.linalg.det(other))
    return float(np.degrees(np.arccos(np.clip((trace - 1) / 2, -1, 1))))


class RETIME_OT_tween(AtFrame, bpy.types.Operator):
    """Blend the pose at the current frame toward another, for the selected bones or all bones"""

    bl_idname = "retime.tween"
    bl_label = "Tween"

    toward: fields.toward()
    share: fields.share()

    def recipe(self, context, capture, engine):
        """Return one step: the pose, inserted where there is none, led toward the other."""
        values = timing_values(context, capture, "tween")
        values.pop("ease_length", None)
        self.keep_pose(context, capture)
        self.chosen = self.joints(context, capture)

        def edit(number, _):
            made = {"do": "tween", "share": round(self.share, 6), "toward": self.toward}
            return made | {"poses": [number]} | ({"joints": self.chosen} if self.chosen else {})

        return (yield from self.edited(context, capture, engine, values, edit))


class RETIME_OT_ease(AtFrame, bpy.types.Operator):
    """Shape how the motion comes to the pose at the current frame and leaves it"""

    bl_idname = "retime.ease"
    bl_label = "Ease"

    preset: fields.ease()
    amount: fields.ease_amount()
    frames: FloatProperty(
        name="Frames", default=0.0, min=0.0, soft_max=50.0, options={"SKIP_SAVE"},
        description="Length of the ease in frames. 0 uses the setting of the panel",
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """Return one step: the pose, inserted where there is none, eased."""
        values = timing_values(context, capture, "tween")
        seconds = values.pop(
            "ease_length", seconds_of(context.scene.retime, "tween", "ease_length")
        )
        if self.frames:
            seconds = self.frames / capture.fps
        self.chosen = self.joints(context, capture)

        def edit(number, _):
            made = {"do": "ease", "pose": number, "preset": self.preset}
            made |= {"amount": round(self.amount, 6), "seconds": round(seconds, 6)}
            return made | ({"joints": self.chosen} if self.chosen else {})

        return (yield from self.edited(context, capture, engine, values, edit))

    def edited_frames(self, context):
        """The pose that an ease inserts, if it gets a key."""
        return tuple(self.at) if self.adds_keys(context) else ()

    def follows(self, context):
        """Handles shape the ease."""
        return True

    def after(self, context, result):
        """Say how far time moved."""
        capture = result.capture
        frames = np.arange(capture.first, capture.last + 1, dtype=float)
        names = self.chosen or capture.names
        moved = max(float(np.abs(result.warp.of(n).output(frames) - frames).max()) for n in names)
        out = [f"moments moved by up to {counted(moved)}"] if moved >= 0.05 else []
        count = len(result.joints)
        return [*out, *([f"the poses of {counted(count, 'bone')} changed"] if count else [])]


class RETIME_OT_secondary(_Posing, bpy.types.Operator):
    """Make the selected bones, or arms, tails and hair, lag behind the body and settle"""

    bl_idname = "retime.secondary"
    bl_label = "Secondary Motion"

    strength: FloatProperty(
        name="Strength", default=-1.0, min=-1.0, max=5.0, options={"SKIP_SAVE"},
        description="Amount of secondary motion. Negative values use the setting of the panel",
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """Return one step."""
        values = chosen(context.scene.retime, "secondary")
        if self.strength >= 0:
            values["strength"] = round(self.strength, 6)
        if capture.rig.is_control and not context.scene.retime.hold_feet:
            values["constraints"] = "free"
        bones = selected_bones(context)
        joints = joints_for(self, capture, bones) if bones else None
        return [step("secondary", **values, joints=joints, range=part_of(context, capture))]
        yield

    def follows(self, context):
        """Return that it does: secondary motion changes every frame."""
        return True

    def after(self, context, result):
        """Say how far bones swing."""
        capture = result.capture
        if not result.joints or len(result) != len(capture.local):
            return [] if result.joints else ["no bone swings: nothing loose moves"]
        at = [capture.names.index(n) for n in result.joints]
        _, before, _ = decomposed(capture.local[:, at])
        after = result.rotations[:, [result.names.index(n) for n in result.joints]]
        dots = np.abs(np.einsum("fji,fji->fj", before, after))
        most = np.degrees(2 * np.arccos(np.clip(dots, 0, 1))).max(axis=0)
        k = int(most.argmax())
        return [
            f"{result.joints[k]} swings by up to {most[k]:.1f}°, {counted(len(at), 'bone')} in all"
        ]


CLASSES = (RETIME_OT_tween, RETIME_OT_ease, RETIME_OT_secondary)
