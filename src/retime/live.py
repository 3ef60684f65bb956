"""Follow a performer in real time, and judge a performance's timing: the public names."""

from __future__ import annotations

from retime.methods.live import *  # noqa: F403
from retime.methods.live import __all__ as __all__
