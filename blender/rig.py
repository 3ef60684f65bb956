"""Rigs: which bones are the body, which are controls, and which control governs which part.

Methods analyse a body: the deform bones, linked as a skeleton. The bones that an animator keys, the
controls, may be others. Constraints, drivers and parents show which part of the body each control
moves.
"""

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
from .links import GOVERNS, bone_of, links_of, targets_of


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
    links = links_of(armature)
    body = deform_bones(armature, links)
    governed = {n for n in body if links.direct_into.get(n) or links.solved_into.get(n)}
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
        _follow_targets(rig, links)
        return rig
    into = {n: kept_joint(n, body, place, above, bones) for n in body}
    _find_timing(rig, armature, links, into)
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


def _find_timing(rig, armature, links, into):
    """Give every bone the joint whose time it follows."""
    rig.timing = first = _first_reached(rig, armature, links, into)
    for target, pole, owner, chain in links.chains:
        # The chain's end is where its target is; what turns its plane keeps time with it.
        end = first.get(target) or first.get(owner)
        if end is not None:
            rig.timing.setdefault(target, end)
            _lead_chain(rig, target, end, {first.get(n) for n in chain} - {None})
            followers = {n for n in chain if n not in into} | ({pole} - {None})
            rig.poles |= followers
            rig.timing |= dict.fromkeys(followers & rig.keyed, end)
    for bone in armature.data.bones:  # what moves no part keeps time with what carries it
        above = bone
        while above is not None and above.name not in rig.timing:
            above = above.parent
        if above is not None:
            rig.timing.setdefault(bone.name, rig.timing[above.name])


def _lead_chain(rig, target, end, joints):
    """Let the target of a chain, and the keyed bones that move its end, lead its joints."""
    same = (b for b, joint in rig.timing.items() if joint == end and b in rig.keyed)
    for name in (target, *same):
        rig.solved.setdefault(name, set()).update(joints)


def _first_reached(rig, armature, links, into):
    """Name the uppermost joint that each bone moves; those that move none are left out."""
    bones, out = armature.data.bones, {}
    depth = {n: _depth(rig, k) for k, n in enumerate(rig.joints)}
    for bone in bones:
        reached = _reached(bone.name, bones, links.direct, into)
        if not reached and bone.name in links.partly:
            both = {n: links.direct.get(n, set()) | links.partly[n] for n in links.partly}
            reached = _reached(bone.name, bones, links.direct | both, into)
        if reached:
            out[bone.name] = min(reached, key=lambda n: (depth[n], rig.joints.index(n)))
    return out


def _follow_targets(rig, links):
    """Let the controls of an otherwise plain armature keep time with the chains that they lead."""
    above = {rig.joints[p] for p in rig.parents if p >= 0}
    for target, pole, owner, _ in links.chains:
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
        if constraint.mute or constraint.influence <= GOVERNS:
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
