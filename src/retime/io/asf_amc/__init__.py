"""Acclaim's ASF and AMC: a skeleton in one file, its motion in another.

A bone rotates at its start, about axes of its own; so every bone is a joint at its start without a
rest rotation, and leaves have end sites. A motion that was read from an AMC is written back through
the degrees of freedom of its skeleton.
"""

from retime.io.asf_amc.reader import companions, read_motion
from retime.io.asf_amc.writer import write_motion

__all__ = ["companions", "read_motion", "write_motion"]
