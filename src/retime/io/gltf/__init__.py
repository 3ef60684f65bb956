"""glTF and GLB, the format of game and web characters.

One animation is read as a motion. The same file is written with new timing: key times move by the
warp, keys are added only where it bends between them, and everything else is unchanged. Joints
whose values were edited are baked. Other motions get a new file with a simple body.
"""

from retime.io.gltf.document import companions
from retime.io.gltf.reader import contents, read_motion, read_motions, skinned_nodes
from retime.io.gltf.writer import write_motion, write_motions

__all__ = [
    "companions",
    "contents",
    "read_motion",
    "read_motions",
    "skinned_nodes",
    "write_motion",
    "write_motions",
]
