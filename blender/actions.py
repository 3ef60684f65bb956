"""Actions of 4.2 and of 5.x behind one interface: the F-curves that move one data-block."""

from .problem import Problem

# A curve of more keys than the first, and more keys a frame than the second, is dense.
_FEW, _DENSE = 8, 0.75


class Animated:
    """A data-block (an object, shape keys, a camera...), its own action, and its slot there.

    The slot is ``None`` where actions have none (Blender 4.2 and 4.3).
    """

    def __init__(self, owner, action, slot=None):
        self.owner, self.action, self.slot = owner, action, slot

    @property
    def _bag(self):
        """Container of the F-curves; ``None`` while there are none."""
        if self.slot is None:
            return self.action
        for layer in self.action.layers:
            for strip in layer.strips:
                bag = strip.channelbag(self.slot)
                if bag is not None:
                    return bag
        return None

    @property
    def curves(self):
        """The F-curves."""
        bag = self._bag
        return [] if bag is None else list(bag.fcurves)

    def find(self, path, index=0):
        """Return an F-curve, or ``None``."""
        bag = self._bag
        return None if bag is None else bag.fcurves.find(path, index=index)

    def ensure(self, path, index=0, group=""):
        """Return an F-curve; it is made if there is none."""
        found = self.find(path, index)
        if found is not None:
            return found
        bag = self._bag
        if bag is None:
            layer = self.action.layers[0] if self.action.layers else self.action.layers.new("Layer")
            strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
            bag = strip.channelbag(self.slot, ensure=True)
        if self.slot is None:
            return bag.fcurves.new(path, index=index, action_group=group)
        # Blender 4.4 and 4.5 have channelbags whose curves are grouped afterwards.
        try:
            return bag.fcurves.new(path, index=index, group_name=group)
        except TypeError:
            curve = bag.fcurves.new(path, index=index)
            if group:
                curve.group = bag.groups.get(group) or bag.groups.new(group)
            return curve

    @property
    def frame_range(self):
        """First and last keyed frame, or ``None`` without keys."""
        ends = []
        for curve in self.curves:
            if len(curve.keyframe_points):
                ends += [curve.keyframe_points[0].co[0], curve.keyframe_points[-1].co[0]]
        return (min(ends), max(ends)) if ends else None

    @property
    def other_users(self):
        """Names of the other data-blocks and strips that these F-curves move."""
        if self.slot is not None:
            found = [i.name for i in self.slot.users() if i != self.owner]
            own = self.owner.animation_data
            strips = [s for t in own.nla_tracks for s in t.strips]
            if any(s.action == self.action and s.action_slot == self.slot for s in strips):
                found.append(f"a strip of {self.owner.name}")
            return found
        others = self.action.users - int(self.action.use_fake_user) - 1
        return ["another user"] * max(others, 0)

    def own_copy(self):
        """Give the data-block a copy of its action that nobody else uses."""
        identifier = None if self.slot is None else self.slot.identifier
        action = self.action.copy()
        slot = assign(self.owner, action, identifier)
        return Animated(self.owner, action, slot)

    @property
    def keyed_curves(self):
        """The F-curves that have keys."""
        return [c for c in self.curves if len(c.keyframe_points)]

    @property
    def is_dense(self):
        """Whether nearly every frame has keys, as in motion capture."""
        shares = []
        for curve in self.keyed_curves:
            count = len(curve.keyframe_points)
            first, last = (curve.keyframe_points[k].co[0] for k in (0, -1))
            if count > _FEW and last > first:
                shares.append((count - 1) / (last - first))
        return bool(shares) and sorted(shares)[len(shares) // 2] > _DENSE


def animation_of(owner):
    """Return a data-block's own action, or ``None``."""
    data = getattr(owner, "animation_data", None)
    if data is None or data.action is None:
        return None
    slot = getattr(data, "action_slot", None)
    layered = getattr(data.action, "is_action_layered", False)
    if layered and slot is None:
        return None  # an action without a slot for it moves nothing
    return Animated(owner, data.action, slot if layered else None)


def assign(owner, action, identifier=None):
    """Make an action a data-block's own; return its slot there, where actions have slots."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if action is None or not hasattr(data, "action_slot"):
        return None
    if identifier is not None:
        for slot in action.slots:
            if slot.identifier == identifier:
                data.action_slot = slot
                break
    elif data.action_slot is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]
    return data.action_slot


def must_be_editable(animated):
    """Refuse what is linked from another file, and actions of several layers."""
    action = animated.action
    strips = [s for layer in getattr(action, "layers", ()) for s in layer.strips]
    if animated.slot is not None and len(strips) > 1:
        raise Problem(
            f"The action {action.name} has several layers or strips, and which of them to retime "
            "is not known. Merge them into one layer first"
        )
    if action.library is not None or not getattr(action, "is_editable", True):
        raise Problem(
            f"The action {action.name} is linked from another file and cannot be changed. Make it "
            "local (Object > Relations > Make Local), or retime it in its own file"
        )
