"""Pose layers: value edits (changes of pose) keyed in the input time of the step that made them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from retime import _native
from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InputError
from retime.one_line import one_line

_KINDS = ("rotations", "translations", "scales")
Sampled = tuple[FloatArray, dict[str, FloatArray], dict[str, FloatArray]]


@one_line()
@dataclass(frozen=True, eq=False)
class PoseLayer(ReadOnlyArrays):
    """Changes of pose, linear between their keys and zero outside them.

    Parameters
    ----------
    times : array (K,)
        Key times in seconds, rising, in the step's input time.
    rotations : mapping of str to array (K, 3)
        Rotation vectors per joint, in the parent's frame: they multiply the joint's rotation from
        the left. They are vectors, so that edits of more than half a turn can be scaled.
    translations : mapping of str to array (K, 3)
        Added to a joint's translation, in the file's units.
    scales : mapping of str to array (K, 3)
        Logarithms of the factors on a joint's scale.
    """

    times: FloatArray
    rotations: Mapping[str, FloatArray] = field(default_factory=dict)
    translations: Mapping[str, FloatArray] = field(default_factory=dict)
    scales: Mapping[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        times = read_only(self.times, (None,), "a pose layer's times", may_be_nan=True)
        if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise InputError("a pose layer's times must be finite and rise")
        object.__setattr__(self, "times", times)
        for kind in _KINDS:
            if not isinstance(getattr(self, kind), Mapping):
                raise InputError(f"a pose layer's {kind} must be given by joint")
            tracks = {}
            for name, values in getattr(self, kind).items():
                what = f"a pose layer's {kind} of {name!r}"
                tracks[name] = read_only(values, (len(times), 3), what)
            object.__setattr__(self, kind, MappingProxyType(tracks))

    def to_document(self) -> dict[str, Any]:
        """Return the layer for JSON; empty kinds are left out."""
        kinds = {kind: getattr(self, kind) for kind in _KINDS}
        tracks = {k: {n: v.tolist() for n, v in t.items()} for k, t in kinds.items() if t}
        return {"times": self.times.tolist(), **tracks}

    @classmethod
    def from_document(cls, document: Any) -> PoseLayer:
        """Make a layer from a JSON object."""
        if not isinstance(document, Mapping) or "times" not in document:
            raise InputError('a pose layer needs "times"')
        unknown = set(document) - {"times", *_KINDS}
        if unknown:
            raise InputError(f"a pose layer has no {sorted(unknown)[0]!r}")
        return cls(**document)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that it changes."""
        return tuple(dict.fromkeys([*self.rotations, *self.translations, *self.scales]))

    def at(self, t: FloatArray, values: FloatArray) -> FloatArray:
        """Interpolate a track of this layer, ``(K, 3)`` to ``(F, 3)``; zero outside the keys."""
        if np.array_equal(t, self.times[: len(t)]):
            return values[: len(t)]
        return np.stack(
            [np.interp(t, self.times, values[:, k], left=0.0, right=0.0) for k in range(3)], axis=-1
        )

    def lasting(self, seconds: float) -> PoseLayer:
        """Return the layer with its last key held for longer."""
        tracks = {
            kind: {n: np.concatenate([t, t[-1:]]) for n, t in getattr(self, kind).items()}
            for kind in _KINDS
        }
        return PoseLayer(np.r_[self.times, self.times[-1] + seconds], **tracks)

    def add_to(
        self,
        sampled: Sampled,
        names: Mapping[str, int],
        time_of: Callable[[str, bool], FloatArray],
        rest: Callable[[str], tuple[FloatArray, FloatArray]],
        weight: float,
    ) -> Sampled:
        """Add the layer to sampled transforms.

        Parameters
        ----------
        sampled : (rotations (F, J, 4), translations, scales)
            What the source gave at the frames' source times.
        names : mapping of str to int
            Joint indices.
        time_of : callable
            ``(joint, is_translation)`` to the frames' times (F,) in this layer's time.
        rest : callable
            Joint to its rest translation and scale, where it has no track yet.
        weight : float
            Fraction of the change.
        """
        rotations, translations, scales = sampled
        translations, scales = dict(translations), dict(scales)
        if self.rotations:
            turns = np.stack(
                [self.at(time_of(name, False), v) for name, v in self.rotations.items()], axis=1
            )
            turns *= weight
            joints = np.array([names[name] for name in self.rotations], dtype=np.int64)
            rotations = _native.motion.turn_rotations(rotations, joints, turns)
        for name, values in self.translations.items():
            base = translations.get(name, rest(name)[0])
            translations[name] = base + weight * self.at(time_of(name, True), values)
        for name, values in self.scales.items():
            base = scales.get(name, rest(name)[1])
            scales[name] = base * np.exp(weight * self.at(time_of(name, False), values))
        return rotations, translations, scales


@one_line()
@dataclass(frozen=True, eq=False)
class GroundShift(ReadOnlyArrays):
    """Displacement of contacts with the ground, after a step that changes the path of the body."""

    times: FloatArray
    """Seconds, rising, in the step's output time. Shape (K,)."""
    everywhere: FloatArray
    """Displacement of the ground under the body, metres with Y up. Shape (K, 3)."""
    joints: Mapping[str, FloatArray] = field(default_factory=dict)
    """That under single joints; constant while they are in contact. Shape (K, 3) each."""

    def __post_init__(self) -> None:
        times = read_only(self.times, (None,), "times of the ground")
        object.__setattr__(self, "times", times)
        shape = (len(times), 3)
        object.__setattr__(self, "everywhere", read_only(self.everywhere, shape, "the ground"))
        joints = {n: read_only(t, shape, f"the ground of {n!r}") for n, t in self.joints.items()}
        object.__setattr__(self, "joints", MappingProxyType(joints))

    def at(self, t: FloatArray, joint: str) -> FloatArray:
        """Return the displacement (N, 3) under a joint at times (N,); the ends are held."""
        track = self.joints.get(joint, self.everywhere)
        return np.stack([np.interp(t, self.times, track[:, k]) for k in range(3)], axis=-1)
