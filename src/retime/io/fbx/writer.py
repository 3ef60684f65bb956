"""Writing motions back into the FBX file that they came from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.as_read import kept_of
from retime.io.fbx.curves import Curve, linear_curve
from retime.io.fbx.document import Thing, property_rows, said_of, vector
from retime.io.fbx.edition import Edition
from retime.io.fbx.placing import Placing, placing
from retime.io.fbx.reader import Kept
from retime.io.fbx.rekeying import Rekeyer, sampled, widened
from retime.io.fbx.spans import respanned_settings, respanned_stack, respanned_takes
from retime.io.fbx.stacks import AXES, PATHS, Drive
from retime.io.in_place import Retimed, retimed_together
from retime.motion import Motion, quat
from retime.timing.graph import Graph

# Tolerance between keys under a curved warp: degrees, or relative to a curve's range. A tenth of it
# would make up to four times as many keys of curves with two or three, for nothing that is seen.
_CLOSE_DEGREES = 2e-2
_CLOSE = 2e-4
# Largest value in single precision.
_MOST = 3e38
_PROPERTIES = {path: name for name, path in PATHS.items()}
_LABELS = {"translation": b"T", "rotation": b"R", "scale": b"S"}


def write_motion(
    motion: Motion,
    path: str | Path,
    *,
    drop_rest: bool = False,
    original: Motion | None = None,
) -> None:
    """Write a motion that came from FBX back into a copy of its file.

    Options are those of ``retime.write``; they change nothing: a model's own transform is its rest
    pose, and no second animation is added to a file.
    """
    write_motions([motion], path)


def write_motions(motions: Sequence[Motion], path: str | Path) -> None:
    """Write animations of one file back into a copy of it; other content is unchanged."""
    if any(kept_of(m, Kept) is None for m in motions):
        raise InputError(
            "FBX is retimed in place, and this motion does not come from an FBX file: retime one, "
            "or write .glb, .usda, .bvh or .npz"
        )
    found = retimed_together(motions, Kept, lambda kept: id(kept.document))
    document = found[0].kept.document
    edition = Edition(document)
    with said_of(document.path):
        for retimed in found:
            _Retimer(edition, retimed).run()
        edition.save(Path(path))


class _Retimer:
    """Move the keys of one animation."""

    def __init__(self, edition: Edition, retimed: Retimed[Kept]) -> None:
        self.edition = edition
        self.retimed, self.warp = retimed, retimed.warp
        self.kept = kept = retimed.kept
        self.document = kept.document
        self.per_second = kept.document.ticks
        if max(map(abs, self.warp.domain)) * self.per_second > 1 << 62:
            raise InputError("the motion's times are too large for FBX")
        self.source_span = kept.span[0] / self.per_second, kept.span[1] / self.per_second
        self.joint_of = {n: j for j, n in enumerate(kept.joints)}
        self._graphs: dict[str, Graph] = {}
        self._by_curve: dict[int, Graph] = {}
        self._rekeyers: dict[int, Rekeyer] = {}
        self._nodes = {d.thing.id for d in kept.stack.drives}
        self._made: dict[tuple[int, int], int] = {}
        self._taken: set[int] = set()
        self._placings: dict[int, Placing] = {}

    def run(self) -> None:
        """Re-key every curve; bake those whose values were edited; move the spans."""
        baked = self._baked()
        if self.retimed.beyond or not self._shows_all_as_it_is():
            for drive in self.kept.stack.drives:
                joint, path = self._place(drive)
                if joint not in baked.get(path, ()):
                    self._move(drive, self.retimed.channel(joint, path))
            self._move_spans()
        for path, joints in baked.items():
            for j in sorted(joints):
                self._bake(j, path)

    # ---- the warp of each curve

    def _place(self, drive: Drive) -> tuple[int | None, str]:
        path = PATHS.get(drive.property, "")
        return (self.joint_of.get(drive.target) if path else None), path

    def _graph(self, name: str) -> Graph:
        if name not in self._graphs:
            own = self.warp.channel(name)
            if id(own) not in self._by_curve:  # channels without their own curve share one
                graph = own.pad(*self.warp.domain)
                self._by_curve[id(own)] = widened(graph, self.source_span)
            self._graphs[name] = self._by_curve[id(own)]
        return self._graphs[name]

    def _shows_all_as_it_is(self) -> bool:
        """Return whether nothing was retimed."""
        ends = np.abs(np.array(self.warp.domain) - np.array(self.source_span))
        return self.warp.is_identity and bool(ends.max() < 2e-4)

    def _baked(self) -> dict[str, set[int]]:
        """Return the joints whose values are not only retimed, by path."""
        drives = self.kept.stack.drives
        weighted = any(d.property == "Weight" and d.curves for d in drives)
        if self.retimed.beyond or (self.warp.per_channel and weighted):
            # Layers mixed by animated weights cannot be retimed joint by joint.
            return self._driven()
        edited = self.retimed.edited()
        turned = edited["rotation"] | edited["scale"]
        edited["translation"] |= {j for j in turned if self._placing(j).has_pivots}
        return edited

    def _driven(self) -> dict[str, set[int]]:
        """Return the joints that the animation drives, by path."""
        driven = {self._place(d) for d in self.kept.stack.drives}
        return {p: {j for j, q in driven if j is not None and q == p} for p in _PROPERTIES}

    # ---- curves that move

    def _move(self, drive: Drive, channel: str) -> None:
        graph = self._graph(channel)
        for axis, thing in drive.curves.items():
            curve = self.kept.stack.curves.get(thing.id)
            if curve is None:
                continue
            key = (thing.id, id(graph))
            if key not in self._made:
                made = self._retimed(curve, graph, channel, self._close(curve, drive))
                if self._is_shared(thing, drive):
                    self._made[key] = self.edition.add_curve(made)
                else:
                    self.edition.rewrite(thing, made, curve)
                    self._made[key] = thing.id
                    self._taken.add(thing.id)
            if self._made[key] != thing.id:
                self._relink(thing.id, drive.thing.id, axis, self._made[key])

    def _close(self, curve: Curve, drive: Drive) -> float:
        """Return the tolerance between keys; noise about zero needs no extra keys."""
        if drive.property == "Lcl Rotation":
            return _CLOSE_DEGREES
        beside = [self.kept.stack.curves.get(thing.id) for thing in drive.curves.values()]
        largest = max(float(np.abs(c.values).max()) for c in (*beside, curve) if c is not None)
        extent = max(float(np.ptp(curve.values)), 0.2 * largest, 1e-12)
        if drive.property == "Lcl Translation":
            extent = max(extent, 0.01 * float(np.abs(self.kept.rest[:, :3]).max()))
        return _CLOSE * extent

    def _retimed(self, curve: Curve, graph: Graph, channel: str, close: float) -> Curve:
        if self.retimed.beyond:
            inside = self.retimed.wrapped(channel)
            return sampled(self.retimed.times, inside, curve, self.per_second)
        if id(graph) not in self._rekeyers:
            self._rekeyers[id(graph)] = Rekeyer(graph, self.per_second, self.warp.domain)
        made = self._rekeyers[id(graph)].moved(curve, close)
        largest = max(float(np.abs(made.values).max()), float(np.abs(made.segments.slopes).max()))
        if not largest < _MOST:
            raise self.document.fail("the values of a curve are too large for FBX")
        return made

    def _is_shared(self, thing: Thing, drive: Drive) -> bool:
        """Return whether a curve also moves something with another timing."""
        self._must_be_ours(drive)
        return thing.id in self._taken or any(
            link.parent not in self._nodes for link in self.document.above.get(thing.id, [])
        )

    def _must_be_ours(self, drive: Drive) -> None:
        """Reject curves whose node or layer belongs to several animations."""
        layers = {layer.id for layer in self.kept.stack.layers}
        ours = layers | {self.kept.stack.thing.id}
        homes = self.document.above.get(drive.thing.id, [])
        stacks = [link for n in layers for link in self.document.above.get(n, [])]
        others = {link.parent for link in (*homes, *stacks)} - ours
        for other in filter(None, map(self.document.objects.get, others)):
            if other.kind in (b"AnimationLayer", b"AnimationStack"):
                raise InputError(
                    f"the animation {self.kept.stack.name!r} shares its curves with "
                    f"{other.name!r}: retiming one would change the other; make them separate in "
                    "the program that wrote the file"
                )

    def _relink(self, old: int, node: int, axis: str, new: int) -> None:
        for link in self.document.above.get(old, []):
            if link.parent == node and link.property == axis:
                self.edition.cut(link.at)
        self.edition.link(b"OP", new, node, axis.encode())

    # ---- spans

    def _move_spans(self) -> None:
        document, edition, old = self.document, self.edition, self.kept.span
        new = tuple(round(t * self.per_second) for t in self.warp.domain)
        span = (new[0], max(new[1], new[0] + 1))
        graph = self._graph(self.retimed.channel(None, "")).swap()

        def moved(ticks: int) -> int:
            return round(float(graph.at(np.array([ticks / self.per_second]))[0]) * self.per_second)

        stack = self.kept.stack.thing
        edition.replaced[stack.id] = respanned_stack(document, stack.node, old, span, moved)
        takes, settings = edition.section(b"Takes"), edition.section(b"GlobalSettings")
        if takes is not None:
            edition.sections[b"Takes"] = respanned_takes(
                document, takes, stack.name, old, span, moved
            )
        if settings is not None:
            edition.sections[b"GlobalSettings"] = respanned_settings(document, settings, old, span)

    # ---- joints whose values were edited

    def _placing(self, j: int) -> Placing:
        if j not in self._placings:
            model = self.document.objects[self.kept.joints[j]]
            found = placing(self.document.model_defaults | property_rows(model.node))
            if found.spheric:
                raise InputError(
                    f"the pose of {self.retimed.motion.skeleton.names[j]!r} was edited, and its "
                    "spheric rotation order cannot be written to FBX; write .glb or .bvh"
                )
            self._placings[j] = found
        return self._placings[j]

    def _bake(self, j: int, path: str) -> None:
        """Give a joint a key for each frame."""
        model, property = self.document.objects[self.kept.joints[j]], _PROPERTIES[path]
        rows = self.document.model_defaults | property_rows(model.node)
        rest = vector(rows, property, 1.0 if path == "scale" else 0.0)
        values = self._values(j, path, np.array(rest))
        ticks = np.round(self.retimed.times * self.per_second).astype(np.int64)
        curves = [linear_curve(ticks, values[:, axis]) for axis in range(3)]
        node, own = self._curve_node(j, path, (rest[0], rest[1], rest[2]))
        for axis, curve in zip(AXES, curves, strict=True):
            self._replace(own.get(axis), curve, node, axis)

    def _replace(self, thing: Thing | None, curve: Curve, node: int, axis: str) -> None:
        """Rewrite the curve of an axis, or add a new one if it has none or shares it."""
        if thing is None:
            self.edition.link(b"OP", self.edition.add_curve(curve), node, axis.encode())
            return
        before = self.kept.stack.curves.get(thing.id)
        if before is not None and len(self.document.above.get(thing.id, [])) == 1:
            self.edition.rewrite(thing, curve, before)
        else:
            self._relink(thing.id, node, axis, self.edition.add_curve(curve))

    def _curve_node(
        self, j: int, path: str, rest: tuple[float, float, float]
    ) -> tuple[int, dict[str, Thing]]:
        """Return the curve node of a property in the base layer, or a new one, and its curves."""
        stack, target, property = self.kept.stack, self.kept.joints[j], _PROPERTIES[path]
        if not stack.layers:
            raise InputError(f"the animation {stack.name!r} has no layer to put new keys into")
        base = stack.layers[0]
        found = [d for d in stack.drives if d.target == target and d.property == property]
        kept: Drive | None = None
        for drive in found:
            self._must_be_ours(drive)
            homes = {link.parent for link in self.document.above.get(drive.thing.id, [])}
            if kept is None and homes == {base.id, target}:
                kept = drive
            else:
                self.edition.cut(drive.link.at)
        if kept is not None:
            return kept.thing.id, kept.curves
        self._must_count(base)
        node = self.edition.add_curve_node(_LABELS[path], rest)
        self.edition.link(b"OO", node, base.id)
        self.edition.link(b"OP", node, target, property.encode())
        return node, {}

    def _must_count(self, base: Thing) -> None:
        rows = property_rows(base.node)
        if rows.get("Mute", [0])[:1] == [1]:
            raise InputError(f"the base layer {base.name!r} is muted; new keys would not be seen")

    def _values(self, j: int, path: str, rest: FloatArray) -> FloatArray:
        """Return a joint's track in the model's own numbers."""
        placing, motion = self._placing(j), self.retimed.motion
        turn, place = motion.rotations[:, j], self.retimed.translation(j)
        if motion.skeleton.parents[j] < 0:
            back = np.tile(quat.conjugate(self.kept.turn), (len(motion), 1))
            turn, place = quat.multiply(back, turn), quat.rotate(back, place)
        if path == "rotation":
            return placing.rotation(turn, rest)
        size = self.retimed.scale(j)
        return size if path == "scale" else placing.translation(place, turn, size)
