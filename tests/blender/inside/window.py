"""In a Blender with a window: retime by the button, watch its progress, take pictures, undo."""

import os
import shutil
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bpy
import scenes

OUT = Path(os.environ["RETIME_OUT"])
EDITORS = {"VIEW_3D": "view", "GRAPH_EDITOR": "graph", "NLA_EDITOR": "nla"}


def story():
    """Do what a person does, and wait (seconds) in between."""
    scenes.install()
    yield 0.5  # the context has its window again
    scenes.fill_base()
    yield 0.5
    armature = scenes.choose(bpy.context.scene.objects["16_06"])
    name, before = armature.name, scenes.snapshot()
    area = _widest(bpy.context.window.screen.areas)
    for kind, short in EDITORS.items():
        area.type = kind
        yield from _sidebar(area)
        _picture(short)
    area.type = "VIEW_3D"
    yield from _sidebar(area)
    with _inside(area):
        bpy.ops.retime.to_length("INVOKE_DEFAULT", True, frames=300, method="guided")
    words = set()
    while bpy.context.window_manager.retime_word or not words:
        words.add(bpy.context.window_manager.retime_word)
        yield 0.05
    print("WINDOW words", sorted(words), flush=True)
    last = scenes.part("actions").animation_of(bpy.data.objects[name]).frame_range[1]
    print("WINDOW retimed", last, flush=True)
    print("WINDOW said", bpy.context.window_manager.retime_said.replace("\n", "; "), flush=True)
    yield 0.5
    _picture("retimed")
    with _inside(area):
        bpy.ops.ed.undo()
    yield 0.5
    print("WINDOW undone", scenes.snapshot() == before, flush=True)


def _widest(areas):
    return max(areas, key=lambda a: a.width * a.height)


def _inside(area):
    region = next(r for r in area.regions if r.type == "WINDOW")
    return bpy.context.temp_override(window=bpy.context.window, area=area, region=region)


def _sidebar(area):
    """Show the panel in the sidebar; its tab exists once the sidebar was drawn."""
    area.spaces.active.show_region_ui = True
    yield 0.5
    region = next(r for r in area.regions if r.type == "UI")
    if hasattr(region, "active_panel_category"):
        region.active_panel_category = "Retime"
    area.tag_redraw()
    yield 0.5


def _picture(name):
    # The screen itself: Blender's own screenshots are black where OpenGL is software.
    shutil.copy(os.environ["RETIME_SCREEN"], OUT / f"{name}.xwd")


def advance(steps):
    """Take the next step; after the last one, or a fault, leave."""
    try:
        return next(steps)
    except StopIteration:
        pass
    except BaseException:
        traceback.print_exc()
    engine = sys.modules.get(f"{scenes.NAME}.engine_process")
    if engine is not None:
        engine.stop_engine()
    bpy.ops.wm.quit_blender()
    return None


# A startup script runs before the window is drawn; a timer runs in it.
told = story()
bpy.app.timers.register(lambda: advance(told), first_interval=1.0, persistent=True)
