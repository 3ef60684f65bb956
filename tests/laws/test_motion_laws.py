"""Laws of retimed motions: what `apply` and the files must keep."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies import (
    CHANNELS,
    RATES,
    STARTS,
    close,
    distance,
    graphs,
    motions,
    smooth_motion,
    values_at,
    warps,
    whole_warps,
)

from retime import EndSite, InputError, Motion, Pose, TimeWarp, Units, apply, concatenate, quat
from retime import read as read_motion
from retime import write as write_motion
from retime.io.json_text import dumps
from retime.io.warp_json import from_document, read_warp, to_document, write_warp
from retime.notes import as_notes
from retime.timing.curves import keytime_warp
from retime.timing.graph import Graph

CLIP = smooth_motion(np.arange(61) / 30)


def identical(a: Motion, b: Motion, frames: slice = slice(None)) -> None:
    """Compare every value of some frames, bit for bit."""
    assert a.rotations[frames].tobytes() == b.rotations[frames].tobytes()
    for one, other in ((a.translations, b.translations), (a.scales, b.scales)):
        assert list(one) == list(other)
        for name in one:
            assert one[name][frames].tobytes() == other[name][frames].tobytes()


# ---- identity


@given(motions(least=1), st.booleans())
def test_identity_returns_the_motion(motion: Motion, exact: bool) -> None:
    out = apply(motion, TimeWarp.identity(*motion.domain), exact=exact)
    assert len(out) == len(motion)
    assert distance(out, motion) < 1e-12
    close(out.times, motion.times, 1e-12 * (1 + abs(motion.start)))


@given(motions())
def test_a_warp_and_its_inverse_return_the_motion(motion: Motion) -> None:
    start, end = motion.domain
    slow = TimeWarp([start, start + 2 * (end - start)], [start, end])
    back = slow @ slow.inverse
    assert distance(apply(motion, back), motion) < 1e-9


@given(RATES, STARTS, st.integers(2, 200))
def test_long_clips_do_not_drift(fps: float, start: float, hundreds: int) -> None:
    times = start + np.arange(100 * hundreds) / fps
    tracks = dict.fromkeys(["Hips", "Prop"], np.tile(times[:, None], 3))
    turns = quat.identity(len(times), 4)
    motion = Motion(CLIP.skeleton, turns, tracks, fps=fps, start=start)
    out = apply(motion, TimeWarp.identity(*motion.domain))
    np.testing.assert_array_equal(out.root_translation, motion.root_translation)


# ---- any warp


@given(motions(), whole_warps((0.0, 1.0)), st.none() | RATES)
def test_every_channel_is_sampled_at_its_own_time(
    motion: Motion, warp: TimeWarp, fps: float | None
) -> None:
    start, end = motion.domain
    onto = TimeWarp([0, 1], [start, end]) @ warp
    out = apply(motion, onto, fps=fps)
    rate = motion.fps if fps is None else fps
    n = len(out) - 1
    t = np.r_[out.start + np.arange(n) / rate, onto.domain[1]]
    assert out.fps == rate
    assert distance(out, values_at(motion, lambda c: onto(t, c))) < 1e-6


@given(graphs(cuts=True, start=0.0))
def test_held_cut_and_reversed_time(g: Graph) -> None:
    warp = TimeWarp(g.x, g.y)
    t = np.unique(np.linspace(*warp.domain, 41))
    assert distance(apply(CLIP, warp, times=t), values_at(CLIP, lambda c: g.at(t))) < 1e-6


def test_reversing_twice_returns_the_motion() -> None:
    reverse = TimeWarp.identity(*CLIP.domain).reverse()
    backwards = apply(CLIP, reverse)
    close(quat.angle(backwards.rotations, CLIP.rotations[::-1]), 0, 1e-12)
    assert distance(apply(backwards, reverse), CLIP) < 1e-12


def test_a_hold_repeats_a_pose_bit_for_bit() -> None:
    held = apply(CLIP, TimeWarp([0, 1, 2, 3], [0, 1, 1, 2]))
    for frame in range(30, 61):
        np.testing.assert_array_equal(held.rotations[frame], CLIP.rotations[30])


def test_a_cut_shows_the_pose_before_it_and_then_jumps() -> None:
    cut = apply(CLIP, TimeWarp([0, 0.5, 0.5, 1], [0, 0.5, 1.5, 2]))
    np.testing.assert_array_equal(cut.rotations[15], CLIP.rotations[15])
    close(quat.angle(cut.rotations[16], CLIP.rotations[46]), 0, 1e-12)


@given(warps(start=0.0), st.sampled_from([24.0, 120.0]))
def test_results_are_unit_and_sign_continuous(warp: TimeWarp, fps: float) -> None:
    q = apply(CLIP, warp, fps=fps).rotations
    close((q**2).sum(axis=-1), 1, 1e-14)
    assert ((q[1:] * q[:-1]).sum(axis=-1) >= 0).all()
    assert not q.flags.writeable


def test_a_spin_of_many_turns_stays_sign_continuous() -> None:
    turns = quat.from_axis_angle([0, 1, 0], np.linspace(0, 12 * np.pi, 121))
    rotations = np.repeat(turns[:, None], 4, axis=1)
    still = {n: np.zeros((121, 3)) for n in ("Hips", "Prop")}
    spin = Motion(CLIP.skeleton, rotations, still)
    q = apply(spin, TimeWarp([0, 1, 2], [0, 3, 4])).rotations
    assert ((q[1:] * q[:-1]).sum(axis=-1) >= 0).all()


# ---- frames


@given(st.floats(0.05, 4), RATES)
def test_the_end_pose_is_always_the_last_frame(duration: float, fps: float) -> None:
    out = apply(CLIP, TimeWarp([0, duration], [0, 2]), fps=fps)
    np.testing.assert_array_equal(out.rotations[-1], CLIP.rotations[-1])
    np.testing.assert_array_equal(out.rotations[0], CLIP.rotations[0])
    assert abs(out.duration - duration) <= 0.5 / fps + 1e-9 or len(out) == 2


@given(st.floats(0.05, 4), RATES)
def test_exact_keeps_the_duration(duration: float, fps: float) -> None:
    out = apply(CLIP, TimeWarp([0, duration], [0, 2]), fps=fps, exact=True)
    close(out.duration, duration, 1e-12)
    close(1 / out.fps, duration / (len(out) - 1), 1e-12)
    t = np.linspace(0, duration, len(out))
    assert distance(out, values_at(CLIP, lambda c: 2 * t / duration)) < 1e-6


def test_snapping_is_said() -> None:
    snapped = apply(CLIP, TimeWarp([0, 1.907], [0, 2]))
    assert any("rounded from 1.907 s" in note for note in snapped.notes)
    assert apply(CLIP, TimeWarp([0, 1.9], [0, 2])).notes == ()


@st.composite
def keyed(draw: DrawFn) -> tuple[float, list[tuple[int, int]]]:
    """Draw a duration that is no whole frame, and frame pairs that rise."""
    outputs = sorted(draw(st.lists(st.integers(1, 80), unique=True, min_size=1, max_size=4)))
    sources = st.lists(st.integers(1, 59), unique=True, min_size=len(outputs))
    pairs = zip(outputs, sorted(draw(sources)), strict=False)
    return (outputs[-1] + draw(st.floats(1.01, 20))) / 30, list(pairs)


@given(keyed())
def test_snapping_to_whole_frames_keeps_every_keytime(
    case: tuple[float, list[tuple[int, int]]],
) -> None:
    duration, frames = case
    keys = [(o / 30, s / 30) for o, s in frames]
    out = apply(CLIP, keytime_warp(CLIP.domain, duration=duration, keytimes=keys))
    for o, s in frames:
        np.testing.assert_array_equal(out.root_translation[o], CLIP.root_translation[s])
        close(quat.angle(out.rotations[o], CLIP.rotations[s]), 0, 1e-12)


@given(st.lists(st.integers(0, 600), min_size=1, unique=True).map(sorted))
def test_any_output_times(ticks: list[int]) -> None:
    t = np.array(ticks) / 240
    out = apply(CLIP, TimeWarp([0, 2.5], [0, 2]), times=t)
    np.testing.assert_array_equal(out.times, t)
    assert distance(out, values_at(CLIP, lambda c: 0.8 * t)) < 1e-6


# ---- ranges


@given(
    st.integers(1, 28),
    st.integers(2, 30),
    st.floats(0.2, 0.8),
    st.floats(0.2, 0.8),
    st.sampled_from([30.0, 30000 / 1001, 1 / 0.0083333]),
    STARTS,
)
@example(7, 16, 0.5, 0.4, 30.0, 0.0)
def test_frames_outside_a_range_are_bit_identical(
    first: int, length: int, u: float, v: float, fps: float, start: float
) -> None:
    motion = smooth_motion(start + np.arange(61) / fps, fps=fps)
    a, b = (float(motion.times[k]) for k in (first, first + length))
    key = (a + u * (b - a), a + v * (b - a))
    inner = keytime_warp((a, b), keytimes=[key])
    out = apply(motion, inner, range=(a, b))
    assert len(out) == len(motion)
    identical(out, motion, slice(0, first + 1))
    identical(out, motion, slice(first + length, None))
    if abs(u - v) > 0.1 and length > 4:
        assert distance(out, motion) > 1e-6


@given(st.integers(1, 28), st.integers(2, 30), st.integers(1, 60))
def test_frames_after_a_range_that_ripples_move_with_its_end(
    first: int, length: int, new: int
) -> None:
    a, b = first / 30, (first + length) / 30
    inner = keytime_warp((a, b), duration=new / 30)
    out = apply(CLIP, inner, range=(a, b), ripple=True)
    assert len(out) == len(CLIP) + new - length
    identical(out, CLIP, slice(0, first + 1))
    after = len(CLIP) - first - length
    for name, track in out.translations.items():
        np.testing.assert_array_equal(track[-after:], CLIP.translations[name][-after:])
    close(quat.angle(out.rotations[-after:], CLIP.rotations[-after:]), 0, 1e-12)


# ---- loops


@given(st.floats(-7, 7))
def test_a_cycle_walks_on(by: float) -> None:
    cycle = smooth_motion(np.arange(481) / 240, fps=240.0)
    out = apply(cycle, TimeWarp([0, 2], [by, by + 2]), loop=True)
    assert distance(out, smooth_motion(out.times + by, fps=240.0)) < 1e-3


def test_a_cycle_may_be_evaluated_at_any_time() -> None:
    cycle = smooth_motion(np.arange(481) / 240, fps=240.0)
    t = np.linspace(-5, 9, 101)
    out = apply(cycle, TimeWarp.identity(0, 2), loop=True, times=t)
    truth = smooth_motion(t, fps=240.0)
    assert distance(out, truth) < 1e-3


def test_pose_and_rate_agree_at_the_seam() -> None:
    cycle = smooth_motion(np.arange(481) / 240, fps=240.0)
    warp = keytime_warp(cycle.domain, keytimes=[(0.5, 0.8)], loop=True)
    out = apply(cycle, warp, times=[-0.01, 0.0, 0.01, 1.99, 2.0, 2.01])
    close(quat.angle(out.rotations[:3], out.rotations[3:]), 0, 1e-6)
    close(out.root_translation[3:] - out.root_translation[:3], np.tile([2, 0, 0], (3, 1)), 1e-6)


def drifting(**tracks: float) -> Motion:
    """Make a cycle whose named track ends off its start."""
    ramp = np.linspace(0, 1, len(CLIP))[:, None]
    along = {"hand": [1.0, 0, 0], "hips_up": [0, 1.0, 0], "scale": [1.0, 1.0, 1.0]}
    offset = {name: size * ramp * along[name] for name, size in tracks.items()}
    moved = dict(CLIP.translations)
    moved["Hand"] = moved["Hand"] + offset.get("hand", 0)
    moved["Hips"] = moved["Hips"] + offset.get("hips_up", 0)
    return replace(
        CLIP, translations=moved, scales={"Arm": CLIP.scales["Arm"] + offset.get("scale", 0)}
    )


@pytest.mark.parametrize("track", ["hips_up", "hand", "scale"])
def test_a_gap_at_the_seam_is_refused(track: str) -> None:
    around = TimeWarp.identity(0, 2)
    # Only a root may end elsewhere than it began, and only along the ground.
    assert len(apply(drifting(**{track: 0.0}), around, loop=True)) == len(CLIP)
    with pytest.raises(InputError, match="not a cycle"):
        apply(drifting(**{track: 1.0}), around, loop=True)


def test_a_pose_that_does_not_come_round_is_refused() -> None:
    with pytest.raises(InputError, match="not a cycle"):
        apply(smooth_motion(np.arange(31) / 30), TimeWarp.identity(0, 1), loop=True)


# ---- files


@st.composite
def stored(draw: DrawFn) -> Motion:
    """Draw a motion with everything that a file can hold."""
    motion = draw(motions(least=1))
    joints = replace(
        motion.skeleton,
        end_sites=(EndSite(2, (0.1, 1 / 3, -0.0), draw(st.text(max_size=5))),),
        file_names=tuple(draw(st.lists(st.text(max_size=5), min_size=4, max_size=4))),
    )
    rest = Pose(motion.rotations[0], {"Hips": motion.root_translation[0]})
    uneven = motion.start + np.cumsum(np.linspace(0.1, 0.2, len(motion)))
    return replace(
        motion,
        skeleton=joints,
        sample_times=draw(st.none() | st.just(uneven)),
        units=Units(draw(st.floats(1e-3, 10)), draw(st.sampled_from(["Y", "Z"]))),
        rest_pose=draw(st.none() | st.just(rest)),
        notes=as_notes(draw(st.lists(st.text(max_size=5), max_size=2))),
    )


def through_npz(motion: Motion) -> Motion:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.npz"
        write_motion(motion, path)
        return read_motion(path)


@given(stored())
def test_npz_keeps_every_bit(motion: Motion) -> None:
    back = through_npz(motion)
    identical(back, motion)
    for name in ("fps", "start", "units", "notes"):
        assert getattr(back, name) == getattr(motion, name)
    np.testing.assert_array_equal(back.times, motion.times)
    assert (back.sample_times is None) == (motion.sample_times is None)
    for name in ("names", "end_sites", "file_names"):
        assert getattr(back.skeleton, name) == getattr(motion.skeleton, name)
    for name in ("parents", "offsets", "rest_rotations", "rest_scales"):
        one, other = getattr(back.skeleton, name), getattr(motion.skeleton, name)
        assert one.tobytes() == other.tobytes()
    if motion.rest_pose is None:
        assert back.rest_pose is None
    else:
        assert back.rest_pose is not None
        assert back.rest_pose.rotations.tobytes() == motion.rest_pose.rotations.tobytes()
        hips = back.rest_pose.translations["Hips"]
        np.testing.assert_array_equal(hips, motion.root_translation[0])


@pytest.mark.parametrize("how", ["inferred", "assumed"])
def test_npz_keeps_units_that_were_not_declared(how: str) -> None:
    units = Units(0.37, "Z", how)
    assert through_npz(replace(CLIP, units=units)).units == units


@given(warps(cuts=True), st.booleans(), st.lists(st.text(max_size=8), max_size=2))
@example(TimeWarp([0, 2], [0, 2], channels={"Hand": ([0, 1], [0, 1])}), False, [])
@example(TimeWarp([0, 0.1], [1 / 3, 0.30000000000000004]), True, [])
def test_a_warp_survives_its_file(warp: TimeWarp, loop: bool, notes: list[str]) -> None:
    warp = warp.looped(loop).with_notes(*as_notes(notes))
    back = from_document(json.loads(dumps(to_document(warp))))
    assert back == warp
    assert back.notes == warp.notes
    for name in CHANNELS:
        assert back.channel(name) == warp.channel(name)


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=6).map(sorted))
def test_a_warp_file_keeps_every_digit(times: list[float]) -> None:
    assume(np.isfinite(times).all())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warp.json"
        write_warp(TimeWarp(times, times[::-1]), path)
        assert read_warp(path) == TimeWarp(times, times[::-1])


# ---- pieces


@given(motions(least=1), st.data())
def test_pieces_of_a_motion_make_it_again(motion: Motion, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(motion)))
    noted = motion.with_notes(*as_notes(["a note"]))
    again = concatenate(noted[:cut], noted[cut:])
    identical(again, noted)
    assert again.times.tobytes() == noted.times.tobytes()
    assert again.notes == noted.notes
    assert (again.rate, again.units, again.rest_pose) == (noted.rate, noted.units, noted.rest_pose)
