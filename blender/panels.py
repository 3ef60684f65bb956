"""The panels, in the sidebars of the 3D view, dope sheet, graph editor and NLA."""

import textwrap

import bpy

from . import nla
from .actions import animation_of
from .declared import offered
from .engine_process import engine_command
from .operators.whole_body import moved_markers
from .preferences import preferred_engine
from .problem import Problem
from .retiming import armature_of
from .settings import TOGETHER
from .wording import label_of

# The editors that have the panels, and what their names start with.
EDITORS = {
    "VIEW_3D": "view",
    "DOPESHEET_EDITOR": "dope",
    "GRAPH_EDITOR": "graph",
    "NLA_EDITOR": "nla",
}
# Pixels beside the text of a sidebar, and the width of a letter.
_MARGIN, _LETTER = 75, 6.5


# ---- parts of panels


def _column(layout):
    """Return a column whose labels stand left of their fields."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def _draw_switched(column, group, switch, name, label):
    """Draw a value with a switch before it."""
    row = column.row(heading=label, align=True)
    row.prop(group, switch, text="")
    value = row.row(align=True)
    value.active = getattr(group, switch)
    value.prop(group, name, text="")
    return row


def _draw_parameters(layout, settings, method, parameters):
    group, column = getattr(settings, method), _column(layout)
    for p in parameters:
        if p["optional"]:
            row = _draw_switched(column, group, f"use_{p['name']}", p["name"], label_of(p))
        else:
            row = column.row(align=True)
            row.prop(group, p["name"])
        if p.get("presets"):
            row.prop(group, f"{p['name']}_preset", text="", icon_only=True, icon="PRESET")


def _draw_named(layout, settings, method, names):
    """Draw some parameters of a method."""
    known = {p["name"]: p for p in offered(method)}
    _draw_parameters(layout, settings, method, [known[n] for n in names])


def _draw_settings(layout, settings, method, heading, shown=()):
    """Draw the settings of a method that are not ``shown`` already: folded, advanced ones again."""
    known = [p for p in offered(method) if p["name"] not in shown]
    header, body = layout.panel(f"retime_{method}", default_closed=True)
    header.label(text=f"{heading} Settings")
    if body is None:
        return
    _draw_parameters(body, settings, method, [p for p in known if not p["advanced"]])
    advanced = [p for p in known if p["advanced"]]
    if advanced:
        header, folded = body.panel(f"retime_{method}_advanced", default_closed=True)
        header.label(text="Advanced")
        if folded is not None:
            _draw_parameters(folded, settings, method, advanced)


def _has_engine(context):
    try:
        return bool(engine_command(preferred_engine(context)))
    except Problem:
        return False


# ---- panels


class _Panel:
    bl_category = "Retime"
    bl_region_type = "UI"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        """Show the panel once there is an engine that does its work."""
        return _has_engine(context)

    def draw(self, context):
        """Draw it; while a job runs, nothing in it can be pressed."""
        self.layout.enabled = not context.window_manager.retime_word
        self.draw_settings(self.layout, context.scene.retime, context)


class _Main(_Panel):
    bl_label = "Retime"
    bl_options = set()

    @classmethod
    def poll(cls, context):
        """Show it always: it also installs the engine."""
        return True

    def draw(self, context):
        """Draw the character, a job's progress, and how results are applied."""
        layout, settings = self.layout, context.scene.retime
        _draw_progress(layout, context.window_manager)
        if not _has_engine(context):
            _draw_installation(layout, context.window_manager)
            return
        _draw_character(layout, context)
        column = _column(layout)
        for name in ("apply", "part", "hold_feet"):
            column.prop(settings, name)
        _draw_result(layout, context)


def _draw_progress(layout, manager):
    if manager.retime_word:
        # Details follow a colon; the status bar has room for them.
        text = manager.retime_word.partition(":")[0]
        layout.progress(factor=manager.retime_share, text=text)
        layout.label(text="Press Esc to cancel")


def _draw_result(layout, context):
    """Draw what the last operator reported, wrapped to the width of the sidebar."""
    said = context.window_manager.retime_said
    if not said:
        return
    header, body = layout.panel("retime_result", default_closed=False)
    header.label(text="Last Result")
    if body is not None:
        scale = context.preferences.system.ui_scale or 1.0
        letters = int((context.region.width - _MARGIN) / scale / _LETTER)
        column = body.column(align=True)
        column.scale_y = 0.8
        for sentence in said.splitlines():
            first, *others = textwrap.wrap(sentence, max(letters, 20))
            column.label(text=first, icon="DOT")
            for line in others:
                column.label(text=line, icon="BLANK1")


def _draw_installation(layout, manager):
    """Draw how to get the engine, unless it is being installed."""
    if not manager.retime_word:
        layout.label(text="Retime needs its engine", icon="INFO")
        row = layout.row(align=True)
        row.operator("retime.install_engine", icon="IMPORT")
        row.operator("preferences.addon_show", text="", icon="PREFERENCES").module = __package__


def _draw_character(layout, context):
    """Draw the armature and its action, or what is missing."""
    try:
        armature = armature_of(context)
    except Problem as e:
        layout.label(text=str(e).partition(". ")[0], icon="INFO")
        return
    column = layout.column(align=True)
    column.label(text=armature.name, icon="ARMATURE_DATA")
    animated = animation_of(armature)
    if animated is not None:
        column.label(text=animated.action.name, icon="ACTION")
    if nla.track_of(armature) is not None:
        layout.operator("retime.remove", icon="X")
    elif animated is None:
        column.label(text="No action", icon="INFO")


class _Body(_Panel):
    bl_label = "Whole Body"
    bl_options = set()

    def draw_settings(self, layout, settings, context):
        """Draw what retimes the whole body."""
        column = _column(layout)
        column.prop(settings, "method")
        column.prop(settings, "frames")
        layout.operator("retime.to_length", icon="TIME")
        layout.separator()
        row = layout.row(align=True)
        row.operator("retime.pin_markers", icon="PINNED")
        row.operator("retime.mark_poses", text="Mark Poses", icon="MARKER")
        for name, old, new in moved_markers(context.scene):
            layout.label(text=f"{name}: {old} → {new}", icon="MARKER_HLT")
        layout.operator("retime.keytimes", icon="MARKER_HLT")
        layout.separator()
        column = _column(layout)
        column.prop(settings, "reference")
        column.prop(settings, "timing")
        layout.operator("retime.reference", icon="ACTION").how = settings.timing
        layout.separator()
        row = layout.row(align=True)
        row.operator("retime.import_warp")
        row.operator("retime.import_recipe")
        _draw_settings(layout, settings, settings.method, settings.method.capitalize())
        if settings.timing == "ALIGN":
            _draw_settings(layout, settings, "align", "Exact Timing")


class _Parts(_Panel):
    bl_label = "Parts"

    def draw_settings(self, layout, settings, context):
        """Draw what retimes parts."""
        _column(layout).prop(settings, "shift")
        row = layout.row(align=True)
        for text, icon, sign in (("Earlier", "TRIA_LEFT", -1), ("Later", "TRIA_RIGHT", 1)):
            row.operator("retime.shift", text=text, icon=icon).shift = sign * settings.shift
        layout.separator()
        _column(layout).prop(settings, "delay")
        row = layout.row(align=True)
        for name in ("retime.stagger", "retime.succession"):
            row.operator(name).frames = settings.delay
        layout.separator()
        _column(layout).prop(settings, "amount", slider=True)
        layout.operator("retime.exaggerate").amount = settings.amount
        layout.separator()
        layout.operator("retime.hold_feet")
        _draw_settings(layout, settings, "surface", "Earlier and Later")
        _draw_settings(layout, settings, "stagger", "Stagger")


class _Poses(_Panel):
    bl_label = "Poses"

    def draw_settings(self, layout, settings, context):
        """Draw what changes the pose at the current frame, and secondary motion."""
        column = _column(layout)
        column.prop(settings, "toward")
        column.prop(settings, "share", slider=True)
        tween = layout.operator("retime.tween")
        tween.toward, tween.share, tween.add_keys = settings.toward, settings.share, settings.refine
        layout.separator()
        column = _column(layout)
        column.prop(settings, "preset")
        column.prop(settings, "ease", slider=True)
        ease = layout.operator("retime.ease")
        ease.preset, ease.amount, ease.add_keys = settings.preset, settings.ease, settings.refine
        layout.separator()
        _column(layout).prop(settings, "target")
        layout.operator("retime.reach", icon="CURSOR").add_keys = settings.refine
        layout.separator()
        swing = ("strength", "frequency", "damping")
        _draw_named(layout, settings, "secondary", swing)
        layout.operator("retime.secondary").add_keys = settings.refine
        _draw_settings(layout, settings, "tween", "Tween and Ease")
        _draw_settings(layout, settings, "secondary", "Secondary Motion", swing)


class _Music(_Panel):
    bl_label = "Music"

    def draw_settings(self, layout, settings, context):
        """Draw what syncs the motion to a song."""
        layout.template_ID(settings, "sound", open="sound.open")
        shown = ("strength", "every", "accents", "bpm")
        _draw_named(layout, settings, "sync", shown)
        column = _column(layout)
        for name in ("keep_length", "move_song", "locked_moments"):
            column.prop(settings, name)
        layout.operator("retime.sync", icon="SOUND")
        layout.operator("retime.mark_beats", icon="MARKER")
        _draw_settings(layout, settings, "sync", "Sync", shown)


class _Check(_Panel):
    bl_label = "Check"

    def draw_settings(self, layout, settings, context):
        """Draw what a check found."""
        row = layout.row(align=True)
        row.operator("retime.check")
        row.operator("retime.clear_marks", text="", icon="X")
        column = layout.column(align=True)
        for line in settings.measures:
            row = column.row()
            row.label(text=line.name)
            row.label(text=line.text)


class _Together(_Panel):
    bl_label = "Retime Together"

    def draw_settings(self, layout, settings, context):
        """Draw what is retimed with the character."""
        column = _column(layout)
        for name in TOGETHER:
            column.prop(settings, name)


class _Options(_Panel):
    bl_label = "Options"

    def draw_settings(self, layout, settings, context):
        """Draw how keys are written, and what is rarely set."""
        column = _column(layout)
        if settings.apply in ("AUTO", "REKEY"):
            column.prop(settings, "snap")
            _draw_switched(column, settings, "refine", "tolerance", "Add Keys")
        for name in ("smoothing", "rest_frame", "shared", "mute"):
            column.prop(settings, name)
        _draw_settings(layout, settings, "hold", "Hold Feet")
        _draw_settings(layout, settings, "smooth", "Smooth")


def _made(space, short):
    """Make the panels of one editor."""
    out, first = [], None
    for part in (_Main, _Body, _Parts, _Poses, _Music, _Check, _Together, _Options):
        name = f"RETIME_PT_{short}{part.__name__.lower()}"
        fields = {"bl_space_type": space, "bl_idname": name}
        if first is not None:
            fields["bl_parent_id"] = first
        out.append(type(name, (part, bpy.types.Panel), fields))
        first = first or name
    return out


CLASSES = tuple(cls for space, short in EDITORS.items() for cls in _made(space, short))
