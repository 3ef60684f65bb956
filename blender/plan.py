"""Plans: what each curve's keys will be, worked out before anything changes."""

import numpy as np

from .bake import baked
from .correct import FOLLOWS, Corrections, Manner, corrected
from .fitting import farthest, fitted
from .keys import LINEAR, PLACES, Keys, snapped
from .nla import track_of
from .rekey import is_simple, rekey, with_keys


def key_plan(armature, found, result, options, bones):
    """Work out all keys: (Animated's place, curve's path and index, group, keys), and sentences.

    ``bones`` are those whose own poses are keyed on every frame.
    """
    plan, notes = [], []
    for place, animated in enumerate(found):
        if animated.owner == armature:
            keyed, said = _of_armature(armature, animated, result, options, bones)
            notes += said
        else:
            keyed = _of_another(animated, result, options)
        plan += [(place, *keys) for keys in keyed]
    if options.snap and options.how != "BAKE":
        plan, between = _on_frames(plan)
        if between:
            notes.append(f"{between} keys stay between frames: another key has theirs")
    return plan, notes


def _of_another(animated, result, options):
    """Work out the keys of an action that is retimed with the armature's."""
    curves = [(c, result.warp.of(None)) for c in animated.keyed_curves]
    if options.how == "BAKE" and animated.is_dense:
        frames = _frames_of(animated, result)
        return [_sampled(c, g, result, frames) for c, g in curves if _moves(g)]
    return _moved(curves, options.tolerance)


def _of_armature(armature, animated, result, options, bones):
    """Work out the keys of the armature's own action."""
    rig, made = result.capture.rig, Corrections()
    keyed = _baked_bones(armature, animated, result, bones)
    done = {(path, index) for path, index, _, _ in keyed}
    curves = [
        (c, result.warp.of(rig.channel(c.data_path)))
        for c in animated.keyed_curves
        if (c.data_path, c.array_index) not in done
    ]
    rows = _warped(curves, result, options, made)
    if not result.joints or bones:
        return keyed + rows, told(made, options, result) if rows else []
    rows = corrected(armature, animated, result, rows, _manner(options), made)
    if not made.bones:
        return rows, ["no keyed control moves what was changed: its poses are unchanged"]
    return rows, told(made, options, result)


def _baked_bones(armature, animated, result, bones):
    """Key bones on every frame of the result, and a rest pose before it."""
    rows = baked(armature, animated, result, bones) if bones else ()
    return [
        (path, index, group, _with_rest(animated.find(path, index), keys, result))
        for path, index, group, keys in rows
    ]


def _warped(curves, result, options, made):
    """Retime curves, each by its graph, in the way that the options ask for."""
    moving = [(c, g) for c, g in curves if _moves(g)]
    if options.how == "BAKE":
        wanted = moving if options.auto else curves
        return [_sampled(c, g, result, result.frames) for c, g in wanted]
    also = options.keys_at if options.add_keys else ()
    if options.follow and not options.tolerance:
        frames = result.frames.astype(float)
        return [_shaped(c, g, frames, also, made) for c, g in moving]
    return _moved(curves, options.tolerance, also)


def _manner(options):
    """Return how changed poses are put on curves."""
    if options.how == "BAKE":
        return Manner(add_keys=options.add_keys, new_curves=not options.auto)
    return Manner(keys_at=options.keys_at, follow=options.follow, add_keys=options.add_keys)


# ---- sentences on what was done


def told(made, options, result):
    """Say how changed poses were put on keys."""
    if options.how == "BAKE":
        return []
    count = len(made.bones)
    bones = made.bones[0] if count == 1 else f"{count} bones" if count else "bones"
    if options.follow and not options.add_keys:
        return [f"keys and handles of {bones} follow the result{_distance(made, result)}"]
    if not made.bones:
        return []
    exact = options.keys_at or options.add_keys
    more = "" if exact else "; Bake changes them on every frame"
    return [_nearest_keys(made) or f"poses changed at the keys of {bones}{more}"]


def _distance(made, result):
    """Say how far curves with few keys are from the result; nothing if they are near."""
    metres = made.place * result.capture.scale
    far = [f"{np.degrees(made.turn):.1f}°"] if made.turn > FOLLOWS[0] else []
    far += [f"{100 * metres:.1f} cm"] if metres > FOLLOWS[1] else []
    return f", up to {' and '.join(far)} away between keys; Add Keys follows it" if far else ""


def _nearest_keys(made):
    """Say by which keys a pose changed that has none of its own; nothing if it has."""
    if made.moved:
        frames = ", ".join(f"{f:g}" for f in sorted(made.moved))
        return (
            f"the pose changed by the keys nearest to it, at frame {frames}; Add Keys keeps them "
            "and adds one"
        )
    if made.bent:
        return (
            f"the current frame has no key on {made.bent} curves: the handles beside it changed. "
            "Add Keys gives it one"
        )
    return ""


# ---- keys


def _moves(graph):
    return not graph.is_identity


def _moved(curves, tolerance, keys_at=()):
    """Move the keys of curves, each by its graph; those that stay are left out.

    Curves get keys at output frames ``keys_at``, where they have none.
    """
    by_graph = {}
    for curve, graph in curves:
        if not graph.is_identity:
            by_graph.setdefault(id(graph), (graph, []))[1].append(curve)
    return [
        (curve.data_path, curve.array_index, "", keys)
        for graph, listed in by_graph.values()
        for curve, keys in rekeyed(listed, graph, tolerance, keys_at)
    ]


def _shaped(curve, graph, frames, keys_at, made):
    """Move the keys of a curve, and let its handles follow the warp at frames.

    The curve gets keys at output frames ``keys_at``, where it has none.
    """
    wanted = np.array([curve.evaluate(float(f)) for f in graph.source(frames)])
    keys = rekey(with_keys(Keys.read(curve), graph.source(np.array(keys_at))), graph)
    keys = fitted(keys, np.zeros_like, wanted, frames, FOLLOWS[0])
    made.off(curve.data_path.rpartition(".")[2], farthest(keys, wanted, frames))
    return curve.data_path, curve.array_index, "", keys


def _frames_of(animated, result):
    """Return the whole frames that another data-block's action covers once it is retimed."""
    first, last = (float(result.warp.body.output(f)) for f in animated.frame_range)
    return np.arange(np.floor(first + 1e-3), np.ceil(last - 1e-3) + 1)


def _sampled(curve, graph, result, frames):
    """Key a curve on every frame."""
    values = [curve.evaluate(float(f)) for f in graph.source(frames)]
    keys = _with_rest(curve, Keys.made(frames, values, LINEAR), result)
    return curve.data_path, curve.array_index, "", keys


def _with_rest(curve, keys, result):
    """Keep the keys of rest poses that stand before the motion."""
    rest = result.capture.rest_frames
    if not rest or curve is None or keys.co[0, 0] <= rest[-1]:
        return keys
    values = [curve.evaluate(float(f)) for f in rest]
    return Keys.joined([Keys.made(rest, values, LINEAR), keys])


def rekeyed(curves, graph, tolerance, keys_at=()):
    """Move the keys of many curves: (curve, keys) each; all at once where none has to be split."""
    if tolerance or len(keys_at) or not is_simple(graph):
        also = graph.source(np.array(keys_at, dtype=float))
        return [
            (curve, rekey(with_keys(Keys.read(curve), also), graph, tolerance)) for curve in curves
        ]
    keys, spans = Keys.read_all(curves, PLACES)
    moved = rekey(keys, graph, period=_period(keys.co[:, 0], spans))
    parts = [moved.part(*span) for span in spans]
    for name in ("handle_left_type", "handle_right_type"):
        same = moved.arrays[name] == keys.arrays[name]
        for new, (start, end) in zip(parts, spans, strict=True):
            if same[start:end].all():
                del new.arrays[name]  # they are as they were: nothing to write
    return list(zip(curves, parts, strict=True))


def _period(frames, spans):
    """Return the number of keys of each curve, if all of them have the same frames."""
    count = spans[0][1]
    if any(end - start != count for start, end in spans):
        return None
    return count if (frames.reshape(-1, count) == frames[:count]).all() else None


def _on_frames(plan):
    """Put the keys of a plan on whole frames; return it, and how many stay between."""
    out, between = [], 0
    for *where, keys in plan:
        keys, left = snapped(keys)
        between += left
        out.append((*where, keys))
    return out, between


def strip_plan(blocks, warp):
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
