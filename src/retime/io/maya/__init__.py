"""Animation files of Maya (.anim): retimed in place."""

from __future__ import annotations

from retime.io.maya.document import recognises
from retime.io.maya.reader import read_motion
from retime.io.maya.writer import write_motion

__all__ = ["read_motion", "recognises", "write_motion"]
