"""retime: edit when things happen in a character's motion.

Every timing edit is a :class:`TimeWarp`, a map from output time to source time, for the whole
body or per joint; warps compose, and the motion is resampled once, at the end.

Public names are listed in ``__init__.pyi`` and imported on first use: ``import retime`` does not
load numpy.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
