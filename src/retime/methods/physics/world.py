"""The world and body of a timing, which may differ from those of the recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from retime.methods.physics.parameters import ModelParameters
from retime.parameters import build


@dataclass(frozen=True)
class World:
    """Gravity, masses, loads, strength and ground of a model."""

    gravity: Any
    mass_scale: tuple[tuple[str, float], ...]
    load: tuple[tuple[str, float], ...]
    centre_shift: tuple[tuple[str, tuple[float, float, float]], ...]
    strength: float
    friction: float

    @classmethod
    def of(cls, p: ModelParameters) -> World:
        """Return the world of a model's parameters."""
        values = {f.name: getattr(p, f.name) for f in fields(cls)}
        if isinstance(p.mass_scale, Mapping):
            values["mass_scale"] = tuple(p.mass_scale.items())
        return cls(**values)

    def changed(self, given: Mapping[str, Any]) -> World:
        """Return the world with the values that are not ``None`` replaced and checked."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values |= {n: v for n, v in given.items() if v is not None}
        return World.of(build(ModelParameters, values))
