"""Checks of single operators inside Blender, on motion capture and a small rig."""

import json
import os
import time
from types import SimpleNamespace

import bpy
import numpy as np
import scenes
from checking import fails, run
from scenes import OUT, base, capture, captured_once, choose, curves, keys, part, snapshot


def check_it_is_installed_and_enabled():
    assert scenes.NAME in bpy.context.preferences.addons
    assert hasattr(bpy.types, "RETIME_PT_view_main")
    assert hasattr(bpy.types, "RETIME_PT_dope_main")
    for name in ("to_length", "keytimes", "reference", "shift", "stagger", "succession",
                 "exaggerate", "hold_feet", "check", "import_warp", "import_recipe", "remove",
                 "install_engine", "sync", "mark_beats", "tween", "ease", "reach",
                 "secondary"):  # fmt: skip
        assert getattr(bpy.ops.retime, name).get_rna_type().name, name


def check_capture_of_a_bvh():
    captured_once(base(), "bvh-source")


def check_rekey_to_length():
    armature = base()
    before, old = snapshot(), keys(armature)
    seen = captured_once(armature, "rekey-source")
    run(bpy.ops.retime.to_length, frames=300, method="guided")
    scene = bpy.context.scene
    warp, _ = scenes.warp_of_last(seen)
    new = keys(armature)
    assert set(new) == set(old)
    for name, rows in new.items():
        assert len(rows) == len(old[name]), "keys were added or lost"
        wanted = warp.body.output(old[name][:, 0])
        assert np.abs(rows[:, 0] - wanted).max() < 1e-3
        assert np.array_equal(rows[:, 1], old[name][:, 1])
    for name, frame in (("push", 120), ("land", 260)):
        wanted = round(float(warp.body.output(frame)))
        assert scene.timeline_markers[name].frame == wanted != frame
    assert (scene.frame_start, scene.frame_end) == (1, 302)  # 1 to 409 before, the motion to 408
    source = np.arange(seen.first, seen.last + 1, 9, dtype=float)
    scenes.poses_at(armature, warp.body.output(source), "rekey-result")
    scenes.undo()
    assert snapshot() == before


def check_bake_to_length():
    armature = base()
    before = snapshot()
    captured_once(armature, "bake-source")
    bpy.context.scene.retime.apply = "BAKE"
    bpy.ops.ed.undo_push(message="set")
    run(bpy.ops.retime.to_length, frames=300, method="spline")
    capture(armature, "bake-result")
    for curve in curves(armature).values():
        assert len(curve.keyframe_points) == 301
    scenes.undo()
    assert snapshot() == before


def check_physics_to_length():
    armature = base()
    before = snapshot()
    captured_once(armature, "physics-source")
    bpy.context.scene.retime.apply = "BAKE"
    bpy.context.scene.retime.physics.gravity = 5.0
    bpy.ops.ed.undo_push(message="set")
    run(bpy.ops.retime.to_length, frames=450, method="physics")
    capture(armature, "physics-result")
    scenes.undo()
    assert snapshot() == before


def check_strip_and_its_removal():
    armature = base()
    before, scene = snapshot(), bpy.context.scene
    seen = captured_once(armature, "nla-source")
    scene.retime.apply = "NLA"
    bpy.ops.ed.undo_push(message="set")
    run(bpy.ops.retime.to_length, frames=300, method="spline")
    warp, _ = scenes.warp_of_last(seen)
    assert armature.animation_data.action is None
    strip = armature.animation_data.nla_tracks["Retime"].strips[0]
    assert strip.use_animated_time
    assert len(strip.fcurves.find("strip_time").keyframe_points) < 20
    source = np.arange(seen.first, seen.last + 1, 9, dtype=float)
    scenes.poses_at(armature, warp.body.output(source), "nla-result")
    # A second retiming moves the strip's own keys.
    count = len(strip.fcurves.find("strip_time").keyframe_points)
    run(bpy.ops.retime.to_length, frames=600, method="spline")
    strip = armature.animation_data.nla_tracks["Retime"].strips[0]
    assert len(strip.fcurves.find("strip_time").keyframe_points) == count
    assert abs(strip.frame_end - 601) < 1e-3
    assert scene.frame_end == 602
    scenes.poses_at(armature, 1 + 2 * (warp.body.output(source) - 1), "nla-twice")
    fails(bpy.ops.retime.hold_feet, "is a strip")
    run(bpy.ops.retime.remove)
    assert snapshot() == before
    fails(bpy.ops.retime.remove, "no retiming strip")


def check_strip_of_parts():
    armature = base()
    before = snapshot()
    captured_once(armature, "partstrip-source")
    bpy.context.scene.retime.apply = "NLA"
    bpy.ops.ed.undo_push(message="set")
    run(bpy.ops.retime.shift, bone="RightHand", frame=200, shift=-12)
    assert armature.animation_data.action is None
    capture(armature, "partstrip-result")
    assert "16_06 retimed" in bpy.data.actions
    run(bpy.ops.retime.remove)
    assert snapshot() == before


def check_keytimes_from_markers():
    armature = base()
    scene = bpy.context.scene
    seen = captured_once(armature, "keytimes-source")
    fails(bpy.ops.retime.keytimes, "pinned")
    run(bpy.ops.retime.pin_markers)
    fails(bpy.ops.retime.keytimes, "moved")
    scene.timeline_markers["push"].frame = 150
    bpy.ops.ed.undo_push(message="dragged")
    before = snapshot()
    run(bpy.ops.retime.keytimes, method="spline")
    assert scene.timeline_markers["push"].frame == 150
    assert scene.timeline_markers["land"].frame == 260
    scenes.poses_at(armature, [150.0, 260.0], "keytimes-result")
    assert [p.frame for p in scene.retime.pins] == [150, 260]
    assert seen.last == 408
    scenes.undo()
    assert snapshot() == before


def check_reference_action():
    armature = base()
    action, slot = armature.animation_data.action, part("actions").animation_of(armature).slot
    slow = part("actions").animation_of(armature).own_copy()
    slow.action.name = "slow take"
    slow.action.use_fake_user = True
    for curve in slow.keyed_curves:
        rows = part("keys").Keys.read(curve)
        for name in ("co", "handle_left", "handle_right"):
            rows.arrays[name][:, 0] = 1 + (rows.arrays[name][:, 0] - 1) * 500 / 407
        rows.write(curve)
    part("actions").assign(armature, action, None if slot is None else slot.identifier)
    bpy.context.scene.retime.reference = slow.action
    bpy.context.scene.retime.apply = "BAKE"
    bpy.ops.ed.undo_push(message="set")
    before = snapshot()
    run(bpy.ops.retime.reference, how="ALIGN")
    _, first, last = part("retiming").action_span(armature)
    assert abs((last - first) - 500) <= 2, (first, last)
    scenes.undo()
    assert snapshot() == before
    armature = bpy.context.scene.objects["16_06"]
    run(bpy.ops.retime.reference, action="slow take", how="KEEP")
    _, first, last = part("retiming").action_span(armature)
    assert (first, last) == (1, 408)
    scenes.undo()
    assert snapshot() == before
    own = bpy.context.scene.objects["16_06"].animation_data.action.name
    fails(bpy.ops.retime.reference, "the motion itself", action=own)
    bpy.context.scene.retime.reference = None
    fails(bpy.ops.retime.reference, "no reference")


def check_parts():
    """Each tool for parts, baked for an exact comparison, then undone."""
    armature = base()
    captured_once(armature, "parts-source")
    bpy.context.scene.retime.apply = "BAKE"
    data = armature.data
    for bone in armature.pose.bones:
        wanted = bone.name in ("LeftArm", "LeftForeArm", "LeftHand")
        if hasattr(bone, "select"):
            bone.select = wanted
        else:
            bone.bone.select = wanted
    data.bones.active = data.bones["LeftArm"]
    bpy.ops.ed.undo_push(message="set")
    before = snapshot()
    tools = (
        ("shift", {"bone": "RightHand", "frame": 200, "shift": -12}),
        ("succession", {"frames": 3.0, "power": 1.5}),
        ("stagger", {"frames": 2.0}),
        ("exaggerate", {"amount": 0.3}),
        ("hold_feet", {}),
        ("secondary", {"strength": 0.8}),
    )
    for name, options in tools:
        run(getattr(bpy.ops.retime, name), **options)
        capture(bpy.context.scene.objects["16_06"], f"{name}-result")
        scenes.undo()
        assert snapshot() == before, name


def check_a_wide_stagger_stops_short_of_the_next_pose():
    armature = base()
    for bone in armature.pose.bones:
        wanted = bone.name in ("LeftArm", "LeftForeArm", "LeftHand")
        if hasattr(bone, "select"):
            bone.select = wanted
        else:
            bone.bone.select = wanted
    before = keys(armature)
    assert any("of the 60 asked for" in s for s in run(bpy.ops.retime.stagger, frames=60.0))
    assert keys(armature).keys() == before.keys()


def check_the_scene_range_keeps_what_others_need():
    scenes.rig()  # all is animated from frame 1 to 61
    scene = bpy.context.scene
    run(bpy.ops.retime.to_length, frames=30, method="spline")
    assert (scene.frame_start, scene.frame_end) == (1, 61)  # the ball was left as it is
    scenes.rig()
    scene = bpy.context.scene
    scene.frame_end = 40
    run(bpy.ops.retime.to_length, frames=30, method="spline")
    assert scene.frame_end == 40  # no more of the ball than was shown before
    scenes.rig()
    scene = bpy.context.scene
    scene.retime.others = True
    scene.objects["ball"].select_set(True)
    run(bpy.ops.retime.to_length, frames=30, method="spline")
    assert scene.frame_end == 31


def check_parts_rekeyed():
    armature = base()
    seen = captured_once(armature, "shift-source")
    old = keys(armature)
    run(bpy.ops.retime.shift, bone="RightHand", frame=200, shift=-12)
    warp, _ = scenes.warp_of_last(seen)
    graph = warp.of("RightHand")
    assert abs(float(graph.output(200)) - 188) < 1e-3
    new = keys(armature)
    path = 'pose.bones["RightHand"].rotation_euler'
    for k in range(3):
        assert len(new[path, k]) == len(old[path, k])
        wanted = graph.output(old[path, k][:, 0])
        assert np.abs(new[path, k][:, 0] - wanted).max() < 1e-3
    assert any(len(new[n]) == len(old[n]) for n in new)
    assert bpy.context.scene.frame_end == 409


def check_hold_feet_bakes_legs_alone():
    armature = base()
    old = keys(armature)
    run(bpy.ops.retime.hold_feet)
    new = keys(armature)
    changed = {n[0].split('"')[1] for n in new if not np.array_equal(new[n], old.get(n))}
    assert changed, "nothing was held"
    assert all("Leg" in b or "Foot" in b or "Toe" in b or "Hip" in b for b in changed), changed
    assert np.array_equal(new['pose.bones["Head"].rotation_euler', 0],
                          old['pose.bones["Head"].rotation_euler', 0])  # fmt: skip


def check_checking():
    armature = base()
    seen = captured_once(armature, "check-source")
    run(bpy.ops.retime.check)
    scene = bpy.context.scene
    found = {m.name: m.text for m in scene.retime.measures}
    (OUT / "check.json").write_text(json.dumps(found))
    assert "Foot skate" in found
    marks = [m for m in scene.timeline_markers if m.name.startswith("retime: ")]
    assert all(seen.first <= m.frame <= seen.last for m in marks)
    run(bpy.ops.retime.mark_poses)
    assert len([m for m in scene.timeline_markers if m.name.startswith("retime: pose")]) > 3
    run(bpy.ops.retime.clear_marks)
    assert sorted(m.name for m in scene.timeline_markers) == ["land", "push"]


def check_files():
    armature = base()
    bpy.context.scene.retime.apply = "BAKE"
    bpy.ops.ed.undo_push(message="set")
    before = snapshot()
    captured_once(armature, "files-source")
    for kind in ("warp", "recipe"):
        operator = getattr(bpy.ops.retime, f"import_{kind}")
        run(operator, filepath=str(OUT / f"given-{kind}.json"))
        capture(bpy.context.scene.objects["16_06"], f"files-{kind}")
        scenes.undo()
        assert snapshot() == before
        fails(operator, f"is not a {kind} file of retime", filepath=str(OUT / "given-other.json"))
        fails(operator, "cannot be read", filepath=str(OUT / "absent.json"))


def check_holds_cuts_and_backwards():
    """Keys follow warps that stand still, jump and run backwards."""
    for name in ("hold", "cut", "backwards"):
        armature = base()
        path = 'pose.bones["LeftArm"].rotation_euler'
        curve = curves(armature)[path, 0]
        old = {f: curve.evaluate(f) for f in range(1, 409)}
        seen = captured_once(armature, "odd-source")
        run(bpy.ops.retime.import_warp, filepath=str(OUT / f"given-{name}.json"))
        warp, _ = scenes.warp_of_last(seen)
        curve = curves(armature)[path, 0]
        for frame in range(1, int(warp.output_range[1]), 7):
            source = float(warp.body.source(frame))
            low = int(np.floor(source + 1e-4))
            wanted = old[low] + (source - low) * (old.get(low + 1, old[low]) - old[low])
            assert abs(curve.evaluate(frame) - wanted) < 2e-3, (name, frame, source)


def check_a_game_character():
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.render.fps = 24  # the file's own keys lie on whole frames then
    bpy.ops.import_scene.gltf(filepath=str(scenes.SHARED / "samples/khronos_CesiumMan.glb"))
    armature = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    choose(armature)
    bpy.context.scene.retime.apply = "REKEY"
    bpy.ops.ed.undo_push(message="set")
    seen = capture(armature, "glb-source")
    before, old = snapshot(), keys(armature)
    run(bpy.ops.retime.to_length, frames=90, method="guided")
    warp, _ = scenes.warp_of_last(seen)
    new = keys(armature)
    assert {n: len(v) for n, v in new.items()} == {n: len(v) for n, v in old.items()}
    source = np.arange(seen.first, seen.last + 1, 4, dtype=float)
    scenes.poses_at(armature, warp.body.output(source), "glb-result")
    scenes.undo()
    assert snapshot() == before
    armature = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    bpy.context.scene.retime.apply = "BAKE"
    run(bpy.ops.retime.exaggerate, amount=0.3, only="ALL")
    capture(armature, "glb-exaggerate")


def check_rig_controls_and_what_goes_along():
    armature = scenes.rig()
    scene, objects = bpy.context.scene, bpy.context.scene.objects
    scene.retime.others = True
    objects["ball"].select_set(True)
    bpy.ops.ed.undo_push(message="selected")
    before = snapshot()
    blocks = [armature, objects["face"].data.shape_keys, objects["ball"]]
    old = [keys(b) for b in blocks]
    counts = [{n: len(v) for n, v in k.items()} for k in old]
    seen = capture(armature, "rig-source")
    run(bpy.ops.retime.to_length, frames=90, method="spline")
    warp, _ = scenes.warp_of_last(seen)
    for block, was, count in zip(blocks, old, counts, strict=True):
        now = keys(block)
        assert {n: len(v) for n, v in now.items()} == count
        for name, rows in now.items():
            assert np.abs(rows[:, 0] - warp.body.output(was[name][:, 0])).max() < 1e-4, name
    assert any("constraints" in n[0] for n in old[0])
    assert scene.timeline_markers["beat"].frame == 46
    assert (scene.frame_start, scene.frame_end) == (1, 91)
    scenes.poses_at(armature, [1.0, 31.0, 91.0], "rig-result")
    scenes.undo()
    assert snapshot() == before
    # The same as strips, and away again.
    armature = bpy.context.scene.objects["rig"]
    bpy.context.scene.retime.apply = "NLA"
    run(bpy.ops.retime.to_length, frames=90, method="spline")
    assert len([b for b in blocks_of() if part("nla").track_of(b)]) == 3
    run(bpy.ops.retime.remove)
    assert snapshot() == before
    # Parts: a constraint hides what is keyed, which is said, or muted when asked.
    bpy.context.scene.retime.apply = "BAKE"
    bpy.context.scene.retime.mute = True
    run(bpy.ops.retime.to_length, frames=90, method="spline")
    assert bpy.context.scene.objects["rig"].pose.bones["Shin"].constraints[0].mute


def blocks_of():
    objects = bpy.context.scene.objects
    return [objects["rig"], objects["face"].data.shape_keys, objects["ball"]]


def check_few_keys_stay_few():
    armature = scenes.rig()
    scene = bpy.context.scene
    scene.timeline_markers["beat"].frame = 21
    run(bpy.ops.retime.pin_markers)
    scene.timeline_markers["beat"].frame = 41
    path = 'pose.bones["Spine"].rotation_euler'
    curve = curves(armature)[path, 0]
    source = {f: curve.evaluate(f) for f in np.arange(1, 61.01, 0.25)}
    bpy.ops.ed.undo_push(message="set")
    off = {}
    for refine in (False, True):
        armature = bpy.context.scene.objects["rig"]
        bpy.context.scene.retime.refine = refine
        seen = capture(armature, "few-source")
        run(bpy.ops.retime.keytimes, method="spline")
        warp, _ = scenes.warp_of_last(seen)
        curve = curves(armature)[path, 0]
        count = len(curve.keyframe_points)
        assert (count == 3) != refine, count
        strays = [abs(curve.evaluate(float(warp.body.output(f))) - v) for f, v in source.items()]
        off[refine] = max(strays)
        at = [abs(curve.evaluate(float(warp.body.output(f))) - source[f]) for f in (1, 21, 61)]
        assert max(at) < 1e-4
        scenes.undo()
    assert off[True] < 0.004 < off[False] < 0.2, off


def check_bad_input():
    base()
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    choose(empty)
    fails(bpy.ops.retime.to_length, "no armature")
    bare = bpy.data.objects.new("bare", bpy.data.armatures.new("bare"))
    bpy.context.scene.collection.objects.link(bare)
    choose(bare)
    fails(bpy.ops.retime.to_length, "no action")
    bare.animation_data_create().action = bpy.data.actions.new("nothing")
    fails(bpy.ops.retime.to_length, "no action" if hasattr(bare.animation_data, "action_slot")
          else "empty")  # fmt: skip
    armature = choose(bpy.context.scene.objects["16_06"])
    found = part("actions").animation_of(armature)
    for curve in found.curves:
        curve.keyframe_points.clear()
    fails(bpy.ops.retime.to_length, "empty")
    armature = base()
    fails(bpy.ops.retime.shift, "no bone", bone="Tail", frame=100)
    fails(bpy.ops.retime.shift, "outside", bone="Head", frame=5000)
    bpy.context.scene.retime.part = "PREVIEW"
    fails(bpy.ops.retime.to_length, "preview range")
    bpy.context.scene.retime.part = "ALL"
    fails(bpy.ops.retime.to_length, "speed", frames=2, method="guided")
    fails(bpy.ops.retime.install_engine, "no engine for Python")  # built without its wheel


def check_linked_data():
    armature = base()
    scene = bpy.context.scene
    path = str(OUT / "linked.blend")
    bpy.data.libraries.write(path, {armature.animation_data.action, armature}, fake_user=True)
    own = armature.animation_data.action
    with bpy.data.libraries.load(path, link=True) as (_, here):
        here.actions, here.objects = ["16_06"], ["16_06"]
    linked = next(a for a in bpy.data.actions if a.library is not None)
    part("actions").assign(armature, linked)
    bpy.ops.ed.undo_push(message="linked")
    fails(bpy.ops.retime.to_length, "linked from another file")
    part("actions").assign(armature, own)
    other = next(o for o in bpy.data.objects if o.library is not None)
    scene.collection.objects.link(other)
    choose(other)
    fails(bpy.ops.retime.to_length, "linked from another file")


def check_shared_action():
    armature = base()
    action = armature.animation_data.action
    slot = getattr(armature.animation_data, "action_slot", None)
    twin = armature.copy()
    bpy.context.scene.collection.objects.link(twin)
    part("actions").assign(twin, action, None if slot is None else slot.identifier)
    bpy.context.scene.retime.shared = "STOP"
    choose(armature)
    fails(bpy.ops.retime.to_length, "also used by", frames=300, method="spline")
    bpy.context.scene.retime.shared = "COPY"
    theirs = keys(twin)
    run(bpy.ops.retime.to_length, frames=300, method="spline")
    assert twin.animation_data.action == action
    assert armature.animation_data.action != action
    assert all(np.array_equal(v, theirs[n]) for n, v in keys(twin).items())
    assert max(v[-1, 0] for v in keys(armature).values()) == 301


def check_an_engine_that_dies():
    base()
    process = part("engine_process")
    process.stop_engine()
    os.environ["RETIME_ENGINE"], good = str(OUT / "dying-engine"), os.environ["RETIME_ENGINE"]
    try:
        fails(bpy.ops.retime.to_length, "engine ended", frames=300, method="spline")
        os.environ["RETIME_ENGINE"] = str(OUT / "old-engine")
        fails(bpy.ops.retime.to_length, "protocol", frames=300, method="spline")
        os.environ["RETIME_ENGINE"] = str(OUT / "absent")
        fails(bpy.ops.retime.to_length, "no retime at", frames=300, method="spline")
    finally:
        os.environ["RETIME_ENGINE"] = good
    run(bpy.ops.retime.to_length, frames=300, method="spline")


class Driven:
    """What makes an operator run as a window drives it; without one, this sends the events."""

    def attach(self, context):
        """No window sends events; Blender would keep a handler of an operator that is gone."""

    def execute(self, context):
        self.begin(context)
        words, longest = [], 0.0
        while True:
            word = context.window_manager.retime_word
            if word and word not in words:
                words.append(word)
            esc = bool(self.cancel_at) and self.cancel_at in word
            event = SimpleNamespace(type="ESC" if esc else "TIMER", value="PRESS")
            begun = time.perf_counter()
            state = self.modal(context, event)
            longest = max(longest, time.perf_counter() - begun)
            if state != {"RUNNING_MODAL"}:
                DRIVEN.update(words=words, state=state, longest=longest)
                return state


DRIVEN = {}


def check_progress_and_cancelling():
    base()
    # A copy, for Blender forgets an operator with one that was made from it.
    real = part("operators.whole_body").RETIME_OT_to_length
    fields = {"bl_idname": "retime.driven", "bl_label": "Driven", "recipe": real.recipe}
    fields["__annotations__"] = {
        **real.__annotations__, "cancel_at": bpy.props.StringProperty(options={"SKIP_SAVE"})
    }  # fmt: skip
    bases = (Driven, part("retiming").Retiming, bpy.types.Operator)
    cls = type("RETIME_OT_driven", bases, fields)
    bpy.utils.register_class(cls)
    scene, process = bpy.context.scene, part("engine_process")
    scene.frame_set(77)
    bpy.ops.ed.undo_push(message="frame")
    before = snapshot()
    try:
        for word, method in (("Reading the pose", "guided"), ("Finding", "physics")):
            bpy.ops.retime.driven("EXEC_DEFAULT", True, frames=450, method=method, cancel_at=word)
            assert DRIVEN["state"] == {"CANCELLED"}
            assert word in DRIVEN["words"][-1]
            assert snapshot() == before
            assert process._running is None
        assert bpy.context.window_manager.retime_word == ""
        bpy.ops.retime.driven("EXEC_DEFAULT", True, frames=300, method="guided")
        assert DRIVEN["state"] == {"FINISHED"}
        assert len(DRIVEN["words"]) >= 3, DRIVEN
        assert scene.frame_end == 302
        assert scene.frame_current == 77
        scenes.undo()
        assert snapshot() == before
    finally:
        bpy.utils.unregister_class(cls)
