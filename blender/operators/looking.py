"""Looking at a motion: measures, frames with problems, poses; nothing of it is changed."""

import bpy
from bpy.props import BoolProperty

from ..engine_process import running_engine
from ..jobs import Job
from ..preferences import preferred_engine
from ..retiming import action_span, armature_of, seen

# Markers of ours start with this, so that they can be taken away again.
MARK = "retime: "


def _seen(context):
    """Capture the armature into the engine's folder: a generator."""
    armature = armature_of(context)
    _, first, last = action_span(armature)
    engine = yield from running_engine(preferred_engine(context))
    return engine, (yield from seen(context, armature, engine, first, last))


def clear_marks(scene, kind=""):
    """Take away markers that an earlier look left."""
    for marker in list(scene.timeline_markers):
        if marker.name.startswith(MARK + kind):
            scene.timeline_markers.remove(marker)


class RETIME_OT_check(Job, bpy.types.Operator):
    """Measure how good the motion is, and mark the frames with problems"""

    bl_idname = "retime.check"
    bl_label = "Check Motion"

    physics: BoolProperty(name="Physics", description="Also measure physical feasibility")
    mark: BoolProperty(name="Mark Problems", default=True, description="Set markers at problems")

    def steps(self, context):
        """Capture, ask, show."""
        engine, capture = yield from _seen(context)
        request = {"check": str(engine.folder / "in.npz"), "physics": self.physics, **capture.words}
        answer = yield from engine.ask(request)
        settings, scene = context.scene.retime, context.scene
        settings.measures.clear()
        for found in answer["measures"]:
            line = settings.measures.add()
            value, unit = found["value"], found["unit"]
            if unit == "s":
                value, unit = value * capture.fps, "frames"
            line.name = found["name"].removesuffix("_seconds").replace("_", " ").capitalize()
            line.text = f"{value:.4g} {unit}".strip()
            line.meaning = found["meaning"]
        if answer.get("feasible") is not None:
            line = settings.measures.add()
            line.name, line.text = "Feasible", f"{100 * answer['feasible']:.0f} %"
            line.meaning = "frames that a body could have done"
        clear_marks(scene)
        if self.mark:
            for problem in answer["problems"]:
                frame = round(capture.first + problem["start"] * capture.fps)
                scene.timeline_markers.new(f"{MARK}{problem['what']}"[:63], frame=frame)
        count = len(answer["problems"])
        return [*answer["notes"], f"{count} problems found" if count else "No problems found"]


class RETIME_OT_mark_poses(Job, bpy.types.Operator):
    """Set a marker at each pose of the motion: a start for keytimes"""

    bl_idname = "retime.mark_poses"
    bl_label = "Markers at Poses"

    def steps(self, context):
        """Capture, ask, mark."""
        from ..declared import chosen

        engine, capture = yield from _seen(context)
        values = chosen(context.scene.retime, "stagger")
        answer = yield from engine.ask(
            {"poses": str(engine.folder / "in.npz"), "parameters": values, **capture.words}
        )
        clear_marks(context.scene, "pose")
        for k, time in enumerate(answer["times"]):
            frame = round(capture.first + time * capture.fps)
            context.scene.timeline_markers.new(f"{MARK}pose {k}", frame=frame)
        return [f"{len(answer['times'])} poses marked"]


class RETIME_OT_clear_marks(bpy.types.Operator):
    """Take away the markers that checks and poses left"""

    bl_idname = "retime.clear_marks"
    bl_label = "Clear Marks"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Take them away."""
        clear_marks(context.scene)
        return {"FINISHED"}


CLASSES = (RETIME_OT_check, RETIME_OT_mark_poses, RETIME_OT_clear_marks)
