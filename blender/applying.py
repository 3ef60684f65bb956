"""Applying a result natively: everything is worked out first, then written in one go."""

from dataclasses import dataclass
from functools import partial

from .carry import copy_shared, move_markers, move_range, move_sounds, span_of_others
from .keys import LINEAR, Keys
from .links import chain_of
from .nla import MEMORY, add_strip, remember_scene, retimed_name, time_keys, track_of
from .plan import key_plan, strip_plan
from .problem import Problem


@dataclass
class Options:
    """How a result is applied."""

    how: str = "AUTO"
    """Move keys (``REKEY``), key every frame (``BAKE``), put the action into a strip (``NLA``), or
    bake what is keyed on nearly every frame and move other keys (``AUTO``).
    """
    tolerance: float | None = None
    """Add keys so that curves change by at most this between keys."""
    markers: bool = True
    scene_range: bool = True
    """Move them too."""
    sounds: bool = False
    """Move the sequencer's sounds too."""
    snap: bool = False
    """Put moved keys on whole frames."""
    auto: bool = False
    """Whether baking was not asked for: bones that keep their timing are unchanged."""
    at_keys: bool = False
    """Put changed poses on the keys that are there, instead of on every frame."""
    mute: bool = False
    """Mute the constraints of bones that are baked."""
    keep_markers: tuple = ()
    """Markers that stay."""
    keys_at: tuple = ()
    """Frames of the result whose poses were edited."""
    follow: bool = False
    """Let curves follow changed poses between keys too."""
    add_keys: bool = False
    """Add the keys that changed poses need; otherwise values and handles change."""


def apply_result(context, armature, blocks, found, result, options):
    """Change the scene by a result; return sentences on what was done beyond the request.

    ``blocks`` are all data-blocks that may go along; those in strips have no action of their own.
    ``found`` are the actions among them, the armature's own too.
    """
    notes = list(result.notes)
    bones = _bones_to_bake(armature, result, options, notes)
    write = _writer(armature, blocks, found, result, options, bones)
    # From here on the scene changes; nothing below waits or asks.
    scene = context.scene
    if options.how == "NLA" or track_of(armature) is not None:
        remember_scene(scene)
    notes += write()
    if options.mute and bones:
        _mute(armature, bones, notes)
    span = result.capture.first, result.capture.last
    _move_along(scene, armature, blocks, found, span, result.warp.body, options)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return notes


def _writer(armature, blocks, found, result, options, bones):
    """Work out the new keys; return the function that writes them and returns sentences."""
    warp = result.warp
    changes = bool(bones or warp.channels or result.joints)
    if track_of(armature) is not None:
        if changes:
            raise Problem(
                "This retiming is a strip, which plays the whole body at one time. Remove it, or "
                "bake it into the action (NLA > Bake Action), before parts get their own time"
            )
        return partial(_write_strips, strip_plan(blocks, warp))
    if options.how == "NLA" and not changes and not warp.loop:
        return partial(_add_strips, found, result)
    plan, notes = key_plan(armature, found, result, options, bones)
    return lambda: notes + _write(plan, found, options)


def _add_strips(found, result):
    """Put actions into strips whose time the warp decides."""
    body = result.warp.body
    low, high = result.warp.output_range
    for animated in found:
        first, last = (float(body.output(f)) for f in animated.frame_range)
        keys = time_keys(body, result.bezier)
        rest = result.capture.rest_frames
        if rest:  # rest poses before the motion stay
            keys = Keys.joined([Keys.made(rest, rest, LINEAR), keys])
        add_strip(animated, min(first, low), max(last, high), keys)
    return []


def _move_along(scene, armature, blocks, found, span, body, options):
    """Move markers and the scene's range with the body."""
    if options.markers:
        move_markers(scene.timeline_markers, body, options.keep_markers)
        own = next((a for a in found if a.owner == armature), None)
        if own is not None and options.how != "NLA":
            move_markers(own.action.pose_markers, body)
    if options.sounds:
        move_sounds(scene, body)
    if options.scene_range:
        move_range(scene, body, span, span_of_others(scene, [armature, *blocks]))


def _bones_to_bake(armature, result, options, notes):
    """Choose the bones whose own poses are keyed on every frame."""
    rig, every = result.capture.rig, options.how == "BAKE"
    if rig.is_control:
        if not (every and options.mute):
            _must_not_go_round(result)
            return []
        _must_hang_together(armature, rig)
    if not every and goes_round(result):
        every = True
        notes.append("the cycle plays beyond its end: all bones are keyed on every frame")
    wanted = _every_frame(result, options) if every else _changed(result, options)
    bones = [n for n in wanted if n in armature.pose.bones]
    if not (every or options.mute):
        notes += _hidden(armature, bones)
    return bones


def _every_frame(result, options):
    """Name the bones that are baked: all, or those that move or change if nobody asked for it."""
    if not options.auto:
        return result.names
    keyed = result.capture.rig.keyed
    moved = {n for n in result.names if n in keyed and not result.warp.of(n).is_identity}
    return [n for n in result.names if n in result.joints or n in moved]


def _changed(result, options):
    """Name the bones whose changed poses need keys on every frame."""
    return [] if options.at_keys else result.joints


def _hidden(armature, bones):
    """Say which of the bones to be keyed follow constraints."""
    driven = driven_bones(armature)
    lost = [n for n in bones if n in driven]
    if not lost:
        return []
    return [f"{_listed(lost)} follow constraints, which hide the new keys; mute these to see them"]


def _must_not_go_round(result):
    """Refuse a cycle that plays beyond its end where only the keys of controls move."""
    if goes_round(result):
        raise Problem(
            "The cycle plays beyond its end, which keys of a control rig cannot show. Set a length "
            "within the action, or add a Cycles modifier to its curves first"
        )


def _must_hang_together(armature, rig):
    """Refuse to key deform bones that are below mechanism bones."""
    for name, p in zip(rig.joints, rig.parents, strict=True):
        above = None if p < 0 else armature.data.bones[rig.joints[p]]
        if armature.data.bones[name].parent != above:
            raise Problem(
                f"{name} is parented to mechanism bones of the rig, so its poses cannot be keyed. "
                "Turn Mute Constraints off to bake the controls instead"
            )


def goes_round(result):
    """Return whether a cycle shows more than what was captured of it."""
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
    return chain_of(bone, constraint) if constraint.type == "IK" else {bone.name}


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


def _write_strips(plan):
    for strip, curve, keys in plan:
        keys.write(curve)
        strip.frame_end_ui = max(keys.co[-1, 0], strip.frame_start_ui + 1.0)
    return []


def _write(plan, found, options):
    """Write keys into the actions, or for a strip into copies of them."""
    in_strips = options.how == "NLA"
    written, notes = (_copies(found), []) if in_strips else copy_shared(found)
    added = 0
    for place, path, index, group, keys in plan:
        curve = written[place].ensure(path, index, group)
        added += max(len(keys) - len(curve.keyframe_points), 0)
        keys.write(curve)
    if options.how == "REKEY" and added:
        edited = options.keys_at or options.follow or not options.at_keys
        why = "for the changed poses" if edited else "to keep the curves"
        notes.append(f"{added} keys were added {why}")
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
        out[-1].action.name = retimed_name(name)
    return out
