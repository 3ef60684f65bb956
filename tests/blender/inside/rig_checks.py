"""Checks on control rigs, inside Blender: a generated Rigify figure, keyed FK and IK."""

import bpy
import figure
import numpy as np
import people
import scenes
from checking import fails, run
from figure import FRAMES, select_only
from scenes import captured_once, curves, keys, part, results, snapshot

# Each operator for parts, the bones it is used on, and its options.
PARTS = {
    "shift": (["hand_ik.L"], {"frame": 25, "shift": -3}),
    "shift FK": (["hand_fk.R"], {"frame": 25, "shift": 3}),
    "stagger": (["upper_arm_fk.R", "forearm_fk.R", "hand_fk.R"], {"frames": 1.5}),
    "stagger IK": (["torso", "chest", "hand_ik.L"], {"frames": 1.0}),
    "stagger random": (["chest", "head", "hand_ik.L"], {"frames": 2.0, "random": True}),
    "succession": (["torso"], {"frames": 0.5}),
    "exaggerate": (["hand_ik.L", "upper_arm_fk.R", "forearm_fk.R"], {"amount": 0.4}),
    "exaggerate ALL": (["torso"], {"amount": 0.3, "only": "ALL"}),
    "hold_feet": (["torso"], {}),
}


def counts(rig):
    return {name: len(rows) for name, rows in keys(rig).items()}


def check_the_body_is_the_deform_skeleton():
    rig = figure.rigify()
    made = figure.rig_map(rig)
    assert made.is_control
    assert all(n.startswith("DEF-") for n in made.joints)
    assert made.roots == {"DEF-spine"}
    captured_once(rig, "rigify-body")
    for control, joint in (
        ("hand_ik.L", "DEF-hand.L"), ("upper_arm_ik_target.L", "DEF-hand.L"),
        ("foot_ik.R", "DEF-foot.R"), ("forearm_fk.R", "DEF-forearm.R"), ("torso", "DEF-spine"),
        ("chest", "DEF-spine.002"), ("head", "DEF-spine.006"),
    ):  # fmt: skip
        assert made.joint_of(control) == joint, (control, made.joint_of(control))


def check_the_whole_body_keeps_its_keys():
    rig = figure.rigify()
    before, old = snapshot(), counts(rig)
    wanted = {f: figure.place(rig, "DEF-hand.L", f) for f in FRAMES}
    bpy.context.scene.frame_set(1)
    seen = captured_once(rig, "rigify-source")
    for method in ("spline", "guided", "physics"):
        rig = bpy.context.scene.objects["rig"]
        run(bpy.ops.retime.to_length, frames=60, method=method)
        warp, _ = scenes.warp_of_last(seen)
        assert counts(rig) == old, method
        for frame, matrix in wanted.items():
            found = figure.place(rig, "DEF-hand.L", float(warp.body.output(frame)))
            assert np.abs(found - matrix).max() < 1e-4, (method, frame)
        assert bpy.context.scene.frame_end == 61
        scenes.undo()
        assert snapshot() == before


def check_parts_move_keys_of_controls():
    rig = figure.rigify()
    seen = captured_once(rig, "rigify-source")
    values = {n: [c.evaluate(f) for f in FRAMES] for n, c in curves(rig).items()}
    muted = [c.mute for b in rig.pose.bones for c in b.constraints]
    for name, (bones, options) in PARTS.items():
        rig = bpy.context.scene.objects["rig"]
        select_only(rig, *bones)
        before, old = snapshot(), keys(rig)
        run(getattr(bpy.ops.retime, name.split()[0]), **options)
        new = keys(rig)
        assert {n: len(r) for n, r in new.items()} == {n: len(r) for n, r in old.items()}, name
        assert [c.mute for b in rig.pose.bones for c in b.constraints] == muted, name
        moved = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old[n])}
        if name.startswith(("shift", "stagger", "exaggerate")):
            assert moved, name
        if name.startswith("shift"):
            assert bones[0] in moved, moved
        if name == "shift":
            assert "upper_arm_ik_target.L" in moved  # the pole keeps time with its hand
            assert "foot_ik.L" not in moved
        if not name.startswith(("exaggerate", "hold")):
            warp, _ = scenes.warp_of_last(seen)
            made, now = figure.rig_map(rig), curves(rig)
            for where, wanted in values.items():
                times = warp.of(made.channel(where[0])).output(np.array(FRAMES))
                found = [now[where].evaluate(float(t)) for t in times]
                assert np.abs(np.array(found) - wanted).max() < 1e-4, (name, where)
        scenes.undo()
        assert snapshot() == before, name


def check_exaggerated_controls_go_where_the_body_went():
    """What the rig shows at its keys is what the engine made of the body."""
    for joint, bones in (
        ("DEF-hand.L", ["hand_ik.L"]),
        ("DEF-hand.R", ["upper_arm_fk.R", "forearm_fk.R", "hand_fk.R"]),
    ):
        rig = figure.rigify()
        select_only(rig, *bones)
        before = np.array([figure.place(rig, joint, f)[:3, 3] for f in FRAMES])
        feet = figure.place(rig, "DEF-foot.L", 25)
        bpy.context.scene.frame_set(1)
        with results() as made:
            run(bpy.ops.retime.exaggerate, amount=0.5)
        frames = np.array(FRAMES, dtype=float)
        wanted = part("poses").Poses(made[0]).changed(joint, frames)[:, :3, 3]
        after = np.array([figure.place(rig, joint, f)[:3, 3] for f in FRAMES])
        assert np.linalg.norm(wanted - before, axis=1).max() > 0.1, joint
        assert np.linalg.norm(wanted - after, axis=1).max() < 0.01, joint
        assert np.abs(figure.place(rig, "DEF-foot.L", 25) - feet).max() < 1e-5


def check_a_deform_bone_stands_for_its_control():
    for bone in ("DEF-hand.L", "MCH-hand_ik.parent.L"):
        rig = figure.rigify()
        old = keys(rig)
        said = run(bpy.ops.retime.shift, bone=bone, frame=25, shift=-3)
        assert any("its control was edited" in s and "hand_ik.L" in s for s in said), said
        new = keys(rig)
        assert new.keys() == old.keys()
        path = 'pose.bones["hand_ik.L"].location'
        assert not np.array_equal(new[path, 0], old[path, 0])
    figure.rigify()
    fails(bpy.ops.retime.shift, "no bone", bone="tail", frame=25)


def check_baking_keys_controls_alone():
    rig = figure.rigify()
    old = counts(rig)
    bpy.context.scene.retime.apply = "BAKE"
    run(bpy.ops.retime.to_length, frames=60, method="spline")
    new = counts(rig)
    assert new.keys() == old.keys()
    assert set(new.values()) == {61}
    assert not any(
        c.mute for b in rig.pose.bones for c in b.constraints if c.type == "COPY_TRANSFORMS"
    )


def check_delays_are_clamped_and_told():
    rig = figure.rigify()
    select_only(rig, "upper_arm_fk.R", "forearm_fk.R", "hand_fk.R")
    said = run(bpy.ops.retime.stagger, frames=90.0)
    told = [s for s in said if "asked for" in s]
    assert told, said
    assert "90 asked for" in told[0]
    figure.rigify()
    said = run(bpy.ops.retime.succession, bone="torso", frames=200.0)
    assert any("asked for" in s for s in said), said
    for sentence in said:
        assert "second" not in sentence, sentence
        assert "step " not in sentence, sentence


def check_sparse_keys_are_snapped():
    rig = figure.rigify()
    bpy.context.scene.retime.snap = True
    old = counts(rig)
    run(bpy.ops.retime.to_length, frames=59, method="guided")
    assert counts(rig) == old
    for rows in keys(rig).values():
        assert np.array_equal(rows[:, 0], np.round(rows[:, 0]))
        assert (np.diff(rows[:, 0]) > 0).all()
        # Handles lie on their own side of the key.
        assert (rows[:, 2] <= rows[:, 0]).all()
        assert (rows[:, 4] >= rows[:, 0]).all()


def check_ik_rigs_of_other_names():
    """Parts are found by constraints, whatever controls are called."""
    for scheme, called in people.CONTROLS.items():
        rig = people.ik_person(scheme)
        made = figure.rig_map(rig)
        limbs = people.limbs_of(scheme)
        hand = limbs[0][0]
        ik, pole = called.format(hand), called.format(f"{hand}_pole")
        assert made.is_control
        assert set(made.joints) >= set(people.body_of(scheme)), scheme
        assert {made.joint_of(ik), made.joint_of(pole)} == {hand}, scheme
        assert part("rig").ends_of_ik(rig, made) == {end for end, *_ in limbs}, scheme
        old = keys(rig)
        head = called.format(people.body_of(scheme)[4])
        bpy.context.scene.cursor.location = figure.place(rig, hand, 10)[:3, 3] + [0.03, -0.05, 0.04]
        bpy.context.scene.frame_set(10)
        for name, bones, options in (
            ("shift", [ik], {"frame": 10, "shift": -2}), ("stagger", [head, ik], {"frames": 1.0}),
            ("exaggerate", [ik], {"amount": 0.4}), ("tween", [ik], {"toward": "next"}),
            ("reach", [ik], {}), ("ease", [ik], {"preset": "hold"}), ("secondary", [head], {}),
        ):  # fmt: skip
            rig = bpy.context.scene.objects["figure"]
            select_only(rig, *bones)
            said = run(getattr(bpy.ops.retime, name), **options)
            new = keys(rig)
            assert {n: len(r) for n, r in new.items()} == {n: len(r) for n, r in old.items()}, name
            moved = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old[n])}
            assert bones[-1] in moved, (scheme, name, moved)
            assert name != "shift" or pole in moved, (scheme, moved)
            if name == "reach":
                away = figure.place(rig, hand, 10)[:3, 3] - bpy.context.scene.cursor.location
                assert np.linalg.norm(away) < 0.005, (scheme, away, said)
                bpy.context.scene.frame_set(10)
            scenes.undo()
