"""The body of a rig: its deform bones, linked as one skeleton."""

import re

import numpy as np

# Names of collections that hold deform bones, for rigs that mark none.
_COLLECTION = re.compile(r"\b(def|deform|deformation|skin|bind)\b", re.IGNORECASE)
# Further segments of a limb, and twist bones: a body has one bone a segment.
_SEGMENT = re.compile(r"^(.*[._-][LRlr])[._-]\d+$")
_TWIST = re.compile(r"twist|_bend|corrective|\broll\b", re.IGNORECASE)
# Cosine of the angle between segments of a limb, and by how much their lengths differ at most.
_STRAIGHT, _AS_LONG = 0.9998, 0.02
# Heads this near to each other, in lengths of a bone, are one place; a loose bone is linked to one
# this near, in heights of the figure.
_SAME_PLACE, _NEAR = 1e-3, 0.06


def deform_bones(armature, links):
    """Name the deform bones that make up the body, parents first."""
    bones = parents_first(armature.data.bones)
    deform = [b for b in bones if b.use_deform]
    if len(deform) in (0, len(bones)):
        deform = _of_collection(armature) or bones
    chained = {name for target, pole, *_ in links.chains for name in (target, pole)}
    targets = (chained | set(links.direct)) - _weighted(armature)
    return [b.name for b in deform if b.name not in targets or _is_linked(b, deform)]


def _is_linked(bone, others):
    """Return whether a bone has a parent, or one of the others as a child."""
    return bone.parent is not None or any(c in others for c in bone.children)


def _of_collection(armature):
    """List the bones of collections of deform bones; nothing if there are hardly any."""
    found = set()
    for collection in getattr(armature.data, "collections_all", armature.data.collections):
        if _COLLECTION.search(collection.name.replace("_", " ")):
            found |= {b.name for b in collection.bones}
    bones = parents_first(armature.data.bones)
    return [b for b in bones if b.name in found] if len(found) > 3 else []


def _weighted(armature):
    """Name the vertex groups of the meshes that an armature deforms."""
    out = set()
    for thing in armature.users_scene[0].objects if armature.users_scene else ():
        if thing.type == "MESH" and any(
            m.type == "ARMATURE" and m.object == armature for m in thing.modifiers
        ):
            out |= {g.name for g in thing.vertex_groups}
    return out


def segment_of(name, body, bones):
    """Name the bone that another is only a further segment or twist of; ``None`` if it is none.

    Segments of a limb are on one line and are equally long: ``leg.L`` and ``leg.L.001`` may as well
    be a thigh and a shin.
    """
    found = _SEGMENT.match(name)
    if found is not None and found[1] in body:
        base, own = bones[found[1]], bones[name]
        one, other = (b.tail_local - b.head_local for b in (base, own))
        straight = one.normalized().dot(other.normalized()) > _STRAIGHT
        if straight and abs(own.length / max(base.length, 1e-9) - 1) < _AS_LONG:
            return found[1]
    return "" if _TWIST.search(name) else None


def standing_for(bones, body):
    """Map other bones to the deform bone that starts where they do, in the same direction."""
    heads = np.array([bones[n].head_local[:] for n in body])
    ways = np.array([(bones[n].tail_local - bones[n].head_local).normalized()[:] for n in body])
    known, out = set(body), {}
    for bone in bones:
        if bone.name in known or not len(heads):
            continue
        way = np.array((bone.tail_local - bone.head_local).normalized()[:])
        same = np.linalg.norm(heads - np.array(bone.head_local[:]), axis=1)
        near = np.flatnonzero((same < _SAME_PLACE * max(bone.length, 1e-6)) & (ways @ way > 0.99))
        if len(near):
            out[bone.name] = body[int(near[0])]
    return out


def linked(bones, kept, body, stands):
    """Give every kept joint the joint above it, or ``None``."""
    known, stood_for = set(kept), dict(stands) | {n: n for n in body}

    def joint_at(bone, name):
        """Name the joint that a bone above ``name`` stands for; of a segment, what it is of."""
        stood = stood_for.get(bone.name)
        if stood is not None and stood != name and stood not in known:
            stood = segment_of(stood, body, bones)
        return stood if stood in known and stood != name else None

    above = {}
    for name in kept:
        found = (joint_at(bone, name) for bone in bones[name].parent_recursive)
        above[name] = next((joint for joint in found if joint is not None), None)
    for name in kept:
        if _leads_back(name, above):
            above[name] = None
    return _loose_ends_tied(bones, kept, above)


def _leads_back(name, above):
    """Return whether the joints above a joint lead back to it."""
    seen, at = {name}, above[name]
    while at is not None and at not in seen:
        seen.add(at)
        at = above[at]
    return at == name


def _loose_ends_tied(bones, kept, above):
    """Link trees that are below nothing to the nearest bone of the largest one, if it is near."""

    def top(name):
        while above[name] is not None:
            name = above[name]
        return name

    trees = {}
    for name in kept:
        trees.setdefault(top(name), []).append(name)
    if len(trees) < 2 or not kept:
        return above
    main = max(trees.values(), key=len)
    heads = np.array([bones[n].head_local[:] for n in main])
    tails = np.array([bones[n].tail_local[:] for n in main])
    height = float(np.ptp(np.concatenate([heads, tails]), axis=0).max())
    for root in trees.keys() - {top(main[0])}:
        gap = _distances(np.array(bones[root].head_local[:]), heads, tails)
        if gap.min() < _NEAR * height:
            above[root] = main[int(gap.argmin())]
    return above


def _distances(point, heads, tails):
    """Return the distances of a point from bones, (N,)."""
    along = tails - heads
    share = np.einsum("ni,ni->n", point - heads, along) / np.maximum((along**2).sum(1), 1e-12)
    near = heads + np.clip(share, 0, 1)[:, None] * along
    return np.linalg.norm(near - point, axis=1)


def kept_joint(name, body, place, above, bones):
    """Name the body's joint that stands for a deform bone: itself, or what it is a segment of."""
    if name in place:
        return name
    base = segment_of(name, body, bones)
    if base in place:
        return base
    at = bones[name].parent
    while at is not None and at.name not in place:
        at = at.parent
    return at.name if at is not None else next(iter(place))


def ordered(kept, above):
    """List joints so that each stands after the one above it."""
    out, todo = [], list(kept)
    done = set()
    while todo:
        later = []
        for name in todo:
            if above[name] is None or above[name] in done:
                out.append(name)
                done.add(name)
            else:
                later.append(name)
        todo = later
    return out


def parents_first(bones):
    """List bones so that each stands after its parent, branch by branch."""
    out, todo = [], [b for b in bones if b.parent is None][::-1]
    while todo:
        bone = todo.pop()
        out.append(bone)
        todo += list(bone.children)[::-1]
    return out
