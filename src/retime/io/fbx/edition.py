"""A changed version of a file: some objects and connections are replaced, the rest is kept."""

from __future__ import annotations

from pathlib import Path

from retime.io.fbx.curves import Curve, curve_node, new_curve
from retime.io.fbx.document import Document, Thing, property_rows
from retime.io.fbx.legacy import Group, Legacy
from retime.io.fbx.properties import property_parts, real, text, values
from retime.io.fbx.takes import Changes, Takes
from retime.io.fbx.tree import Node


class Edition:
    """Collects changes of a document, which itself is unchanged."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.replaced: dict[int, Node] = {}
        self.sections: dict[bytes, Node] = {}
        self._added: list[Node] = []
        self._cut: set[int] = set()
        self._links: list[tuple[bytes, int, int, bytes]] = []
        self._curves: dict[int, Curve] = {}
        self._rewritten: dict[int, Curve] = {}
        self._labels: dict[int, bytes] = {}
        largest = max((n for n in document.objects if n < 1 << 62), default=0)
        self._next = max(largest, 1) + 1

    def section(self, name: bytes) -> Node | None:
        """Return a node at the top of the file as it is by now."""
        return self.sections.get(name) or self.document.top(name)

    def rewrite(self, thing: Thing, curve: Curve, before: Curve) -> None:
        """Give a curve of the file other keys."""
        self._rewritten[thing.id] = curve
        self.replaced[thing.id] = curve_node(self.document, thing.node, curve, before)

    def add_curve(self, curve: Curve) -> int:
        """Add a curve; return its number."""
        number = self._number()
        self._curves[number] = curve
        self._added.append(new_curve(self.document, number, curve))
        return number

    def add_curve_node(self, label: bytes, rest: tuple[float, float, float]) -> int:
        """Add a curve node for three axes; return its number."""
        tree, number = self.document.tree, self._number()
        rows = [
            tree.node(b"P", [text(name), text(b"Number"), text(b""), text(b"A"), real(value)])
            for name, value in zip((b"d|X", b"d|Y", b"d|Z"), rest, strict=True)
        ]
        self._labels[number] = label
        name = text(label + b"\x00\x01AnimCurveNode")
        self._added.append(
            tree.node(
                b"AnimationCurveNode",
                [real(number, "L"), name, text(b"")],
                [tree.node(b"Properties70", (), rows)],
            )
        )
        return number

    def link(self, kind: bytes, child: int, parent: int, property: bytes = b"") -> None:
        """Connect an object with another, or with a property of it."""
        self._links.append((kind, child, parent, property))

    def cut(self, at: int) -> None:
        """Leave out a connection, given by its index."""
        self._cut.add(at)

    def _number(self) -> int:
        while self._next in self.document.objects:
            self._next += 1
        self._next += 1
        return self._next - 1

    def save(self, path: Path) -> None:
        """Write the edition."""
        if self.document.legacy is not None:
            self._save_legacy(path, self.document.legacy)
            return
        edit = {
            b"Objects": self._objects,
            b"Connections": self._connections,
            b"Definitions": self._counted,
        }
        nodes = [self.sections.get(node.name, node) for node in self.document.tree.nodes]
        out = [edit[node.name](node) if node.name in edit else node for node in nodes]
        self.document.save(out, path)

    def _save_legacy(self, path: Path, legacy: Legacy) -> None:
        """Put replaced and added curves into the takes of a file of version 6."""
        changes = Changes(self._rewritten)
        for number, node in self.replaced.items():
            if node.name == b"AnimationStack":
                rows = property_rows(node)
                changes.spans[number] = (int(rows["LocalStart"][0]), int(rows["LocalStop"][0]))
        cut = {link.child for link in self.document.links if link.at in self._cut}
        changes.dropped |= cut & legacy.groups.keys()
        groups = legacy.groups | self._new_groups(legacy)
        for _, child, parent, axis in self._links:
            if child in self._curves:
                own = groups[parent]
                name, letter = legacy.models[own.model], axis.removeprefix(b"d|")
                changes.add(own.stack, name, own.label, letter, self._curves[child])
        Document(legacy.tree, self.document.path, self.document.sha256).save(
            Takes(legacy, changes).nodes(), path
        )

    def _new_groups(self, legacy: Legacy) -> dict[int, Group]:
        """Return stack, model and label of each new curve node."""
        stacks = {c: legacy.layers[p] for _, c, p, _ in self._links if p in legacy.layers}
        models = {c: p for kind, c, p, _ in self._links if kind == b"OP" and c in self._labels}
        return {n: Group(stacks[n], models[n], label) for n, label in self._labels.items()}

    def _connection(self, link: tuple[bytes, int, int, bytes]) -> Node:
        kind, child, parent, property = link
        parts = [text(kind), real(child, "L"), real(parent, "L")]
        parts += [text(property)] if property else []
        return self.document.tree.node(b"C", parts)

    def _connections(self, node: Node) -> Node:
        if not (self._cut or self._links):
            return node
        kept = [c for n, c in enumerate(node.children) if n not in self._cut]
        new = map(self._connection, self._links)
        return self.document.tree.with_children(node, [*kept, *new])

    def _objects(self, node: Node) -> Node:
        if not (self.replaced or self._added):
            return node
        known = {id(self.document.objects[n].node): made for n, made in self.replaced.items()}
        kept = [known.get(id(child), child) for child in node.children]
        return self.document.tree.with_children(node, [*kept, *self._added])

    def _counted(self, node: Node) -> Node:
        """Return the file's definitions with the numbers of objects updated."""
        if not self._added:
            return node
        tree = self.document.tree
        more = {b"": len(self._added)}
        for added in self._added:
            more[added.name] = more.get(added.name, 0) + 1

        def raised(child: Node, by: int) -> Node:
            found = values(child) if child.name == b"Count" else []
            if len(found) != 1 or not isinstance(found[0], int):
                return child
            letter = property_parts(child)[0][:1].decode()
            return tree.with_properties(child, [real(found[0] + by, letter)])

        children = []
        for child in node.children:
            if child.name == b"ObjectType":
                kind = values(child)[:1]
                by = more.get(kind[0], 0) if kind and isinstance(kind[0], bytes) else 0
                if by:
                    child = tree.with_children(child, [raised(c, by) for c in child.children])
            children.append(raised(child, more[b""]))
        return tree.with_children(node, children)
