"""What a batch is made of: plans, variations, gates, recipes for clips."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import retime
from retime import Recipe, Step, samples
from retime.batch.clip_recipes import ClipRecipes
from retime.batch.gate import GATED, Gate, Limit, read_gate
from retime.batch.manifest import Manifest, Row, read_rows
from retime.batch.plan import Item, Shard, make_plan
from retime.batch.task import Task, do_task
from retime.batch.vary import parse_variation
from retime.errors import FormatError, InputError
from retime.recipe.json import to_document

SHA = "ab" * 32


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_results_are_named_after_their_clips(tmp_path: Path) -> None:
    library = touch(tmp_path / "in", "walk.bvh", "a/b.c.glb", ".hidden/x.bvh", "notes.txt")
    plan = make_plan(library, tmp_path / "out", copies=2)
    assert [i.name for i in plan] == ["a/b.c.1.glb", "a/b.c.2.glb", "walk.1.bvh", "walk.2.bvh"]
    assert len(plan) == 4
    assert [i.name for i in make_plan(library, tmp_path / "out")] == ["a/b.c.glb", "walk.bvh"]


@pytest.mark.parametrize("names, suffix, said", [
    (("walk.bvh", "Walk.bvh"), "", "Walk.bvh and walk.bvh"),
    (("walk.bvh", "walk.glb"), "npz", "walk.bvh and walk.glb -> walk.npz"),
    (("é.bvh", "e\u0301.bvh"), "", "overwrite each other"),
])  # fmt: skip
def test_two_clips_of_one_result_are_refused_and_listed(
    tmp_path: Path, names: tuple[str, ...], suffix: str, said: str
) -> None:
    library = touch(tmp_path / "in", *names)
    if len(list(library.iterdir())) < len(names):
        pytest.skip("the file system cannot hold both")
    with pytest.raises(InputError, match=said):
        make_plan(library, tmp_path / "out", suffix=suffix)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    library = touch(tmp_path / "in", "walk.bvh")
    for place, out, suffix, said in (
        (library, library / "out", "", "is within the library"),
        (tmp_path / "none", tmp_path / "out", "", "is not a folder of motions"),
        (touch(tmp_path / "empty", "x.txt"), tmp_path / "out", "", "no motion"),
        (library, tmp_path / "out", "mp4", "unknown format"),
    ):
        with pytest.raises(InputError, match=said):
            make_plan(place, out, suffix=suffix)


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    library = touch(tmp_path / "in", "walk.bvh")
    os.mkfifo(library / "pipe.bvh")
    (library / "gone.bvh").symlink_to("nowhere.bvh")
    assert make_plan(library, tmp_path / "out").clips == ("gone.bvh", "walk.bvh")


@given(st.sets(st.text("abcé/", min_size=1, max_size=8)), st.integers(1, 9))
def test_shards_are_a_partition(clips: set[str], parts: int) -> None:
    shards = [Shard(k, parts) for k in range(1, parts + 1)]
    assert all(sum(s.holds(clip) for s in shards) == 1 for clip in clips)


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "a/b", "1/0", "-1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="shard"):
        Shard.parse(text)


# ---- variations

STAGGER = Recipe([Step("guided"), Step("stagger", {"jitter": 0.05}, label="loose"), Step("spline")])


def test_values_depend_on_the_clip_the_copy_and_the_seed_only() -> None:
    v = parse_variation("duration=0.8..1.25", STAGGER)
    assert (v.step, v.factor) == (2, True)
    drawn = {(s, c, seed): v.draw(s, c, seed) for s in (SHA, "cd" * 32) for c in (1, 2)
             for seed in (0, 7)}  # fmt: skip
    assert len(set(drawn.values())) == len(drawn)
    assert all(0.8 <= value <= 1.25 for value in drawn.values())
    # Data sets must come out again as they once did: the drawing may never change.
    assert v.draw(SHA, 1, 7) == 0.9488178879156277


@given(st.integers(0, 2**32), st.integers(1, 1000))
def test_draws_stay_within_what_was_asked(seed: int, copy: int) -> None:
    whole = parse_variation("loose.seed=3..5", STAGGER).draw(SHA, copy, seed)
    assert isinstance(whole, int)
    assert 3 <= whole <= 5
    assert parse_variation("guided.formulation=smooth|paper", STAGGER).draw(SHA, copy, seed) in (
        "smooth",
        "paper",
    )


@pytest.mark.parametrize("text, said", [
    ("duration", "write duration=0.8"),
    ("duration=", "write duration=0.8"),
    ("duration=0..1", "above 0"),
    ("duration=2..1", "range decreases"),
    ("guided.influence=0.5..2", "the maximum is 1"),
    ("guided.influence=a..b", "not a number"),
    ("guided.formulation=paper|nonsense", "nonsense"),
    ("guided.fromulation=paper", "did you mean 'formulation'"),
    ("5.rate=1..2", "no step '5'"),
    ("ripple=true|false", "several steps"),
    ("nonsense=1..2", "no step has"),
])  # fmt: skip
def test_wrong_variations_are_refused_before_any_work(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_variation(text, STAGGER)


# ---- gates


@pytest.mark.parametrize("text, said", [
    ("x = ", "not valid TOML"),
    ("foot_skate = 1", "one table"),
    ("[gate]\nfoot_sktae = {max = 1}", "did you mean 'foot_skate'.*all: foot_skate, plant_drift"),
    ("[gate]\nunnoticed = {min = 1}", "no measure named 'unnoticed'"),
    ("[gate]\nfoot_skate = 0.02", "needs a min, a max or both"),
    ("[gate]\nfoot_skate = {most = 1, max = 2}", "no 'most'"),
    ("[gate]\nfoot_skate = {max = 'much'}", "not a number"),
    ("[gate]\nfoot_skate = {min = 2, max = 1}", "nothing would pass"),
])  # fmt: skip
def test_what_is_no_gate_gets_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=f"(?s)gate.toml.*{said}"):
        read_gate(path)


def test_a_gate_says_why(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(
        "[gate]\nfoot_skate = {max = 0.02}\nfeasible_share = {min = 0.9, required = true}\n"
        "flight_error = {max = 0.1}\n"
    )
    gate = read_gate(path)
    assert gate.needs_physics
    assert gate.reasons({"foot_skate": 0.02, "feasible_share": 0.9}) == ()
    assert gate.reasons({"foot_skate": 0.031, "flight_error": 0.0}) == (
        "foot skate is 0.031 m/s, above 0.02",
        "feasible share cannot be measured",
    )
    assert Gate({}).reasons({"foot_skate": 9.0}) == ()
    assert gate.sha256 != Gate(dict(gate.limits) | {"jerk": Limit(least=-9)}).sha256


def test_all_that_check_gives_can_be_gated() -> None:
    from retime.body.measure.metrics import measure

    walk = samples.walk()
    warp = retime.TimeWarp([0, 3], [0, 4])
    assert set(measure(retime.apply(walk, warp), source=walk, warp=warp)) <= set(GATED)


# ---- recipes for clips


def guided(*references: Any) -> Recipe:
    return Recipe([Step("guided", {"reference": references})])


def test_references_are_found_by_pattern_and_count_by_content(tmp_path: Path) -> None:
    library = touch(tmp_path / "in", "a/walk.bvh")
    other = tmp_path / "in/a/walk_ref.bvh"
    other.write_text("one")
    make = ClipRecipes(guided("{folder}/{stem}_ref.bvh"), library, tmp_path / "x").make
    first = make(Item("a/walk.bvh", "a/walk.bvh", 0), SHA)
    assert first.document["steps"][0]["parameters"]["reference"] == [str(other)]
    moved = tmp_path / "moved"
    library.rename(moved)
    again = ClipRecipes(guided("{folder}/{stem}_ref.bvh"), moved, tmp_path / "x")
    assert again.make(Item("a/walk.bvh", "a/walk.bvh", 0), SHA).sha256 == first.sha256
    (moved / "a/walk_ref.bvh").write_text("other")
    assert again.make(Item("a/walk.bvh", "a/walk.bvh", 0), SHA).sha256 != first.sha256
    (moved / "a/walk_ref.bvh").unlink()
    with pytest.raises(InputError, match="no reference"):
        again.make(Item("a/walk.bvh", "a/walk.bvh", 0), SHA)


def test_references_that_cannot_be_are_refused_up_front(tmp_path: Path) -> None:
    for recipe, said in (
        (guided("{stm}.bvh"), "no placeholder"),
        (guided(str(tmp_path / "none.bvh")), "does not exist"),
    ):
        with pytest.raises(InputError, match=said):
            ClipRecipes(recipe, tmp_path, tmp_path / "x")


def test_all_that_decides_a_result_is_in_its_hash(tmp_path: Path) -> None:
    item, spline = Item("a.bvh", "a.bvh", 1), Recipe([Step("spline")])
    vary = [parse_variation("duration=0.8..1.25", spline)]
    found = [
        ClipRecipes(recipe, tmp_path, tmp_path / "x", v, seed, also).make(item, sha).sha256
        for recipe, v, seed, also, sha in (
            (spline, (), 0, {}, SHA),
            (spline, vary, 0, {}, SHA),
            (spline, vary, 1, {}, SHA),
            (spline, vary, 1, {}, "cd" * 32),
            (spline, (), 0, {"fps": 30.0}, SHA),
            (Recipe([Step("spline", weight=0.5)]), (), 0, {}, SHA),
        )
    ]
    assert len(set(found)) == len(found)


# ---- one clip's work


def task_for(path: Path, target: Path, recipe: Recipe, **more: Any) -> Task:
    import hashlib

    sha256 = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return Task(
        path.name, str(path), sha256, to_document(recipe), str(target),
        version=retime.__version__, **more,
    )  # fmt: skip


def test_a_task_gives_what_run_gives(tmp_path: Path, run: Any) -> None:
    clip = tmp_path / "walk.bvh"
    retime.write(samples.walk(fps=30), clip)
    retime.write_recipe(Recipe([Step("spline", {"duration": 3.3})]), tmp_path / "recipe.json")
    assert run("run", tmp_path / "recipe.json", clip, tmp_path / "by-run.bvh")[0] == 0
    factor = 3.3 / retime.read(clip).duration
    recipe = Recipe([Step("spline")])
    found = do_task(task_for(clip, tmp_path / "deep/er.bvh", recipe, duration=(0, factor)))
    assert (found.failure, found.error) == ("", "")
    assert (tmp_path / "deep/er.bvh").read_bytes() == (tmp_path / "by-run.bvh").read_bytes()
    assert found.clip_seconds == pytest.approx(3.3)
    assert found.measures["rate_change"] > 0


def test_a_factor_is_of_the_range_where_there_is_one(tmp_path: Path) -> None:
    clip = tmp_path / "walk.bvh"
    retime.write(samples.walk(fps=30), clip)
    recipe = Recipe([Step("spline", {"range": (1.0, 2.0), "ripple": True})])
    found = do_task(task_for(clip, tmp_path / "out.bvh", recipe, duration=(0, 1.5)))
    assert found.clip_seconds == pytest.approx(retime.read(clip).duration + 0.5)


def test_whatever_goes_wrong_is_told_not_raised(tmp_path: Path) -> None:
    clip, spline = tmp_path / "walk.bvh", Recipe([Step("spline")])
    retime.write(samples.walk(fps=30), clip)
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(b"\0\xff" * 50)
    out = tmp_path / "out.bvh"
    blocked = tmp_path / "file"
    blocked.touch()
    good = task_for(clip, out, spline)
    for task, failure, said in (
        (task_for(bad, out, spline), "input", "bad.bvh"),
        (task_for(tmp_path / "none.bvh", out, spline), "unreadable", "no such file"),
        (task_for(clip, blocked / "out.bvh", spline), "disk", "file"),
        (Task(**{**vars(good), "sha256": SHA}), "input", "changed while the batch ran"),
        (Task(**{**vars(good), "version": "9.9"}), "version", "9.9"),
    ):
        found = do_task(task)
        assert found.failure == failure, found
        assert said in found.error
    assert not out.exists()


def test_every_animation_of_a_file_is_retimed(tmp_path: Path) -> None:
    clip, out = tmp_path / "walk.glb", tmp_path / "out.glb"
    retime.write(samples.walk(fps=24), clip)
    found = do_task(task_for(clip, out, Recipe([Step("spline")]), duration=(0, 0.5)))
    assert found.failure == ""
    assert retime.read(out).duration == pytest.approx(retime.read(clip).duration / 2, abs=1e-6)


# ---- the manifest


def test_rows_come_back_as_they_were_put(tmp_path: Path) -> None:
    row = Row(
        "a/é.bvh", "a/é.bvh", 2, 10, 2**62, SHA, SHA, "1.0", {"duration": 0.9}, "done", "rejected",
        ("foot skate",), {"foot_skate": 0.1}, True, ("a note",), SHA, 11, 0.5, 1.5,
    )  # fmt: skip
    manifest = Manifest(tmp_path / "manifest.sqlite")
    manifest.put(row)
    manifest.put(Row("b", "b"))
    manifest.tell({"seed": 7})
    assert manifest.row("a/é.bvh") == row
    assert manifest.row("none") is None
    assert manifest.clip("a/é.bvh") == (10, 2**62, SHA)
    about, rows = read_rows(tmp_path)  # while it is open
    assert (about["seed"], rows) == (7, [row, manifest.row("b")])
    with pytest.raises(InputError, match="another batch works"):
        Manifest(tmp_path / "manifest.sqlite")
    manifest.close()
    Manifest(tmp_path / "manifest.sqlite").close()


def test_a_manifest_of_another_version_gets_a_sentence(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "manifest.sqlite")
    manifest.tell({})
    manifest.close()
    with sqlite3.connect(tmp_path / "manifest.sqlite") as db:
        db.execute("UPDATE about SET value = '1' WHERE key = 'version'")
    db.close()
    for read in (lambda: Manifest(tmp_path / "manifest.sqlite"), lambda: read_rows(tmp_path)):
        with pytest.raises(InputError, match="is of version 1, and this retime continues"):
            read()


def test_documents_of_recipes_are_plain(tmp_path: Path) -> None:
    made = ClipRecipes(STAGGER, tmp_path, tmp_path / "x").make(Item("a", "a", 0), SHA)
    assert json.loads(json.dumps(made.document)) == made.document
    assert list(itertools.chain(made.varied)) == []
