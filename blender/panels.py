"""The panels: in the 3D view's sidebar, and the same in the dope sheet's."""

import bpy

from . import nla
from .engine_process import engine_command
from .operators.whole_body import moved_markers
from .preferences import preferred_engine
from .problem import Problem
from .retiming import armature_of
from .settings import offered


def _draw_method(layout, settings, method):
    """Draw a method's own settings, as the library declares them: what is advanced last."""
    known = offered(method)
    _draw_parameters(layout, settings, method, [p for p in known if not p["advanced"]])
    advanced = [p for p in known if p["advanced"]]
    if advanced:
        layout.label(text="Advanced")
        _draw_parameters(layout, settings, method, advanced)


def _draw_parameters(layout, settings, method, parameters):
    group = getattr(settings, method)
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    for p in parameters:
        if p["optional"]:
            row = column.row(heading=p["label"])
            row.prop(group, f"use_{p['name']}", text="")
            value = row.row()
            value.active = getattr(group, f"use_{p['name']}")
            value.prop(group, p["name"], text="")
        else:
            column.prop(group, p["name"])


class _Panel:
    bl_category = "retime"
    bl_region_type = "UI"
    bl_options = {"DEFAULT_CLOSED"}


class _Main(_Panel):
    bl_label = "retime"
    bl_options = set()

    def draw(self, context):
        """Draw how things are applied."""
        layout, settings, manager = self.layout, context.scene.retime, context.window_manager
        if manager.retime_word:
            layout.progress(factor=manager.retime_share, text=manager.retime_word)
            layout.label(text="Esc cancels")
        try:
            armature = armature_of(context)
            layout.label(text=armature.name, icon="ARMATURE_DATA")
            if nla.track_of(armature) is not None:
                layout.operator("retime.remove", icon="X")
        except Problem as e:
            layout.label(text=str(e).partition(". ")[0], icon="INFO")
        try:
            engine_command(preferred_engine(context))
        except Problem:
            layout.operator("retime.install_engine", icon="IMPORT")
        layout.row().prop(settings, "apply", expand=True)
        layout.prop(settings, "part", text="")
        row = layout.row()
        row.prop(settings, "hold_feet")
        row.prop(settings, "smoothing")


class _Body(_Panel):
    bl_label = "Whole Body"
    bl_options = set()

    def draw(self, context):
        """Draw what retimes the whole body."""
        layout, settings = self.layout, context.scene.retime
        layout.prop(settings, "method", text="")
        layout.prop(settings, "frames")
        layout.operator("retime.to_length")
        layout.separator()
        row = layout.row(align=True)
        row.operator("retime.pin_markers", icon="PINNED")
        row.operator("retime.mark_poses", icon="MARKER")
        for name, old, new in moved_markers(context.scene):
            layout.label(text=f"{name}: {old} → {new}", icon="MARKER_HLT")
        layout.operator("retime.keytimes")
        layout.separator()
        layout.prop(settings, "reference", text="")
        layout.operator("retime.reference")
        layout.separator()
        row = layout.row(align=True)
        row.operator("retime.import_warp")
        row.operator("retime.import_recipe")


class _Parts(_Panel):
    bl_label = "Parts"

    def draw(self, context):
        """Draw what retimes parts."""
        layout = self.layout
        row = layout.row(align=True)
        earlier = row.operator("retime.shift", text="Earlier", icon="TRIA_LEFT")
        earlier.shift = -4
        later = row.operator("retime.shift", text="Later", icon="TRIA_RIGHT")
        later.shift = 4
        layout.operator("retime.stagger")
        layout.operator("retime.succession")
        layout.operator("retime.exaggerate")
        layout.operator("retime.hold_feet")


class _Check(_Panel):
    bl_label = "Check"

    def draw(self, context):
        """Draw what a check found."""
        layout, settings = self.layout, context.scene.retime
        row = layout.row(align=True)
        row.operator("retime.check")
        row.operator("retime.clear_marks", text="", icon="X")
        column = layout.column(align=True)
        for line in settings.measures:
            row = column.row()
            row.label(text=line.name)
            row.label(text=line.text)


class _Carried(_Panel):
    bl_label = "Takes Along"

    def draw(self, context):
        """Draw what goes along."""
        layout, settings = self.layout, context.scene.retime
        for name in ("shape_keys", "children", "others", "markers", "scene_range", "mute"):
            layout.prop(settings, name)
        layout.prop(settings, "shared")
        row = layout.row(align=True)
        row.prop(settings, "refine")
        row.prop(settings, "tolerance")


class _Advanced(_Panel):
    bl_label = "Method Settings"

    def draw(self, context):
        """Draw every method's own settings."""
        settings = context.scene.retime
        for method in (settings.method, "surface", "stagger", "hold", "smooth", "align"):
            box = self.layout.box()
            box.label(text=method.capitalize())
            _draw_method(box, settings, method)


def _made(space, short):
    """Make the panels of one editor."""
    out, first = [], None
    for part in (_Main, _Body, _Parts, _Check, _Carried, _Advanced):
        name = f"RETIME_PT_{short}{part.__name__.lower()}"
        fields = {"bl_space_type": space, "bl_idname": name}
        if first is not None:
            fields["bl_parent_id"] = first
        out.append(type(name, (part, bpy.types.Panel), fields))
        first = first or name
    return out


CLASSES = (*_made("VIEW_3D", "view"), *_made("DOPESHEET_EDITOR", "dope"))
