"""BVH, the common exchange format of motion capture.

Position channels replace a joint's offset, as in nearly all programs. A file that is written back
unedited keeps its digits; a retimed one keeps its names, channel orders and offsets, and its
angles stay on the side of every wrap on which the file had them.
"""

from retime.io.bvh.reader import read_motion
from retime.io.bvh.writer import write_motion

__all__ = ["read_motion", "write_motion"]
