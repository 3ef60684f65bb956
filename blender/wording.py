"""Words for the methods' parameters as panels show them: labels, tooltips and menus.

The library declares each parameter once, for a command line, a studio and this extension. Here are
only the words that differ in Blender. A field of a panel takes one number or one item of a menu,
and some words mean another thing in Blender.
"""

# Words that Blender does not capitalise within a label.
_SMALL = {"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}

# Labels, by parameter: those left of a field have room for some 13 letters.
_LABELS = {
    "acceleration_limit": "Acceleration",
    "alpha": "Feasibility",
    "beta": "Effort",
    "constraints": "Contacts",  # a constraint is something else in Blender
    "drag": "Tip Lag",
    "every": "Beats",
    "filter": "Noise Filter",
    "first_beat": "Count From",
    "fit": "Spline Fit",
    "fit_flights": "Fit Jumps",
    "frame_cost": "Frame Cost",
    "gravity_from": "Jumps",
    "grips": "Keep Grips",
    "keep": "Keep Poses",
    "limit_factor": "Torque Factor",
    "max_refinement": "Max Offset",
    "max_step": "Max Speed",
    "mode": "Surface",
    "moments": "Lock Markers",
    "neighbours": "Comparisons",
    "open_end": "End Early",
    "past_end": "Past the End",
    "repeat": "Repeat Cycle",
    "slack": "Force Slack",
    "smoothness": "Even Speed",
    "tolerance": "Tolerance",
}

# Tooltips, by parameter, or by method and parameter.
_TOOLTIPS = {
    "accents": "Moments of the motion that are put on beats",
    "alpha": "Weight of physical feasibility",
    "beta": "Weight of joint torques",
    "constraints": "Contacts with the ground or with other things that stay in place",
    "every": "Beats that accents are put on",
    "falloff": "Bones that follow a bone that is moved in time",
    "fit": "How splines are fitted to rotations",
    "fit_flights": "How jumps are made to follow gravity",
    "formulation": "How the timing is searched for",
    "frame_cost": "Cost of each frame if the length is free; higher values give a shorter result",
    "gravity": "Gravity that the result follows",
    "gravity_from": "How to treat recorded jumps that do not fall with gravity",
    "keep": "Poses to keep, as a fraction up to 1 or as a number. The first and the last frame are "
    "always kept",
    "loop": "Treat the action as a cycle, with equal pose and speed at the seam",
    "mass": "Mass of the whole figure. If it is not set, it is estimated from the height of a "
    "person, or from the volume of the bones",
    "mode": "Where the timing of a bone is read from the surface",
    "objective": "What to optimize",
    "propagation": "Falloff before and after the frame",
    "reach_help": "Bones that move to reach the target",
    "relative_to": "Pose to exaggerate away from",
    "root": "How the root follows a bone that is moved in time",
    "speed": "Uniform playback speed before syncing. If it is not set, the tempo of the motion is "
    "matched to the music where they are close",
    "upsample": "Input frames per output frame; 4 allows a quarter of the speed",
    ("physics", "strength"): "Strength of all joints relative to the torque limits",
}

# Menus, by parameter: the label and the tooltip of each item.
_MENUS = {
    "accents": {
        "speed": ("Body Speed", "Moments at which the body is slowest"),
        "stops": ("Stops", "Moments at which limbs stop"),
        "strikes": ("Strikes", "Moments at which limbs strike or turn"),
        "landings": ("Landings", "Moments at which feet land"),
        "mixed": ("All", "All of these moments"),
    },
    "constraints": {
        "hold": ("All", "Keep all contacts in place"),
        "touched": ("Edited Parts", "Keep the contacts of parts that the edit moves"),
        "free": ("None", "Keep no contacts in place"),
    },
    "every": {
        "1": ("Every Beat", "Use each beat"),
        "2": ("Every Second Beat", "Use each second beat"),
        "4": ("Every Fourth Beat", "Use each fourth beat"),
        "1/2": ("Half Beats", "Also use the middle between two beats"),
    },
    "falloff": {
        "limb": ("Limb", "The whole limb follows, so that the hand or foot arrives on time"),
        "joint": ("Distance", "Bones follow by their distance along the armature"),
    },
    "fit": {
        "log": ("Direct", "Fit the logarithms of rotations"),
        "levenberg-marquardt": ("Refined", "Refine the fit by least squares; slower"),
    },
    "fit_flights": {
        "timing": ("By Timing", "Change the timing of jumps and keep their height"),
        "height": ("By Height", "Change the height of jumps and keep their timing"),
    },
    "formulation": {
        "smooth": ("Smooth", "Change the speed gradually"),
        "paper": ("Whole Frames", "Choose whole frames and average them, as in the paper"),
    },
    "gravity_from": {
        "auto": ("Automatic", "Correct jumps that clearly do not fall with gravity"),
        "recording": ("Keep", "Keep the recorded timing of jumps"),
        "gravity": ("Correct", "Correct all jumps"),
    },
    "mode": {
        "frozen": ("At the Pose", "Read it at the pose that is moved, so that the shift is exact"),
        "intersection": ("Along the Path", "Intersect it with the paths of the bones"),
    },
    "objective": {
        "auto": ("Automatic", "Match the load if masses are changed, and the torques otherwise"),
        "match": ("Match Torques", "Match the torques of the recorded motion"),
        "effort": ("Least Effort", "Use the smallest torques"),
        "load": ("Match Load", "Match the torques of moving while carrying the changed masses"),
    },
    "propagation": {
        "quintic": ("Quintic", "Polynomial of degree five"),
        "septic": ("Septic", "Polynomial of degree seven, flatter at its ends"),
    },
    "reach_help": {
        "limb": ("Limb", "Only the limb moves"),
        "torso": ("Limb and Torso", "The limb and the torso move"),
        "body": ("Whole Body", "The whole body moves, with planted feet"),
    },
    "relative_to": {
        "average": ("Average", "The average of all poses"),
        "neighbours": ("Neighbors", "The mean of the poses before and after"),
        "previous": ("Previous", "The pose before"),
        "next": ("Next", "The pose after"),
    },
    "root": {
        "auto": ("Automatic", "The root stays, unless the whole body is moved"),
        "follow": ("Follow", "The root follows in location and rotation"),
        "rotations": ("Rotation", "Only the rotation of the root follows"),
        "lock": ("Lock", "The root and the other legs stay"),
    },
    "tweens": {
        "previous": ("Previous", "The pose before it"),
        "next": ("Next", "The pose after it"),
        "neighbours": ("Neighbors", "The mean of the poses before and after it"),
        "rest": ("Rest Pose", "The rest pose of the armature"),
        "mirror": ("Mirror", "The mirror image of the pose"),
    },
    "eases": {
        "hold": ("Hold", "Keep the pose for a while"),
        "snap": ("Snap", "Wait, then arrive quickly"),
        "anticipate": ("Anticipate", "Go back slightly before leaving the pose"),
        "settle": ("Settle", "Go past the pose and come back to it"),
    },
}  # fmt: skip


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


def tooltip_of(method, p, unit=""):
    """Return the tooltip of a parameter, written as Blender does: no full stop at its end."""
    text = _TOOLTIPS.get((method, p["name"])) or _TOOLTIPS.get(p["name"]) or p["help"]
    return text.strip().removesuffix(".") + (f" ({unit})" if unit else "")


def menu_of(name, values):
    """Return the items of a menu of a parameter's values."""
    known = _MENUS.get(name, {})
    return [(v, *known.get(v, (title(v), ""))) for v in values]


def values_of(name):
    """Return the values of a menu that this module lists, for a parameter that takes any text."""
    return list(_MENUS.get(name, ()))
