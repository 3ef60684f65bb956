"""Motions of MikuMikuDance (.vmd): retimed in place, on whole frames."""

from __future__ import annotations

from retime.io.vmd.reader import companions, read_motion
from retime.io.vmd.writer import write_motion

__all__ = ["companions", "read_motion", "write_motion"]
