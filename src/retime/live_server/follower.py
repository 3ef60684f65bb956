"""Follow a performer: start, position, loss, and the output time.

No network and no clock of its own: poses and times are given, so that an hour can be tried in
seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.live import Aligner, BayesAligner, Recording, StartDetector, record
from retime.live_server.history import History
from retime.live_server.movement import Movement
from retime.live_server.playhead import Limits, Playhead
from retime.live_server.stream_time import StreamTime
from retime.live_server.touch import TouchPair
from retime.motion import Motion

State = Literal[
    "waiting", "following", "following the cycle", "stopped", "lost", "silent", "finished"
]

# Confidence below which the time is unknown, and the time until that is reported (s).
_UNSURE, _LOST_AFTER = 0.3, 0.7
# Time without data that counts as silence (s).
_SILENT_AFTER = 0.5
# Time at the end after which a performance is over and another may start (s).
_OVER_AFTER = 1.0
_AT_END = 0.05
# Among several recordings: time of being lost after which the others are considered again (s).
_OTHER_AFTER = 3.0
# The only recording is performed again from this time of it (s) and confidence on.
_BEGUN, _SURELY = 0.25, 0.5
# Time without following after which its beginning is expected again (s).
_LOOKS = 0.5


@dataclass(frozen=True)
class Part:
    """A recording to follow, and the motion to send for it."""

    name: str
    """What it is called."""
    reference: Motion
    """The recording that is performed."""
    partner: Motion | None = None
    """Recorded with it. Default: the recording itself goes out."""
    limits: Limits | None = None
    """Bounds on the rate of what goes out."""
    touches: tuple[TouchPair, ...] = ()
    """Joints of the partner that touch the performer's."""
    placed: bool | None = None
    """Whether the partner is turned and moved with the performer. Default: if anything touches."""

    @property
    def shown(self) -> Motion:
        """The motion that is sent."""
        return self.reference if self.partner is None else self.partner


@dataclass(frozen=True)
class Cue:
    """Output at one time."""

    part: str | None
    """The recording that is performed; None while it is unknown."""
    time: float
    """The recording's time to show, seconds."""
    rate: float
    """How fast it runs."""
    heard: float
    """The recording's time of the last pose."""
    confidence: float
    """How sure that is, 0 to 1."""
    phase: float
    """How sure the place in a cycle is, 0 to 1, whichever repetition of it is performed."""
    late: float | None
    """Seconds that the performer is behind the recording's own pace."""
    state: State
    """What goes on."""
    fade: float = 0.0
    """After a jump, the fraction of what was shown before it that is still to be shown."""


class Follower:
    """Follows a performer through one of several recordings.

    With one part, following begins at once; with several, when it is clear which is performed.
    ``make`` makes the aligner of a recording; ``ahead`` are seconds that the picture takes to be
    seen.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        make: Callable[[Recording], Aligner] = BayesAligner,
        ahead: float = 0.0,
    ) -> None:
        if not parts:
            raise InputError("there is no recording to follow")
        names = [p.name for p in parts]
        if len(set(names)) < len(names):
            raise InputError(f"two recordings are called {max(names, key=names.count)!r}")
        self.parts = {p.name: p for p in parts}
        self._recordings = _with_common_joints(parts)
        self.joints = next(iter(self._recordings.values())).joints
        # Where the joints are at the beginning: a pose that trackers can be calibrated in.
        self.first_pose = next(iter(self._recordings.values())).points[0]
        self._make, self._ahead = make, ahead
        self._detector = StartDetector(self._recordings)
        self.history = History()
        self.state: State = "waiting"
        self.part: Part | None = None
        self._again: Aligner | None = None
        self._moves = Movement()
        self._heard = 0.0
        self._time = StreamTime()
        self._found_at = -math.inf  # when the next performance was last followed, stream's time
        # This machine's times of the last packet, and of the last pose with any joint.
        self._arrived: float | None = None
        self._seen: float | None = None
        self._wait()
        if len(parts) == 1:
            self._begin(parts[0], make(self._recordings[parts[0].name]))
            self.state = "waiting"  # until somebody comes

    def _wait(self) -> None:
        self._detector.reset()
        self.aligner: Aligner | None = None
        self._last: tuple[float, float] | None = None
        self._sure_at: float | None = None
        self._end_at: float | None = None

    def _begin(self, part: Part, aligner: Aligner) -> None:
        self._wait()
        self.part, self.aligner, self._again = part, aligner, None
        recording = self._recordings[part.name]
        self.history.begin(part.name, recording)
        self.playhead = Playhead(
            recording.start, recording.end, ahead=self._ahead, limits=part.limits
        )
        self.playhead.seek(aligner.time)
        self.state = "following"

    def arrived(self, now: float) -> None:
        """Record that packets of the performer arrived, whatever their time stamps."""
        self._arrived = now if self._arrived is None else max(now, self._arrived)

    def hear(self, pose: FloatArray, time: float, moment: float) -> None:
        """Take in a pose.

        ``pose`` (J, 3) are positions in the order of ``joints``, NaN where unknown. ``time`` is by
        the sender's clock, ``moment`` by this machine's.
        """
        self.arrived(moment)
        # By a clock that goes on whatever the sender's does: stall, restart or jump.
        time = self._time.at(time, moment)
        if self.aligner is None:
            if self.state == "silent":
                self.state = "waiting"
            begun = self._begun(pose, time)
            if begun is not None:
                self._begin(*begun)
            self._last = (time, moment)
            return
        aligner = self.aligner
        found = self._heard = aligner.step(pose, time)
        if not np.isfinite(pose).any():
            return
        self._seen = moment
        still = aligner.stopped or self._last is None  # one pose tells no rate
        self._last = (time, moment)
        self.history.add(time, moment, found, aligner.confidence)
        if aligner.phase >= _UNSURE or self._sure_at is None:
            self._sure_at = moment
        self.playhead.hear(aligner.place, 0.0 if still else aligner.rate, moment)
        at_end = found >= aligner.recording.end - _AT_END
        self._end_at = (self._end_at or moment) if at_end else None
        self._judge(moment)

    def _begun(self, pose: FloatArray, time: float) -> tuple[Part, Aligner] | None:
        """Look for a beginning: among several by evidence, of the only one by following it."""
        if self._again is not None and self.part is not None:
            begun = self._begun_again(self._again, pose, time)
            return (self.part, self._again) if begun else None
        start = self._detector.step(pose, time)
        if start is None:
            return None
        aligner: Aligner = self._detector.aligner(start)
        if self._make is not BayesAligner:
            aligner = self._make(self._recordings[start.name])
            aligner.seek(start.source)
        return self.parts[start.name], aligner

    def _begun_again(self, again: Aligner, pose: FloatArray, time: float) -> bool:
        """Return whether the only recording is performed again, and let its aligner follow."""
        recording = again.recording
        begins = self._moves.hear(pose, time)
        if begins:  # after the stand at the end, which looks like many a pose of a cycle
            again.seek(recording.start)
            self._found_at = time
        found = again.step(pose, time)
        if not self._moves.moving:
            return False
        at_end = found >= recording.end - _AT_END
        if again.phase >= _SURELY and not again.stopped and not at_end:
            self._found_at = time
            # Another performance starts at the beginning, in the first cycle.
            sure = again.confidence >= _SURELY
            first = found if sure else again.first_time_like(found)
            if first - recording.start >= _BEGUN:
                if not sure:
                    again.seek(first)
                return True
        elif time - self._found_at > _LOOKS:
            again.seek(recording.start)
            self._found_at = time
        return False

    def _judge(self, moment: float) -> None:
        """Say what goes on, and let go of what is over."""
        aligner, sure = self.aligner, self._sure_at
        if aligner is None or sure is None:
            return
        if self._end_at is not None:
            self.state = "finished"
            if moment - self._end_at >= _OVER_AFTER:
                self._wait()
                if len(self.parts) == 1:
                    self._again, self._moves = aligner, Movement()
                    aligner.seek(aligner.recording.start)
        elif moment - sure > _LOST_AFTER:
            self.state = "lost"
            if len(self.parts) > 1 and moment - sure > _OTHER_AFTER:
                self._wait()
        elif aligner.stopped:
            self.state = "stopped"
        else:
            cycle = aligner.state == "following the cycle"
            self.state = "following the cycle" if cycle else "following"

    def cue(self, now: float) -> Cue:
        """Return the output at a time of this machine's clock; times of calls must increase."""
        if self.part is None:
            return Cue(None, 0.0, 0.0, 0.0, 0.0, 0.0, None, "waiting")
        if self._arrived is not None and now - self._arrived > _SILENT_AFTER:
            self.state = "silent"
        elif self._seen is not None and now - self._seen > _SILENT_AFTER and self.aligner:
            self.state = "lost"  # packets come, and say nothing
        time = self.playhead.at(now)
        aligner = self.aligner
        return Cue(
            self.part.name,
            time,
            self.playhead.rate,
            self._heard if aligner is None else aligner.time,
            0.0 if aligner is None else aligner.confidence,
            0.0 if aligner is None else aligner.phase,
            self.history.late,
            self.state,
            self.playhead.fade,
        )


def _with_common_joints(parts: Sequence[Part]) -> dict[str, Recording]:
    """Make recordings of the joints that all parts have."""
    made = {}
    for part in parts:
        try:
            made[part.name] = record(part.reference)
        except InputError as e:
            raise InputError(f"{part.name}: {e}") from None
    common = [
        j
        for j in next(iter(made.values())).joints
        if all(j in recording.joints for recording in made.values())
    ]
    if not common:
        raise InputError(f"the recordings {', '.join(made)} have no joint in common to follow")
    return {name: recording.only(common) for name, recording in made.items()}
