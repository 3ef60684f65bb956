"""The extension's preferences: where the engine is."""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from .engine_process import engine_command, engine_folder, python_of
from .install import has_packages
from .problem import Problem


class RETIME_AP_preferences(bpy.types.AddonPreferences):
    """Preferences."""

    bl_idname = __package__

    engine: StringProperty(
        name="Engine",
        subtype="FILE_PATH",
        description="Existing installation of retime: its program, its Python, or the folder of "
        "its environment. Leave empty to use the one that Install Engine creates",
    )
    wheels: StringProperty(
        name="Wheels",
        subtype="DIR_PATH",
        description="Folder of wheels to install the engine from without network. Leave empty to "
        "use those in the extension",
    )

    def draw(self, context):
        """Draw them."""
        layout = self.layout
        layout.use_property_split = True
        manager = context.window_manager
        layout.prop(self, "engine")
        layout.prop(self, "wheels")
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
        if not bpy.app.online_access and not has_wheels(self.wheels):
            layout.label(text="Installing needs Allow Online Access (System)", icon="INTERNET")


def has_wheels(beside):
    """Return whether the engine can be installed without network."""
    folders = [Path(__file__).with_name("engine"), *([Path(beside)] if beside else [])]
    return has_packages(folders)


def wheels_beside(context):
    """Return the folder of wheels that the preferences name, or nothing."""
    addon = context.preferences.addons.get(__package__)
    given = addon.preferences.wheels if addon is not None and addon.preferences else ""
    return bpy.path.abspath(given) if given else ""


def preferred_engine(context):
    """Return the engine that the preferences name, or nothing."""
    addon = context.preferences.addons.get(__package__)
    return addon.preferences.engine if addon is not None and addon.preferences else ""
