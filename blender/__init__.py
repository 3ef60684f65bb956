"""retime for Blender: edit when things happen in a character's motion.

Heavy work runs in another process, a retime installation; what comes back is a warp, and poses
where values change. Here it is applied to F-curves as Blender has them.
"""

import atexit

import bpy

from . import operators, panels, settings
from .engine_process import stop_engine
from .preferences import RETIME_AP_preferences

_CLASSES = (RETIME_AP_preferences, *operators.CLASSES, *panels.CLASSES)


def register():
    """Add the extension to Blender."""
    settings.register()
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    atexit.register(stop_engine)


def unregister():
    """Take it away, and end its engine."""
    atexit.unregister(stop_engine)
    stop_engine()
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
    settings.unregister()
