"""The extension's preferences: where the engine is."""

import bpy
from bpy.props import StringProperty

from .engine_process import engine_command, engine_folder, python_of
from .problem import Problem


class RETIME_AP_preferences(bpy.types.AddonPreferences):
    """Preferences."""

    bl_idname = __package__

    engine: StringProperty(
        name="Engine",
        subtype="FILE_PATH",
        description="A retime that is installed already: its program, its Python, or its "
        "environment's folder. Left empty, the one that Install Engine makes",
    )

    def draw(self, context):
        """Draw them."""
        layout = self.layout
        manager = context.window_manager
        layout.prop(self, "engine")
        row = layout.row()
        installed = python_of(engine_folder()) is not None
        row.operator(
            "retime.install_engine", text="Install Engine Again" if installed else "Install Engine"
        )
        if manager.retime_word:
            row.progress(factor=manager.retime_share, text=manager.retime_word)
        try:
            layout.label(text="Engine: " + " ".join(engine_command(self.engine)), icon="CHECKMARK")
        except Problem as e:
            layout.label(text=str(e).partition(". ")[0], icon="ERROR")
        if not bpy.app.online_access:
            layout.label(text="Installing needs Allow Online Access (System)", icon="INTERNET")


def preferred_engine(context):
    """Return the engine that the preferences name, or nothing."""
    addon = context.preferences.addons.get(__package__)
    return addon.preferences.engine if addon is not None and addon.preferences else ""
