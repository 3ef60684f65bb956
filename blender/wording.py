"""Words for the methods' parameters as panels show them: labels, tooltips and menus.

They are declared once, in the library. Here are only the words that differ in Blender, which calls
joints bones and clips actions, and shorter ones where a sidebar cuts a label off.
"""

# Words that Blender does not capitalise within a label.
_SMALL = {"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
# Labels and tooltips, by parameter. A label left of a field has room for some 13 letters.
_LABELS = {
    "acceleration_limit": "Acceleration",
    "alpha": "Feasibility",
    "beta": "Effort",
    "first_beat": "Count From",
    "frame_cost": "Frame Cost",
    "gravity_from": "Jumps",
    "limit_factor": "Torque Factor",
    "max_refinement": "Max Offset",
    "moments": "Lock Markers",
    "neighbours": "Comparisons",
    "open_end": "End Early",
    "propagation": "Time Falloff",
    "slack": "Force Slack",
}
# Labels of items in menus, by parameter and value.
_ITEMS = {
    ("constraints", "hold"): "Moved Parts",
    ("formulation", "paper"): "Whole Frames",
    ("formulation", "smooth"): "Gradual",
    ("mode", "intersection"): "Intersection",
}
_TOOLTIPS = {
    "falloff": "Bones that follow a bone that is moved in time",
    "loop": "Treat the action as a cycle, with equal pose and speed at the seam",
    "mode": "Where the timing of a bone is read from the surface",
    "reach_help": "Bones that move to reach the target",
    "root": "How the root follows a bone that is moved in time",
}


def title(label):
    """Write a label as Blender does: Max Speed, Hold Feet, Name of Bone."""
    words = label.replace("_", " ").split()
    inner = range(1, len(words) - 1)
    return " ".join(
        w if w in _SMALL and k in inner else w[:1].upper() + w[1:] for k, w in enumerate(words)
    )


def label_of(p):
    """Return the label of a parameter."""
    return _LABELS.get(p["name"]) or title(p["label"])


def tooltip_of(p, unit=""):
    """Return the tooltip of a parameter, written as Blender does: no full stop at its end."""
    text = _TOOLTIPS.get(p["name"]) or p["help"].replace("Default: ", "If it is not set: ")
    return text.strip().removesuffix(".") + (f" ({unit})" if unit else "")


def menu_of(p):
    """Return the items of the menu of a parameter's words: value, label and tooltip."""
    out = []
    for word, (label, about) in p["words"].items():
        shown = _ITEMS.get((p["name"], word)) or title(label)
        about = about or label
        out.append((word, shown, about[:1].upper() + about[1:]))
    return out
