"""Long work that never blocks: an operator's steps are a generator, driven by a timer or at once.

A step yields how far it is; the scene is changed only after the last of them. With a window, a
timer drives the steps, a bar shows them and Esc cancels; called from Python, or without a window,
the same steps run to their end.
"""

import textwrap
import time

import bpy

from .engine_process import stop_engine
from .problem import Problem

# Seconds between ticks of the timer, and how long one of them works, at least and at most: as long
# as Blender drew in between.
_TICKS, _WORKS, _WORKS_AT_MOST = 0.05, 0.03, 0.2
# The widest line of a pop-up, in letters.
_WIDEST = 90
# Events that still reach Blender while a job runs: looking around changes nothing.
_LOOKING = {
    "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE",
    "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "WINDOW_DEACTIVATE",
}  # fmt: skip

# Editors that show how far a job is, and the regions of them that do.
_SHOWING = {
    "VIEW_3D": "UI", "DOPESHEET_EDITOR": "UI", "GRAPH_EDITOR": "UI", "NLA_EDITOR": "UI",
    "PREFERENCES": "WINDOW",
}  # fmt: skip


class Job:
    """Shared part of operators with long work; they have ``steps(context)``, a generator.

    ``steps`` yields ``(share, word)`` with a fraction (0 to 1) or ``None``, and returns sentences
    to report. It raises ``Problem``.
    """

    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context):
        """Do the work."""
        raise NotImplementedError

    def execute(self, context):
        """Do all of it now."""
        steps = self.steps(context)
        try:
            while True:
                next(steps)
        except StopIteration as e:
            return self._finished(e.value)
        except Problem as e:
            return self._failed(e)
        finally:
            steps.close()

    def invoke(self, context, event):
        """Start it, and let a timer drive it."""
        return self.start(context)

    def start(self, context):
        """Begin, and continue by the timer; without a window, do everything now."""
        return Job.execute(self, context) if bpy.app.background else self.begin(context)

    def begin(self, context):
        """Take the first step and ask for the timer's events."""
        self._steps = self.steps(context)
        try:
            share, word = next(self._steps)
        except StopIteration as e:
            return self._finished(e.value)
        except Problem as e:
            return self._failed(e)
        manager = context.window_manager
        self._timer = manager.event_timer_add(_TICKS, window=context.window)
        manager.progress_begin(0, 100)
        self._show(context, share, word)
        self._paused = time.monotonic()
        self.attach(context)
        return {"RUNNING_MODAL"}

    def attach(self, context):
        """Ask for events."""
        context.window_manager.modal_handler_add(self)

    def modal(self, context, event):
        """Go on for a moment."""
        if event.type == "ESC" and event.value == "PRESS":
            self._steps.close()
            stop_engine()
            self._tidy(context)
            self.report({"INFO"}, "Cancelled; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in _LOOKING else {"RUNNING_MODAL"}
        begun = time.monotonic()
        until = begun + min(max(begun - self._paused, _WORKS), _WORKS_AT_MOST)
        try:
            while time.monotonic() < until:
                share, word = next(self._steps)
        except StopIteration as e:
            self._tidy(context)
            return self._finished(e.value)
        except Problem as e:
            self._tidy(context)
            return self._failed(e)
        except BaseException:
            self._tidy(context)
            raise
        self._show(context, share, word)
        self._paused = time.monotonic()
        return {"RUNNING_MODAL"}

    def _show(self, context, share, word):
        manager = context.window_manager
        manager.retime_word, manager.retime_share = word, share or 0.0
        manager.progress_update(round(100 * (share or 0.0)))
        context.workspace.status_text_set(f"Retime: {word} (Esc to cancel)")
        _redraw(manager)

    def _tidy(self, context):
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        manager.retime_word, manager.retime_share = "", 0.0
        context.workspace.status_text_set(None)
        _redraw(manager)

    def _finished(self, notes):
        sentences = [note[:1].upper() + note[1:] for note in notes or ()]
        for sentence in sentences:
            self.report({"INFO"}, sentence)
        # The status bar shows the last report only, for some seconds; the panel keeps all of them,
        # that one first.
        bpy.context.window_manager.retime_said = "\n".join([*sentences[-1:], *sentences[:-1]])
        return {"FINISHED"}

    def _failed(self, problem):
        return refuse(self, problem)


def _redraw(manager):
    """Draw the panels again; a job that ends while the mouse rests would stay on the screen.

    Only sidebars and preferences are drawn. A whole 3D view can take longer than the step itself.
    """
    for area in (a for window in manager.windows for a in window.screen.areas):
        for region in area.regions:
            if region.type == _SHOWING.get(area.type):
                region.tag_redraw()


def refuse(operator, problem):
    """Report a problem and cancel an operator.

    A window shows it in a pop-up that is as wide as its longest line: sentences get lines of their
    own there. The status bar joins the lines, so that each ends with a space.
    """
    text = str(problem)
    if not bpy.app.background:
        sentences = text.replace(". ", ".\n").splitlines()
        text = " \n".join(line for s in sentences for line in textwrap.wrap(s, _WIDEST))
    operator.report({"ERROR"}, text)
    return {"CANCELLED"}
