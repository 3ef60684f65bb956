"""Curves that people draw, against dense oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retime import BezierCurve, InputError, RetimeError, TimeWarp, fit_bezier, samples, spline
from retime.timing.curves import keytime_warp
from retime.timing.monotone import monotone_cubic

FloatArray = npt.NDArray[np.float64]


# ---- keytimes


@st.composite
def keytimes(draw: st.DrawFn) -> list[tuple[float, float]]:
    """Draw keys inside a source of 0.5 to 10.5 s that lasts 20 s, some of them very steep."""
    n = draw(st.integers(0, 5))
    share = st.floats(1e-4, 1)

    def rising() -> FloatArray:
        gaps: FloatArray = np.cumsum(draw(st.lists(share, min_size=n + 1, max_size=n + 1)))
        out: FloatArray = gaps[:-1] / gaps[-1]
        return out

    return [(0.5 + 20 * o, 0.5 + 10 * s) for o, s in zip(rising(), rising(), strict=True)]


@pytest.mark.parametrize(
    ("spans", "keys"),
    [
        ([(0.5, 1.0)], []),
        ([(0.0, 0.5), (2.9, 3.25)], []),
        ([(1.0, 1.5), (1.4, 1.8)], [(0.9, 1.2)]),
        ([(1.0, 1.5)], [(0.5, 0.7), (1.5, 1.9)]),
    ],
)
@pytest.mark.parametrize("loop", [False, True])
def test_locked_spans_play_at_their_recorded_speed(spans: Any, keys: Any, loop: bool) -> None:
    warp = spline(samples.jump(), duration=2.5, locked=spans, keytimes=keys, loop=loop).warp
    for a, b in spans:
        inside = warp.inverse(np.linspace(a, b, 20))
        np.testing.assert_allclose(np.diff(inside), (b - a) / 19, atol=1e-12)
    for output, source in keys:
        assert float(warp.inverse(source)) == pytest.approx(output, abs=1e-12)
    assert (np.diff(warp.source) > 0).all()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"locked": [(0.5, 3.0)]}, "does not fit between the keytimes around it"),
        ({"locked": [(0.5, 9.0)]}, "is not a part of the clip, 0 to 3.25 s"),
        ({"locked": [(1, 1.5)], "keytimes": [(0.5, 1.0), (0.9, 1.5)]}, "does not fit"),
        ({"locked": [(1, 2)], "keytimes": [(1, 1.2)], "rates": [(1.2, 0.5)]}, "is in the locked"),
    ],
)
def test_locked_spans_that_cannot_be_get_a_sentence(options: Any, sentence: str) -> None:
    with pytest.raises(RetimeError, match=sentence):
        spline(samples.jump(), duration=2.0, **options)


@given(keytimes(), st.booleans())
def test_keytimes_are_met_exactly_and_time_never_runs_back(
    keys: list[tuple[float, float]], loop: bool
) -> None:
    warp = keytime_warp((0.5, 10.5), duration=20.0, keytimes=keys, loop=loop)
    for output, source in keys:
        assert warp.body.at(output) == source
    assert warp.domain == (0.5, 20.5)
    assert warp.source_range == (0.5, 10.5)
    assert (np.diff(warp.source) >= 0).all()
    assert np.diff(warp.output).max() <= 1 / 120 + 1e-12
    assert warp.loop == loop


def test_without_keytimes_the_warp_is_straight() -> None:
    warp = keytime_warp((1, 3), duration=4.0)
    np.testing.assert_allclose(warp(warp.output), 1 + (warp.output - 1) / 2, atol=1e-12)
    assert keytime_warp((1, 3)).duration == 2


def test_the_order_of_keytimes_and_the_ends_do_not_matter() -> None:
    plain = keytime_warp((0, 2), duration=3.0, keytimes=[(1.0, 0.5), (2.0, 1.5)])
    ends = [(2.0, 1.5), (0.0, 0.0), (1.0, 0.5), (3.0, 2.0)]
    assert keytime_warp((0, 2), duration=3.0, keytimes=ends) == plain


@given(st.lists(st.tuples(st.floats(0.2, 1), st.floats(0.2, 1)), min_size=2, max_size=5))
def test_the_slope_of_a_loop_agrees_at_the_seam(gaps: list[tuple[float, float]]) -> None:
    x, y = np.r_[[(0.0, 0.0)], np.cumsum(gaps, axis=0)].T
    # A monotone cubic is smooth: one-sided slopes meet as the samples get finer.
    fine_x, fine_y = monotone_cubic(x, y, loop=True, spacing=1e-4)
    slopes = np.diff(fine_y) / np.diff(fine_x)
    assert abs(slopes[0] - slopes[-1]) < 0.02


def test_without_loop_the_seam_has_a_kink() -> None:
    x, y = np.array([(0, 0), (0.5, 0.8), (2, 2)]).T
    kink, seam = (
        abs(np.diff(values)[0] - np.diff(values)[-1]) * 1e4
        for _, values in (monotone_cubic(x, y, loop=loop, spacing=1e-4) for loop in (False, True))
    )
    assert kink > 0.5
    assert seam < 1e-2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"duration": 0.0}, "duration must be above 0, not 0 s"),
        ({"duration": -1.0}, "above 0,"),
        ({"duration": float("nan")}, "above 0,"),
        ({"keytimes": [(1.0, 2.5)]}, "keytime 1=2.5: 2.5 s is outside the source, 0 to 2 s"),
        ({"keytimes": [(3.0, 1.0)]}, "keytime 3=1: 3 s is outside the output, 0 to 2 s"),
        ({"keytimes": [(0.5, 1.0), (1.0, 0.5)]}, "keytime 1=0.5 .* does not come after 0.5=1"),
        ({"keytimes": [(0.5, 1.0), (0.5, 1.5)]}, "both times must rise"),
        ({"keytimes": [(-0.5, 1.0)]}, "keytime -0.5=1"),
        ({"keytimes": [(1.0, float("inf"))]}, "keytime 1=inf"),
        ({"duration": 1e6}, "too long for a spline"),
    ],
)
def test_bad_keytimes_get_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        keytime_warp((0, 2), **options)


def test_a_clip_of_no_length_has_no_spline() -> None:
    with pytest.raises(InputError, match="a single pose"):
        keytime_warp((1.0, 1.0))


@pytest.mark.parametrize("first", range(1, 30, 3))
@pytest.mark.parametrize("last", range(31, 60, 4))
def test_a_spline_on_any_range_of_frames(first: int, last: int) -> None:
    clip = samples.chain()
    a, b = first / 30, last / 30
    key = ((a + b) / 2, (2 * a + b) / 3)
    warp = spline(clip, range=(a, b), keytimes=[key]).warp
    assert warp(key[0]) == key[1]
    np.testing.assert_allclose(warp([a / 2, a, b, (b + 2) / 2]), [a / 2, a, b, (b + 2) / 2])
    np.testing.assert_allclose(warp.domain, clip.domain)


# ---- Bezier curves


def dense(curve: BezierCurve, k: int, n: int = 200_001) -> tuple[FloatArray, FloatArray]:
    """Sample segment k by its parameter, with handles cut short at the neighbouring key."""
    p0, p3 = curve.keys[k], curve.keys[k + 1]
    width = p3[0] - p0[0]

    def cut(handle: FloatArray) -> FloatArray:
        reach = abs(handle[0])
        return handle * (width / reach) if reach > width else handle

    p1, p2 = p0 + cut(curve.right[k] - p0), p3 + cut(curve.left[k + 1] - p3)
    u = np.linspace(0, 1, n)[:, None]
    x, y = ((1 - u) ** 3 * p0 + 3 * (1 - u) ** 2 * u * p1 + 3 * (1 - u) * u**2 * p2 + u**3 * p3).T
    return x, y


def bezier(keys: Any, left: Any, right: Any) -> BezierCurve:
    return BezierCurve(*(np.array(points, dtype=float) for points in (keys, left, right)))


CURVES = {
    "ease": bezier([[0, 0], [2, 1]], [[0, 0], [1.2, 1]], [[0.8, 0], [2, 1]]),
    "sharp": bezier([[0, 0], [1, 1]], [[0, 0], [0.05, 1]], [[0.95, 0], [1, 1]]),
    "too long": bezier([[0, 0], [1, 1]], [[0, 0], [-2, 0.2]], [[3, 0.9], [1, 1]]),
    "three keys": bezier(
        [[0, 0], [1, 2], [4, 3]],
        [[-1, 0], [0.5, 1.5], [3, 3]],
        [[0.3, 0.1], [1.5, 2.5], [5, 3]],
    ),
    "falling": bezier([[0, 3], [2, 1]], [[0, 3], [1.5, 1]], [[0.5, 3], [2, 1]]),
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_a_bezier_curve_is_its_parametric_form(curve: BezierCurve) -> None:
    for k in range(len(curve.keys) - 1):
        x, y = dense(curve, k)
        assert (np.diff(x) >= -1e-12).all()
        t = np.linspace(curve.keys[k, 0], curve.keys[k + 1, 0], 101)
        np.testing.assert_allclose(curve.at(t), np.interp(t, x, y), atol=2e-5)
    np.testing.assert_array_equal(curve.at(curve.keys[:, 0]), curve.keys[:, 1])
    ends = curve.keys[[0, -1]]
    np.testing.assert_array_equal(curve.at(ends[:, 0] + [-1, 1]), ends[:, 1])


def test_a_bezier_curve_may_have_a_cut() -> None:
    keys = [[0, 0], [1, 1], [1, 2], [2, 3]]
    curve = bezier(keys, keys, keys)
    np.testing.assert_allclose(curve.at([0.5, 1.0, 1.0 + 1e-9, 1.5]), [0.5, 1, 2, 2.5], atol=1e-3)
    warp = curve.to_warp()
    np.testing.assert_allclose(warp([1.0, 1.0 + 1e-9]), [1, 2], atol=1e-3)


def test_from_slopes_is_the_cubic_hermite_curve() -> None:
    curve = BezierCurve.from_slopes([[0, 0], [1, 1], [3, 2]], [0.0, 1.0, 0.5])
    t = np.linspace(0, 1, 21)
    np.testing.assert_allclose(curve.at(t), 2 * t**2 - t**3, atol=1e-12)


@pytest.mark.parametrize("name", ["ease", "sharp", "falling", "three keys"])
def test_a_sampled_curve_is_a_warp_through_its_keys(name: str) -> None:
    curve = CURVES[name]
    warp = curve.to_warp()
    np.testing.assert_array_equal(warp(curve.keys[:, 0]), curve.keys[:, 1])
    t = np.linspace(*warp.domain, 301)
    np.testing.assert_allclose(warp(t), curve.at(t), atol=2e-2)
    np.testing.assert_allclose(curve.to_warp(1e-4)(t), curve.at(t), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], [], []), "keys has shape"),
        ((np.zeros((0, 2)),) * 3, "needs keys"),
        (([[1, 0], [0, 1]],) * 3, "do not fall"),
        (([[0, np.nan]],) * 3, "finite"),
        (([[0, 0]], [[0, 0], [1, 1]], [[0, 0]]), "left handles has shape"),
        (([[0, 0]], [[0, 0]], [[np.inf, 0]]), "right handles must be finite"),
    ],
)
def test_bad_curves_get_a_sentence(arguments: tuple[Any, Any, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        BezierCurve(*arguments)


def test_a_curve_that_turns_back_is_no_warp() -> None:
    overshoot = bezier([[0, 0], [1, 1]], [[0, 0], [0.5, 3]], [[0.5, 0], [1, 1]])
    with pytest.raises(InputError, match=r"runs backwards at .* s; shorten the handles"):
        overshoot.to_warp()


# ---- fitting


def smooth_step(t: FloatArray) -> FloatArray:
    return 2 * (3 * (t / 2) ** 2 - 2 * (t / 2) ** 3)


def sampled(n: int = 241) -> TimeWarp:
    t = np.linspace(0, 2, n)
    return TimeWarp(t, smooth_step(t))


FITTED = {
    "straight": (TimeWarp([0, 4], [1, 3]), 2),
    "straight, many knots": (TimeWarp(np.linspace(0, 4, 300), np.linspace(1, 3, 300)), 2),
    "hold": (TimeWarp([0, 4], [1, 1]), 2),
    "reverse": (TimeWarp([0, 4], [3, 1]), 2),
    "corner": (TimeWarp([0, 1, 3], [0, 2, 3]), 3),
    "corner, reverse": (TimeWarp([0, 1, 3], [3, 2, 0]), 3),
    "hold between": (TimeWarp([0, 1, 2, 3], [0, 1, 1, 2]), 4),
    "ease": (sampled(), 2),
    "ease, reverse": (sampled().reverse(), 2),
    "spline": (keytime_warp((0, 2), duration=3.0, keytimes=[(1.0, 1.4), (2.0, 1.6)]), 8),
    "cut": (TimeWarp([0, 1, 1, 2], [0, 1, 2, 3]), 4),
}


def worst(curve: BezierCurve, warp: TimeWarp) -> float:
    t = np.linspace(*warp.domain, 20_001)
    t = np.unique(np.r_[t, warp.output])
    cuts = warp.output[1:][np.diff(warp.output) == 0]
    for cut in cuts:
        t = t[np.abs(t - cut) > 1e-9]
    return float(np.abs(curve.at(t) - warp(t)).max())


@pytest.mark.parametrize(("warp", "most"), FITTED.values(), ids=FITTED)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
def test_a_fit_stays_within_tolerance_with_few_keys(
    warp: TimeWarp, most: int, tolerance: float
) -> None:
    curve = fit_bezier(warp, tolerance=tolerance)
    assert worst(curve, warp) <= tolerance * 1.001
    assert len(curve.keys) <= most
    assert warp.preimage(*warp.source_range) == (curve.keys[0, 0], curve.keys[-1, 0])


@given(
    st.lists(st.floats(0.05, 1), min_size=2, max_size=12),
    st.data(),
    st.sampled_from([1.0, -1.0]),
)
def test_any_warp_is_fitted_within_tolerance(
    gaps: list[float], data: st.DataObject, direction: float
) -> None:
    n = len(gaps)
    rises = data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))
    warp = TimeWarp(np.cumsum(gaps), direction * np.cumsum(rises))
    assert worst(fit_bezier(warp, tolerance=1e-3), warp) <= 1.001e-3


def test_a_long_wavy_warp_is_fitted_within_tolerance() -> None:
    # Five waves a second for 40 s: more bends than a fixed number of keys can follow.
    t = np.arange(0, 40, 1 / 120)
    warp = TimeWarp(t, t + 0.1 * np.sin(10 * np.pi * t) / (2 * np.pi))
    assert worst(fit_bezier(warp, tolerance=1e-3), warp) <= 1.001e-3


def test_joins_are_smooth_except_at_corners() -> None:
    warp = keytime_warp((0, 2), duration=3.0, keytimes=[(1.0, 1.4), (2.0, 1.6)])
    curve = fit_bezier(warp, tolerance=1e-4)
    assert len(curve.keys) > 2
    before, after = curve.keys - curve.left, curve.right - curve.keys
    inner = slice(1, -1)
    turn = before[inner, 0] * after[inner, 1] - before[inner, 1] * after[inner, 0]
    np.testing.assert_allclose(turn, 0, atol=1e-9)
    assert (before[inner, 0] > 0).all()
    assert (after[inner, 0] > 0).all()


def test_a_corner_keeps_its_kink() -> None:
    curve = fit_bezier(TimeWarp([0, 1, 3], [0, 2, 3]))
    assert curve.keys.tolist() == [[0, 0], [1, 2], [3, 3]]
    before, after = curve.keys[1] - curve.left[1], curve.right[1] - curve.keys[1]
    assert before[1] / before[0] == pytest.approx(2)
    assert after[1] / after[0] == pytest.approx(0.5)


def test_a_cut_becomes_two_keys_at_one_time() -> None:
    curve = fit_bezier(TimeWarp([0, 1, 1, 2], [0, 1, 2, 3]))
    assert curve.keys.tolist() == [[0, 0], [1, 1], [1, 2], [2, 3]]


def test_a_channel_is_fitted_on_request() -> None:
    warp = TimeWarp([0, 1], [0, 1], channels={"Hand": ([0, 1, 2], [0, 1, 4])})
    assert len(fit_bezier(warp).keys) == 2
    assert len(fit_bezier(warp, channel="Hand").keys) == 3


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_tolerance_must_be_positive(tolerance: float) -> None:
    with pytest.raises(InputError, match="tolerance must be above 0"):
        fit_bezier(TimeWarp([0, 1], [0, 1]), tolerance=tolerance)


def test_tangents_are_met_and_kept_from_turning_back() -> None:
    keys = [(1.0, 1.2), (2.0, 1.8)]
    warp = keytime_warp((0, 3), keytimes=keys, rates=[(1.2, 0.5), (0.0, 2.0)])
    assert float(warp(1.0)) == 1.2
    for t, rate in ((1.0, 0.5), (0.0, 2.0)):
        near = np.clip([t - 1e-2, t + 1e-2], 0, 3)
        assert np.ptp(warp(near)) / np.ptp(near) == pytest.approx(rate, abs=0.05)
    assert not warp.notes
    steep = keytime_warp((0, 3), keytimes=keys, rates=[(1.8, 9.0)])
    assert (np.diff(steep.source) >= 0).all()
    assert "not 9" in steep.notes[0]
    still = keytime_warp((0, 3), keytimes=keys, rates=[(1.8, 0.0)])
    assert np.ptp(still([1.99, 2.01])) < 1e-3
    around = keytime_warp((0, 3), keytimes=keys, rates=[(0.0, 0.5)], loop=True)
    ends = [np.ptp(around([0, 1e-2])), np.ptp(around([3 - 1e-2, 3]))]
    np.testing.assert_allclose(ends, 0.5e-2, rtol=0.05)


@pytest.mark.parametrize(
    ("rates", "said"),
    [([(0.7, 1.0)], "no keytime shows 0.7"), ([(1.2, -1.0)], "0 or more"),
     ([(1.2, float("nan"))], "0 or more")],
)  # fmt: skip
def test_a_tangent_that_cannot_be_gets_a_sentence(rates: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        keytime_warp((0, 3), keytimes=[(1.0, 1.2)], rates=rates)
