"""The project's song, as the studio's server tells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from music_making import even_beats, f_measure, song, write_wave
from studio_running import Studio

Start = Callable[..., Studio]


def test_a_songs_beats_are_told(start_studio: Start, jump_file: Path, tmp_path: Path) -> None:
    studio = start_studio(jump_file)
    status, _, said = studio.ask("GET", "/music")
    assert status == 422
    assert "no sound" in json.loads(said)["text"]
    beats = even_beats(110, 8.0)
    tune = write_wave(tmp_path / "tune.wav", song(beats, 8.0))
    assert studio.upload("tune.wav", tune.read_bytes())[0] == 200
    found = json.loads(studio.ask("GET", "/music")[2])
    assert f_measure(np.array(found["beats"]), beats)[0] > 0.9
    assert found["duration"] == pytest.approx(8.0, abs=0.01)
    assert studio.upload("broken.wav", b"RIFF")[0] == 200
    status, _, said = studio.ask("GET", "/music")
    assert status == 422
    assert "cannot be read" in json.loads(said)["text"]
    assert str(studio.folder) not in json.loads(said)["text"]
