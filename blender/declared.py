"""Settings that the library declares: each method's parameters as Blender's properties."""

import json
from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .wording import label_of, menu_of, title, tooltip_of

PAGE = json.loads(Path(__file__).with_name("retime_parameters.json").read_text("utf-8"))
# Parameters that operators take from the scene, and one for which panels have no list of contacts.
_LEFT_OUT = {
    "duration", "range", "ripple", "jitter", "seed", "exaggerate", "music_start", "phase",
    "contacts_only",
}  # fmt: skip
# Values that fields show first where a parameter has no default.
_FIRST = {"acceleration_limit": 100.0, "bpm": 120.0, "mass": 70.0, "min_speed": 0.25, "speed": 1.0}
# A number without a bound of its own.
_ANY = 3.0e38
# Blender's kinds of units, and the power of the scene's unit scale that each contains.
_UNITS = {
    "m": ("LENGTH", 1),
    "kg": ("MASS", 3),
    "m/s²": ("ACCELERATION", 1),
    "Hz": ("FREQUENCY", 0),
}
_KNOWN_UNITS = bpy.types.FloatProperty.bl_rna.properties["unit"].enum_items


LABELS = {p["name"]: label_of(p) for method in PAGE.values() for p in method["parameters"]}


def offered(method):
    """List the parameters of a method that a panel can show."""
    return [p for p in PAGE[method]["parameters"] if _fits_a_field(p)]


def _fits_a_field(p):
    """Return whether a parameter can be shown as a number, a switch or a menu."""
    is_one_word = p["kind"] == "choice" and len(p["choices"]) < 2
    return not (is_one_word or p["kind"] in ("other", "text") or p["name"] in _LEFT_OUT)


def words_of(method, parameter):
    """Make the items of a menu of the words that a parameter takes among other things."""
    return menu_of(next(p for p in PAGE[method]["parameters"] if p["name"] == parameter))


# ---- properties


def _is_time(p):
    """Return whether a parameter is a time, which the scene shows in frames."""
    return p["kind"] == "float" and p["unit"] == "s"


def _unit(p):
    """Return Blender's unit of a parameter, and its power of the scene's unit scale."""
    unit, power = _UNITS.get(p["unit"], ("NONE", 0))
    return (unit, power) if unit in _KNOWN_UNITS else ("NONE", 0)


def _is_converted(p):
    """Return whether a parameter is kept as the engine takes it, and shown as the scene does."""
    return p["kind"] == "float" and (_is_time(p) or _unit(p)[1] > 0)


def _kept_name(p):
    """Name the property that keeps what the engine takes."""
    return f"{p['name']}_kept" if _is_converted(p) else p["name"]


def _per_unit(p, scene):
    """Return how many frames, or units of the scene, a second, metre or kilogram is."""
    if _is_time(p):
        return scene.render.fps / scene.render.fps_base
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else units.scale_length ** -_unit(p)[1]


def _bounds(p):
    low, high = p["minimum"], p["maximum"]
    return -_ANY if low is None else low, _ANY if high is None else high


def _words(p):
    """Return the label and the tooltip of a property; the unit is there unless the field has it."""
    unit = p["unit"] if _unit(p)[0] == "NONE" else ""
    if _is_time(p):
        unit = "frame" if p.get("moment") else "frames"
    return {"name": label_of(p), "description": tooltip_of(p, unit)}


def _converted(p):
    """Make the property of a time, a length, a mass or an acceleration in the scene's units."""
    low, high = _bounds(p)

    def get(group):
        return getattr(group, _kept_name(p)) * _per_unit(p, group.id_data)

    def set_(group, value):
        kept = value / _per_unit(p, group.id_data)
        setattr(group, _kept_name(p), min(max(kept, low), high))

    return FloatProperty(
        get=get, set=set_, precision=1 if _is_time(p) else 3, step=10, min=min(low, 0.0),
        unit=_unit(p)[0], **_words(p),
    )  # fmt: skip


def _number(p):
    """Make the property of another number."""
    low, high = _bounds(p)
    default = _start(p)
    if p["kind"] == "int":
        low, high = int(max(low, -(2**31))), int(min(high, 2**31 - 1))
        return IntProperty(default=int(default), min=low, max=high, **_words(p))
    kind = {"subtype": "FACTOR"} if (low, high) == (0.0, 1.0) else {"unit": _unit(p)[0]}
    digits = 2 if default >= 0.1 or not default else 3
    return FloatProperty(default=default, min=low, max=high, precision=digits, **kind, **_words(p))


def _start(p):
    """Return what a number shows at first."""
    if p["default"] is not None:
        return p["default"]
    low, high = _bounds(p)
    return min(max(_FIRST.get(p["name"], 0.0), low), high)


def _property(p):
    """Make Blender's property for a declared parameter."""
    if _is_converted(p):
        return _converted(p)
    if p["kind"] == "bool":
        return BoolProperty(default=bool(p["default"]), **_words(p))
    if p["kind"] == "choice":
        return EnumProperty(items=menu_of(p), default=p["default"], **_words(p))
    return _number(p)


def _preset(p):
    """Make the menu of a number's named values; choosing one sets the number."""

    def choose(group, context):
        value = p["presets"].get(getattr(group, f"{p['name']}_preset"))
        if value is not None:
            setattr(group, _kept_name(p), value)
            if p["optional"]:
                setattr(group, f"use_{p['name']}", True)

    items = [("CUSTOM", "Custom", "The value that is set")]
    items += [(n, title(n), f"{v:g} {p['unit']}".strip()) for n, v in p["presets"].items()]
    return EnumProperty(
        name=f"{label_of(p)} Preset", items=items, update=choose, options={"SKIP_SAVE"},
        description=f"Common values of {label_of(p).lower()}",
    )  # fmt: skip


def _properties(p):
    """Make all properties of a parameter: the switch of an optional one, its value, its presets."""
    if p["optional"]:
        about = tooltip_of(p)
        yield f"use_{p['name']}", BoolProperty(name=f"Set {label_of(p)}", description=about)
    if _is_converted(p):
        yield _kept_name(p), FloatProperty(default=_start(p), options={"HIDDEN"})
    yield p["name"], _property(p)
    if p.get("presets"):
        yield f"{p['name']}_preset", _preset(p)


def _group(method):
    """Make the group of a method's properties."""
    annotations = {n: made for p in offered(method) for n, made in _properties(p)}
    name = f"RETIME_PG_{method}"
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations})


METHOD_GROUPS = {method: _group(method) for method in PAGE}


# ---- values


def chosen(settings, method, capture=None):
    """Return the parameters of a method that differ from their defaults, for a recipe.

    Moments are frames of the scene; without a capture, which tells where it starts, none is given.
    """
    group, out = getattr(settings, method), {}
    for p in offered(method):
        if _is_set(group, p) and not (p.get("moment") and capture is None):
            value = _value(group, p, capture)
            if _differs(p, value):
                out[p["name"]] = value
    return out


def seconds_of(settings, method, parameter):
    """Return a time as the engine takes it."""
    return float(f"{getattr(getattr(settings, method), f'{parameter}_kept'):.7g}")


def _is_set(group, p):
    return not p["optional"] or getattr(group, f"use_{p['name']}")


def _value(group, p, capture):
    """Return a value as the engine takes it."""
    value = getattr(group, _kept_name(p))
    if p["kind"] != "float":
        return value
    value = float(f"{value:.7g}")  # Blender holds floats in single precision
    return capture.time(round(value * capture.fps, 3)) if p.get("moment") else value


def _differs(p, value):
    """Return whether a value has to be given; a default must not come back as another number."""
    if p["kind"] == "float" and p["default"] is not None:
        return abs(value - p["default"]) > 1e-6 * abs(p["default"])
    return p["optional"] or value != p["default"]
