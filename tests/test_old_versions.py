"""Files that version 1 wrote are read, and written again in the present version.

``data/version-1`` was written by retime 0.1.0: every method, and every name that has changed since.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from retime import (
    Evaluator,
    InputError,
    Job,
    read_recipe,
    read_warp,
    samples,
    write,
    write_recipe,
    write_warp,
)
from retime.batch.manifest import Manifest, read_rows
from retime.recipe import json as recipe_json
from retime.recipe.upgrade import VERSION
from retime.studio.session import Session
from retime.studio.workspace import Workspace

OLD = Path(__file__).parent / "data" / "version-1"


def test_a_recipe_keeps_what_every_step_does() -> None:
    steps = read_recipe(OLD / "recipe.json").steps
    got = [s.parameters for s in steps]
    spline, guided, part, align, fixed, physics, stagger, surface, warp, pose, smooth, hold = got
    assert (spline.ripple, spline.duration, spline.rates) == (True, 1.2, ((0.5, 1.0),))
    assert guided.duration == "free"
    assert guided.speed_limits == ((0.5, 1.0, 0.5, 2.0),)
    assert guided.reference == ("other.bvh",)
    assert (steps[1].weight, steps[1].label) == (0.5, "Quicker")
    assert (part.ripple, part.keytimes) == (False, ((0.8, 1.0),))
    assert (align.reference, align.repeat, align.search_fps) == ("other.bvh", True, 30.0)
    assert align.reference_roles == (("left_hand", "LeftHand"),)
    assert (align.ripple, fixed.ripple, steps[4].mute) == (True, False, True)
    assert [c.joint for c in physics.contacts] == ["LeftToeBase"]
    assert (physics.joint_speeds, physics.cutoff) == (((1.0, "right_hand", 2.0),), 6.0)
    assert (stagger.max_refinement, stagger.ripple, stagger.moves) == (0.2, True, ((0.8, 0.9),))
    assert (surface.min_speed, surface.keys[0].joint) == (0.2, "RightHand")
    assert (float(warp.warp(1.0)), warp.ripple) == (1.2, True)
    assert pose.layer.joints == ("RightHand",)
    assert smooth.strength == 0.5
    assert (hold.min_contact, hold.joints) == (0.1, ("feet",))


@pytest.mark.parametrize("formulation", [None, "paper"])
def test_options_that_mean_nothing_any_more_are_left_out_and_said(formulation: str | None) -> None:
    former = {"average": 0.2, "search": "coarse", "precision": "single", "upsample": 4}
    values = {"duration": 2.0, **former} | ({"formulation": formulation} if formulation else {})
    step = {"method": "guided", "parameters": values}
    document = {"format": "retime-recipe", "version": VERSION, "steps": [step]}
    recipe = recipe_json.from_document(document)
    assert recipe.steps[0].parameters.upsample == (4 if formulation else None)
    (note,) = recipe.notes
    gone = "average, precision, search"
    assert (gone if formulation else f"{gone}, upsample") in note
    done = Evaluator().evaluate(Job(source=samples.jump(), recipe=recipe))
    assert note in done.notes
    again = recipe_json.from_document(recipe_json.to_document(recipe))
    assert again.notes == ()


def test_a_recipe_is_written_in_the_present_version(tmp_path: Path) -> None:
    old = read_recipe(OLD / "recipe.json")
    write_recipe(old, tmp_path / "new.json")
    document = json.loads((tmp_path / "new.json").read_text())
    assert document["version"] == VERSION
    assert "price" not in (tmp_path / "new.json").read_text()
    again = recipe_json.to_document(read_recipe(tmp_path / "new.json"))
    assert again == recipe_json.to_document(old)


@pytest.mark.parametrize("name", ["warp.json", "warp-channels.json"])
def test_a_warp_is_the_same(name: str, tmp_path: Path) -> None:
    warp = read_warp(OLD / name)
    write_warp(warp, tmp_path / name)
    assert json.loads((tmp_path / name).read_text())["version"] == VERSION
    assert read_warp(tmp_path / name) == warp
    channel = "RightHand" if "channels" in name else None
    assert float(warp(1.0, channel)) == 1.2


@pytest.mark.parametrize("version", [VERSION + 1, 0, "2", True, None])
def test_other_versions_get_a_sentence(version: Any) -> None:
    document = {"format": "retime-recipe", "version": version, "steps": []}
    with pytest.raises(InputError, match="version"):
        recipe_json.from_document(document)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    shutil.copytree(OLD / "study.retime", tmp_path / "study.retime")
    write(samples.walk(), tmp_path / "walk.bvh")
    return tmp_path / "study.retime"


def test_a_project_and_its_journal_keep_their_history(study: Path) -> None:
    session = Session(Workspace(study, study.parent))
    try:
        assert session.notices == []
        assert (session.undo_depth, session.redo_depth) == (4, 1)
        hold, spline = session.project.versions["A"]
        assert hold.parameters == {"min_contact": 0.1}
        assert spline.parameters == {"duration": 2.0, "range": [0.5, 1.5], "ripple": True}
        session.redo()
        assert session.project.versions["A"][0].parameters == {"tolerance": 0.03}
        for _ in range(3):
            session.undo()
        (guided,) = session.project.versions["A"]
        assert guided.parameters == {
            "duration": "free", "ripple": False,
        }  # fmt: skip
    finally:
        session.close()
    assert (study / "journal-1.jsonl").read_bytes() == (
        OLD / "study.retime" / "journal.jsonl"
    ).read_bytes()
    again = Session(Workspace(study, study.parent))
    try:
        assert (again.notices, again.undo_depth, again.redo_depth) == ([], 2, 3)
    finally:
        again.close()


def test_a_project_without_its_journal_is_read(study: Path) -> None:
    (study / "journal.jsonl").unlink()
    session = Session(Workspace(study, study.parent))
    try:
        assert session.project.versions["A"][0].parameters == {"min_contact": 0.1}
        assert session.undo_depth == 0
    finally:
        session.close()


def test_a_batch_is_reported_and_goes_on(tmp_path: Path) -> None:
    shutil.copytree(OLD / "batch", tmp_path / "out")
    about, rows = read_rows(tmp_path / "out")
    assert about["vary"] == ["guided.frame_cost=0.0..0.2", "guided.speed_change_cost=0.1|0.3"]
    assert set(rows[0].varied or ()) == {"guided.frame_cost", "guided.speed_change_cost"}
    assert [row.state for row in rows] == ["done"] * 4
    manifest = Manifest(tmp_path / "out" / "manifest.sqlite")
    try:
        assert manifest.about()["version"] == VERSION
        step = manifest.about()["recipe"]["steps"][0]["parameters"]
        assert step["ripple"] is True
        assert manifest.row(rows[0].name) == rows[0]
    finally:
        manifest.close()


def test_a_batch_of_a_newer_version_gets_a_sentence(tmp_path: Path) -> None:
    shutil.copytree(OLD / "batch", tmp_path / "out")
    with sqlite3.connect(tmp_path / "out" / "manifest.sqlite") as db:
        db.execute("UPDATE about SET value = '9' WHERE key = 'version'")
    db.close()
    with pytest.raises(InputError, match="written by a newer retime"):
        Manifest(tmp_path / "out" / "manifest.sqlite")


def test_a_project_whose_motions_shared_a_recipe_keeps_its_history(tmp_path: Path) -> None:
    shutil.copytree(OLD.parent / "version-2" / "study.retime", tmp_path / "study.retime")
    session = Session(Workspace(tmp_path / "study.retime", tmp_path))
    try:
        assert session.notices == []
        assert (session.undo_depth, session.redo_depth) == (7, 1)
        (guided,) = session.project.versions["A"]
        assert guided.parameters == {"duration": 3.0, "keytimes": [[1.0, 0.9]]}
        session.undo()  # the motion that was removed is back, and still shares the recipe
        assert session.project.source == "m2"
        assert session.project.versions["A"] == (guided,)
        for _ in range(6):
            session.undo()
        assert session.project.motions == {}
    finally:
        session.close()
