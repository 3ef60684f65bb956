"""Write motions to glTF: in place if they came from one, otherwise as a new file with a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.io.as_read import kept_of
from retime.io.gltf.accessors import COMPONENTS, FLOAT
from retime.io.gltf.animations import Channel
from retime.io.gltf.document import Document
from retime.io.gltf.reader import Kept, rest_of
from retime.io.gltf.samplers import ON_FRAME, Sampler, key_mover, rekeyed
from retime.io.in_place import PATHS, Retimed, retimed_together
from retime.io.key_mover import KeyMover
from retime.motion import Motion
from retime.timing.graph import Graph

# What differs by less than this from the retimed source was not edited: radians, metres.
_SAME = 1e-6


def write_motion(
    motion: Motion,
    path: str | Path,
    *,
    drop_rest: bool = False,
    original: Motion | None = None,
) -> None:
    """Write a motion: into a copy of its glTF file, or into a new file.

    Options are those of ``retime.write``; a node's own transform is its rest pose, and stays.
    """
    if kept_of(motion, Kept) is not None:
        write_motions([motion], path)
        return
    from retime.io.gltf.builder import build

    others = {} if original is None else {"original": original}
    build({"retimed" if others else "motion": motion} | others).save(Path(path))


def write_motions(motions: Sequence[Motion], path: str | Path) -> None:
    """Write animations of one file back into a copy of it; all else is unchanged."""
    found = retimed_together(motions, Kept, lambda kept: id(kept.document))
    document = found[0].kept.document.edited()
    for retimed in found:
        _Retimer(document, retimed).run()
    document.save(Path(path))


class _Retimer:
    """Moves the keys of one animation."""

    def __init__(self, document: Document, retimed: Retimed[Kept]) -> None:
        self.document = document
        self.retimed, self.kept = retimed, retimed.kept
        self.animation = document.json["animations"][self.kept.animation]
        self.joint_of = {n: j for j, n in enumerate(self.kept.nodes)}
        self._inputs: dict[bytes, int] = {}
        self._movers: dict[int, KeyMover] = {}

    def run(self) -> None:
        """Re-key every channel; bake those whose values were edited."""
        channels = self.kept.channels
        old = self.animation.get("samplers", [])
        edited = self.retimed.edited()
        by_index = {c.index: c for c in channels}
        known: dict[tuple[int, str, str], int] = {}
        new: list[dict[str, Any]] = []
        for n, entry in enumerate(self.animation.get("channels", [])):
            found = by_index.get(n)
            if found is None:
                if isinstance(entry, dict) and isinstance(entry.get("sampler"), int):
                    entry["sampler"] = self._kept_as_is(old, entry["sampler"], new)
                continue
            joint = self.joint_of.get(-1 if found.node is None else found.node)
            bake = joint is not None and joint in edited.get(found.path, ())
            name = self.retimed.channel(joint if found.path in PATHS else None, found.path)
            key = (entry["sampler"], name, f"{found.path}{joint}" if bake else "")
            if key not in known:
                source = old[entry["sampler"]]
                made = self._baked(joint, found.path) if bake else self._moved(found, name, source)
                known[key] = len(new)
                new.append(made)
            entry["sampler"] = known[key]
        self._add_missing(channels, edited, new)
        if new or old:
            self.animation["samplers"] = new

    @staticmethod
    def _kept_as_is(old: list[Any], at: int, new: list[dict[str, Any]]) -> int:
        """Give a channel that is left alone its sampler back, under a new number."""
        if not 0 <= at < len(old):
            return at
        new.append(old[at])
        return len(new) - 1

    # ---- samplers

    def _graph(self, name: str) -> Graph:
        return self.retimed.warp.channel(name).pad(*self.retimed.warp.domain)

    def _mover(self, name: str) -> KeyMover:
        """Return what moves a channel's keys; channels without a curve of their own share one."""
        own = id(self.retimed.warp.channel(name))
        if own not in self._movers:
            self._movers[own] = key_mover(self._graph(name))
        return self._movers[own]

    def _moved(self, channel: Channel, name: str, source: dict[str, Any]) -> dict[str, Any]:
        """Make the sampler of a channel whose keys move; its values stay where they can."""
        track = channel.sampler
        if self.retimed.beyond:
            values = track.at(self.retimed.wrapped(name))
            made, same = Sampler(self.retimed.times, values, None, "LINEAR", track.turns), False
        else:
            if _leaves(self._graph(name), track):
                return source
            made, same = rekeyed(track, self._mover(name))
        same = same and len(made.times) == self._key_count(source)
        if same and np.abs(made.times - track.times).max() < _SAME:
            return source
        out = {k: v for k, v in source.items() if k not in ("input", "output")}
        if made.interpolation != source.get("interpolation", "LINEAR"):
            out["interpolation"] = made.interpolation
        out["input"] = self._input(made.times)
        if same and made.tangents is None:
            out["output"] = source["output"]
        else:
            kind = self.kept.document.json["accessors"][source["output"]]["type"]
            out["output"] = self._output(made, kind)
        return out

    def _key_count(self, source: dict[str, Any]) -> int:
        return int(self.kept.document.json["accessors"][source["input"]]["count"])

    def _input(self, times: FloatArray) -> int:
        single = times.astype("<f4")
        if (np.diff(single) <= 0).any():
            # Keys that fall together in single precision would be no rising times.
            for k in range(1, len(single)):
                if single[k] <= single[k - 1]:
                    single[k] = np.nextafter(single[k - 1], np.float32(np.inf))
        data = single.tobytes()
        if data not in self._inputs:
            ends = {"min": [float(single.min())], "max": [float(single.max())]}
            self._inputs[data] = self.document.add(
                data, component=FLOAT, kind="SCALAR", count=len(single), bounds=ends
            )
        return self._inputs[data]

    def _output(self, sampler: Sampler, kind: str) -> int:
        """Append a sampler's values as an accessor of a kind; morph weights are single numbers."""
        values = sampler.values
        if sampler.tangents is not None:
            came, went = sampler.tangents
            values = np.stack([came, values, went], axis=1).reshape(-1, values.shape[1])
        count = values.size // COMPONENTS[kind]
        data = values.astype("<f4").tobytes()
        return self.document.add(data, component=FLOAT, kind=kind, count=count)

    def _baked(self, joint: int | None, path: str) -> dict[str, Any]:
        """Make the sampler of a joint whose values were edited: a key for each frame."""
        assert joint is not None
        turns = path == "rotation"
        sampler = Sampler(self.retimed.times, self._values(joint, path), None, "LINEAR", turns)
        return {"input": self._input(sampler.times), "interpolation": "LINEAR",
                "output": self._output(sampler, "VEC4" if turns else "VEC3")}  # fmt: skip

    def _values(self, joint: int, path: str) -> FloatArray:
        """Return a joint's track in the node's own numbers."""
        if path == "rotation":
            return self.retimed.motion.rotations[:, joint][:, [1, 2, 3, 0]]
        if path == "translation":
            return self.retimed.translation(joint)
        return self.retimed.scale(joint)

    def _add_missing(
        self,
        channels: Sequence[Channel],
        edited: Mapping[str, set[int]],
        new: list[dict[str, Any]],
    ) -> None:
        """Add channels for joints that were edited and had none."""
        if self.retimed.beyond:
            return
        have = {(c.node, c.path) for c in channels}
        for path, joints in edited.items():
            for j in sorted(joints):
                if (self.kept.nodes[j], path) not in have:
                    new.append(self._baked(j, path))
                    target = {"node": self.kept.nodes[j], "path": path}
                    self._unpack_matrix(self.kept.nodes[j])
                    entry = {"sampler": len(new) - 1, "target": target}
                    self.animation.setdefault("channels", []).append(entry)

    def _unpack_matrix(self, node: int) -> None:
        """Return a node with a matrix may not be animated: give it the three parts instead."""
        entry = self.document.json["nodes"][node]
        if entry.pop("matrix", None) is not None:
            place, turn, size = rest_of(self.kept.document, node)
            entry["translation"] = place.tolist()
            entry["rotation"] = turn[[1, 2, 3, 0]].tolist()
            entry["scale"] = size.tolist()


def _leaves(graph: Graph, sampler: Sampler) -> bool:
    """Return whether a warp shows a whole track at its own time."""
    first, last = sampler.times[0], sampler.times[-1]
    covers = graph.x[0] <= first + ON_FRAME and graph.x[-1] >= last - ON_FRAME
    return covers and np.array_equal(graph.x, graph.y)
