"""The document: commands, undo, the project file and the journal."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retime.errors import InputError, RetimeError
from retime.studio.commands import (
    AddMotion,
    AddStep,
    ChangeStep,
    ChooseMotion,
    Command,
    CopyVersion,
    DropMotion,
    MoveStep,
    RemoveStep,
    ReplaceSteps,
    SetJointSets,
    SetRecipe,
    change,
)
from retime.studio.history import change_name
from retime.studio.project import (
    MotionEntry,
    NewStep,
    Project,
    from_document,
    project_hash,
    recipe_of,
    to_document,
)
from retime.studio.session import Session
from retime.studio.workspace import Workspace, project_folder, sha256_of

MOTION = MotionEntry("jump", "../jump.bvh", "0" * 64)


def session_in(folder: Path) -> Session:
    return Session(Workspace(folder / "study.retime", folder))


steps = st.builds(
    NewStep,
    st.sampled_from(["spline", "guided", "physics", "hold", "smooth"]),
    st.just({}),
    st.floats(0, 1),
    st.booleans(),
    st.text(max_size=5),
)
versions = st.sampled_from(["A", "B"])
names = st.sampled_from([f"s{n}" for n in range(1, 9)])
commands = st.one_of(
    st.builds(AddMotion, st.just(MOTION)),
    st.builds(ChooseMotion, st.sampled_from(["m1", "m2"])),
    st.builds(DropMotion, st.sampled_from(["m1", "m2"])),
    st.builds(SetJointSets, st.just({}) | st.just({"Hands": ("LeftHand", "RightHand")})),
    st.builds(
        SetRecipe,
        st.lists(st.sampled_from(["m1", "m2"]), unique=True).map(tuple),
        versions,
        st.lists(steps, max_size=2).map(tuple),
    ),
    st.builds(AddStep, versions, steps, st.none() | st.integers(-2, 5)),
    st.builds(RemoveStep, names),
    st.builds(MoveStep, names, st.integers(-2, 9)),
    st.builds(
        ChangeStep,
        names,
        st.fixed_dictionaries({}, optional={"duration": st.none() | st.floats(0.5, 4)}),
        st.none() | st.floats(-0.5, 1.5),
        st.none() | st.booleans(),
    ),
    st.builds(ReplaceSteps, versions, st.lists(steps, max_size=3).map(tuple)),
    st.builds(CopyVersion, versions),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(commands, st.sampled_from(["undo", "redo", "open again"])), max_size=25))
def test_any_edits_survive_a_restart_and_undo_to_the_start(
    tmp_path_factory: pytest.TempPathFactory, made: list[Command | str]
) -> None:
    folder = tmp_path_factory.mktemp("p")
    session = session_in(folder)
    for edit in made:
        if edit == "undo":
            session.undo()
        elif edit == "redo":
            session.redo()
        elif edit == "open again":
            before = session.hash, session.undo_depth, session.redo_depth
            session.close()
            session = session_in(folder)
            assert (session.hash, session.undo_depth, session.redo_depth) == before
        else:
            before_edit = session.project
            try:
                session.do(edit)  # type: ignore[arg-type]
            except InputError:
                assert session.project is before_edit
    assert from_document(json.loads(json.dumps(to_document(session.project)))) == session.project
    last, depth = session.hash, session.undo_depth + session.redo_depth
    while session.redo():
        pass
    end = session.hash
    count = 0
    while session.undo():
        count += 1
    assert count == depth
    assert session.hash == project_hash(Project())
    while session.redo():
        pass
    assert session.hash == end
    session.close()
    assert last  # every state had one


def test_a_journal_cut_anywhere_gives_a_state_that_was(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    states = [session.hash]
    session.do(AddMotion(MOTION))
    states.append(session.hash)
    for k in range(6):
        session.do(AddStep("A", NewStep("spline", {"duration": 1.0 + k})))
        states.append(session.hash)
    session.undo()
    states.append(session.hash)
    session.close()
    journal = tmp_path / "study.retime" / "journal.jsonl"
    whole = journal.read_bytes()
    (tmp_path / "study.retime" / "project.json").unlink()
    first = whole.index(b"\n") + 1
    ends = [k + 1 for k, c in enumerate(whole) if c == ord("\n")]
    rng = random.Random(1)
    for cut in [first, *rng.sample(range(first, len(whole)), 20)]:
        journal.write_bytes(whole[:cut])
        (tmp_path / "study.retime" / "project.json").unlink(missing_ok=True)
        again = session_in(tmp_path)
        assert again.hash == states[sum(e <= cut for e in ends) - 1]
        again.close()


def test_a_project_file_from_elsewhere_wins_and_the_old_journal_stays(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("hold")))
    session.close()
    file = tmp_path / "study.retime" / "project.json"
    document = json.loads(file.read_text())
    document["versions"]["A"] = []
    document["motions"]["m1"]["name"] = "other"
    file.write_text(json.dumps(document))
    again = session_in(tmp_path)
    assert again.project.motions["m1"].name == "other"
    assert again.undo_depth == 0
    assert "changed outside" in again.notices[0]
    assert (tmp_path / "study.retime" / "journal-1.jsonl").exists()
    again.close()


def test_several_commands_at_once_are_one_change(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    first = session.hash
    session.do(AddMotion(MOTION), AddMotion(MOTION), AddMotion(MOTION))
    assert (len(session.project.motions), session.undo_depth) == (3, 1)
    last = session.hash
    with pytest.raises(InputError):
        session.do(AddMotion(MOTION), ChangeStep("s9", {}))
    assert session.hash == last  # all of it or nothing
    session.close()
    again = session_in(tmp_path)
    assert (again.hash, again.undo_depth) == (last, 1)
    assert again.undo()
    assert again.hash == first
    again.close()


def test_a_change_may_join_the_last_one(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION), joins=session.revision)  # there is nothing to join yet
    first = session.hash
    session.do(AddStep("A", NewStep("hold")))
    added = session.revision
    session.do(ChangeStep("s1", {"joints": ["LeftFoot"]}), joins=added)
    assert session.undo_depth == 2
    session.do(ChangeStep("s1", label="feet"), joins=added)  # another change came since
    assert session.undo_depth == 3
    last = session.hash
    session.close()
    again = session_in(tmp_path)
    assert (again.hash, again.undo_depth) == (last, 3)
    assert again.undo()
    assert again.undo()
    assert again.hash == first
    assert again.redo()
    assert again.project.versions["A"][0].parameters == {"joints": ["LeftFoot"]}
    again.close()


def test_a_change_does_not_join_what_undo_or_redo_made(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("hold")))
    session.do(ChangeStep("s1", label="feet"))
    assert session.undo()
    session.do(ChangeStep("s1", label="hands"), joins=session.revision)
    assert session.undo_depth == 3
    assert session.undo()
    assert session.redo()
    session.do(ChangeStep("s1", label="arms"), joins=session.revision)
    assert session.undo_depth == 4
    session.close()


def test_what_a_studio_is_started_with_is_no_change(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.start_with([AddMotion(MOTION)])
    assert session.undo_depth == 0
    session.do(AddStep("A", NewStep("hold")))
    session.start_with([AddMotion(MOTION)])  # later it is one
    assert session.undo_depth == 2
    last = session.hash
    session.close()
    again = session_in(tmp_path)
    assert (again.hash, again.undo_depth) == (last, 2)
    while again.undo():
        pass
    assert list(again.project.motions) == ["m1"]
    again.close()


def test_the_project_file_diffs_well(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("spline", {"keytimes": [[1.0, 1.2], [2.0, 2.1]]})))
    session.save()
    file = tmp_path / "study.retime" / "project.json"
    before = file.read_text().splitlines()
    assert before == json_lines(json.loads(file.read_text()))
    session.do(ChangeStep("s1", {"keytimes": [[1.0, 1.2], [2.0, 2.2]]}))
    session.save()
    after = file.read_text().splitlines()
    changed = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert len(changed) == 1
    session.close()


def json_lines(document: Any) -> list[str]:
    from retime.io.json_text import dumps

    def ordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: ordered(value[k]) for k in sorted(value)}
        return [ordered(v) for v in value] if isinstance(value, list) else value

    return dumps(ordered(document)).splitlines()


def test_two_studios_do_not_open_one_project(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    with pytest.raises(InputError, match="open in another studio"):
        session_in(tmp_path)
    session.close()
    session_in(tmp_path).close()


def test_what_a_disk_refuses_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    before = session.hash

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        session.do(AddStep("A", NewStep("hold")))
    assert session.hash == before
    monkeypatch.undo()
    session.do(AddStep("A", NewStep("hold")))
    session.close()
    again = session_in(tmp_path)
    assert [s.method for s in again.project.versions["A"]] == ["hold"]
    again.close()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (AddStep("A", NewStep("guide")), "did you mean 'guided'"),
        (AddStep("A", NewStep("guided", {"duratio": 2})), "did you mean 'duration'"),
        (AddStep("A", NewStep("guided", {"influence": 3})), "the maximum is 1"),
        (AddStep("A", NewStep("guided", weight=2.0)), "between 0 and 1"),
        (RemoveStep("s9"), "is gone"),
        (ChooseMotion("m9"), "no motion 'm9'"),
    ],
)
def test_a_wrong_command_gets_a_sentence(command: Command, said: str) -> None:
    with pytest.raises(InputError, match=said):
        change(Project(), command)


def test_a_motion_that_a_step_looks_at_stays() -> None:
    project = change(change(Project(), AddMotion(MOTION)), AddMotion(MOTION))
    project = change(project, AddStep("A", NewStep("guided", {"reference": ["motion:m2"]})))
    with pytest.raises(InputError, match="choose another motion there first"):
        change(project, DropMotion("m2"))
    paths = {"m1": "/a/x.bvh", "m2": "/a/y.bvh"}
    steps = recipe_of(project, "A", paths)["steps"]
    assert steps[0]["parameters"]["reference"] == ["/a/y.bvh"]


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"format": "retime-project"},
        {"format": "retime-project", "version": 3},
        {"format": "retime-project", "version": 2, "motions": {"m1": {"name": 1}}},
        {"format": "retime-project", "version": 2, "source": "m1"},
        {"format": "retime-project", "version": 2, "versions": {"A": []}},
        {"format": "retime-project", "version": 2, "versions": {"A": [{"id": "s1"}], "B": []}},
        {"format": "retime-project", "version": 2, "more": 1},
    ],
)
def test_what_is_no_project_gets_a_sentence(tmp_path: Path, document: Any) -> None:
    folder = tmp_path / "study.retime"
    folder.mkdir()
    (folder / "project.json").write_text(json.dumps(document))
    with pytest.raises(RetimeError):
        session_in(tmp_path)
    assert json.loads((folder / "project.json").read_text()) == document


def test_paths_stay_under_the_root(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.bvh").write_text("x")
    root = tmp_path / "root"
    (root / "a.retime").mkdir(parents=True)
    (root / "link.bvh").symlink_to(outside / "secret.bvh")
    (root / "round").symlink_to(root / "round")
    workspace = Workspace(root / "a.retime", root)
    for path in ("../../outside/secret.bvh", "/etc/passwd", "../link.bvh", "a\0b", "../round/x"):
        with pytest.raises(InputError):
            workspace.resolve(path)
    assert workspace.resolve("../x.bvh") == root / "x.bvh"


def test_names_of_files_are_made_harmless(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "a.retime", tmp_path)
    for name in ("../../x.bvh", "..\\..\\x.bvh", "/etc/x.bvh", "a\0\n/x.bvh", "x.bvh"):
        place = workspace.free_place(name)
        assert place.parent == tmp_path / "a.retime" / "motions"
        place.touch()
    assert len(list((tmp_path / "a.retime" / "motions").iterdir())) == 5
    assert len(workspace.free_place("y" * 500 + ".bvh").name) < 200


def test_the_project_lies_beside_the_first_file(tmp_path: Path) -> None:
    file = tmp_path / "jump.bvh"
    file.touch()
    assert project_folder([file], None) == (tmp_path / "jump.retime", [file])
    assert project_folder([tmp_path / "x.retime"], None) == (tmp_path / "x.retime", [])
    assert project_folder([], None) == (Path("studio.retime"), [])
    with pytest.raises(InputError, match="no such file"):
        project_folder([tmp_path / "none.bvh"], None)
    with pytest.raises(InputError, match="two projects"):
        project_folder([tmp_path], tmp_path / "y.retime")


@pytest.mark.parametrize(
    "command",
    [
        AddStep("A", NewStep("hold", label="\ud800")),
        AddStep("A", NewStep("align", {"reference": [float("inf")]})),
        AddMotion(MotionEntry("\udfff", "x.bvh", "")),
    ],
)
def test_what_no_file_can_hold_is_refused(tmp_path: Path, command: Command) -> None:
    session = session_in(tmp_path)
    with pytest.raises(InputError, match="could not be saved"):
        session.do(command)
    session.close()
    session_in(tmp_path).close()


def test_deep_nesting_is_refused() -> None:
    value: Any = "x.bvh"
    for _ in range(500):
        value = [value]
    with pytest.raises(InputError, match="nested too deeply"):
        change(Project(), AddStep("A", NewStep("align", {"reference": value})))


def test_a_motion_is_told_from_one_whose_name_begins_like_it() -> None:
    project = Project()
    for _ in range(10):
        project = change(project, AddMotion(MOTION))
    project = change(project, AddStep("A", NewStep("guided", {"reference": ["motion:m10"]})))
    assert "m1" not in change(project, DropMotion("m1")).motions


def test_a_broken_project_file_is_brought_back_by_the_journal(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    before = session.hash
    session.close()
    file = tmp_path / "study.retime" / "project.json"
    file.write_text("")
    again = session_in(tmp_path)
    assert again.hash == before
    assert "could not be read" in again.notices[0]
    assert (tmp_path / "study.retime" / "project-1.json").exists()
    again.close()


@pytest.mark.parametrize("line", [0, 2])
@pytest.mark.parametrize("garbage", [b"garbage\n", b'{"hash": [1]}\n', b"[" * 5000 + b"\n", b"1\n"])
def test_a_damaged_journal_is_kept_whole(tmp_path: Path, line: int, garbage: bytes) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    for _ in range(3):
        session.do(AddStep("A", NewStep("hold")))
    before = session.hash
    session.close()
    journal = tmp_path / "study.retime" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:line], garbage, *lines[line:]])
    journal.write_bytes(damaged)
    again = session_in(tmp_path)
    assert again.hash == before
    assert "could not be replayed" in again.notices[0]
    assert (tmp_path / "study.retime" / "journal-1.jsonl").read_bytes() == damaged
    again.close()


def test_a_project_file_changed_while_it_is_open_is_kept(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.save()
    file = tmp_path / "study.retime" / "project.json"
    file.write_text("mine")
    session.do(AddStep("A", NewStep("hold")))
    session.save()
    assert (tmp_path / "study.retime" / "project-1.json").read_text() == "mine"
    assert "changed outside" in session.notices[-1]
    session.close()


def test_odd_files_do_no_harm(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "a.retime", tmp_path)
    os.mkfifo(tmp_path / "pipe.bvh")
    assert sha256_of(tmp_path / "pipe.bvh") is None
    assert workspace.find("0" * 64, ".bvh") is None
    assert len(workspace.free_place("\u4e2d" * 100 + ".bvh").name.encode()) < 255
    library = tmp_path / "library"
    library.mkdir()
    (library / "x.bvh").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="link that leads out"):
        workspace.must_stay_inside(library)
    (tmp_path / "a.retime" / "motions" / ".incoming-x").touch()
    Session(workspace).close()
    assert not (tmp_path / "a.retime" / "motions" / ".incoming-x").exists()


def two_motions() -> Project:
    project = Project()
    for name in ("walk", "jump"):
        project = change(project, AddMotion(MotionEntry(name, f"../{name}.bvh", "0" * 64)))
    return project


def test_every_motion_has_a_recipe_of_its_own() -> None:
    project = change(two_motions(), AddStep("A", NewStep("guided", {"duration": 3.0})))
    jump = change(project, ChooseMotion("m2"))
    assert jump.versions == {"A": (), "B": ()}
    jump = change(jump, AddStep("A", NewStep("smooth")))
    assert [s.id for s in jump.versions["A"]] == ["s2"]  # no two steps share a name
    back = change(jump, ChooseMotion("m1"))
    assert back.versions == project.versions
    assert recipe_of(back, "A", {}, "m2")["steps"][0]["method"] == "smooth"
    assert change(back, ChooseMotion("m2")) == jump


def test_a_recipe_is_applied_to_all_motions() -> None:
    steps = (NewStep("guided", {"duration": 3.0}), NewStep("smooth"))
    project = change(two_motions(), SetRecipe(("m1", "m2"), "A", steps))
    assert project.source == "m1"
    methods = [[s.method for s in project.versions_of(m)["A"]] for m in ("m1", "m2")]
    assert methods == [["guided", "smooth"]] * 2
    names = [s.id for s in project.all_steps]
    assert len(set(names)) == 4


def test_a_motion_takes_its_recipe_along() -> None:
    project = change(two_motions(), SetRecipe(("m1", "m2"), "A", (NewStep("smooth"),)))
    left = change(project, DropMotion("m1"))
    assert (left.source, left.recipes) == ("m2", {})
    assert [s.id for s in left.versions["A"]] == ["s2"]
    empty = change(left, DropMotion("m2"))
    assert empty == Project()


def test_changes_are_named() -> None:
    keys = {"keytimes": [[1.0, 0.9]]}
    moved = {"keytimes": [[1.1, 0.9]]}
    told: list[tuple[Command, str]] = [
        (AddMotion(MotionEntry("walk", "../walk.bvh", "0" * 64)), "Open walk"),
        (AddMotion(MotionEntry("jump", "../jump.bvh", "0" * 64)), "Open jump"),
        (AddStep("A", NewStep("guided", {"duration": 3.0})), "Add Guided"),
        (ChangeStep("s1", keys), "Add keytime"),
        (ChangeStep("s1", moved), "Move keytime"),
        (ChangeStep("s1", {"keytimes": [[1.1, 0.9], [1.5, 1.4], [2.0, 1.8]]}), "Add 2 keytimes"),
        (ChangeStep("s1", {"keytimes": [[1.2, 0.9], [1.6, 1.4], [2.0, 1.8]]}), "Move keytimes"),
        (ChangeStep("s1", {"keytimes": [[0.8, 0.7]]}), "Replace keytimes"),
        (ChangeStep("s1", {"keytimes": None}), "Delete keytime"),
        (ChangeStep("s1", {"duration": 2.0}), "Change duration of Guided"),
        (ChangeStep("s1", mute=True), "Mute Guided"),
        (ChooseMotion("m2"), "Retime jump"),
        (SetRecipe(("m1",), "A", ()), "Give a recipe to 1 motion"),
        (DropMotion("m1"), "Remove walk"),
    ]
    project = Project()
    for command, name in told:
        after = change(project, command)
        assert change_name(project, after) == name
        project = after


def test_undo_and_redo_are_named(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("smooth")))
    session.undo()
    undo, redo = session.history(10)
    assert (undo, redo) == (["Open jump"], ["Add Smooth"])
    session.close()


def test_what_precedes_the_damage_of_a_journal_is_brought_back(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("hold")))
    before = session.hash
    session.do(AddStep("A", NewStep("hold")))
    session.close()
    folder = tmp_path / "study.retime"
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join([*lines[:-1], b"\xff" + lines[-1]]))
    (folder / "project.json").write_text("{")
    again = session_in(tmp_path)
    assert again.hash == before
    assert any("as it was before the damage" in n for n in again.notices)
    assert (folder / "journal-1.jsonl").exists()
    again.close()


def test_the_sound_parts_of_a_damaged_project_are_kept(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.do(AddMotion(MOTION))
    session.do(AddStep("A", NewStep("hold")))
    session.do(AddStep("A", NewStep("smooth")))
    session.close()
    folder = tmp_path / "study.retime"
    (folder / "journal.jsonl").unlink()
    text = (folder / "project.json").read_text()
    (folder / "project.json").write_text(text.replace('"hold"', '"hold\\u0000"'))
    again = session_in(tmp_path)
    assert [step.method for step in again.project.versions["A"]] == ["smooth"]
    assert list(again.project.motions) == ["m1"]
    assert "step 1 of version A" in again.notices[0]
    assert (folder / "project-1.json").exists()
    again.close()


def test_sets_of_joints_are_part_of_the_project() -> None:
    made = change(Project(), SetJointSets({"Hands": ("LeftHand", "RightHand")}))
    assert from_document(to_document(made)) == made
    assert change_name(Project(), made) == "Change sets of joints"
    without = change(made, SetJointSets({}))
    assert without == Project()
    assert "joint_sets" not in to_document(without)  # hashes of older projects stay
    with pytest.raises(InputError, match="1 to 100 characters"):
        change(made, SetJointSets({"": ()}))
