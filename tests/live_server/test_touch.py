"""The partner stands by the performer, and their hands meet: judged on what goes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from live_stage import SHARED, Body, Shown, Stage, scene, stream
from retime import InputError, Motion, samples
from retime.live_server.avatar import Avatar
from retime.live_server.follower import Part
from retime.live_server.placing import Place, Placement, find_place
from retime.live_server.touch import Touch, TouchPair, found_pairs

HANDS = TouchPair("right_hand", "right_hand")
real = pytest.mark.skipif(
    not (SHARED / "pairs").is_dir(), reason="no folder of real clips beside the project"
)
# Scenes, and which hands touch: the partner's and the performer's.
TOUCHES = [
    ("handshake", "right", "right"),
    *(
        pytest.param(*case, marks=real)
        for case in (
            ("18_01", "right", "right"),
            ("18_04", "right", "right"),
            ("20_05", "right", "left"),
            ("20_06", "left", "right"),
            ("20_11", "right", "right"),
            ("20_12", "right", "right"),
            ("22_04", "right", "left"),
            ("22_11", "right", "right"),
            ("22_17", "right", "right"),
        )
    ),
]


class Touched:
    """A performance, and where the two joints are in what goes out."""

    def __init__(self, name: str, pair: TouchPair, *, touches: bool = True, rate: float = 60.0,
                 placed: bool = True, **body: Any) -> None:  # fmt: skip
        motion, partner = scene(name, 6.0)
        assert partner is not None
        self.touch = Touch(pair, motion, partner)
        performer = Body(motion, **body)
        # Until half a second after the last touch.
        last = max((b for _, b in self.touch.spans), default=np.inf) - motion.start
        length = min(motion.duration, 6.0, max(last + 0.5, 2.0))
        stage = Stage(
            Part(name, motion, partner, touches=(pair,) if touches else (), placed=placed)
        )
        shown = stage.play(stream(performer, lambda t: motion.start + t, length, rate=rate))
        # The first frames, before a performer came, are where the partner was recorded.
        self.shown = [s for s in shown if s.now > 0.1]
        self.source = motion.start + np.array([s.now for s in self.shown])
        joint = Avatar(partner).roles.index(pair.partner)
        self.hand = joints(self.shown, joint)
        self.own = np.array([performer.joints(t)[pair.performer] for t in self.source])
        self.heading = np.radians(performer.heading)
        self.whole = np.array([any(a <= t <= b for a, b in self.touch.spans) for t in self.source])

    @property
    def off(self) -> np.ndarray:
        """How far the hand is from the recorded offset, in the performer's own axes (N,)."""
        offset = np.array([self.touch.offset(t) for t in self.source])
        out: np.ndarray = np.linalg.norm(
            self.hand - self.own - Place(float(self.heading)).turn(offset), axis=1
        )
        return out

    def speeds(self) -> np.ndarray:
        out: np.ndarray = np.linalg.norm(np.diff(self.hand, axis=0), axis=1) * 90
        return out

    def accelerations(self) -> np.ndarray:
        """Accelerations of the hand within the spans of the touch."""
        found = np.linalg.norm(np.diff(self.hand, 2, axis=0), axis=1) * 90**2
        out: np.ndarray = found[self.whole[1:-1]]
        return out


@cache
def plainly(name: str, pair: TouchPair, **how: Any) -> Touched:
    """Return the performance without a touch."""
    return Touched(name, pair, touches=False, placed=False, **how)


def joints(shown: list[Shown], joint: int) -> np.ndarray:
    return np.array([s.partner[joint] for s in shown if s.partner is not None])


@pytest.mark.parametrize(("name", "theirs", "ours"), TOUCHES)
def test_the_offset_is_kept_at_any_heading(name: str, theirs: str, ours: str) -> None:
    pair = TouchPair(f"{theirs}_hand", f"{ours}_hand")
    plain = plainly(name, pair)
    assert plain.whole.any()
    for heading in (30.0, 180.0, -90.0):
        found = Touched(name, pair, heading=heading, place=(0.1, 0.0, 0.1))
        assert found.off[found.whole].max() < 0.02
        assert found.speeds().max() < 1.5 * plain.speeds().max() + 1.0


@pytest.mark.parametrize(("name", "theirs", "ours"), TOUCHES)
def test_hands_do_not_shake(name: str, theirs: str, ours: str) -> None:
    pair = TouchPair(f"{theirs}_hand", f"{ours}_hand")
    for rate, noise in ((30.0, 0.0), (60.0, 0.5)):
        how: dict[str, Any] = {"rate": rate, "noise": noise, "place": (0.1, 0.0, 0.0)}
        found = Touched(name, pair, **how).accelerations()
        plain = Touched(name, pair, touches=False, placed=False, **how).accelerations()
        assert np.median(found) < max(25.0, 1.2 * np.median(plain))
        assert found.max() < 1.5 * plain.max() + 15.0


@real
@pytest.mark.parametrize(
    ("name", "theirs", "ours"), [("20_05", "right", "left"), ("20_06", "left", "right")]
)
def test_every_clap_is_met(name: str, theirs: str, ours: str) -> None:
    """Claps of less than a tenth of a second, by a performer who stands 0.15 m elsewhere."""
    pair = TouchPair(f"{theirs}_hand", f"{ours}_hand")
    found = Touched(name, pair, place=(0.1, 0.0, 0.11))
    claps = [m for m in found.touch.moments if found.source[0] < m < found.source[-1]]
    assert len(claps) >= 2
    for clap in claps:
        assert found.off[np.abs(found.source - clap).argmin()] < 0.03


@real
def test_hands_that_do_not_meet_have_no_span() -> None:
    for name in ("18_08", "20_01", "22_09", "22_18", "22_19"):
        motion, partner = scene(name)
        assert partner is not None
        assert found_pairs(motion, partner) == ()
    motion, partner = scene("18_01")
    assert partner is not None
    assert not Touch(TouchPair("left_hand", "right_hand"), motion, partner).spans
    assert found_pairs(motion, partner) == (HANDS,)


def test_touching_hands_are_found_in_both_recordings() -> None:
    motion, partner = scene("handshake")
    assert partner is not None
    assert found_pairs(motion, partner) == (HANDS,)
    assert found_pairs(samples.punches(), samples.walk()) == ()


def test_the_hand_follows_without_delay() -> None:
    """Of another body: its hand beside the partner's, less the recorded offset, by correlation."""
    found = Touched("handshake", HANDS, size=0.97)
    offset = np.array([found.touch.offset(t) for t in found.source])
    hand, own = (found.hand - offset)[found.whole], found.own[found.whole]
    delays = np.arange(-0.1, 0.1, 0.002)
    times = found.source[found.whole]
    inside = slice(10, -10)
    errors = [
        np.mean([
            np.std(hand[inside, c] - np.interp(times[inside] - delay, times, own[:, c]))
            for c in range(3)
        ])
        for delay in delays
    ]  # fmt: skip
    assert abs(delays[int(np.argmin(errors))]) < 0.02


def test_a_performer_out_of_reach_is_let_go() -> None:
    """Left where recorded, the partner does not grab behind them at 180 degrees."""
    plain = plainly("handshake", HANDS)
    found = Touched("handshake", HANDS, heading=180.0, placed=False)
    assert found.speeds().max() < 1.5 * plain.speeds().max() + 1.0


def test_a_place_turns_and_moves_and_is_found() -> None:
    dice = np.random.default_rng(0)
    points = dice.normal(size=(12, 3))
    place = Place(2.1, 0.4, -1.3)
    live = place(points)
    live[3] = np.nan
    found = find_place(points, live)
    assert found is not None
    np.testing.assert_allclose(
        [found.heading, found.x, found.z], [place.heading, place.x, place.z], atol=1e-9
    )
    turned = place.about(0.3, points[0])
    np.testing.assert_allclose(turned(points[0]), place(points[0]), atol=1e-12)
    assert find_place(points, np.full((12, 3), np.nan)) is None


def test_who_stands_turns_on_the_standing_foot() -> None:
    _, partner = scene("handshake")
    assert partner is not None
    avatar = Avatar(partner)
    placement = Placement(avatar)
    placement.hear(Place())
    placement.at(0.0, 0.0)
    placement.hear(Place(np.pi / 2, 0.2, 0.0))
    feet = [avatar.roles.index(f"{side}_foot") for side in ("left", "right")]
    rows = [placement.at(k / 90, 0.0)(avatar.points(0.0)[feet]) for k in range(1, 450)]
    speeds = np.linalg.norm(np.diff(rows, axis=0), axis=2) * 90
    assert speeds.min(axis=1).max() < 0.2  # one foot hardly slides
    assert placement.place is not None
    assert placement.place.heading == pytest.approx(np.pi / 2, abs=0.1)


@pytest.mark.parametrize("text", ["right_hand", "tail=right_hand", "right_hand=tail"])
def test_a_touch_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--touch"):
        TouchPair.parse(text)


def test_the_spans_are_printed(tmp_path: Any, run: Callable[..., tuple[int, str, str]]) -> None:
    import retime

    shake = samples.sample("handshake")
    retime.write(shake.motion, tmp_path / "a.npz")
    assert shake.partner is not None
    retime.write(shake.partner, tmp_path / "b.npz")
    retime.write(replace(shake.partner, translations={
        name: way + 3.0 for name, way in shake.partner.translations.items()
    }, origin=None), tmp_path / "far.npz")  # fmt: skip
    for other, said in (("b", "touch at 1."), ("far", "no hands of a.npz and far.npz touch")):
        status, out, err = run(
            "live", tmp_path / "a.npz", "--partner", tmp_path / f"{other}.npz", "--touch", "auto",
            "--replay", tmp_path / "a.npz", "--speed", "8", "--json",
        )  # fmt: skip
        assert status == 0, err
        assert said in err
        assert json.loads(out.splitlines()[-1])["type"] == "end"


def test_a_relocation_is_cross_faded() -> None:
    motion: Motion = samples.punches()
    stage = Stage(Part("punches", motion))

    def skips(time: float) -> float:
        return float(motion.start + time + (1.4 if time >= 1.2 else 0.0))

    shown = stage.play(stream(Body(motion), skips, 2.4))
    times = np.array([s.cue.time for s in shown])
    jump = int(np.argmax(np.diff(times)))
    assert np.diff(times)[jump] > 0.75  # the time jumps
    avatar = Avatar(motion)
    hand = avatar.roles.index("right_hand")
    fastest = np.linalg.norm(np.diff(avatar.places, axis=0), axis=2).max() * motion.rate
    speed = np.linalg.norm(np.diff(joints(shown, hand), axis=0), axis=1) * 90
    assert speed[jump : jump + 20].max() < fastest  # and the hand does not
    assert shown[jump].now - 1.2 < 0.5  # soon after the skip
    assert abs(times[-1] - skips(shown[-1].now)) < 0.1
