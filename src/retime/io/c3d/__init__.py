"""C3D: captured points, beside analog channels and events.

Points are not a skeleton: each is a root that only translates. A retimed motion is written into a
copy of the file; analog channels and events follow the first point. The library that reads and
writes the files is compiled code that damaged files crash, so it runs in a separate process.
"""

from retime.io.c3d.reader import read_motion
from retime.io.c3d.writer import write_motion

__all__ = ["read_motion", "write_motion"]
