"""Timelines: Bezier keys, OpenTimelineIO, and events through the inverse warp."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutating import mutants
from retime import FormatError, InputError, TimeWarp, write_warp
from retime.media.timelines.carrying import Carrier
from retime.media.timelines.events import carry_events
from retime.media.timelines.followed import followed_curve
from retime.media.timelines.pieces import linear_pieces
from retime.timing.curves import BezierCurve
from retime.timing.graph import Graph

Run = Callable[..., tuple[int, str, str]]

SLOW = Graph(np.array([0.0, 1, 1.5, 3]), np.array([0.0, 0.5, 0.5, 2.0]))  # slow, hold, rate 1
BACK = Graph(np.array([0.0, 2]), np.array([2.0, 0]))


def _bent(n: int = 200) -> Graph:
    x = np.linspace(0, 4, n)
    return Graph(x, x + 0.3 * np.sin(np.pi * x / 2))


def carried(folder: Path, name: str, text: bytes, curve: Graph = SLOW, **options: Any) -> bytes:
    source, target = folder / name, folder / f"out-{name}"
    source.write_bytes(text)
    carry_events(source, target, Carrier(curve, **options))
    return target.read_bytes()


# ---- which curve


def test_footage_follows_the_first_root_and_says_so() -> None:
    root = ([0, 1], [0, 2])
    warp = TimeWarp([0, 2], [0, 2], channels={"Head": ([0, 2], [0, 1]), "Hips:translation": root})
    curve, notes = followed_curve(warp)
    assert curve.at(0.5) == 1.0
    assert "Hips:translation" in notes[0]
    assert followed_curve(warp, "Head")[0].at(2.0) == 1.0
    assert followed_curve(TimeWarp([0, 1], [0, 1]))[1] == ()
    with pytest.raises(InputError, match="no channel 'Haed'; did you mean 'Head'"):
        followed_curve(warp, "Haed")


# ---- keys


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_keys_come_back_as_the_warp(run: Run, tmp_path: Path, suffix: str) -> None:
    curve = _bent()
    write_warp(TimeWarp(curve.x, curve.y), tmp_path / "w.json")
    out = tmp_path / f"keys{suffix}"
    status, said, _ = run(
        "warp", "export", tmp_path / "w.json", out, "--fps", "24", "--first-frame", "1", "--json"
    )
    assert status == 0
    if suffix == ".json":
        document = json.loads(out.read_text())
        keys = [[*k["key"], *k["left"], *k["right"]] for k in document["keys"]]
        frames = [k["frames"]["key"] for k in document["keys"]]
        assert document["fps"] == 24
    else:
        rows = list(csv.DictReader(out.open()))
        sides = ("", "left_", "right_")
        keys = [[float(r[f"{s}{a}"]) for s in sides for a in ("output", "source")] for r in rows]
        frames = [[float(r["output_frame"]), float(r["source_frame"])] for r in rows]
    points = np.array(keys)
    assert len(points) == json.loads(said)["keys"]
    back = BezierCurve(points[:, :2], points[:, 2:4], points[:, 4:]).to_warp()
    assert np.abs(back(curve.x) - curve.y).max() < 1.1e-3
    np.testing.assert_allclose(frames, points[:, :2] * 24 + 1, atol=1e-6)


def test_options_that_would_do_nothing_are_refused(run: Run, tmp_path: Path) -> None:
    write_warp(TimeWarp([0, 1], [0, 1]), tmp_path / "w.json")
    status, _, err = run("warp", "export", tmp_path / "w.json", tmp_path / "k.csv", "--offset", "1")
    assert status == 2
    assert "keys have no media" in err
    status, _, err = run("warp", "export", tmp_path / "w.json", tmp_path / "k.otio")
    assert status == 2
    assert "--fps" in err


# ---- pieces

_SECONDS = st.integers(0, 15_000).map(lambda n: n / 10_000)


@given(
    steps=st.lists(
        st.tuples(_SECONDS, _SECONDS).filter(lambda s: sum(s) > 1e-3),
        min_size=1,
        max_size=8,
    ),
    back=st.booleans(),
    fps=st.sampled_from([12.0, 24.0, 29.97]),
)
def test_pieces_stay_within_the_tolerance(
    steps: list[tuple[float, float]], back: bool, fps: float
) -> None:
    x, y = np.cumsum([(0.0, 0.0), *steps], axis=0).T
    curve = Graph(x, -y if back else y)
    if x[-1] <= 0:
        return
    pieces, error = linear_pieces(curve, fps, 0.5 / fps)
    assert error <= 0.5 / fps + 1e-9
    times = np.minimum(np.arange(sum(p.frames for p in pieces)) / fps, x[-1])
    shown = np.concatenate([p.source + p.rate * np.arange(p.frames) / fps for p in pieces])
    assert np.abs(shown - curve.at(times)).max() <= error + 1e-9
    assert abs(len(times) - 1 - x[-1] * fps) <= 1


def test_straight_curves_are_few_pieces_and_holds_are_still() -> None:
    pieces, error = linear_pieces(SLOW, 30, 0.5 / 30)
    assert [round(p.rate, 6) for p in pieces] == [0.5, 0.0, 1.0]
    assert error < 1e-9
    bent, _ = linear_pieces(_bent(), 30, 0.5 / 30)
    finer, _ = linear_pieces(_bent(), 30, 0.05 / 30)
    assert 3 <= len(bent) < len(finer) < 60
    for before, after in itertools.pairwise(bent):  # one goes on from the other
        assert before.source + before.rate * before.frames / 30 == pytest.approx(after.source)


# ---- OpenTimelineIO


def test_timeline_shows_what_the_warp_shows(run: Run, tmp_path: Path) -> None:
    otio = pytest.importorskip("opentimelineio")
    curve = _bent()
    write_warp(TimeWarp(curve.x, curve.y), tmp_path / "w.json")
    media, out = tmp_path / "take one.mp4", tmp_path / "t.otio"
    status, said, _ = run(
        *("warp", "export", tmp_path / "w.json", out, "--media", media, "--fps", "25"),
        *("--media-duration", "12", "--offset", "2", "--json"),
    )
    assert status == 0
    told = json.loads(said)
    assert told["largest_error_s"] <= told["tolerance_s"] == 0.02
    timeline = otio.adapters.read_from_file(str(out))
    clips = list(timeline.find_clips())
    assert len(clips) == told["pieces"]
    assert timeline.duration().to_seconds() == pytest.approx(101 / 25)
    assert clips[0].media_reference.target_url == media.resolve().as_uri()
    assert clips[0].available_range().duration.to_seconds() == 12
    at = 0.0
    for clip in clips:
        assert clip.range_in_parent().start_time.to_seconds() == pytest.approx(at)
        scalar = clip.effects[0].time_scalar if clip.effects else 1.0
        for frame in range(int(clip.duration().value)):
            shown = clip.source_range.start_time.to_seconds() + scalar * frame / 25
            assert abs(shown - 2 - curve.at(at + frame / 25)) <= 0.02 + 1e-9
        at += clip.duration().to_seconds()


@pytest.mark.parametrize(
    "curve", [SLOW, BACK, Graph(np.array([1.0, 2, 2, 3]), np.array([0.0, 1, 4, 5]))]
)
def test_timeline_comes_back_as_the_warp(run: Run, tmp_path: Path, curve: Graph) -> None:
    pytest.importorskip("opentimelineio")
    from retime import read_warp

    write_warp(TimeWarp(curve.x, curve.y), tmp_path / "w.json")
    out, back = tmp_path / "t.otio", tmp_path / "b.json"
    given_fps = ("--fps", "30", "--offset", "7")
    assert run("warp", "export", tmp_path / "w.json", out, *given_fps)[0] == 0
    assert run("warp", "import", out, back, "--offset", "7")[0] == 0
    warp = read_warp(back)
    assert warp.domain == pytest.approx((curve.x[0], curve.x[-1]))
    frames = curve.x[0] + np.arange(round(30 * (curve.x[-1] - curve.x[0]))) / 30
    assert np.abs(warp(frames) - curve.at(frames)).max() < 1e-6


def test_timelines_that_are_no_warp_are_refused(tmp_path: Path) -> None:
    otio = pytest.importorskip("opentimelineio")
    from retime.media.timelines.otio import read_timeline

    def span(first: float, frames: float) -> Any:
        time = otio.opentime.RationalTime
        return otio.opentime.TimeRange(time(first, 24), time(frames, 24))

    def written(*items: Any) -> Path:
        timeline = otio.schema.Timeline()
        timeline.tracks.append(otio.schema.Track(kind="Video"))
        timeline.tracks[0].extend(items)
        otio.adapters.write_to_file(timeline, str(tmp_path / "t.otio"))
        return tmp_path / "t.otio"

    def clip(first: float, name: str = "a") -> Any:
        return otio.schema.Clip(name=name, source_range=span(first, 24))

    gap = otio.schema.Gap(source_range=span(0, 24))
    for items, word in (
        ((clip(0), gap, clip(24)), "gap"),
        ((clip(48), clip(24), clip(90)), "direction"),
        ((clip(0), clip(24, "b")), "different files"),
        ((otio.schema.Clip(name="x"),), "no range"),
        ((), "no clips"),
    ):
        with pytest.raises(FormatError, match=word):
            read_timeline(written(*items))
    for text in (b"{", b"\xff\xfe", b'{"OTIO_SCHEMA": "Clip.1"}', b"[]"):
        (tmp_path / "bad.otio").write_bytes(text)
        with pytest.raises(FormatError):
            read_timeline(tmp_path / "bad.otio")


def test_damaged_timelines_are_refused_or_read(tmp_path: Path) -> None:
    pytest.importorskip("opentimelineio")
    from retime.media.timelines.otio import read_timeline, write_timeline

    file = tmp_path / "t.otio"
    write_timeline(SLOW, file, fps=24)
    for data in mutants(file.read_bytes(), seed=3):
        file.write_bytes(data)
        try:
            read_timeline(file)
        except FormatError:
            continue


# ---- events

SRT = (
    b"\xef\xbb\xbf1\r\n00:00:00,200 --> 00:00:00,600\r\n<i>sch\xc3\xb6n</i>\r\n\r\n"
    b"2\r\n00:00:00,900 --> 00:00:01,500 X1:10 X2:20\r\ntwo\r\nlines\r\n\r\n"
    b"3\r\n00:00:05,000 --> 00:00:06,000\r\ngone"
)


def test_subtitles_move_and_all_else_stays(tmp_path: Path) -> None:
    assert carried(tmp_path, "a.srt", SRT) == (
        b"\xef\xbb\xbf1\r\n00:00:00,400 --> 00:00:01,600\r\n<i>sch\xc3\xb6n</i>\r\n\r\n"
        b"2\r\n00:00:01,900 --> 00:00:02,500 X1:10 X2:20\r\ntwo\r\nlines"
    )


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.srt", SRT),
        ("b.srt", SRT[3:].decode().encode("cp1252", "replace")),
        ("c.srt", b"\xff\xfe" + SRT[3:].decode().encode("utf-16-le")),
        (
            "d.vtt",
            b"WEBVTT - x\n\nNOTE a --> b\n\nname\n00:01.000 --> 00:02.000 align:left\nhi\n\n",
        ),
        ("e.txt", b"0.5\t0.5\tclick\n\n1.250000\t2.5\tspan\n\\\t100.0\t200.0\n"),
        ("f.csv", b'name;time;colour\r\n"a;\r\nb";1.25;red\r\nc;"2.0";\r\n'),
        ("g.csv", b"frame,end_frame,name\n12,24,walk\n30,,stop\n"),
    ],
)
def test_an_unchanged_list_stays_as_it_is(tmp_path: Path, name: str, text: bytes) -> None:
    curve = Graph(np.array([0.0, 10]), np.array([0.0, 10]))
    out = carried(tmp_path, name, text, curve, fps=24)
    if name.endswith((".srt", ".vtt", "g.csv")):
        assert out == text
    else:  # seconds get six digits
        numbers = [out.replace(b".500000", b".5").replace(b"1.250000", b"1.25")]
        numbers.append(text.replace(b"1.250000", b"1.25"))
        assert numbers[0].replace(b"2.000000", b"2.0") == numbers[1]


def test_words_inside_a_cue_move_along(tmp_path: Path) -> None:
    text = (
        b"WEBVTT\n\nSTYLE\n::cue { color: red }\n\n"
        b"00:00.100 --> 00:00.400\nla <00:00.200>li <9:00:00.000>lu\n"
    )
    out = carried(tmp_path, "a.vtt", text)
    assert out == text.replace(b"00:00.100 --> 00:00.400", b"00:00.200 --> 00:00.800").replace(
        b"00:00.200>li <9:00:00.000", b"00:00.400>li <0:00:00.800"
    )


def test_backwards_turns_the_order_round(tmp_path: Path) -> None:
    out = carried(tmp_path, "a.csv", b"time,name\n0.5,a\n1,b\n1.75,c\n9,d\n", BACK)
    assert out == b"time,name\n0.250000,c\n1.000000,b\n1.500000,a\n"
    srt = carried(tmp_path, "a.srt", SRT, BACK).decode()
    assert srt.index("two") < srt.index("<i>")
    assert "1\r\n00:00:00,500 --> 00:00:01,100" in srt
    assert srt.endswith("</i>")


def test_holds_give_their_start_and_cuts_drop_what_they_skip(tmp_path: Path) -> None:
    text = b"frame,name\n15,in the hold\n"
    assert carried(tmp_path, "a.csv", text, fps=30) == b"frame,name\n30,in the hold\n"
    back = Graph(np.array([0.0, 1, 2, 3]), np.array([2.0, 1, 1, 0]))
    assert carried(tmp_path, "b.csv", b"time\n1\n", back) == b"time\n1.000000\n"
    cut = Graph(np.array([0.0, 1, 1, 2]), np.array([0.0, 1, 3, 4]))
    labels = b"0.5\t0.5\ta\n2\t2\tskipped\n0.5\t2\tpart\n1.5\t2.5\tgone\n"
    assert carried(tmp_path, "c.txt", labels, cut) == (
        b"0.500000\t0.500000\ta\n0.500000\t1.000000\tpart\n"
    )
    clamped = carried(tmp_path, "c.txt", labels, cut, outside="clamp")
    assert clamped.count(b"1.000000\t1.000000") == 2


def test_an_offset_is_where_the_motion_starts_in_the_list(tmp_path: Path) -> None:
    text = b"time,duration,name\n10.25,0.5,x\n"
    assert carried(tmp_path, "a.csv", text, offset=10.0) == (
        b"time,duration,name\n0.500000,1.250000,x\n"
    )


@pytest.mark.parametrize(
    "name, text, line, word",
    [
        ("a.srt", b"1\n00:00:01,000 -> 00:00:02,000\nhi\n", None, "no subtitle"),
        ("a.srt", b"1\n00:00:01,000 --> 00:00:02,000\nhi\n\n2\nx --> 3\n", 6, "line of times"),
        ("a.srt", b"1\n00:00:03,000 --> 00:00:02,000\nhi\n", 2, "ends before"),
        ("a.vtt", b"hello\n", 1, "WEBVTT"),
        ("a.txt", b"0.5\t0.6\ta\n0.5 0.6 b\n", 2, "tabs"),
        ("a.txt", b"1\t0.6\ta\n", 1, "ends before"),
        ("a.txt", b"\n", None, "no label"),
        ("a.csv", b"when,name\n1,a\n", 1, "no column"),
        ("a.csv", b"time,name\n1,a\n2\n", 3, "1 cells"),
        ("a.csv", b"time,name\nsoon,a\n", 2, "'soon' is not a time"),
        ("a.csv", b'time,name\n1,"a\n', 2, "quote"),
        ("a.csv", b"", None, "empty"),
        ("a.csv", b"\0\0", None, "not a text"),
    ],
)
def test_bad_lists_are_refused_with_their_line(
    tmp_path: Path, name: str, text: bytes, line: int | None, word: str
) -> None:
    with pytest.raises(FormatError, match=word) as caught:
        carried(tmp_path, name, text)
    assert caught.value.line == line
    assert not (tmp_path / f"out-{name}").exists()


def test_lists_of_frames_need_a_rate_and_kinds_agree(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give their rate"):
        carried(tmp_path, "a.csv", b"frame\n1\n")
    with pytest.raises(InputError, match=r"not '\.ass'"):
        carried(tmp_path, "a.ass", b"x")
    (tmp_path / "a.srt").write_bytes(SRT)
    with pytest.raises(InputError, match=r"written as \.srt"):
        carry_events(tmp_path / "a.srt", tmp_path / "a.vtt", Carrier(SLOW))


def test_damaged_lists_are_refused_or_carried(tmp_path: Path) -> None:
    for name, text in (("a.srt", SRT), ("a.csv", b'time,name\n1,"a,b"\n1.5,c\n' * 2)):
        for data in mutants(text, seed=5):
            try:
                carried(tmp_path, name, data)
            except FormatError:
                continue


def test_events_on_the_command_line(run: Run, tmp_path: Path) -> None:
    write_warp(TimeWarp(SLOW.x, SLOW.y), tmp_path / "w.json")
    (tmp_path / "a.srt").write_bytes(SRT)
    status, out, err = run(
        "warp", "events", tmp_path / "a.srt", tmp_path / "b.srt", "--warp", tmp_path / "w.json"
    )
    assert status == 0
    assert "events   2" in out
    assert "1 events are not shown" in err
