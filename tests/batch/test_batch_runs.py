"""The coordinator: what is kept, redone, sorted; with the work done in this very process."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import retime
from batch_running import hashes, make_library, rows, write_spline
from retime import Recipe, Step, samples
from retime.batch import isolation
from retime.batch.backends import open_backend
from retime.batch.gate import Gate, Limit
from retime.batch.plan import Shard
from retime.batch.run import Batch, run_batch
from retime.batch.task import Outcome, Task, do_task
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.recipe.json import to_document

SHARED = Path(__file__).parents[3] / "shared"


class Here:
    """A backend that works in this process, one clip after the other."""

    name, workers, trouble = "here", 1, ""

    def __init__(self) -> None:
        self.done: list[str] = []

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        for task in tasks:
            self.done.append(task.name)
            yield Outcome(task.name, "input", task.problem) if task.problem else do_task(task)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library"), bad=True)


@pytest.fixture
def batch(library: Path, tmp_path: Path) -> Batch:
    recipe = Recipe([Step("spline")])
    return Batch(recipe=recipe, library=library, out=tmp_path / "out", vary=("duration=0.8..1.25",))


def again(batch: Batch, **changed: Any) -> tuple[Any, list[str]]:
    here = Here()
    return run_batch(replace(batch, resume=True, **changed), here), here.done


def test_a_bad_clip_does_not_stop_the_rest_and_nothing_is_done_twice(batch: Batch) -> None:
    here = Here()
    summary = run_batch(batch, here)
    assert (summary.total, summary.accepted, summary.failed) == (6, 5, 1)
    found = rows(batch.out)
    assert found["bad.bvh"].state == "failed"
    assert "bad.bvh" in found["bad.bvh"].error
    made = hashes(batch.out)
    assert {f"accepted/{n}": r.sha256 for n, r in found.items() if r.state == "done"} == made
    assert not list(batch.out.glob(".work*"))
    with pytest.raises(InputError, match="--resume"):
        run_batch(batch, Here())
    summary, done = again(batch)
    assert (summary.kept, done) == (6, [])
    assert hashes(batch.out) == made


def test_what_changed_is_done_again_and_only_that(batch: Batch, tmp_path: Path) -> None:
    library = tmp_path / "own"
    shutil.copytree(batch.library, library)
    batch = replace(batch, library=library)
    run_batch(batch, Here())
    before = hashes(batch.out)
    (library / "bad.bvh").unlink()
    retime.write(samples.run(fps=24), library / "jump.bvh")
    (batch.out / "accepted/swing.bvh").unlink()
    (batch.out / "accepted/walks/walk.bvh").write_bytes(b"cut sho")
    summary, done = again(batch)
    assert done == ["jump.bvh", "swing.bvh", "walks/walk.bvh"]
    assert (summary.total, summary.kept, summary.strangers) == (5, 2, 1)
    after = hashes(batch.out)
    assert {n for n in before if before[n] != after[n]} == {"accepted/jump.bvh"}
    assert len(again(batch, seed=1)[1]) == 5
    assert len(again(batch, seed=1, fps=30.0)[1]) == 5


def test_another_gate_sorts_again_without_working_again(batch: Batch) -> None:
    run_batch(batch, Here())
    skate = {n: (r.measures or {}).get("foot_skate") for n, r in rows(batch.out).items()}
    middle = sorted(v for v in skate.values() if v is not None)[1]
    summary, done = again(batch, gate=Gate({"foot_skate": Limit(most=middle)}))
    rejected = {n for n, v in skate.items() if v is not None and v > middle}
    assert rejected
    assert done == []
    assert summary.rejected == len(rejected)
    assert {n.removeprefix("rejected/") for n in hashes(batch.out) if n[0] == "r"} == rejected
    for name in rejected:
        assert "foot skate is" in rows(batch.out)[name].reasons[0]
    summary, done = again(batch)
    assert (summary.accepted, summary.rejected, done) == (5, 0, [])
    assert not any((batch.out / "rejected").rglob("*.bvh"))


def test_feasibility_is_measured_when_a_gate_asks_for_it(batch: Batch, tmp_path: Path) -> None:
    library = tmp_path / "own"
    library.mkdir()
    retime.write(samples.jump(fps=24), library / "jump.bvh")
    batch = replace(batch, library=library, vary=("duration=0.4",))
    run_batch(batch, Here())
    gate = Gate({"feasible_share": Limit(least=0.9, required=True)})
    assert again(batch, gate=gate)[1] == ["jump.bvh"]
    row = rows(batch.out)["jump.bvh"]
    assert (row.measures or {})["feasible_share"] < 0.9  # jumps in two fifths of the time
    assert row.verdict == "rejected"


def test_a_length_that_the_body_refuses_is_a_reason(batch: Batch, tmp_path: Path) -> None:
    library = tmp_path / "own"
    library.mkdir()
    retime.write(samples.jump(fps=24), library / "jump.bvh")
    physics = Recipe([Step("physics")])
    run_batch(replace(batch, library=library, recipe=physics, vary=("duration=0.4",)), Here())
    row = rows(batch.out)["jump.bvh"]
    assert row.state == "failed"
    assert "is shorter than the shortest feasible duration" in row.error


def test_a_killed_run_is_mended_wherever_it_was_cut(batch: Batch) -> None:
    """States that a kill can leave, made by hand: committed and not moved, and not committed."""
    run_batch(batch, Here())
    made = hashes(batch.out)

    class Cut(Here):
        def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
            for k, outcome in enumerate(super().run(tasks)):
                if k == 2:
                    raise KeyboardInterrupt  # written, but not told
                yield outcome

    shutil.rmtree(batch.out)
    with pytest.raises(KeyboardInterrupt):
        run_batch(batch, Cut())
    states = [row.state for row in rows(batch.out).values()]
    assert states.count("running") == 1
    assert len(list(batch.out.glob(".work/**/*.*"))) == 1
    row = rows(batch.out)["deep/er/jump.glb"]
    staged = f"jump.{row.clip_sha256[:8]}-{row.recipe_sha256[:8]}.glb"
    (batch.out / ".work/deep/er").mkdir(parents=True, exist_ok=True)
    (batch.out / "accepted/deep/er/jump.glb").rename(batch.out / ".work/deep/er" / staged)
    _, done = again(batch)
    assert "deep/er/jump.glb" not in done
    assert len(done) == 4  # bad.bvh failed for good
    assert hashes(batch.out) == made
    assert not list(batch.out.glob(".work*"))


def test_clips_whose_process_died_are_done_once_more_after_the_others(batch: Batch) -> None:
    class Crashing(Here):
        def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
            for task in tasks:
                self.done.append(task.name)
                mortal = task.name == "swing.bvh" or self.done.count(task.name) == 1
                yield Outcome(task.name, "crash", "killed") if mortal else do_task(task)

    crashing = Crashing()
    summary = run_batch(batch, crashing)
    assert (summary.accepted, summary.failed) == (4, 2)  # one dies of every attempt, one is bad
    assert crashing.done[:6] == crashing.done[6:]
    assert rows(batch.out)["swing.bvh"].failure == "crash"


def test_tasks_are_made_when_they_are_asked_for(batch: Batch) -> None:
    seen = []

    class Watching(Here):
        def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
            for outcome in super().run(tasks):
                seen.append(sum(r.state == "running" for r in rows(batch.out).values()))
                yield outcome

    run_batch(replace(batch, copies=3), Watching())
    assert len(seen) == 18
    assert set(seen) == {1}


def test_shards_share_a_folder(batch: Batch) -> None:
    run_batch(batch, Here())
    whole = {n: row.sha256 for n, row in rows(batch.out).items()}
    out = batch.out.parent / "sharded"
    for part in (1, 2, 3):
        run_batch(replace(batch, out=out, shard=Shard(part, 3)), Here())
    assert {n: row.sha256 for n, row in rows(out).items()} == whole
    with pytest.raises(InputError, match="with other shards"):
        run_batch(replace(batch, out=out), Here())
    with pytest.raises(InputError, match="--resume"):
        run_batch(replace(batch, out=out, shard=Shard(1, 3)), Here())


def test_a_folder_with_other_things_is_left_alone(batch: Batch) -> None:
    batch.out.mkdir()
    (batch.out / "thesis.tex").touch()
    for resume in (False, True):
        with pytest.raises(InputError, match=r"thesis\.tex"):
            run_batch(replace(batch, resume=resume), Here())


def test_a_reference_folder_is_indexed_once_and_changes_no_byte(
    batch: Batch, tmp_path: Path
) -> None:
    references, library = tmp_path / "references", tmp_path / "own"
    for folder, names in ((references, ("swing", "walk")), (library, ("swing", "jump"))):
        folder.mkdir()
        for name in names:
            retime.write(getattr(samples, name)(fps=24.0), folder / f"{name}.bvh")
    (references / "notes.bvh").write_text("none of ours")
    steps = [Step("guided", {"reference": [str(references)]})]
    batch = replace(batch, library=library, recipe=Recipe(steps), vary=("duration=0.9",))
    assert run_batch(batch, Here()).accepted == 2
    swing = retime.read(library / "swing.bvh")
    duration = round(0.9 * swing.duration * swing.rate) / swing.rate
    plain = Recipe([Step("guided", {"reference": [str(references)], "duration": duration})])
    retime.write(plain.evaluate(swing), tmp_path / "plain.bvh")
    assert (batch.out / "accepted/swing.bvh").read_bytes() == (tmp_path / "plain.bvh").read_bytes()
    (index,) = (batch.out / ".references").iterdir()
    kept = {p: p.stat().st_mtime_ns for p in index.rglob("*.npy")}
    assert kept
    assert len(again(batch, vary=("duration=1.1",))[1]) == 2
    assert kept.items() <= {p: p.stat().st_mtime_ns for p in index.rglob("*.npy")}.items()
    (references / "walk.bvh").unlink()
    assert len(again(batch, vary=("duration=1.1",))[1]) == 2


# ---- children


def slow_task(tmp_path: Path, timeout: float | None) -> Task:
    """Make a task that takes long in compiled code."""
    clip = tmp_path / "long.bvh"
    retime.write(samples.walk(seconds=44, fps=30), clip)
    heavy = {"upsample": 16, "max_speed": 64.0, "formulation": "paper"}
    recipe = Recipe([Step("guided", heavy)])
    sha256 = retime.read(clip).origin.sha256  # type: ignore[union-attr]
    return Task(
        "long", str(clip), sha256, to_document(recipe), str(tmp_path / "out.bvh"),
        timeout=timeout, version=retime.__version__,
    )  # fmt: skip


def quick_task(tmp_path: Path) -> Task:
    clip = tmp_path / "quick.bvh"
    retime.write(samples.jump(fps=24), clip)
    sha256 = retime.read(clip).origin.sha256  # type: ignore[union-attr]
    recipe = to_document(Recipe([Step("spline")]))
    return Task("quick", str(clip), sha256, recipe, str(tmp_path / "quick-out.bvh"),
                version=retime.__version__)  # fmt: skip


def test_what_takes_too_long_is_ended_and_the_next_clip_works(tmp_path: Path) -> None:
    found = isolation.run_isolated(slow_task(tmp_path, 0.5))
    assert (found.failure, found.seconds < 60) == ("time", True)
    assert "0.5 s" in found.error
    assert isolation.run_isolated(quick_task(tmp_path)).failure == ""
    pid = isolation._free[-1].pid
    assert isolation.run_isolated(quick_task(tmp_path)).failure == ""
    assert isolation._free[-1].pid == pid
    isolation.end_children()


def test_a_child_that_dies_costs_one_clip(tmp_path: Path) -> None:
    def kill() -> None:
        while isolation._free or not (isolation._servers and isolation._servers[-1].pid):
            time.sleep(0.01)
        time.sleep(1.0)  # it has begun
        isolation.end_children()

    thread = threading.Thread(target=kill)
    thread.start()
    found = isolation.run_isolated(slow_task(tmp_path, None))
    thread.join()
    assert (found.failure, "signal 9" in found.error) == ("crash", True)
    assert isolation.run_isolated(quick_task(tmp_path)).failure == ""
    isolation.end_children()


def test_a_child_has_one_thread_of_linear_algebra(tmp_path: Path) -> None:
    isolation.run_isolated(quick_task(tmp_path))
    pid = isolation._free[-1].pid
    environ = Path(f"/proc/{pid}/environ")
    if not environ.exists():
        pytest.skip("no /proc here to look into")
    assert b"OPENBLAS_NUM_THREADS=1\0" in environ.read_bytes()
    isolation.end_children()


@pytest.mark.parametrize("text, said", [("spark", "a backend is"), ("dask://", "a backend is")])
def test_what_is_no_backend_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_backend(text, None)
    with pytest.raises(InputError, match="leave --jobs out"):
        open_backend("dask://localhost:1", 2)


def test_the_command_says_what_is_wrong(run: Any, library: Path, tmp_path: Path) -> None:
    recipe = write_spline(tmp_path / "recipe.json")
    for more, said in (
        (("--vary", "duration=-1..2"), "above 0"),
        (("--shard", "3/2"), "shard"),
        (("--backend", "spark"), "a backend is"),
        (("--gate", str(tmp_path / "none.toml")), "no such file"),
    ):
        status, _, err = run("batch", recipe, library, tmp_path / "out", *more)
        assert (status, said in err) == (2, True), err
    assert not (tmp_path / "out").exists()


def test_one_thing_is_varied_once(batch: Batch) -> None:
    with pytest.raises(InputError, match="varies the same"):
        run_batch(replace(batch, vary=("duration=0.8..1.25", "duration=2")), Here())


def test_a_clip_that_this_machine_cannot_read_is_tried_again(library: Path, tmp_path: Path) -> None:
    task = Task("a.bvh", str(library / "gone.bvh"), "0" * 64, version=retime.__version__)
    outcome = do_task(task)
    assert outcome.failure == "unreadable"
    assert "gone.bvh" in outcome.error


def test_clips_are_read_as_asked(tmp_path: Path) -> None:
    walk = samples.walk(fps=24.0)
    (tmp_path / "library").mkdir()
    for name in ("a.bvh", "b.glb"):
        retime.write(walk, tmp_path / "library" / name)
    recipe = Recipe([Step("spline")])
    plain = Batch(recipe=recipe, library=tmp_path / "library", out=tmp_path / "out")
    assert run_batch(plain, Here()).accepted == 2
    assert again(plain)[1] == []
    reading = Reading(fps=48.0, rest_frame="keep", roles={"left_hand": "LeftHand"})
    summary, done = again(plain, reading=reading)
    assert (summary.accepted, done) == (2, ["a.bvh", "b.glb"])
    assert retime.read(tmp_path / "out/accepted/a.bvh").rate == pytest.approx(48.0)
    assert again(plain, reading=reading)[1] == []  # and what was asked is remembered
    wrong = Reading(roles={"left_hand": "Nobody"})
    summary, _ = again(plain, reading=wrong)
    assert summary.failed == 2


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are absent")
def test_one_skeleton_serves_motions_that_lie_apart_from_it(tmp_path: Path) -> None:
    take, skeleton = SHARED / "samples/cmu_11_01.amc", SHARED / "samples/cmu_11.asf"
    library = tmp_path / "library"
    library.mkdir()
    shutil.copy(take, library / "take.amc")
    retime.write(samples.walk(fps=24.0), library / "walk.bvh")
    batch = Batch(
        recipe=Recipe([Step("spline", {"duration": 1.0})]), library=library, out=tmp_path / "out"
    )
    assert run_batch(batch, Here()).failed == 1
    reading = Reading(fps=60.0, skeleton=str(skeleton))
    assert again(batch, reading=reading)[0].accepted == 2
    made = retime.read(tmp_path / "out/accepted/take.amc", fps=60.0)
    assert made.duration == pytest.approx(1.0)


def test_a_format_that_cannot_hold_the_clips_is_refused_at_once(batch: Batch) -> None:
    with pytest.raises(InputError, match=r"--to fbx: .* 6 of 6 clips have another format"):
        run_batch(replace(batch, suffix="fbx"), Here())
    assert not batch.out.exists()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are absent")
def test_a_skeleton_that_changed_is_another_clip(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for name in ("cmu_11.asf", "cmu_11_01.amc"):
        shutil.copy(SHARED / "samples" / name, library)
    recipe = Recipe([Step("spline", {"duration": 1.0})])
    batch = Batch(recipe=recipe, library=library, out=tmp_path / "out")
    run_batch(batch, Here())
    assert again(batch)[1] == []
    asf = library / "cmu_11.asf"
    asf.write_text(asf.read_text().replace("length 0.45", "length 0.46"))
    assert again(batch)[1] == ["cmu_11_01.amc"]


def test_long_names_cost_nobody_else(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for stem in ("a", "b" * 245):
        retime.write(samples.walk(fps=24.0), library / f"{stem}.bvh")
    batch = Batch(recipe=Recipe([Step("spline")]), library=library, out=tmp_path / "out")
    assert run_batch(batch, Here()).accepted == 2
    retime.write(samples.walk(fps=24.0), library / f"{'c' * 249}.bvh")
    copies = replace(batch, out=tmp_path / "copies", copies=10)
    summary = run_batch(copies, Here())
    assert (summary.accepted, summary.failed) == (29, 1)  # c....10.bvh is 256 long


def test_what_another_recipe_made_is_counted_when_it_goes(batch: Batch) -> None:
    made = run_batch(batch, Here()).accepted
    other = Recipe([Step("spline", {"duration": 1.5})])
    summary, _ = again(batch, recipe=other, vary=())
    assert summary.replaced == made
