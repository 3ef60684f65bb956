"""The contact detector on real clips, against labels read from plots by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime.body.contacts import FoundContacts, find_contacts
from retime.body.contacts.grips import find_grips
from retime.body.measure.metrics import flights

SHARED = Path(__file__).parents[2].parent / "shared"
pytestmark = pytest.mark.skipif(
    not (SHARED / "mocap-more").is_dir(), reason="no folder of real clips beside the project"
)
LABELS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "contact_labels.json").read_text()
)["clips"]
# The arms of this skeleton do not fit where they carry: its hands are judged apart.
CARTWHEEL = "49_06"
NO_HANDS = ("07_01", "12_01", "02_01", "35_17", "16_35", "16_01", "13_11", "49_02")


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[retime.Motion, FoundContacts]]:
    out = {}
    for name, label in LABELS.items():
        motion = retime.read(SHARED / label["folder"] / f"{name}.bvh")
        out[name] = motion, find_contacts(motion)
    return out


def spans(times: np.ndarray, labels: list[list[float]]) -> np.ndarray:
    out = np.zeros(len(times), bool)
    for start, end, *_ in labels:
        out |= (times >= start) & (times <= end)
    return out


def foot(touching: FoundContacts, side: str) -> np.ndarray:
    parts = [touching.touching[f"{side}_{p}"] for p in ("heel", "ball", "toes")]
    return np.asarray(np.any(parts, axis=0))


def test_foot_frames_are_right(found: dict[str, Any]) -> None:
    right = []
    for name, label in LABELS.items():
        motion, contacts = found[name]
        window = (motion.times >= label["window"][0]) & (motion.times <= label["window"][1])
        for side, labels in label["feet"].items():
            same = spans(motion.times, labels) == foot(contacts, side)
            right.append(same[window])
    assert np.concatenate(right).mean() >= 0.95


def test_edges_are_within_30_ms_at_the_median(found: dict[str, Any]) -> None:
    gaps, missed = [], 0
    for name, label in LABELS.items():
        motion, contacts = found[name]
        for side, labels in label["feet"].items():
            change = np.diff(foot(contacts, side).astype(int))
            at = motion.times[:-1] + 0.5 / motion.rate
            for start, end, start_off, end_off in labels:
                for edge, off, sign in ((start, start_off, 1), (end, end_off, -1)):
                    if off is None:
                        continue
                    near = np.abs(at[change == sign] - edge).min(initial=9.0)
                    missed += near > 0.25
                    gaps.append(near)
    assert np.median(gaps) < 0.030
    assert missed <= 0.08 * len(gaps)


def test_no_flight_is_claimed_while_a_foot_stands(found: dict[str, Any]) -> None:
    false, total = 0.0, 0.0
    for name, label in LABELS.items():
        motion, contacts = found[name]
        window = (motion.times >= label["window"][0]) & (motion.times <= label["window"][1])
        down = np.any([spans(motion.times, s) for s in label["feet"].values()], axis=0)
        flying = spans(motion.times, [list(f) for f in contacts.flights])
        false += float((down & flying)[window].sum())
        total += float(window.sum())
    assert false / total < 0.01


def test_labelled_jumps_and_runs_keep_their_flights(found: dict[str, Any]) -> None:
    off = []
    for name, label in LABELS.items():
        first, last = label["window"]
        _, contacts = found[name]
        for start, end in label.get("flights", ()):
            if end - first < 0.05:
                continue  # cut off by the clip's start: too short to be told
            near = min(contacts.flights, key=lambda f: abs(f[0] - start) + abs(f[1] - end))
            off += [near[0] - start] if start > first else []
            off += [near[1] - end] if end < last else []
    assert len(off) == 23
    assert np.abs(off).max() <= 0.02 + 1e-9


def test_walks_runs_and_jumps_have_no_other_contacts(found: dict[str, Any]) -> None:
    for name in NO_HANDS:
        _, contacts = found[name]
        a, b = LABELS[name]["window"]
        others = {
            c.point
            for c in contacts.contacts
            if c.end > a and c.start < b and not c.point.endswith(("heel", "ball", "toes"))
        }
        assert not others, name


def test_hands_of_a_cartwheel_and_a_seat_are_found(found: dict[str, Any]) -> None:
    motion, contacts = found[CARTWHEEL]
    touched, labelled = 0, 0
    for side, labels in LABELS[CARTWHEEL]["hands"].items():
        truth = spans(motion.times, labels)
        hand = contacts.touching[f"{side}_hand"] | contacts.touching[f"{side}_finger"]
        touched, labelled = touched + (truth & hand).sum(), labelled + truth.sum()
    assert touched / labelled >= 0.75
    motion, contacts = found["13_02"]
    window = (motion.times >= 2.6) & (motion.times <= 6.6)
    truth = spans(motion.times, LABELS["13_02"]["seat"])
    assert (truth & contacts.touching["seat"])[window].sum() >= 0.9 * truth[window].sum()


@pytest.mark.parametrize("name", ["36_10", "13_35", "03_01", "01_02"])
def test_uneven_ground_is_not_flight(name: str) -> None:
    motion = retime.read(SHARED / "mocap-more" / f"{name}.bvh")
    assert sum(b - a for a, b in flights(motion)) <= 0.03 * motion.duration


def test_a_wrong_frame_rate_is_pointed_out() -> None:
    motion = retime.read(SHARED / "mocap-more" / "143_01.bvh")
    assert find_contacts(motion).rate == pytest.approx(60.0)


def test_golf_is_played_with_both_hands() -> None:
    motion = retime.read(SHARED / "mocap" / "64_01.bvh")
    found = find_grips(motion)
    assert {(g.joint, g.other) for g in found} == {("LeftHand", "RightHand")}
    assert sum(g.end - g.start for g in found) > 0.6 * motion.duration
