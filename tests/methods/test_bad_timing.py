"""Impossible requests of guided, sync and align: one sentence, with a value that works."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from music_making import dance
from retime import Motion, RetimeError, TimeWarp, align, apply, guided, samples
from retime.methods.music import sync

NAN = float("nan")
EDIT = TimeWarp([0, 1, 2.5, 4.25], [0, 1, 2, 3.25])
SAME = TimeWarp([0, 3.25], [0, 3.25])


@cache
def dancing() -> Motion:
    return dance(120.0, seconds=12.0)[0]


@cache
def slow() -> Motion:
    return samples.sample("punches-slow").motion


def jumped(options: dict[str, Any]) -> TimeWarp:
    return guided(samples.jump(), **options).warp  # 0 to 3.25 s


def synced(options: dict[str, Any]) -> TimeWarp:
    return sync(dancing(), **({} if "beats" in options else {"bpm": 120}) | options).warp


def aligned(options: dict[str, Any]) -> TimeWarp:
    return align(samples.punches(), **{"reference": slow()} | options).warp


# Method, options, what the sentence says, and options that it names, with which it works.
Case = tuple[Callable[[dict[str, Any]], TimeWarp], dict[str, Any], str, dict[str, Any] | None]
CASES: list[Case] = [
    # ---- lengths
    (jumped, {"duration": 0.0}, "above 0, not 0 s", None),
    (jumped, {"duration": -1.0}, "above 0", None),
    (jumped, {"duration": NAN}, "finite", None),
    (jumped, {"duration": "long"}, "is not a time", None),
    (jumped, {"duration": 0.1}, "choose a duration of 0.417 s", {"duration": 0.417}),
    (jumped, {"duration": 0.01}, "choose a duration of 0.417 s", {"duration": 0.417}),
    (jumped, {"duration": 0.4062}, "choose a duration of 0.417 s", {"duration": 0.417}),
    (jumped, {"duration": 1e6}, "a duration of 3250.000 s", {"duration": 3250.0}),
    (
        jumped,
        {"duration": 5.0, "min_speed": 0.9},
        "choose a duration of 3.600 s",
        {"duration": 3.6},
    ),
    (jumped, {"duration": 0.2, "backwards": True}, "duration of 0.417 s", {"duration": 0.417}),
    (
        jumped,
        {"duration": 0.1, "formulation": "paper"},
        "choose a duration of 0.417 s",
        {"duration": 0.417},
    ),
    (
        jumped,
        {"range": (1.0, 1.3), "duration": 0.01, "ripple": True},
        "choose a duration of 0.067 s",
        {"duration": 0.067},
    ),
    (synced, {"duration": 0}, "above 0", None),
    (synced, {"duration": 0.1}, "120 times its speed; choose a duration of 1.2", {"duration": 1.2}),
    (synced, {"duration": 1e4}, "choose a duration of 120", {"duration": 120.0}),
    # ---- keytimes
    (jumped, {"duration": 2.0, "keytimes": [(0.1, 2.0)]}, "show 2 s at 0.250 s",
     {"keytimes": [(0.25, 2.0)]}),
    (jumped, {"duration": 2.0, "keytimes": [(1.0, 1.0), (1.001, 1.01)]}, "show 1.01 s at 1.002 s",
     {"keytimes": [(1.0, 1.0), (1.002, 1.01)]}),
    (
        jumped,
        {"duration": 2.0, "keytimes": [(1.0, 1.0), (1.5, 1.05)], "min_speed": 0.2},
        "show 1.05 s at 1.250 s",
        {"keytimes": [(1.0, 1.0), (1.25, 1.05)]},
    ),
    (
        jumped,
        {"duration": 2.0, "keytimes": [(0.1, 2.0)], "backwards": True},
        "2.000 s of the source is at 0.100 s; choose a duration of 2.067 s",
        None,
    ),
    (jumped, {"duration": 2.0, "keytimes": [(1.0, 2.0), (1.5, 1.0)]}, "must rise", None),
    (jumped, {"duration": "free", "keytimes": [(1.0, 2.0), (1.5, 1.0)]}, "must rise", None),
    (jumped, {"keytimes": [(1.0, 1.0), (1.0, 2.0)]}, "must rise", None),
    (jumped, {"keytimes": [(1.0, NAN)]}, "keytimes.*finite", None),
    (jumped, {"keytimes": [(1.0, 9.0)]}, "9 s is outside the source, 0 to 3.25 s", None),
    (jumped, {"duration": "free", "keytimes": [(1.0, 9.0)]}, "9 s is outside the source", None),
    (jumped, {"keytimes": [(9.0, 1.0)]}, "9 s is outside the output, 0 to 3.25 s", None),
    (jumped, {"keytimes": [(-1.0, 1.0)]}, "outside the output", None),
    (
        jumped,
        {"duration": "free", "keytimes": [(1.0, 1.0)], "formulation": "paper"},
        "a free duration has no keytimes",
        None,
    ),
    (synced, {"keytimes": [(1.0, 99.0)]}, "99 s is outside the source, 0 to 12 s", None),
    (synced, {"keytimes": [(5.0, 2.0), (4.0, 3.0)]}, "must rise", None),
    (synced, {"duration": 10.0, "keytimes": [(12.0, 3.0)]}, "outside the output, 0 to 10 s", None),
    (synced, {"keytimes": [(1.0, 1.0), (1.1, 2.5)]}, "show 2.5 s at 1.938 s",
     {"keytimes": [(1.0, 1.0), (1.938, 2.5)]}),
    (synced, {"moments": [30]}, "30 s is not inside the clip, 0 to 12 s", None),
    # ---- locked spans and ranges
    (jumped, {"locked": [(1.0, 0.5)]}, "ends before it starts; give 0.5 to 1 s",
     {"locked": [(0.5, 1.0)]}),
    (jumped, {"locked": [(1.0, 1.0)]}, "is empty", None),
    (jumped, {"locked": [(1.0, 9.0)]}, "the part that is: 1 to 3.25 s", {"locked": [(1.0, 3.25)]}),
    (jumped, {"locked": [(5.0, 9.0)]}, "is not a part of the clip, 0 to 3.25 s$", None),
    (jumped, {"locked": [(0.5, 3.0)], "duration": 1.0}, "of 2.600 s", {"duration": 2.6}),
    (jumped, {"duration": 5.0, "locked": [(0.0, 3.25)]}, "of 3.250 s", {"duration": 3.25}),
    (jumped, {"locked": [(1.0, 1.5)], "keytimes": [(0.5, 1.0), (0.6, 1.5)]},
     "show 1.5 s at 1.000 s", {"keytimes": [(0.5, 1.0), (1.0, 1.5)]}),
    (jumped, {"locked": [(1.0, 1.5)], "formulation": "paper"}, "belongs to gradual", None),
    (synced, {"locked": [(1.0, 0.5)]}, "give 0.5 to 1 s", {"locked": [(0.5, 1.0)]}),
    (synced, {"locked": [(1.0, 90.0)]}, "that is: 1 to 12 s", {"locked": [(1.0, 12.0)]}),
    (synced, {"duration": 4.0, "locked": [(0.2, 5.0)]}, "0.200 to 5.000 s of .* recorded", None),
    (jumped, {"range": (2.0, 1.0)}, "give 1 to 2 s", {"range": (1.0, 2.0)}),
    (jumped, {"range": (1.0, 1.0)}, "is empty", None),
    (jumped, {"range": (1.0, 9.0)}, "the part that is: 1 to 3.25 s", {"range": (1.0, 3.25)}),
    (jumped, {"range": (1.0, 1.025), "duration": 0.01}, "give at least 0.267 s", None),
    (jumped, {"range": (0.0, 1.0), "backwards": True}, "only a whole clip", None),
    (synced, {"range": (3.0, 1.0)}, "give 1 to 3 s", {"range": (1.0, 3.0)}),
    (synced, {"range": (1.0, 1.05)}, "no accents", None),
    (aligned, {"range": (2.0, 1.0)}, "give 1 to 2 s", {"range": (1.0, 2.0)}),
    (aligned, {"range": (0.0, 99.0)}, "the part that is: 0 to 4 s", {"range": (0.0, 4.0)}),
    # ---- rates and limits of speed
    (jumped, {"rates": [(1.0, 0.0)]}, "a rate is 0.001 or more", None),
    (jumped, {"rates": [(9.0, 1.0)]}, "9 s is not in 0 to 3.25 s", None),
    (jumped, {"rates": [(1.0, NAN)]}, "finite", None),
    (jumped, {"rates": [(1.0, 50.0)]}, "plays no faster than 8 times", {"rates": [(1.0, 8.0)]}),
    (jumped, {"rates": [(1.0, 1.0), (1.001, 2.0)]}, "these cannot all be true", None),
    (jumped, {"rates": [(1.2, 2.0)], "locked": [(1.0, 1.5)]}, "at its recorded speed", None),
    (jumped, {"min_speed": 2.0, "max_speed": 1.5}, "a min_speed of 1.5 or less", None),
    (jumped, {"max_speed": 0.5}, "the minimum is 1", {"max_speed": 1.0}),
    (jumped, {"speed_limits": [(2.0, 1.0, 1.0, 2.0)]}, "both ranges must rise", None),
    (jumped, {"speed_limits": [(7.0, 8.0, 1.0, 2.0)]}, "7 to 8 s is outside 0 to 3.25 s", None),
    (jumped, {"speed_limits": [(1.0, 2.0, 9.0, 10.0)]}, "no faster than 8 times", None),
    (
        jumped,
        {"speed_limits": [(0.0, 3.25, 5.0, 6.0)], "duration": 2.0},
        "choose a duration of 0.650 s",
        {"duration": 0.65},
    ),
    (synced, {"min_speed": 2.0}, "the maximum is 1", None),
    # ---- other values
    (jumped, {"strength": 1.5}, "strength is 1.5; the maximum is 1", {"strength": 1.0}),
    (jumped, {"strength": -0.1}, "the minimum is 0", {"strength": 0.0}),
    (jumped, {"strength": NAN}, "strength is nan", None),
    (jumped, {"duration": 9.0, "upsample": 2}, "belongs to the paper's formulation", None),
    (jumped, {"duration": 9.0, "upsample": 2, "formulation": "paper"}, "in whole frames", None),
    (jumped, {"formulation": "paper", "strength": 0.5}, "belongs to gradual speed", None),
    (jumped, {"reference": [3]}, "a motion or a path", None),
    (jumped, {"reference_range": (3.0, 9.0), "reference_warp": EDIT}, "not a part of", None),
    (jumped, {"reference_range": (1.0, 1.01), "reference_warp": EDIT}, "three frames", None),
    (jumped, {"reference_warp": SAME}, "no edit to copy", None),
    (synced, {"bpm": None}, "there are no beats", None),
    (synced, {"bpm": 5}, "the minimum is 20", {"bpm": 20}),
    (synced, {"beats": [1.0]}, "one beat has no tempo", None),
    (synced, {"beats": [1.0, 0.5]}, "beats must be in order", None),
    (synced, {"beats": [1.0, 1.02]}, "closer than 0.1 s", {"beats": [1.0, 1.1]}),
    (synced, {"beats": [1.0, 2.0], "bpm": 100}, "not both", None),
    (synced, {"beats": [1.0, 2.0], "music_start": 5}, "no beat after the motion starts", None),
    (synced, {"duration": 10, "speed": 1.0}, "not both", None),
    (aligned, {"max_stall": -1.0}, "the minimum is 0", {"max_stall": 0.0}),
    (aligned, {"max_stall": float("inf")}, "finite", None),
    (aligned, {"max_stall": None}, "max_stall", None),
    (aligned, {"max_step": 33}, "the maximum is 32", {"max_step": 32}),
    (aligned, {"max_step": 1.5}, "max_step", None),
    (aligned, {"search_fps": 1}, "the minimum is 2", {"search_fps": 2}),
    (aligned, {"search_fps": NAN}, "finite", None),
    (aligned, {"range": 3}, "range", None),
    (aligned, {"weights": {"head": -1.0}}, "0 or more", {"weights": {"head": 0.0}}),
    (aligned, {"weights": {"tail": 1.0}}, "no joint 'tail' is compared; there are head", None),
    (aligned, {"weights": {"head": "x"}}, "weights", None),
    (aligned, {"reference_roles": "x"}, "reference_roles", None),
    (aligned, {"reference": None}, "a motion or a path", None),
    (aligned, {"reference": 3}, "a motion or a path", None),
    (aligned, {"reference": {}}, "a motion or a path", None),
]  # fmt: skip


@pytest.mark.parametrize(("method", "options", "sentence", "works"), CASES)
def test_what_is_impossible_names_what_works(
    method: Callable[[dict[str, Any]], TimeWarp],
    options: dict[str, Any],
    sentence: str,
    works: dict[str, Any] | None,
) -> None:
    with pytest.raises(RetimeError, match=sentence) as error:
        method(options)
    assert "\n" not in str(error.value)
    if works is not None:
        method(options | works)


def test_takes_of_too_different_lengths_cannot_be_aligned() -> None:
    short = apply(slow(), TimeWarp([0, 0.5], [0, slow().duration]))
    with pytest.raises(RetimeError, match="larger max_step"):
        aligned({"max_step": 1, "reference": short})
