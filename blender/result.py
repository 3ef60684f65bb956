"""A result of the engine: the retimed motion, its warp and its notes."""

import json

import numpy as np

from .capture import composed
from .graphs import Warp
from .problem import Problem


class Result:
    """A retiming: what was sent, the files that came back, and what the engine said.

    The answer holds notes, figures and the joints whose values changed.
    """

    def __init__(self, capture, motion, warp, answer):
        self.capture = capture
        try:
            with np.load(motion, allow_pickle=False) as loaded:
                arrays = {name: loaded[name] for name in loaded.files}
            about = json.loads(arrays.pop("about").tobytes())
        except (OSError, ValueError, KeyError) as e:
            raise Problem(f"The engine's result cannot be read: {e}") from None
        self.warp = Warp.read(warp, capture.first, capture.fps)
        self.names = about["names"]
        self.rotations = arrays["rotations"]
        self._places = dict(zip(about["translations"], arrays["translations"], strict=True))
        self._sizes = dict(zip(about["scales"], arrays["scales"], strict=True))
        self._offsets = dict(zip(self.names, arrays["offsets"], strict=True))
        self.notes = answer.get("notes", [])
        self.about = answer.get("about", [])
        self.figures = answer.get("figures", {})
        self.joints = answer.get("joints", [])
        times = np.array(answer.get("bezier", []), dtype=float)
        self.bezier = (capture.first + capture.fps * times).tolist()

    def __len__(self):
        return len(self.rotations)

    @property
    def frames(self):
        """The scene's frames of the result, (F,)."""
        return self.capture.first + np.arange(len(self))

    @property
    def last(self):
        """The scene's last frame of the result."""
        return self.capture.first + len(self) - 1

    def local(self, name):
        """Return a joint's matrices (F, 4, 4) relative to its parent."""
        count = len(self)
        places = self._places.get(name, np.tile(self._offsets[name], (count, 1)))
        sizes = self._sizes.get(name, np.ones((count, 3)))
        return composed(places, self.rotations[:, self.names.index(name)], sizes)

    def offset(self, name):
        """Return a joint's place at rest, relative to its parent."""
        return self._offsets[name]

    def moves(self, name):
        """Return whether a joint's translation ever differs from its rest."""
        return name in self._places

    def grows(self, name):
        """Return whether a joint has scales of its own."""
        return name in self._sizes
