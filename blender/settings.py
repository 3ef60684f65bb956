"""Settings that panels show: few of our own, and each method's as the library declares them."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)  # fmt: skip

from . import fields
from .declared import METHOD_GROUPS
from .problem import Problem


class RETIME_PG_pin(bpy.types.PropertyGroup):
    """A marker's frame when it was pinned: the moment of the motion that it stands for."""

    frame: IntProperty()


class RETIME_PG_measure(bpy.types.PropertyGroup):
    """One line of a check."""

    text: StringProperty()
    meaning: StringProperty()


def _active_action():
    """Return the name and the length in frames of the active object's action."""
    from .actions import animation_of
    from .retiming import armature_of

    try:
        animated = animation_of(armature_of(bpy.context))
    except (Problem, AttributeError):
        return "", 0
    span = None if animated is None else animated.frame_range
    if span is None:
        return "", 0
    return animated.action.name, max(int(-(-span[1] // 1) - span[0] // 1), 1)


def _length(self):
    name, frames = _active_action()
    if self.rest_action == name:
        frames -= self.rest_count  # rest poses before the motion keep their frames
    return self.own_frames if self.own_frames and self.own_action == name else max(frames, 1)


def _set_length(self, value):
    self.own_action, self.own_frames = _active_action()[0], value


def _switch(name, description, *, on=False):
    return BoolProperty(name=name, description=description, default=on)


def _menu(name, description, *items):
    return EnumProperty(name=name, description=description, items=items)


# How a result is applied to the action.
_APPLYING = {
    "apply": _menu(
        "Apply", "How the result is applied to the action",
        ("AUTO", "Automatic", "Bake actions with keys on nearly every frame, re-key others"),
        ("REKEY", "Re-key", "Move existing keys and their handles"),
        ("BAKE", "Bake", "Insert keys on every whole frame"),
        ("NLA", "NLA Strip", "Keep the action and animate the time of a strip"),
    ),
    "part": _menu(
        "Range", "Part of the action to retime",
        ("ALL", "Whole Action", "From the first key to the last"),
        ("PREVIEW", "Preview Range", "Only what is within the preview range"),
    ),
    "hold_feet": _switch("Hold Feet", "Keep planted feet in place after every retiming"),
    "smoothing": _switch("Smooth", "Average frames where the result plays faster"),
    "snap": _switch(
        "Snap to Frames", "Put moved keys on whole frames; otherwise they may lie on subframes"
    ),
    "refine": _switch(
        "Add Keys",
        "Add keys where curves need them to follow the result; otherwise an action with few keys "
        "keeps their number",
    ),
    "tolerance": FloatProperty(
        name="Tolerance", default=0.001, min=1e-6, soft_max=0.1, precision=4,
        description="Largest change of a curve between its keys, in its own unit",
    ),
    "rest_frame": _menu(
        "First Frame", "How to treat the first frame: motion capture often starts with a T-pose",
        ("AUTO", "Detect Rest Pose", "Leave a rest pose before the motion where it is"),
        ("KEEP", "Part of the Motion", "Retime the first frame with the others"),
        ("SKIP", "Rest Pose", "Leave the first frame where it is"),
    ),
    "shared": _menu(
        "Shared Actions", "How to treat an action that other objects also use",
        ("COPY", "Copy", "Give the armature its own copy of the action"),
        ("STOP", "Cancel", "Cancel, and report who else uses the action"),
    ),
    "mute": _switch(
        "Mute Constraints",
        "With Bake, key the deform bones and mute the constraints that would hide their poses; "
        "muted constraints are reported",
    ),
}  # fmt: skip
# What is retimed together with the character.
TOGETHER = {
    "shape_keys": _switch(
        "Shape Keys", "Retime shape keys of the meshes that the armature deforms", on=True
    ),
    "children": _switch("Children", "Retime objects parented to the armature", on=True),
    "others": _switch(
        "Selected Objects", "Retime other selected objects too: characters, props, cameras"
    ),
    "cameras": _switch("Cameras", "Retime the scene's camera and cameras bound to markers"),
    "sounds": _switch("Sounds", "Move sound strips of the sequencer to their new start"),
    "markers": _switch("Markers", "Move markers with the motion", on=True),
    "scene_range": _switch(
        "Scene Range", "Fit the frame range of the scene; never cuts other objects", on=True
    ),
}
# What the buttons of the panel take.
_BUTTONS = {
    "method": fields.method(),
    "own_frames": IntProperty(options={"HIDDEN"}),
    "own_action": StringProperty(options={"HIDDEN"}),
    "rest_action": StringProperty(options={"HIDDEN"}),  # of which first frames were set aside
    "rest_count": IntProperty(default=1, options={"HIDDEN"}),
    "frames": IntProperty(
        name="Length", min=1, soft_max=5000, get=_length, set=_set_length,
        description="Length of the result in frames. Defaults to the length of the action",
    ),
    "reference": PointerProperty(
        name="Reference", type=bpy.types.Action, description="Action to copy timing from"
    ),
    "timing": fields.timing(),
    "shift": IntProperty(
        name="Frames", default=4, min=1, soft_max=50,
        description="Frames by which Earlier and Later move the active bone",
    ),
    "delay": fields.delay("Frames between one bone and the next, for Stagger and Succession"),
    "amount": fields.exaggeration(),
    "toward": fields.toward(),
    "share": fields.share(),
    "preset": fields.ease(),
    "ease": fields.ease_amount(),
    "target": PointerProperty(
        name="Target", type=bpy.types.Object,
        description="Object that Reach goes to. Defaults to the 3D cursor",
    ),
    "sound": PointerProperty(
        name="Song", type=bpy.types.Sound,
        description="Sound to sync to. Defaults to the sound strip of the sequencer",
    ),
    "move_song": _switch(
        "Move Song", "Move the song's strip by up to a beat where it fits the motion better"
    ),
    "keep_length": _switch("Keep Length", "Keep the length of the action while syncing"),
    "locked_moments": _switch(
        "Lock Markers", "Put the moments of the selected markers on beats"
    ),
}  # fmt: skip


class RETIME_PG_settings(bpy.types.PropertyGroup):
    """How retimings of this scene are made and applied."""

    __annotations__ = {
        **{m: PointerProperty(type=g) for m, g in METHOD_GROUPS.items()},
        **_APPLYING,
        **TOGETHER,
        **_BUTTONS,
        "pins": CollectionProperty(type=RETIME_PG_pin),
        "measures": CollectionProperty(type=RETIME_PG_measure),
    }


CLASSES = (RETIME_PG_pin, RETIME_PG_measure, *METHOD_GROUPS.values(), RETIME_PG_settings)


def register():
    """Register the settings."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.retime = PointerProperty(type=RETIME_PG_settings)
    bpy.types.WindowManager.retime_word = StringProperty(options={"SKIP_SAVE"})
    bpy.types.WindowManager.retime_share = FloatProperty(options={"SKIP_SAVE"})
    bpy.types.WindowManager.retime_said = StringProperty(options={"SKIP_SAVE"})


def unregister():
    """Take them away."""
    del bpy.types.Scene.retime, bpy.types.WindowManager.retime_word
    del bpy.types.WindowManager.retime_share, bpy.types.WindowManager.retime_said
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
