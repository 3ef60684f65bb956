"""Origins: the file that a motion came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from retime.motion.touched import Touched, TouchedLater, Tracks
from retime.one_line import one_line
from retime.timing import TimeWarp


@one_line(lambda o: [o.format, repr(o.path)])
@dataclass(frozen=True, eq=False)
class Origin:
    """The file that a motion came from, and the warp between them."""

    format: str
    """Name of the format."""
    path: str
    """Path of the file."""
    sha256: str
    """Hash of the file's bytes."""
    kept: Any
    """Data that the format needs to write the file back."""
    warp: TimeWarp | None = None
    """Warp from the time of the motion to that of the file; ``None`` if it was not retimed."""
    delivered: Tracks | None = None
    """Rotations, translations and scales after reading or evaluation. Formats that retime files in
    place compare them with the motion's, to find later edits.
    """
    touched: Touched | TouchedLater = Touched()
    """Joints that evaluation edited, beyond moving them in time."""
    made_of: Origin | None = None
    """Source of the file, if the file records it."""
