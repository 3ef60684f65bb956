"""Nodes that a VRM or VRMA file declares: of roles, such as the left foot, and of expressions."""

from __future__ import annotations

import re
from typing import Any

from retime.coercion import is_whole
from retime.io.gltf.document import Document

# VRM names that differ from our roles after splitting at capitals.
_WORDS = {"left_toes": "left_toe", "right_toes": "right_toe"}
# The extension of VRMA files.
_ANIMATION = "VRMC_vrm_animation"
_ROLES = re.compile(
    r"hips|spine|chest|upper_chest|neck|head"
    r"|(left|right)_(shoulder|upper_arm|lower_arm|hand|upper_leg|lower_leg|foot|toe)"
)


def humanoid_roles(document: Document) -> dict[str, int]:
    """Return nodes by role, as VRM 0, VRM 1 or VRMA declares them."""
    out: dict[str, int] = {}
    for name in ("VRM", "VRMC_vrm", _ANIMATION):  # the newer version takes precedence
        for bone, node in _bones(_below(document.json, "extensions", name)):
            role = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", bone).lower()
            role = _WORDS.get(role, role)
            if _ROLES.fullmatch(role) and is_whole(node):
                out[role] = node
    return out


def nodes_of_values(document: Document) -> set[int]:
    """Return the nodes of a VRMA file whose tracks are numbers: of expressions and of the gaze."""
    own = _below(document.json, "extensions", _ANIMATION)
    kinds = [_below(own, "expressions", kind) for kind in ("preset", "custom")]
    named = [entry for kind in kinds if isinstance(kind, dict) for entry in kind.values()]
    nodes = (_below(entry, "node") for entry in (*named, _below(own, "lookAt")))
    return {node for node in nodes if is_whole(node)}


def _below(value: Any, *names: str) -> Any:
    """Return a value inside objects, ``None`` where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _bones(extension: Any) -> list[tuple[str, Any]]:
    """List bones and nodes: an object by bone in VRM 1, a list of objects in VRM 0."""
    found = _below(extension, "humanoid", "humanBones")
    if isinstance(found, dict):
        return [(str(b), e.get("node")) for b, e in found.items() if isinstance(e, dict)]
    if isinstance(found, list):
        return [(str(e.get("bone")), e.get("node")) for e in found if isinstance(e, dict)]
    return []
