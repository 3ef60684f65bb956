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

from .declared import METHOD_GROUPS, PAGE, words_of
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
    return self.own_frames if self.own_frames and self.own_action == name else max(frames, 1)


def _set_length(self, value):
    self.own_action, self.own_frames = _active_action()[0], value


class RETIME_PG_settings(bpy.types.PropertyGroup):
    """How retimings of this scene are made and applied."""

    __annotations__ = {
        **{m: PointerProperty(type=g) for m, g in METHOD_GROUPS.items()},
        "apply": EnumProperty(
            name="Apply",
            items=[
                (
                    "AUTO",
                    "Automatic",
                    "Bake actions with keys on nearly every frame, re-key others",
                ),
                ("REKEY", "Re-key", "Move existing keys and their handles"),
                ("BAKE", "Bake", "Insert keys on every whole frame"),
                ("NLA", "NLA Strip", "Keep the action and animate the time of a strip"),
            ],
            description="How the result is applied to the action",
        ),
        "snap": BoolProperty(
            name="Snap to Frames",
            description="Put moved keys on whole frames; otherwise they may lie on subframes",
        ),
        "rest_frame": EnumProperty(
            name="First Frame",
            items=[
                ("AUTO", "Detect Rest Pose", "Leave a rest pose before the motion where it is"),
                ("KEEP", "Part of the Motion", "Retime the first frame with the others"),
                ("SKIP", "Rest Pose", "Leave the first frame where it is"),
            ],
            description="How to treat the first frame: motion capture often starts with a T-pose",
        ),
        "refine": BoolProperty(
            name="Add Keys",
            description="Add keys where curves need them to follow the result; otherwise an action "
            "with few keys keeps their number",
        ),
        "tolerance": FloatProperty(
            name="Tolerance",
            default=0.001,
            min=1e-6,
            soft_max=0.1,
            precision=4,
            description="Largest change of a curve between its keys, in its own unit",
        ),
        "part": EnumProperty(
            name="Part",
            items=[
                ("ALL", "Whole Action", "From the first key to the last"),
                ("PREVIEW", "Preview Range", "Only between the preview range's ends"),
            ],
            description="Part of the action to retime",
        ),
        "shared": EnumProperty(
            name="Shared Actions",
            items=[
                ("COPY", "Copy", "The armature gets a copy of its own"),
                ("STOP", "Stop", "Do nothing, and say who else uses it"),
            ],
            description="How to treat an action that other objects also use",
        ),
        "shape_keys": BoolProperty(
            name="Shape Keys",
            default=True,
            description="Retime shape keys of the meshes that the armature deforms",
        ),
        "children": BoolProperty(
            name="Children", default=True, description="Retime objects parented to the armature"
        ),
        "others": BoolProperty(
            name="Selected Objects",
            description="Retime other selected objects too: characters, props, cameras",
        ),
        "cameras": BoolProperty(
            name="Cameras", description="Retime the scene's camera and cameras bound to markers"
        ),
        "sounds": BoolProperty(
            name="Sounds", description="Move sound strips of the sequencer to their new start"
        ),
        "markers": BoolProperty(
            name="Markers", default=True, description="Move markers with the motion"
        ),
        "scene_range": BoolProperty(
            name="Scene Range",
            default=True,
            description="Fit the frame range of the scene; never cuts other objects",
        ),
        "hold_feet": BoolProperty(
            name="Hold Feet", description="Planted feet stay in place after every retiming"
        ),
        "smoothing": BoolProperty(
            name="Smooth", description="Average frames where the result plays faster"
        ),
        "mute": BoolProperty(
            name="Mute Constraints",
            description="With Bake, key the deform bones and mute the constraints that would hide "
            "their poses; muted constraints are reported",
        ),
        "method": EnumProperty(
            name="Method",
            items=[
                ("guided", "Guided", PAGE["guided"]["summary"]),
                ("physics", "Physics", PAGE["physics"]["summary"]),
                ("spline", "Spline", PAGE["spline"]["summary"]),
            ],
            description="Method that finds the timing",
        ),
        "own_frames": IntProperty(options={"HIDDEN"}),
        "own_action": StringProperty(options={"HIDDEN"}),
        "frames": IntProperty(
            name="Length",
            min=1,
            soft_max=5000,
            get=_length,
            set=_set_length,
            description="Length of the result in frames. Defaults to the length of the action",
        ),
        "shift": IntProperty(
            name="Frames",
            default=4,
            min=1,
            soft_max=50,
            description="Frames by which Earlier and Later move the active bone",
        ),
        "delay": FloatProperty(
            name="Delay",
            default=2.0,
            soft_min=-10,
            soft_max=10,
            precision=1,
            description="Frames between one bone and the next for Stagger and Succession",
        ),
        "amount": FloatProperty(
            name="Amount",
            default=0.3,
            min=-1,
            max=10,
            soft_max=1,
            subtype="FACTOR",
            description="Amount of exaggeration; negative values reduce the poses",
        ),
        "sound": PointerProperty(
            name="Song",
            type=bpy.types.Sound,
            description="Sound to sync to. Defaults to the sound strip of the sequencer",
        ),
        "move_song": BoolProperty(
            name="Move Song",
            description="Move the song's strip by up to a beat where it fits the motion better",
        ),
        "keep_length": BoolProperty(
            name="Keep Length", description="Keep the length of the action while syncing"
        ),
        "locked_moments": BoolProperty(
            name="Locked Moments", description="Put the moments of selected markers on beats"
        ),
        "toward": EnumProperty(
            name="Toward",
            items=words_of("tween", "tweens"),
            default="next",
            description="Pose that Tween blends toward",
        ),
        "share": FloatProperty(
            name="Share",
            default=0.5,
            min=-3,
            max=3,
            soft_min=-1,
            soft_max=1,
            subtype="FACTOR",
            description="Amount of blending: 1 is the other pose, more overshoots",
        ),
        "preset": EnumProperty(
            name="Ease",
            items=words_of("tween", "eases"),
            default="settle",
            description="Shape of the motion into the pose and out of it",
        ),
        "ease": FloatProperty(
            name="Amount",
            default=1.0,
            min=0.0,
            max=2.0,
            soft_max=1.0,
            subtype="FACTOR",
            description="Strength of the ease; 0 changes nothing",
        ),
        "target": PointerProperty(
            name="Target",
            type=bpy.types.Object,
            description="Object that Reach goes to. Defaults to the 3D cursor",
        ),
        "reference": PointerProperty(
            name="Reference", type=bpy.types.Action, description="Action to copy timing from"
        ),
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


def unregister():
    """Take them away."""
    del bpy.types.Scene.retime, bpy.types.WindowManager.retime_word
    del bpy.types.WindowManager.retime_share
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
