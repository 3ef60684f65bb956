"""Rigs: which bones are the body, which are controls, and which control governs which part.

Methods analyse a body: the deform bones, linked as a skeleton. The bones that an animator keys, the
controls, may be others. Constraints, drivers and parents show which part of the body each control
moves.
"""

import re
from dataclasses import dataclass, field

from .deform import (
    deform_bones,
    kept_joint,
    linked,
    ordered,
    parents_first,
    segment_of,
    standing_for,
)

# Constraints that hand a bone's whole transform on; others only aim, limit or solve.
_DIRECT = {"COPY_TRANSFORMS", "COPY_LOCATION", "COPY_ROTATION", "ARMATURE", "CHILD_OF", "ACTION"}
_SOLVED = {"IK", "SPLINE_IK"}
# A constraint of no more influence, which nothing changes, does not govern its bone.
_GOVERNS = 0.5
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


@dataclass
class Rig:
    """An armature's body and its controls."""

    joints: list
    """Deform bones of the body, parents first."""
    parents: list
    """The place of each one's parent, -1 for none."""
    is_control: bool
    """Whether bones outside the body are keyed, so that poses cannot be keyed on the body."""
    keyed: set
    """Bones that have keys."""
    timing: dict = field(default_factory=dict)
    """The joint whose time each other bone follows; of a bone that moves no part, none."""
    carried: dict = field(default_factory=dict)
    """The joint that each bone moves with as it is keyed now, or ``None``."""
    solved: dict = field(default_factory=dict)
    """Joints of the IK chain whose end a bone leads."""
    poles: set = field(default_factory=set)
    """Bones that only turn an IK chain's plane: poles, and the chain's own."""

    def joint_of(self, bone):
        """Name the joint whose time a bone follows, or ``None``."""
        return self.timing.get(bone)

    @property
    def roots(self):
        """Joints without a parent."""
        return {n for n, p in zip(self.joints, self.parents, strict=True) if p < 0}

    def channel(self, path):
        """Name the warp's channel that an F-curve follows; ``None`` is the body's."""
        found = bone_of(path)
        joint = None if found is None else self.joint_of(found[0])
        if joint is None:
            return None
        return f"{joint}:translation" if joint in self.roots and found[1] == "location" else joint

    def limb_of(self, bone):
        """Name the joints that a bone moves by inverse kinematics, and its own; from the top."""
        found = {*self.solved.get(bone, ()), self.joint_of(bone)} - {None}
        return [n for n in self.joints if n in found]

    def governors(self, joint):
        """Name the keyed bones that move a joint: its own, or those of the nearest joint above."""
        at = self.joints.index(joint)
        while at >= 0:
            name = self.joints[at]
            found = sorted(b for b in self.keyed if self.timing.get(b) == name)
            if found:
                return found
            at = self.parents[at]
        return []


def bone_of(path):
    """Return the bone and the property that a data path names, or ``None``."""
    found = re.match(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.?(\w*)', path)
    return None if found is None else (re.sub(r"\\(.)", r"\1", found[1]), found[2])


def keyed_bones(curves):
    """Name the bones that F-curves move."""
    found = (bone_of(c.data_path) for c in curves if len(c.keyframe_points))
    return {f[0] for f in found if f is not None}


def rig_of(armature, keyed):
    """Tell an armature's body from its controls.

    ``keyed`` are the names of the bones that have keys.
    """
    bones = armature.data.bones
    keyed = {n for n in keyed if n in bones}
    edges = _edges(armature)
    body = deform_bones(armature, edges)
    governed = {n for n in body if edges.direct_into.get(n) or edges.solved_into.get(n)}
    is_control = bool((keyed - set(body)) and (governed or not keyed & set(body)))
    if not is_control:
        body = [b.name for b in parents_first(bones)]
    stands = standing_for(bones, body)
    kept = [n for n in body if not is_control or segment_of(n, body, bones) is None]
    above = linked(bones, kept, body, stands)
    order = ordered(kept, above)
    place = {n: k for k, n in enumerate(order)}
    rig = Rig(order, [place[above[n]] if above[n] else -1 for n in order], is_control, keyed)
    if not is_control:
        rig.timing = {n: n for n in order}
        rig.carried = dict(rig.timing)
        _follow_targets(rig, edges)
        return rig
    into = {n: kept_joint(n, body, place, above, bones) for n in body}
    _find_timing(rig, armature, edges, into)
    for bone in bones:
        rig.carried[bone.name] = _carrier(rig, armature, into, bone.name, set())
    return rig


def ends_of_ik(armature, rig):
    """Name the joints that keyed IK controls put in their places, such as hands and feet."""
    out = set()
    for name in rig.keyed & set(rig.solved):
        # An FK control hangs on the limb that it belongs to.
        above = {rig.timing.get(b.name) for b in armature.data.bones[name].parent_recursive}
        if rig.is_control and not above & (rig.solved[name] - {rig.timing[name]}):
            out.add(rig.timing[name])
    return out


# ---- who moves whom


@dataclass
class _Edges:
    """Links of movement: from a bone to those that follow it."""

    direct: dict = field(default_factory=dict)
    partly: dict = field(default_factory=dict)
    """The same for constraints of little influence."""
    direct_into: dict = field(default_factory=dict)
    solved_into: dict = field(default_factory=dict)
    chains: list = field(default_factory=list)
    """IK chains: target, pole (or ``None``), owner, all bones of the chain."""

    def add(self, source, bone):
        self.direct.setdefault(source, set()).add(bone)
        self.direct_into.setdefault(bone, set()).add(source)


def _edges(armature):
    out = _Edges()
    driven = _driven_constraints(armature)
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            changes = (bone.name, constraint.name) in driven
            if (constraint.mute or not constraint.influence) and not changes:
                continue
            sources = targets_of(armature, constraint)
            if constraint.influence <= _GOVERNS and not changes:
                for source in sources if constraint.type in _DIRECT else ():
                    out.partly.setdefault(source, set()).add(bone.name)
                continue
            if constraint.type in _SOLVED:
                chain = _chain(bone, constraint)
                pole = getattr(constraint, "pole_subtarget", "") or None
                for source in sources:
                    out.chains.append((source, pole, bone.name, chain))
                for name in chain:
                    out.solved_into.setdefault(name, set()).update(sources)
            elif constraint.type in _DIRECT:
                for source in sources:
                    out.add(source, bone.name)
    for source, bone in _drivers(armature):
        out.add(source, bone)
    return out


def targets_of(armature, constraint):
    """Name the bones of the same armature that a constraint reads, poles left out."""
    if constraint.type == "ARMATURE":
        pairs = [(t.target, t.subtarget) for t in constraint.targets if t.weight > _GOVERNS]
    else:
        pairs = [(getattr(constraint, "target", None), getattr(constraint, "subtarget", ""))]
    same = [s for t, s in pairs if t == armature]
    return [s for s in same if s in armature.pose.bones]


def _chain(bone, constraint):
    """Name the bones that an IK constraint moves: its own and those above."""
    above = list(bone.parent_recursive)
    if constraint.chain_count:  # 0 is the whole chain
        above = above[: constraint.chain_count - 1]
    return {bone.name, *(b.name for b in above)}


def _curves_that_drive(armature):
    data = armature.animation_data
    return [] if data is None else list(data.drivers)


def _driven_constraints(armature):
    """Name constraints whose influence or muting a driver or an F-curve changes: bone, name."""
    out = set()
    paths = [c.data_path for c in _curves_that_drive(armature)]
    data = armature.animation_data
    if data is not None and data.action is not None:
        from .actions import animation_of

        animated = animation_of(armature)
        paths += [] if animated is None else [c.data_path for c in animated.curves]
    for path in paths:
        found = re.match(r'^pose\.bones\["(.*?)"\]\.constraints\["(.*?)"\]', path)
        if found is not None:
            out.add((found[1], found[2]))
    return out


def _drivers(armature):
    """Yield pairs of bones: one whose property or transform a driver reads, one that it moves."""
    for curve in _curves_that_drive(armature):
        moved = bone_of(curve.data_path)
        if moved is None:
            continue
        for variable in curve.driver.variables:
            for target in variable.targets:
                if target.id != armature:
                    continue
                read = _BONE.search(target.data_path or "")
                source = read[1] if read is not None else target.bone_target
                if source and source != moved[0]:
                    yield source, moved[0]


def _find_timing(rig, armature, edges, into):
    """Give every bone the joint whose time it follows."""
    bones = armature.data.bones
    depth = {n: _depth(rig, k) for k, n in enumerate(rig.joints)}
    first = {}
    for bone in bones:
        reached = _reached(bone.name, bones, edges.direct, into)
        if not reached and bone.name in edges.partly:
            both = {n: edges.direct.get(n, set()) | edges.partly[n] for n in edges.partly}
            reached = _reached(bone.name, bones, edges.direct | both, into)
        if reached:
            first[bone.name] = min(reached, key=lambda n: (depth[n], rig.joints.index(n)))
    rig.timing = first
    for target, pole, owner, chain in edges.chains:
        # The chain's end is where its target is; what turns its plane keeps time with it.
        end = first.get(target) or first.get(owner)
        if end is None:
            continue
        rig.timing.setdefault(target, end)
        reached = {first.get(n) for n in chain} - {None}
        for name in (target, *(b for b, j in first.items() if j == end and b in rig.keyed)):
            rig.solved.setdefault(name, set()).update(reached)
        followers = {n for n in chain if n not in into}
        if pole is not None:
            followers.add(pole)
        rig.poles |= followers
        for name in followers:
            if name in rig.keyed:
                rig.timing[name] = end
    for bone in bones:  # what moves no part of the body keeps time with what carries it
        above = bone
        while above is not None and above.name not in rig.timing:
            above = above.parent
        if above is not None:
            rig.timing.setdefault(bone.name, rig.timing[above.name])


def _follow_targets(rig, edges):
    """Let the controls of an otherwise plain armature keep time with the chains that they lead."""
    above = {rig.joints[p] for p in rig.parents if p >= 0}
    for target, pole, owner, _ in edges.chains:
        for name in (target, pole):
            # A control outside the body's own tree: nothing hangs on it.
            if name in rig.keyed & rig.roots and name not in above:
                rig.timing[name] = owner


def _reached(name, bones, direct, into):
    """Name the body's joints that a bone moves directly."""
    seen, todo, out = {name}, [name], set()
    while todo:
        at = todo.pop()
        if at in into:
            out.add(into[at])
            if at != name:
                continue  # what hangs on a joint is moved by the joint
        following = {c.name for c in bones[at].children} | direct.get(at, set())
        new = following - seen
        seen |= new
        todo += [n for n in new if n in bones]
    return out


def _carrier(rig, armature, into, name, seen):
    """Name the joint that a bone moves with, as its keys and constraints are now."""
    if name in seen:
        return None
    seen.add(name)
    if name in into:
        return into[name]
    if name in rig.keyed and name not in rig.poles:
        return rig.timing.get(name)
    bone = armature.pose.bones[name]
    for constraint in reversed(bone.constraints):
        if constraint.mute or constraint.influence <= _GOVERNS:
            continue
        if constraint.type == "ARMATURE":
            weights = [(t.weight, t.subtarget) for t in constraint.targets if t.subtarget]
            if weights and max(weights)[0] > 0:
                return _carrier(rig, armature, into, max(weights)[1], seen)
        elif constraint.type in ("COPY_TRANSFORMS", "CHILD_OF"):
            listed = targets_of(armature, constraint)
            if listed:
                return _carrier(rig, armature, into, listed[0], seen)
    return None if bone.parent is None else _carrier(rig, armature, into, bone.parent.name, seen)


def _depth(rig, k):
    depth = 0
    while rig.parents[k] >= 0:
        k = rig.parents[k]
        depth += 1
    return depth
