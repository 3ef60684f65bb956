"""The published formulation: whole frames, any change of speed, and a moving average."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.features import RATE_HZ, TAU, Signals
from retime.methods.guided.parameters import MOST_UPSAMPLING
from retime.methods.guided.request import Request
from retime.notes import Note
from retime.sentences import Span
from retime.times import whole_frames
from retime.timing import TimeWarp

Frames = npt.NDArray[np.int64]

_NEVER_SLOWER, _USUAL_UPSAMPLING = 1, 4
# Steps grow with upsampling, and the work with their square.
_MOST_STEPS_UPSAMPLED = 16
# Largest number of scores, of products with reference frames, and of costs of paths: a gigabyte.
_MOST_VALUES = 1 << 27
# Window of the moving average (section 3.4), seconds.
_AVERAGE_S = 1 / 6
# Reference frames are padded to a multiple of this by frames at a great distance.
_TOGETHER, _FAR = 4, 1e30
# Squared weights of pose, central difference and second difference (eq. 2): all are metres.
WEIGHTS = np.array([1.0, TAU * RATE_HZ / 2, TAU**2 * RATE_HZ**2]) ** 2


def paper_warp(request: Request, signals: Signals, clip: tuple[float, float]) -> TimeWarp:
    """Find the path of least cost through whole frames, and average it to a curve.

    Parameters
    ----------
    request : Request
        The span of the clip, and the conditions.
    signals : Signals
        Poses of the clip, and of its references.
    clip : (float, float)
        First and last time of the poses.
    """
    p, length, (start, end) = request.p, request.length, request.span
    if length is None and p.keytimes:
        raise InputError("a free duration has no keytimes; give a duration, or remove the keytimes")
    request.must_be_possible()
    upsample = p.upsample or _upsampling(request, own=signals.own)
    count = max(whole_frames(end - start, RATE_HZ), 2) * upsample + 1
    steps, capped = _steps(p.max_speed, upsample, count)
    times = np.linspace(start, end, count)
    poses = signals.curve.at((times - clip[0]) / (clip[1] - clip[0]) * signals.curve.frames)
    table = score_table(poses, signals.references, steps, neighbours=p.neighbours)
    speed = (1 + np.arange(steps)) / upsample
    slow = speed < (p.min_speed or 0.0) - 1e-9
    table[:, slow[:, None] | slow] = np.inf
    if length is None:
        cost, frames = _native.paper.free_path(table, p.frame_cost)
        keys = [(0, 0), (len(frames) - 1, count - 1)]
        length = (len(frames) - 1) / RATE_HZ
    else:
        keys = _key_frames(request, length, times, upsample, steps)
        cost, frames = _native.paper.path(table, *corridor(steps, keys))
    if not np.isfinite(cost):
        raise InfeasibleError(
            "no path of whole frames meets all limits of speed; widen them, move a keytime, or "
            "leave the paper's formulation"
        )
    window = 2 * round(_AVERAGE_S * RATE_HZ / 2) + 1
    averaged = moving_average(times[frames], [t for t, _ in keys], window, loop=p.loop)
    notes = []
    if capped:
        most = steps / upsample
        told = f"speeds are at most {most:g} times the source's here"
        notes.append(Note(told, code="speed-capped", speed=most))
    output = np.linspace(start, start + length, len(frames))
    knots = _through_keytimes(output, averaged, request.keytimes(length))
    return TimeWarp(*knots, loop=p.loop, notes=tuple(notes))


def score_table(
    poses: FloatArray, references: Sequence[FloatArray], steps: int, *, neighbours: int = 3
) -> FloatArray:
    """Score every triple of consecutive frames that a warp may show (section 3.2).

    The feature (2) of a triple is linear in its poses, and so is a reference's: the square of
    their distance is the sum of both squares and of a product for each pose of the triple. One
    matrix product each holds them for all frames.

    Parameters
    ----------
    poses : array (n, D)
        The input, upsampled where the output may be slower.
    references : sequence of array (R, D)
        Reference signals.
    steps : int
        Largest step s from one frame to the next.
    neighbours : int
        Number of nearest reference frames that are averaged, 1 to 3.

    Returns
    -------
    array (n, s, s)
        At ``[j, a, b]`` the score of showing frame j after a step of a + 1 and before one of
        b + 1; infinite where that leaves the clip.
    """
    count = sum(max(len(z) - 2, 0) for z in references)
    if count < neighbours:
        raise InputError(
            f"the reference has {count} frames to compare with; {neighbours} neighbours need at "
            f"least {neighbours + 2} frames of it"
        )
    if len(poses) * max(steps**2, 3 * count) > _MOST_VALUES:
        raise InputError(
            f"{len(poses)} frames with steps up to {steps}, compared with {count} frames, are too "
            "many for the paper's formulation; use a range, a lower upsampling or largest speed, "
            "or leave it"
        )
    centre = np.concatenate(references).mean(axis=0)  # small numbers keep more digits
    poses = poses - centre
    # What the first, middle and last pose of a triple add to the squares.
    before, here, after = np.zeros((3, count + (-count) % _TOGETHER, len(poses)))
    here[count:] = _FAR
    first = 0
    for reference in (z for z in references if len(z) > 2):
        shown = reference - centre
        x, y, z = shown[:-2], shown[1:-1], shown[2:]
        size = np.stack([(v**2).sum(axis=1) for v in (y, z - x, x - 2 * y + z)], axis=1) @ WEIGHTS
        products = (-2 * shown) @ poses.T
        part = slice(first, first + len(y))
        first = part.stop
        bow, rise = here[part], products[2:] - products[:-2]
        np.multiply(products[1:-1], -2, out=bow)
        bow += products[2:]
        bow += products[:-2]
        bow *= WEIGHTS[2]
        rise *= WEIGHTS[1]
        np.subtract(bow, rise, out=before[part])
        np.add(bow, rise, out=after[part])
        bow *= -2
        bow += WEIGHTS[0] * products[1:-1] + size[:, None]
    return _native.paper.scores(
        before, here, after, _lagged_products(poses, 2 * steps), WEIGHTS, steps, neighbours
    )


def _lagged_products(poses: FloatArray, lags: int) -> FloatArray:
    """Return the products of frames that are 0 to ``lags`` apart, (lags + 1, n)."""
    out = np.zeros((lags + 1, len(poses)))
    for lag in range(min(lags, len(poses) - 1) + 1):
        out[lag, : len(poses) - lag] = (poses[: len(poses) - lag] * poses[lag:]).sum(axis=1)
    return out


def corridor(steps: int, keys: Sequence[tuple[int, int]]) -> tuple[Frames, Frames]:
    """Return the first and last input frame that each output frame can show, (m,) each.

    ``keys`` are (output frame, input frame), in order, both ends included.
    """
    m = keys[-1][0] + 1
    low, high = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for (t0, q0), (t1, q1) in itertools.pairwise(keys):
        t = np.arange(t0, t1 + 1)
        low[t] = np.maximum(q0 + (t - t0), q1 - steps * (t1 - t))
        high[t] = np.minimum(q0 + steps * (t - t0), q1 - (t1 - t))
    if int((high - low + 1).sum()) * steps > _MOST_VALUES:
        raise InputError(
            f"{m} frames are too many for the paper's formulation; use a range, or leave it"
        )
    return low, high


def moving_average(
    values: FloatArray, fixed: Sequence[int], window: int, *, loop: bool = False
) -> FloatArray:
    """Average a rising sequence (m,) over a window without moving its ``fixed`` indices.

    Between fixed points the sequence is mirrored about them, point by point, so that the average
    there is the point itself; what rises stays rising. The ends of a loop are continued by the
    cycle itself.
    """
    out = values.astype(float)
    for a, b in itertools.pairwise(fixed):
        part = values[a : b + 1]
        reach = min(window // 2, b - a)
        if reach < 1:
            continue
        if loop and a == 0 and b == len(values) - 1:
            before = part[-1 - reach : -1] - (part[-1] - part[0])
            after = part[1 : 1 + reach] + (part[-1] - part[0])
        else:
            before = 2 * part[0] - part[reach:0:-1]
            after = 2 * part[-1] - part[-2 : -2 - reach : -1]
        box = np.ones(2 * reach + 1) / (2 * reach + 1)
        mean = np.convolve(np.concatenate([before, part, after]), box, mode="valid")
        # Both ends of a cycle move together, and are restored together.
        out[a : b + 1] = mean - (mean[0] - part[0]) if loop else mean
        out[[a, b]] = part[[0, -1]]
    return out


def _upsampling(request: Request, *, own: bool) -> int:
    """Choose the upsampling: none if time only gets shorter, otherwise twice the stretch."""
    p, (start, end) = request.p, request.span
    if request.length is None:
        return _USUAL_UPSAMPLING
    keys = request.keytimes(request.length)
    points = sorted([(start, start), *keys, (start + request.length, end)])
    slow = max((o1 - o0) / (s1 - s0) for (o0, s0), (o1, s1) in itertools.pairwise(points))
    if slow <= 1 + 1e-9 and own and (p.min_speed is None or p.min_speed >= 1):
        return _NEVER_SLOWER
    return int(min(max(_USUAL_UPSAMPLING, np.ceil(2 * slow)), MOST_UPSAMPLING))


def _steps(max_speed: float, upsample: int, count: int) -> tuple[int, bool]:
    """Largest step in input frames, and whether upsampling made it smaller than requested."""
    steps = max(int(np.ceil(max_speed * upsample - 1e-9)), 1)
    if upsample > 1 and steps > _MOST_STEPS_UPSAMPLED:
        return max(_MOST_STEPS_UPSAMPLED, 2 * upsample), True
    return min(steps, count - 1), False


def _key_frames(
    request: Request, length: float, times: FloatArray, upsample: int, steps: int
) -> list[tuple[int, int]]:
    """Round keytimes to whole output and input frames, with the ends."""
    start, m = request.span[0], max(whole_frames(length, RATE_HZ), 1) + 1
    spline = request.spline(length)
    keys = {0: 0, m - 1: len(times) - 1}
    for output, _ in sorted(request.keytimes(length)):
        frame = round((output - start) / length * (m - 1))
        # The search meets a keytime at the nearest frame, moved along the spline.
        shown = float(spline(start + frame * length / (m - 1)))
        keys.setdefault(frame, round(float(np.interp(shown, times, np.arange(len(times))))))
    for (t0, q0), (t1, q1) in itertools.pairwise(sorted(keys.items())):
        if not t1 - t0 <= q1 - q0 <= steps * (t1 - t0):
            raise InfeasibleError(
                "in whole frames, the speed at output {part:.3g} would have to be {need:.3g} times "
                "the source's, but {slowest:.3g} to {fastest:.3g} are possible; move a keytime, "
                "or leave the paper's formulation",
                part=Span(start + t0 / RATE_HZ, start + t1 / RATE_HZ),
                need=(q1 - q0) / (t1 - t0) / upsample,
                slowest=1 / upsample,
                fastest=steps / upsample,
            )
    return sorted(keys.items())


def _through_keytimes(
    output: FloatArray, source: FloatArray, keytimes: Sequence[tuple[float, float]]
) -> tuple[FloatArray, FloatArray]:
    """Return the knots of a curve with the keytimes in place of the frames beside them."""
    keep = np.ones(len(output), dtype=bool)
    for o, s in keytimes:
        keep &= ((output - o) * (source - s) > 0) & (np.abs(output - o) * RATE_HZ > 0.3)
    keep[[0, -1]] = True
    inner = [(o, s) for o, s in keytimes if output[0] < o < output[-1]]
    knots = np.array(sorted([*zip(output[keep], source[keep], strict=True), *inner]))
    return knots[:, 0], knots[:, 1]
