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

    def above(self, joint):
        """Name a joint and those above it, from below."""
        out, at = [], self.joints.index(joint)
        while at >= 0:
            out.append(self.joints[at])
            at = self.parents[at]
        return out

    def governors(self, joint):
        """Name the keyed bones that move a joint: its own, or those of the nearest joint above."""
        for name in self.above(joint):
            found = sorted(b for b in self.keyed if self.timing.get(b) == name)
            if found:
                return found
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
    if _is_control_rig(body, keyed, links):
        return _control_rig(armature, body, keyed, links)
    return _plain_rig(bones, keyed, links)


def _is_control_rig(body, keyed, links):
    """Return whether keyed bones outside the body move it."""
    governed = any(links.direct_into.get(n) or links.solved_into.get(n) for n in body)
    return bool(keyed - set(body)) and (governed or not keyed & set(body))


def _plain_rig(bones, keyed, links):
    """Make the rig of an armature whose bones are keyed themselves: all of them are the body."""
    body = [b.name for b in parents_first(bones)]
    rig, _ = _skeleton(bones, body, body, False, keyed)
    rig.timing = {n: n for n in rig.joints}
    rig.carried = dict(rig.timing)
    _follow_targets(rig, links)
    return rig


def _control_rig(armature, body, keyed, links):
    """Make the rig of an armature whose controls are keyed."""
    bones = armature.data.bones
    kept = [n for n in body if segment_of(n, body, bones) is None]
    rig, above = _skeleton(bones, body, kept, True, keyed)
    place = {n: k for k, n in enumerate(rig.joints)}
    into = {n: kept_joint(n, body, place, above, bones) for n in body}
    _find_timing(rig, armature, links, into)
    for bone in bones:
        rig.carried[bone.name] = _carrier(rig, armature, into, bone.name, set())
    return rig


def _skeleton(bones, body, kept, is_control, keyed):
    """Link the kept bones of a body; return the rig, and the joint above each."""
    above = linked(bones, kept, body, standing_for(bones, body))
    order = ordered(kept, above)
    place = {n: k for k, n in enumerate(order)} | {None: -1}
    return Rig(order, [place[above[n]] for n in order], is_control, keyed), above


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
    rig.timing = _first_reached(rig, armature, links, into)
    _follow_chains(rig, links, into)
    for bone in parents_first(armature.data.bones):  # other bones keep time with what carries them
        if bone.name not in rig.timing and bone.parent is not None:
            carried = rig.timing.get(bone.parent.name)
            rig.timing |= {bone.name: carried} if carried else {}


def _follow_chains(rig, links, into):
    """Let targets and poles of IK chains keep time with the chains' ends."""
    first = rig.timing
    for target, pole, owner, chain in links.chains:
        # The chain's end is where its target is; what turns its plane keeps time with it.
        end = first.get(target) or first.get(owner)
        if end is not None:
            rig.timing.setdefault(target, end)
            _lead_chain(rig, target, end, {first.get(n) for n in chain} - {None})
            followers = {n for n in chain if n not in into} | ({pole} - {None})
            rig.poles |= followers
            rig.timing |= dict.fromkeys(followers & rig.keyed, end)


def _lead_chain(rig, target, end, joints):
    """Let the target of a chain, and the keyed bones that move its end, lead its joints."""
    same = (b for b, joint in rig.timing.items() if joint == end and b in rig.keyed)
    for name in (target, *same):
        rig.solved.setdefault(name, set()).update(joints)


def _first_reached(rig, armature, links, into):
    """Name the uppermost joint that each bone moves; those that move none are left out."""
    bones, out = armature.data.bones, {}
    depth = {n: len(rig.above(n)) for n in rig.joints}
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
    above = _led_by(armature, armature.pose.bones[name])
    return None if above is None else _carrier(rig, armature, into, above, seen)


def _led_by(armature, bone):
    """Name the bone that leads another: by its last constraint that governs it, or as parent."""
    governing = [c for c in bone.constraints if not c.mute and c.influence > GOVERNS]
    led = [leader for c in reversed(governing) if (leader := _leader(armature, c))]
    led += [] if bone.parent is None else [bone.parent.name]
    return led[0] if led else None


def _leader(armature, constraint):
    """Name the bone whose transforms a constraint copies, or ``None``."""
    if constraint.type == "ARMATURE":
        weights = [(t.weight, t.subtarget) for t in constraint.targets if t.subtarget]
        weight, name = max(weights, default=(0.0, None))
        return name if weight > 0 else None
    if constraint.type in ("COPY_TRANSFORMS", "CHILD_OF"):
        return next(iter(targets_of(armature, constraint)), None)
    return None
