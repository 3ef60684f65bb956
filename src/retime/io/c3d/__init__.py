"""C3D: captured points, beside analog channels and events.

Points are no skeleton: each is a root of its own that only moves. What is retimed goes back into a
copy of the file; analog channels and events follow the first point. The library that reads and
writes the files is compiled code that damaged files crash, so it runs in a process of its own.
"""

from retime.io.c3d.reader import read_motion
from retime.io.c3d.writer import write_motion

__all__ = ["read_motion", "write_motion"]
