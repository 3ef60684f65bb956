"""Music: the motion's accents on the beats of a song, and the beats as markers."""

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from ..declared import chosen, words_of
from ..engine_process import running_engine
from ..jobs import Job
from ..preferences import preferred_engine
from ..problem import Problem
from ..retiming import Retiming, part_of, step, tried
from ..song import place_strip, song_of
from .looking import MARK, clear_marks

_NO_SONG = (
    "There is no song. Add a sound strip in the Video Sequencer, choose a sound in the panel, or "
    "set the Tempo"
)
_EVERY = [("SETTINGS", "As Set", "What the panel shows"), *words_of("sync", "every")]


def beats_of(engine, song, values):
    """Ask for a song's beats: a generator. The tempo is taken out of the values, for it is used."""
    asked = {"beats": song.path}
    asked |= {name: values.pop(name) for name in ("bpm", "offset") if name in values}
    if "offset" in asked and "bpm" not in asked:
        del asked["offset"]  # without a tempo the song tells where its beats are
    return (yield from engine.ask(asked))


class RETIME_OT_sync(Retiming, bpy.types.Operator):
    """Put the accents of the motion on the beats of a song, by changing its speed gently"""

    bl_idname = "retime.sync"
    bl_label = "Sync to Beats"
    # The song stays where it is, or goes where it fits.
    moves_sounds = False

    strength: FloatProperty(
        name="Strength", default=-1.0, min=-1.0, max=1.0, options={"SKIP_SAVE"},
        description="How far accents go to their beats, 0 to 1. Below 0: as set in the panel",
    )  # fmt: skip
    every: EnumProperty(
        name="Beats", items=_EVERY, options={"SKIP_SAVE"}, description="Which beats to use"
    )
    filepath: StringProperty(
        name="Song", subtype="FILE_PATH", options={"SKIP_SAVE"},
        description="Sound file to use. Defaults to the sound that is set, or the sequencer's",
    )  # fmt: skip

    def recipe(self, context, capture, engine):
        """Return one step; the beats are asked for first."""
        settings = context.scene.retime
        values = self._values(settings, capture)
        moments = _locked(context, capture) if settings.locked_moments else None
        self.song = song_of(context, engine.folder, self.filepath)
        self.starts, self.offset = None, values.get("offset", 0.0)
        free = settings.move_song
        if self.song is not None:
            values = yield from self._with_beats(values, capture, engine)
            free = free or self.song.strip is None
        elif "bpm" not in values:
            raise Problem(_NO_SONG)
        made = step("sync", **values, moments=moments, range=part_of(context, capture))
        made["parameters"]["phase"] = "best" if free else "fixed"
        if free and self.song is not None:
            yield from self._find_start(made, capture, engine)
        return [made]

    def _values(self, settings, capture):
        """Return the settings, changed by what was given here."""
        values = chosen(settings, "sync")
        if self.strength >= 0:
            values["strength"] = round(self.strength, 6)
        if self.every != "SETTINGS":
            values["every"] = self.every
        if settings.keep_length:
            values["duration"] = (capture.last - capture.first) / capture.fps
        return values

    def _with_beats(self, values, capture, engine):
        """Add the song's beats, and its time at the motion's start: a generator."""
        heard = yield from beats_of(engine, self.song, values)
        start = self.song.time(capture.first, capture.fps)
        if heard["beats"][-1] <= start:
            raise Problem(
                f"{self.song.name} has no beat after frame {capture.first}. Move its strip, or the "
                "motion"
            )
        found = {"beats": heard["beats"], "music_start": start}
        return {"first_beat": heard["first_beat"], **values, **found}

    def _find_start(self, made, capture, engine):
        """Find the best start in the song, and bring it to a whole frame, as strips need it."""
        found = yield from tried(engine, capture, [made])
        given = made["parameters"]["music_start"]
        later = round((found.figures["music_start"] - given) * capture.fps)
        made["parameters"] |= {"phase": "fixed", "music_start": given + later / capture.fps}
        # What is heard at the motion's first frame is then the music of the new start.
        self.starts = capture.first - round(made["parameters"]["music_start"] * capture.fps)

    def after(self, context, result):
        """Put the song where the motion is in time with it."""
        if self.song is None:
            capture = result.capture
            first = capture.first + (self.offset - result.figures["music_start"]) * capture.fps
            return [f"a beat falls on frame {first:.1f}"]
        if self.starts is None or self.starts == self.song.origin:
            return []
        old, strip = self.song.origin, self.song.strip
        if not place_strip(context.scene, self.song, self.starts):
            return [
                f"this Blender cannot add {self.song.name} to the sequencer; the motion is in time "
                f"with it if it starts at frame {self.starts}"
            ]
        if strip is None:
            return [
                f"{self.song.name} was added to the sequencer; it starts at frame {self.starts}"
            ]
        return [f"the strip {strip.name} was moved by {self.starts - old:.0f} frames"]


def _locked(context, capture):
    """Return the times of the selected markers, which must be on a beat."""
    frames = [m.frame for m in context.scene.timeline_markers if m.select]
    inside = sorted(f for f in set(frames) if capture.first < f < capture.last)
    if not inside:
        raise Problem(
            "No selected marker lies within the motion. Select the markers that must be on a beat, "
            "or turn Lock Markers off"
        )
    return [capture.time(f) for f in inside]


class RETIME_OT_mark_beats(Job, bpy.types.Operator):
    """Set a marker at each beat of the song within the scene's range"""

    bl_idname = "retime.mark_beats"
    bl_label = "Markers at Beats"

    def steps(self, context):
        """Ask, and mark."""
        scene = context.scene
        engine = yield from running_engine(preferred_engine(context))
        song = song_of(context, engine.folder)
        if song is None:
            raise Problem(_NO_SONG.replace(", or set the Tempo", "").replace("er, c", "er or c"))
        heard = yield from beats_of(engine, song, chosen(scene.retime, "sync"))
        fps = scene.render.fps / scene.render.fps_base
        # Without a strip the song starts with the scene.
        start = scene.frame_start if song.origin is None else song.origin
        clear_marks(scene, "beat")
        count = 0
        for k, beat in enumerate(heard["beats"]):
            frame = round(start + beat * fps)
            if scene.frame_start <= frame <= scene.frame_end:
                scene.timeline_markers.new(f"{MARK}beat {k + 1}", frame=frame)
                count += 1
        return [f"{count} beats marked, {heard['bpm']:.0f} a minute"]


CLASSES = (RETIME_OT_sync, RETIME_OT_mark_beats)
