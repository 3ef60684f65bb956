"""Acclaim's ASF and AMC: a skeleton in one file, its motion in another.

A bone's rotation acts at its start, about axes of its own; so every bone is a joint at its start,
its rest rotation is none, and leaves end in end sites. A motion that came from an AMC is written
back through the degrees of freedom that its skeleton allows.
"""

from retime.io.asf_amc.reader import companions, read_motion
from retime.io.asf_amc.writer import write_motion

__all__ = ["companions", "read_motion", "write_motion"]
