"""The beats of a host's song."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from retime.coercion import coerce
from retime.media.audio.beat_list import BeatList, find_beats


def heard(song: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a request for a song's beats: all of them in seconds, and which one starts a bar.

    A tempo and the time of a beat may be given: ``bpm``, ``offset``.
    """
    given = (coerce(request.get(name), float | None, name) for name in ("bpm", "offset"))
    found = _beats(song, _changed(song), *given)
    first = 0
    if len(found.downbeats):
        first = int(np.abs(found.beats - found.downbeats[0]).argmin())
    return {
        "beats": [round(float(b), 6) for b in found.beats],
        "first_beat": first,
        "bpm": found.bpm,
        "duration": found.duration,
    }


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0  # reading it reports the error


# A change of strength does not require decoding the song again.
@lru_cache(maxsize=4)
def _beats(song: str, changed: float, bpm: float | None, offset: float | None) -> BeatList:
    return find_beats(song, bpm=bpm, offset=offset)
