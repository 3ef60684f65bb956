"""View an FBX 6.1 file as version 7.

Version 6 names objects where version 7 numbers them, and keeps keys with each take, model by model
and channel by channel. A view of it as objects and connections is made for reading;
:mod:`retime.io.fbx.takes` writes retimed keys to the takes of the file itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from retime.io.fbx.curves import Curve
from retime.io.fbx.properties import property_parts, real, text, values
from retime.io.fbx.take_keys import read_keys
from retime.io.fbx.tree import Node, Tree, empty_tree

_AS = 7400
PROPERTIES = {b"T": "Lcl Translation", b"R": "Lcl Rotation", b"S": "Lcl Scaling"}
AXIS_OF = {b"X": "d|X", b"Y": "d|Y", b"Z": "d|Z"}


@dataclass(frozen=True, eq=False)
class Group:
    """The channels that move one property of a model in a take."""

    stack: int
    """The number of the take's stack."""
    model: int
    """The model's number."""
    label: bytes
    """``T``, ``R``, ``S``, or the name of another property."""
    channel: Node | None = None
    """The channel that holds those of the axes; none where it is new."""


@dataclass
class Legacy:
    """Positions of the view's animations in the file."""

    tree: Tree
    """The file itself."""
    channels: dict[int, Node] = field(default_factory=dict)
    """The channel of each curve, by the curve's number."""
    curves: dict[int, Curve | None] = field(default_factory=dict)
    """The keys of each curve, by its number."""
    takes: dict[int, Node] = field(default_factory=dict)
    """The take of each stack, by the stack's number."""
    layers: dict[int, int] = field(default_factory=dict)
    """The stack of each layer, both by number."""
    groups: dict[int, Group] = field(default_factory=dict)
    """The channels of each curve node, by its number."""
    models: dict[int, bytes] = field(default_factory=dict)
    """The names of objects as the file writes them, by number."""


def seen_as_new(tree: Tree) -> tuple[Tree, Legacy]:
    """Return a view of a file of version 6, and the positions of its parts in the file."""
    return _View(tree).made()


class _View:
    def __init__(self, old: Tree) -> None:
        self.old, self.legacy = old, Legacy(old)
        self.new = empty_tree(_AS)
        self.objects: list[Node] = []
        self.links: list[Node] = []
        self.numbers: dict[bytes, int] = {}
        self._next = 1000

    def made(self) -> tuple[Tree, Legacy]:
        node = self.new.node
        for child in _below(self.old, b"Objects"):
            self._object(child)
        for link in _below(self.old, b"Connections"):
            self._link(link)
        for take in _below(self.old, b"Takes"):
            if take.name == b"Take":
                self._take(take)
        top = [
            *(n for n in self.old.nodes if n.name == b"FBXHeaderExtension"),
            node(b"GlobalSettings", (), [node(b"Properties70", (), self._settings(), closed=True)]),
            node(b"Objects", (), self.objects, closed=True),
            node(b"Connections", (), self.links, closed=True),
        ]
        base = self.new
        return Tree(base.data, base.version, tuple(top), base.footer, base.footer_at), self.legacy

    def number(self) -> int:
        self._next += 1
        return self._next

    def _object(self, child: Node) -> None:
        found = values(child)
        if not found or not isinstance(found[0], bytes) or child.name == b"GlobalSettings":
            return
        key = object_key(found[0])
        number = self.number()
        # Connections and takes mean the first of several with one name.
        self.numbers.setdefault(key, number)
        self.legacy.models[number] = found[0]
        kind, _, name = key.partition(b"::")
        label = found[1] if len(found) > 1 and isinstance(found[1], bytes) else b""
        parts = [real(number, "L"), text(name + b"\x00\x01" + kind), text(label)]
        rows = [*self._rows(child)]
        below = [self.new.node(b"Properties70", (), rows, closed=True)] if rows else []
        self.objects.append(self.new.node(child.name, parts, below))

    def _rows(self, holder: Node) -> Iterator[Node]:
        own = holder.child(b"Properties60")
        for row in own.named(b"Property") if own is not None else ():
            parts = property_parts(row)
            if len(parts) >= 3:
                yield self.new.node(b"P", [*parts[:2], text(b""), *parts[2:]])

    def _settings(self) -> list[Node]:
        rows: list[Node] = []
        for child in _below(self.old, b"Objects"):
            if child.name == b"GlobalSettings":
                rows += self._rows(child)
        for place in _below(self.old, b"Version5"):
            fps = _frame_rate(place) if place.name == b"Settings" else 0.0
            if 0 < fps < 1e5 and not any(values(r)[:1] == [b"TimeMode"] for r in rows):
                kind = [text(b"int"), text(b""), text(b"")]
                rows.append(self.new.node(b"P", [text(b"TimeMode"), *kind, real(14, "L")]))
                rows.append(self.new.node(b"P", [text(b"CustomFrameRate"), *kind, real(fps)]))
        return rows

    def _link(self, link: Node) -> None:
        found = values(link)
        if len(found) < 3 or not all(isinstance(v, bytes) for v in found[:3]):
            return
        child, parent = (
            self.numbers.get(object_key(found[1])),
            self.numbers.get(object_key(found[2])),
        )
        if object_key(found[2]) == b"Model::Scene":
            parent = 0
        if child is not None and parent is not None:
            self._connect(found[0], child, parent)

    def _connect(self, kind: bytes, child: int, parent: int, property: str = "") -> None:
        parts = [text(kind), real(child, "L"), real(parent, "L")]
        parts += [text(property.encode())] if property else []
        self.links.append(self.new.node(b"C", parts))

    # ---- takes

    def _take(self, take: Node) -> None:
        found = values(take)
        name = found[0] if found and isinstance(found[0], bytes) else b"take"
        stack, layer = self.number(), self.number()
        self.legacy.takes[stack], self.legacy.layers[layer] = take, stack
        span = _span(take)
        rows = []
        for label, ticks in zip((b"LocalStart", b"LocalStop"), span or (), strict=False):
            kind = [text(label), text(b"KTime"), text(b"Time"), text(b"")]
            rows.append(self.new.node(b"P", [*kind, real(ticks, "L")]))
        node = self.new.node
        held = [node(b"Properties70", (), rows, closed=True)]
        label = text(object_key(name).rpartition(b"::")[2] + b"\x00\x01AnimStack")
        self.objects.append(node(b"AnimationStack", [real(stack, "L"), label, text(b"")], held))
        label = text(b"BaseLayer\x00\x01AnimLayer")
        self.objects.append(node(b"AnimationLayer", [real(layer, "L"), label, text(b"")]))
        self._connect(b"OO", layer, stack)
        for model in take.children:
            target = self.numbers.get(object_key(_name(model)))
            if target is not None:
                for channel in model.named(b"Channel"):
                    self._channel(channel, layer, target)

    def _channel(self, channel: Node, layer: int, target: int) -> None:
        label = _name(channel) or b"value"
        below = list(channel.named(b"Channel"))
        if label == b"Transform":
            for own in below:
                self._channel(own, layer, target)
            return
        axes = {_name(own): own for own in below if _name(own)} if below else {b"X": channel}
        made = {axis: self._curve(own) for axis, own in axes.items()}
        curves = {_axis(axis): number for axis, number in made.items() if number is not None}
        if curves:
            self._curve_node(channel, label, layer, target, curves)

    def _curve_node(
        self, channel: Node, label: bytes, layer: int, target: int, curves: dict[str, int]
    ) -> None:
        """Make the node that connects curves to a property of a model."""
        below = list(channel.named(b"Channel"))
        number = self.number()
        self.legacy.groups[number] = Group(self.legacy.layers[layer], target, label, channel)
        title = text(label + b"\x00\x01AnimCurveNode")
        rest = [self._default(own) for own in below] or [self._default(channel)]
        rows = [
            self.new.node(b"P", [text(a.encode()), text(b"Number"), text(b""), text(b"A"), real(v)])
            for a, v in zip(("d|X", "d|Y", "d|Z"), rest, strict=False)
        ]
        held = [self.new.node(b"Properties70", (), rows, closed=True)]
        parts = [real(number, "L"), title, text(b"")]
        self.objects.append(self.new.node(b"AnimationCurveNode", parts, held))
        self._connect(b"OO", number, layer)
        name = PROPERTIES.get(label, label.decode("utf-8", "replace"))
        self._connect(b"OP", number, target, name)
        for where, curve in curves.items():
            self._connect(b"OP", curve, number, where)

    def _default(self, channel: Node) -> float:
        own = channel.child(b"Default")
        found = values(own)[:1] if own is not None else []
        return float(found[0]) if found and isinstance(found[0], int | float) else 0.0

    def _curve(self, channel: Node) -> int | None:
        """Make a curve of a channel's keys; one without keys holds its default value."""
        curve = read_keys(channel)
        if curve is None:
            return None
        number = self.number()
        self.legacy.channels[number], self.legacy.curves[number] = channel, curve
        below = [self.new.node(b"Default", [real(self._default(channel))])]
        parts = [real(number, "L"), text(b"\x00\x01AnimCurve"), text(b"")]
        self.objects.append(self.new.node(b"AnimationCurve", parts, below))
        return number


def _below(tree: Tree, name: bytes) -> tuple[Node, ...]:
    return next((n.children for n in tree.nodes if n.name == name), ())


def object_key(raw: bytes) -> bytes:
    """Return an object's name as ``Class::Name``, which text and binary files write otherwise."""
    name, mark, kind = raw.partition(b"\x00\x01")
    return kind + b"::" + name if mark else raw


def _name(node: Node) -> bytes:
    """Return the name of a node of a take; empty where it has none."""
    found = values(node)[:1]
    return found[0] if found and isinstance(found[0], bytes) else b""


def _axis(name: bytes) -> str:
    return AXIS_OF.get(name, f"d|{name.decode('utf-8', 'replace')}")


def _frame_rate(settings: Node) -> float:
    """Return the frame rate in settings, 0 if there is none."""
    rate = settings.child(b"FrameRate")
    told = [] if rate is None else values(rate)[:1]
    try:
        return float(told[0]) if told else 0.0
    except ValueError:
        return 0.0


def _span(take: Node) -> tuple[int, int] | None:
    for name in (b"LocalTime", b"ReferenceTime"):
        own = take.child(name)
        found = values(own)[:2] if own is not None else []
        if len(found) == 2 and all(isinstance(v, int) for v in found) and found[1] > found[0]:
            return found[0], found[1]
    return None
