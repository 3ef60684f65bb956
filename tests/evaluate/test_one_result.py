"""The law of front ends: given the same job, all return the same motion and the same notes.

Library, command line, batch, the studio's export and the Blender host are each asked as they are
used, over files; what they wrote is read back and compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the studio's packages are not installed")

import retime
from fbx_making import made_of
from retime import Evaluator, Job, Motion, Recipe, Step, TimeWarp, samples
from retime.batch.clip_files import clip_sha256
from retime.batch.task import Task, do_task
from retime.hosts.engine import Engine
from retime.hosts.in_frames import Labels
from retime.methods import METHODS
from retime.motion.layers import PoseLayer
from retime.notes import present
from retime.recipe import json as recipe_json
from retime.studio import jobs
from retime.studio.evaluation import FrameMaker

Run = Callable[..., tuple[int, str, str]]


@dataclass(frozen=True)
class Case:
    """A recipe for a clip; ``suffix`` is the kind of file that goes in and out.

    A reference is the name of another of the clips.
    """

    steps: tuple[tuple[str, dict[str, Any]], ...]
    clip: str = "walk"
    suffix: str = ".npz"
    host: bool = True
    weights: tuple[float, ...] = field(default=())

    def recipe(self, clips: Path) -> Recipe:
        weights = self.weights or (1.0,) * len(self.steps)
        steps = [
            Step(m, p | {n: str(clips / v) for n, v in p.items() if n == "reference"}, weight=w)
            for (m, p), w in zip(self.steps, weights, strict=True)
        ]
        return Recipe(steps)


SHORT = (("spline", {"duration": 1.2345}),)
EDITED = (("stagger", {"exaggerate": 0.3}), *SHORT)
HELD: Any = (*SHORT, ("hold", {}))
LOOP = (("spline", {"duration": 1.2345, "loop": True}),)
RANGE = (("spline", {"range": (0.5, 1.5), "duration": 0.777, "ripple": True}),)
BENT = PoseLayer(np.array([0.0, 1.0]), {"LeftForeArm": np.array([[0.0, 0, 0], [0.4, 0, 0]])})
TABLE = retime.lengths(samples.punches(), knots=8)
KEY = {"time": 1.0, "joint": "RightHand", "shift": -0.1}
CASES = {
    "awkward duration": Case((("spline", {"duration": 1.9915}),)),
    "guided": Case((("guided", {"duration": 1.7777, "keytimes": [(0.8, 1.0)]}),), "jump"),
    "guided, a range": Case(
        (("guided", {"range": (0.5, 1.5), "duration": 0.777, "ripple": True}),)
    ),
    "physics": Case((("physics", {"duration": 2.6661}),), "jump"),
    "stagger": Case(
        (
            (
                "stagger",
                {"overlap": 0.5, "succession": [("RightArm", 0.1, 1.0)], "past_end": True},
            ),
        )
    ),
    "surface": Case((("surface", {"keys": [KEY]}),), "punches"),
    "surface, then a duration": Case(
        (("surface", {"keys": [KEY]}), ("spline", {"duration": 2.2222})), "punches"
    ),
    "a loop": Case((("spline", {"duration": 3.2345, "loop": True}),)),
    "align": Case((("align", {"reference": "slower.npz"}),), "punches"),
    "sync": Case((("sync", {"bpm": 111.0, "strength": 0.8}),)),
    "given poses": Case((("pose", {"layer": BENT}), *SHORT)),
    "secondary": Case((("secondary", {"strength": 0.7, "chains": [("LeftArm", 2.0, 0.3)]}),)),
    "guided, then secondary": Case(
        (("guided", {"duration": 1.7777}), ("secondary", {"loop": False})), "punches"
    ),
    "tween": Case(
        (("tween", {"tweens": [(1.1, "next", 0.4)], "eases": [(1.6, "settle", 0.7)]}),)
    ),
    "reach": Case((("stagger", {"reach": [(1.1, "left_hand", 0.3, 1.2, 1.5)]}),)),
    "held contacts": Case((("spline", {"duration": 3.3333}), ("hold", {}))),
    "detail": Case((("spline", {"duration": 3.5}), ("detail", {}))),
    "smooth": Case((("guided", {"duration": 1.2001}), ("smooth", {}))),
    "a given warp": Case(
        (("warp", {"warp": TimeWarp([0, 1, 2], [0, 1.4, 2])}), ("hold", {})), "punches"
    ),
    "a table of lengths": Case((("lengths", {"table": TABLE, "duration": 1.3}),), "punches"),
    "half a step": Case((("spline", {"duration": 3.14159}),), weights=(0.5,)),
    "bvh": Case((("guided", {"duration": 1.9915}),), "jump", ".bvh", host=False),
    "glb": Case(SHORT, suffix=".glb", host=False),
    "glb, edited": Case(EDITED, suffix=".glb", host=False),
    "fbx": Case(SHORT, suffix=".fbx", host=False),
    "fbx, edited": Case(EDITED, suffix=".fbx", host=False),
    "usd": Case(SHORT, suffix=".usda", host=False),
    "glb, held": Case(HELD, suffix=".glb", host=False),
    "fbx, held": Case(HELD, suffix=".fbx", host=False),
    "usd, held": Case(HELD, suffix=".usda", host=False),
    "glb, a loop": Case(LOOP, suffix=".glb", host=False),
    "fbx, a range": Case(RANGE, suffix=".fbx", host=False),
}  # fmt: skip


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    clips = {
        "walk": samples.walk(),
        "jump": samples.jump(),
        "punches": samples.punches(),
    }
    slower = Evaluator().evaluate(
        Job(source=clips["punches"], recipe=Recipe([Step("spline", {"duration": 3.0})]))
    )
    retime.write(slower.motion, folder / "slower.npz")
    for name, motion in clips.items():
        for suffix in (".npz", ".bvh"):
            retime.write(motion, folder / f"{name}{suffix}")
    retime.write(samples.walk(fps=24.0), folder / "walk.glb")
    retime.write(samples.walk(fps=24.0), folder / "walk.usda")
    made_of(samples.walk(fps=24.0)).write(folder / "walk.fbx")
    return folder


def by_library(case: Case, source: Path, target: Path) -> list[str]:
    found = Evaluator().evaluate(
        Job(source=source, recipe=case.recipe(source.parent), target=target)
    )
    retime.write(found.motion, target, original=found.source)
    plain = [n for n in (*found.source.notes, *found.notes) if n.code in ("", "told")]
    assert not plain, "notes without a code of their own"
    return list(found.notes)


def by_command_line(case: Case, source: Path, target: Path, run: Run) -> list[str]:
    recipe = target.with_suffix(".recipe.json")
    retime.write_recipe(case.recipe(source.parent), recipe)
    status, out, err = run("run", recipe, source, target, "--json")
    assert status == 0, err
    return list(json.loads(out)["notes"])


def by_batch(case: Case, source: Path, target: Path) -> list[str]:
    done = do_task(
        Task(
            name=target.name,
            source=str(source),
            sha256=clip_sha256(source),
            recipe=recipe_json.to_document(case.recipe(source.parent)),
            target=str(target),
            version=retime.__version__,
        )
    )
    assert not done.failure, done.error
    return list(done.notes)


def by_studio(case: Case, source: Path, target: Path) -> list[str]:
    clip = jobs.Clip("m1", source.stem, str(source), "")
    document = recipe_json.to_document(case.recipe(source.parent))
    names = [f"s{k}" for k in range(1, len(case.steps) + 1)]
    job = jobs.Result(clip, document, names, "A", 1)
    maker = FrameMaker()
    maker.result(job)  # what the window shows comes first, as it does there
    kind: Any = target.suffix[1:] if target.suffix[1:] in get_args(jobs.EXPORTS) else "own"
    maker.export(jobs.Export([job], kind, str(target), source.stem))
    return list(maker.evaluate(job, str(target)).notes)


def by_host(case: Case, source: Path, target: Path) -> list[str]:
    request = {
        "id": 1,
        "recipe": recipe_json.to_document(case.recipe(source.parent)),
        "motion": str(source),
        "out": str(target),
        "warp": str(target.with_suffix(".warp.json")),
    }
    answer = Engine().do(request, lambda message: None)
    return list(answer["notes"])


def same(one: Motion, other: Motion) -> None:
    assert one.skeleton.names == other.skeleton.names
    np.testing.assert_array_equal(one.times, other.times)
    np.testing.assert_array_equal(one.rotations, other.rotations)
    assert one.translations.keys() == other.translations.keys()
    for name, track in one.translations.items():
        np.testing.assert_array_equal(track, other.translations[name])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_front_end_gives_the_same(case: Case, clips: Path, tmp_path: Path, run: Run) -> None:
    source = clips / f"{case.clip}{case.suffix}"
    ways: dict[str, Callable[[Path], list[str]]] = {
        "library": lambda to: by_library(case, source, to),
        "command line": lambda to: by_command_line(case, source, to, run),
        "batch": lambda to: by_batch(case, source, to),
        "studio": lambda to: by_studio(case, source, to),
    }
    if case.host:
        ways["host"] = lambda to: by_host(case, source, to)
    known = set(retime.read(source).notes)
    results, notes = {}, {}
    for way, make in ways.items():
        target = tmp_path / way.replace(" ", "-") / f"out{case.suffix}"
        target.parent.mkdir()
        notes[way] = [n for n in make(target) if n not in known]
        results[way] = retime.read(target)
    for way in ways:
        same(results["library"], results[way])
        # The host names the parameter of a remedy by its label; the note is the same.
        expected = [present(n, Labels()) if way == "host" else n for n in notes["library"]]
        assert notes[way] == expected, way


def test_every_method_is_in_the_table() -> None:
    assert {name for case in CASES.values() for name, _ in case.steps} == set(METHODS)


def test_the_library_s_shortcut_gives_the_same(clips: Path) -> None:
    recipe = CASES["awkward duration"].recipe(clips)
    motion = retime.read(clips / "walk.npz")
    made = recipe.evaluate(motion)
    found = Evaluator().evaluate(Job(source=motion, recipe=recipe))
    same(made, found.motion)
    assert made.notes == found.motion.notes
