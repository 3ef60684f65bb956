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

_PAGE = json.loads(Path(__file__).with_name("retime_parameters.json").read_text("utf-8"))
# What operators work out themselves from the scene.
_FROM_THE_SCENE = {"duration", "range", "ripple", "jitter", "seed", "exaggerate"}
# A number without a bound of its own.
_ANY = 3.0e38


def offered(method):
    """List the parameters of a method that a panel can show."""
    return [
        p for p in _PAGE[method]["parameters"]
        if p["kind"] != "other" and p["name"] not in _FROM_THE_SCENE
        and not (p["kind"] == "choice" and len(p["choices"]) < 2)
    ]  # fmt: skip


def _property(p):
    """Make Blender's property for a declared parameter."""
    text = p["help"] + (f" ({p['unit']})" if p["unit"] else "")
    common = {"name": p["label"], "description": text}
    default = p["default"]
    if p["kind"] == "bool":
        return BoolProperty(default=bool(default), **common)
    if p["kind"] == "choice":
        items = [(c, c.capitalize(), "") for c in p["choices"]]
        return EnumProperty(items=items, default=default, **common)
    if p["kind"] == "text":
        return StringProperty(default=default or "", **common)
    low = -_ANY if p["minimum"] is None else p["minimum"]
    high = _ANY if p["maximum"] is None else p["maximum"]
    if p["kind"] == "int":
        low, high = int(max(low, -(2**31))), int(min(high, 2**31 - 1))
        return IntProperty(default=max(default or 0, low), min=low, max=high, **common)
    start = max(low, min(high, 0.0)) if default is None else default
    return FloatProperty(default=start, min=low, max=high, precision=3, **common)


def _group(method):
    """Make the group of a method's properties; those that may be left out have a switch."""
    annotations = {}
    for p in offered(method):
        if p["optional"]:
            annotations[f"use_{p['name']}"] = BoolProperty(
                name=f"Set {p['label']}", description=p["help"]
            )
        annotations[p["name"]] = _property(p)
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


class RETIME_PG_settings(bpy.types.PropertyGroup):
    """How retimings of this scene are made and applied."""

    __annotations__ = {
        **{m: PointerProperty(type=g) for m, g in METHOD_GROUPS.items()},
        "apply": EnumProperty(
            name="Apply",
            items=[
                ("REKEY", "Re-key", "Move the keys that are there, with their handles"),
                ("BAKE", "Bake", "Key every frame of the result"),
                ("NLA", "NLA Strip", "Leave the action as it is and animate a strip's time"),
            ],
            description="How the result comes into the scene",
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
            description="Which part of the action is retimed",
        ),
        "shared": EnumProperty(
            name="Shared Actions",
            items=[
                ("COPY", "Copy", "The armature gets a copy of its own"),
                ("STOP", "Stop", "Do nothing, and say who else uses it"),
            ],
            description="What happens to an action that others use too",
        ),
        "shape_keys": BoolProperty(
            name="Shape Keys", default=True, description="Shape keys of the meshes it deforms"
        ),
        "children": BoolProperty(
            name="Children", default=True, description="Objects parented to the armature"
        ),
        "others": BoolProperty(
            name="Selected Objects", description="Other selected objects: partners, props, cameras"
        ),
        "markers": BoolProperty(name="Markers", default=True, description="Move markers along"),
        "scene_range": BoolProperty(
            name="Scene Range", default=True, description="Fit the scene's frame range"
        ),
        "hold_feet": BoolProperty(
            name="Hold Feet", description="Planted feet stay in place after every retiming"
        ),
        "smoothing": BoolProperty(
            name="Smooth", description="Average out the jitter of what plays faster"
        ),
        "mute": BoolProperty(
            name="Mute Constraints",
            description="Mute the constraints that would hide the poses of baked bones",
        ),
        "method": EnumProperty(
            name="Method",
            items=[
                ("guided", "Guided", _PAGE["guided"]["summary"]),
                ("physics", "Physics", _PAGE["physics"]["summary"]),
                ("spline", "Spline", _PAGE["spline"]["summary"]),
            ],
            description="How the timing is found",
        ),
        "frames": IntProperty(
            name="Length", default=100, min=1, soft_max=5000, description="Frames of the result"
        ),
        "reference": PointerProperty(
            name="Reference", type=bpy.types.Action, description="The action whose timing guides"
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
