"""Links of movement in a rig: which bones follow which, by constraints, IK chains and drivers."""

import re
from dataclasses import dataclass, field

from .actions import animation_of

# Constraints that hand a bone's whole transform on; others only aim, limit or solve.
_DIRECT = {"COPY_TRANSFORMS", "COPY_LOCATION", "COPY_ROTATION", "ARMATURE", "CHILD_OF", "ACTION"}
_SOLVED = {"IK", "SPLINE_IK"}
# A constraint of no more influence, which nothing changes, does not govern its bone.
GOVERNS = 0.5
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def bone_of(path):
    """Return the bone and the property that a data path names, or ``None``."""
    found = re.match(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.?(\w*)', path)
    return None if found is None else (re.sub(r"\\(.)", r"\1", found[1]), found[2])


@dataclass
class Links:
    """Links of movement: from a bone to those that follow it."""

    direct: dict = field(default_factory=dict)
    partly: dict = field(default_factory=dict)
    """The same for constraints of little influence."""
    direct_into: dict = field(default_factory=dict)
    solved_into: dict = field(default_factory=dict)
    chains: list = field(default_factory=list)
    """IK chains: target, pole (or ``None``), owner, all bones of the chain."""

    def add(self, source, bone):
        """Let a bone follow another."""
        self.direct.setdefault(source, set()).add(bone)
        self.direct_into.setdefault(bone, set()).add(source)

    def add_chain(self, sources, pole, owner, chain):
        """Let an IK chain follow its targets."""
        self.chains += [(source, pole, owner, chain) for source in sources]
        for name in chain:
            self.solved_into.setdefault(name, set()).update(sources)


def links_of(armature):
    """Find the links of an armature."""
    out = Links()
    driven = _driven_constraints(armature)
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            changes = (bone.name, constraint.name) in driven
            if changes or (constraint.influence and not constraint.mute):
                governs = changes or constraint.influence > GOVERNS
                _add_constraint(out, armature, bone, constraint, governs)
    for source, bone in _drivers(armature):
        out.add(source, bone)
    return out


def _add_constraint(out, armature, bone, constraint, governs):
    """Add the links that a constraint makes; one that does not govern its bone moves it partly."""
    sources = targets_of(armature, constraint)
    if constraint.type in _SOLVED and governs:
        pole = getattr(constraint, "pole_subtarget", "") or None
        out.add_chain(sources, pole, bone.name, chain_of(bone, constraint))
    elif constraint.type in _DIRECT:
        for source in sources:
            if governs:
                out.add(source, bone.name)
            else:
                out.partly.setdefault(source, set()).add(bone.name)


def targets_of(armature, constraint):
    """Name the bones of the same armature that a constraint reads, poles left out."""
    if constraint.type == "ARMATURE":
        pairs = [(t.target, t.subtarget) for t in constraint.targets if t.weight > GOVERNS]
    else:
        pairs = [(getattr(constraint, "target", None), getattr(constraint, "subtarget", ""))]
    same = [s for t, s in pairs if t == armature]
    return [s for s in same if s in armature.pose.bones]


def chain_of(bone, constraint):
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
