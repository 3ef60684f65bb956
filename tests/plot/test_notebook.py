"""What notebooks show, figures, and the example notebook."""

from __future__ import annotations

import ast
import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import InputError, Recipe, Step, TimeWarp, samples
from retime.motion.contact import Contacts
from retime.notes import as_notes

EXAMPLES = Path(__file__).parents[2] / "examples"
JUMP = samples.jump()
WARP = TimeWarp([0, 2, 4], [0, 1, 3.25], notes=as_notes(["slow <first>"]))
_IMAGE = re.compile(r'src="data:image/png;base64,([^"]+)"')


def pictures(html: str) -> list[bytes]:
    found = [base64.b64decode(text) for text in _IMAGE.findall(html)]
    assert all(p.startswith(b"\x89PNG") for p in found)
    return found


def _evaluated() -> Any:
    recipe = Recipe([Step("spline", {"duration": 2.0})])
    return retime.Evaluator().evaluate(retime.Job(source=JUMP, recipe=recipe))


@pytest.mark.parametrize(
    "make, count, said",
    [
        (lambda: JUMP, 1, "196 frames at 60 fps"),
        (lambda: JUMP[:1], 1, "1 frames"),
        (lambda: JUMP[:0], 0, "0 frames"),
        (lambda: WARP, 1, "slow &lt;first&gt;"),
        (lambda: Recipe([Step("spline", {"duration": "80%"})]), 0, "duration=&#x27;80%&#x27;"),
        (_evaluated, 2, "121 frames"),
        (lambda: retime.detect_contacts(JUMP), 1, "<table>"),
        (lambda: Contacts(), 0, "0 contacts"),
        (lambda: retime.contacts.find_contacts(JUMP), 1, "flights:"),
    ],
)
def test_notebooks_show_a_picture_below_200_kb(make: Any, count: int, said: str) -> None:
    html = make()._repr_html_()
    assert said in html
    assert len(pictures(html)) == count
    assert len(html.encode()) < 200_000


def test_a_long_motion_of_many_joints_stays_small() -> None:
    long = retime.concatenate([JUMP] * 20)
    assert len(long._repr_html_() or "") < 200_000


def test_what_has_no_picture_shows_its_line() -> None:
    assert JUMP.skeleton._repr_html_() is None


def test_physics_results_are_tables() -> None:
    from retime.methods.physics.explain import Explanation, Violation
    from retime.methods.physics.judging import Judgement, Residual
    from retime.plot.notebook import html_of

    wrong = Violation(0.5, 1.0, "flight", "it falls too slowly", 0.3, 0.5, 1.0)
    told = Explanation(np.arange(4.0), np.zeros((4, 2)), np.array([0, 0.3, 0, 0]), (wrong,))
    html = told._repr_html_() or ""
    assert "75% of the frames are feasible" in html
    assert "it falls too slowly" in html
    row = Residual("force up", "N", 1.0, 2.0, 3.0, 0.1, "good")
    judged = html_of(Judgement(told, (row,), (), as_notes(["by earth"]))) or ""
    assert "force up" in judged
    assert "by earth" in judged
    assert "it falls too slowly" in (wrong._repr_html_() or "")
    assert "force up" in (row._repr_html_() or "")


def test_a_model_of_physics_and_what_it_finds_are_pictures() -> None:
    model = retime.PhysicsModel(JUMP)
    shown = model._repr_html_() or ""
    assert len(shown.encode()) < 200_000
    assert len(pictures(shown)) == 1
    assert "feasible durations: " in shown
    assert "in 21 segments" in shown
    for found in (model.regions[90], model.extremes, model.solve(duration=3.0)[1]):
        html = found._repr_html_() or ""
        assert len(pictures(html)) == 1, found
        assert "\n" not in repr(found)
    flight = model.flights[0]
    assert f"{flight.gravity:.2f}" in (flight._repr_html_() or "")
    stuck = replace(model.extremes, fastest=None, slowest=None, stuck=7)
    assert "frame 7 leaves none" in (stuck._repr_html_() or "")


def test_figures_are_matplotlib_figures() -> None:
    from matplotlib.figure import Figure

    slow = retime.apply(JUMP, WARP)
    made = [
        JUMP.plot(poses=3),
        WARP.plot(),
        retime.plot.strip({"one": JUMP, "other": slow}, poses=3),
        retime.plot.warp({"one": WARP, "other": WARP.reverse()}),
        retime.plot.compare(JUMP, slow, poses=3),
    ]
    for figure in made:
        assert isinstance(figure, Figure)
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert "other: 4.00 s" in [a.get_title(loc="left").strip() for a in made[2].axes]


def test_a_comparison_shows_the_same_poses_at_their_times(monkeypatch: pytest.MonkeyPatch) -> None:
    from retime.plot.strips import strip_figure

    given: dict[str, Any] = {}

    def draw(motions: Any, **options: Any) -> Any:
        given.update(options)
        return strip_figure(motions, **options)

    monkeypatch.setattr("retime.plot.figures.strip_figure", draw)
    retime.plot.compare(JUMP, retime.apply(JUMP, WARP), WARP, poses=4)
    np.testing.assert_allclose(WARP(given["at"]["result"]), given["at"]["source"], atol=1e-9)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: JUMP.plot(poses=1), "2 to 60 poses, not 1"),
        (lambda: retime.plot.strip({}), "give a motion, or motions by name"),
        (lambda: retime.plot.warp(JUMP), "give a warp, or warps by name, not Motion"),  # type: ignore[arg-type]
        (lambda: retime.plot.strip({"a": WARP}), "'a' is not a motion but TimeWarp"),  # type: ignore[dict-item]
        (lambda: JUMP[:0].plot(), "without frames cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        wrong()


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does: the last expression is what is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda p: p.name)
def test_example_notebooks_run(path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    names: dict[str, Any] = {}
    shown = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # outputs are not kept in the repository
            value = _run("".join(cell["source"]), names)
            for method in ("_repr_html_", "_repr_png_"):
                made = getattr(value, method, lambda: None)()
                shown += bool(made and b"PNG" in (made if isinstance(made, bytes) else b"PNG"))
    assert shown >= 5


def test_a_motion_with_a_long_name_is_escaped() -> None:
    odd = replace(JUMP[:1], notes=as_notes(["<script>alert(1)</script>"]))
    assert "<script>" not in (odd._repr_html_() or "")
