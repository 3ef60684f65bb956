"""Film strips: motions as rows of solid figures on one time axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import InputError
from retime.motion import Motion, quat
from retime.motion.kinematics import body_frame, ground_height, height, positions
from retime.plot.style import FAINT, INK, ORIGINAL, RETIMED, SERIES, canvas, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The view: from the figure's right and a little from the front, as jumps and walks read best.
_VIEW_YAW = np.radians(65)
_VIEW_PITCH = np.radians(8)
# A time step and a figure's height on paper, the space below the floor (in heights), the title.
STEP_INCHES = 1.05
HEIGHT_INCHES = 1.7
_BELOW = 0.1
_TITLE_INCHES = 0.3


def draw_strips(motions: Mapping[str, Motion], path: str | Path, *, poses: int = 12) -> None:
    """Draw motions as film strips into a picture file; see :func:`strip_figure`."""
    save(strip_figure(motions, poses=poses), path)


def strip_figure(
    motions: Mapping[str, Motion],
    *,
    poses: int = 12,
    at: Mapping[str, FloatArray] | None = None,
) -> Figure:
    """Draw motions as rows of poses at equal time steps, on one time axis.

    Rows go from top to bottom; the first is drawn as the original. ``poses`` is the number of poses
    of the longest row; ``at`` gives rows times (N,) to draw in place of equal steps.
    """
    if not all(map(len, motions.values())):
        raise InputError("a motion without frames cannot be drawn")
    longest = max(m.duration for m in motions.values())
    step = longest / max(poses - 1, 1) or 1.0
    chosen = at or {}
    rows = {name: StripRow.of(motion, step, chosen.get(name)) for name, motion in motions.items()}
    colours = (ORIGINAL, RETIMED, *SERIES[2:]) if len(motions) > 1 else (RETIMED,)

    width = STEP_INCHES * (longest / step + 1.4)
    heights = [HEIGHT_INCHES * (row.top - row.bottom) for row in rows.values()]
    figure = canvas(width, sum(heights) + _TITLE_INCHES * len(rows) + 0.5)
    figure.set_layout_engine("none")
    top = 1.0
    for k, (name, row) in enumerate(rows.items()):
        # Placed in inches, because a figure must keep its proportions on an axis in seconds.
        tall = heights[k] / figure.get_figheight()
        top -= tall + _TITLE_INCHES / figure.get_figheight()
        axes = figure.add_axes((0.0, top, 1.0, tall))
        axes.set_xlim(-0.7 * step, longest + 0.7 * step)
        axes.set_ylim(row.bottom, row.top)
        row.draw(axes, step, colours[k % len(colours)])
        axes.set_title(f"  {name}: {row.seconds:.2f} s", loc="left", fontsize=11, color=INK)
        last = k == len(rows) - 1
        axes.tick_params(colors=INK, labelsize=9, labelbottom=last, bottom=last)
        if last:
            axes.set_xlabel("time (s)", color=INK)
    return figure


@dataclass(frozen=True, eq=False)
class StripRow:
    """One motion's poses, seen from the side, in heights of the figure."""

    times: FloatArray
    flat: FloatArray
    bones: list[tuple[int, int, float]]
    solids: list[list[int]]
    seconds: float

    @classmethod
    def of(cls, motion: Motion, step: float, at: FloatArray | None = None) -> StripRow:
        """Choose poses of a motion every ``step`` seconds, or at given times."""
        times = np.arange(int(motion.duration / step + 1e-6) + 1, dtype=np.float64) * step
        if motion.duration - times[-1] > 0.4 * step:  # also draw the last pose
            times = np.r_[times, motion.duration]
        if at is not None:
            times = np.asarray(at, dtype=np.float64) - motion.domain[0]
        frame, share = motion.frame_at(motion.domain[0] + times)
        points = positions(motion, end_sites=True)
        flat = _project(motion, points, frame + (share > 0.5), ground_height(points))
        # A figure that rises above twice its height is drawn smaller, to stay in the picture.
        tall = max(height(motion.skeleton) * motion.units.metres, flat[..., 1].max() / 2, 1e-9)
        return cls(times, flat / tall, _bones(motion), _solids(motion), motion.duration)

    @property
    def bottom(self) -> float:
        """The lowest height to draw."""
        return min(-_BELOW, float(self.flat[..., 1].min()) - 0.03)

    @property
    def top(self) -> float:
        """The greatest height to draw."""
        return max(1.1, float(self.flat[..., 1].max()) + 0.05)

    def draw(self, axes: Axes, step: float, colour: str) -> None:
        """Draw the poses at their times, and the floor."""
        across = step * HEIGHT_INCHES / STEP_INCHES  # width of a height, in seconds
        for t, pose in zip(self.times, self.flat, strict=True):
            for solid in self.solids:
                _draw_solid(axes, pose[solid], t, across, colour)
            _draw_figure(axes, pose, self.bones, t, across, colour)
        axes.axhline(0.0, color=FAINT, linewidth=1.5, zorder=0)
        axes.set_yticks([])
        for side in axes.spines.values():
            side.set_visible(False)


def _project(
    motion: Motion, points: FloatArray, frame: npt.NDArray[np.int64], floor: float
) -> FloatArray:
    """Return points of frames seen from the side, (N, P, 3): across, up, toward the viewer."""
    origin, heading = body_frame(motion)
    local = points[frame] - origin[frame][:, None]
    local[..., 1] -= floor
    view = quat.multiply(
        quat.from_axis_angle([1, 0, 0], _VIEW_PITCH),
        quat.from_axis_angle([0, 1, 0], _VIEW_YAW - heading[0]),
    )
    return quat.rotate(view, local)


def _bones(motion: Motion) -> list[tuple[int, int, float]]:
    """Return bones as (from, to, radius in heights); thicker with more of the body below them.

    A negative radius marks a ball.
    """
    skeleton = motion.skeleton
    count = len(skeleton)
    ends = _bone_ends(motion)
    length = {b: size for _, b, size in ends}
    below = np.zeros(count + len(skeleton.end_sites))
    for a, b, _ in sorted(ends, key=lambda e: -e[1] if e[1] < count else -count - e[1]):
        below[a] += below[b] + length[b]
    body = find_body(motion)
    head = body.roles.get("head")
    trunk = set(skeleton.chain(head)) - {head} if head is not None and body.is_biped else set()

    bare = all(a != head for a, _, _ in ends)  # nothing shows how tall the head is

    def radius(a: int, b: int) -> float:
        if (a == head and b >= count) or (b == head and bare):
            return -max(0.052, 0.48 * length[b])  # a ball about the middle of its bone
        if b in trunk:
            return 0.062
        wide = 0.03 * np.sqrt(min(below[b] + length[b], 1.6)) + 0.006
        return float(min(wide, 0.45 * length[b] + 0.002))

    # What leads to the hips, such as a root on the ground, is not part of the body.
    hips = body.roles.get("hips")
    above = set(skeleton.chain(hips)) if hips is not None and body.is_biped else set()
    return [(a, b, radius(a, b)) for a, b, _ in ends if length[b] > 1e-4 and b not in above]


def _bone_ends(motion: Motion) -> list[tuple[int, int, float]]:
    """Return (from, to, length in heights) of bones; end sites have numbers after the joints."""
    skeleton = motion.skeleton
    tall = max(height(skeleton), 1e-9)
    solid = {p for points in _solids(motion) for p in points}
    ends = [(int(p), j, skeleton.offsets[j]) for j, p in enumerate(skeleton.parents) if p >= 0]
    sites = enumerate(skeleton.end_sites, len(skeleton))
    ends += [(s.parent, k, np.array(s.offset)) for k, s in sites if k not in solid]
    return [(a, b, float(np.linalg.norm(offset)) / tall) for a, b, offset in ends]


def _solids(motion: Motion) -> list[list[int]]:
    """Return the end sites of joints that have several: a box has eight corners, a hand one."""
    count = len(motion.skeleton)
    corners: dict[int, list[int]] = {}
    for k, site in enumerate(motion.skeleton.end_sites):
        corners.setdefault(site.parent, []).append(count + k)
    return [points for points in corners.values() if len(points) >= 6]


def _draw_solid(axes: Axes, corners: FloatArray, t: float, across: float, colour: str) -> None:
    """Draw a thing by the faces between its corners that are turned to the viewer."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(corners)
    except QhullError:  # flat: it has no faces to show
        return
    for face, normal in zip(hull.simplices, hull.equations[:, :3], strict=True):
        facing = float(normal[2])
        if facing <= 0:
            continue
        shade = np.array(to_rgb(colour)) * (0.6 + 0.4 * facing) + 0.1 * (1 - facing)
        outline = corners[face][:, :2].copy()
        outline[:, 0] = t + outline[:, 0] * across
        shade = np.clip(shade, 0, 1)
        axes.add_patch(Polygon(outline, facecolor=shade, edgecolor=shade, linewidth=0.3))


def _draw_figure(
    axes: Axes,
    pose: FloatArray,
    bones: list[tuple[int, int, float]],
    t: float,
    across: float,
    colour: str,
) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    base = np.array(to_rgb(colour))
    depth = pose[:, 2]
    near, far = depth.max(), depth.min()
    for a, b, radius in sorted(bones, key=lambda e: pose[e[0], 2] + pose[e[1], 2]):
        share = ((depth[a] + depth[b]) / 2 - far) / max(near - far, 1e-9)
        shade = base * (0.55 + 0.45 * share) + (1 - share) * 0.12
        start, end = pose[a, :2], pose[b, :2]
        if radius < 0:
            start = end = (start + end) / 2
        outline = _capsule(start, end, abs(radius), (0.75 if radius > 0 else 1.0) * abs(radius))
        outline[:, 0] = t + outline[:, 0] * across
        axes.add_patch(
            Polygon(
                outline,
                closed=True,
                facecolor=np.clip(shade, 0, 1),
                edgecolor="white",
                linewidth=0.4,
            )
        )


def _capsule(a: FloatArray, b: FloatArray, start: float, end: float) -> FloatArray:
    """Outline a limb: a tapered capsule from a to b."""
    along = b - a
    turn = np.arctan2(along[1], along[0])
    left = np.linspace(turn + np.pi / 2, turn + 3 * np.pi / 2, 9)
    right = np.linspace(turn - np.pi / 2, turn + np.pi / 2, 9)
    return np.concatenate(
        [
            a + start * np.c_[np.cos(left), np.sin(left)],
            b + end * np.c_[np.cos(right), np.sin(right)],
        ]
    )
