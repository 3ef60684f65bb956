"""The panels, in the sidebars of the 3D view, dope sheet, graph editor and NLA."""

import bpy

from . import nla
from .actions import animation_of
from .declared import offered, title
from .engine_process import engine_command
from .operators.whole_body import moved_markers
from .preferences import preferred_engine
from .problem import Problem
from .retiming import armature_of


def _draw_method(layout, settings, method):
    """Draw the settings of a method as the library declares them, with advanced ones folded."""
    known = offered(method)
    _draw_parameters(layout, settings, method, [p for p in known if not p["advanced"]])
    advanced = [p for p in known if p["advanced"]]
    if advanced:
        header, body = layout.panel(f"retime_{method}_advanced", default_closed=True)
        header.label(text="Advanced")
        if body is not None:
            _draw_parameters(body, settings, method, advanced)


def _draw_parameters(layout, settings, method, parameters):
    group = getattr(settings, method)
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    for p in parameters:
        if p["optional"]:
            row = column.row(heading=title(p["label"]), align=True)
            row.prop(group, f"use_{p['name']}", text="")
            value = row.row(align=True)
            value.active = getattr(group, f"use_{p['name']}")
            value.prop(group, p["name"], text="")
        else:
            row = column.row(align=True)
            row.prop(group, p["name"])
        if p.get("presets"):
            row.prop(group, f"{p['name']}_preset", text="", icon_only=True, icon="PRESET")


# The editors that have the panels, and what their names start with.
EDITORS = {
    "VIEW_3D": "view",
    "DOPESHEET_EDITOR": "dope",
    "GRAPH_EDITOR": "graph",
    "NLA_EDITOR": "nla",
}
# The methods' settings by what the buttons that use them are called.
_HEADINGS = {
    "surface": "Earlier and Later",
    "stagger": "Stagger, Succession, Exaggerate",
    "hold": "Hold Feet",
    "align": "Same Take",
    "sync": "Sync to Beats",
    "tween": "Tween and Ease",
    "secondary": "Secondary Motion",
}
_WITH_SETTINGS = ("surface", "stagger", "tween", "secondary", "sync", "hold", "smooth", "align")


class _Panel:
    bl_category = "Retime"
    bl_region_type = "UI"
    bl_options = {"DEFAULT_CLOSED"}


class _Main(_Panel):
    bl_label = "Retime"
    bl_options = set()

    def draw(self, context):
        """Draw how things are applied."""
        layout, settings, manager = self.layout, context.scene.retime, context.window_manager
        if manager.retime_word:
            layout.progress(factor=manager.retime_share, text=manager.retime_word)
            layout.label(text="Esc to cancel")
        try:
            armature = armature_of(context)
            row = layout.row()
            row.label(text=armature.name, icon="ARMATURE_DATA")
            animated = animation_of(armature)
            if animated is not None:
                row.label(text=animated.action.name, icon="ACTION")
            if nla.track_of(armature) is not None:
                layout.operator("retime.remove", icon="X")
        except Problem as e:
            layout.label(text=str(e).partition(". ")[0], icon="INFO")
        try:
            engine_command(preferred_engine(context))
        except Problem:
            layout.operator("retime.install_engine", icon="IMPORT")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "apply")
        if settings.apply in ("AUTO", "REKEY"):
            column.prop(settings, "snap")
            row = column.row(heading="Add Keys", align=True)
            row.prop(settings, "refine", text="")
            value = row.row(align=True)
            value.active = settings.refine
            value.prop(settings, "tolerance", text="")
        column.prop(settings, "part")
        column.prop(settings, "hold_feet")
        column.prop(settings, "smoothing")


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
        layout, settings = self.layout, context.scene.retime
        layout.prop(settings, "shift")
        row = layout.row(align=True)
        earlier = row.operator("retime.shift", text="Earlier", icon="TRIA_LEFT")
        earlier.shift = -settings.shift
        later = row.operator("retime.shift", text="Later", icon="TRIA_RIGHT")
        later.shift = settings.shift
        layout.separator()
        layout.prop(settings, "delay")
        row = layout.row(align=True)
        for name in ("retime.stagger", "retime.succession"):
            row.operator(name).frames = settings.delay
        layout.separator()
        layout.prop(settings, "amount", slider=True)
        layout.operator("retime.exaggerate").amount = settings.amount
        layout.separator()
        layout.operator("retime.hold_feet")


class _Music(_Panel):
    bl_label = "Music"

    def draw(self, context):
        """Draw what syncs the motion to a song."""
        layout, settings = self.layout, context.scene.retime
        layout.template_ID(settings, "sound", open="sound.open")
        shown = {p["name"]: p for p in offered("sync")}
        basic = [shown[n] for n in ("strength", "every", "accents", "bpm")]
        _draw_parameters(layout, settings, "sync", basic)
        grid = layout.grid_flow(columns=2, even_columns=True, align=True)
        for name in ("keep_length", "locked_moments", "move_song"):
            grid.prop(settings, name)
        layout.operator("retime.sync", icon="SOUND")
        layout.operator("retime.mark_beats", icon="MARKER")


class _Poses(_Panel):
    bl_label = "Poses"

    def draw(self, context):
        """Draw what changes the pose at the current frame, and secondary motion."""
        layout, settings = self.layout, context.scene.retime
        row = layout.row(align=True)
        row.prop(settings, "toward", text="")
        row.prop(settings, "share", slider=True)
        tween = layout.operator("retime.tween")
        tween.toward, tween.share = settings.toward, settings.share
        tween.add_keys = settings.refine
        layout.separator()
        row = layout.row(align=True)
        row.prop(settings, "preset", text="")
        row.prop(settings, "ease", slider=True)
        ease = layout.operator("retime.ease")
        ease.preset, ease.amount = settings.preset, settings.ease
        ease.add_keys = settings.refine
        layout.separator()
        layout.prop(settings, "target")
        layout.operator("retime.reach", icon="CURSOR").add_keys = settings.refine
        layout.separator()
        known = [
            p for p in offered("secondary") if p["name"] in ("strength", "frequency", "damping")
        ]
        _draw_parameters(layout, settings, "secondary", known)
        layout.operator("retime.secondary").add_keys = settings.refine


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
    bl_label = "Retime Together"

    def draw(self, context):
        """Draw what is retimed with the character."""
        layout, settings = self.layout, context.scene.retime
        grid = layout.grid_flow(columns=2, even_columns=True, align=True)
        for name in ("shape_keys", "children", "others", "cameras", "sounds", "markers",
                     "scene_range"):  # fmt: skip
            grid.prop(settings, name)


class _Advanced(_Panel):
    bl_label = "Advanced"

    def draw(self, context):
        """Draw what is rarely set, and every method's own settings."""
        layout, settings = self.layout, context.scene.retime
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "rest_frame")
        column.prop(settings, "shared")
        column.prop(settings, "mute")
        for method in (settings.method, *_WITH_SETTINGS):
            header, body = layout.panel(f"retime_{method}", default_closed=True)
            header.label(text=_HEADINGS.get(method, method.capitalize()))
            if body is not None:
                _draw_method(body, settings, method)


def _made(space, short):
    """Make the panels of one editor."""
    out, first = [], None
    for part in (_Main, _Body, _Parts, _Poses, _Music, _Check, _Carried, _Advanced):
        name = f"RETIME_PT_{short}{part.__name__.lower()}"
        fields = {"bl_space_type": space, "bl_idname": name}
        if first is not None:
            fields["bl_parent_id"] = first
        out.append(type(name, (part, bpy.types.Panel), fields))
        first = first or name
    return out


CLASSES = tuple(cls for space, short in EDITORS.items() for cls in _made(space, short))
