"""Takes of FBX 6.1 with other keys: moved where they were, or added where a channel had none."""

from __future__ import annotations

from dataclasses import dataclass, field

from retime.io.fbx.curves import Curve
from retime.io.fbx.legacy import Legacy, object_key
from retime.io.fbx.properties import real, text, values
from retime.io.fbx.take_keys import written_keys
from retime.io.fbx.text import TextTree
from retime.io.fbx.tree import Node

# Values that programs write before keys, and their numbers for the channels of a transform.
_KEY_VERSION = 4005
_LAYER_TYPES = {b"T": 1, b"R": 2, b"S": 3}
_KEYS = (b"KeyVer", b"KeyCount", b"Key")
_SPANS = (b"LocalTime", b"ReferenceTime")
_TIMELINE = (b"TimeLineStartTime", b"TimeLineStopTime")

Channels = dict[bytes, "Channels | Curve"]


@dataclass
class Changes:
    """Changes of the takes of a file."""

    curves: dict[int, Curve] = field(default_factory=dict)
    """Keys of channels that had some, by the curve's number."""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Spans of takes in ticks, by the stack's number."""
    added: dict[int, dict[bytes, Channels]] = field(default_factory=dict)
    """Keys of channels that had none: by stack, model and names of channels."""
    dropped: set[int] = field(default_factory=set)
    """Curve nodes whose channels are left out."""

    def add(self, stack: int, model: bytes, label: bytes, axis: bytes, curve: Curve) -> None:
        """Add the keys of an axis."""
        below = self.added.setdefault(stack, {}).setdefault(object_key(model), {})
        for name in (b"Transform", label):
            below = below.setdefault(name, {})  # type: ignore[assignment]
        below[axis] = curve


class Takes:
    """The takes of a file, to be written with changes."""

    def __init__(self, legacy: Legacy, changes: Changes) -> None:
        self.legacy, self.changes, self.tree = legacy, changes, legacy.tree
        self.is_text = isinstance(legacy.tree, TextTree)
        self._keys = {id(legacy.channels[n]): curve for n, curve in changes.curves.items()}
        self._dropped = {id(legacy.groups[n].channel) for n in changes.dropped}
        self._stacks = {id(take): n for n, take in legacy.takes.items()}

    def nodes(self) -> list[Node]:
        """Return the nodes at the top of the file."""
        remade = {b"Takes": self._remade, b"Version5": self._timeline}
        return [remade[n.name](n) if n.name in remade else n for n in self.tree.nodes]

    def _remade(self, node: Node) -> Node:
        curve, stack = self._keys.get(id(node)), self._stacks.get(id(node))
        if curve is not None:
            return self._keyed(node, curve)
        children = [self._remade(c) for c in node.children if id(c) not in self._dropped]
        if stack is not None:
            children = self._take(stack, children)
        same = len(children) == len(node.children)
        if same and all(a is b for a, b in zip(children, node.children, strict=True)):
            return node
        return self.tree.with_children(node, children)

    def _take(self, stack: int, children: list[Node]) -> list[Node]:
        """Return the children of a take, with its new span and added channels."""
        tree, span = self.tree, self.changes.spans.get(stack)
        if span is not None:
            times = [real(t, "L") for t in span]
            children = [tree.with_properties(c, times) if c.name in _SPANS else c for c in children]
        for model, channels in self.changes.added.get(stack, {}).items():
            at = _place(children, b"Model", model)
            if at is None:
                name = next(n for n in self.legacy.models.values() if object_key(n) == model)
                version = tree.node(b"Version", [real(1.1)])
                children.append(tree.node(b"Model", [text(name)], [version]))
                at = len(children) - 1
            children[at] = self._grown(children[at], channels)
        return children

    def _grown(self, node: Node, channels: Channels) -> Node:
        """Return a node with keys in its channels; missing channels are added."""
        tree, children = self.tree, list(node.children)
        for name, below in channels.items():
            at = _place(children, b"Channel", name)
            if at is None:
                number = _LAYER_TYPES.get(name)
                kind = [tree.node(b"LayerType", [real(number, "I")])] if number else []
                at = _end_of_channels(children)
                children.insert(at, tree.node(b"Channel", [text(name)], kind, closed=True))
            own = children[at]
            children[at] = (
                self._keyed(own, below) if isinstance(below, Curve) else self._grown(own, below)
            )
        return tree.with_children(node, children)

    def _keyed(self, channel: Node, curve: Curve) -> Node:
        """Return a channel with other keys."""
        tree, whole = self.tree, "L" if self.is_text else "I"
        made = {
            b"KeyVer": [real(_KEY_VERSION, whole)],
            b"KeyCount": [real(len(curve.ticks), whole)],
            b"Key": written_keys(curve, letters=not self.is_text),
        }
        if channel.child(b"Key") is not None:
            del made[b"KeyVer"]  # the list is written as the file's own version has it
            children = [
                tree.with_properties(c, made[c.name]) if c.name in made else c
                for c in channel.children
            ]
            return tree.with_children(channel, children)
        rest = [c for c in channel.children if c.name not in (b"Default", *_KEYS)]
        default = channel.child(b"Default")
        if default is None:
            default = tree.node(b"Default", [real(float(curve.values[0]))])
        new = [tree.node(name, parts) for name, parts in made.items()]
        return tree.with_children(channel, [default, *new, *rest])

    def _timeline(self, node: Node) -> Node:
        """Return the settings of the scene, whose timeline follows the take that it showed."""
        settings = node.child(b"Settings")
        told = [] if settings is None else [t for n in _TIMELINE for t in _ticks(settings, n)]
        for stack, span in self.changes.spans.items():
            known = [_ticks(self.legacy.takes[stack], name) for name in _SPANS]
            if settings is not None and told and told in known:
                made = self._with_ends(settings, dict(zip(_TIMELINE, span, strict=True)))
                children = [made if c is settings else c for c in node.children]
                return self.tree.with_children(node, children)
        return node

    def _with_ends(self, settings: Node, ends: dict[bytes, int]) -> Node:
        children = [
            self.tree.with_properties(c, [real(ends[c.name], "L")]) if c.name in ends else c
            for c in settings.children
        ]
        return self.tree.with_children(settings, children)


def _place(children: list[Node], kind: bytes, name: bytes) -> int | None:
    """Return the position of the node with a type and name."""
    for at, child in enumerate(children):
        found = values(child)[:1] if child.name == kind else []
        if found and isinstance(found[0], bytes) and object_key(found[0]) == name:
            return at
    return None


def _end_of_channels(children: list[Node]) -> int:
    """Return where a new channel goes: after the others, before what programs write last."""
    ends = [n + 1 for n, c in enumerate(children) if c.name == b"Channel"]
    kinds = [n for n, c in enumerate(children) if c.name == b"LayerType"]
    return max(ends, default=min(kinds, default=len(children)))


def _ticks(node: Node, name: bytes) -> list[int]:
    return [v for c in node.named(name) for v in values(c)[:2] if isinstance(v, int)]
