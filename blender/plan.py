"""Plans: what each curve's keys will be, worked out before anything changes."""

import numpy as np

from .bake import baked
from .correct import corrected
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
            curves = [(c, result.warp.of(None)) for c in animated.keyed_curves]
            if options.how == "BAKE" and animated.is_dense:
                frames = _frames_of(animated, result)
                keyed = [_sampled(c, g, result, frames) for c, g in curves if _moves(g)]
            else:
                keyed = _moved(curves, options.tolerance)
        plan += [(place, *keys) for keys in keyed]
    if options.snap and options.how != "BAKE":
        plan, between = _on_frames(plan)
        if between:
            notes.append(f"{between} keys stay between frames: another key has theirs")
    return plan, notes


def _of_armature(armature, animated, result, options, bones):
    """Work out the keys of the armature's own action."""
    rig, notes = result.capture.rig, []
    keyed = list(baked(armature, animated, result, bones)) if bones else []
    keyed = [(*row[:3], _with_rest(animated.find(row[0], row[1]), row[3], result)) for row in keyed]
    done = {(path, index) for path, index, _, _ in keyed}
    curves = [
        (c, result.warp.of(rig.channel(c.data_path)))
        for c in animated.keyed_curves
        if (c.data_path, c.array_index) not in done
    ]
    if options.how == "BAKE":
        wanted = [(c, g) for c, g in curves if not options.auto or _moves(g)]
        rows = [_sampled(c, g, result, result.frames) for c, g in wanted]
    else:
        rows = _moved(curves, options.tolerance, options.keys_at)
    if result.joints and not bones:
        new = options.how == "BAKE" and not options.auto
        rows, names = corrected(
            armature, animated, result, rows, new_curves=new, keys_at=options.keys_at,
            follow=options.follow and options.how != "BAKE",
        )  # fmt: skip
        if names and options.how != "BAKE":
            more = "" if options.adds_keys else "; Bake changes them on every frame"
            notes.append(f"poses changed at the keys of {_count(names)}{more}")
        elif not names:
            notes.append("no keyed control moves what was changed: its poses are unchanged")
    return keyed + rows, notes


def _count(names):
    return f"{names[0]}" if len(names) == 1 else f"{len(names)} bones"


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
    """Keep the key of a rest pose that stands before the motion."""
    rest = result.capture.rest_frame
    if rest is None or curve is None or keys.co[0, 0] <= rest:
        return keys
    return Keys.joined([Keys.made([rest], [curve.evaluate(float(rest))], LINEAR), keys])


def rekeyed(curves, graph, tolerance, keys_at=()):
    """Move the keys of many curves: (curve, keys) each; all at once where none has to be split."""
    if tolerance or len(keys_at) or not is_simple(graph):
        also = graph.source(np.array(keys_at, dtype=float))
        return [
            (curve, rekey(with_keys(Keys.read(curve), also), graph, tolerance)) for curve in curves
        ]
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
