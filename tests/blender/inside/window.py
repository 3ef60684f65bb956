"""In a Blender with a window: retime by the button, take a picture, undo."""

import contextlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bpy
import scenes


def start():
    """Open a scene with the sidebar on the panel."""
    scenes.install()
    scenes.make_base()
    armature = scenes.choose(bpy.context.scene.objects["16_06"])
    for area in bpy.context.window.screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.show_region_ui = True
            for region in area.regions:
                if region.type == "UI" and hasattr(region, "active_panel_category"):
                    bpy.app.timers.register(lambda r=region: _show(r), first_interval=1.0)
    bpy.app.timers.register(lambda: retime(armature.name), first_interval=2.0)


def _show(region):
    with contextlib.suppress(AttributeError, TypeError):  # older ones choose no tab from Python
        region.active_panel_category = "Retime"


def retime(name):
    """Press the button; its timer does the rest."""
    area = next(a for a in bpy.context.window.screen.areas if a.type == "VIEW_3D")
    with bpy.context.temp_override(area=area, region=area.regions[-1]):
        bpy.ops.retime.to_length("INVOKE_DEFAULT", True, frames=300, method="spline")
    bpy.app.timers.register(lambda: finished(name), first_interval=1.0)


def finished(name):
    """Wait for the result, then take a picture and leave."""
    last = scenes.part("actions").animation_of(bpy.data.objects[name]).frame_range[1]
    if last > 310:
        return 0.5
    bpy.ops.screen.screenshot(filepath=str(Path(os.environ["RETIME_OUT"]) / "window.png"))
    print("WINDOW retimed", last, flush=True)
    scenes.part("engine_process").stop_engine()
    bpy.ops.wm.quit_blender()
    return None


start()
