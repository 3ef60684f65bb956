"""Settings that panels show: few of our own, and each method's as the library declares them."""

import json
from pathlib import Path

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

from .problem import Problem

_PAGE = json.loads(Path(__file__).with_name("retime_parameters.json").read_text("utf-8"))
# What operators work out themselves from the scene.
_FROM_THE_SCENE = {"duration", "range", "ripple", "jitter", "seed", "exaggerate"}
# Words that a parameter of text takes.
_WORDS = {("surface", "propagation"): ["quintic", "septic"]}
# Words that Blender does not capitalise within a label.
_SMALL = {"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
# A number without a bound of its own.
_ANY = 3.0e38


def offered(method):
    """List the parameters of a method that a panel can show."""
    known = [_as_menu(method, p) for p in _PAGE[method]["parameters"]]
    return [
        p for p in known
        if p["kind"] not in ("other", "text") and p["name"] not in _FROM_THE_SCENE
        and not (p["kind"] == "choice" and len(p["choices"]) < 2)
    ]  # fmt: skip


def _as_menu(method, p):
    """Turn a parameter with fixed words into a choice, because a panel has menus, not free text."""
    words = _WORDS.get((method, p["name"]))
    return p if words is None else {**p, "kind": "choice", "choices": words}


def title(label):
    """Write a label as Blender does: Max Speed, Hold Feet, Name of Bone."""
    words = label.replace("_", " ").split()
    return " ".join(w if w in _SMALL and k else w[:1].upper() + w[1:] for k, w in enumerate(words))


def _tooltip(p):
    """Write a tooltip as Blender does: no full stop at its end, the unit in brackets."""
    return p["help"].strip().removesuffix(".") + (f" ({p['unit']})" if p["unit"] else "")


def _property(p):
    """Make Blender's property for a declared parameter."""
    common = {"name": title(p["label"]), "description": _tooltip(p)}
    default = p["default"]
    if p["kind"] == "bool":
        return BoolProperty(default=bool(default), **common)
    if p["kind"] == "choice":
        items = [(c, title(c), "") for c in p["choices"]]
        return EnumProperty(items=items, default=default, **common)
    low = -_ANY if p["minimum"] is None else p["minimum"]
    high = _ANY if p["maximum"] is None else p["maximum"]
    if p["kind"] == "int":
        low, high = int(max(low, -(2**31))), int(min(high, 2**31 - 1))
        return IntProperty(default=max(default or 0, low), min=low, max=high, **common)
    start = max(low, min(high, 0.0)) if default is None else default
    return FloatProperty(default=start, min=low, max=high, precision=3, **common)


def _preset(p):
    """Make the menu of a number's named values; choosing one sets the number."""

    def choose(group, context):
        value = p["presets"].get(getattr(group, f"{p['name']}_preset"))
        if value is not None:
            setattr(group, p["name"], value)
            if p["optional"]:
                setattr(group, f"use_{p['name']}", True)

    items = [("CUSTOM", "Custom", "The value that is set")]
    items += [(n, title(n), f"{v:g} {p['unit']}".strip()) for n, v in p["presets"].items()]
    return EnumProperty(
        name=f"{title(p['label'])} Preset", items=items, update=choose, options={"SKIP_SAVE"},
        description=f"Common values of {p['label'].lower()}",
    )  # fmt: skip


def _group(method):
    """Make the group of a method's properties; those that may be left out have a switch."""
    annotations = {}
    for p in offered(method):
        if p["optional"]:
            annotations[f"use_{p['name']}"] = BoolProperty(
                name=f"Set {title(p['label'])}", description=_tooltip(p)
            )
        annotations[p["name"]] = _property(p)
        if p.get("presets"):
            annotations[f"{p['name']}_preset"] = _preset(p)
    name = f"RETIME_PG_{method}"
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations})


METHOD_GROUPS = {method: _group(method) for method in _PAGE}


def chosen(settings, method):
    """Return the parameters of a method that differ from their defaults, for a recipe."""
    group = getattr(settings, method)
    out = {}
    for p in offered(method):
        if p["optional"] and not getattr(group, f"use_{p['name']}"):
            continue
        value = getattr(group, p["name"])
        if p["kind"] == "float":
            # Blender holds floats in single precision; a default must not come back as another.
            value = float(f"{value:.7g}")
            if p["default"] is not None and abs(value - p["default"]) <= 1e-6 * abs(p["default"]):
                continue
        if p["optional"] or value != p["default"]:
            out[p["name"]] = value
    return out


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
            name="Add Keys", description="Add keys where moved curves would bend away"
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
                ("guided", "Guided", _PAGE["guided"]["summary"]),
                ("physics", "Physics", _PAGE["physics"]["summary"]),
                ("spline", "Spline", _PAGE["spline"]["summary"]),
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
