"""Draw docs/pictures/music.png: a salsa on the beats of a synthetic song.

The salsa is CMU 61_01 where it is at hand, else the bundled walk.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import retime
from retime import samples
from retime.media.audio.song import Song
from retime.methods.music import SyncParameters
from retime.plot.music import draw_sync

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    """Draw the picture."""
    from music_making import even_beats, song

    clip = ROOT.parent / "shared" / "mocap-more" / "61_01.bvh"
    motion = retime.read(clip) if clip.exists() else samples.walk()
    beats = even_beats(118, 24, 0.35)
    heard = Song(song(beats, 24, seed=3).astype(np.float32))
    p = SyncParameters(beats=tuple(beats))
    target = ROOT / "docs" / "pictures" / "music.png"
    draw_sync(motion, p, target, wave=(heard.duration, heard.envelope(4000)))


if __name__ == "__main__":
    main()
