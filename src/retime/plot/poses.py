"""Staggered poses in pictures: the probability signal, the dope sheet of knots, a film strip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts
from retime.methods.staggered import StaggeredPoses
from retime.plot.strips import strip_figure
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, RETIMED, canvas, plain, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_INCHES = 0.16


def draw_poses(poses: StaggeredPoses, path: str | Path) -> None:
    """Draw the pose probability with the poses on it, and below it the knots of every joint."""
    rows = _rows(poses)
    tall = 0.9 + _ROW_INCHES * len(rows)
    span = float(poses.times[-1] - poses.times[0])
    figure = canvas(float(np.clip(2.2 * span, 8.0, 18.0)), 2.2 + tall)
    signal, sheet = figure.subplots(2, 1, sharex=True, height_ratios=(2.0, tall))
    if poses.evidence is not None:
        times, p = poses.evidence.times, poses.evidence.probability
        signal.fill_between(times, 0, p, color="#e7eef2", linewidth=0)
        signal.plot(times, p, color=ORIGINAL, linewidth=1.5)
        known = poses.timing.known_times
        signal.plot(known, np.interp(known, times, p), "v", color=KEY, markersize=6)
    signal.set_ylabel("pose probability", color=INK)
    signal.set_ylim(bottom=0)
    _draw_sheet(sheet, poses, rows)
    for axes in (signal, sheet):
        plain(axes)
    sheet.grid(axis="y", visible=False)
    sheet.set_xlabel("time (s)", color=INK)
    save(figure, path)


def _rows(poses: StaggeredPoses) -> list[int]:
    """Order the channels as a body reads: the roots' places, then joints from the top down."""
    count = len(poses.source.skeleton)
    return [*range(count, len(poses.channels)), *range(count)]


def _draw_sheet(axes: Axes, poses: StaggeredPoses, rows: list[int]) -> None:
    place = {i: n for n, i in enumerate(rows)}
    known, knots = poses.timing.known_knots, poses.timing.knots
    contacts = poses.contacts
    if contacts is None:
        contacts = detect_contacts(poses.source)
    for contact in contacts:
        n = place[poses.source.skeleton.index(contact.joint)]
        axes.broken_barh([(contact.start, contact.duration)], (n - 0.4, 0.8), facecolor="#f4e6c3")
    for k in range(len(poses)):
        has = [i for i in rows if poses.timing.included[k, i]]
        y = [place[i] for i in has]
        axes.axvline(poses.times[k], color=FAINT, linewidth=0.8, zorder=0)
        moved = poses.timing.is_edited and not np.allclose(known[k], knots[k])
        if moved:
            axes.plot(known[k, has], y, "-", color=ORIGINAL, linewidth=0.8, alpha=0.6)
        axes.plot(knots[k, has], y, "-", color=RETIMED, linewidth=1.0, alpha=0.8)
        axes.plot(knots[k, has], y, "D", color=RETIMED, markersize=2.6)
    axes.set_yticks(range(len(rows)), [poses.channels[i] for i in rows])
    axes.tick_params(axis="y", labelsize=7, length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def draw_pose_strip(poses: StaggeredPoses, path: str | Path) -> None:
    """Draw the poses as figures at their times: before the edits, and after."""
    edited = poses.motion()
    before, after = poses.timing.known_times, poses.times
    if poses.timing.base is not None:
        before = poses.timing.base(before)
    shown = _spread(after, poses)
    rows = {"poses": poses.source}
    at = {"poses": before[shown]}
    if poses.edits:
        rows, at = {"before": poses.source}, {"before": before[shown]}
        rows["after"], at["after"] = edited, after[shown]
    save(strip_figure(rows, poses=_count(after), at=at), path)


def _count(times: FloatArray) -> int:
    return int(np.clip(len(times), 6, 14))


def _spread(
    times: np.ndarray[tuple[int], np.dtype[np.float64]], poses: StaggeredPoses
) -> list[int]:
    """Choose poses that are not drawn over one another, the likelier first."""
    room = (times[-1] - times[0]) / _count(times) * 0.8
    weight = np.ones(len(times))
    if poses.evidence is not None:
        known = poses.timing.known_times
        weight = np.interp(known, poses.evidence.times, poses.evidence.probability)
    chosen: list[int] = [0, len(times) - 1]
    for k in np.argsort(-weight):
        if all(abs(times[k] - times[c]) >= room for c in chosen):
            chosen.append(int(k))
    return sorted(chosen)
