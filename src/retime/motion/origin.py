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
    """The file that a motion came from, and the warp that led from it to this motion."""

    format: str
    """Name of the format."""
    path: str
    """Where it was read."""
    sha256: str
    """Hash of the file's bytes."""
    kept: Any
    """What the format's own module kept of the file, for writing it back."""
    warp: TimeWarp | None = None
    """From this motion's time to the file's; ``None`` while nothing was retimed."""
    delivered: Tracks | None = None
    """The tracks as reading or evaluation left them: rotations, translations, scales. Others were
    put in their place since, by hand. Kept for formats that retime files in place.
    """
    touched: Touched | TouchedLater = Touched()
    """Joints that evaluation edited, beyond moving them in time."""
    made_of: Origin | None = None
    """What the file itself says that it was made of."""
