"""The server: a stream in, a partner out at a steady rate, and a feed, on one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.live_server.avatar import ROOT, Avatar, FigurePose
from retime.live_server.cues import CueSender
from retime.live_server.datagrams import read_waiting
from retime.live_server.follower import Cue, Follower, Part
from retime.live_server.performer import Assembler, Frame, Performer
from retime.live_server.piped import PipedReplay
from retime.live_server.placing import Place, Placement, find_place
from retime.live_server.reception import Reception
from retime.live_server.replay import Replay
from retime.live_server.spool import Spool
from retime.live_server.touch import Sight, Touch, Toucher
from retime.live_server.trackers import Trackers
from retime.live_server.vmc import Bone, BundleWriter, Packet, parse_packet
from retime.serving.addresses import shown

# A frame whose last packets were lost is ended after this long, seconds.
_PATIENCE = 0.004
# After a pause longer than this (s), such as a sleeping machine, missed frames are not sent.
_SLEPT = 0.25
# Maximum number of waiting datagrams to read at once, and of datagrams in a frame.
_MOST_WAITING, _MOST_A_FRAME = 1024, 128
# Number of full reads in a row that count as a flood.
_NO_FLOOD = 3
# Number of datagrams to process after a full read.
_AT_ONCE = 32
# Share of the time between two output frames that datagrams may take; the minimum time of one (s),
# and the share of a new measurement in its average.
_SHARE, _LEAST_COST, _LEARNS = 0.5, 2e-5, 0.1
# Confidence from which on the partner touches the performer, and below which it lets go; seconds
# that either takes.
_TOUCHES, _LETS_GO, _SETTLES = 0.6, 0.3, 0.25
# Poses by devices are at least this far apart, seconds.
_DEVICES_APART = 0.008
_ME = ("replay", 0)
_NO_TOUCHES: FloatArray = np.empty((0, 4))


@dataclass(frozen=True)
class Status:
    """Values for a display."""

    cue: Cue
    """The motion that is sent."""
    sender: str | None
    """Who is listened to."""
    rate: float
    """Frames per second that come in."""
    loss: float
    """Fraction of frames that did not come."""
    packets: int
    malformed: int
    refused: int
    late: int
    """Datagrams, of which not understood; those of other senders; those that came too late."""
    unknown: tuple[str, ...]
    """Unknown bone names, if no known ones arrived."""
    sent: int
    """Frames that went out."""
    listeners: int
    """Number of clients of the feed."""
    calibrating: bool = False
    """Whether trackers are received but not calibrated yet."""
    worn: tuple[str, ...] = ()
    """Joints that trackers are worn at."""
    failed: str | None = None
    """Why the recording stopped."""
    performer: int = 1
    """Which of several performers it is of."""


def _shown(address: tuple[str, int]) -> str:
    return f"{shown(address[0])}:{address[1]}"


class _Figure:
    """Output of one part."""

    def __init__(self, part: Part) -> None:
        self.avatar = Avatar(part.shown)
        self.writer = BundleWriter(self.avatar.roles)
        touches = [Touch(pair, part.reference, part.shown) for pair in part.touches]
        self._toucher = Toucher(touches, self.avatar) if touches else None
        placed = bool(touches) if part.placed is None else part.placed
        self._placement = Placement(self.avatar) if placed else None
        self._share, self._now = 0.0, -math.inf
        self._shown: FigurePose | None = None
        self._plain = True
        self._before: FigurePose | None = None

    def pose(self, cue: Cue, sight: Sight | None, now: float) -> FigurePose:
        """Return the figure of a cue, with touching limbs and a cross-fade after a jump."""
        pose = recorded = self.avatar.pose(cue.time)
        seconds = min(max(now - self._now, 0.0), _SETTLES)
        known = cue.confidence if cue.state in ("following", "stopped") else 0.0
        place = Place()
        if self._placement is not None:
            if sight is not None and (known > _LETS_GO or self._placement.place is None):
                self._placement.hear(sight.place)
            place = self._placement.at(now, cue.time)
            pose = place.figure(pose)
        if self._toucher is not None:
            # Let go of a performer who is lost or uncertain, gradually.
            wanted = min(max((known - _LETS_GO) / (_TOUCHES - _LETS_GO), 0.0), 1.0)
            most = seconds / _SETTLES
            self._share += min(max(wanted - self._share, -most), most)
            pose = self._toucher.reach(pose, cue.time, place, sight, self._share, seconds)
        if cue.fade > 0:
            self._before = self._before or self._shown
            if self._before is not None:
                pose = pose.blend(self._before, cue.fade)
        else:
            self._before = None
        self._shown, self._now = pose, now
        self._plain = pose is recorded
        return pose

    @property
    def touches(self) -> FloatArray:
        """Where the limbs of the last pose touch, and the weight of each touch (T, 4)."""
        if self._toucher is None or self._shown is None:
            return _NO_TOUCHES
        return self._toucher.targets(self._shown)

    def points(self, time: float) -> FloatArray:
        """Return the joint positions of the last pose, which was shown at a time."""
        if self._shown is None or self._plain:
            return self.avatar.points(time)  # without a walk along the bones
        return self._shown.world()[1]


class LiveServer:
    """Receives a performer and sends a partner.

    Parameters
    ----------
    follower : Follower
        Who finds the time.
    outs : sequence of socket
        Connected UDP sockets that the partner goes to.
    rate : float
        Frames per second that go out.
    spool : Spool, optional
        Keeps what comes.
    feed : object, optional
        Has ``send(cue, now, pose_time, performer, partner, bones, touches)`` and ``listeners``.
    cues : CueSender, optional
        Sends cues as the recording passes them.
    clock : callable
        This machine's time in seconds.
    over : asyncio.Event, optional
        Ends it, and others that share it.
    sender : tuple, optional
        The only host, and port or None, that is listened to.
    """

    def __init__(
        self,
        follower: Follower,
        *,
        outs: Sequence[socket.socket] = (),
        rate: float = 90.0,
        spool: Spool | None = None,
        feed: Any = None,
        cues: CueSender | None = None,
        clock: Callable[[], float] = time.monotonic,
        over: asyncio.Event | None = None,
        sender: tuple[str, int | None] | None = None,
    ) -> None:
        if not 1 <= rate <= 1000:
            raise InputError(f"a rate of {rate:g} frames per second is not possible; use 1 to 1000")
        self.follower, self.rate, self.feed = follower, rate, feed
        self._outs, self._spool, self._clock = list(outs), spool, clock
        self._figures = {name: _Figure(p) for name, p in follower.parts.items()}
        self.reception = Reception(sender)
        self.assembler = Assembler()
        self.performer = Performer(follower.joints)
        self.trackers = Trackers(follower.joints, follower.first_pose)
        self._tracked = 0.0  # when devices came last, while no bones did
        self._cues = cues
        self._pose: FloatArray | None = None
        self._sight: Sight | None = None
        self._pose_time: float | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._cost, self._too_many = _LEAST_COST, 0
        self._a_frame, self._since_frame = 1, 0  # datagrams of the last frame, and since
        self.sent = 0
        self.failed: str | None = None
        self.over = over or asyncio.Event()
        self._heard = asyncio.Event()  # a pose, since the last frame
        self._begun = clock()
        self._cue = follower.cue(self._begun)

    # ---- in

    def receive(self, data: bytes, address: tuple[str, int], now: float) -> None:
        """Process a datagram; invalid contents are only counted."""
        if not self.reception.admits(address, now):
            return
        self._since_frame += 1
        try:
            packet = parse_packet(data)
        except InputError:
            self.reception.malformed += 1
            return
        self.reception.malformed += packet.broken > 0
        if packet.bones or packet.unknown or packet.trackers:
            if self.reception.listen_to(address, now):
                self.assembler.restart()
            self.follower.arrived(now)
        elif address != self.reception.sender:
            return
        self.reception.note_unknown(packet.unknown)
        if packet.trackers and not self.performer.roles:
            self._track(packet, now)
        for frame in self.assembler.add(packet, now):
            self._a_frame, self._since_frame = min(self._since_frame, _MOST_A_FRAME), 0
            self._play(frame, now)

    def _track(self, packet: Packet, now: float) -> None:
        """Follow devices, where a sender knows no bones."""
        pose = self.trackers.pose(packet.trackers, now)
        if pose is None or now - self._tracked < _DEVICES_APART:
            return  # each device may come in a datagram of its own
        self._tracked = now
        self.reception.frame(now, now)
        self._hear(pose, now, now)

    def flush(self, now: float) -> None:
        """End a frame that waits for a lost packet."""
        for frame in self.assembler.flush():
            self._play(frame, now)

    def _play(self, frame: Frame, now: float) -> None:
        self.reception.frame(frame.time, now)
        if self._spool is not None:
            try:
                self._spool.add(frame)
            except OSError as e:  # a full disk: what came so far is kept, and the show goes on
                beside = self._spool.beside
                self.failed = (
                    f"recording stopped: {e.strerror}. What came before is in {beside}; make room "
                    f"and start retime live with --record {self._spool.path} again, "
                    "which recovers it first"
                )
                self._spool = None
        self._hear(self.performer.pose(frame), frame.time, frame.moment)

    # ---- out

    def tick(self, now: float) -> Cue:
        """Send the partner as it is now."""
        before = self._cue.fade
        cue = self._cue = self.follower.cue(now)
        if self._cues is not None:
            self._cues.pass_to(cue.part, cue.time, jumped=cue.fade > before)
        bones: list[Bone] = []
        points: FloatArray | None = None
        touches = _NO_TOUCHES
        if cue.part is not None:
            figure = self._figures[cue.part]
            bones = figure.pose(cue, self._sight, now).bones()
            if self._outs:
                # Since the start: single precision cannot tell frames apart after days.
                data = figure.writer.frame(bones, ROOT, now - self._begun)
                for out in self._outs:
                    # No receiver, or its buffer is full: send the next frame instead.
                    with contextlib.suppress(OSError):
                        out.send(data)
            if self.feed is not None and self.feed.listeners:
                points, touches = figure.points(cue.time), figure.touches
        if self.feed is not None:
            self.feed.send(cue, now, self._pose_time, self._pose, points, bones, touches)
        self.sent += 1
        return cue

    def _hear(self, pose: FloatArray, time: float, moment: float) -> None:
        """Follow a pose (J, 3), and see where the performer is."""
        self._pose, self._pose_time = pose, time
        self._heard.set()
        self.follower.hear(pose, time, moment)
        aligner = self.follower.aligner
        place = None
        if aligner is not None:
            place = find_place(aligner.recording.at(aligner.time), pose)
        if aligner is not None and place is not None:
            joints = dict(zip(self.performer.joints, pose, strict=True))
            self._sight = Sight(joints, aligner.time, place)

    @property
    def status(self) -> Status:
        """Return the current values for a display."""
        now, reception = self._clock(), self.reception
        sender = reception.sender
        return Status(
            cue=self._cue,
            sender=None if sender is None else "a file" if sender == _ME else _shown(sender),
            rate=reception.rate(now),
            loss=reception.loss(now),
            packets=reception.packets,
            malformed=reception.malformed,
            refused=reception.refused,
            late=self.assembler.late,
            unknown=() if reception.known else tuple(reception.unknown),
            sent=self.sent,
            listeners=0 if self.feed is None else self.feed.listeners,
            calibrating=bool(self.trackers.waits),
            worn=tuple(self.trackers.worn.values()),
            failed=self.failed,
        )

    # ---- running

    async def run(
        self, heard: socket.socket | None = None, replay: Replay | PipedReplay | None = None
    ) -> None:
        """Serve until ``over`` is set, or until a replay has ended."""
        loop = asyncio.get_running_loop()
        if heard is not None:
            loop.add_reader(heard, self._read, heard)
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(self._tick_steadily())]
        if replay is not None:
            tasks.append(asyncio.create_task(self._perform(replay)))
        tasks.append(asyncio.create_task(self.over.wait()))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            if heard is not None:
                loop.remove_reader(heard)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._patience is not None:
                self._patience.cancel()

    def _read(self, heard: socket.socket) -> None:
        """Read what waits; of a flood only the newest: the partner must neither stand nor lag."""
        found = read_waiting(heard, _MOST_WAITING, self._clock)
        waiting = self.reception.heeded(found)
        self.reception.refused += len(found) - len(waiting)
        if not waiting:
            return
        # Two whole frames at least, of a sender that sends each bone in a datagram of its own.
        fit = max(int(_SHARE / self.rate / self._cost), 2 * self._a_frame)
        self._too_many = self._too_many + 1 if len(waiting) > fit else 0
        if self._too_many <= _NO_FLOOD:  # this machine was busy for a moment
            fit = max(fit, _AT_ONCE)
        self.assembler.late += max(len(waiting) - fit, 0)
        begun = self._clock()
        for datagram in waiting[-fit:]:
            self.receive(*datagram)
        took = (self._clock() - begun) / min(len(waiting), fit)
        self._cost += _LEARNS * (min(max(took, _LEAST_COST), 10 * self._cost) - self._cost)
        self._await_rest()

    def _await_rest(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if self.assembler.waits:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(_PATIENCE, lambda: self.flush(self._clock()))

    async def _tick_steadily(self) -> None:
        """Send frames at an even rate, each up to half a period early when a pose has come."""
        due = self._clock()
        while True:
            self._heard.clear()
            self.tick(self._clock())
            now, due = self._clock(), due + 1 / self.rate
            due = now if now - due > _SLEPT else due
            await asyncio.sleep(max(due - 0.5 / self.rate - now, 0.0))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), max(due - self._clock(), 0.0))

    async def _perform(self, replay: Replay | PipedReplay) -> None:
        """Play a file as if it came over the network, at its own times."""
        async for data in replay.play(self._clock):
            self.receive(data, _ME, self._clock())
        await asyncio.sleep(2 / self.rate)  # the last pose goes out, too
