"""The parameters of syncing a motion to music."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from retime.methods.music.accents import Kind
from retime.parameters import About, Keytimes, TimingParameters
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
            "Beats a minute, where no beats are given.",
            unit="1/min",
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
            "Time of a beat in the music, where a tempo is given.",
            unit="s",
            label="First beat",
            slider=(0, 2),
        ),
    ] = 0.0
    strength: Annotated[
        float,
        About(
            "How far accents go to their beats: 0 is uniform speed, 1 all the way.",
            minimum=0,
            maximum=1,
            slider=(0, 1),
            ends=("uniform", "on the beat"),
        ),
    ] = 1.0
    accents: Annotated[
        Kind,
        About(
            "What counts as an accent: minima of the body's speed, limbs that stop, limbs that "
            "strike or turn, feet that land, or all of them (mixed)."
        ),
    ] = "speed"
    every: Annotated[
        Literal["1", "2", "4", "1/2"],
        About("Use every beat, every second or fourth, or half beats too.", label="Beats used"),
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
            "Start the motion up to a beat later in the music where that fits better (best), or "
            "exactly at the given time (fixed).",
            label="Start on",
        ),
    ] = "best"
    speed: Annotated[
        float | None,
        About(
            "Uniform playback speed that syncing starts from. Default: the one that brings the "
            "motion's own beat to the music's, where it is steady and near; else 1.",
            minimum=0.1,
            maximum=10,
            slider=(0.5, 2),
        ),
    ] = None
    duration: Annotated[
        Length | None,
        About("Length of the result. Default: what the speed gives.", unit="s"),
    ] = None
    keytimes: Keytimes = ()
    moments: Annotated[
        Sequence[SourceTime],
        About(
            "A moment of the source that must be on a beat.",
            unit="s",
            flag="moment",
            metavar="TIME",
            label="Locked moments",
        ),
    ] = ()
    min_speed: Annotated[
        float,
        About("Slowest playback speed, relative to uniform.", minimum=0.1, maximum=1),
    ] = 0.65
    max_speed: Annotated[
        float,
        About("Fastest playback speed, relative to uniform.", minimum=1, maximum=5),
    ] = 1.6
    stiffness: Annotated[
        float,
        About(
            "Cost of changing the speed; more of it leaves more accents off the beat.",
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
            "How far accents may stay from their beats, on average, for smoother speed.",
            unit="s",
            minimum=0,
            maximum=0.1,
            step=0.001,
            advanced=True,
            label="Off the beat at most",
        ),
    ] = 0.01
    first_beat: Annotated[
        int,
        About(
            "Which beat the second or fourth beats are counted from, 0 is the first.",
            minimum=0,
            advanced=True,
            label="Count from beat",
        ),
    ] = 0
