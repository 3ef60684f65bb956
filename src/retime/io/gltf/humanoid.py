"""Roles that a VRM file declares, such as the node of the left foot."""

from __future__ import annotations

import re
from typing import Any

from retime.coercion import is_whole
from retime.io.gltf.document import Document

# VRM names that differ from our roles after splitting at capitals.
_WORDS = {"left_toes": "left_toe", "right_toes": "right_toe"}
_ROLES = re.compile(
    r"hips|spine|chest|upper_chest|neck|head"
    r"|(left|right)_(shoulder|upper_arm|lower_arm|hand|upper_leg|lower_leg|foot|toe)"
)


def humanoid_roles(document: Document) -> dict[str, int]:
    """Return nodes by role, as VRM 1 (``VRMC_vrm``) or VRM 0 (``VRM``) declares them."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict):
        return {}
    out: dict[str, int] = {}
    for name in ("VRM", "VRMC_vrm"):  # the newer version takes precedence
        for bone, node in _bones(extensions.get(name)):
            role = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", bone).lower()
            role = _WORDS.get(role, role)
            if _ROLES.fullmatch(role) and is_whole(node):
                out[role] = node
    return out


def _bones(extension: Any) -> list[tuple[str, Any]]:
    """List bones and nodes: an object by bone in VRM 1, a list of objects in VRM 0."""
    humanoid = extension.get("humanoid") if isinstance(extension, dict) else None
    found = humanoid.get("humanBones") if isinstance(humanoid, dict) else None
    if isinstance(found, dict):
        return [(str(b), e.get("node")) for b, e in found.items() if isinstance(e, dict)]
    if isinstance(found, list):
        return [(str(e.get("bone")), e.get("node")) for e in found if isinstance(e, dict)]
    return []
