"""Whether an FBX file has a mesh that its joints move."""

from __future__ import annotations

from retime.io.as_read import kept_of
from retime.io.fbx.reader import Kept
from retime.motion import Motion


def is_skinned(motion: Motion) -> bool:
    """Return whether the motion's file has a geometry with a skin."""
    kept = kept_of(motion, Kept)
    if kept is None:
        return False
    document = kept.document
    return bool(document.of_kind(b"Geometry")) and bool(document.of_kind(b"Deformer"))
