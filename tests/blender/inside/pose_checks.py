"""Checks of what changes poses at the current frame, on a Rigify figure and a plain armature."""

from types import SimpleNamespace

import bpy
import figure
import numpy as np
import people
import scenes
from checking import fails, run
from figure import select_only
from mathutils import Matrix
from scenes import curves, keys, part, results, snapshot


def _counts(rig):
    return {name: len(rows) for name, rows in keys(rig).items()}


def _at(frame):
    bpy.context.scene.frame_set(frame)
    bpy.ops.ed.undo_push(message="frame")


def _cursor(rig, joint, frame, by):
    """Put the 3D cursor near a joint."""
    place = rig.matrix_world @ Matrix(figure.place(rig, joint, frame))
    bpy.context.scene.cursor.location = np.array(place.translation) + by


def _turn(one, other):
    """Return the angle between two matrices, degrees."""
    pair = [Matrix(m).to_quaternion() for m in (one, other)]
    return 2 * np.degrees(np.arccos(min(abs(pair[0].dot(pair[1])), 1.0)))


# Each operator, the bones it is used on, the joint that is looked at, and options.
EDITS = (
    ("tween", ["hand_ik.L"], "DEF-hand.L", {"toward": "next", "share": 0.5}),
    ("tween", ["upper_arm_fk.R", "forearm_fk.R"], "DEF-forearm.R", {"toward": "previous"}),
    ("reach", ["hand_ik.L"], "DEF-hand.L", {}),
    ("reach", ["hand_fk.R"], "DEF-hand.R", {}),
)


def check_poses_of_a_control_rig():
    for name, bones, joint, options in EDITS:
        rig = figure.rigify()
        select_only(rig, *bones)
        _cursor(rig, joint, 25, (0.05, -0.1, 0.12))
        feet = [figure.place(rig, f"DEF-foot.{s}", 25) for s in "LR"]
        was = figure.place(rig, joint, 25)
        _at(25)
        before, old = snapshot(), keys(rig)
        muted = [c.mute for b in rig.pose.bones for c in b.constraints]
        said = run(getattr(bpy.ops.retime, name), **options)
        new = keys(rig)
        assert {n: len(r) for n, r in new.items()} == {n: len(r) for n, r in old.items()}, name
        assert all(np.array_equal(new[n][:, 0], old[n][:, 0]) for n in new), name
        assert [c.mute for b in rig.pose.bones for c in b.constraints] == muted, name
        assert np.abs(figure.place(rig, joint, 25) - was).max() > 0.01, name
        assert max(np.abs(figure.place(rig, f"DEF-foot.{s}", 25) - f).max()
                   for s, f in zip("LR", feet, strict=True)) < 1e-3, name  # fmt: skip
        if name == "reach":
            away = figure.place(rig, joint, 25)[:3, 3] - bpy.context.scene.cursor.location
            assert np.linalg.norm(away) < 0.005, (joint, away)
            assert any("cm from the 3D cursor" in s for s in said), said
        bpy.context.scene.frame_set(25)
        scenes.undo()
        assert snapshot() == before, name


def check_eases_of_a_control_rig():
    """An ease adds keys of its own to the curves that it changes, and to no other."""
    for preset in ("hold", "settle", "anticipate", "snap"):
        rig = figure.rigify()
        select_only(rig, "upper_arm_fk.R", "forearm_fk.R")
        _at(25)
        before, old = snapshot(), _counts(rig)
        frames = np.arange(1, 50)
        source = [figure.place(rig, "DEF-forearm.R", int(f)) for f in frames]
        bpy.context.scene.frame_set(25)
        with results() as made:
            said = run(bpy.ops.retime.ease, preset=preset, frames=5.0)
        new = _counts(rig)
        assert new.keys() == old.keys()
        grown = {n[0].split('"')[1] for n in new if new[n] != old[n]}
        assert grown == {"upper_arm_fk.R", "forearm_fk.R"}, (preset, grown)
        assert max(new[n] - old[n] for n in new) == 1, preset
        assert any("keys were added" in s for s in said), said
        if preset == "hold":
            path = 'pose.bones["forearm_fk.R"].rotation_euler', 0
            values = [curves(rig)[path].evaluate(f) for f in np.arange(25, 30.01, 0.5)]
            assert np.ptp(values) < 0.02, values
        wanted = part("correct").Poses(made[0]).changed("DEF-forearm.R", frames.astype(float))
        shown = [figure.place(rig, "DEF-forearm.R", int(f)) for f in frames]
        assert max(map(_turn, wanted, source)) > 20, preset
        # Snapping is timing alone, whose curves bend a little between keys.
        most = 5 if preset == "snap" else 1.5
        assert max(map(_turn, wanted, shown)) < most, (preset, max(map(_turn, wanted, shown)))
        bpy.context.scene.frame_set(25)
        scenes.undo()
        assert snapshot() == before, preset


def check_poses_of_a_plain_armature():
    arm = [f"mixamorig:Left{n}" for n in ("Arm", "ForeArm", "Hand")]
    make = {"tween": {"toward": "next", "share": 1.0}, "reach": {}, "secondary": {"strength": 0.0}}
    for name, options in make.items():
        rig = people.person("mixamo", scale=0.01)
        select_only(rig, *arm)
        rig.data.bones.active = rig.data.bones[arm[-1]]
        _cursor(rig, arm[-1], 10, (-0.05, -0.05, 0.08))
        _at(10)
        before, old = snapshot(), keys(rig)
        run(getattr(bpy.ops.retime, name), **options)
        new = keys(rig)
        assert {n: len(r) for n, r in new.items()} == {n: len(r) for n, r in old.items()}, name
        changed = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old[n])}
        if name == "tween":
            assert changed == set(arm)
            for bone in arm:
                for k in range(3):
                    rows = new[f'pose.bones["{bone}"].rotation_euler', k]
                    assert abs(rows[1, 1] - rows[2, 1]) < 1e-3, (bone, k)
        if name == "reach":
            place = rig.matrix_world @ Matrix(figure.place(rig, arm[-1], 10))
            away = np.array(place.translation) - bpy.context.scene.cursor.location
            assert np.linalg.norm(away) < 1e-3, away
        if name == "secondary":
            assert not changed  # at no strength nothing changes
        bpy.context.scene.frame_set(10)
        scenes.undo()
        assert snapshot() == before, name


def check_a_pose_between_keys_gets_one():
    rig = people.person("mixamo")
    select_only(rig, "mixamorig:LeftHand")
    _cursor(rig, "mixamorig:LeftHand", 15, (-0.05, -0.05, 0.08))
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = bpy.context.scene.cursor.location
    bpy.context.scene.cursor.location = (9, 9, 9)
    bpy.context.scene.retime.target = target
    bpy.context.view_layer.update()
    _at(15)
    old = keys(rig)
    said = run(bpy.ops.retime.reach)
    new = keys(rig)
    assert new.keys() == old.keys()
    for n, rows in new.items():
        extra = set(rows[:, 0]) - set(old[n][:, 0])
        assert extra <= {15.0}, (n, extra)
    assert any(len(new[n]) > len(old[n]) for n in new)
    assert any("keys were added" in s for s in said), said
    place = np.array(figure.place(rig, "mixamorig:LeftHand", 15))[:3, 3]
    assert np.linalg.norm(place - target.location) < 1e-3
    assert any("from target at frame 15" in s for s in said), said


def check_loose_parts_swing():
    """Curves get the keys that a swing needs, and show what the engine made of it."""
    for make, bone, chain, joint in (
        (figure.rigify, "upper_arm_fk.R", {"upper_arm_fk.R", "forearm_fk.R", "hand_fk.R"},
         "DEF-forearm.R"),
        (lambda: people.person("metahuman"), "upperarm_l", {"upperarm_l", "lowerarm_l", "hand_l"},
         "lowerarm_l"),
    ):  # fmt: skip
        rig = make()
        select_only(rig, bone)
        before, old = snapshot(), keys(rig)
        frames = np.arange(1, bpy.context.scene.frame_end + 1)
        source = [figure.place(rig, joint, int(f)) for f in frames]
        bpy.context.scene.frame_set(1)
        with results() as made:
            said = run(bpy.ops.retime.secondary, strength=1.0)
        new = keys(rig)
        assert new.keys() == old.keys()
        grown = {n[0].split('"')[1] for n in new if len(new[n]) != len(old[n])}
        assert grown <= chain, grown
        assert max(len(rows) for rows in new.values()) < 0.75 * len(frames)
        assert any("swings by up to" in s for s in said), said
        wanted = part("correct").Poses(made[0]).changed(joint, frames.astype(float))
        shown = [figure.place(rig, joint, int(f)) for f in frames]
        assert max(map(_turn, wanted, source)) > 10
        assert max(map(_turn, wanted, shown)) < 2.5
        bpy.context.scene.frame_set(1)
        scenes.undo()
        assert snapshot() == before


def check_poses_refuse_plainly():
    rig = figure.rigify()
    select_only(rig, "torso")
    _at(25)
    fails(bpy.ops.retime.tween, "carries the whole body")
    select_only(rig, "hand_ik.L")
    _at(200)
    fails(bpy.ops.retime.tween, "Frame 200 is outside the action")
    fails(bpy.ops.retime.reach, "outside the action")


def check_settings_are_in_frames():
    people.person("metahuman")
    scene = bpy.context.scene
    settings, chosen = scene.retime, part("declared").chosen
    scene.render.fps = 24
    assert abs(settings.hold.min_contact - 2.4) < 1e-5
    assert chosen(settings, "hold") == {}
    settings.hold.min_contact = 6
    assert abs(chosen(settings, "hold")["min_contact"] - 0.25) < 1e-6
    scene.render.fps = 48
    assert abs(settings.hold.min_contact - 12) < 1e-5
    # A moment is a frame of the scene.
    scene.render.fps = 24
    settings.stagger.use_relative_pose, settings.stagger.relative_pose = True, 20
    seen = SimpleNamespace(fps=24.0, time=lambda frame: (frame - 2) / 24)
    assert abs(chosen(settings, "stagger", seen)["relative_pose"] - 0.75) < 1e-6
    settings.tween.ease_length = -5
    assert abs(chosen(settings, "tween")["ease_length"] - 0.01) < 1e-6  # the least there is
