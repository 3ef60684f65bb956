"""A streamed performer: assemble frames from packets, and joint positions from bones."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.live_server.humanoid import BONE_NAMES, nearest_parent
from retime.live_server.vmc import Bone, Packet
from retime.methods.align.joints import stand_ins

# A stamp this much earlier than the last (s) is a sender that restarted, not a late packet; one
# this much later than the elapsed time belongs to another sender.
_RESTART = 1.0
# A sender's clock that stands still for this long (s) while packets arrive is not used.
_STALLED = 0.25
# A frame that seems to be older than this when it comes, or to come from the future, has a stamp of
# another clock, seconds.
_MOST_LATENCY = 0.25
# A bone that is not heard of for so long is no longer expected in a frame, seconds.
_EXPECTED = 0.5
# How the sender's clock lies to ours is told by the quickest packet of the last second: clocks
# drift, and some senders count frames instead of time.
_QUICKEST_OF = 1.0
# A bone that did not come is where it was, for so long, seconds. Then it is unknown with all that
# hang from it, and after so long its figure does without it.
_HELD, _MISSED = 0.1, 2.0
_ROOT: Bone = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Frame:
    """The bones of one moment."""

    time: float
    """The sender's clock, seconds."""
    moment: float
    """The same moment by this machine's clock, the network's jitter taken out."""
    bones: Mapping[str, Bone]
    """Bones by role."""
    root: Bone | None
    """Where the figure's root is, if that came."""


class Assembler:
    """Assemble frames from packets: a sender may put a frame into one datagram or into many.

    A frame is whole when all bones came that this sender sends, when a bone comes again, or when
    the sender's clock has moved on; :meth:`flush` ends one that waits for a lost packet.
    """

    def __init__(self) -> None:
        self.late = 0
        self._forget()

    def _forget(self) -> None:
        self._bones: dict[str, Bone] = {}
        self._root: Bone | None = None
        self._time: float | None = None
        self._came = 0.0
        self._arrival = 0.0
        self._last_time = -math.inf
        self._heard: dict[str, float] = {}
        self._cycled = False
        self._offset: float | None = None
        self._offsets: deque[tuple[float, float]] = deque()
        self._advanced_at = math.inf

    @property
    def _stamped(self) -> bool:
        return self._last_time > -math.inf

    @property
    def waits(self) -> bool:
        """Whether an incomplete frame has been received."""
        return bool(self._bones)

    def restart(self) -> None:
        """Forget a sender that was replaced by another one."""
        self._forget()

    def add(self, packet: Packet, arrival: float) -> list[Frame]:
        """Add a packet that arrived at a time of this machine's clock; return complete frames."""
        if packet.time is not None and self._clock_stands(packet.time, arrival):
            packet = replace(packet, time=None)
        if packet.time is not None and self._is_late(packet, packet.time, arrival):
            self.late += 1
            return []
        done = self.flush() if self._bones and self._begins(packet) else []
        if packet.time is not None and not packet.bones:
            self._time = packet.time  # in a datagram of its own: of the bones that follow
        if packet.root is not None:
            self._root = packet.root
        if packet.bones:
            self._take_bones(packet, arrival)
            if self._is_whole(arrival):
                done += self.flush()
        return done

    def _begins(self, packet: Packet) -> bool:
        """Return whether a packet is of the next frame: it has another time, or repeats a bone."""
        other_time = None not in (packet.time, self._time) and packet.time != self._time
        return other_time or any(role in self._bones for role in packet.bones)

    def _clock_stands(self, time: float, arrival: float) -> bool:
        """Return whether the sender's clock stops, or is set back, while packets arrive."""
        behind = self._last_time - time
        return 0 <= behind < _RESTART and arrival - self._advanced_at > _STALLED

    def _is_late(self, packet: Packet, time: float, arrival: float) -> bool:
        """Return whether a packet's frame is over; a sender that restarted is forgotten."""
        behind = self._last_time - time
        passed = arrival - self._arrival
        if behind >= _RESTART or (self._stamped and -behind > passed + _RESTART):
            self._forget()
            return False
        return bool(packet.bones) and (behind > 0 or (behind == 0 and not self._bones))

    def _take_bones(self, packet: Packet, arrival: float) -> None:
        self._arrival = arrival
        if not self._bones:
            self._came = arrival
        if packet.time is not None:
            self._time = packet.time
        self._bones.update(packet.bones)
        # The number of bones is not known until one of them arrives a second time.
        self._cycled = self._cycled or any(role in self._heard for role in packet.bones)
        for role in packet.bones:
            self._heard[role] = arrival

    def _is_whole(self, arrival: float) -> bool:
        expected = {r for r, t in self._heard.items() if arrival - t <= _EXPECTED}
        return self._cycled and expected <= self._bones.keys()

    def flush(self) -> list[Frame]:
        """End the incomplete frame and return it, if there is one."""
        if not self._bones:
            return []
        stamped = self._time is not None and self._time > self._last_time
        if stamped and self._time is not None:
            self._synchronise(self._came - self._time, self._came)
            self._advanced_at = self._came
        offset = self._offset or 0.0
        time = self._time if stamped and self._time is not None else self._came - offset
        self._last_time = max(self._last_time, time)
        frame = Frame(time, time + offset, self._bones, self._root)
        self._bones, self._time = {}, None
        return [frame]

    def _synchronise(self, offset: float, now: float) -> None:
        """Learn how the sender's clock lies to ours: the quickest packets tell it."""
        if self._offset is not None and abs(offset - self._offset) > _MOST_LATENCY:
            self._offsets.clear()
        # Only offsets that are less than all later ones can be the least of a window.
        while self._offsets and self._offsets[-1][1] >= offset:
            self._offsets.pop()
        self._offsets.append((now, offset))
        while now - self._offsets[0][0] > _QUICKEST_OF:
            self._offsets.popleft()
        self._offset = self._offsets[0][1]


class Performer:
    """Joint positions of a streamed figure.

    ``joints`` are the roles that are wanted, in order.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self.joints = tuple(joints)
        self._bones: dict[str, tuple[Bone, float]] = {}
        self._root: Bone = _ROOT

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles that were received recently."""
        return tuple(self._bones)

    def pose(self, frame: Frame) -> FloatArray:
        """Return the joints' positions (J, 3) in metres, Y up; NaN where unknown.

        Bones are below one another: each is turned and moved by those above it.
        """
        if frame.root is not None:
            self._root = frame.root
        for role, bone in frame.bones.items():
            self._bones[role] = (bone, frame.time)
        now = frame.time
        self._bones = {r: b for r, b in self._bones.items() if abs(now - b[1]) <= _MISSED}
        placed: dict[str, Bone] = {}
        for role in BONE_NAMES:
            # Held a moment, because a lost packet says nothing about the bone; never longer.
            if role not in self._bones or abs(now - self._bones[role][1]) > _HELD:
                continue
            above = nearest_parent(role, self._bones)
            if above is None:
                placed[role] = _under(self._root, self._bones[role][0])
            elif above in placed:  # what hangs from a missing bone may be anywhere
                placed[role] = _under(placed[above], self._bones[role][0])
        out = np.full((len(self.joints), 3), np.nan)
        for role, found in stand_ins({r: r for r in placed}, self.joints).items():
            out[self.joints.index(role)] = placed[found][:3]
        return out


def _under(parent: Bone, bone: Bone) -> Bone:
    """Return a bone in the world, given its parent there.

    Plain arithmetic: for one bone at a time it is thirty times as quick as arrays of four.
    """
    px, py, pz, w, x, y, z = parent
    ax, ay, az, bw, bx, by, bz = bone
    # v + 2 w (u x v) + 2 u x (u x v), u the vector part
    cx, cy, cz = 2 * (y * az - z * ay), 2 * (z * ax - x * az), 2 * (x * ay - y * ax)
    return (
        px + ax + w * cx + y * cz - z * cy,
        py + ay + w * cy + z * cx - x * cz,
        pz + az + w * cz + x * cy - y * cx,
        w * bw - x * bx - y * by - z * bz,
        w * bx + x * bw + y * bz - z * by,
        w * by - x * bz + y * bw + z * bx,
        w * bz + x * by - y * bx + z * bw,
    )
