"""FBX 6.1: seen as a file of version 7, and its keys written back where they were.

Version 6 names objects where version 7 numbers them, and keeps keys with each take, model by model
and channel by channel. A view of it as objects and connections is made for reading; what is retimed
is put into the takes of the file itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retime.errors import InputError
from retime.io.fbx.curves import (
    AUTO,
    BROKEN,
    CONSTANT,
    CUBIC,
    LINEAR,
    NEXT,
    PLAIN_WEIGHT,
    USER,
    WEIGHTED_NEXT_LEFT,
    WEIGHTED_RIGHT,
    Curve,
    explicit,
)
from retime.io.fbx.properties import packed, property_parts, real, text, values
from retime.io.fbx.tree import Malformed, Node, Tree, empty_tree

_AS = 7400
_WEIGHTS = 9999
_PROPERTIES = {b"T": "Lcl Translation", b"R": "Lcl Rotation", b"S": "Lcl Scaling"}
_AXES = {b"X": "d|X", b"Y": "d|Y", b"Z": "d|Z"}


@dataclass
class Legacy:
    """Where the view's animations stand in the file."""

    tree: Tree
    """The file itself."""
    channels: dict[int, Node] = field(default_factory=dict)
    """The channel of each curve, by the curve's number."""
    takes: dict[int, Node] = field(default_factory=dict)
    """The take of each stack, by the stack's number."""


def seen_as_new(tree: Tree) -> tuple[Tree, Legacy]:
    """Return a view of a file of version 6, and what leads back to it."""
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
        key = _key(found[0])
        if key in self.numbers:
            raise Malformed(f"two objects have the name {key.decode('utf-8', 'replace')!r}")
        number = self.numbers[key] = self.number()
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
            rate = place.child(b"FrameRate") if place.name == b"Settings" else None
            told = values(rate)[:1] if rate is not None else []
            try:
                fps = float(told[0]) if told else 0.0
            except ValueError:
                fps = 0.0
            if 0 < fps < 1e5 and not any(values(r)[:1] == [b"TimeMode"] for r in rows):
                kind = [text(b"int"), text(b""), text(b"")]
                rows.append(self.new.node(b"P", [text(b"TimeMode"), *kind, real(14, "L")]))
                rows.append(self.new.node(b"P", [text(b"CustomFrameRate"), *kind, real(fps)]))
        return rows

    def _link(self, link: Node) -> None:
        found = values(link)
        if len(found) < 3 or not all(isinstance(v, bytes) for v in found[:3]):
            return
        child, parent = self.numbers.get(_key(found[1])), self.numbers.get(_key(found[2]))
        if _key(found[2]) == b"Model::Scene":
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
        self.legacy.takes[stack] = take
        span = _span(take)
        rows = []
        for label, ticks in zip((b"LocalStart", b"LocalStop"), span or (), strict=False):
            kind = [text(label), text(b"KTime"), text(b"Time"), text(b"")]
            rows.append(self.new.node(b"P", [*kind, real(ticks, "L")]))
        node = self.new.node
        held = [node(b"Properties70", (), rows, closed=True)]
        label = text(_key(name).rpartition(b"::")[2] + b"\x00\x01AnimStack")
        self.objects.append(node(b"AnimationStack", [real(stack, "L"), label, text(b"")], held))
        label = text(b"BaseLayer\x00\x01AnimLayer")
        self.objects.append(node(b"AnimationLayer", [real(layer, "L"), label, text(b"")]))
        self._connect(b"OO", layer, stack)
        for model in take.children:
            own = values(model)[:1]
            target = self.numbers.get(_key(own[0])) if own and isinstance(own[0], bytes) else None
            if target is not None:
                for channel in model.named(b"Channel"):
                    self._channel(channel, layer, target)

    def _channel(self, channel: Node, layer: int, target: int) -> None:
        name = values(channel)[:1]
        below = list(channel.named(b"Channel"))
        if name == [b"Transform"]:
            for own in below:
                self._channel(own, layer, target)
            return
        label = name[0] if name and isinstance(name[0], bytes) else b"value"
        property = _PROPERTIES.get(label, label.decode("utf-8", "replace"))
        curves = {}
        for own in below or [channel]:
            axis = values(own)[:1] if below else [b"X"]
            number = self._curve(own)
            if number is not None and axis and isinstance(axis[0], bytes):
                curves[_AXES.get(axis[0], f"d|{axis[0].decode('utf-8', 'replace')}")] = number
        if not curves:
            return
        number = self.number()
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
        self._connect(b"OP", number, target, property)
        for where, curve in curves.items():
            self._connect(b"OP", curve, number, where)

    def _default(self, channel: Node) -> float:
        own = channel.child(b"Default")
        found = values(own)[:1] if own is not None else []
        return float(found[0]) if found and isinstance(found[0], int | float) else 0.0

    def _curve(self, channel: Node) -> int | None:
        """Make a curve of a channel's keys; one without keys holds its default value."""
        keys = channel.child(b"Key")
        if keys is None:
            return None
        ticks, numbers, flags, data = _keys(keys)
        if not ticks:
            return None
        number = self.number()
        self.legacy.channels[number] = channel
        node = self.new.node
        below = [
            node(b"Default", [real(self._default(channel))]),
            node(b"KeyTime", [packed("l", np.array(ticks, np.int64))]),
            node(b"KeyValueFloat", [packed("f", np.array(numbers))]),
            node(b"KeyAttrFlags", [packed("i", np.array(flags))]),
            node(b"KeyAttrDataFloat", [packed("f", np.array(data, "<u4").view("<f4").ravel())]),
            node(b"KeyAttrRefCount", [packed("i", np.ones(len(ticks)))]),
        ]
        parts = [real(number, "L"), text(b"\x00\x01AnimCurve"), text(b"")]
        self.objects.append(node(b"AnimationCurve", parts, below))
        return number


def _below(tree: Tree, name: bytes) -> tuple[Node, ...]:
    return next((n.children for n in tree.nodes if n.name == name), ())


def _key(raw: bytes) -> bytes:
    """Return an object's name as ``Class::Name``, which text and binary files write otherwise."""
    name, mark, kind = raw.partition(b"\x00\x01")
    return kind + b"::" + name if mark else raw


def _span(take: Node) -> tuple[int, int] | None:
    for name in (b"LocalTime", b"ReferenceTime"):
        own = take.child(name)
        found = values(own)[:2] if own is not None else []
        if len(found) == 2 and all(isinstance(v, int) for v in found) and found[1] > found[0]:
            return found[0], found[1]
    return None


# ---- keys


def _tokens(node: Node) -> list[Any]:
    """Return the entries of a list of keys: numbers, and letters as text."""
    out: list[Any] = []
    for value, part in zip(values(node), property_parts(node), strict=True):
        if part[:1] in (b"C", b"B"):
            out.append(chr(part[1]))
        elif isinstance(value, bytes):
            out.append(value.decode("latin-1"))
        else:
            out.append(value)
    return out


def _keys(node: Node) -> tuple[list[int], list[float], list[int], list[list[int]]]:
    """Read keys: time, value, and how the curve continues from there."""
    told = _tokens(node)
    ticks: list[int] = []
    numbers: list[float] = []
    flags: list[int] = []
    data: list[list[int]] = []
    at = 0
    try:
        while at < len(told):
            ticks.append(int(told[at]))
            numbers.append(float(told[at + 1]))
            flag, row, at = _going_on(told, at + 2)
            flags.append(flag)
            data.append(row)
    except (IndexError, ValueError, TypeError, OverflowError):
        raise Malformed(f"the keys of a channel are invalid at entry {at + 1}") from None
    return ticks, numbers, flags, data


def _going_on(told: list[Any], at: int) -> tuple[int, list[int], int]:
    """Read how a curve continues from a key: flags, and tangents as bits; and what comes next."""
    plain = [0, 0, 3333 << 16 | 3333, 0]
    mode = told[at]
    if mode == "L":
        return LINEAR, plain, at + 1
    if mode == "C":
        return (CONSTANT | NEXT if told[at + 1] == "n" else CONSTANT), plain, at + 2
    if mode != "U":
        raise ValueError(mode)
    kind, at = told[at + 1], at + 2
    flag, slopes = CUBIC | AUTO, (0.0, 0.0)
    if kind in ("s", "b"):
        slopes, at = (float(told[at]), float(told[at + 1])), at + 2
        flag = CUBIC | USER | (BROKEN if kind == "b" else 0)
    elif kind == "t":
        at += 3  # tension, continuity, bias: taken as automatic
    elif kind == "p":
        at += 2
    elif kind != "a":
        raise ValueError(kind)
    shares = [PLAIN_WEIGHT, PLAIN_WEIGHT]
    for _ in range(2 if kind == "p" else 1):
        weight, at = (told[at] if at < len(told) else "n"), at + 1
        if weight in ("a", "c"):
            shares, at = [float(told[at]), float(told[at + 1])], at + 2
            flag |= WEIGHTED_RIGHT | WEIGHTED_NEXT_LEFT
        elif weight == "r":
            shares[0], at, flag = float(told[at]), at + 1, flag | WEIGHTED_RIGHT
        elif weight == "l":
            shares[1], at, flag = float(told[at]), at + 1, flag | WEIGHTED_NEXT_LEFT
        elif weight != "n":
            raise ValueError(weight)
    bits = np.array(slopes, "<f4").view("<u4").tolist()
    right, left = (int(np.clip(round(s * _WEIGHTS), 1, _WEIGHTS)) for s in shares)
    return flag, [*bits, left << 16 | right, 0], at


def _written(curve: Curve, *, letters: bool) -> list[bytes]:
    """Pack keys as version 6 writes them; ``letters`` of binary files are characters."""
    curve = explicit(curve)
    parts: list[bytes] = []

    def letter(value: str) -> bytes:
        return b"C" + value.encode() if letters else text(value.encode())

    for k, (ticks, value, mode) in enumerate(
        zip(curve.ticks.tolist(), curve.values.tolist(), curve.segments.mode.tolist(), strict=True)
    ):
        parts += [real(ticks, "L"), real(value)]
        if mode & CONSTANT:
            parts += [letter("C"), letter("n" if mode & NEXT else "s")]
        elif mode & CUBIC:
            right, left = curve.segments.slopes[k].tolist()
            parts += [letter("U"), letter("b"), real(right), real(left)]
            shares = curve.segments.weights[k]
            if (np.abs(shares - PLAIN_WEIGHT) < 1e-4).all():
                parts.append(letter("n"))
            else:
                parts += [letter("a"), *(real(float(s)) for s in shares)]
        else:
            parts.append(letter("L"))
    return parts


def rewritten(
    legacy: Legacy,
    curves: Mapping[int, Curve],
    spans: Mapping[int, tuple[int, int]],
    *,
    added: bool,
) -> list[Node]:
    """Return the file's own nodes with other keys and spans."""
    if added:
        raise InputError(
            "the pose was edited or joints share curves, and FBX 6.1 takes moved keys only; write "
            ".glb or .bvh, or save the file as FBX 7"
        )
    tree = legacy.tree
    is_text = hasattr(tree, "spans")
    new_keys = {id(legacy.channels[n]): curve for n, curve in curves.items()}
    new_spans = {id(legacy.takes[n]): span for n, span in spans.items()}

    def remade(node: Node) -> Node:
        curve = new_keys.get(id(node))
        if curve is not None:
            parts = _written(curve, letters=not is_text)
            count = [real(len(curve.ticks), "L" if is_text else "I")]
            made = {b"Key": parts, b"KeyCount": count}
            children = [
                tree.with_properties(c, made[c.name]) if c.name in made else c
                for c in node.children
            ]
            return tree.with_children(node, children)
        span = new_spans.get(id(node))
        children = [remade(c) for c in node.children]
        if span is not None:
            times = [real(t, "L") for t in span]
            named = (b"LocalTime", b"ReferenceTime")
            children = [tree.with_properties(c, times) if c.name in named else c for c in children]
        if all(a is b for a, b in zip(children, node.children, strict=True)):
            return node
        return tree.with_children(node, children)

    return [remade(n) if n.name == b"Takes" else n for n in tree.nodes]
