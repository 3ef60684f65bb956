"""FBX, the format of film and game pipelines.

One animation (stack) is read as a motion, evaluated by ufbx. What comes back is the same file with
new timing: the keys of its curves move by the warp, keys are added only where it bends between
them, and all else stays byte for byte. Where values were edited, the joints concerned are baked.
"""

from retime.io.fbx.reader import contents, read_motion, read_motions
from retime.io.fbx.writer import write_motion, write_motions

__all__ = ["contents", "read_motion", "read_motions", "write_motion", "write_motions"]
