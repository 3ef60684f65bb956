"""The C3D library, which runs in a separate process."""

from __future__ import annotations

from pathlib import Path

from retime.process.library import IsolatedLibrary

LIBRARY = IsolatedLibrary(
    Path(__file__).with_name("child.py"), module="ezc3d", extra="c3d", kind="C3D", at_work=1.0
)
