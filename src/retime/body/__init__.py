"""Who: a figure's roles, limbs and contacts."""

from __future__ import annotations

from retime.body.body import LIMBS, ROLES, Body, Limb, LimbName, find_body, with_roles

from retime.body import contacts, ik, metrics  # isort: skip  # they import the names above

__all__ = [
    "LIMBS",
    "ROLES",
    "Body",
    "Limb",
    "LimbName",
    "contacts",
    "find_body",
    "ik",
    "metrics",
    "with_roles",
]
