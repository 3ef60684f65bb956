"""Taking a retiming away, and installing the engine."""

import bpy

from .. import nla
from ..carry import data_blocks
from ..engine_process import stop_engine
from ..install import installing
from ..jobs import Job, refuse
from ..preferences import wheels_beside
from ..problem import Problem
from ..retiming import armature_of


class RETIME_OT_remove(bpy.types.Operator):
    """Remove the retiming strip: the action, markers and range are as before"""

    bl_idname = "retime.remove"
    bl_label = "Remove Retiming"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Remove it."""
        try:
            armature = armature_of(context)
            blocks = data_blocks(context, armature, shape_keys=True, children=True, others=True)
            if not nla.remove(context.scene, blocks):
                raise Problem(
                    f"{armature.name} has no retiming strip. Use Undo for what was re-keyed or "
                    "baked"
                )
        except Problem as e:
            return refuse(self, e)
        context.scene.frame_set(context.scene.frame_current)
        return {"FINISHED"}


class RETIME_OT_install_engine(Job, bpy.types.Operator):
    """Install retime in an environment of its own, beside the extension"""

    bl_idname = "retime.install_engine"
    bl_label = "Install Engine"
    bl_options = {"REGISTER"}

    def steps(self, context):
        """Install it."""
        stop_engine()
        return (yield from installing(wheels_beside(context)))


CLASSES = (RETIME_OT_remove, RETIME_OT_install_engine)
