"""Who moves: a motion comes in; its body, contacts, poses that reach goals, and measures go out.

``model`` finds roles and limbs, ``contacts`` what touches, ``solve`` moves limbs and bodies to
goals, ``measure`` judges; each uses only those named before it. Names are imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
