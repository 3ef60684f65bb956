"""Result of syncing: the warp, its accents and beats, and its quality."""

from __future__ import annotations

from dataclasses import dataclass

from retime.arrays import FloatArray
from retime.methods.music.accents import Accents
from retime.methods.music.steadiness import Steadiness
from retime.timing import TimeWarp


@dataclass(frozen=True, eq=False)
class Synced:
    """A synced motion and its scores."""

    warp: TimeWarp
    """Warp from the time of the result to that of the motion."""
    keys: FloatArray
    """Output and source times (K, 2) of accents that were assigned to a beat."""
    accents: Accents
    """All accents, in the time of the motion."""
    beats: FloatArray
    """Beats (B,) in the time of the result."""
    music_start: float
    """Time of the music at which the result starts, seconds."""
    uniform: float
    """Rate of uniform speed."""
    steadiness: Steadiness
    """The beat of a motion."""
    score: float
    """Beat Alignment Score of the result."""
    uniform_score: float
    """The same at uniform speed, at the same start in the music."""
    chance: float
    """The same at uniform speed, at any start."""
    accent_scores: tuple[float, float]
    """The score of the chosen kind of accents: of the result, and at uniform speed."""
    speeds: tuple[float, float]
    """Slowest and fastest playback speed, relative to uniform."""

    @property
    def figures(self) -> dict[str, float]:
        """The numbers for reports."""
        return {
            "beat_alignment": self.score,
            "beat_alignment_uniform": self.uniform_score,
            "beat_alignment_chance": self.chance,
            "accent_alignment": self.accent_scores[0],
            "accent_alignment_uniform": self.accent_scores[1],
            "accents": float(len(self.accents)),
            "accents_on_beats": float(len(self.keys)),
            "motion_bpm": self.steadiness.bpm,
            "motion_beat_p": self.steadiness.p,
            "uniform_speed": self.uniform,
            "slowest": self.speeds[0],
            "fastest": self.speeds[1],
            "music_start": self.music_start,
        }
