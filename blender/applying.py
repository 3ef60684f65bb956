"""Applying a result natively: everything is worked out first, then written in one go."""

from dataclasses import dataclass

import numpy as np

from .bake import baked
from .carry import channel_of, copy_shared, move_markers, move_range
from .keys import LINEAR, PLACES, Keys
from .nla import MEMORY, add_strip, remember_scene, time_keys, track_of
from .problem import Problem
from .rekey import is_simple, rekey


@dataclass
class Options:
    """How a result is applied."""

    how: str = "REKEY"
    """Move keys (``REKEY``), key every frame (``BAKE``), or put the action into a strip (``NLA``).
    """
    tolerance: float | None = None
    """Add keys so that curves change by at most this between keys."""
    markers: bool = True
    scene_range: bool = True
    """Move them too."""
    mute: bool = False
    """Mute the constraints of bones that are baked."""
    keep_markers: tuple = ()
    """Markers that stay."""


def apply_result(context, armature, blocks, found, result, options):
    """Change the scene by a result; return sentences on what was done beyond the request.

    ``blocks`` are all data-blocks that may go along; those in strips have no action of their own.
    ``found`` are the actions among them, the armature's own too.
    """
    notes = list(result.notes)
    warp = result.warp
    strip = track_of(armature)
    bones = _bones_to_bake(armature, result, options, notes)
    if strip is not None:
        if bones or warp.channels:
            raise Problem(
                "This retiming is a strip, which plays the whole body at one time. Remove it, or "
                "bake it into the action (NLA > Bake Action), before parts get their own time"
            )
        plan = _strip_plan(blocks, warp)
    elif options.how == "NLA" and not bones and not warp.channels and not warp.loop:
        plan = None
    else:
        plan = _key_plan(armature, found, result, options, bones)
    # From here on the scene changes; nothing below waits or asks.
    scene = context.scene
    if options.how == "NLA" or strip is not None:
        remember_scene(scene)
    if plan is None:
        for animated in found:
            span = animated.frame_range
            first, last = (float(warp.body.output(f)) for f in span)
            keys = time_keys(warp.body, result.bezier)
            low, high = warp.output_range
            add_strip(animated, min(first, low), max(last, high), keys)
    else:
        notes += _write(plan, armature, found, options, strip is not None)
    if options.mute and bones:
        _mute(armature, bones, notes)
    if options.markers:
        move_markers(scene.timeline_markers, warp.body, options.keep_markers)
        own = next((a for a in found if a.owner == armature), None)
        if own is not None and options.how != "NLA":
            move_markers(own.action.pose_markers, warp.body)
    if options.scene_range:
        move_range(scene, warp.body)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return notes


def _bones_to_bake(armature, result, options, notes):
    """Choose the bones whose poses are keyed on every frame."""
    known = [n for n in result.names if n in armature.pose.bones]
    low, high = result.warp.source_range
    beyond = result.warp.loop and (
        low < result.capture.first - 1e-3 or high > result.capture.last + 1e-3
    )
    if options.how == "BAKE" or beyond:
        if beyond and options.how != "BAKE":
            notes.append("the cycle goes round: all bones are keyed on every frame")
        return known
    bones = [n for n in result.joints if n in armature.pose.bones]
    driven = driven_bones(armature)
    lost = [n for n in bones if n in driven]
    if lost and not options.mute:
        notes.append(
            f"{_listed(lost)} follow constraints, which hide what was keyed; mute them to see it"
        )
    return bones


def driven_bones(armature):
    """Return the names of bones whose pose constraints decide: IK chains, copied transforms."""
    out = set()
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if not constraint.mute and constraint.influence > 0:
                out |= _moved_by(bone, constraint)
    return out


def _moved_by(bone, constraint):
    """Name the bones that a constraint moves: its own, and of an IK chain those above."""
    if constraint.type != "IK":
        return {bone.name}
    above = list(bone.parent_recursive)
    if constraint.chain_count:  # 0 is the whole chain
        above = above[: constraint.chain_count - 1]
    return {bone.name, *(b.name for b in above)}


def _mute(armature, bones, notes):
    wanted, muted = set(bones), []
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if not constraint.mute and _moved_by(bone, constraint) & wanted:
                constraint.mute = True
                muted.append(f"{bone.name} {constraint.name}")
    if muted:
        notes.append(f"muted: {_listed(muted)}")


def _listed(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


# ---- plans: what each curve's keys will be


def _key_plan(armature, found, result, options, bones):
    """Work out all keys: (Animated's place, curve's path and index, group, keys)."""
    plan = []
    roots = {b.name for b in armature.data.bones if b.parent is None}
    for place, animated in enumerate(found):
        own = animated.owner == armature
        done = set()
        if own and bones:
            for path, index, group, keys in baked(armature, animated, result, bones):
                plan.append((place, path, index, group, keys))
                done.add((path, index))
        by_graph = {}
        for curve in animated.keyed_curves:
            if (curve.data_path, curve.array_index) in done:
                continue
            graph = result.warp.of(channel_of(curve.data_path, roots) if own else None)
            if options.how == "BAKE" and own:
                values = _sampled(curve, graph, result.frames)
                keys = Keys.made(result.frames, values, LINEAR)
                plan.append((place, curve.data_path, curve.array_index, "", keys))
            elif not graph.is_identity:
                by_graph.setdefault(id(graph), (graph, []))[1].append(curve)
        for graph, listed in by_graph.values():
            plan += [(place, c.data_path, c.array_index, "", k)
                     for c, k in rekeyed(listed, graph, options.tolerance)]  # fmt: skip
    return plan


def _sampled(curve, graph, frames):
    return [curve.evaluate(float(f)) for f in graph.source(frames)]


def rekeyed(curves, graph, tolerance):
    """Move the keys of many curves: (curve, keys) each; all at once where none has to be split."""
    if tolerance or not is_simple(graph):
        return [(curve, rekey(Keys.read(curve), graph, tolerance)) for curve in curves]
    read = [Keys.read(curve, PLACES) for curve in curves]
    moved = rekey(Keys.joined(read), graph)
    out, start = [], 0
    for curve, keys in zip(curves, read, strict=True):
        new = moved.part(start, start + len(keys))
        for name in ("handle_left_type", "handle_right_type"):
            if np.array_equal(new.arrays[name], keys.arrays[name]):
                del new.arrays[name]  # they are as they were: nothing to write
        out.append((curve, new))
        start += len(keys)
    return out


def _strip_plan(blocks, warp):
    """Move the keys of strip times: a second retiming on top of the first."""
    plan = []
    for block in blocks:
        own = track_of(block)
        if own is None:
            continue
        for strip in own.strips:
            curve = strip.fcurves.find("strip_time")
            if curve is None or not len(curve.keyframe_points):
                continue
            keys = rekey(Keys.read(curve), warp.body)
            plan.append((strip, curve, keys))
    return plan


def _write(plan, armature, found, options, strips):
    notes = []
    if strips:
        for strip, curve, keys in plan:
            keys.write(curve)
            strip.frame_end_ui = max(keys.co[-1, 0], strip.frame_start_ui + 1.0)
        return notes
    if options.how == "NLA":
        copies = []
        for animated in found:
            before = animated
            copy = before.own_copy()
            copy.action.name = f"{before.action.name} retimed"
            copies.append((before, copy))
        found = [copy for _, copy in copies]
    else:
        found, notes = copy_shared(found)
    added = 0
    for place, path, index, group, keys in plan:
        curve = found[place].ensure(path, index, group)
        added += max(len(keys) - len(curve.keyframe_points), 0)
        keys.write(curve)
    if options.how == "REKEY" and options.tolerance and added:
        notes.append(f"{added} keys were added to keep the curves")
    if options.how == "NLA":
        for before, copy in copies:
            first, last = copy.frame_range
            add_strip(copy, first, last)
            copy.owner[MEMORY]["action"] = before.action
        notes.append("parts have their own times: the strip plays a retimed copy of the action")
    return notes
