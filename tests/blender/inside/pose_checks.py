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


# Each operator, the bones it is used on, the joint that is looked at, options, and how far feet may
# move; a head is brought to its place by the torso.
EDITS = (
    ("tween", ["hand_ik.L"], "DEF-hand.L", {"toward": "next", "share": 0.5}, 1e-3),
    ("tween", ["upper_arm_fk.R", "forearm_fk.R"], "DEF-forearm.R", {"toward": "previous"}, 1e-3),
    ("reach", ["hand_ik.L"], "DEF-hand.L", {}, 1e-3),
    ("reach", ["hand_fk.R"], "DEF-hand.R", {}, 1e-3),
    ("reach", ["head"], "DEF-spine.006", {}, 6e-3),
)


def check_poses_of_a_control_rig():
    figure.rigify()
    for name, bones, joint, options, stay in EDITS:
        rig = bpy.context.scene.objects["rig"]
        _cursor(rig, joint, 25, (0.05, -0.1, 0.12 if joint != "DEF-spine.006" else -0.08))
        feet = [figure.place(rig, f"DEF-foot.{s}", 25) for s in "LR"]
        hand = figure.place(rig, "DEF-hand.L", 25)
        was = figure.place(rig, joint, 25)
        bpy.context.scene.frame_set(25)
        select_only(rig, *bones)
        before, old = snapshot(), keys(rig)
        muted = [c.mute for b in rig.pose.bones for c in b.constraints]
        said = run(getattr(bpy.ops.retime, name), **options)
        new = keys(rig)
        assert {n: len(r) for n, r in new.items()} == {n: len(r) for n, r in old.items()}, name
        assert all(np.array_equal(new[n][:, 0], old[n][:, 0]) for n in new), name
        assert [c.mute for b in rig.pose.bones for c in b.constraints] == muted, name
        assert np.abs(figure.place(rig, joint, 25) - was).max() > 0.01, name
        assert max(np.abs(figure.place(rig, f"DEF-foot.{s}", 25) - f).max()
                   for s, f in zip("LR", feet, strict=True)) < stay, name  # fmt: skip
        if bones == ["head"]:  # what an IK control leads stays
            assert np.abs((figure.place(rig, "DEF-hand.L", 25) - hand)[:3, 3]).max() < 0.01
        if name == "reach":
            away = figure.place(rig, joint, 25)[:3, 3] - bpy.context.scene.cursor.location
            assert np.linalg.norm(away) < 0.005, (joint, away)
            assert any("cm from the 3D cursor" in s for s in said), said
        bpy.context.scene.frame_set(25)
        scenes.undo()
        assert snapshot() == before, name


def _shown_beside_wanted(rig, joint, operate):
    """Run an operator; return how far the rig is from the engine's result, and the source is.

    Both are degrees at every frame. The reports come last.
    """
    frames = np.arange(1, bpy.context.scene.frame_end + 1)
    current = bpy.context.scene.frame_current
    with results() as made:
        said = operate()
    poses = part("poses").Poses(made[0])
    wanted, source = (poses.changed(joint, frames), poses.source(joint, frames))
    shown = [figure.place(rig, joint, int(f)) for f in frames]
    bpy.context.scene.frame_set(current)
    off, by = (np.array(list(map(_turn, wanted, other))) for other in (shown, source))
    return off, by, said


# Each ease, whether keys are added, and how far at most the rig is from the engine's, degrees.
EASES = (
    ("hold", False, 9), ("settle", False, 14), ("anticipate", False, 15), ("snap", False, 10),
    ("settle", True, 1.5), ("snap", True, 5),
)  # fmt: skip


def check_eases_of_a_control_rig():
    """Handles shape an ease; with Add Keys it has a key of its own on the curves that change."""
    rig = figure.rigify()
    arm = {"upper_arm_fk.R", "forearm_fk.R"}
    select_only(rig, *sorted(arm))
    _at(25)
    before, old = snapshot(), keys(rig)
    for preset, add, most in EASES:
        rig = bpy.context.scene.objects["rig"]

        def ease(preset=preset, add=add):
            return run(bpy.ops.retime.ease, preset=preset, frames=5.0, add_keys=add)

        off, by, said = _shown_beside_wanted(rig, "DEF-forearm.R", ease)
        new = keys(rig)
        assert new.keys() == old.keys()
        changed = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old[n])}
        # A snap moves the arm in time, and hands have the time of their forearm.
        moved = arm | ({"hand_fk.R"} if preset == "snap" else set())
        assert changed == moved, (preset, changed)
        grown = {n: len(new[n]) - len(old[n]) for n in new}
        assert {n[0].split('"')[1] for n in new if grown[n]} == (moved if add else set()), preset
        assert max(grown.values()) == add, preset
        told = "keys were added" if add else "follow"
        assert any(told in s for s in said), said
        # A snap plays the arm at most 1.45 times as fast as the body.
        assert by.max() > (15 if preset == "snap" else 20), (preset, by.max())
        if preset != "snap":  # which ends at the pose; the others last until the next key
            assert by[35] > 1 > by[36], (preset, by[35:37])
        assert off.max() < most, (preset, add, off.max())
        assert np.sqrt((off**2).mean()) < 0.25 * np.sqrt((by**2).mean()), preset
        if preset == "hold":
            path = 'pose.bones["forearm_fk.R"].rotation_euler', 0
            values = [curves(rig)[path].evaluate(f) for f in np.arange(25, 30.01, 0.5)]
            assert np.ptp(values) < 0.07, values  # of 0.9 on the way to the next key
        if not add:  # keys stay on their frames
            still = [np.allclose(new[n][:, 0], old[n][:, 0], atol=1e-3) for n in new]
            assert all(still), preset
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


def check_a_pose_between_keys():
    """Handles beside the frame, or the key near it, lead to the pose; with Add Keys a new key."""
    rig = people.person("mixamo")
    hand = "mixamorig:LeftHand"
    select_only(rig, hand)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    bpy.context.scene.cursor.location = (9, 9, 9)
    bpy.context.scene.retime.target = target
    old = keys(rig)
    for frame, add, told in (
        (15, False, "the handles beside it changed"), (11, False, "nearest to it, at frame 10"),
        (15, True, "keys were added"),
    ):  # fmt: skip
        rig = bpy.context.scene.objects["figure"]
        target = bpy.context.scene.objects["target"]
        place = Matrix(figure.place(rig, hand, frame)).translation
        target.location = np.add(place, (-0.05, -0.05, 0.08))
        bpy.context.view_layer.update()
        _at(frame)
        said = run(bpy.ops.retime.reach, add_keys=add)
        assert any(told in s for s in said), said
        new = keys(rig)
        assert new.keys() == old.keys()
        for n, rows in new.items():
            more = set(rows[:, 0]) - set(old[n][:, 0])
            assert more <= ({float(frame)} if add else set()), (n, more)
            if frame == 15 and not add:  # poses at keys stay
                assert np.allclose(rows[:, :2], old[n][:, :2], atol=1e-5), n
        assert any(len(new[n]) > len(old[n]) for n in new) == add
        away = np.array(figure.place(rig, hand, frame))[:3, 3] - target.location
        assert np.linalg.norm(away) < 1e-3, (frame, away)
        assert any(f"from target at frame {frame}" in s for s in said), said
        bpy.context.scene.frame_set(frame)
        scenes.undo()


def check_curves_that_hold_are_edited_at_their_key():
    """In blocking, a pose is shown until the next key: the key that gives it changes."""
    rig = people.person("mixamo")
    arm = [f"mixamorig:Left{n}" for n in ("Arm", "ForeArm", "Hand")]
    for curve in curves(rig).values():
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    select_only(rig, *arm)
    _at(15)
    old = keys(rig)
    said = run(bpy.ops.retime.tween, toward="next", share=0.5)
    new = keys(rig)
    moved = {tuple(np.flatnonzero(np.abs(new[n][:, 1] - old[n][:, 1]) > 1e-4)) for n in new}
    assert moved <= {(), (1,)}, moved
    assert (1,) in moved
    assert any("at frame 10" in s for s in said), said


def check_loose_parts_swing():
    """Handles follow a swing; with Add Keys curves get the keys that it needs."""
    for make, bone, chain, joint in (
        (figure.rigify, "upper_arm_fk.R", {"upper_arm_fk.R", "forearm_fk.R", "hand_fk.R"},
         "DEF-forearm.R"),
        (lambda: people.person("metahuman"), "upperarm_l", {"upperarm_l", "lowerarm_l", "hand_l"},
         "lowerarm_l"),
    ):  # fmt: skip
        rig = make()
        select_only(rig, bone)
        name, before, old = rig.name, snapshot(), keys(rig)
        for add in (False, True):
            rig = bpy.context.scene.objects[name]

            def swing(add=add):
                return run(bpy.ops.retime.secondary, strength=1.0, add_keys=add)

            off, by, said = _shown_beside_wanted(rig, joint, swing)
            new = keys(rig)
            assert new.keys() == old.keys()
            grown = {n[0].split('"')[1] for n in new if len(new[n]) != len(old[n])}
            assert grown <= (chain if add else set()), grown
            assert max(len(rows) for rows in new.values()) < 0.75 * len(by)
            changed = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old[n])}
            assert changed == chain, changed
            assert any("swings by up to" in s for s in said), said
            assert by.max() > 10
            assert off.max() < 2.5, (add, off.max())
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
    scene = bpy.context.scene
    scene.use_preview_range, scene.retime.part = True, "PREVIEW"
    scene.frame_preview_start, scene.frame_preview_end = 13, 37
    _at(40)
    fails(bpy.ops.retime.tween, "outside the preview range, frames 13 to 37")
    _at(25)
    old = keys(rig)
    run(bpy.ops.retime.tween, toward="next", share=0.5)
    new = keys(rig)
    path = 'pose.bones["hand_ik.L"].location', 0
    off = np.abs(new[path] - old[path])
    assert off[2].max() > 0.01
    assert off[[0, 4]].max() < 1e-4, off  # beyond the range all stays


def check_settings_are_in_the_scene_s_units():
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
    # Lengths and accelerations are in units of the scene; the engine gets metres.
    scene.unit_settings.scale_length = 0.01
    assert abs(settings.hold.tolerance - 2.0) < 1e-5
    settings.hold.tolerance = 5.0
    settings.physics.gravity = 162.0
    assert abs(chosen(settings, "hold")["tolerance"] - 0.05) < 1e-6
    assert abs(chosen(settings, "physics")["gravity"] - 1.62) < 1e-6
    scene.unit_settings.scale_length = 1.0
    assert abs(settings.physics.gravity - 1.62) < 1e-5
    # A parameter of text is a menu.
    settings.surface.propagation = "septic"
    assert chosen(settings, "surface") == {"propagation": "septic"}
    # A moment is a frame of the scene.
    scene.render.fps = 24
    settings.stagger.use_relative_pose, settings.stagger.relative_pose = True, 20
    seen = SimpleNamespace(fps=24.0, time=lambda frame: (frame - 2) / 24)
    assert abs(chosen(settings, "stagger", seen)["relative_pose"] - 0.75) < 1e-6
    settings.tween.ease_length = -5
    assert abs(chosen(settings, "tween")["ease_length"] - 0.01) < 1e-6  # the least there is
