"""The song that a motion is synced to: a strip of the sequencer, a sound of the file, or a path."""

import os
from dataclasses import dataclass

import bpy

from .carry import sequence
from .problem import Problem


@dataclass
class Song:
    """A song and where it plays."""

    path: str
    """The file that the engine reads."""
    name: str
    """What people call it."""
    strip: object = None
    """The strip that plays it, if one does."""
    sound: object = None
    """Blender's data-block, if there is one."""

    @property
    def origin(self):
        """The frame at which its first second starts, heard or cut; ``None`` without a strip."""
        if self.strip is None:
            return None
        return getattr(self.strip, _start_name(self.strip)) - _skipped(self.strip)

    def time(self, frame, fps):
        """Return the song's time at a frame of the scene, seconds; without a strip, its start."""
        return 0.0 if self.strip is None else (frame - self.origin) / fps


def place_strip(scene, song, frame):
    """Let a song start at a frame: its strip is moved, or a strip is added.

    Return whether it could be: some builds of Blender have no sound.
    """
    if song.strip is not None:
        setattr(song.strip, _start_name(song.strip), frame + _skipped(song.strip))
        return True
    editor = scene.sequence_editor or scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    taken = [s.channel for s in sequence(scene)]
    try:
        strip = strips.new_sound(song.name, song.path, max(taken, default=0) + 1, frame)
    except RuntimeError:
        return False
    if song.sound is not None and strip.sound != song.sound:
        read, strip.sound = strip.sound, song.sound  # it may be packed, and its file not stay
        bpy.data.sounds.remove(read)
    return True


def _skipped(strip):
    return getattr(strip, "animation_offset_start", 0)


def _start_name(strip):
    # Later Blenders renamed it.
    return "content_start" if hasattr(strip, "content_start") else "frame_start"


def song_of(context, folder, path=""):
    """Return the song that is meant, or ``None``: a path, the chosen sound, or the sequencer's.

    A packed sound is written to ``folder``, where the engine can read it.
    """
    scene = context.scene
    if path:
        path = bpy.path.abspath(path)
        playing = [s for s in _sounds(scene) if _same_file(_path(s.sound), path)]
        return Song(path, os.path.basename(path), _one(playing, scene, any_=True))
    sound = scene.retime.sound
    strip = _only_strip(scene) if sound is None else _strip_of(scene, sound)
    sound = sound or (strip and strip.sound)
    return Song(_readable(sound, folder), sound.name, strip, sound) if sound else None


def _strip_of(scene, sound):
    """Return the strip that plays a sound, or ``None``."""
    return _one([s for s in _sounds(scene) if s.sound == sound], scene, any_=True)


def _only_strip(scene):
    """Return the sequencer's sound strip, or ``None`` if it has none."""
    strips = _sounds(scene)
    strip = _one(strips, scene, any_=False)
    if strip is None and strips:
        raise Problem(
            "The sequencer has several sounds. Make the song's strip the active one, or choose the "
            "sound in the panel"
        )
    return strip


def _sounds(scene):
    return [s for s in sequence(scene) if s.type == "SOUND" and s.sound is not None and not s.mute]


def _one(strips, scene, *, any_):
    """Choose among strips: the only one, the active one, or the first of ``any_`` that plays."""
    if len(strips) > 1:
        active = scene.sequence_editor.active_strip
        strips = [s for s in strips if s == active] or (strips if any_ else [])
    if not strips:
        return None
    strip = strips[0]
    if len(getattr(strip, "retiming_keys", ())):
        raise Problem(
            f"The strip {strip.name} is retimed itself, so its beats are not the file's. Clear "
            "its retiming (Strip > Retiming > Reset Retiming), or render it to a file first"
        )
    return strip


def _path(sound):
    return bpy.path.abspath(sound.filepath, library=sound.library)


def _same_file(one, other):
    return os.path.normcase(os.path.abspath(one)) == os.path.normcase(os.path.abspath(other))


def _readable(sound, folder):
    """Return a path from which the engine can read a sound."""
    if sound.packed_file is None:
        path = _path(sound)
        if not os.path.isfile(path):
            raise Problem(f"The file of the sound {sound.name} is missing: {path}. Find it again")
        return path
    path = folder / f"song{os.path.splitext(sound.filepath)[1]}"
    path.write_bytes(sound.packed_file.data)
    return str(path)
