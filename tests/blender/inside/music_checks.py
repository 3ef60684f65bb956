"""Checks of syncing to music: a dance whose beats are known, and a song of clicks."""

import bpy
import numpy as np
import people
import scenes
from checking import fails, run, with_sound
from scenes import OUT, capture, choose, keys, snapshot

# Frames at which the arms turn round, near to beats of 12 frames.
TURNS = (1, 13, 23, 38, 50, 60, 75, 85, 98, 110, 120, 134, 145)


def _dance():
    """Make a figure that swings its arms, and stands still at each turn."""
    armature = people.person("metahuman")
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_end = TURNS[-1]
    scene.retime.sync.tolerance = 0  # through the accents, not near them
    armature.animation_data_clear()
    for k, frame in enumerate(TURNS):
        for side in "lr":
            bone = armature.pose.bones[f"upperarm_{side}"]
            bone.rotation_euler = ((-0.5, 0.7)[k % 2], 0, (0.2, -0.2)[k % 2])
            bone.keyframe_insert("rotation_euler", frame=frame)
    return choose(armature)


def _song(scene, start):
    """Add the song, 120 beats a minute from 0.25 s on, as a strip."""
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    return strips.new_sound("song", str(OUT / "song.wav"), channel=1, frame_start=start)


def _sounds():
    editor = bpy.context.scene.sequence_editor
    listed = [] if editor is None else editor.strips_all if hasattr(
        editor, "strips_all") else editor.sequences_all  # fmt: skip
    return [(s.name, s.frame_final_start) for s in listed]


def _off(armature, start):
    """Return how far turns of the arms are from beats, frames, for a song that starts there."""
    at = keys(armature)['pose.bones["upperarm_l"].rotation_euler', 0][1:-1, 0]
    beats = start + 24 * (0.25 + 0.5 * np.arange(30))
    return np.abs(at[:, None] - beats).min(axis=1)


@with_sound
def check_a_dance_goes_to_the_song_in_the_sequencer():
    armature = _dance()
    scene = bpy.context.scene
    _song(scene, 7)  # the first beat at frame 13
    scene.retime.sounds = True  # the song stays all the same
    bpy.ops.ed.undo_push(message="song")
    before, old, sounds = snapshot(), keys(armature), _sounds()
    assert _off(armature, 7).mean() >= 1
    seen = capture(armature, "dance-source")
    said = run(bpy.ops.retime.sync)
    assert any("accents are on beats" in s for s in said), said
    new = keys(armature)
    warp, _ = scenes.warp_of_last(seen)
    for n, rows in new.items():
        assert len(rows) == len(old[n])
        assert np.abs(rows[:, 0] - warp.body.output(old[n][:, 0])).max() < 1e-3
        assert np.array_equal(rows[:, 1], old[n][:, 1])
    assert _off(armature, 7).mean() < 0.6, _off(armature, 7)
    assert _sounds() == sounds
    scenes.undo()
    assert snapshot() == before
    armature = bpy.context.scene.objects["figure"]
    run(bpy.ops.retime.sync, strength=0.0, every="2")
    rows = keys(armature)['pose.bones["upperarm_l"].rotation_euler', 0]
    was = old['pose.bones["upperarm_l"].rotation_euler', 0]
    ratio = np.diff(rows[:, 0]) / np.diff(was[:, 0])
    assert np.ptp(ratio) < 1e-3  # at no strength, one speed


@with_sound
def check_a_song_that_may_move_or_is_added():
    armature = _dance()
    scene = bpy.context.scene
    bpy.ops.ed.undo_push(message="dance")
    before = snapshot()
    said = run(bpy.ops.retime.sync, filepath=str(OUT / "song.wav"))
    assert any("was added to the sequencer" in s for s in said), said
    ((_, start),) = _sounds()
    assert _off(armature, start).mean() < 0.6
    scenes.undo()
    assert snapshot() == before
    assert _sounds() == []
    armature, scene = choose(bpy.context.scene.objects["figure"]), bpy.context.scene
    scene.retime.sound = bpy.data.sounds.load(str(OUT / "song.wav"))
    scene.retime.sound.pack()
    bpy.ops.ed.undo_push(message="packed")
    run(bpy.ops.retime.sync)
    assert [s.packed_file is not None for s in bpy.data.sounds] == [True]
    scenes.undo()
    armature, scene = choose(bpy.context.scene.objects["figure"]), bpy.context.scene
    scene.retime.sound = None
    strip = _song(scene, 4)
    scene.retime.move_song = scene.retime.keep_length = True
    last = max(rows[-1, 0] for rows in keys(armature).values())
    run(bpy.ops.retime.sync)
    assert abs(strip.frame_start - 4) <= 12
    assert _off(armature, strip.frame_start).mean() < 0.6
    assert max(rows[-1, 0] for rows in keys(armature).values()) == last


@with_sound
def check_beats_as_markers_and_a_tempo():
    armature = _dance()
    scene = bpy.context.scene
    fails(bpy.ops.retime.sync, "no song")
    fails(bpy.ops.retime.mark_beats, "no song")
    fails(bpy.ops.retime.sync, "o such file", filepath=str(OUT / "absent.wav"))
    fails(bpy.ops.retime.sync, "cannot be read", filepath=str(OUT / "given-warp.json"))
    strip = _song(scene, 7)
    said = run(bpy.ops.retime.mark_beats)
    marked = sorted(m.frame for m in scene.timeline_markers if m.name.startswith("retime: beat"))
    assert marked[:2] == [13, 25], marked
    assert any("120 a minute" in s for s in said), said
    for marker in scene.timeline_markers:
        marker.select = marker.frame == 61
    scene.retime.locked_moments = True
    run(bpy.ops.retime.sync)
    scene.retime.locked_moments = False
    strips = scene.sequence_editor.strips
    strips.remove(strip)
    scene.retime.sync.use_bpm = True
    scene.retime.sync.bpm = 115
    scene.retime.sync.offset = 6  # frames after the start
    said = run(bpy.ops.retime.sync)
    assert any("a beat falls on frame 7.0" in s for s in said), said
    assert len(keys(armature)) == 6
