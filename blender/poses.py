"""Poses of a result in the armature's space, at any frame."""

import numpy as np

from .capture import composed, continuous, decomposed, inverted


class Poses:
    """Poses of a result in the armature's space, at any frame: with changed poses, and without."""

    def __init__(self, result):
        self.result, self.capture = result, result.capture
        self._known, self._sent = {}, {}

    def changed(self, joint, frames):
        """Return a joint's matrices (N, 4, 4) at output frames, as the result has them."""
        at = np.asarray(frames) - self.capture.first
        return self._composed("changed", joint, frames, lambda n: _at(self.result.local(n), at))

    def warped(self, joint, frames):
        """Return the same where only time changed."""
        return self._composed("warped", joint, frames, lambda n: self._warped(n, frames))

    def source(self, joint, frames):
        """Return a joint's matrices at source frames."""
        at = np.asarray(frames) - self.capture.first
        world = _at(self.capture.world, at)
        return self._composed("source", joint, frames, lambda n: _at(self._local(n), at), world)

    def _local(self, name):
        """Return a joint's matrices as the engine was told them: small stretches left out."""
        if name not in self._sent:
            local = self.capture.local[:, self.capture.names.index(name)]
            places, turns, sizes = decomposed(local)
            if not self.result.moves(name):
                places = np.tile(self.result.offset(name), (len(local), 1))
            if not self.result.grows(name):
                sizes = np.ones_like(sizes)
            self._sent[name] = composed(places, turns, sizes)
        return self._sent[name]

    def control(self, name, frames):
        """Return a keyed bone's matrices at source frames."""
        if name in self.capture.controls:
            return _at(self.capture.controls[name], np.asarray(frames) - self.capture.first)
        return self.source(name, frames)

    def _warped(self, name, frames):
        capture, warp = self.capture, self.result.warp
        local = self._local(name)
        turned = _at(local, warp.of(name).source(frames) - capture.first)
        if capture.parents[capture.names.index(name)] < 0:
            moved = _at(local, warp.of(f"{name}:translation").source(frames) - capture.first)
            turned[:, :3, 3] = moved[:, :3, 3]
        return turned

    def _composed(self, kind, joint, frames, local, world=None):
        frames = np.asarray(frames, dtype=float)
        key = kind, joint, frames.tobytes()
        if key not in self._known:
            capture = self.capture
            own, parent = local(joint), capture.parents[capture.names.index(joint)]
            if parent < 0:
                if world is None:
                    times = self.result.warp.body.source(frames)
                    world = _at(capture.world, times - capture.first)
                above = inverted(world)
            else:
                above = self._composed(kind, capture.names[parent], frames, local, world)
            self._known[key] = above @ own
        return self._known[key]

    def moved(self, joint, frames):
        """Return how a joint was moved in space, beyond its timing, (N, 4, 4); ``None`` is not."""
        if joint is None:
            return np.tile(np.eye(4), (len(frames), 1, 1))
        return self.changed(joint, frames) @ inverted(self.warped(joint, frames))


def _at(matrices, places):
    """Interpolate matrices (F, 4, 4) at places between frames, held beyond the ends."""
    last = len(matrices) - 1
    at = np.clip(np.asarray(places, dtype=float), 0, last)
    near = np.round(at)
    if np.abs(at - near).max(initial=0) < 1e-6:
        return matrices[near.astype(int)].copy()
    k = np.minimum(at.astype(int), max(last - 1, 0))
    u = (at - k)[:, None]
    places, turns, sizes = decomposed(matrices)
    turns = continuous(turns)
    q = turns[k] + u * (turns[k + 1] - turns[k])
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return composed(
        places[k] + u * (places[k + 1] - places[k]), q, sizes[k] + u * (sizes[k + 1] - sizes[k])
    )
