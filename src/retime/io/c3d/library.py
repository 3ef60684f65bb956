"""The C3D library, which runs in a process of its own."""

from __future__ import annotations

from pathlib import Path

from retime.io.apart import Apart

__all__ = ["LIBRARY"]

LIBRARY = Apart(Path(__file__).with_name("child.py"), module="ezc3d", extra="c3d", kind="C3D")
