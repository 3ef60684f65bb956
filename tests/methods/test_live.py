"""Live alignment on bundled motions: what every aligner does with a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retime
from retime import InputError, Motion, TimeWarp, samples
from retime.live import (
    PAPER_JOINTS,
    Aligner,
    BayesAligner,
    Partner,
    PredictiveAligner,
    Recording,
    StartDetector,
    follow,
    record,
    score,
    score_times,
    tracked_points,
)
from retime.methods.align.live.trail import Trail
from retime.methods.align.poses import Sizer, bone_lengths

Make = Callable[..., Aligner]
ALIGNERS: list[Make] = [BayesAligner, PredictiveAligner]


@pytest.fixture(scope="module")
def walk() -> Recording:
    return record(samples.walk())


@pytest.fixture(scope="module")
def punches() -> Recording:
    return record(samples.punches())


def play(aligner: Aligner, recording: Recording, times: Any, source: Any) -> Any:
    poses = recording.at(source)
    return np.array([aligner.step(p, t) for p, t in zip(poses, times, strict=True)])


def turned(points: Any, angle: float, way: Any = (0, 0, 0)) -> Any:
    x, y, z = np.moveaxis(np.asarray(points), -1, 0)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * x + sin * z, y, cos * z - sin * x], axis=-1) + np.asarray(way)


@pytest.mark.parametrize("make", ALIGNERS)
def test_a_stream_equal_to_the_recording_gives_its_own_time(make: Make, punches: Recording) -> None:
    found = play(make(punches), punches, punches.times, punches.times)
    off = np.abs(found - punches.times)
    # What the paper's method is off by here, its forecast is: punches turn faster than it looks.
    assert off.mean() < (0.001 if make is BayesAligner else 0.02)
    assert off.max() < (0.01 if make is BayesAligner else 0.06)


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.25, 2.0])
def test_copies_at_other_speeds(punches: Recording, speed: float) -> None:
    times = np.arange(0, punches.end / speed, 1 / 60)
    aligner = BayesAligner(punches)
    found = play(aligner, punches, times, speed * times)
    assert np.abs(found - speed * times).mean() < 0.01
    assert aligner.is_copy


@pytest.mark.parametrize("make", ALIGNERS)
def test_place_heading_and_size_change_nothing(make: Make, punches: Recording) -> None:
    source = np.arange(0, punches.end, 1 / 25) ** 1.02
    times = np.arange(len(source)) / 25
    poses = punches.at(source)
    one, two = make(punches), make(punches)
    for pose, now in zip(poses, times, strict=True):
        here = one.step(pose, now)
        there = two.step(1.2 * turned(pose, 2.0, (5, 0, -3)), now)
        assert abs(here - there) < 1e-3


@pytest.mark.parametrize("size", [1.0, 1.15])
def test_noise_does_not_bend_the_body(walk: Recording, size: float) -> None:
    rng = np.random.default_rng(0)
    sizer, clean = Sizer(walk), Sizer(walk)
    for time in np.arange(0, 2, 1 / 60):
        pose = size * walk.at(time % walk.end)
        sizer.live(pose + rng.normal(0, 0.01, pose.shape))
        clean.live(pose)
    pose = size * walk.at(0.3)
    noisy, right = (
        bone_lengths(s.live(pose, learn=False).points, walk.bones) for s in (sizer, clean)
    )
    # The mean length of a short bone is 3 % too long with such noise.
    assert np.ptp(noisy / right) < 0.005


@pytest.mark.parametrize("make", ALIGNERS)
def test_time_never_runs_backwards(make: Make, walk: Recording) -> None:
    rng = np.random.default_rng(0)
    aligner = make(walk)
    last = walk.start
    for k in range(200):
        pose = walk.points[rng.integers(len(walk.points))] + rng.normal(0, 0.05, (16, 3))
        now = aligner.step(pose, k / 30)
        assert now >= last
        assert 0 <= aligner.confidence <= 1
        last = now
    assert walk.start <= last <= walk.end


@pytest.mark.parametrize("make", ALIGNERS)
def test_odd_stamps_hold_time(make: Make, punches: Recording) -> None:
    aligner = make(punches)
    times = punches.times[:60]
    found = play(aligner, punches, times, times)[-1]
    pose = punches.points[61]
    assert aligner.step(pose, times[-1]) == found  # doubled
    assert aligner.step(pose, times[-1] - 0.3) == found  # late
    after_an_hour = aligner.step(pose, times[-1] + 3600)
    assert found <= after_an_hour <= punches.end
    restarted = aligner.step(pose, 5.0)  # the sender's clock begins anew
    assert restarted >= after_an_hour
    assert aligner.step(pose, 5.05) >= restarted
    with pytest.raises(InputError, match="finite number of seconds"):
        aligner.step(pose, float("nan"))


@pytest.mark.parametrize("make", ALIGNERS)
def test_poses_without_a_joint_hold_time(make: Make, punches: Recording) -> None:
    aligner = make(punches)
    times = np.arange(0, punches.end, 1 / 30)
    poses = punches.at(times)
    gone = (times > 1.0) & (times < 1.5)
    found = []
    for pose, now, nothing in zip(poses, times, gone, strict=True):
        found.append(aligner.step(np.full((16, 3), np.nan) if nothing else pose, now))
        if nothing:
            assert aligner.confidence == 0
            assert found[-1] == found[-2]
    if make is BayesAligner:
        assert np.abs(np.array(found) - times)[times > 2].max() < 0.05


def test_joints_that_come_and_go(punches: Recording) -> None:
    rng = np.random.default_rng(0)
    times = np.arange(0, punches.end, 1 / 30)
    aligner = BayesAligner(punches)
    found = []
    for pose, now in zip(punches.at(times), times, strict=True):
        pose[rng.random(16) < 0.3] = np.nan
        found.append(aligner.step(pose, now))
    assert np.abs(np.array(found) - times).mean() < 0.01


def test_head_and_hands_alone_are_followed_less_surely(punches: Recording) -> None:
    kept = [PAPER_JOINTS.index(j) for j in ("head", "left_hand", "right_hand")]
    times = np.arange(0, punches.end, 1 / 30)
    aligner = BayesAligner(punches)
    found, sure = [], []
    for pose, now in zip(punches.at(times), times, strict=True):
        seen = np.full((16, 3), np.nan)
        seen[kept] = pose[kept]
        found.append(aligner.step(seen, now))
        sure.append(aligner.confidence)
    assert np.abs(np.array(found) - times).mean() < 0.1
    assert max(sure) < 0.7


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_performer_who_stops_is_seen_to_stop(punches: Recording, noise: float) -> None:
    rng = np.random.default_rng(0)
    moving = np.arange(0, 1.62, 1 / 60)  # mid-punch
    times = np.arange(0, 2.6, 1 / 60)
    source = np.minimum(times, moving[-1])
    aligner = BayesAligner(punches)
    flags = []
    for pose, now in zip(punches.at(source), times, strict=True):
        aligner.step(pose + rng.normal(0, noise, pose.shape), now)
        flags.append(aligner.stopped)
    went = times < 1.5
    assert not any(np.array(flags)[went & (times > 0.8)])
    assert all(np.array(flags)[times > 2.0])
    assert abs(aligner.time - moving[-1]) < 0.02
    assert aligner.ahead(0.5) < moving[-1] + 0.1


def test_ahead_follows_the_rate(punches: Recording) -> None:
    aligner = BayesAligner(punches)
    times = np.arange(0, 1.7, 1 / 60)
    play(aligner, punches, times, 1.5 * times)
    assert aligner.ahead(0.1) == pytest.approx(aligner.time + 0.1 * aligner.rate)
    assert aligner.rate == pytest.approx(1.5, abs=0.2)
    assert aligner.ahead(99) == punches.end


@pytest.mark.parametrize("make", ALIGNERS)
def test_reset_gives_the_same_again(make: Make, punches: Recording) -> None:
    aligner = make(punches)
    times = np.arange(0, 3, 1 / 30)
    first = play(aligner, punches, times, times)
    aligner.reset()
    assert np.array_equal(play(aligner, punches, times, times), first)


@pytest.mark.parametrize("make", ALIGNERS)
def test_seek_goes_on_from_there(make: Make, punches: Recording) -> None:
    aligner = make(punches)
    play(aligner, punches, np.arange(0, 1, 1 / 30), np.arange(0, 1, 1 / 30))
    aligner.seek(2.0)
    assert (aligner.rate, aligner.confidence, aligner.stopped) == (1.0, 0.0, False)
    assert float(aligner.warp(0.0)) == 2.0
    times = np.arange(0, 2.0, 1 / 30)
    found = play(aligner, punches, 1 + times, 2.0 + 0.8 * times)
    assert np.abs(found - (2.0 + 0.8 * times)).mean() < (0.03 if make is BayesAligner else 0.12)
    with pytest.raises(InputError, match="outside the recording"):
        aligner.seek(99.0)


def test_a_place_that_is_skipped_to_is_found_again() -> None:
    jump = record(samples.jump())
    times = np.arange(0, jump.end - 0.5, 1 / 60)
    source = np.where(times < 0.4, times, times + 0.5)
    found = play(BayesAligner(jump), jump, times, source)
    assert np.abs(found - source)[-30:].max() < 0.05


def test_the_warp_so_far_is_what_was_emitted(punches: Recording) -> None:
    aligner = BayesAligner(punches)
    times = 100 + np.arange(0, 2, 1 / 60)
    found = play(aligner, punches, times, (times - 100) * 0.9)
    assert isinstance(aligner.warp, TimeWarp)
    assert np.abs(aligner.warp(times) - found).max() <= 0.0005 + 1e-9
    assert len(aligner.warp.output) < len(times)


def test_the_warp_so_far_stays_bounded() -> None:
    trail = Trail()
    rng = np.random.default_rng(0)
    source = np.cumsum(rng.uniform(0, 0.02, 100_000))
    for k, s in enumerate(source):
        trail.add(k / 60, float(s))
    warp = trail.warp()
    assert len(warp.output) <= 4098
    assert np.abs(warp(np.arange(100_000) / 60) - source).max() < 4 * trail.tolerance
    assert trail.tolerance < 0.2


def test_a_period_of_its_own(punches: Recording) -> None:
    for rate in (10.0, 25.0, 60.0, 120.0):
        times = np.arange(0, punches.end / 0.8, 1 / rate)
        found = play(PredictiveAligner(punches, gamma=0.15), punches, times, 0.8 * times)
        assert np.abs(found - 0.8 * times).mean() < 0.05, rate


@pytest.mark.parametrize("gamma", [0.15, "auto"])
def test_the_papers_aligner_follows(punches: Recording, gamma: Any) -> None:
    times = np.arange(0, punches.end / 0.9, 1 / 25)
    aligner = PredictiveAligner(punches, gamma=gamma)
    assert np.abs(play(aligner, punches, times, 0.9 * times) - 0.9 * times).mean() < 0.08


def test_the_derivative_cost_is_blind_to_a_posture(punches: Recording) -> None:
    times = np.arange(0, punches.end, 1 / 25)
    aligner = PredictiveAligner(punches, gamma=0.15, cost="derivative")
    leaning = np.zeros((16, 3))
    leaning[[0, 4, 5]] = (0.1, 0.0, 0.0)
    found = [aligner.step(p + leaning, t) for p, t in zip(punches.at(times), times, strict=True)]
    assert np.abs(np.array(found) - times).mean() < 0.1


BAD: dict[str, tuple[Callable[[Recording], Any], str]] = {
    "few frames": (
        lambda r: BayesAligner(r.points[:9], times=r.times[:9]),
        "9 frames is too short",
    ),
    "no times": (lambda r: BayesAligner(r.points), "need their times"),
    "no names": (lambda r: BayesAligner(r.points[:, :5], times=r.times), "5 joints without names"),
    "a missing joint": (
        lambda r: BayesAligner(np.where(r.points > 1.3, np.nan, r.points), times=r.times),
        "no position for head",
    ),
    "times that fall": (lambda r: BayesAligner(r.points, times=r.times[::-1]), "must rise"),
    "flat positions": (lambda r: BayesAligner(r.points[0], times=r.times), r"\(N, J, 3\)"),
    "names twice": (
        lambda r: BayesAligner(r.points, times=r.times, joints=["head"] * 16),
        "a name of its own",
    ),
    "gamma": (lambda r: PredictiveAligner(r, gamma=1.5), "share between 0 and 1"),
    "period": (lambda r: PredictiveAligner(r, period=0.0), "period is 0.0;"),
    "cost": (lambda r: PredictiveAligner(r, cost="tax"), "the cost is"),  # type: ignore[arg-type]
    "another shape": (lambda r: BayesAligner(r).step(np.zeros((3, 3)), 0.0), r"\(16, 3\)"),
    "no candidates": (lambda r: StartDetector({}), "no recording to wait for"),
    "a role unknown": (
        lambda r: BayesAligner(samples.walk(), joints=["hed"]),
        "did you mean 'head'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case: str, punches: Recording) -> None:
    make, sentence = BAD[case]
    with pytest.raises(InputError, match=sentence):
        make(punches)


def test_figures_without_a_common_role_are_listed() -> None:
    with pytest.raises(InputError, match=r"no joint in common.*head"):
        BayesAligner(samples.chain())
    with pytest.raises(InputError, match="no joint in common"):
        follow(BayesAligner(samples.walk()), samples.toss())


def test_any_joints_by_any_name(punches: Recording) -> None:
    hands = punches.points[:, [0, 10, 11]]
    aligner = BayesAligner(hands, times=punches.times, joints=["hat", "glove.L", "glove.R"])
    found = [aligner.step(p, t) for p, t in zip(hands, punches.times, strict=True)]
    assert np.abs(np.array(found) - punches.times).mean() < 0.05


def test_a_motion_with_few_roles_is_followed_by_those() -> None:
    motion = samples.walk()
    aligner = BayesAligner(motion, joints=["head", "left_foot", "right_foot"])
    assert aligner.joints == ("head", "left_foot", "right_foot")
    times, source, sure = follow(aligner, motion)
    assert np.abs(source - times).mean() < 0.05
    assert sure.max() < 0.7


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_the_paper_s_aligner_sees_a_stop_too(walk: Recording, rate: float) -> None:
    rng = np.random.default_rng(0)
    times = np.arange(0, 2.5, 1 / rate)
    aligner = PredictiveAligner(walk, gamma=0.15)
    flags = []
    for pose, now in zip(walk.at(np.minimum(times, 1.5)), times, strict=True):
        aligner.step(pose + rng.normal(0, 0.002, pose.shape), now)
        flags.append(aligner.stopped)
    assert np.mean(np.array(flags)[times > 2.0]) > 0.8
    assert not np.array(flags)[(times > 0.5) & (times < 1.4)].any()


def test_a_rejected_pose_teaches_nothing(punches: Recording) -> None:
    one, two = BayesAligner(punches), BayesAligner(punches)
    for pose, now in zip(punches.points[:60], punches.times[:60], strict=True):
        here, there = one.step(pose, now), two.step(pose, now)
        two.step(2 * pose, now - 0.1)
        assert here == there


def test_a_fresh_aligner_waits(punches: Recording) -> None:
    for aligner in (BayesAligner(punches), PredictiveAligner(punches)):
        state = aligner.time, aligner.rate, aligner.confidence, aligner.stopped
        assert state == (punches.start, 1.0, 0.0, False)
        assert float(aligner.warp(0.0)) == punches.start


@pytest.mark.parametrize("period", [0.04, 0.1, 0.2])
def test_an_automatic_gamma_at_any_period(punches: Recording, period: float) -> None:
    times = np.arange(0, punches.end / 0.8, 1 / 60)
    aligner = PredictiveAligner(punches, gamma="auto", period=period)
    assert np.abs(play(aligner, punches, times, 0.8 * times) - 0.8 * times).mean() < 0.2


@pytest.mark.parametrize("make", ALIGNERS)
@pytest.mark.parametrize("joint", [slice(None), 9])
def test_one_bad_pose_does_no_harm(make: Make, joint: Any, punches: Recording) -> None:
    times = np.arange(0, punches.end / 0.8, 1 / 60)
    clean, hit = make(punches), make(punches)
    off = []
    for k, (pose, now) in enumerate(zip(punches.at(0.8 * times), times, strict=True)):
        here = clean.step(pose, now)
        if k in (20, 80):
            pose[joint] = 1e4 * pose[joint]
        off.append(abs(hit.step(pose, now) - here))
    assert max(off[120:]) < (0.01 if make is BayesAligner else 0.1)


def test_a_body_that_jumps_below_the_floor_is_forgotten_at_once(walk: Recording) -> None:
    """Two poses with the hips at the floor, as many files and trackers begin, on real heights."""
    aligner = BayesAligner(walk)
    found = []
    for k, time in enumerate(walk.times):
        pose = walk.points[k].copy()
        if k < 2 or k == len(walk.times) // 2:
            pose[:, 1] -= 0.9
        found.append(aligner.step(pose, time))
    off, middle = np.abs(np.array(found) - walk.times), walk.times[len(walk.times) // 2]
    settled = (walk.times > walk.start + 0.5) & (
        (walk.times < middle) | (walk.times > middle + 0.5)
    )
    assert off[settled].max() < 0.1
    assert aligner.state == "following"


@pytest.mark.parametrize("kind", ["late", "half"])
def test_a_start_that_hardly_moves_is_not_run_past(kind: str) -> None:
    """Where a recording nearly stands at first, belief is spread out, and its mean says little."""
    jump = record(samples.jump())
    times = np.arange(0, 1.4, 1 / 30)
    slow = jump.start + 0.5 * times if kind == "half" else jump.start + np.maximum(times - 0.6, 0)
    aligner = BayesAligner(jump)
    found = np.array([aligner.step(jump.at(s), t) for s, t in zip(slow, times, strict=True)])
    assert np.abs(found - slow).mean() < 0.03


@pytest.mark.parametrize("huge", [1e5, 1e160, 1e308])
def test_huge_coordinates_are_out_of_sight(huge: float, punches: Recording) -> None:
    for aligner in (BayesAligner(punches), PredictiveAligner(punches)):
        for k in range(40):
            aligner.step(np.full((16, 3), huge) if k % 7 == 3 else punches.points[k], k / 60)
            assert np.isfinite([aligner.time, aligner.rate, aligner.confidence]).all()


def test_stamps_at_the_end_of_a_float(punches: Recording) -> None:
    for aligner in (BayesAligner(punches), PredictiveAligner(punches)):
        for k in range(30):
            aligner.step(punches.points[k], 1e17 if k == 0 else k / 30)
        assert aligner.time >= punches.start


def test_a_start_at_a_low_rate() -> None:
    walk = samples.walk()
    detector = StartDetector({"walk": walk, "jump": samples.jump()})
    poses = record(walk)
    starts = (detector.step(poses.at(t), float(t)) for t in np.arange(0, 3, 1 / 12))
    assert next(s for s in starts if s).name == "walk"


ODD: dict[str, Callable[[Aligner, Recording], Any]] = {
    "a ragged pose": lambda a, r: a.step([[1, 2], [3]], 0.0),
    "no time": lambda a, r: a.step(r.points[0], None),  # type: ignore[arg-type]
    "a word for a time": lambda a, r: a.step(r.points[0], "noon"),  # type: ignore[arg-type]
    "seek a word": lambda a, r: a.seek("a"),  # type: ignore[arg-type]
    "a partner at no time": lambda a, r: Partner(samples.walk()).at(float("nan")),
    "a path": lambda a, r: BayesAligner("walk.bvh"),
    "score a path": lambda a, r: score(samples.walk(), "walk.bvh"),  # type: ignore[arg-type]
    "no joints": lambda a, r: BayesAligner(r.points[:, :0], times=r.times, joints=[]),
    "far away": lambda a, r: BayesAligner(1e160 * r.points, times=r.times),
    "times of words": lambda a, r: BayesAligner(r.points, times=["a"] * len(r.points)),
    "candidates in a list": lambda a, r: StartDetector([r]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", ODD)
def test_odd_arguments_get_a_sentence(case: str, punches: Recording) -> None:
    with pytest.raises(InputError):
        ODD[case](BayesAligner(punches), punches)


def test_some_joints_of_a_recording(punches: Recording) -> None:
    aligner = BayesAligner(punches, joints=["head", "left_hand"])
    assert aligner.joints == ("head", "left_hand")
    with pytest.raises(InputError, match="no joint 'hat'"):
        BayesAligner(punches, joints=["hat"])
    with pytest.raises(InputError, match="its own times"):
        record(samples.walk(), times=[0, 1])


# ---- scores, partners, starts


def known(name: str) -> tuple[Motion, Motion, TimeWarp]:
    found = samples.sample(name)
    assert found.reference is not None
    assert found.warp is not None
    return found.reference, found.motion, found.warp


def test_a_score_is_what_the_known_warp_says() -> None:
    recording, performed, warp = known("punches-slow")
    found = score(recording, performed)
    assert found.judged.any()
    first = np.flatnonzero(found.judged)[0]
    truth = (found.times - found.times[first]) - (warp(found.times) - warp(found.times[first]))
    assert np.abs(found.late - truth)[found.judged].mean() < 0.02
    summary = found.summary
    assert summary["mean_error_ms"] == pytest.approx(
        1e3 * np.abs(truth[found.judged]).mean(), abs=20
    )
    assert found.moments(3) == sorted(found.moments(3), key=lambda m: m.time)
    document = found.to_json()
    assert len(document["frames"]) == len(found.times)
    assert {m["late"] is None for m in document["frames"]} == {True, False}


def test_the_recording_itself_is_on_time() -> None:
    found = score(samples.punches(), samples.punches())
    assert found.summary["on_time_share"] == 1.0
    assert found.summary["rate"] == pytest.approx(1.0, abs=0.02)


def test_another_cycle_is_no_delay() -> None:
    walk = record(samples.walk(seconds=6.0))
    times = np.arange(0.0, 3.0, 1 / 60)
    source = np.where(times < 1.5, times, times + 1.0)
    found = score_times(walk, times, source, np.ones(len(times)))
    assert np.abs(found.late).max() < 0.03
    waits = np.where(times < 1.0, times, np.maximum(1.0, times - 0.5))
    assert score_times(walk, times, waits, np.ones(len(times))).late[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("delay", [0.08, -0.1])
def test_a_limb_that_is_late_is_named(delay: float) -> None:
    walk = record(samples.walk())
    points, hips = walk.points.copy(), walk.joints.index("hips")
    arm = [walk.joints.index(f"left_{part}") for part in ("lower_arm", "hand")]
    then = walk.at(walk.times - delay)
    points[:, arm] = (then - then[:, [hips]] + points[:, [hips]])[:, arm]
    found = score(walk, Recording(walk.times, points, walk.joints))
    assert found.limbs["left hand"] == pytest.approx(delay, abs=0.03)
    assert all(abs(late) < 0.05 for limb, late in found.limbs.items() if limb != "left hand")


def test_what_stands_still_cannot_be_judged() -> None:
    motion = samples.jump()
    found = score(motion, motion)
    idle = found.times < 0.5
    assert not found.judged[idle].any()
    assert found.judged.any()


def test_the_partner_is_where_it_was_recorded() -> None:
    shake = samples.sample("handshake")
    assert shake.partner is not None
    partner = Partner(shake.partner)
    points = retime.positions(shake.partner)
    for frame in (0, 10, len(shake.partner) - 1):
        assert np.allclose(partner.points(shake.partner.times[frame]), points[frame], atol=1e-9)
    between = (shake.partner.times[10] + shake.partner.times[11]) / 2
    assert np.allclose(partner.points(between), (points[10] + points[11]) / 2, atol=2e-3)
    assert np.allclose(partner.points(-5.0), points[0])


@pytest.mark.parametrize("name", ["jump", "punches", "swing"])
def test_the_right_recording_starts(name: str) -> None:
    candidates = {n: getattr(samples, n)() for n in ("jump", "punches", "swing", "walk")}
    detector = StartDetector(candidates)
    poses, _ = tracked_points(candidates[name], detector.joints)
    rng = np.random.default_rng(0)
    for k in range(30):  # someone stands and waits
        assert detector.step(poses[0] + rng.normal(0, 0.002, (16, 3)), k / 60 - 0.5) is None
    start = None
    for pose, now in zip(poses, candidates[name].times, strict=True):
        start = detector.step(turned(pose, 1.0, (2, 0, 2)), now + 0.02)
        if start:
            break
    assert start is not None
    assert start.name == name
    assert start.source == pytest.approx(start.time, abs=0.3)
    aligner = detector.aligner(start)
    assert aligner.time == start.source


def test_nothing_starts_while_nobody_moves() -> None:
    detector = StartDetector({"jump": samples.jump()})
    poses, _ = tracked_points(samples.jump(), detector.joints)
    rng = np.random.default_rng(0)
    for k in range(300):
        assert detector.step(poses[0] + rng.normal(0, 0.003, (16, 3)), k / 30) is None
