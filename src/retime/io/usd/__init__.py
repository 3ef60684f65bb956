"""USD, the format of film and shared scenes (``.usda``, ``.usdc``, ``.usd``, ``.usdz``).

One skeletal animation of a stage, or the prims that move where there is none, is read as a motion.
What comes back is the same first layer with new time samples, or a thin layer over it. USD itself
runs in a process of its own: ``stages``, ``posing``, ``retiming``, ``building`` and ``assets``
belong to that, all else to retime's.
"""

from retime.io.usd.reader import contents, read_motion, read_motions
from retime.io.usd.writer import write_motion, write_motions

__all__ = ["contents", "read_motion", "read_motions", "write_motion", "write_motions"]
