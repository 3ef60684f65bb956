"""Applying a result natively: everything is worked out first, then written in one go."""

from dataclasses import dataclass

import numpy as np

from .bake import baked
from .carry import channel_of, copy_shared, move_markers, move_range, span_of_others
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
        _add_strips(found, result)
    elif strip is not None:
        _write_strips(plan)
    else:
        notes += _write(plan, found, options)
    if options.mute and bones:
        _mute(armature, bones, notes)
    _move_along(scene, armature, blocks, found, warp.body, options)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return notes


def _add_strips(found, result):
    """Put actions into strips whose time the warp decides."""
    body = result.warp.body
    low, high = result.warp.output_range
    for animated in found:
        first, last = (float(body.output(f)) for f in animated.frame_range)
        keys = time_keys(body, result.bezier)
        add_strip(animated, min(first, low), max(last, high), keys)


def _move_along(scene, armature, blocks, found, body, options):
    """Move markers and the scene's range with the body."""
    if options.markers:
        move_markers(scene.timeline_markers, body, options.keep_markers)
        own = next((a for a in found if a.owner == armature), None)
        if own is not None and options.how != "NLA":
            move_markers(own.action.pose_markers, body)
    if options.scene_range:
        move_range(scene, body, span_of_others(scene, [armature, *blocks]))


def _bones_to_bake(armature, result, options, notes):
    """Choose the bones whose poses are keyed on every frame."""
    every = options.how == "BAKE"
    if not every and _goes_round(result):
        every = True
        notes.append("the cycle goes round: all bones are keyed on every frame")
    wanted = result.names if every else result.joints
    bones = [n for n in wanted if n in armature.pose.bones]
    driven = set() if every or options.mute else driven_bones(armature)
    lost = [n for n in bones if n in driven]
    if lost:
        notes.append(
            f"{_listed(lost)} follow constraints, which hide what was keyed; mute them to see it"
        )
    return bones


def _goes_round(result):
    """Whether a cycle shows more than what was captured of it."""
    low, high = result.warp.source_range
    beyond = low < result.capture.first - 1e-3 or high > result.capture.last + 1e-3
    return result.warp.loop and beyond


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
    roots = {b.name for b in armature.data.bones if b.parent is None}
    plan = []
    for place, animated in enumerate(found):
        if animated.owner != armature:
            curves = [(c, result.warp.of(None)) for c in animated.keyed_curves]
            keyed = _moved(curves, options.tolerance)
        else:
            keyed = list(baked(armature, animated, result, bones)) if bones else []
            done = {(path, index) for path, index, _, _ in keyed}
            curves = [
                (c, result.warp.of(channel_of(c.data_path, roots)))
                for c in animated.keyed_curves
                if (c.data_path, c.array_index) not in done
            ]
            if options.how == "BAKE":
                keyed += [_sampled(c, graph, result.frames) for c, graph in curves]
            else:
                keyed += _moved(curves, options.tolerance)
        plan += [(place, *keys) for keys in keyed]
    return plan


def _moved(curves, tolerance):
    """Move the keys of curves, each by its graph; those that stay are left out."""
    by_graph = {}
    for curve, graph in curves:
        if not graph.is_identity:
            by_graph.setdefault(id(graph), (graph, []))[1].append(curve)
    return [
        (curve.data_path, curve.array_index, "", keys)
        for graph, listed in by_graph.values()
        for curve, keys in rekeyed(listed, graph, tolerance)
    ]


def _sampled(curve, graph, frames):
    """Key a curve on every frame."""
    values = [curve.evaluate(float(f)) for f in graph.source(frames)]
    return curve.data_path, curve.array_index, "", Keys.made(frames, values, LINEAR)


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


def _write_strips(plan):
    for strip, curve, keys in plan:
        keys.write(curve)
        strip.frame_end_ui = max(keys.co[-1, 0], strip.frame_start_ui + 1.0)


def _write(plan, found, options):
    """Write keys into the actions, or for a strip into copies of them."""
    in_strips = options.how == "NLA"
    written, notes = (_copies(found), []) if in_strips else copy_shared(found)
    added = 0
    for place, path, index, group, keys in plan:
        curve = written[place].ensure(path, index, group)
        added += max(len(keys) - len(curve.keyframe_points), 0)
        keys.write(curve)
    if options.how == "REKEY" and options.tolerance and added:
        notes.append(f"{added} keys were added to keep the curves")
    if in_strips:
        for before, copy in zip(found, written, strict=True):
            add_strip(copy, *copy.frame_range)
            copy.owner[MEMORY]["action"] = before.action
        notes.append("parts have their own times: the strip plays a retimed copy of the action")
    return notes


def _copies(found):
    out = []
    for animated in found:
        name = animated.action.name
        out.append(animated.own_copy())
        out[-1].action.name = f"{name} retimed"
    return out
