"""A performer with a headset, controllers or trackers: joint positions from a few devices.

The stream does not contain where a device is worn, or how far it is from the joint. Both are found
in a calibration pose: the performer stands still in the first pose of the recording. Devices are
assigned to the nearest joints, at any heading and size. Their offsets to the joints are stored in
the axes of each device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.live_server.vmc import Bone
from retime.motion import quat

# Calibration: maximum movement of the devices (m), duration (s), and minimum number of devices.
_STILL, _HOLDS, _LEAST = 0.03, 1.0, 2
# Headings that are tried, and the heights of the head that a person has, metres.
_HEADINGS, _LOWEST, _HIGHEST = 36, 0.4, 2.6
# A device farther than this from any joint, metres at the recording's size, is not worn.
_FARTHEST = 0.6
# A device without data for this long (s) is out of sight.
_HELD = 0.25
# Joints that people wear devices on come first; others must lie this much nearer, metres.
_USUAL = ("head", "left_hand", "right_hand", "hips", "left_foot", "right_foot")
_UNUSUAL = 0.15


class Trackers:
    """Joints of a performer by devices.

    ``joints`` are the roles that are wanted, in order; ``first`` (J, 3) is where they are in the
    calibration pose, metres, Y up.
    """

    def __init__(self, joints: Sequence[str], first: FloatArray) -> None:
        self.joints = tuple(joints)
        self._first = np.asarray(first, float)
        self._seen: dict[str, tuple[Bone, float]] = {}
        self._past: deque[tuple[float, dict[str, Bone]]] = deque()
        self._worn: dict[str, tuple[int, FloatArray]] | None = None

    @property
    def waits(self) -> bool:
        """Whether devices are received but not calibrated."""
        return self._worn is None and bool(self._seen)

    @property
    def worn(self) -> dict[str, str]:
        """The joint that each device is worn at."""
        return {name: self.joints[j] for name, (j, _) in (self._worn or {}).items()}

    def calibrate(self) -> None:
        """Forget the assignment of devices, and wait for the calibration pose."""
        self._worn = None
        self._past.clear()

    def pose(self, devices: Mapping[str, Bone], now: float) -> FloatArray | None:
        """Add positions of devices; return joint positions (J, 3), NaN without a device.

        ``None`` until the performer has stood in the calibration pose.
        """
        for name, device in devices.items():
            self._seen[name] = device, now
        present = {n: d for n, (d, at) in self._seen.items() if now - at <= _HELD}
        if self._worn is None:
            self._wait(present, now)
        if self._worn is None:
            return None
        out = np.full((len(self.joints), 3), np.nan)
        for name, device in present.items():
            if name in self._worn:
                joint, offset = self._worn[name]
                out[joint] = np.array(device[:3]) + quat.rotate(np.array(device[3:]), offset)
        return out

    def _wait(self, present: dict[str, Bone], now: float) -> None:
        self._past.append((now, present))
        if now - self._past[0][0] < _HOLDS:
            return
        while now - self._past[1][0] >= _HOLDS:
            self._past.popleft()
        names = [n for n in present if all(n in then for _, then in self._past)]
        places = np.array([[then[n][:3] for n in names] for _, then in self._past])
        if len(names) >= _LEAST and np.ptp(places, axis=0).max() < _STILL:
            self._assign({n: present[n] for n in names}, places.mean(axis=0))

    def _assign(self, devices: dict[str, Bone], places: FloatArray) -> None:
        """Give every device to a joint, in the pose that explains them best."""
        from scipy.optimize import linear_sum_assignment

        names = list(devices)
        at_head = names.index("head") if "head" in names else int(np.argmax(places[:, 1]))
        head = self.joints.index("head") if "head" in self.joints else None
        tall = float(places[at_head, 1])
        scale = 1.0
        if head is not None and _LOWEST < tall < _HIGHEST:
            scale = tall / max(float(self._first[head, 1]), 1e-6)
        price = np.array([0.0 if j in _USUAL else _UNUSUAL for j in self.joints])
        best, chosen = np.inf, None
        anchor = self._first[head] if head is not None else self._first.mean(axis=0)
        for turn in np.linspace(0, 2 * np.pi, _HEADINGS, endpoint=False):
            turned = quat.rotate(quat.from_axis_angle([0.0, 1.0, 0.0], turn), self._first - anchor)
            joints = scale * turned + places[at_head]
            joints[:, 1] = scale * self._first[:, 1]
            cost = np.linalg.norm(places[:, None] - joints[None], axis=2) / scale + price
            if head is not None:
                cost[at_head] = np.where(np.arange(len(self.joints)) == head, 0.0, 1e3)
            rows, columns = linear_sum_assignment(cost)
            total = float(cost[rows, columns].sum())
            if total < best:
                best, chosen = total, (rows, columns, joints, cost)
        if chosen is None:
            return
        rows, columns, joints, cost = chosen
        self._worn = {}
        for k, j in zip(rows, columns, strict=True):
            if cost[k, j] <= _FARTHEST + _UNUSUAL:
                turn = np.array(devices[names[k]][3:])
                away = quat.rotate(quat.conjugate(turn), joints[j] - places[k])
                self._worn[names[k]] = int(j), away
