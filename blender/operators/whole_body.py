"""Retiming the whole body: to a length, through markers, by another action, by a file."""

import json

import bpy
from bpy.props import IntProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .. import fields
from ..actions import animation_of
from ..declared import chosen
from ..jobs import refuse
from ..problem import Problem
from ..retiming import Retiming, armature_of, part_of, step


def _method(operator, context):
    settings = context.scene.retime
    return settings.method if operator.method == "SETTINGS" else operator.method


class RETIME_OT_to_length(Retiming, bpy.types.Operator):
    """Retime the character to a length in frames; actions and flights keep most of their speed"""

    bl_idname = "retime.to_length"
    bl_label = "Retime to Length"

    # What is left empty means the scene's own; it must not be filled with the last call's.
    frames: IntProperty(
        name="Length",
        min=0,
        options={"SKIP_SAVE"},
        description="Length of the result in frames; 0 uses the setting",
    )
    method: fields.method_or_setting()

    def recipe(self, context, capture, engine):
        """Return one step, to the length."""
        settings = context.scene.retime
        method, part = _method(self, context), part_of(context, capture)
        values = chosen(settings, method)
        if part is not None:
            values["ripple"] = True
        own = settings.own_frames and settings.own_action == _action_name(context)
        frames = self.frames or (settings.own_frames if own else capture.last - capture.first)
        length = frames / capture.fps
        return [step(method, **values, duration=length, range=part)]
        yield


def _action_name(context):
    animated = animation_of(armature_of(context))
    return "" if animated is None else animated.action.name


class RETIME_OT_pin_markers(bpy.types.Operator):
    """Remember the moments that the timeline's markers stand for; then drag them elsewhere"""

    bl_idname = "retime.pin_markers"
    bl_label = "Pin Markers"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Pin the selected markers, or all."""
        markers = context.scene.timeline_markers
        wanted = [m for m in markers if m.select] or list(markers)
        if not wanted:
            return refuse(self, "There are no markers. Set some at moments of the motion (M)")
        pins = context.scene.retime.pins
        pins.clear()
        for marker in wanted:
            pin = pins.add()
            pin.name, pin.frame = marker.name, marker.frame
        self.report({"INFO"}, f"{len(pins)} markers pinned: drag them to their new frames")
        return {"FINISHED"}


class RETIME_OT_keytimes(Retiming, bpy.types.Operator):
    """Retime so that what happened at each pinned marker happens where the marker is now"""

    bl_idname = "retime.keytimes"
    bl_label = "Keytimes from Markers"

    method: fields.method_or_setting()

    def must_be_ready(self, context):
        """Refuse markers that are not pinned, or that were not moved."""
        moved = moved_markers(context.scene)
        if not moved:
            raise Problem("No markers are pinned. Pin some first, then drag them")
        if all(new == old for _, old, new in moved):
            raise Problem("No pinned marker was moved. Drag some to their new frames")

    def recipe(self, context, capture, engine):
        """Return one step, through the markers; a marker beyond the end sets the length."""
        settings = context.scene.retime
        pairs = sorted((new, old) for _, old, new in moved_markers(context.scene))
        method = _method(self, context)
        values = chosen(settings, method)
        inner = [p for p in pairs if capture.first < p[1] < capture.last]
        length = _length(pairs, inner, capture)
        if inner and inner[0][0] <= capture.first:
            raise Problem("A marker was dragged before the motion's start; nothing can be earlier")
        times = [[capture.time(new), capture.time(old)] for new, old in inner]
        return [step(method, **values, keytimes=times, duration=length)]
        yield

    def kept_markers(self, context):
        """Pinned markers stand where they were dragged."""
        return [p.name for p in context.scene.retime.pins]

    def after(self, context, result):
        """Pin the markers where they are now."""
        markers = {m.name: m.frame for m in context.scene.timeline_markers}
        for pin in context.scene.retime.pins:
            pin.frame = markers.get(pin.name, pin.frame)
        return []


def _length(pairs, inner, capture):
    """Return the seconds of the result, by the marker at the end or by the last one."""
    ends = {old: new for new, old in pairs}
    if capture.last in ends:
        return (ends[capture.last] - capture.first) / capture.fps
    if not inner:
        raise Problem("The pinned markers lie outside the action. Pin some within it")
    # What follows the last marker keeps its own length.
    new, old = inner[-1]
    return (new + capture.last - old - capture.first) / capture.fps


def moved_markers(scene):
    """List pinned markers: name, the frame of their moment, and where they are now."""
    now = {m.name: m.frame for m in scene.timeline_markers}
    return [(p.name, p.frame, now[p.name]) for p in scene.retime.pins if p.name in now]


def _action_names(operator, context, typed):
    return [a.name for a in bpy.data.actions]


class RETIME_OT_reference(Retiming, bpy.types.Operator):
    """Give the motion the feel or the timing of another action of the same character"""

    bl_idname = "retime.reference"
    bl_label = "Reference Action"

    action: StringProperty(
        name="Action",
        options={"SKIP_SAVE"},
        search=_action_names,
        description="Action to copy timing from. Defaults to the one that is set",
    )
    how: fields.timing()

    def reference(self, context):
        """Return the other action."""
        given = context.scene.retime.reference
        action = bpy.data.actions.get(self.action) if self.action else given
        if action is None:
            raise Problem("There is no reference. Choose another action of this character")
        data = armature_of(context).animation_data
        if data is not None and action == data.action:
            raise Problem(f"{action.name} is the motion itself. Choose another action")
        return action

    def must_be_ready(self, context):
        """Refuse a reference that is missing, or that is the motion itself."""
        self.reference(context)

    def recipe(self, context, capture, engine):
        """Return one step, with the other action as its reference."""
        settings = context.scene.retime
        if self.how == "ALIGN":
            return [step("align", **chosen(settings, "align"), reference="reference")]
        length = "free" if self.how == "FREE" else None
        values = chosen(settings, "guided")
        return [step("guided", **values, reference=["reference"], duration=length)]
        yield


class _FromFile(ImportHelper, Retiming):
    """A retiming that a file holds."""

    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context, event):
        """Ask for the file."""
        return ImportHelper.invoke(self, context, event)

    def execute(self, context):
        """Go on by the timer once the file is chosen."""
        return self.start(context)

    def document(self, form):
        """Read the file."""
        try:
            with open(self.filepath, encoding="utf-8-sig") as file:
                document = json.load(file)
        except (OSError, ValueError, RecursionError) as e:
            raise Problem(f"{self.filepath} cannot be read: {e}") from None
        if not isinstance(document, dict) or document.get("format") != f"retime-{form}":
            raise Problem(f"{self.filepath} is not a {form} file of retime")
        return document


class RETIME_OT_import_warp(_FromFile, bpy.types.Operator):
    """Retime by a warp file, made by retime on any copy of this motion"""

    bl_idname = "retime.import_warp"
    bl_label = "Import Warp…"
    filename_ext = ".json"

    def recipe(self, context, capture, engine):
        """Return one step: the warp, brought to the motion's own start."""
        document = self.document("warp")
        try:
            listed = [document] if "output" in document else []
            listed += document.get("channels", {}).values()
            start = min(k["output"][0] for k in listed)
            for knots in listed:
                for axis in ("output", "source"):
                    knots[axis] = [t - start for t in knots[axis]]
        except (TypeError, KeyError, IndexError, ValueError, AttributeError):
            raise Problem(f"{self.filepath} is not a warp that retime can read") from None
        return [step("warp", warp=document)]
        yield


class RETIME_OT_import_recipe(_FromFile, bpy.types.Operator):
    """Retime by a recipe: several edits in one file"""

    bl_idname = "retime.import_recipe"
    bl_label = "Import Recipe…"
    filename_ext = ".json"

    def recipe(self, context, capture, engine):
        """Return the recipe's own steps."""
        steps = self.document("recipe").get("steps")
        if not isinstance(steps, list):
            raise Problem(f"{self.filepath} is not a recipe that retime can read")
        return steps
        yield


CLASSES = (
    RETIME_OT_to_length, RETIME_OT_pin_markers, RETIME_OT_keytimes, RETIME_OT_reference,
    RETIME_OT_import_warp, RETIME_OT_import_recipe,
)  # fmt: skip
