"""Keys of F-curves as arrays: read and written whole, never key by key."""

from itertools import pairwise

import numpy as np

# Kinds of interpolation, as Blender numbers them.
CONSTANT, LINEAR, BEZIER = 0, 1, 2
# Kinds of handles.
FREE, AUTO, VECTOR, ALIGNED, AUTO_CLAMPED = 0, 1, 2, 3, 4
EASE_IN, EASE_OUT = 1, 2

_POINTS = ("co", "handle_left", "handle_right")
_NUMBERS = ("interpolation", "easing", "handle_left_type", "handle_right_type", "type")
_VALUES = ("back", "amplitude", "period")
_FLAGS = ("select_control_point", "select_left_handle", "select_right_handle")
_KINDS = {
    **dict.fromkeys(_NUMBERS, np.int32),
    **dict.fromkeys(_VALUES, np.float32),
    **dict.fromkeys(_FLAGS, bool),
}
# All that a key has, and what moving it alone may change.
WHOLE = (*_POINTS, *_KINDS)
PLACES = (*_POINTS, "handle_left_type", "handle_right_type")


class Keys:
    """Keys of one F-curve, or of several one after the other: equally long arrays by name.

    Those that were not read are not written: a curve keeps them, as long as it keeps its keys.
    """

    def __init__(self, arrays):
        self.arrays = arrays

    def __len__(self):
        return len(self.arrays["co"])

    def __getattr__(self, name):
        try:
            return self.__dict__["arrays"][name]
        except KeyError:
            raise AttributeError(name) from None

    def take(self, places):
        """Return copies of the keys at these places, in this order."""
        return Keys({n: a[places].copy() for n, a in self.arrays.items()})

    def part(self, start, end):
        """Return a view of some keys in a row."""
        return Keys({n: a[start:end] for n, a in self.arrays.items()})

    @classmethod
    def read(cls, curve, names=WHOLE):
        """Read all keys of an F-curve, or only some of what they have."""
        return cls.read_all([curve], names)[0]

    @classmethod
    def read_all(cls, curves, names=WHOLE):
        """Read the keys of F-curves, one after the other; return them, and the span of each."""
        starts = np.cumsum([0, *(len(c.keyframe_points) for c in curves)]).tolist()
        spans = list(pairwise(starts))
        arrays = {}
        for name in names:
            # One array for all: Blender fills parts of it, and it is converted once.
            size, kind = (2, np.float32) if name in _POINTS else (1, _KINDS[name])
            values = np.empty(size * starts[-1], dtype=kind)
            for curve, (start, end) in zip(curves, spans, strict=True):
                curve.keyframe_points.foreach_get(name, values[size * start : size * end])
            arrays[name] = values.reshape(-1, 2).astype(float) if size == 2 else values
        return cls(arrays), spans

    @classmethod
    def made(cls, frames, values, interpolation=LINEAR):
        """Make keys of one kind, their handles a third of the way to their neighbours."""
        co = np.stack([frames, values], axis=1).astype(float)
        n = len(co)
        step = np.diff(co, axis=0) / 3 if n > 1 else np.zeros((0, 2))
        out = np.concatenate([step, step[-1:]]) if n > 1 else np.array([[1.0, 0.0]])
        into = np.concatenate([step[:1], step]) if n > 1 else np.array([[1.0, 0.0]])
        arrays = {"co": co, "handle_left": co - into, "handle_right": co + out}
        arrays |= {name: np.zeros(n, dtype=kind) for name, kind in _KINDS.items()}
        arrays["interpolation"][:] = interpolation
        return cls(arrays)

    @classmethod
    def joined(cls, parts):
        """Put keys one after the other."""
        return cls({n: np.concatenate([p.arrays[n] for p in parts]) for n in parts[0].arrays})

    def write(self, curve):
        """Put these keys in the place of all keys of an F-curve."""
        points = curve.keyframe_points
        count, n = len(points), len(self)
        if n < count:
            points.clear()
            count = 0
        if n > count:
            points.add(n - count)
        # Kinds before places: Blender brings handles in line as soon as their kind asks for it.
        for name, values in self.arrays.items():
            if name not in _POINTS:
                points.foreach_set(name, np.ascontiguousarray(values))
        for name in _POINTS:
            points.foreach_set(name, self.arrays[name].astype(np.float32).ravel())
        curve.update()


def snapped(keys):
    """Put keys on whole frames, their handles along; return them, and how many stay between.

    Of keys that share their nearest frame the nearest gets it; the others stay where they are.
    """
    frames = keys.co[:, 0]
    whole = np.round(frames)
    off = np.abs(whole - frames)
    order = np.argsort(off, kind="stable")
    first = np.zeros(len(frames), dtype=bool)
    first[order[np.unique(whole[order], return_index=True)[1]]] = True
    moved = np.where(first, whole, frames)
    out = Keys({n: a.copy() for n, a in keys.arrays.items()})
    for name in _POINTS:
        out.arrays[name][:, 0] += moved - frames
    return out, int((~first & (off > 1e-4)).sum())
