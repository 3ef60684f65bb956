"""Retiming that takes nothing away: a strip whose time is animated, to edit and to remove."""

import json

import bpy
import numpy as np

from .actions import assign
from .keys import BEZIER, FREE, LINEAR, Keys
from .problem import Problem

# The track that holds a retiming, and the property that remembers what was there before.
TRACK, MEMORY = "Retime", "retime_before"


def track_of(owner):
    """Return the track with a data-block's retiming, or ``None``."""
    data = getattr(owner, "animation_data", None)
    if data is None or MEMORY not in owner:
        return None
    return next((t for t in data.nla_tracks if t.name == owner[MEMORY]["track"]), None)


def add_strip(animated, first, last, times=None):
    """Move a data-block's action into a strip of a track of its own.

    The action is unchanged. ``first`` and ``last`` are the strip's frames; ``times`` are action
    frames over scene frames, without which the action plays as it is.
    """
    owner, action = animated.owner, animated.action
    identifier = None if animated.slot is None else animated.slot.identifier
    data = owner.animation_data
    span = animated.frame_range
    track = data.nla_tracks.new()
    track.name = TRACK
    strip = track.strips.new(retimed_name(action.name), round(first), action)
    if identifier is not None:
        strip.action_slot = animated.slot
    strip.extrapolation = "HOLD"
    strip.action_frame_start, strip.action_frame_end = span
    strip.frame_end_ui = max(float(last), first + 1.0)
    strip.frame_start_ui = float(first)
    if times is not None:
        strip.use_animated_time = True
        times.write(strip.fcurves.find("strip_time"))
    owner[MEMORY] = {"action": action, "slot": identifier or "", "track": track.name}
    assign(owner, None)
    return strip


def retimed_name(name):
    """Name what was retimed, once."""
    return name if name.endswith(" retimed") else f"{name} retimed"


def time_keys(graph, bezier):
    """Return strip time as keys: the engine's few Bezier keys, or the warp's own knots.

    ``bezier`` are keys as the engine fitted them, already in frames: (x, y, left x, left y, right
    x, right y).
    """
    if not bezier:
        return Keys.made(graph.x, graph.y, LINEAR)
    rows = np.array(bezier)
    keys = Keys.made(rows[:, 0], rows[:, 1], BEZIER)
    keys.arrays["handle_left"], keys.arrays["handle_right"] = rows[:, 2:4], rows[:, 4:6]
    keys.handle_left_type[:], keys.handle_right_type[:] = FREE, FREE
    return keys


def remember_scene(scene):
    """Keep markers and ranges as they are now, for removal; what is kept already stays."""
    if MEMORY in scene:
        return
    scene[MEMORY] = json.dumps(
        {
            "range": [scene.frame_start, scene.frame_end],
            "preview": [scene.frame_preview_start, scene.frame_preview_end],
            "markers": [[m.name, m.frame] for m in scene.timeline_markers],
        }
    )


def remove(scene, owners):
    """Take retimings away: actions, markers and range are as they were before.

    ``owners`` are data-blocks that may have one.
    """
    gone = list(dict.fromkeys(owner for owner in owners if MEMORY in owner))
    for owner in gone:
        _remove_from(owner)
    if gone and MEMORY in scene and not any(_remembers(scene)):
        _restore(scene, json.loads(scene[MEMORY]))
        del scene[MEMORY]
    return len(gone)


def _remove_from(owner):
    """Give a data-block the action back that it had before its retiming."""
    action, slot = owner[MEMORY]["action"], owner[MEMORY]["slot"] or None
    if action is None:
        raise Problem(f"The action that {owner.name} had before its retiming was deleted")
    track = track_of(owner)
    copies = []
    if track is not None:
        copies = [s.action for s in track.strips if s.action not in (None, action)]
        owner.animation_data.nla_tracks.remove(track)
    assign(owner, action, slot)
    for copy in copies:
        if copy.users == 0:  # it was made for the strip alone
            bpy.data.actions.remove(copy)
    del owner[MEMORY]


def _remembers(scene):
    for thing in scene.objects:
        for block in (thing, thing.data, getattr(thing.data, "shape_keys", None)):
            if block is not None and MEMORY in block:
                yield block


def _restore(scene, memory):
    scene.frame_start, scene.frame_end = memory["range"]
    if scene.use_preview_range:
        scene.frame_preview_start, scene.frame_preview_end = memory["preview"]
    before = dict(memory["markers"])
    for marker in scene.timeline_markers:
        if marker.name in before:
            marker.frame = before[marker.name]
