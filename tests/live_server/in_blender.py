"""Run inside Blender: the example poses an armature from a datagram that comes over a socket."""

# mypy: ignore-errors
import importlib.util
import socket
import struct
from pathlib import Path

import bpy

path = Path(__file__).parents[2] / "examples" / "live" / "blender_partner.py"
spec = importlib.util.spec_from_file_location("blender_partner", path)
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)

armature = bpy.data.objects.new("Figure", bpy.data.armatures.new("Figure"))
bpy.context.collection.objects.link(armature)
bpy.context.view_layer.objects.active = armature
bpy.ops.object.mode_set(mode="EDIT")
parent = None
for name, head, tail in (
    ("Hips", (0, 0, 1), (0, 0, 1.2)),
    ("mixamorig:LeftArm", (0.2, 0, 1.4), (0.5, 0, 1.4)),
    ("mixamorig:LeftForeArm", (0.5, 0, 1.4), (0.8, 0, 1.4)),
):
    bone = armature.data.edit_bones.new(name)
    bone.head, bone.tail, bone.parent = head, tail, parent
    parent = bone
bpy.ops.object.mode_set(mode="POSE")


def message(name, *values):
    def text(s):
        return s.encode() + b"\0" * (4 - len(s) % 4)

    return text("/VMC/Ext/Bone/Pos") + text(",sfffffff") + text(name) + struct.pack(">7f", *values)


half = 0.5**0.5
parts = [
    message("Hips", 0, 1, 0, 0, 0, 0, 1),
    message("LeftUpperArm", 0, 0, 0, 0, 0, -half, half),
]
bundle = b"#bundle\0" + struct.pack(">Q", 1)
bundle += b"".join(struct.pack(">i", len(p)) + p for p in parts)

listener = example.Listener(armature, ("127.0.0.1", 0))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    out.sendto(b"nonsense", listener.socket.getsockname())
    out.sendto(bundle, listener.socket.getsockname())
listener.tick()
listener.stop()
bpy.context.view_layer.update()
hand = armature.pose.bones["mixamorig:LeftForeArm"].tail
assert abs(hand.x - 0.2) < 1e-4, hand
assert abs(hand.z - 2.0) < 1e-4, hand
print("the left hand is above the shoulder")
