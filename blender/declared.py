"""Settings that the library declares: each method's parameters as Blender's properties."""

import json
from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

PAGE = json.loads(Path(__file__).with_name("retime_parameters.json").read_text("utf-8"))
# What operators work out themselves from the scene.
_FROM_THE_SCENE = {
    "duration", "range", "ripple", "jitter", "seed", "exaggerate", "music_start", "phase"
}  # fmt: skip
# Words that Blender does not capitalise within a label.
_SMALL = {"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
# A number without a bound of its own.
_ANY = 3.0e38


def offered(method):
    """List the parameters of a method that a panel can show."""
    return [
        p for p in PAGE[method]["parameters"]
        if p["kind"] not in ("other", "text") and p["name"] not in _FROM_THE_SCENE
        and not (p["kind"] == "choice" and len(p["choices"]) < 2)
    ]  # fmt: skip


def words_of(method, parameter):
    """Make the items of a menu of the words that a parameter takes among other things."""
    return _items(next(p for p in PAGE[method]["parameters"] if p["name"] == parameter))


def _items(p):
    """Make the items of a menu: value, label and tooltip of each word."""
    return [
        (w, title(label), help[:1].upper() + help[1:]) for w, (label, help) in p["words"].items()
    ]


def title(label):
    """Write a label as Blender does: Max Speed, Hold Feet, Name of Bone."""
    words = label.replace("_", " ").split()
    return " ".join(w if w in _SMALL and k else w[:1].upper() + w[1:] for k, w in enumerate(words))


def _tooltip(p):
    """Write a tooltip as Blender does: no full stop at its end, the unit in brackets."""
    unit = ("frame" if p.get("moment") else "frames") if _is_time(p) else p["unit"]
    return p["help"].strip().removesuffix(".") + (f" ({unit})" if unit else "")


def _is_time(p):
    """Whether a parameter is a time, which the scene shows in frames."""
    return p["kind"] == "float" and p["unit"] == "s"


def _fps(group):
    render = group.id_data.render
    return render.fps / render.fps_base


def _frames(p):
    """Make the property of a time: seconds are kept, and frames of the scene are shown."""
    kept = f"{p['name']}_seconds"
    low = -_ANY if p["minimum"] is None else p["minimum"]
    high = _ANY if p["maximum"] is None else p["maximum"]

    def get(group):
        return getattr(group, kept) * _fps(group)

    def set_(group, frames):
        setattr(group, kept, min(max(frames / _fps(group), low), high))

    return FloatProperty(
        name=title(p["label"]), description=_tooltip(p), get=get, set=set_, precision=1, step=10,
        min=min(low, 0.0),
    )  # fmt: skip


def _property(p):
    """Make Blender's property for a declared parameter."""
    common = {"name": title(p["label"]), "description": _tooltip(p)}
    default = p["default"]
    if p["kind"] == "bool":
        return BoolProperty(default=bool(default), **common)
    if p["kind"] == "choice":
        return EnumProperty(items=_items(p), default=default, **common)
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
        if _is_time(p):
            annotations[f"{p['name']}_seconds"] = FloatProperty(
                default=p["default"] or 0.0, options={"HIDDEN"}
            )
        annotations[p["name"]] = _frames(p) if _is_time(p) else _property(p)
        if p.get("presets"):
            annotations[f"{p['name']}_preset"] = _preset(p)
    name = f"RETIME_PG_{method}"
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations})


METHOD_GROUPS = {method: _group(method) for method in PAGE}


def chosen(settings, method, capture=None):
    """Return the parameters of a method that differ from their defaults, for a recipe.

    Moments are frames of the scene; without a capture, which tells where it starts, none is given.
    """
    group = getattr(settings, method)
    out = {}
    for p in offered(method):
        if p["optional"] and not getattr(group, f"use_{p['name']}"):
            continue
        if p.get("moment") and capture is None:
            continue
        value = getattr(group, f"{p['name']}_seconds" if _is_time(p) else p["name"])
        if p["kind"] == "float":
            # Blender holds floats in single precision; a default must not come back as another.
            value = float(f"{value:.7g}")
            if p["default"] is not None and abs(value - p["default"]) <= 1e-6 * abs(p["default"]):
                continue
        if p.get("moment"):
            value = capture.time(round(value * capture.fps, 3))
        if p["optional"] or value != p["default"]:
            out[p["name"]] = value
    return out
