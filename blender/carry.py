"""Things retimed together: the armature's action, shape keys, objects, markers, the range."""

import math

from .actions import animation_of
from .problem import Problem


def data_blocks(context, armature, *, shape_keys, children, others, cameras=False):
    """List the animated data-blocks that a retiming takes along, the armature first.

    ``shape_keys`` are those of the meshes that the armature deforms, ``children`` the objects below
    it, ``others`` the selected objects, ``cameras`` the scene's camera and those that markers bind.
    """
    scene, found = context.scene, [armature]
    if shape_keys:
        found += [_shape_keys(o) for o in scene.objects if _deforms(armature, o)]
    below = [o for o in scene.objects if _is_below(o, armature)] if children else []
    selected = context.selected_objects if others else []
    for thing in (*below, *selected, *(_cameras(scene) if cameras else ())):
        found += [thing, thing.data, _shape_keys(thing)]
    out = list(dict.fromkeys(block for block in found if block is not None))
    return [armature.data, *out] if armature.data not in out else out


def _shape_keys(thing):
    return getattr(thing.data, "shape_keys", None)


def _cameras(scene):
    """List the scene's camera and those that markers bind."""
    bound = [m.camera for m in scene.timeline_markers]
    return [c for c in (scene.camera, *bound) if c is not None]


def _deforms(armature, thing):
    if thing.parent == armature:
        return True
    return any(m.type == "ARMATURE" and m.object == armature for m in thing.modifiers)


def _is_below(thing, armature):
    above = thing.parent
    while above is not None:
        if above == armature:
            return True
        above = above.parent
    return False


def targets(blocks, armature, *, shared):
    """Choose the actions that are retimed: Animated things, and sentences on those left out.

    The armature's own action must be among those of the ``blocks``. An action that others use is
    copied for this armature where ``shared`` is ``"COPY"``; with ``"STOP"`` nothing is done.
    """
    found, notes = {}, []
    for block in blocks:
        animated = animation_of(block)
        if animated is None or not animated.curves:
            continue
        if block != armature and _is_linked(animated):
            notes.append(f"{block.name} is linked from another file and keeps its timing")
            continue
        slot = None if animated.slot is None else animated.slot.handle
        found.setdefault((animated.action.name, slot), animated)  # two of ours may share it
    if shared == "STOP":
        _must_be_ours(found.values())
    return list(found.values()), notes


def _is_linked(animated):
    return animated.action.library is not None or animated.owner.library is not None


def _must_be_ours(found):
    """Refuse actions that others use too."""
    for animated, others in _foreign_users(found):
        if others:
            raise Problem(
                f"The action {animated.action.name} is also used by {', '.join(others[:3])}. Make "
                "it single-user first, or choose Copy for shared actions"
            )


def _foreign_users(found):
    """Pair actions with who else uses them; strips of a retiming are not foreign users."""
    users = {a.owner.name for a in found}
    return [(a, [n for n in a.other_users if n not in users]) for a in found]


def copy_shared(found):
    """Give every target whose action others use a copy of its own; say so."""
    out, notes = [], []
    for animated, others in _foreign_users(found):
        if others:
            name = animated.action.name
            animated = animated.own_copy()
            notes.append(f"{name} is shared: {animated.owner.name} has its own copy now")
        out.append(animated)
    return out, notes


def move_markers(markers, graph, keep=()):
    """Move markers with the body; those named in ``keep`` stand where a hand put them."""
    moved = 0
    for marker in markers:
        if marker.name in keep:
            continue
        new = round(float(graph.output(marker.frame)))
        moved += new != marker.frame
        marker.frame = new
    return moved


def span_of_others(scene, moved):
    """Return the first and last frame of all in the scene that is not in ``moved``; or ``None``."""
    owners = [scene]
    for thing in scene.objects:
        owners += [thing, thing.data, _shape_keys(thing)]
    spans = [_ends(s) for s in sequence(scene)]
    for owner in owners:
        animation = getattr(owner, "animation_data", None)
        if animation is not None and owner not in moved:
            spans += _animated_spans(animation)
    return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def _animated_spans(animation):
    """List the spans of an action and of strips."""
    own = [] if animation.action is None else [tuple(animation.action.frame_range)]
    return own + [(s.frame_start, s.frame_end) for t in animation.nla_tracks for s in t.strips]


def sequence(scene):
    """List the strips of the sequencer."""
    editor = scene.sequence_editor
    if editor is None:
        return []
    # Blender 5 renamed them.
    return list(editor.strips_all if hasattr(editor, "strips_all") else editor.sequences_all)


def _ends(strip):
    """Return a strip's first and last frame; later Blenders call them handles."""
    if hasattr(strip, "left_handle"):
        return strip.left_handle, strip.right_handle
    return strip.frame_final_start, strip.frame_final_end


def move_sounds(scene, graph):
    """Let the sequencer's sounds start when what they started with does; return how many moved."""
    moved = 0
    for strip in sequence(scene):
        if strip.type != "SOUND":
            continue
        start, _ = _ends(strip)
        by = round(float(graph.output(start))) - start
        if by:
            name = "content_start" if hasattr(strip, "content_start") else "frame_start"
            setattr(strip, name, getattr(strip, name) + by)
            moved += 1
    return moved


def move_range(scene, graph, span, others=None):
    """Fit the scene's range, and the preview's, to the retimed motion.

    An end at the motion's end, ``span``, or within the motion follows it. An end beyond it only
    moves if the motion grows past it. The range still includes the first and last frame of
    ``others``.
    """
    old = scene.frame_start, scene.frame_end
    start, end = _fitted(graph, old, span)
    if others is not None:
        start = min(start, max(old[0], math.floor(others[0])))
        end = max(end, min(old[1], math.ceil(others[1])))
    # Setting one beyond the other would drag that along.
    scene.frame_end = max(end, scene.frame_start)
    scene.frame_start = max(start, 0)
    scene.frame_end = end
    if scene.use_preview_range:
        old = scene.frame_preview_start, scene.frame_preview_end
        start, end = _fitted(graph, old, span)
        scene.frame_preview_end = max(end, scene.frame_preview_start)
        scene.frame_preview_start = start
        scene.frame_preview_end = end


def _fitted(graph, old, span):
    """Return where the ends of a range come to lie."""
    moved = sorted(round(float(graph.output(f))) for f in span)
    inside = sorted(round(float(graph.output(f))) for f in old)
    start = inside[0] if old[0] >= span[0] - 1 else min(old[0], moved[0])
    end = inside[1] if old[1] <= span[1] + 1 else max(old[1], moved[1])
    return start, end
