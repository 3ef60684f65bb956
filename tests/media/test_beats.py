"""Beats of songs whose beats are known, files of beats, and what is refused."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from music_making import (
    RATE,
    clicks,
    dance,
    even_beats,
    f_measure,
    sliding_beats,
    song,
    write_wave,
)
from retime import FormatError, InputError, Step, TimeWarp, write, write_warp
from retime.media.audio.beat_files import read_beat_times, write_beats
from retime.media.audio.beat_list import find_beats
from retime.media.audio.beat_tracker import track_beats
from retime.media.audio.song import Song, read_song
from video_making import SOUND_RATE, make_video

pytest.importorskip("av", reason="PyAV is not installed")
Run = Callable[..., tuple[int, str, str]]
LONG = 24.0


@pytest.mark.parametrize("bpm", [66, 97, 120, 133, 171])
def test_beats_of_clicks(bpm: float) -> None:
    beats = even_beats(bpm, LONG)
    found = track_beats(Song(clicks(beats, LONG, noise=0.01).astype(np.float32)))
    f, bias = f_measure(found.beats, beats)
    assert f >= 0.95
    assert abs(bias) < 0.015


@pytest.mark.parametrize("bpm", [72, 94, 123, 148, 165])
def test_beats_of_songs(bpm: float) -> None:
    beats = even_beats(bpm, LONG, 0.45)
    found = track_beats(Song(song(beats, LONG, seed=round(bpm)).astype(np.float32)))
    f, bias = f_measure(found.beats, beats)
    assert f >= 0.95
    assert abs(bias) < 0.015
    if len(found.downbeats):
        assert f_measure(found.downbeats, beats[::4])[0] >= 0.9


@pytest.mark.parametrize(("first", "last"), [(96, 128), (136, 108)])
def test_a_changing_tempo_is_followed(first: float, last: float) -> None:
    beats = sliding_beats(first, last, 30.0)
    found = track_beats(Song(song(beats, 30.0).astype(np.float32)))
    assert f_measure(found.beats, beats)[0] >= 0.95


@pytest.mark.parametrize("seconds", [4, 20])
def test_noise_and_silence_have_no_beats(seconds: int) -> None:
    noise = np.random.default_rng(1).standard_normal(seconds * RATE).astype(np.float32)
    with pytest.raises(InputError, match="no steady beat was found in the song"):
        track_beats(Song(0.3 * noise))
    with pytest.raises(InputError, match="the song is silent"):
        track_beats(Song(0 * noise))


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    beats = even_beats(110, 16.0, 0.4)
    return write_wave(tmp_path_factory.mktemp("song") / "song.wav", song(beats, 16.0))


def test_a_tempo_alone_is_placed_by_the_song(track: Path) -> None:
    found = find_beats(track, bpm=110)
    assert f_measure(found.beats, even_beats(110, 16.0, 0.4))[0] >= 0.95
    assert np.diff(found.beats) == pytest.approx(60 / 110)
    assert find_beats(track, bpm=120, offset=0.2).beats[:3] == pytest.approx([0.2, 0.7, 1.2])


def test_overrides(track: Path) -> None:
    plain = find_beats(track)
    assert find_beats(track, double=True).bpm == pytest.approx(2 * plain.bpm, rel=0.02)
    assert find_beats(track, half=True).bpm == pytest.approx(plain.bpm / 2, rel=0.02)
    shifted = find_beats(track, shift_half=True).beats - plain.beats[:-1]
    assert shifted == pytest.approx(30 / plain.bpm, abs=0.01)
    with pytest.raises(InputError, match="not both"):
        find_beats(track, double=True, half=True)


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".json"])
def test_files_of_beats_come_back(track: Path, tmp_path: Path, suffix: str) -> None:
    found = find_beats(track)
    path = tmp_path / f"beats{suffix}"
    write_beats(found, path)
    beats, downbeats = read_beat_times(path)
    assert beats == pytest.approx(found.beats, abs=1e-6)
    assert downbeats == pytest.approx(found.downbeats, abs=1e-6)


def midi(*events: bytes, division: int = 480) -> bytes:
    body = b"".join(events) + b"\x00\xff\x2f\x00"
    head = b"MThd" + (6).to_bytes(4, "big") + bytes([0, 0, 0, 1]) + division.to_bytes(2, "big")
    return head + b"MTrk" + len(body).to_bytes(4, "big") + body


def test_the_clock_of_a_midi_file(tmp_path: Path) -> None:
    path = tmp_path / "clock.mid"
    quarter = b"\x83\x60"  # 480 ticks
    path.write_bytes(
        midi(
            b"\x00\xff\x58\x04\x03\x02\x18\x08",  # three quarters
            b"\x00\xff\x51\x03" + (500_000).to_bytes(3, "big"),
            *[quarter + b"\x90\x3c\x40"] * 4,
            b"\x00\xff\x51\x03" + (400_000).to_bytes(3, "big"),
            *[quarter + b"\x3c\x00"] * 2,  # running status
        )
    )
    beats, downbeats = read_beat_times(path)
    assert beats == pytest.approx([0, 0.5, 1.0, 1.5, 2.0, 2.4, 2.8])
    assert downbeats == pytest.approx([0, 1.5, 2.8])


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.mid", b"RIFF", "not a MIDI file"),
        ("a.mid", midi(b"\x00\xf1"), "damaged"),
        ("a.txt", b"0.5\nsoon\n", "a.txt:2: 'soon' is not a time"),
        ("a.txt", b"0.5\n", "1 beats in the file"),
        ("a.json", b'{"beats": "often"}', "beats are a list of seconds"),
        ("a.csv", b"name\nx\n", "no column"),
        ("a.doc", b"", "beats are read from"),
    ],
)
def test_bad_files_of_beats(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises((FormatError, InputError), match=sentence):
        read_beat_times(path)


def test_unreadable_songs(tmp_path: Path) -> None:
    bad = tmp_path / "song.mp3"
    bad.write_bytes(b"not a song" * 500)
    with pytest.raises(FormatError, match="the sound cannot be read"):
        read_song(bad)
    with pytest.raises(InputError, match="no such file"):
        read_song(tmp_path / "gone.wav")


def test_the_commands(run: Run, track: Path, tmp_path: Path) -> None:
    status, out, _ = run("beats", track, tmp_path / "beats.txt", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["bpm"] == pytest.approx(110, rel=0.01)
    motion, _ = dance(104.0, 12.0)
    write(motion, tmp_path / "dance.bvh")
    words = ["sync", tmp_path / "dance.bvh", tmp_path / "out.bvh", "--audio", track, "--json"]
    status, out, err = run(*words, "--recipe", tmp_path / "r.json", "--plot", tmp_path / "p.png")
    assert status == 0, err
    said = json.loads(out)
    assert said["figures"]["beat_alignment"] > said["figures"]["beat_alignment_uniform"]
    assert any("Beat Alignment Score" in n for n in said["notes"])
    assert (tmp_path / "p.png").stat().st_size > 10_000
    recipe = json.loads((tmp_path / "r.json").read_text())
    (step,) = recipe["steps"]
    assert Step("sync", step["parameters"]).parameters.beats == pytest.approx(
        found["beats_s"], abs=1e-3
    )
    # The recipe alone gives the same file, and the same picture can be drawn from it.
    assert run("run", tmp_path / "r.json", tmp_path / "dance.bvh", tmp_path / "b.bvh")[0] == 0
    assert (tmp_path / "b.bvh").read_bytes() == (tmp_path / "out.bvh").read_bytes()
    drawn = ["plot", tmp_path / "dance.bvh", tmp_path / "q.png", "--recipe", tmp_path / "r.json"]
    assert run(*drawn, "--audio", track)[0] == 0
    assert (tmp_path / "q.png").stat().st_size > 10_000


def test_refusals_of_the_commands(run: Run, track: Path, tmp_path: Path) -> None:
    motion, _ = dance(104.0, 4.0)
    write(motion, tmp_path / "dance.bvh")
    out = tmp_path / "out.bvh"
    status, _, err = run("sync", tmp_path / "dance.bvh", out)
    assert status == 2
    assert "there are no beats" in err
    silent = write_wave(tmp_path / "silent.wav", np.zeros(5 * RATE))
    status, _, err = run("sync", tmp_path / "dance.bvh", out, "--audio", silent)
    assert status == 2
    assert "the song is silent; give its tempo or a file of beats (--bpm)" in err
    assert not out.exists()
    status, _, err = run("sync", tmp_path / "dance.bvh", out, "--bpm", "120", "--half")
    assert status == 2
    assert "--half" in err


def test_music_under_footage_is_left_alone(run: Run, tmp_path: Path) -> None:
    """The pictures follow the warp, and a song's clicks stay where they are."""
    clip = make_video(tmp_path / "take.mp4")
    beats = even_beats(120, 6.0, 0.5)
    tune = write_wave(tmp_path / "song.wav", clicks(beats, 6.0))
    write_warp(TimeWarp([0, 1.0, 3.0], [0, 0.4, 1.6]), tmp_path / "w.json")
    words = ["video", clip, tmp_path / "out.mp4", "--warp", tmp_path / "w.json"]
    status, out, err = run(*words, "--music", tune, "--music-start", "0.25", "--json")
    assert status == 0, err
    assert json.loads(out)["sound"] == "song.wav"
    heard = read_song(tmp_path / "out.mp4").samples
    loud = np.abs(heard).reshape(-1)[: len(heard) // 220 * 220].reshape(-1, 220).max(axis=1)
    starts = np.flatnonzero((loud[1:] > 0.2) & (loud[:-1] <= 0.2)) * 220 / RATE
    wanted = beats[(beats > 0.3) & (beats < 3.2)] - 0.25
    assert np.abs(starts[:, None] - wanted).min(axis=0).max() < 0.02
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * SOUND_RATE) / SOUND_RATE)
    make_video(clip, sound=np.stack([tone, tone], axis=1))
    status, out, _ = run(*words[:2], tmp_path / "kept.mp4", *words[3:], "--audio", "keep", "--json")
    assert json.loads(out)["sound"] == "as recorded"


def test_small_files_do_not_unpack_to_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, long = tmp_path / "slow.wav", tmp_path / "long.wav"
    for path, rate, count in ((slow, 1, 50_000), (long, 4000, 40_000)):
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 1, rate, count, "NONE", ""))
            file.writeframes(b"\x80" * count)
    with pytest.raises(FormatError, match="it has 1 samples per second"):
        read_song(slow)
    monkeypatch.setattr("retime.media.audio.song._SOME_SECONDS", 1)
    with pytest.raises(InputError, match="too long for a song in a file of its size"):
        read_song(long)
