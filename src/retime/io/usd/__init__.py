"""USD, the format of film and shared scenes (``.usda``, ``.usdc``, ``.usd``, ``.usdz``).

One skeletal animation of a stage, or the prims that move if there is none, is read as a motion.
The same root layer is written with new time samples, or a small layer over it. USD itself runs in a
separate process: ``stages``, ``posing``, ``retiming``, ``building`` and ``assets`` belong to that,
everything else to retime's.
"""

from retime.io.usd.reader import contents, read_motion, read_motions
from retime.io.usd.writer import write_motion, write_motions

__all__ = ["contents", "read_motion", "read_motions", "write_motion", "write_motions"]
