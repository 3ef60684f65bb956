"""Acclaim's ASF and AMC: a skeleton in one file, its motion in another.

A bone rotates at its start, about its own axes. So every bone becomes a joint at its start without
a rest rotation, and leaves get end sites. A motion that was read from an AMC is written back
through the degrees of freedom of its skeleton.
"""

from retime.io.asf_amc.reader import companions, read_motion
from retime.io.asf_amc.writer import write_motion

__all__ = ["companions", "read_motion", "write_motion"]
