"""Laws of time warps: what must hold for every graph, with holds, cuts and both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import (
    CHANNELS,
    INNER_WEIGHTS,
    SIXTEENTHS,
    UNNAMED,
    WEIGHTS,
    FloatArray,
    close,
    cut_times,
    gaps,
    graphs,
    off,
    spread,
    warps,
)

from retime import InputError, TimeWarp
from retime.timing.graph import Graph

EVERYONE = (*CHANNELS, UNNAMED, None)
HOLD = TimeWarp([0, 1, 2, 3], [0, 1, 1, 2])
CUT = TimeWarp([0, 1, 1, 2], [0, 1, 2, 3])


def body(g: Graph, *, loop: bool = False) -> TimeWarp:
    return TimeWarp(g.x, g.y, loop=loop)


def times_of(w: TimeWarp, *more: TimeWarp) -> FloatArray:
    return spread(*(g for v in (w, *more) for g in (v.body, *v.channels.values())))


def same(a: TimeWarp, b: TimeWarp, t: FloatArray, within: float = 1e-9) -> None:
    """Compare on every channel, away from the instants of cuts."""
    for name in EVERYONE:
        cuts = np.r_[cut_times(a.channel(name)), cut_times(b.channel(name))]
        close(a(off(t, cuts), name), b(off(t, cuts), name), within)


# ---- evaluation


@given(graphs(cuts=True))
def test_evaluation_is_linear_between_knots_and_holds_beyond(g: Graph) -> None:
    w = body(g)
    for (x0, y0), (x1, y1) in zip(
        zip(g.x[:-1], g.y[:-1], strict=True), zip(g.x[1:], g.y[1:], strict=True), strict=True
    ):
        if x1 > x0:
            close(w((x0 + x1) / 2), (y0 + y1) / 2)
    assert w(g.x[0] - 1) == g.y[0]
    assert w(g.x[-1] + 1) == g.y[-1]


@given(graphs(cuts=True))
def test_knots_are_met_exactly_and_a_cut_shows_what_was_before_it(g: Graph) -> None:
    for x in np.unique(g.x):
        assert body(g)(x) == g.y[g.x == x][0]


# ---- composition


@given(warps(), warps())
def test_composition_is_exact_channel_by_channel(f: TimeWarp, g: TimeWarp) -> None:
    h = f @ g
    t = times_of(g, h)
    for name in EVERYONE:
        close(h(t, name), f(g(t, name), name))


@given(warps(cuts=True), warps(cuts=True))
def test_composition_with_cuts_is_exact_away_from_their_instants(f: TimeWarp, g: TimeWarp) -> None:
    h = f @ g
    for name in EVERYONE:
        t = off(times_of(g, h), cut_times(h.channel(name)))
        # Rounding of g decides the side of a cut of f that it touches.
        t = t[np.isin(g(t, name), off(g(t, name), cut_times(f.channel(name))))]
        close(h(t, name), f(g(t, name), name))


@given(graphs(cuts=True, direction=1), graphs(cuts=True, direction=1))
def test_forward_composition_with_cuts_is_exact_at_knots_too(f: Graph, g: Graph) -> None:
    # Sixteenths are exact, so that no rounding blurs which side of a cut a knot is on.
    np.testing.assert_array_equal((body(f) @ body(g))(g.x), f.at(g.at(g.x)))


@given(warps(cuts=True), warps(cuts=True))
def test_a_composition_has_the_inner_domain(f: TimeWarp, g: TimeWarp) -> None:
    assert (f @ g).domain == g.domain


@given(warps(), warps(), warps())
def test_composition_is_associative(f: TimeWarp, g: TimeWarp, h: TimeWarp) -> None:
    left, right = (f @ g) @ h, f @ (g @ h)
    same(left, right, times_of(h, left, right))


def test_composing_single_knots() -> None:
    point, line = TimeWarp([1.0], [0.25]), TimeWarp([0, 1], [0, 2])
    assert (line @ point)(5.0) == 0.5
    assert (point @ line)(0.5) == 0.25
    assert (point @ line).domain == (0.0, 1.0)


# ---- identity


@given(warps(cuts=True))
def test_identity_is_neutral_on_both_sides(f: TimeWarp) -> None:
    t = times_of(f)
    inside = t[(t >= f.domain[0]) & (t <= f.domain[1])]
    same(f @ TimeWarp.identity(*f.domain), f, inside)
    same(TimeWarp.identity(*f.source_range) @ f, f, t)


def test_identity_clamps_beyond_its_domain() -> None:
    f, one = TimeWarp([0, 2], [0, 4]), TimeWarp.identity(0, 1)
    assert (f @ one).duration == 1
    assert (one @ f)(2.0) == 1


@given(warps())
def test_a_channel_that_is_not_named_follows_the_body(f: TimeWarp) -> None:
    t = times_of(f)
    np.testing.assert_array_equal(f(t, UNNAMED), f(t))


@given(st.lists(graphs(), min_size=1, max_size=3))
def test_with_channels_only_the_others_are_identity_over_the_domain(curves: list[Graph]) -> None:
    w = TimeWarp(channels=dict(zip(CHANNELS, curves, strict=False)))
    t = np.linspace(*w.domain, 9)
    close(w(t, UNNAMED), t, 1e-12)


# ---- inverse


@given(warps(cuts=True))
@example(HOLD)
@example(CUT)
def test_inverse_is_an_exact_involution(f: TimeWarp) -> None:
    assert f.inverse.inverse == f


@given(warps(cuts=True))
def test_inverse_swaps_domain_and_source_range(f: TimeWarp) -> None:
    assert f.inverse.domain == f.source_range
    assert f.inverse.source_range == f.domain


@given(graphs())
def test_after_its_inverse_a_warp_without_cuts_is_identity_on_its_range(g: Graph) -> None:
    f = body(g)
    s = np.linspace(*f.source_range, 31)
    close((f @ f.inverse)(s), s)
    close(f(f.inverse(s)), s)


@given(graphs(cuts=True, holds=False))
def test_before_its_inverse_a_warp_without_holds_is_identity(g: Graph) -> None:
    f = body(g)
    t = np.linspace(*f.domain, 31)
    close((f.inverse @ f)(off(t, cut_times(g))), off(t, cut_times(g)))


@given(graphs(direction=1, cuts=True))
def test_the_inverse_of_an_increasing_hold_is_its_start(g: Graph) -> None:
    for y in np.unique(g.y):
        assert body(g).inverse(y) == g.x[g.y == y][0]


def onto(f: Graph, g: Graph) -> Graph:
    """Bring g's source times into f's domain."""
    share = (g.y - g.y.min()) / np.ptp(g.y)
    return Graph(g.x, np.clip(f.x[0] + share * (f.x[-1] - f.x[0]), f.x[0], f.x[-1]))


@given(graphs(holds=False), graphs(holds=False))
def test_the_inverse_of_a_product_is_the_product_of_inverses(f: Graph, g: Graph) -> None:
    # Beyond f's knots the product is flat, and has no inverse.
    g = onto(f, g)
    left, right = (body(f) @ body(g)).inverse, body(g).inverse @ body(f).inverse
    close(left(left.output), right(left.output), 1e-8)
    s = np.linspace(*left.domain, 31)
    close(left(s), right(s), 1e-8)


# ---- blend


def padded_times(w: TimeWarp, name: str | None) -> Graph:
    """Output time by source time, of a channel padded to its warp's domain."""
    return w.channel(name).pad(*w.domain).swap()


@given(warps(direction=1, cuts=True), warps(direction=1, cuts=True), INNER_WEIGHTS)
def test_blend_mixes_output_times_at_equal_source_time(
    a: TimeWarp, b: TimeWarp, weight: float
) -> None:
    mixed = a.blend(b, weight)
    for name in EVERYONE:
        of_a, of_b = padded_times(a, name), padded_times(b, name)
        s = np.linspace(min(of_a.x[0], of_b.x[0]), max(of_a.x[-1], of_b.x[-1]), 29)
        s = off(s, np.r_[cut_times(of_a), cut_times(of_b)])
        wanted = (1 - weight) * of_a.at(s) + weight * of_b.at(s)
        close(padded_times(mixed, name).at(s), wanted, 1e-8)


@given(warps(direction=1, cuts=True), warps(direction=1, cuts=True), WEIGHTS)
def test_blended_durations_mix(a: TimeWarp, b: TimeWarp, weight: float) -> None:
    mixed = a.blend(b, weight)
    close(mixed.duration, (1 - weight) * a.duration + weight * b.duration)
    close(mixed.domain, (1 - weight) * np.array(a.domain) + weight * np.array(b.domain))


def test_channels_are_padded_to_the_domain_before_they_blend() -> None:
    short, long = ([0, 1], [0, 1]), ([0, 2], [0, 1])
    a = TimeWarp(channels={"Arm": short, "Hand": long})
    b = TimeWarp(channels={"Arm": long, "Hand": short})
    assert a.blend(b, 0.5).duration == 2


@given(warps(direction=-1), warps(direction=-1), WEIGHTS)
def test_backward_warps_blend_backwards(a: TimeWarp, b: TimeWarp, weight: float) -> None:
    mixed = a.blend(b, weight)
    for name in EVERYONE:
        if not (a.channel(name).direction or b.channel(name).direction):
            continue  # two holds have no direction to keep
        assert (np.diff(mixed.channel(name).y) <= 0).all()
    close(mixed.duration, (1 - weight) * a.duration + weight * b.duration)


@given(graphs(direction=1, cuts=True), graphs(direction=1, cuts=True), INNER_WEIGHTS)
def test_blend_keeps_order_and_shows_all_that_either_shows(
    a: Graph, b: Graph, weight: float
) -> None:
    mixed = body(a).blend(body(b), weight)
    assert (np.diff(mixed.source) >= 0).all()
    assert mixed.source_range == (min(a.y[0], b.y[0]), max(a.y[-1], b.y[-1]))


@given(
    st.tuples(*[graphs(direction=1, holds=False, start=0.0, source=0.0)] * 4),
    INNER_WEIGHTS,
    gaps(1),
    gaps(1),
)
def test_blend_keeps_common_points(
    parts: tuple[Graph, Graph, Graph, Graph], weight: float, x: float, y: float
) -> None:
    def through(g: Graph, after: Graph) -> TimeWarp:
        return TimeWarp(
            np.r_[g.x[:-1] * (x / g.x[-1]), x, x + after.x[1:]],
            np.r_[g.y[:-1] * (y / g.y[-1]), y, y + after.y[1:]],
        )

    a, b = through(*parts[:2]), through(*parts[2:])
    close(a.blend(b, weight).inverse(y), x)


@given(warps(cuts=True), warps(cuts=True))
def test_weights_0_and_1_return_the_operand(a: TimeWarp, b: TimeWarp) -> None:
    assert a.blend(b, 0.0) == a
    assert a.blend(b, 1.0) == b


@given(graphs(direction=1, holds=False), graphs(direction=-1, holds=False), INNER_WEIGHTS)
def test_opposite_directions_do_not_blend(a: Graph, b: Graph, weight: float) -> None:
    with pytest.raises(InputError, match="opposite directions"):
        body(a).blend(body(b), weight)
    with pytest.raises(InputError, match="opposite directions"):
        TimeWarp(channels={"Arm": b}).blend(TimeWarp(channels={"Arm": a}), weight)


@given(warps(direction=1), warps(direction=1), INNER_WEIGHTS)
def test_blend_is_symmetric(a: TimeWarp, b: TimeWarp, weight: float) -> None:
    left, right = a.blend(b, weight), b.blend(a, 1 - weight)
    t = np.linspace(*left.domain, 31)
    for name in EVERYONE:
        cuts = [g.x[:-1][np.diff(g.x) < 1e-6] for g in (left.channel(name), right.channel(name))]
        t = off(t, np.concatenate(cuts), 1e-5)
        close(left(t, name), right(t, name), 1e-6)


# ---- reverse


@given(warps())
def test_reverse_plays_the_same_domain_backwards(f: TimeWarp) -> None:
    a, b = f.domain
    t = np.linspace(a, b, 41)
    backwards = f.reverse()
    assert backwards.domain == f.domain
    for name in EVERYONE:
        close(backwards(t, name), f(a + b - t, name))
    same(backwards, f @ TimeWarp([a, b], [b, a]), t)


@given(warps(cuts=True))
def test_reverse_is_an_involution(f: TimeWarp) -> None:
    assert f.reverse().reverse() == f


# ---- rate and acceleration


@given(graphs())
def test_rate_is_right_sided_and_left_sided_at_the_last_knot(g: Graph) -> None:
    slopes = np.diff(g.y) / np.diff(g.x)
    close(body(g).rate(g.x), np.r_[slopes, slopes[-1]])
    close(body(g).rate((g.x[:-1] + g.x[1:]) / 2), slopes)


@given(graphs(cuts=True))
def test_rate_is_0_outside(g: Graph) -> None:
    assert body(g).rate(g.x[0] - 0.5) == 0
    assert body(g).rate(g.x[-1] + 0.5) == 0


def test_rate_looks_past_a_cut() -> None:
    w = TimeWarp([0, 1, 1, 2], [0, 1, 5, 8])
    close(w.rate([0.5, 1.0, 1.5, 2.0]), [1, 3, 3, 3])


@given(graphs(direction=1), graphs(direction=1))
def test_rates_multiply(f: Graph, g: Graph) -> None:
    h = body(f) @ body(g)
    t = (h.output[:-1] + h.output[1:]) / 2
    t = t[np.diff(h.output) > 1e-6]
    inside = (g.at(t) > f.x[0]) & (g.at(t) < f.x[-1])
    close(h.rate(t[inside]), body(f).rate(g.at(t[inside])) * body(g).rate(t[inside]), 1e-7)


@given(SIXTEENTHS, gaps(1), SIXTEENTHS)
def test_a_straight_warp_has_no_acceleration_not_even_at_its_ends(
    start: float, duration: float, slope: float
) -> None:
    w = TimeWarp([start, start + duration], [0, slope * duration])
    close(w.acceleration(np.linspace(start, start + duration, 61)), 0, 1e-7)


@pytest.mark.parametrize("window", [1 / 30, 0.2])
def test_acceleration_of_a_parabola(window: float) -> None:
    x = np.linspace(0, 2, 2001)
    w = TimeWarp(x, 1.5 * x**2)
    # The window slides inside at the ends, where a parabola bends just as much.
    close(w.acceleration(np.linspace(0, 2, 9), window), 3.0, 0.02)


def test_acceleration_is_the_second_difference_over_the_window() -> None:
    w = TimeWarp([0, 1, 2], [0, 1, 3])
    h = 0.1
    close(w.acceleration(1.0, window=2 * h), (w(1 + h) - 2 * w(1.0) + w(1 - h)) / h**2)
    close(w.acceleration(0.0, window=2 * h), 0, 1e-9)
    assert TimeWarp([0], [0]).acceleration(0.0) == 0


# ---- contacts


@given(warps(cuts=True), SIXTEENTHS, gaps(0), st.sampled_from(EVERYONE))
def test_preimage_is_all_output_times_that_show_the_interval(
    f: TimeWarp, start: float, length: float, name: str | None
) -> None:
    end = start + length
    shown = f.preimage(start, end, name)
    t = off(np.linspace(*f.domain, 97), f.channel(name).x)
    s = f(t, name)
    inside = (s > start + 1e-9) & (s < end - 1e-9)
    if shown is None:
        assert not inside.any()
        return
    a, b = shown
    assert f.domain[0] <= a < b <= f.domain[1]
    assert ((t[inside] >= a - 1e-9) & (t[inside] <= b + 1e-9)).all()
    within = s[(t > a + 1e-9) & (t < b - 1e-9)]
    assert ((within >= start - 1e-9) & (within <= end + 1e-9)).all()


def test_a_contact_that_ends_in_a_hold_lasts_through_it() -> None:
    assert HOLD.preimage(0.5, 1.0) == (0.5, 2.0)
    assert HOLD.reverse().preimage(0.5, 1.0) == (1.0, 2.5)


def test_a_contact_that_a_cut_skips_vanishes() -> None:
    assert CUT.preimage(1.25, 1.75) is None
    assert CUT.preimage(5.0, 6.0) is None


@given(graphs(holds=False), graphs(holds=False), SIXTEENTHS, gaps(1))
def test_contacts_carried_step_by_step_are_those_carried_at_once(
    f: Graph, g: Graph, start: float, length: float
) -> None:
    g = onto(f, g)
    at_once = (body(f) @ body(g)).preimage(start, start + length)
    first = body(f).preimage(start, start + length)
    by_step = None if first is None else body(g).preimage(*first)
    if at_once is None or by_step is None:
        # Rounding may leave a sliver on one way.
        for found in (at_once, by_step):
            assert found is None or found[1] - found[0] < 1e-9
    else:
        close(at_once, by_step, 1e-8)


# ---- ranges


@given(
    graphs(direction=1, start=0.0, source=0.0, cuts=True).filter(lambda g: g.y[-1] > 0),
    st.tuples(gaps(0), gaps(1), gaps(0)),
    st.booleans(),
    WEIGHTS,
)
def test_a_range_keeps_what_is_outside(
    g: Graph, lengths: tuple[float, float, float], ripple: bool, weight: float
) -> None:
    before, length, after = lengths
    first, a = 0.25, 0.25 + before
    b, last = a + length, a + length + after
    new = g.x[-1] if ripple else length
    inner = TimeWarp(
        np.r_[a + g.x[:-1] * (new / g.x[-1]), a + new],
        np.r_[a + g.y[:-1] * (length / g.y[-1]), b],
    )
    whole = inner.within((first, last), (a, b), ripple=ripple)
    weighted = TimeWarp.identity(first, last).blend(whole, weight)
    for w, took in ((whole, new), (weighted, (1 - weight) * length + weight * new)):
        close(w.domain, (first, last + took - length))
        t = np.linspace(first, a, 11)[:-1]
        close(w(t), t)
        if after:  # else the end may be a cut, and shows what was before it
            later = np.linspace(0, after, 11)[1:]
            close(w(a + took + later), b + later, 1e-8)
    t = off(np.linspace(a, a + new, 11)[1:-1], inner.output)
    close(whole(t), inner(t))


@given(warps(direction=1, start=1.0, holds=False), st.booleans())
def test_every_channel_meets_the_ends_of_the_range(w: TimeWarp, ripple: bool) -> None:
    def fitted(g: Graph) -> tuple[FloatArray, FloatArray]:
        x, y = (g.x - 1) / (g.x[-1] - 1), (g.y - g.y[0]) / (g.y[-1] - g.y[0])
        return 1 + x * (1.5 if ripple else 1.0), 1 + y

    inner = TimeWarp(*fitted(w.body), channels={n: fitted(g) for n, g in w.channels.items()})
    whole = inner.within((0, 3), (1, 2), ripple=ripple)
    for name in EVERYONE:
        close(whole([0.5, 1.0], name), [0.5, 1.0])
        close(whole(np.array([0.0, 0.5]) + inner.domain[1], name), [2.0, 2.5])


@pytest.mark.parametrize("nudge", [-1e-10, 1e-10])
@pytest.mark.parametrize("end", [0, 2])
def test_a_range_that_is_a_rounding_off_is_the_same_range(end: int, nudge: float) -> None:
    output = [1.0, 1.5, 2.0]
    output[end] += nudge
    w = TimeWarp(output, [1, 1.6, 2]).within((0, 3), (1, 2))
    close(w([0.5, 1.5, 2.5]), [0.5, 1.6, 2.5], 1e-8)


@pytest.mark.parametrize(
    ("warp", "range_", "sentence"),
    [
        (TimeWarp([1, 2], [2, 1]), (1, 2), "only a whole clip can run backwards"),
        (TimeWarp([1, 2.5], [1, 2]), (1, 2), "or shift what follows"),
        (TimeWarp([0, 1], [0, 1]), (1, 2), "starts at 0 s, its range at 1 s"),
        (TimeWarp([2, 4], [2, 4]), (2, 4), "not a part of the clip, 0 to 3 s"),
        (TimeWarp([2, 2], [2, 2]), (2, 2), "is empty"),
    ],
)
def test_ranges_that_are_refused(
    warp: TimeWarp, range_: tuple[float, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        warp.within((0, 3), range_)


def test_a_whole_clip_may_run_backwards() -> None:
    assert TimeWarp([0, 3], [3, 0]).within((0, 3), (0, 3))(1.0) == 2


# ---- loops


@given(graphs(direction=1, cuts=True).filter(lambda g: g.y[-1] > g.y[0]), st.integers(-3, 3))
def test_a_loop_repeats(g: Graph, turns: int) -> None:
    w = body(g, loop=True)
    period, gain = g.x[-1] - g.x[0], g.y[-1] - g.y[0]
    t = off(np.linspace(*w.domain, 17)[1:-1], g.x)
    close(w(t + turns * period), w(t) + turns * gain)


@given(graphs(direction=1, holds=False), graphs(direction=1, holds=False))
def test_looping_warps_compose_to_a_loop(f: Graph, g: Graph) -> None:
    # g shows one period of f, from any phase.
    period = f.x[-1] - f.x[0]
    g = Graph(g.x, g.y[0] + (g.y - g.y[0]) * (period / (g.y[-1] - g.y[0])))
    h = body(f, loop=True) @ body(g, loop=True)
    assert h.loop
    close(h.source[-1] - h.source[0], f.y[-1] - f.y[0], 1e-8)
    t = np.linspace(g.x[0] - 3, g.x[-1] + 3, 41)
    close(h(t), body(f, loop=True)(body(g, loop=True)(t)), 1e-7)


def test_a_shifted_cycle_is_not_clamped() -> None:
    shift, around = TimeWarp([0, 1], [-0.25, 0.75], loop=True), TimeWarp.identity(0, 1, loop=True)
    assert (around @ shift)(0.0) == -0.25
    assert (TimeWarp.identity(0, 1) @ shift)(0.0) == 0


def test_every_channel_of_a_loop_has_the_period_of_the_warp() -> None:
    # A channel that ends early holds to the end of the domain, and starts again with the others.
    w = TimeWarp([0, 1], [0, 1], channels={"Hand": ([0, 0.5], [0, 1])}, loop=True)
    close(w([0.25, 0.75, 1.25, 1.75], "Hand"), [0.5, 1.0, 1.5, 2.0])
