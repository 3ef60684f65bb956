"""The parameters of syncing a motion to music."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from retime.methods.music.accents import Kind
from retime.parameters import About, Choice, Keytimes, LockedSpans, TimingParameters
from retime.times import Length, SourceTime


@dataclass(frozen=True, kw_only=True)
class SyncParameters(TimingParameters):
    """Parameters of syncing."""

    beats: Annotated[
        Sequence[float],
        About("Beats of the music, in its own time.", unit="s", flag="beat", metavar="TIME"),
    ] = ()
    bpm: Annotated[
        float | None,
        About(
            "Tempo of the music, if no beats are given.",
            unit="bpm",
            minimum=20,
            maximum=400,
            label="Tempo",
            slider=(60, 200),
            step=0.1,
        ),
    ] = None
    offset: Annotated[
        float,
        About(
            "Time of the first beat in the music, if a tempo is given.",
            unit="s",
            label="First beat",
            slider=(0, 2),
        ),
    ] = 0.0
    strength: Annotated[
        float,
        About(
            "Amount of syncing: 0 keeps a uniform speed, 1 puts accents on the beat.",
            minimum=0,
            maximum=1,
            slider=(0, 1),
            ends=("Uniform", "On the beat"),
        ),
    ] = 1.0
    accents: Annotated[
        Kind,
        About(
            "Accents to detect.",
            choices=(
                Choice("speed", "Slowest moments", "minima of body speed"),
                Choice("stops", "Stops", "limbs that stop"),
                Choice("strikes", "Strikes", "strikes and turns of limbs"),
                Choice("landings", "Landings", "feet that land"),
                Choice("mixed", "All of them", "all of these"),
            ),
        ),
    ] = "speed"
    every: Annotated[
        Literal["1", "2", "4", "1/2"],
        About(
            "Beats to use.",
            label="Beats",
            choices=(
                Choice("1", "Every beat", "every beat"),
                Choice("2", "Every second beat", "every second beat"),
                Choice("4", "Every fourth beat", "every fourth beat"),
                Choice("1/2", "Half beats too", "half beats too"),
            ),
        ),
    ] = "1"
    music_start: Annotated[
        float,
        About(
            "Time of the music at which the motion starts.",
            unit="s",
            slider=(0, 60),
            label="Music starts at",
        ),
    ] = 0.0
    phase: Annotated[
        Literal["best", "fixed"],
        About(
            "When the motion starts.",
            label="Start on",
            choices=(
                Choice("best", "Best beat", "up to one beat later, if that fits the music better"),
                Choice("fixed", "Given time", "exactly at the given time"),
            ),
        ),
    ] = "best"
    speed: Annotated[
        float | None,
        About(
            "Uniform playback speed before syncing. Default: the speed that matches the tempo of "
            "the motion to the music, if it is steady and close; otherwise 1.",
            minimum=0.1,
            maximum=10,
            slider=(0.5, 2),
        ),
    ] = None
    duration: Annotated[
        Length | None,
        About(
            "Length of the result from its first to its last frame (48f writes 49 frames). "
            "Default: given by the playback speed.",
            unit="s",
        ),
    ] = None
    keytimes: Keytimes = ()
    moments: Annotated[
        Sequence[SourceTime],
        About(
            "Source time that must fall on a beat.",
            unit="s",
            flag="moment",
            metavar="TIME",
            label="Locked moments",
        ),
    ] = ()
    locked: LockedSpans = ()
    min_speed: Annotated[
        float,
        About("Minimum playback speed relative to uniform.", minimum=0.1, maximum=1),
    ] = 0.65
    max_speed: Annotated[
        float,
        About("Maximum playback speed relative to uniform.", minimum=1, maximum=5),
    ] = 1.6
    stiffness: Annotated[
        float,
        About(
            "Cost of speed changes. Higher values leave more accents off the beat.",
            minimum=0.5,
            maximum=1000,
            slider=(1, 100),
            advanced=True,
            label="Even speed",
        ),
    ] = 32.0
    tolerance: Annotated[
        float,
        About(
            "Average distance that accents may keep from their beats, for smoother speed.",
            unit="s",
            minimum=0,
            maximum=0.1,
            step=0.001,
            advanced=True,
            label="Tolerance",
        ),
    ] = 0.01
    first_beat: Annotated[
        int,
        About(
            "Beat to count every second or fourth beat from; 0 is the first.",
            minimum=0,
            advanced=True,
            label="Count from beat",
        ),
    ] = 0
