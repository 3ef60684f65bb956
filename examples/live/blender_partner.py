"""Shows what ``retime live --out vmc://127.0.0.1:39540`` sends on an armature in Blender.

Open this file in Blender's text editor, select an armature whose rest pose is a T-pose facing -Y
(VRM and Mixamo figures are), and press Run Script. Running it again stops it.
"""

import contextlib
import socket
import struct
import sys

import bpy
from mathutils import Quaternion, Vector

ADDRESS = ("127.0.0.1", 39540)
# Names of bones by those of the stream, where an armature's differ from them.
NAMES = {
    "Hips": ("mixamorig:Hips", "J_Bip_C_Hips"),
    "Spine": ("mixamorig:Spine", "J_Bip_C_Spine"),
    "Chest": ("mixamorig:Spine1", "J_Bip_C_Chest"),
    "UpperChest": ("mixamorig:Spine2", "J_Bip_C_UpperChest"),
    "Neck": ("mixamorig:Neck", "J_Bip_C_Neck"),
    "Head": ("mixamorig:Head", "J_Bip_C_Head"),
} | {
    f"{side}{part}": (f"mixamorig:{side}{mixamo}", f"J_Bip_{side[0]}_{part}")
    for side in ("Left", "Right")
    for part, mixamo in {
        "Shoulder": "Shoulder",
        "UpperArm": "Arm",
        "LowerArm": "ForeArm",
        "Hand": "Hand",
        "UpperLeg": "UpLeg",
        "LowerLeg": "Leg",
        "Foot": "Foot",
        "Toes": "ToeBase",
    }.items()
}


def bones_of(data):
    """Yield name, place and rotation of every bone in an OSC packet, in Blender's axes."""
    if data.startswith(b"#bundle\0"):
        place = 16
        while place + 4 <= len(data):
            (size,) = struct.unpack_from(">i", data, place)
            yield from bones_of(data[place + 4 : place + 4 + size])
            place += 4 + max(size, 0)
        return
    address, rest = _text(data)
    if address != "/VMC/Ext/Bone/Pos":
        return
    kinds, rest = _text(rest)
    name, rest = _text(rest)
    if kinds == ",sfffffff" and len(rest) >= 28:
        x, y, z, i, j, k, w = struct.unpack_from(">7f", rest)
        # Unity is left-handed with Y up; Blender is right-handed with Z up, figures face -Y.
        yield name, Vector((-x, -z, y)), Quaternion((w, i, k, -j))


def _text(data):
    end = data.index(b"\0")
    return data[:end].decode("utf-8", "replace"), data[(end // 4 + 1) * 4 :]


def pose(armature, data):
    """Put the bones of a packet on an armature."""
    for name, place, turn in bones_of(data):
        known = (name, *NAMES.get(name, ()))
        bone = next((armature.pose.bones[n] for n in known if n in armature.pose.bones), None)
        if bone is None:
            continue
        rest = bone.bone.matrix_local
        turned = rest.to_quaternion()
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = turned.inverted() @ turn @ turned
        if name == "Hips":
            bone.location = turned.inverted() @ (place - rest.translation)


class Listener:
    """Hears the stream and poses an armature, sixty times a second."""

    def __init__(self, armature, address=ADDRESS):
        self.armature = armature
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def tick(self):
        """Take the newest frame; return the seconds until the next look."""
        newest = None
        with contextlib.suppress(BlockingIOError):
            for _ in range(64):
                newest = self.socket.recv(65_535)
        if newest is not None:
            with contextlib.suppress(ValueError, struct.error):  # no packet of ours
                pose(self.armature, newest)
        return 1 / 60

    def stop(self):
        """Let go of the port."""
        if bpy.app.timers.is_registered(self.tick):
            bpy.app.timers.unregister(self.tick)
        self.socket.close()


def main():
    """Start, or stop what runs."""
    running = getattr(sys, "retime_listener", None)
    if running is not None:
        running.stop()
        sys.retime_listener = None
        print("retime: stopped")
        return
    armature = bpy.context.object
    if armature is None or armature.type != "ARMATURE":
        print("retime: select an armature first")
        return
    sys.retime_listener = Listener(armature)
    bpy.app.timers.register(sys.retime_listener.tick)
    print(f"retime: {armature.name} follows {ADDRESS[0]}:{ADDRESS[1]}; run again to stop")


if __name__ == "__main__":
    main()
