"""Video: frames by their time stamps, sound at its pitch, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mutating import mutants
from retime import FormatError, InputError, TimeWarp, write_warp

av = pytest.importorskip("av", reason="PyAV is not installed")

from retime.media.video import retime_video  # noqa: E402
from retime.media.video.frames import _CACHED_BYTES, FrameReader, index_frames  # noqa: E402
from retime.media.video.opening import open_footage  # noqa: E402
from video_making import SOUND_RATE, counter, make_video, read_counters, read_sound  # noqa: E402

Run = Callable[..., tuple[int, str, str]]
LAST = 59 / 30


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_video(tmp_path_factory.mktemp("video") / "clip.mp4")


def _shown(clip: Path, folder: Path, warp: TimeWarp, **options: Any) -> tuple[Any, Any, Any, Any]:
    out = folder / "out.mp4"
    made = retime_video(clip, out, warp, **options)
    numbers, greys, times = read_counters(out)
    assert len(numbers) == made.frames
    return made, np.array(numbers), np.array(greys), np.array(times)


def _nearest(moments: Any) -> Any:
    return np.ceil(np.asarray(moments) * 30 - 0.5 - 1e-4).astype(int)


# ---- frames


@pytest.mark.parametrize(
    "warp",
    [
        TimeWarp([0, LAST], [0, LAST]),
        TimeWarp([0, 4], [0, 1.9]),
        TimeWarp([0, 0.8], [0.1, LAST]),
        TimeWarp([0, 1, 1.5, 2.5], [0, 0.6, 0.6, LAST]),
        TimeWarp([0, LAST], [LAST, 0]),
        TimeWarp([0, 1, 1, 2], [0, 0.5, 1.2, LAST]),
    ],
    ids=["same", "slow", "quick", "hold", "backwards", "cut"],
)
def test_every_frame_shows_its_moment(clip: Path, tmp_path: Path, warp: TimeWarp) -> None:
    made, numbers, _, times = _shown(clip, tmp_path, warp)
    expected = warp(np.arange(made.frames) / 30)
    assert numbers.tolist() == _nearest(expected).tolist()
    assert numbers[0] == round(30 * float(warp(0.0)))
    assert numbers[-1] == round(30 * float(warp(warp.domain[1])))
    np.testing.assert_allclose(times, np.arange(made.frames) / 30, atol=1e-4)


def test_blended_frames_mix_their_neighbours_by_time(clip: Path, tmp_path: Path) -> None:
    warp = TimeWarp([0, 3], [0.2, 1.4])
    made, _, greys, _ = _shown(clip, tmp_path, warp, frames="blend")
    assert np.abs(greys - made.source * 30).max() < 0.6
    _, numbers, greys, _ = _shown(clip, tmp_path, TimeWarp([0, LAST], [0, LAST]), frames="blend")
    assert numbers.tolist() == list(range(60))  # at rate 1 nothing is mixed


def test_offset_and_frame_rate(clip: Path, tmp_path: Path) -> None:
    made, numbers, _, times = _shown(clip, tmp_path, TimeWarp([5, 6], [0, 1]), offset=0.5, fps=12)
    assert made.frames == 13
    assert numbers.tolist() == _nearest(0.5 + np.arange(13) / 12).tolist()
    assert times[1] == pytest.approx(1 / 12, abs=1e-4)


def test_beyond_the_video_its_end_stands(clip: Path, tmp_path: Path) -> None:
    made, numbers, _, _ = _shown(clip, tmp_path, TimeWarp([0, 2], [1, 3]))
    assert numbers[-5:].tolist() == [59] * 5
    assert any("beyond the video" in note for note in made.notes)
    with pytest.raises(InputError, match="set an offset to start"):
        retime_video(clip, tmp_path / "no.mp4", TimeWarp([0, 1], [0, 1]), offset=100)
    assert not (tmp_path / "no.mp4").exists()


def test_uneven_time_stamps_are_followed(tmp_path: Path) -> None:
    stamps = [int(s) for s in np.cumsum([0, *([20, 60, 33] * 13)])]
    file = make_video(tmp_path / "vfr.mkv", frames=len(stamps), stamps=stamps)
    end = stamps[-1] / 1000
    made, numbers, _, _ = _shown(file, tmp_path, TimeWarp([0, end], [0, end]), fps=50)
    at = np.array(stamps) / 1000
    expected = [int(np.abs(at - t).argmin()) for t in made.source]
    assert np.mean(numbers == expected) > 0.97  # a tie may go either way
    assert any("frame rate varies" in note for note in made.notes)
    # The counter of a picture that stays stands until the next comes in.
    still = make_video(tmp_path / "still.mkv", frames=6, stamps=[0, 33, 67, 100, 1100, 1133])
    _, numbers, _, _ = _shown(still, tmp_path, TimeWarp([0, 1.1], [0, 1.1]), fps=20)
    assert numbers[4:21].tolist() == [3] * 17


def test_memory_is_bounded_backwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retime.media.video.frames._CACHED_BYTES", 5 * 128 * 64 * 3 // 2)
    file = make_video(tmp_path / "long-gop.mp4", key_every=60)
    with open_footage(file) as footage:
        reader = FrameReader(footage, index_frames(footage))
        for k in (*range(59, -1, -1), 17, 40, 3):
            frame = reader.frame(k).to_ndarray()[:64]
            assert np.abs(frame.astype(int) - counter(k)).mean() < 4
            assert len(reader._kept) <= 8
    assert _CACHED_BYTES > 1 << 20


# ---- what is kept


def test_turn_shape_and_colour_are_kept(tmp_path: Path) -> None:
    options = {"rotation": 90, "color_range": 2, "colorspace": 1, "sample_aspect_ratio": (4, 3)}
    from fractions import Fraction

    options["sample_aspect_ratio"] = Fraction(4, 3)
    file = make_video(tmp_path / "turned.mp4", frames=20, options=options)
    out = tmp_path / "out.mp4"
    retime_video(file, out, TimeWarp([0, 1], [0, 0.6]))
    found = []
    for path in (file, out):
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            frame = next(container.decode(stream))
            found.append(
                (frame.rotation, frame.color_range, frame.colorspace, stream.sample_aspect_ratio)
            )
    assert found[0] == found[1] == (90, 2, 1, Fraction(4, 3))


def test_odd_sides_and_other_formats_are_said(tmp_path: Path) -> None:
    file = tmp_path / "odd.mkv"
    with av.open(str(file), "w") as out:
        stream = out.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = 101, 51, "yuv444p"
        for k in range(10):
            picture = np.full((51, 101, 3), 20 * k, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv444p")
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    made = retime_video(file, tmp_path / "out.mp4", TimeWarp([0, 0.3], [0, 0.3]), frames="blend")
    assert made.size == (100, 50)
    assert any("100x50" in n for n in made.notes)
    assert any("yuv444p" in n for n in made.notes)


# ---- sound


def _tone(seconds: float = 2.0) -> Any:
    t = np.arange(int(seconds * SOUND_RATE)) / SOUND_RATE
    return np.stack([0.5 * np.sin(880 * np.pi * t), 0.4 * np.sin(880 * np.pi * t + 1)], axis=1)


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.0, 1.3, 2.0])
def test_a_tone_keeps_its_pitch_and_its_place(tmp_path: Path, rate: float) -> None:
    file = make_video(tmp_path / "tone.mp4", sound=_tone())
    out = tmp_path / "out.mp4"
    made = retime_video(file, out, TimeWarp([0, LAST / rate], [0, LAST]))
    assert made.sound
    sound = read_sound(out)
    assert len(sound) / SOUND_RATE == pytest.approx(made.duration, abs=0.03)
    middle = (
        sound[SOUND_RATE // 5 : -SOUND_RATE // 5]
        * np.hanning(len(sound[SOUND_RATE // 5 : -SOUND_RATE // 5]))[:, None]
    )
    spectrum = np.fft.rfft(middle, 8 * len(middle), axis=0)
    peak = int(np.abs(spectrum[:, 0]).argmax())
    assert peak * SOUND_RATE / (8 * len(middle)) == pytest.approx(440, rel=0.01)
    assert np.angle(spectrum[peak, 1] / spectrum[peak, 0]) == pytest.approx(1.0, abs=0.05)
    loudness = np.sqrt(np.convolve(sound[:, 0] ** 2, np.ones(2182) / 2182, "valid"))
    inside = loudness[SOUND_RATE // 5 : -SOUND_RATE // 5]
    assert inside.min() > 0.8 * inside.max()  # no flutter


CLICKS = (0.3, 0.7, 1.1, 1.5)


def _clicks() -> Any:
    draw = np.random.default_rng(1)
    sound = np.zeros((2 * SOUND_RATE, 1))
    for moment in CLICKS:
        k = int(moment * SOUND_RATE)
        sound[k : k + 200, 0] = draw.normal(size=200) * 0.3 * np.exp(-np.arange(200) / 50)
    return sound


@pytest.mark.parametrize(
    "warp",
    [
        TimeWarp([0, 4], [0, 2]),
        TimeWarp([0, 2], [0, 2]),
        TimeWarp([0, 1], [0, 2]),
        TimeWarp([0, 2], [2, 0]),
        TimeWarp([0, 1, 1.5, 2.5], [0, 0.9, 0.9, 1.9]),
        TimeWarp(np.linspace(0, 2, 50), 2 * np.linspace(0, 1, 50) ** 1.6),
    ],
    ids=["slow", "same", "quick", "backwards", "hold", "bent"],
)
def test_clicks_land_at_their_warped_times_once(tmp_path: Path, warp: TimeWarp) -> None:
    file = make_video(tmp_path / "clicks.mp4", sound=_clicks())
    out = tmp_path / "out.mp4"
    retime_video(file, out, warp)
    sound = read_sound(out)[:, 0]
    power = np.convolve(np.abs(np.diff(sound)), np.ones(480) / 480, "same")
    loud = np.flatnonzero(np.diff((power > 0.3 * power.max()).astype(int)) == 1)
    assert len(loud) == len(CLICKS)
    expected = np.sort(warp.body.swap().at(CLICKS))
    for moment in expected:
        near = power[int(max(moment - 0.06, 0) * SOUND_RATE) : int((moment + 0.06) * SOUND_RATE)]
        found = max(moment - 0.06, 0) + near.argmax() / SOUND_RATE
        assert abs(found - moment) < 0.010


def test_a_hold_is_silent_and_sound_can_be_left_out(tmp_path: Path) -> None:
    file = make_video(tmp_path / "tone.mp4", sound=_tone())
    out = tmp_path / "out.mp4"
    warp = TimeWarp([0, 0.8, 1.6, 2.4], [0, 0.8, 0.8, 1.6])
    retime_video(file, out, warp)
    sound = read_sound(out)[:, 0]
    assert np.abs(sound[int(0.9 * SOUND_RATE) : int(1.5 * SOUND_RATE)]).max() < 1e-3
    assert sound[int(0.2 * SOUND_RATE) : int(0.7 * SOUND_RATE)].std() > 0.3
    made = retime_video(file, out, warp, audio="drop")
    assert not made.sound
    with av.open(str(out)) as container:
        assert not container.streams.audio


# ---- what is refused


def test_what_makes_no_sense_is_a_sentence(clip: Path, tmp_path: Path) -> None:
    warp, out = TimeWarp([0, 1], [0, 1]), tmp_path / "out.mp4"
    for changed, word in (
        ({"fps": 0.0}, "between 0.1 and 1000"),
        ({"offset": float("nan")}, "seconds"),
        ({"quality": 60}, "0 \\(lossless\\) to 51"),
        ({"frames": "best"}, "nearest"),
        ({"audio": "loud"}, "keep-pitch"),
        ({"channel": "Head"}, "no channel"),
    ):
        with pytest.raises(InputError, match=word):
            retime_video(clip, out, warp, **changed)
    with pytest.raises(InputError, match="no duration"):
        retime_video(clip, out, TimeWarp([1], [1]))
    with pytest.raises(InputError, match="more than a day"):
        retime_video(clip, out, TimeWarp([0, 1e6], [0, 1]))
    with pytest.raises(InputError, match=r"\.mp4, \.m4v, \.mov, not '\.webm'"):
        retime_video(clip, tmp_path / "out.webm", warp)
    with pytest.raises(InputError, match="is the input"):
        retime_video(clip, clip, warp)
    with pytest.raises(InputError, match="no such file"):
        retime_video(tmp_path / "none.mp4", out, warp)
    assert not out.exists()


def test_files_without_video_or_time_are_refused(tmp_path: Path) -> None:
    warp, out = TimeWarp([0, 1], [0, 1]), tmp_path / "out.mp4"
    song = tmp_path / "song.m4a"
    with av.open(str(song), "w", format="mp4") as container:
        voice = container.add_stream("aac", rate=SOUND_RATE, layout="mono")
        silence = np.zeros((1, SOUND_RATE), dtype=np.float32)
        frame = av.AudioFrame.from_ndarray(silence, format="flt", layout="mono")
        frame.sample_rate = SOUND_RATE
        container.mux(voice.encode(frame))
        container.mux(voice.encode(None))
    with pytest.raises(FormatError, match="no video"):
        retime_video(song, out, warp)
    raw = make_video(tmp_path / "raw.h264", frames=10)
    with pytest.raises(FormatError, match="no time stamps"):
        retime_video(raw, out, warp)
    single = make_video(tmp_path / "one.mp4", frames=1)
    with pytest.raises(FormatError, match="fewer than two frames"):
        retime_video(single, out, warp)
    swift = make_video(tmp_path / "swift.mp4", frames=10, fps=5000)
    with pytest.raises(FormatError, match="not plausible"):
        retime_video(swift, out, TimeWarp([0, 1], [0, 0.001]))
    (tmp_path / "text.mp4").write_text("not a video")
    with pytest.raises(FormatError, match="cannot be read"):
        retime_video(tmp_path / "text.mp4", out, warp)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "one.mp4", "raw.h264", "song.m4a", "swift.mp4", "text.mp4",
    ]  # fmt: skip


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    tone = _tone(0.5)
    good = make_video(tmp_path / "good.mp4", frames=15, sound=tone)
    data = good.read_bytes()
    end = data.rindex(b"moov")
    turned = data[end - 4 :] + data[: end - 4]  # what tells most stands where most is damaged
    file, out = tmp_path / "bad.mp4", tmp_path / "out.mp4"
    head = len(data) - end + 4
    stress = bool(os.environ.get("RETIME_STRESS"))
    outcomes = {"read": 0, "refused": 0}
    for n, changed in enumerate(mutants(turned, seed=7, head=head)):
        if n == 100 and not stress:
            break
        file.write_bytes(changed[head:] + changed[:head])
        try:
            retime_video(file, out, TimeWarp([0, 0.4], [0, 0.4]))
            outcomes["read"] += 1
        except (FormatError, InputError):
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 5
    for length in range(0, len(data), len(data) // 15):
        file.write_bytes(data[:length])
        if length < end + head // 2:  # its table of frames is cut off
            with pytest.raises(FormatError):
                retime_video(file, out, TimeWarp([0, 0.4], [0, 0.4]))
    assert {p.name for p in tmp_path.iterdir()} <= {"good.mp4", "bad.mp4", "out.mp4"}


# ---- the command


def test_the_command_says_what_it_did(run: Run, clip: Path, tmp_path: Path) -> None:
    root = ([0, 2], [0, 1])
    warp = TimeWarp([0, 2], [0, 2], channels={"Hips:translation": root})
    write_warp(warp, tmp_path / "w.json")
    status, out, _ = run(
        *("video", clip, tmp_path / "out.mp4", "--warp", tmp_path / "w.json"),
        *("--offset", "0.5", "--json"),
    )
    assert status == 0
    told = json.loads(out)
    assert (told["frames"], told["fps"], told["shows_s"]) == (61, 30.0, [0.5, 1.5])
    assert any("'Hips:translation' is followed" in note for note in told["notes"])
    status, _, err = run("video", clip, clip, "--warp", tmp_path / "w.json")
    assert status == 2
    assert "is the input" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
def test_stopping_leaves_nothing_behind(clip: Path, tmp_path: Path) -> None:
    write_warp(TimeWarp([0, 3000], [0, LAST]), tmp_path / "w.json")
    (tmp_path / "out.mp4").write_bytes(b"the older one")
    words = ["video", str(clip), str(tmp_path / "out.mp4"), "--warp", str(tmp_path / "w.json")]
    process = subprocess.Popen([sys.executable, "-m", "retime", *words], stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            if any(p.name.startswith(".retime-") and p.stat().st_size for p in tmp_path.iterdir()):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.decode().strip().endswith("retime: stopped")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.mp4", "w.json"]
    assert (tmp_path / "out.mp4").read_bytes() == b"the older one"


def test_without_pyav_the_extra_is_named(tmp_path: Path, clip: Path) -> None:
    code = (
        "import sys; sys.modules['av'] = None\n"
        "from retime import TimeWarp\nfrom retime.media.video import retime_video\n"
        f"retime_video({str(clip)!r}, {str(tmp_path / 'o.mp4')!r}, TimeWarp([0, 1], [0, 1]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install -e '.[video]'" in done.stderr  # the tests run in a clone
