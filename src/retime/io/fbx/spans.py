"""Spans of an animation: the start and end times in a file."""

from __future__ import annotations

from collections.abc import Callable

from retime.io.fbx.document import Document, plain_name
from retime.io.fbx.properties import property_parts, real, text, values
from retime.io.fbx.tree import Node

_PAIRS = (("LocalStart", "LocalStop"), ("ReferenceStart", "ReferenceStop"))
Moved = Callable[[int], int]


def take_of(document: Document, name: str) -> Node | None:
    """Return the entry of a stack in the section of takes."""
    takes = document.top(b"Takes")
    for take in takes.named(b"Take") if takes is not None else ():
        found = values(take)
        if found and isinstance(found[0], bytes) and plain_name(found[0]) == name:
            return take
    return None


def respanned_stack(
    document: Document, node: Node, old: tuple[int, int], new: tuple[int, int], moved: Moved
) -> Node:
    """Return a stack's node with its new span."""
    tree = document.tree
    holder = node.child(b"Properties70") or tree.node(b"Properties70", closed=True)
    rows, seen = [], set()
    for row in holder.children:
        name, ticks = _time_of(row)
        if name:
            seen.add(name)
            row = _with_time(document, row, _new_time(ticks, old, new, moved))
        rows.append(row)
    for name, ticks in zip(_PAIRS[0], new, strict=True):
        if name not in seen:
            kind = [text(name.encode()), text(b"KTime"), text(b"Time"), text(b"")]
            rows.append(tree.node(b"P", [*kind, real(ticks, "L")]))
    made = tree.with_children(holder, rows)
    children = [made if c.name == b"Properties70" else c for c in node.children]
    return tree.with_children(node, children if made in children else [made, *children])


def _time_of(row: Node) -> tuple[str, int]:
    """Return the name and time of a property that starts or ends a span; empty for others."""
    found = values(row) if row.name == b"P" else []
    name = found[0].decode("ascii", "replace") if found and isinstance(found[0], bytes) else ""
    if name in sum(_PAIRS, ()) and len(found) > 4 and isinstance(found[4], int):
        return name, found[4]
    return "", 0


def _new_time(ticks: int, old: tuple[int, int], new: tuple[int, int], moved: Moved) -> int:
    """Map an end of a range to its output time."""
    if ticks == old[0]:
        return new[0]
    if ticks == old[1]:
        return new[1]
    return moved(ticks)


def _with_time(document: Document, row: Node, ticks: int) -> Node:
    parts = property_parts(row)
    return document.tree.with_properties(row, [*parts[:4], real(ticks, "L"), *parts[5:]])


def respanned_takes(
    document: Document,
    takes: Node,
    name: str,
    old: tuple[int, int],
    new: tuple[int, int],
    moved: Moved,
) -> Node:
    """Return the section of takes with one entry's new span."""
    tree, own = document.tree, take_of(document, name)
    if own is None:
        return takes
    which = [n for n, c in enumerate(takes.children) if c.start == own.start and c.name == b"Take"]

    def remade(child: Node) -> Node:
        found = values(child) if child.name in (b"LocalTime", b"ReferenceTime") else []
        if len(found) < 2 or not isinstance(found[0], int) or not isinstance(found[1], int):
            return child
        ticks = [_new_time(t, old, new, moved) for t in found[:2]]
        rest = property_parts(child)[2:]
        return tree.with_properties(child, [*(real(t, "L") for t in ticks), *rest])

    children = list(takes.children)
    for n in which:
        children[n] = tree.with_children(children[n], map(remade, children[n].children))
    return tree.with_children(takes, children)


def respanned_settings(
    document: Document, node: Node, old: tuple[int, int], new: tuple[int, int]
) -> Node:
    """Return the scene's settings with a new time span, if theirs was this animation's."""
    tree, holder = document.tree, node.child(b"Properties70")
    if holder is None:
        return node
    rows = {}
    for n, row in enumerate(holder.children):
        found = values(row)
        if len(found) > 4 and found[0] in (b"TimeSpanStart", b"TimeSpanStop"):
            rows[found[0]] = (n, found[4])
    if [rows.get(k, (0, None))[1] for k in (b"TimeSpanStart", b"TimeSpanStop")] != list(old):
        return node
    children = list(holder.children)
    for name, ticks in zip((b"TimeSpanStart", b"TimeSpanStop"), new, strict=True):
        n = rows[name][0]
        children[n] = _with_time(document, children[n], ticks)
    made = tree.with_children(holder, children)
    return tree.with_children(node, [made if c is holder else c for c in node.children])
