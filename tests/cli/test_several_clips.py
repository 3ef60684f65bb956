"""Commands that make tables, groups, joins, cycles and variations: results and sentences."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the clips, a table and a recipe once."""
    folder = tmp_path_factory.mktemp("clips")
    ann, ben = (motion.resample(30.0) for motion in samples.handshake())
    retime.write(ann, folder / "ann.bvh")
    retime.write(ben, folder / "ben.bvh")
    retime.write(ann.resample(25.0), folder / "slow.bvh")
    walk, jump = samples.walk().resample(30.0), samples.jump().resample(30.0)
    retime.write(walk, folder / "walk.bvh")
    retime.write(jump, folder / "jump.bvh")
    retime.write(jump[:1], folder / "pose.bvh")
    retime.write(samples.throw()[2], folder / "ball.bvh")
    (folder / "cut.bvh").write_text((folder / "jump.bvh").read_text()[:3000])
    table = retime.lengths(jump, moments={"land": 2.0}, pins={"land": "60%"})
    retime.write_lengths(table, folder / "jump.lengths.json")
    document = json.loads((folder / "jump.lengths.json").read_text())
    document["times"][3][5] = 99.0
    (folder / "damaged.json").write_text(json.dumps(document))
    (folder / "step.json").write_text(
        '{"format": "retime-recipe", "version": 2, "steps": [{"method": "lengths", '
        '"parameters": {"table": "jump.lengths.json", "duration": 1.4}}]}'
    )
    (folder / "scene.json").write_text(
        '{"format": "retime-group", "version": 1, "members": {}, '
        '"together": {"duration": "75%", "shared": [{"range": [1.2, 2.7]}]}}'
    )
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a test the clips in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_lengths_writes_a_table_with_its_player(run: Run, place: Path) -> None:
    status, out, err = run(
        *("lengths", "jump.bvh", "a.json", "--from", "10%", "--moment", "land=60f"),
        *(
            "--pin",
            "land=0.45s",
            "--window",
            "1.4:2.0=0.2",
            "--runtime",
            "three",
            "--plot",
            "a.png",
        ),
    )
    assert status == 0, err
    assert "0.450, 0.450, 0.450 s" in out
    assert "cannot be shorter than" in err
    assert (place / "a.png").stat().st_size > 0
    assert (place / "retime-three/lengths/lengths.mjs").is_file()
    table = retime.read_lengths(place / "a.json")
    assert table.when(2.0, 2.0) == pytest.approx(0.45, abs=2e-6)
    status, out, _ = run("lengths", "jump.bvh", "b.json", "--moment", "land=2", "--json")
    shown = json.loads(out)
    assert status == 0
    assert shown["bytes"] == (place / "b.json").stat().st_size
    assert 0 <= shown["lost"] < 0.1 < shown["gain"]


def test_a_folder_of_clips_becomes_a_folder_of_tables(run: Run, place: Path) -> None:
    (place / "clips" / "more").mkdir(parents=True)
    for name in ("jump", "cut"):
        shutil.copy(f"{name}.bvh", place / "clips")
    shutil.copy("walk.bvh", place / "clips" / "more")
    status, out, _ = run("lengths", "clips", "tables", "--json")
    shown = json.loads(out)
    assert status == 1
    assert [row["name"] for row in shown["done"]] == ["jump.bvh", "more/walk.bvh"]
    assert list(shown["failed"]) == ["cut.bvh"]
    assert retime.read_lengths("tables/more/walk.lengths.json").duration > 4


@pytest.mark.usefixtures("place")
def test_a_table_is_drawn_filmed_and_found_beside_its_recipe(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("av")
    assert run("plot", "jump.lengths.json", "t.svg")[0] == 0
    film = ("video", "jump.bvh", "t.mp4", "--lengths", "jump.lengths.json", "--fps", "3")
    assert run(*film)[0] == 0
    Path("else").mkdir()
    monkeypatch.chdir("else")
    assert run("run", "../step.json", "../jump.bvh", "out.bvh")[0] == 0
    assert retime.read("out.bvh").duration == pytest.approx(1.4)


def test_takes_are_scenes_of_a_group(run: Run, place: Path) -> None:
    (place / "takes").mkdir()
    for name in ("ann_1", "ann_2"):
        shutil.copy("ann.bvh", place / "takes" / f"{name}.bvh")
    shutil.copy("ben.bvh", place / "takes" / "ben_1.bvh")
    words = [f"takes/{n}_*.bvh=out/{n}_*.bvh" for n in ("ann", "ben")]
    status, out, _ = run("group", *words, "--use", "scene.json", "--json")
    shown = json.loads(out)
    assert status == 1
    assert [row["members"] for row in shown["done"]] == ["ann, ben"]
    assert "ben_2.bvh" in shown["failed"]["2"]
    both = [retime.read(place / "out" / f"{name}_1.bvh") for name in ("ann", "ben")]
    assert [m.duration for m in both] == pytest.approx([3.0, 3.0])
    assert not (place / "out" / "ann_2.bvh").exists()


@pytest.mark.usefixtures("place")
def test_a_file_beside_is_a_follower_of_a_group(run: Run) -> None:
    assert run("apply", "ann.bvh", "a.bvh", "--duration", "80%", "--also", "ben.bvh=b.bvh")[0] == 0
    group = ("group", "ann.bvh=c.bvh", "--duration", "80%", "--strength", "0")
    assert run(*group, "--follow", "ben.bvh=d.bvh@ann")[0] == 0
    apart = retime.read("b.bvh").root_translation - retime.read("d.bvh").root_translation
    assert np.abs(apart).max() < 0.02


@pytest.mark.usefixtures("place")
def test_clips_are_joined_closed_and_varied(run: Run) -> None:
    assert run("join", "walk.bvh", "jump.bvh", "far.bvh", "--blend", "0.4")[0] == 0
    assert retime.read("far.bvh").duration > 4
    status, out, _ = run("loop", "walk.bvh", "stride.bvh", "--period", "0.9:1.3", "--json")
    assert status == 0
    assert 0.9 <= json.loads(out)["period_s"] <= 1.3
    for folder in ("one", "two"):
        assert run("vary", "walk.bvh", folder, "--count", "2", "--recipes", "--seed", "4")[0] == 0
    files = sorted(path.name for path in Path("one").iterdir())
    assert files == ["walk-1.bvh", "walk-1.json", "walk-2.bvh", "walk-2.json"]
    assert all(Path("one", n).read_bytes() == Path("two", n).read_bytes() for n in files)
    assert Path("one/walk-1.bvh").read_bytes() != Path("one/walk-2.bvh").read_bytes()


# What is wrong, and a part of the sentence.
BAD = {
    "lengths jump.bvh": "OUT is missing",
    "lengths no.bvh a.json": "no such file",
    "lengths cut.bvh a.json": "cut.bvh",
    "lengths pose.bvh a.json": "0.1",
    "lengths jump.bvh jump.bvh": "ends in .json",
    "lengths jump.bvh no/a.json": "does not exist",
    "lengths jump.bvh a.json --from 3 --to 2": "the second above the first",
    "lengths jump.bvh a.json --from 0": "above 0",
    "lengths jump.bvh a.json --moment hit=9": "outside the clip",
    "lengths jump.bvh a.json --moment hit": "NAME=TIME",
    "lengths jump.bvh a.json --moment hit=1 --moment hit=2": "given twice",
    "lengths jump.bvh a.json --pin hit=35%": "names no moment",
    "lengths jump.bvh a.json --moment hit=1 --pin hit=sometimes": "a share of the length",
    "lengths jump.bvh a.json --moment hit=1 --pin hit=120%": "0 % to 100 %",
    "lengths jump.bvh a.json --moment hit=1 --pin hit=90s": "length",
    "lengths jump.bvh a.json --moment a=1 --moment b=1 --pin a=1s --pin b=2s": "same moment",
    "lengths jump.bvh a.json --window 1.4:9=0.2": "in the clip",
    "lengths jump.bvh a.json --window 1.4:2.0": "A:B=TIME",
    "lengths jump.bvh a.json --window 1.4:2.0=0": "above 0 s",
    "lengths jump.bvh a.json --window 1.4:2.0=60": "at most",
    "lengths jump.bvh a.json --rows 1": "minimum is 2",
    "lengths jump.bvh a.json --runtime amiga": "'unity'",
    "lengths jump.bvh a.json --plot a.txt": ".png",
    "lengths . tables --plot a.png": "one clip",
    "plot damaged.json a.png": "times[",
    "plot jump.lengths.json jump.lengths.json a.png": "of its own",
    "video jump.bvh a.mp4": "--lengths",
    "video walk.bvh a.mp4 --lengths jump.lengths.json": "another clip",
    "video jump.bvh a.mp4 --lengths damaged.json": "times[",
    "video jump.bvh a.mp4 --lengths jump.lengths.json --offset 2": "of a video",
    "group ann.bvh=a.bvh ben.bvh": "has no output",
    "group ann.bvh=a.bvh ann.bvh=b.bvh": "two members",
    "group ann.bvh=ann.bvh": "is the input",
    "group ann.bvh=a.bvh no.bvh=b.bvh": "no such file",
    "group ann.bvh=a.bvh ben.bvh=b.bvh --shared 1:9": "9",
    "group ann.bvh=a.bvh ben.bvh=b.bvh --shared 1:2:eve": "eve",
    "group ann.bvh=a.bvh ben.bvh=b.bvh --link ann@1": "the form is",
    "group ann.bvh=a.bvh ben.bvh=b.bvh --key ann@1=9": "9",
    "group ann.bvh=a.bvh --follow ball.bvh=b.bvh@ball": "itself",
    "group x_*.bvh=y_*.bvh": "no file is named",
    "group ann*.bvh=a.bvh": "one *",
    "group ann*.bvh=a*.bvh --list": "of one scene",
    "join walk.bvh jump.bvh a.bvh --blend 0": "longer than 0 s",
    "join walk.bvh jump.bvh a.bvh --blend 9": "shorten the blend",
    "join walk.bvh ball.bvh a.bvh --blend 0.4": "differs",
    "join walk.bvh jump.bvh a.bvh --blend 0.4 --at 1:99": "no",
    "join walk.bvh jump.bvh a.bvh --at 1:1": "--blend",
    "loop jump.bvh a.bvh": "no cycle",
    "loop pose.bvh a.bvh": "period",
    "loop walk.bvh a.bvh --period 3:1": "period",
    "loop walk.bvh a.bvh --range 9:12": "clip",
    "vary walk.bvh out --count 0": "minimum is 1",
    "vary walk.bvh out --count 1000000": "100000",
    "vary walk.bvh ann.bvh": "is a file",
    "vary walk.bvh out --amount huge": "'subtle'",
    "vary walk.bvh out --suffix .xyz": "xyz",
}


@pytest.fixture(scope="module")
def stand(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the clips once: what is refused writes nothing."""
    folder = tmp_path_factory.mktemp("refused")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder


@pytest.mark.parametrize("line", BAD)
def test_bad_calls_get_one_sentence(
    run: Run, stand: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(stand)
    before = sorted(stand.rglob("*"))
    status, out, err = run(*line.split())
    assert (status, out) == (2, "")
    assert err.startswith("retime: ")
    assert err.count("\n") == 1
    assert BAD[line] in err
    assert sorted(stand.rglob("*")) == before


@pytest.mark.usefixtures("place")
def test_unusual_groups_are_right(run: Run) -> None:
    """A ball is a member like any other, and so is a clip of another frame rate."""
    ball = ("group", "ball.bvh=b.bvh", "ann.bvh=a.bvh", "--duration", "3", "--shared", "1:2")
    assert run(*ball)[0] == 0
    other = ("group", "slow.bvh=s.bvh", "ben.bvh=t.bvh", "--duration", "3", "--shared", "1.2:2.7")
    assert run(*other)[0] == 0
    assert retime.read("s.bvh").rate == pytest.approx(25.0)
