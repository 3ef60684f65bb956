"""Start, following, loss and the time that goes out, by clocks that the tests wind."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from live_streams import most_memory
from retime import InputError, Motion, samples
from retime.live import PredictiveAligner, tracked_points
from retime.live_server.follower import Cue, Follower, Part
from retime.live_server.plausible import PlausibleRates
from retime.live_server.playhead import Playhead
from retime.live_server.reception import Reception
from retime.live_server.replay import Replay, speed_curve

RATE = 60.0


def poses_of(follower: Follower, motion: Motion) -> Callable[[float], np.ndarray]:
    from retime.live import record

    recording = record(motion).only(follower.joints)
    return lambda time: recording.at(time)


def perform(
    follower: Follower,
    pose: Callable[[float], np.ndarray],
    source: np.ndarray,
    start: float = 0.0,
    *,
    heard: Any = None,
) -> list[Cue]:
    """Perform a motion's times, one each 1/60 s; return what goes out, seen 90 times a second."""
    out = []
    now = start
    for k, at in enumerate(source):
        time = start + k / RATE
        while now <= time:
            out.append(follower.cue(now))
            now += 1 / 90
        if heard is None or heard[k]:
            follower.hear(pose(float(at)), time, time)
    return out


def test_one_recording_is_followed_at_once_and_shown_in_step() -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)])
    assert follower.cue(0.0).state == "waiting"
    live = np.arange(0, motion.duration / 0.7, 1 / RATE)
    cues = perform(follower, poses_of(follower, motion), motion.start + 0.7 * live, 1.0)
    times = np.array([c.time for c in cues])
    assert (np.diff(times) >= 0).all()
    seen = 1.0 + np.arange(len(cues)) / 90
    off = times - np.minimum(0.7 * (seen - 1.0), motion.duration)
    assert np.abs(off[30:]).mean() < 0.012
    assert np.abs(off[30:]).max() < 0.06
    assert cues[-1].rate == pytest.approx(0.7, abs=0.3)
    assert cues[-1].late is not None
    assert cues[-1].late > 1.0


def test_what_is_shown_is_ahead_by_the_display_s_delay() -> None:
    motion = samples.walk()
    now, later = (Follower([Part("walk", motion)], ahead=a) for a in (0.0, 0.08))
    live = np.arange(0, motion.duration, 1 / RATE)
    one = perform(now, poses_of(now, motion), motion.start + live)
    two = perform(later, poses_of(later, motion), motion.start + live)
    middle = slice(len(one) // 4, 3 * len(one) // 4)
    gap = np.array([b.time - a.time for a, b in zip(one, two, strict=True)])[middle]
    assert np.median(gap) == pytest.approx(0.08, abs=0.01)


def test_a_pause_of_the_stream_stops_nobody_abruptly() -> None:
    motion = samples.walk()
    follower = Follower([Part("walk", motion)])
    live = np.arange(0, motion.duration, 1 / RATE)
    quiet = (live > 1.0) & (live < 2.0)
    cues = perform(follower, poses_of(follower, motion), motion.start + live, heard=~quiet)
    at = np.arange(len(cues)) / 90
    assert "silent" in {c.state for c, t in zip(cues, at, strict=True) if 1.0 < t < 2.0}
    rates = np.array([c.rate for c in cues])
    assert rates[(at > 1.7) & (at < 2.0)].max() < 0.05  # it has rolled out
    assert rates[(at > 1.05) & (at < 1.15)].min() > 0.7  # and did not stop at once
    assert cues[-1].state in ("following", "finished")


def test_the_recording_that_is_performed_is_found_and_found_again() -> None:
    jump, walk = samples.jump(), samples.walk()
    follower = Follower([Part("jump", jump), Part("walk", walk)])
    assert follower.part is None
    still = np.full(60, walk.start)
    live = np.arange(0, walk.duration + 1.5, 1 / RATE)
    pose = poses_of(follower, walk)
    cues = perform(follower, pose, np.concatenate([still, walk.start + live]))
    assert [c.part for c in cues if c.part] == ["walk"] * sum(c.part is not None for c in cues)
    assert cues[-1].state == "finished"
    then = len(still) + len(live)
    live = np.arange(0, jump.duration, 1 / RATE)
    still = np.full(60, jump.start)
    cues = perform(
        follower,
        poses_of(follower, jump),
        np.concatenate([still, jump.start + live]),
        then / RATE + 0.1,
    )
    assert cues[-1].part == "jump"
    assert len(follower.history.scores()) == 2


def test_the_paper_s_aligner_can_be_had() -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)], make=lambda r: PredictiveAligner(r, gamma=0.15))
    live = np.arange(0, motion.duration, 1 / RATE)
    cues = perform(follower, poses_of(follower, motion), motion.start + live)
    assert cues[-1].time > motion.start + 0.8 * motion.duration


def test_an_hour_leaves_memory_as_it_was() -> None:
    motion = samples.walk()
    follower = Follower([Part("walk", motion)])
    pose = poses_of(follower, motion)
    live = np.concatenate([np.arange(0, motion.duration, 1 / 30), np.full(45, motion.duration)])
    poses = [pose(motion.start + t) for t in live]

    def hour(seconds: float, start: float) -> float:
        now = start
        while now < start + seconds:
            for p in poses:
                now += 1 / 30
                follower.hear(p, now, now)
                follower.cue(now)
        return now

    now = hour(30, 0.0)
    before = most_memory()
    hour(3600 if os.environ.get("RETIME_STRESS") else 60, now)
    assert most_memory() - before < 4 << 20
    assert len(follower.history.scores()) <= 20


def test_a_long_performance_is_kept_coarsely() -> None:
    from retime.live import record
    from retime.live_server.history import History

    history = History()
    history.begin("walk", record(samples.walk()))
    for k in range(150_000):
        history.add(k / 60, k / 60, min(k / 60, 3.0), 1.0)
    ((_, found),) = history.scores()
    assert 15_000 < len(found.times) <= 36_001
    assert found.times[-1] > 2400


def test_a_body_does_not_stop_in_mid_air() -> None:
    motion = samples.jump()
    from retime import PhysicsModel

    flight = PhysicsModel(motion).flight
    middle = float(motion.times[np.flatnonzero(flight)].mean())
    for limits, stops in ((None, True), (PlausibleRates(motion), False)):
        follower = Follower([Part("jump", motion, limits=limits)])
        live = np.arange(0, motion.duration + 1, 1 / RATE)
        source = motion.start + np.where(live < middle, live, middle)  # stops in the air
        cues = perform(follower, poses_of(follower, motion), source)
        landed = cues[-1].time > motion.times[np.flatnonzero(flight)[-1]]
        assert landed != stops


def test_plausible_rates_stay_inside_the_regions() -> None:
    from retime import PhysicsModel

    motion = samples.jump()
    model, limits = PhysicsModel(motion), PlausibleRates(motion)
    for frame in range(0, len(motion), 5):
        region = model.regions[frame]
        if region.empty:
            continue
        for wanted in (0.0, 0.5, 3.0):
            rate = limits.limited(float(motion.times[frame]), 1.0, wanted, 1 / 90)
            low, high = region.corners[:, 1].min(), region.corners[:, 1].max()
            assert low - 1e-9 <= rate**2 <= high + 1e-9


@pytest.mark.parametrize("step", [1 / 90, 1 / 30, 0.3])
def test_a_playhead_never_runs_back_and_closes_gaps(step: float) -> None:
    head = Playhead(0.0, 10.0)
    head.hear(1.0, 1.0, 0.0)
    seen = [head.at(k * step) for k in range(40)]
    assert (np.diff(seen) >= 0).all()
    head = Playhead(0.0, 10.0)
    head.at(0.0)
    for k in range(1, 60):
        head.hear(0.3 + k / 60, 1.0, k / 60)
        head.at(k / 60)
    assert head.time == pytest.approx(0.3 + 59 / 60, abs=0.01)


def test_a_speed_curve_is_summed_up() -> None:
    warp = speed_curve("0:1,1:1,2:0,3:0,4:1", 0.5, 3.5)
    assert warp(1.0) == pytest.approx(1.5, abs=1e-3)
    assert warp(2.0) == pytest.approx(2.0, abs=1e-3)
    assert warp(3.0) == pytest.approx(2.0, abs=1e-3)
    assert warp(warp.domain[1]) == pytest.approx(3.5, abs=1e-9)
    assert speed_curve("2", 0.0, 3.0).domain == pytest.approx((0, 1.5))


@pytest.mark.parametrize("text", ["fast", "1:2:3", "0:1,0:2", "-1", "0", "0:99", "nan", ""])
def test_a_curve_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--speed"):
        speed_curve(text, 0.0, 1.0)


def test_a_replay_ends_with_the_file() -> None:
    replay = Replay(samples.punches(), speed="2", rate=30)
    frames = list(replay.frames())
    assert frames[-1][0] == pytest.approx(samples.punches().duration / 2, abs=1 / 30)


def test_recordings_must_have_names_and_joints() -> None:
    with pytest.raises(InputError, match="no recording"):
        Follower([])
    with pytest.raises(InputError, match="two recordings"):
        Follower([Part("a", samples.walk()), Part("a", samples.jump())])


def test_the_first_sender_is_kept_until_it_leaves() -> None:
    reception = Reception()
    one, other = ("10.0.0.1", 5), ("10.0.0.2", 6)
    assert reception.admits(one, 0.0)
    assert reception.admits(other, 0.1)  # nobody sent a bone yet
    reception.listen_to(one, 0.2)
    assert not reception.admits(other, 0.5)
    assert reception.refused == 1
    assert reception.admits(one, 1.0)
    assert reception.admits(other, 3.5)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_rate_and_loss_are_those_of_the_stream(share: float) -> None:
    rng = np.random.default_rng(1)
    reception = Reception()
    for k in range(400):
        if rng.random() >= share:
            reception.frame(k / 60, k / 60)
    assert reception.loss(400 / 60) == pytest.approx(share, abs=0.07)
    assert reception.rate(400 / 60) == pytest.approx(60 * (1 - share), rel=0.1)


def test_a_sender_that_begins_anew_is_no_later_for_it() -> None:
    from retime.live import record
    from retime.live_server.history import History

    history = History()
    history.begin("walk", record(samples.walk()))
    for k in range(60):
        history.add(100 + k / 60, 7 + k / 60, k / 60, 1.0)
    for k in range(60, 120):
        history.add((k - 60) / 60, 7 + k / 60, k / 60, 1.0)  # its clock starts at 0 again
    for k in range(120, 180):
        history.add(9e5 + k / 60, 7 + k / 60, k / 60, 1.0)  # and another's is far ahead
    assert history.late == pytest.approx(0.0, abs=0.05)
    ((_, found),) = history.scores()
    assert len(found.times) == 180
    assert found.times[0] == pytest.approx(100.0)


def test_after_the_end_poses_end_a_silence() -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)])
    pose = poses_of(follower, motion)
    times = np.r_[np.arange(0, motion.duration, 1 / RATE), np.full(90, motion.duration)]
    end = len(times) / RATE
    perform(follower, pose, times)
    assert follower.cue(end + 5.0).state == "silent"
    follower.hear(pose(0.0), end + 6.0, end + 6.0)
    assert follower.cue(end + 6.01).state == "waiting"


def test_an_endless_replay_is_refused() -> None:
    with pytest.raises(InputError, match="hours"):
        speed_curve("0.000001", 0.0, 5.0)


@pytest.mark.parametrize("name", ["handshake", "punches", "jump"])
def test_the_only_recording_may_be_performed_again(name: str) -> None:
    motion = samples.sample(name).motion
    follower = Follower([Part("it", motion)])
    pose = poses_of(follower, motion)
    once = np.arange(0, motion.duration, 1 / RATE)
    stands = np.full(round(1.6 * RATE), motion.duration)
    first = perform(follower, pose, np.r_[once, stands])
    assert first[-1].state == "finished"
    begin = len(first) / RATE
    found = []
    for k, source in enumerate(once):
        now = begin + k / RATE
        follower.hear(pose(source), now, now)
        found.append(follower.cue(now))
    late = [c for c in found if c.state == "following"]
    assert len(late) > 0.5 * len(found)
    assert found[-1].heard == pytest.approx(once[-1], abs=0.05)


def test_a_walk_that_begins_again_is_found_at_its_beginning() -> None:
    """Its cycles are alike: after a while at its end, the last one could be any of them."""
    motion = samples.walk(seconds=4.0)
    for seed in (2, 6, 17):
        follower = Follower([Part("walk", motion)])
        pose, dice = poses_of(follower, motion), random.Random(seed)
        ending = np.arange(3.5, 4.0, 1 / RATE)
        again = np.arange(0, 2.5, 1 / RATE)
        source = np.r_[ending, np.full(round(2 * RATE), motion.duration), again]
        assert follower.aligner is not None
        follower.aligner.seek(float(ending[0]))
        off = []
        for k, at in enumerate(source):
            if dice.random() > 0.2:
                follower.hear(pose(at), k / RATE, k / RATE)
                off.append(abs(follower.cue(k / RATE).heard - at))
        assert max(off[-60:]) < 0.05


def test_who_does_something_else_is_lost_and_found_again() -> None:
    jump, walk = samples.jump(), samples.walk()
    follower = Follower([Part("jump", jump), Part("walk", walk)])
    jumps, walks = poses_of(follower, jump), poses_of(follower, walk)
    states = []
    for k in range(round(9 * RATE)):
        now = k / RATE
        there = (now - 1.5) % walk.duration
        follower.hear(jumps(now) if now < 1.5 else walks(there), now, now)
        cue = follower.cue(now)
        states.append((cue.part, cue.state))
        if cue.state == "lost":
            assert cue.heard < 2.5  # where the performer was last, not the recording's end
    assert ("jump", "following") in states
    assert ("jump", "lost") in states
    assert ("walk", "following") in states[states.index(("jump", "lost")) :]


def test_one_pose_moves_nobody() -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)])
    follower.hear(poses_of(follower, motion)(0.0), 0.0, 0.0)
    assert follower.cue(0.0).time == pytest.approx(follower.cue(0.4).time, abs=1e-6)


def test_silence_is_judged_by_packets_and_not_by_the_senders_clock() -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)])
    points, _ = tracked_points(motion, follower.joints)
    for k in range(60):
        follower.hear(points[k], 5.0 + k / 60, 5.0 + k / 60)
    for k in range(60, 180):  # stamps stand; datagrams go on coming
        follower.arrived(5.0 + k / 60)
        assert follower.cue(5.0 + k / 60).state != "silent"
    assert follower.cue(5.0 + 179 / 60 + 0.6).state == "silent"
