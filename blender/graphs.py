"""Warps in frames, from the engine's file, ready to move keys. Only numpy is needed."""

import json

import numpy as np

from .problem import Problem

# Output times this near are one instant, and so are source times: in frames.
_SAME = 1e-6


class Graph:
    """A monotone piecewise linear curve from output frames to source frames.

    Beyond its ends it goes on at the source's speed, so that keys outside the clip stay outside.
    A flat stretch is a hold, a vertical one a cut.
    """

    def __init__(self, x, y):
        self.x, self.y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        self.backwards = bool(self.y[-1] < self.y[0])

    @property
    def is_identity(self):
        """Whether source frame t shows at output frame t."""
        return bool(np.allclose(self.x, self.y, rtol=0, atol=_SAME))

    @property
    def is_straight(self):
        """Whether time runs at one speed throughout, forwards."""
        if self.backwards or len(self.x) < 2 or self.x[-1] <= self.x[0]:
            return False
        straight = np.interp(self.x, self.x[[0, -1]], self.y[[0, -1]])
        return bool(np.allclose(straight, self.y, rtol=0, atol=1e-4)) and not self.is_still

    @property
    def is_still(self):
        """Whether all of it is one moment of the source."""
        return bool(abs(self.y[-1] - self.y[0]) < _SAME)

    def source(self, frames):
        """Map output frames to source frames; at a cut, the value before it."""
        frames = np.asarray(frames, dtype=float)
        inside = _interpolated(frames, self.x, self.y)
        way = -1.0 if self.backwards else 1.0
        inside = np.where(frames < self.x[0], self.y[0] + way * (frames - self.x[0]), inside)
        return np.where(frames > self.x[-1], self.y[-1] + way * (frames - self.x[-1]), inside)

    def output(self, frames):
        """Map source frames to output frames; at a hold, its start."""
        frames = np.asarray(frames, dtype=float)
        if self.is_still:
            return np.where(frames <= self.y[0], frames - self.y[0] + self.x[0],
                            frames - self.y[0] + self.x[-1])  # fmt: skip
        x, y = (self.x[::-1], self.y[::-1]) if self.backwards else (self.x, self.y)
        way = -1.0 if self.backwards else 1.0
        inside = _interpolated(frames, y, x)
        inside = np.where(frames < y[0], x[0] + way * (frames - y[0]), inside)
        return np.where(frames > y[-1], x[-1] + way * (frames - y[-1]), inside)


def _interpolated(t, x, y):
    """Interpolate; where x repeats, the value before the jump."""
    k = np.clip(np.searchsorted(x, t, side="left"), 1, len(x) - 1)
    x0, x1, y0, y1 = x[k - 1], x[k], y[k - 1], y[k]
    width = np.where(x1 > x0, x1 - x0, 1.0)
    return y0 + np.clip((t - x0) / width, 0.0, 1.0) * (y1 - y0)


class Warp:
    """A warp in scene frames: one graph for the body, others for the channels that differ."""

    def __init__(self, body, channels, loop, notes):
        self.body, self.channels, self.loop, self.notes = body, channels, loop, notes

    @classmethod
    def read(cls, path, first, fps):
        """Read a warp file whose second 0 is the scene's frame ``first``."""
        try:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        except (OSError, ValueError, RecursionError) as e:
            raise Problem(f"The warp {path} cannot be read: {e}") from None

        def graph(knots):
            return Graph(first + fps * np.array(knots["output"]),
                         first + fps * np.array(knots["source"]))  # fmt: skip

        channels = {n: graph(k) for n, k in document.get("channels", {}).items()}
        if "output" in document:
            body = graph(document)
        else:
            ends = [min(g.x[0] for g in channels.values()), max(g.x[-1] for g in channels.values())]
            body = Graph(ends, ends)
        return cls(body, channels, document.get("loop", False), document.get("notes", []))

    @property
    def is_identity(self):
        """Whether nothing moves."""
        return self.body.is_identity and all(g.is_identity for g in self.channels.values())

    @property
    def output_range(self):
        """First and last output frame over all channels."""
        graphs = [self.body, *self.channels.values()]
        return min(g.x[0] for g in graphs), max(g.x[-1] for g in graphs)

    @property
    def source_range(self):
        """Earliest and latest source frame over all channels."""
        graphs = [self.body, *self.channels.values()]
        return min(g.y.min() for g in graphs), max(g.y.max() for g in graphs)

    def of(self, channel):
        """Return the graph that a channel follows; ``None`` is the body."""
        return self.body if channel is None else self.channels.get(channel, self.body)
