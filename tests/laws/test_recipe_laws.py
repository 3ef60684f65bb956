"""Laws of recipes: steps compose, and the source is sampled once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies import (
    CHANNELS,
    INNER_WEIGHTS,
    WEIGHTS,
    FloatArray,
    close,
    distance,
    smooth_motion,
    values_at,
    whole_warps,
)

from retime import InputError, Motion, PoseLayer, Recipe, Step, TimeWarp, apply, quat
from retime.io.json_text import dumps
from retime.keywords import takes
from retime.methods import METHODS, Method
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply_edits, correction_between, total_warp
from retime.motion.fixes import FIX_ORDER, Fix, FixContext, FixKind
from retime.notes import Note
from retime.parameters import About
from retime.recipe.json import from_document, to_document

SOURCE = smooth_motion(0.5 + np.arange(241) / 120, fps=120.0)
START, END = SOURCE.domain


# ---- a method of our own: it keeps what it was given, and returns a fix

SEEN: list[Motion] = []


@dataclass(frozen=True, kw_only=True)
class ProbeParameters:
    kind: Annotated[FixKind, About("Kind of the fix.")] = "smoothing"
    shift: Annotated[float, About("How far it lifts the hips.")] = 0.0


@takes(ProbeParameters)
def probe(motion: Motion, p: ProbeParameters) -> Fix:
    SEEN.append(motion)
    return lift(p.kind, p.shift)


def lift(kind: FixKind, shift: float) -> Fix:
    def run(retimed: Motion, context: FixContext) -> Motion:
        lifted = {**retimed.translations, "Hips": retimed.translations["Hips"] + [0, shift, 0]}
        return replace(retimed, translations=lifted).with_notes(
            Note(f"{kind} {shift:g}", code="lifted")
        )

    return Fix(kind, run)


@pytest.fixture(autouse=True, scope="module")
def _probe_is_known() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, "probe", Method("probe", "", "Probe", __name__, "probe"))
        yield


# ---- strategies


def bump(domain: tuple[float, float], size: float = 0.6, phase: float = 0.0) -> PoseLayer:
    """Make a smooth layer that vanishes at the ends of a domain."""
    a, b = domain
    t = np.linspace(a, b, 33)
    hump = np.sin((t - a) / (b - a) * np.pi)[:, None]
    wave = size * hump * np.sin(3 * t[:, None] + phase + np.arange(3))
    return PoseLayer(
        t,
        {"Hips": wave, "Hand": -0.5 * wave},
        {"Hips": 0.2 * wave, "Hand": 0.1 * wave},
        {"Arm": 0.1 * wave},
    )


@st.composite
def recipes(draw: DrawFn, steps: int = 3, *, poses: bool = True) -> list[Step]:
    """Draw whole-clip warps one after the other, with changes of pose between them."""
    domain, out = SOURCE.domain, []
    for _ in range(steps):
        if poses:
            layer = bump(domain, phase=draw(st.integers(0, 6)))
            out.append(Step("pose", {"layer": layer}, weight=draw(INNER_WEIGHTS)))
        warp = draw(whole_warps(domain))
        out.append(Step("warp", {"warp": warp}))
        domain = warp.domain
    return out


def warp_step(warp: TimeWarp, **options: Any) -> Step:
    return Step("warp", {"warp": warp}, **options)


HALF_SPEED = TimeWarp([START, START + 4.0], [START, END])


# ---- one resampling


@given(recipes(poses=False))
def test_three_steps_equal_one_resampling_by_their_composition(steps: list[Step]) -> None:
    first, second, third = (s.parameters.warp for s in steps)
    whole = first @ second @ third
    a, b = whole.domain
    t = np.linspace(a, b, 97)
    out = Recipe(steps).evaluate(SOURCE, times=t)
    assert distance(out, values_at(SOURCE, lambda c: whole(t, c))) < 1e-9
    assert distance(out, apply(SOURCE, whole, times=t)) < 1e-9


@given(recipes(steps=2))
def test_the_warp_of_a_recipe_is_the_product_of_its_steps(steps: list[Step]) -> None:
    whole = Recipe(steps).warp(SOURCE)
    product = TimeWarp.identity(*SOURCE.domain)
    for step in steps:
        if step.method == "warp":
            product = product @ step.parameters.warp
    t = np.linspace(*product.domain, 97)
    assert whole.domain == product.domain
    for name in CHANNELS:
        close(whole(t, name), product(t, name))


def with_layer(motion: Motion, layer: PoseLayer, weight: float) -> Motion:
    """Add a layer to a motion's own frames."""

    def at(values: FloatArray) -> FloatArray:
        return weight * np.stack(
            [np.interp(motion.times, layer.times, v, left=0, right=0) for v in values.T], axis=1
        )

    rotations = motion.rotations.copy()
    for name, vectors in layer.rotations.items():
        j = motion.skeleton.index(name)
        rotations[:, j] = quat.multiply(quat.exp(at(vectors)), rotations[:, j])
    moved = {n: motion.translations[n] + at(v) for n, v in layer.translations.items()}
    scaled = {n: motion.scales[n] * np.exp(at(v)) for n, v in layer.scales.items()}
    return replace(
        motion,
        rotations=rotations,
        translations={**motion.translations, **moved},
        scales={**motion.scales, **scaled},
    )


def naive(motion: Motion, steps: Sequence[Step], fps: float) -> Motion:
    """Resample after every step, as the model must never do."""
    for step in steps:
        if step.method == "pose":
            motion = with_layer(motion, step.parameters.layer, step.weight)
        else:
            warp = step.parameters.warp
            a, b = warp.domain
            n = max(round((b - a) * fps), 1)
            t = np.linspace(a, b, n + 1)
            resampled = values_at(motion, lambda c, w=warp, t=t: w(t, c))  # type: ignore[misc]
            motion = replace(resampled, start=a, fps=n / (b - a))
    return motion


@given(recipes(steps=2))
def test_pose_edits_between_warps_are_what_sampling_after_every_step_tends_to(
    steps: list[Step],
) -> None:
    # What is left is the sampling error at the corners of warps and layers: of first order.
    for fps in (60, 480):
        slow = naive(SOURCE, steps, fps)
        assert distance(Recipe(steps).evaluate(SOURCE, times=slow.times), slow) < 6 / fps


def test_a_pose_edit_is_keyed_in_the_input_time_of_its_step() -> None:
    keys = PoseLayer(
        np.array([1.5, 2.0, 2.5]),
        translations={"Hips": np.array([[0, 0, 0], [0, 1.0, 0], [0, 0, 0]])},
    )
    edit = Step("pose", {"layer": keys})
    slow = warp_step(HALF_SPEED)
    plain = Recipe([slow]).evaluate(SOURCE)

    def peak(steps: list[Step]) -> float:
        lifted = Recipe(steps).evaluate(SOURCE)
        rise = (lifted.root_translation - plain.root_translation)[:, 1]
        assert rise.max() == pytest.approx(1.0)
        return float(lifted.times[rise.argmax()])

    assert peak([slow, edit]) == pytest.approx(2.0)
    assert peak([edit, slow]) == pytest.approx(START + 2 * (2.0 - START))


def test_the_layer_of_a_step_precedes_its_warp() -> None:
    both = Edit(HALF_SPEED, bump(SOURCE.domain))
    apart = [Edit(layer=bump(SOURCE.domain)), Edit(HALF_SPEED)]
    assert distance(apply_edits(SOURCE, [both]), apply_edits(SOURCE, apart)) < 1e-12


@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_the_correction_of_a_step_follows_its_warp_and_later_steps_see_it(weight: float) -> None:
    made = HALF_SPEED.domain
    both = Edit(HALF_SPEED, correction=bump(made))
    apart = [Edit(HALF_SPEED), Edit(layer=bump(made))]
    assert distance(apply_edits(SOURCE, [both]), apply_edits(SOURCE, apart)) < 1e-12
    later = TimeWarp([made[0], made[0] + 1.0], [made[0], made[1]])
    one, two = (apply_edits(SOURCE, [*e, Edit(later)]) for e in ([both], apart))
    assert distance(one, two) < 1e-12
    eased = apply_edits(SOURCE, [Edit(correction=bump(SOURCE.domain), weight=weight)])
    assert distance(eased, with_layer(SOURCE, bump(SOURCE.domain), weight)) < 1e-9


def test_a_correction_is_the_difference_of_two_motions() -> None:
    assert correction_between(SOURCE, SOURCE) is None
    turned = with_layer(SOURCE, bump(SOURCE.domain), 1.0)
    turned = replace(turned, scales=SOURCE.scales)
    layer = correction_between(SOURCE, turned)
    assert layer is not None
    assert distance(apply_edits(SOURCE, [Edit(correction=layer)]), turned) < 1e-9


# ---- mute and weight


@given(recipes(steps=2), st.integers(0, 3))
def test_mute_equals_removal(steps: list[Step], k: int) -> None:
    gone = Recipe(steps[:k] + steps[k + 1 :])
    muted = Recipe([*steps[:k], replace(steps[k], mute=True), *steps[k + 1 :]])
    assert muted.warp(SOURCE) == gone.warp(SOURCE)
    assert distance(muted.evaluate(SOURCE), gone.evaluate(SOURCE)) == 0


def test_later_steps_are_solved_again_when_one_is_muted() -> None:
    # The spline's duration is that of its input, unless it is told another.
    slow, spline = warp_step(HALF_SPEED), Step("spline", {"keytimes": [(1.0, 1.25)]})
    assert Recipe([slow, spline]).evaluate(SOURCE).duration == pytest.approx(4.0)
    muted = Recipe([replace(slow, mute=True), spline])
    assert muted.evaluate(SOURCE).duration == pytest.approx(2.0)


@given(recipes(steps=1), st.integers(0, 1))
def test_weight_0_changes_nothing(steps: list[Step], k: int) -> None:
    idle = Recipe([replace(steps[k], weight=0.0)])
    assert distance(idle.evaluate(SOURCE), SOURCE) < 1e-12


def test_an_empty_recipe_returns_the_motion() -> None:
    assert distance(Recipe().evaluate(SOURCE), SOURCE) == 0


@given(whole_warps(SOURCE.domain), WEIGHTS)
def test_weight_blends_with_the_identity(warp: TimeWarp, weight: float) -> None:
    weighted = Recipe([warp_step(warp, weight=weight)]).warp(SOURCE)
    assert weighted == TimeWarp.identity(START, END).blend(warp, weight)
    close(weighted.duration, (1 - weight) * (END - START) + weight * warp.duration)
    assert weighted.domain[0] == START


@given(WEIGHTS)
def test_weight_scales_changes_of_pose(weight: float) -> None:
    layer = bump(SOURCE.domain, size=2.5)
    out = Recipe([Step("pose", {"layer": layer}, weight=weight)]).evaluate(SOURCE)
    assert distance(out, with_layer(SOURCE, layer, weight)) < 1e-9


def test_half_of_an_edit_past_half_a_turn_is_half_the_turn() -> None:
    turn = 1.5 * np.pi
    vectors = np.tile([0.0, 0.0, turn], (2, 1))
    layer = PoseLayer(np.array([START, END]), {"Hand": vectors})
    out = Recipe([Step("pose", {"layer": layer}, weight=0.5)]).evaluate(SOURCE)
    half = quat.from_axis_angle([0, 0, 1], turn / 2)
    close(quat.angle(out.rotations[:, 2], quat.multiply(half, SOURCE.rotations[:, 2])), 0)


# ---- what a step sees


@given(st.integers(400, 3000).map(lambda k: k / 1000), st.sampled_from([0.25, 0.5, 1.0]))
@example(1.907, 0.5)
def test_a_step_sees_its_input_up_to_the_exact_end(duration: float, weight: float) -> None:
    SEEN.clear()
    faster = warp_step(TimeWarp([START, START + duration], [START, END]), weight=weight)
    Recipe([faster, Step("probe")]).solve(SOURCE)
    (seen,) = SEEN
    start, end = Recipe([faster]).warp(SOURCE).domain
    close(seen.domain, (start, end), 1e-9)
    # Its last pose is the source's last, whatever the frame grid.
    close(quat.angle(seen.rotations[-1], SOURCE.rotations[-1]), 0, 1e-9)


def test_a_step_sees_pose_edits_but_no_fixes() -> None:
    SEEN.clear()
    layer = bump(SOURCE.domain)
    pose, fix = Step("pose", {"layer": layer}), Step("probe", {"shift": 1.0})
    Recipe([pose, fix, Step("probe")]).solve(SOURCE)
    for seen in SEEN:
        assert distance(seen, with_layer(SOURCE, layer, 1.0)) < 1e-12
    assert len(SEEN) == 2


# ---- ranges


@given(WEIGHTS, st.booleans())
def test_a_step_on_a_range_keeps_what_is_outside(weight: float, ripple: bool) -> None:
    a, b = 1.0, 1.75
    duration = 1.2 if ripple else 0.75
    spline = {"range": (a, b), "ripple": ripple, "duration": duration, "keytimes": [(1.3, 1.5)]}
    times = np.array([a, 1.3, b])
    swing = PoseLayer(times, {"Hand": np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 0]])})
    steps = [Step("pose", {"layer": swing}), Step("spline", spline, weight=weight)]
    moved = weight * (duration - (b - a))
    for t, source in (
        (np.linspace(START, a, 31), np.linspace(START, a, 31)),
        (np.linspace(b, END, 31) + moved, np.linspace(b, END, 31)),
    ):
        out = Recipe(steps).evaluate(SOURCE, times=t)
        assert distance(out, apply(SOURCE, TimeWarp.identity(START, END), times=source)) < 1e-7


# ---- loops


def shifted(by: float) -> TimeWarp:
    return TimeWarp([START, END], [START - by, END - by], loop=True)


@given(st.integers(-300, 300).map(lambda k: k / 100))
def test_a_shifted_cycle_goes_round_and_walks_on(by: float) -> None:
    out = Recipe([warp_step(shifted(by))]).evaluate(SOURCE)
    # The sample walks on without end, so that its formula is the truth on every turn.
    assert distance(out, smooth_motion(SOURCE.times - by, fps=120.0)) < 1e-3


@pytest.mark.parametrize("order", [1, -1])
def test_a_change_of_pose_beside_a_loop_leaves_it_a_loop(order: int) -> None:
    loop = warp_step(shifted(0.5))
    nothing = Step("pose", {"layer": bump(SOURCE.domain, size=0.0)})
    both = Recipe([loop, nothing][::order]).evaluate(SOURCE)
    assert distance(both, Recipe([loop]).evaluate(SOURCE)) < 1e-9


def test_a_change_of_pose_before_a_loop_goes_round_with_it() -> None:
    layer = bump(SOURCE.domain)
    out = Recipe([Step("pose", {"layer": layer}), warp_step(shifted(0.5))]).evaluate(SOURCE)
    assert distance(out, apply(with_layer(SOURCE, layer, 1.0), shifted(0.5))) < 1e-3


def test_a_plain_warp_after_a_loop_leaves_it_a_loop() -> None:
    slower = warp_step(HALF_SPEED)
    out = Recipe([warp_step(shifted(0.5)), slower]).evaluate(SOURCE)
    truth = smooth_motion(HALF_SPEED(out.times) - 0.5, fps=120.0)
    assert distance(out, truth) < 1e-3


# ---- fixes


def fix_notes(motion: Motion) -> list[str]:
    return [n for n in motion.notes if n.split(" ")[0] in {k.split(" ")[0] for k in FIX_ORDER}]


@given(st.permutations(FIX_ORDER))
def test_fixes_run_once_in_their_own_order(kinds: list[FixKind]) -> None:
    steps = [Step("probe", {"kind": kind, "shift": 0.125}) for kind in kinds]
    out = Recipe([*steps, warp_step(HALF_SPEED)]).evaluate(SOURCE)
    assert fix_notes(out) == [f"{kind} 0.125" for kind in FIX_ORDER]
    plain = Recipe([warp_step(HALF_SPEED)]).evaluate(SOURCE)
    close((out.root_translation - plain.root_translation)[:, 1], 0.125 * len(FIX_ORDER))


def test_the_last_step_that_is_not_muted_wins() -> None:
    steps = [
        Step("probe", {"kind": "contact IK", "shift": 1.0}),
        Step("probe", {"kind": "contact IK", "shift": 2.0}),
        Step("probe", {"kind": "contact IK", "shift": 4.0}, mute=True),
    ]
    assert fix_notes(Recipe(steps).evaluate(SOURCE)) == ["contact IK 2"]


@given(WEIGHTS)
def test_weight_scales_what_a_fix_moves(weight: float) -> None:
    out = Recipe([Step("probe", {"shift": 2.0}, weight=weight)]).evaluate(SOURCE)
    close(out.root_translation, SOURCE.root_translation + np.array([0, 2 * weight, 0]))
    close(quat.angle(out.rotations, SOURCE.rotations), 0)


def test_weight_scales_what_a_fix_turns() -> None:
    third = quat.from_axis_angle([1, 0, 0], 0.9)

    def run(retimed: Motion, context: FixContext) -> Motion:
        return replace(retimed, rotations=quat.multiply(third, retimed.rotations))

    out = apply_edits(SOURCE, [Edit(fixes=(Fix("cartoon", run),), weight=1 / 3)])
    close(quat.angle(out.rotations, SOURCE.rotations), 0.3)


def test_a_fix_gets_the_source_and_the_total_warp() -> None:
    got: list[FixContext] = []

    def run(retimed: Motion, context: FixContext) -> Motion:
        got.append(context)
        return retimed

    edits = [Edit(HALF_SPEED), Edit(fixes=(Fix("smoothing", run),)), Edit(HALF_SPEED.inverse)]
    apply_edits(SOURCE, edits)
    (context,) = got
    assert context.source is SOURCE
    assert context.warp == total_warp(SOURCE, edits)


@given(recipes(steps=2, poses=False))
def test_contacts_of_a_step_replace_those_before_and_are_carried_on(steps: list[Step]) -> None:
    got: list[FixContext] = []

    def run(retimed: Motion, context: FixContext) -> Motion:
        got.append(context)
        return retimed

    first, second = (s.parameters.warp for s in steps)
    early, late = Contact("Hand", 1.0, 1.4), Contact("Hand", START + 0.1, START + 0.3)
    edits = [
        Edit(first, contacts=(early,)),
        Edit(contacts=(late,), fixes=(Fix("contact IK", run),)),
        Edit(second),
    ]
    apply_edits(SOURCE, edits)
    apply_edits(SOURCE, [edits[0], replace(edits[1], contacts=None), edits[2]])
    for context, contact, warp in zip(got, (late, early), (second, first @ second), strict=True):
        (carried,) = context.contacts or ()
        assert carried.joint == "Hand"
        wanted = [contact.start, contact.end]
        close(warp(np.array([carried.start, carried.end]), "Hand"), wanted, 1e-8)


# ---- files


@st.composite
def any_steps(draw: DrawFn) -> Step:
    options: dict[str, Any] = {
        "weight": draw(WEIGHTS),
        "mute": draw(st.booleans()),
        "label": draw(st.text(max_size=8)),
    }
    kind = draw(st.sampled_from(["spline", "warp", "pose"]))
    if kind == "warp":
        values: dict[str, Any] = {"warp": draw(whole_warps(SOURCE.domain))}
    elif kind == "pose":
        values = {"layer": bump(SOURCE.domain, phase=draw(st.floats(0, 6)))}
    else:
        values = {
            "duration": draw(st.none() | st.floats(0.1, 10)),
            "keytimes": tuple(draw(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9))))),
            "range": draw(st.none() | st.just((0.1, 0.7))),
            "ripple": draw(st.booleans()),
            "loop": draw(st.booleans()),
        }
    return Step(kind, values, **options)


def plain(value: Any) -> Any:
    """Bring parameters to what == can compare."""
    if isinstance(value, PoseLayer):
        kinds = (value.rotations, value.translations, value.scales)
        return value.times.tolist(), [{n: v.tolist() for n, v in k.items()} for k in kinds]
    return value


@given(st.lists(any_steps(), max_size=3), st.none() | st.just({"name": "a.bvh", "sha256": "ff"}))
def test_a_recipe_survives_its_file(steps: list[Step], made_for: dict[str, str] | None) -> None:
    back = from_document(json.loads(dumps(to_document(Recipe(steps, made_for)))))
    assert back.input == made_for
    assert len(back.steps) == len(steps)
    for one, other in zip(steps, back.steps, strict=True):
        for name in ("method", "weight", "mute", "label"):
            assert getattr(one, name) == getattr(other, name)
        assert {k: plain(v) for k, v in vars(one.parameters).items()} == {
            k: plain(v) for k, v in vars(other.parameters).items()
        }


# ---- errors


def open_clip() -> Motion:
    return smooth_motion(np.arange(31) / 30)


FAR = PoseLayer(np.array([50.0, 51.0]), translations={"Hips": np.ones((2, 3))})


@pytest.mark.parametrize(
    "step",
    [
        Step("spline", {"keytimes": [(9.0, 9.0)]}),
        Step("spline", {"range": (0.5, 7.0)}),
        Step("spline", {"duration": -1.0}),
        Step("warp", {"warp": TimeWarp([0, 1], [50, 51])}),
        Step("warp", {"warp": TimeWarp([0, 1], [1, 0])}, weight=0.5),
        Step("warp", {"warp": TimeWarp(channels={"Tail": ([0, 1], [0, 1])})}),
        Step("pose", {"layer": PoseLayer(np.array([0.5]), {"Tail": np.zeros((1, 3))})}),
        Step("pose", {"layer": FAR}),
    ],
    ids=[
        "keytime outside",
        "range outside",
        "duration",
        "warp outside",
        "half a reversal",
        "other joints",
        "unknown joint",
        "layer outside",
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_an_error_names_its_step(step: Step, more: int) -> None:
    before = Step("spline", {"keytimes": [(0.5, 0.4)]})
    after = [Step("spline")] * more
    muted = replace(before, mute=True)
    with pytest.raises(InputError, match=rf"^step 3 \({step.method}\): "):
        Recipe([before, muted, step, *after]).evaluate(open_clip())


@pytest.mark.parametrize("more", [0, 1])
def test_a_loop_of_a_clip_that_is_no_cycle_is_refused_by_its_own_step(more: int) -> None:
    around = Step("spline", {"loop": True})
    with pytest.raises(InputError, match=r"^step 1 \(spline\): .*not a cycle"):
        Recipe([around] * (1 + more)).evaluate(open_clip())


def test_muting_may_push_a_later_step_out_of_its_input() -> None:
    slow = Step("spline", {"duration": 4.0})
    key = Step("spline", {"keytimes": [(3.0, 3.2)]})
    assert Recipe([slow, key]).evaluate(open_clip()).duration == pytest.approx(4.0)
    with pytest.raises(InputError, match=r"^step 2 \(spline\)"):
        Recipe([replace(slow, mute=True), key]).evaluate(open_clip())


def test_contacts_of_a_cycle_are_carried_on_every_turn() -> None:
    """Two turns show each contact twice; a trim after a loop shows what is left of one."""
    seen: list[tuple[Contact, ...]] = []
    hips = Contact("Hips", START + 0.2, START + 0.4)
    length = END - START

    def look(retimed: Motion, context: FixContext) -> Motion:
        seen.append(context.carry((hips,)))
        return retimed

    twice = TimeWarp([START, START + 2 * length], [START, START + 2 * length], loop=True)
    trim = TimeWarp([START, START + 0.5], [START, START + 0.5])
    fix = Edit(fixes=(Fix("smoothing", look),))
    apply_edits(SOURCE, [Edit(warp=twice), fix])
    apply_edits(SOURCE, [Edit(warp=twice), Edit(warp=trim), fix])
    starts = [[round(c.start - START, 6) for c in contacts] for contacts in seen]
    assert starts == [[0.2, round(0.2 + length, 6)], [0.2]]
