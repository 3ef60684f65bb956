"""Running checks inside Blender: each is a function; a line of JSON says how it went."""

import json
import sys
import time
import traceback

import bpy
import scenes
from scenes import part, snapshot

SAID = []


def listen():
    """Keep what operators report, which Blender itself only prints."""
    job = part("jobs").Job
    finished = job._finished

    def heard(self, notes):
        SAID[:] = list(notes or ())
        return finished(self, notes)

    job._finished = heard


def run(operator, **options):
    """Run an operator with an undo step, as a button does; return what it reported."""
    SAID.clear()
    assert operator("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return list(SAID)


def fails(operator, *words, **options):
    """Run an operator that must refuse: Blender reports, and the scene is as it was."""
    before = snapshot()
    try:
        operator("EXEC_DEFAULT", True, **options)
    except RuntimeError as e:
        text = str(e)
    else:
        raise AssertionError("it did not refuse")
    assert all(w in text for w in words), text
    assert text.startswith("Error: "), text
    assert snapshot() == before, "the scene changed"
    return text


def with_sound(check):
    """Mark a check that needs a Blender with sound."""
    check.needs_sound = True
    return check


def main(*modules):
    """Install the extension and run the checks of modules: those named, or all."""
    scenes.install()
    listen()
    wanted = sys.argv[1:]
    checks = {n: c for m in modules for n, c in vars(m).items() if n.startswith("check_")}
    for name, check in checks.items():
        if wanted and name not in wanted:
            continue
        begun = time.perf_counter(), time.process_time()
        said, skipped = "", ""
        if getattr(check, "needs_sound", False) and not bpy.app.build_options.audaspace:
            skipped = "this Blender was built without sound"
        else:
            try:
                check()
            except Exception:
                said = traceback.format_exc()
        line = {"check": name, "said": said, "skipped": skipped}
        line["seconds"] = round(time.perf_counter() - begun[0], 2)
        line["busy"] = round(time.process_time() - begun[1], 2)
        print("CHECK " + json.dumps(line), flush=True)
    part("engine_process").stop_engine()
    bpy.ops.wm.read_homefile(use_empty=True)
