"""FBX, the format of film and game pipelines.

One animation (stack) is read as a motion, evaluated by ufbx. The same file is written with new
timing: the keys of its curves move by the warp, keys are added only where it bends between them,
and everything else stays byte for byte. Joints whose values were edited are baked.
"""

from retime.io.fbx.reader import contents, read_motion, read_motions
from retime.io.fbx.writer import write_motion, write_motions

__all__ = ["contents", "read_motion", "read_motions", "write_motion", "write_motions"]
