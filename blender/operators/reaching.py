"""Reaching: a hand, a foot or another bone brought to a place at the current frame."""

import bpy
import numpy as np

from .. import fields
from ..actions import animation_of
from ..arriving import arrived, channels_of, put_on_keys
from ..poses import Poses
from ..problem import Problem
from ..retiming import armature_of, tried
from ..rig import ends_of_ik
from .parts import joints_for, one_bone, timing_values
from .posing import AtFrame, shown

# A target is met within this distance, and what IK controls lead stays within that, metres.
_MET, _STAYS = 0.005, 0.01


class RETIME_OT_reach(AtFrame, bpy.types.Operator):
    """Bring a hand, foot, head, elbow, knee or finger to the 3D cursor at the current frame"""

    bl_idname = "retime.reach"
    bl_label = "Reach"

    bone: fields.bone()

    def must_be_ready(self, context):
        """Refuse a bone that is missing."""
        one_bone(context, self.bone)

    def recipe(self, context, capture, engine):
        """Return one step: the pose, inserted where there is none, brought to the target."""
        values = timing_values(context, capture, "stagger")
        help_ = values.pop("reach_help", "body")
        target = context.scene.retime.target
        place = context.scene.cursor.location if target is None else target.matrix_world.translation
        self.place, self.target = (
            np.array(place),
            "the 3D cursor" if target is None else target.name,
        )
        self.joint = joints_for(self, capture, [one_bone(context, self.bone)])[0]
        self.chosen = None
        if not (capture.rig.is_control and help_ == "body"):
            return (yield from self._reaching(context, capture, engine, values, help_))
        # Controls of a torso move its bones by shares, so that a limb alone arrives more exactly.
        made = yield from self._by_its_limb(context, capture, engine, values)
        if made is None:
            made = yield from self._by_the_body(context, capture, engine, values)
        return made

    def _by_its_limb(self, context, capture, engine, values):
        """Return the steps by which an arm or a leg reaches the target alone, if it does."""
        try:
            made = yield from self._reaching(context, capture, engine, values, "limb")
            result = yield from tried(engine, capture, made)
        except Problem:  # a head, an elbow: no end of a limb
            return None
        matrix = Poses(result).changed(self.joint, [self.frame])[0]
        return made if self._missed(capture, matrix) < _MET else None

    def _by_the_body(self, context, capture, engine, values):
        """Return the steps by which the body reaches the target; what IK controls lead stays."""
        made = yield from self._reaching(context, capture, engine, values, "body")
        result = yield from tried(engine, capture, made)
        poses, moved = Poses(result), {}
        led = ends_of_ik(armature_of(context), capture.rig) - {self.joint}
        for joint, place in capture.places(led, self.frame).items():
            at = capture.world[self.frame - capture.first] @ poses.changed(joint, [self.frame])[0]
            if np.linalg.norm(at[:3, 3] - place) * capture.scale > _STAYS:
                moved[joint] = place
        if moved:
            made = yield from self._reaching(context, capture, engine, values, "body", moved)
        return made

    def _reaching(self, context, capture, engine, values, help_, others=None):
        """Make the step; ``others`` are the places of joints that stay."""

        def edit(number, answer):
            # Captured lengths are the world's over the armature's own scale; of an unscaled import
            # the engine knows better how long they are.
            self.metres = answer["metres"] / capture.size
            places = {**(others or {}), self.joint: self.place / capture.size}
            targets = {
                n: [float(v) for v in (place * answer["metres"])[[0, 2, 1]] * (1, 1, -1)]
                for n, place in places.items()
            }
            return {"do": "reach", "pose": number, "targets": targets, "help": help_}

        return (yield from self.edited(context, capture, engine, values, edit))

    def _come_nearer(self, context, armature, result):
        """Turn the controls of the joint's chain until the rig shows it where the engine has it."""
        capture, animated = result.capture, animation_of(armature)
        if not capture.rig.is_control or animated is None or animated.is_dense:
            return
        wanted = Poses(result).changed(self.joint, [self.frame])[0][:3, 3]
        found = shown(context, armature, self.frame, [self.joint])[0][:3, 3]
        channels = channels_of(armature, animated, capture.rig, self.joint)
        if channels and np.linalg.norm(wanted - found) * capture.scale > _MET:
            changes = arrived(context, armature, channels, self.joint, wanted)
            put_on_keys(channels, self.frame, changes)
            context.scene.frame_set(self.frame)

    def _missed(self, capture, matrix):
        """Return how far a joint is from the target, metres; its matrix is in the armature."""
        world = capture.world[self.frame - capture.first] @ matrix
        return float(np.linalg.norm(world[:3, 3] * capture.size - self.place) * self.metres)

    def after(self, context, result):
        """Bring it nearer by the controls, and say how near it came, as the scene shows it."""
        armature = armature_of(context)
        self._come_nearer(context, armature, result)
        matrix = shown(context, armature, self.frame, [self.joint])[0]
        missed = 100 * self._missed(result.capture, matrix)
        return [f"{self.joint} is {missed:.1f} cm from {self.target} at frame {self.frame}"]


CLASSES = (RETIME_OT_reach,)
