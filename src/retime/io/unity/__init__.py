"""Animation clips of Unity (.anim, YAML text): retimed in place."""

from __future__ import annotations

from retime.io.unity.reader import read_motion
from retime.io.unity.writer import write_motion

__all__ = ["read_motion", "write_motion"]
