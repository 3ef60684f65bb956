"""The world and body that a timing is made for: what may differ from the recording's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from retime.methods.physics.parameters import ModelParameters
from retime.parameters import build

__all__ = ["World"]


@dataclass(frozen=True)
class World:
    """Gravity, masses, loads, strength and ground, as parameters of a model declare them."""

    gravity: Any
    mass_scale: tuple[tuple[str, float], ...]
    load: tuple[tuple[str, float], ...]
    centre_shift: tuple[tuple[str, tuple[float, float, float]], ...]
    strength: float
    friction: float

    @classmethod
    def of(cls, p: ModelParameters) -> World:
        """Return those of a model's parameters."""
        values = {f.name: getattr(p, f.name) for f in fields(cls)}
        if isinstance(p.mass_scale, Mapping):
            values["mass_scale"] = tuple(p.mass_scale.items())
        return cls(**values)

    def changed(self, given: Mapping[str, Any]) -> World:
        """Return the same with what is given and not ``None``, checked as parameters are."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values |= {n: v for n, v in given.items() if v is not None}
        return World.of(build(ModelParameters, values))
