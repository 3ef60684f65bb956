"""Fields that the panel and operators share: what a button takes is what the panel shows."""

from bpy.props import EnumProperty, FloatProperty, StringProperty

from .declared import PAGE, words_of
from .problem import Problem

_METHODS = [(name, name.capitalize(), PAGE[name]["summary"].removesuffix("."))
            for name in ("guided", "physics", "spline")]  # fmt: skip


def method():
    """Make the menu of methods that retime to a length."""
    return EnumProperty(name="Method", items=_METHODS, description="Method that finds the timing")


def method_or_setting():
    """Make that menu for an operator, which uses the setting of the panel by default."""
    items = [("SETTINGS", "As Set", "The method that the panel shows"), *_METHODS]
    return EnumProperty(
        name="Method", items=items, options={"SKIP_SAVE"},
        description="Method that finds the timing",
    )  # fmt: skip


def timing():
    """Make the menu of what is copied from a reference."""
    return EnumProperty(
        name="Copy",
        items=[
            ("KEEP", "Feel", "Timing like that of the reference, in the length of the action"),
            ("FREE", "Feel and Length", "Timing like that of the reference, in a length that "
             "follows from it"),
            ("ALIGN", "Exact Timing", "For another take of the same action: everything happens "
             "when it does in the reference"),
        ],
        description="Timing to copy from the reference",
    )  # fmt: skip


def toward():
    """Make the menu of poses to blend toward."""
    return EnumProperty(
        name="Toward", items=words_of("tween", "tweens"), default="next",
        description="Pose to blend toward",
    )  # fmt: skip


def share():
    """Make the factor of blending."""
    return FloatProperty(
        name="Factor", default=0.5, min=-3, max=3, soft_min=-1, soft_max=1, subtype="FACTOR",
        description="Amount of blending: 1 is the other pose, more overshoots, below 0 moves away",
    )  # fmt: skip


def ease():
    """Make the menu of eases."""
    return EnumProperty(
        name="Ease", items=words_of("tween", "eases"), default="settle",
        description="Shape of the motion into the pose and out of it",
    )  # fmt: skip


def ease_amount():
    """Make the strength of an ease."""
    return FloatProperty(
        name="Amount", default=1.0, min=0.0, max=2.0, soft_max=1.0, subtype="FACTOR",
        description="Strength of the ease; 0 changes nothing",
    )  # fmt: skip


def exaggeration():
    """Make the amount of exaggeration."""
    return FloatProperty(
        name="Amount", default=0.3, min=-1, max=10, soft_max=1, subtype="FACTOR",
        description="Amount of exaggeration; negative values reduce the poses",
    )  # fmt: skip


def delay(description, default=2.0):
    """Make a delay in frames."""
    return FloatProperty(
        name="Frame Delay", default=default, soft_min=-10, soft_max=10, precision=1,
        description=description,
    )  # fmt: skip


def bone():
    """Make the field of one bone."""
    return StringProperty(
        name="Bone", options={"SKIP_SAVE"}, search=_bone_names,
        description="Bone to use. Defaults to the active bone",
    )  # fmt: skip


def _bone_names(operator, context, typed):
    from .retiming import armature_of

    try:
        return [b.name for b in armature_of(context).pose.bones]
    except Problem:
        return []
