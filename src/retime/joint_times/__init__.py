"""Joint times: joints at times of their own, right by construction.

In come requests: source times at which a joint should show another time than the body. ``modes``
tells what the time of each joint applies to, ``bounds`` how far neighbours may be apart, both from
the source alone; ``shifts`` finds the nearest smooth curves within them. Out comes a warp with
channels, which is sampled as the modes say (``retime.motion.sampling``).
"""

from retime.joint_times.bounds import Bounds
from retime.joint_times.modes import Modes, leg_joints, modes_of
from retime.joint_times.shift import Shift
from retime.joint_times.shifts import JointTimes, Request, Shifts

__all__ = [
    "Bounds",
    "JointTimes",
    "Modes",
    "Request",
    "Shift",
    "Shifts",
    "leg_joints",
    "modes_of",
]
