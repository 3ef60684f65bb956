"""Bilateral time control surfaces (Yoo, Abdul Massih, Ziamtsov, Hassan and Benes 2014).

Each key has a surface perpendicular to time. Dragging a point of it moves the action of one joint
to another time, and nearby joints follow: near on the plane (the domain filter) and near along the
bones (the range filter).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import LimbName, find_body
from retime.coercion import coerce
from retime.errors import InputError
from retime.keywords import describes, takes
from retime.methods.surface.arrival import Arrival, arrival
from retime.methods.surface.carrying import limb_joints
from retime.methods.surface.curves import Curve, Curves, grid_times
from retime.methods.surface.intersection import held_up, met_times
from retime.methods.surface.leading import Led, frames_near, lead_limbs
from retime.methods.surface.parameters import ControlParameters
from retime.methods.surface.placing import BORDER, Placed, Placer
from retime.methods.surface.projection import View
from retime.methods.surface.propagation import bump
from retime.methods.surface.room import NOTHING, Room, check_times, make_room
from retime.motion import Motion
from retime.motion.edits import Edit, apply_edits
from retime.motion.fixes import Fix
from retime.motion.kinematics import cached_positions
from retime.motion.layers import PoseLayer
from retime.motion.memory import last
from retime.notes import Note
from retime.parameters import Range, part_of_clip
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp
from retime.timing.graph import Graph

__all__ = ["ControlSurfaces", "Grid"]

# A waist this far from the hips, in metres, is moved by turns of the hips.
_OFF_WAIST_M = 1e-3
# Delay of a path from which a note is given, seconds.
_HELD = 1e-3
# A vertex takes its range weight from joints within about this far, in heights.
_VERTEX_REACH = 0.08


@dataclass(frozen=True, eq=False)
class Grid:
    """A surface's vertices, for drawing.

    Parameters
    ----------
    x : array (P,)
        Across, metres from the root.
    y : array (Q,)
        Up, metres from the root.
    shift : array (P, Q)
        Shift of a joint at this position, seconds; positive is later.
    """

    x: FloatArray
    y: FloatArray
    shift: FloatArray


@describes(ControlParameters)
class ControlSurfaces:
    """Time control surfaces on a motion: their warp, and data for drawing them.

    Parameters
    ----------
    motion : Motion
        The motion.

    Examples
    --------
    >>> from retime import ControlSurfaces, SurfaceKey, samples
    >>> key = SurfaceKey(time=1.0, joint="RightHand", shift=-0.1)
    >>> warp = ControlSurfaces(samples.punches(), [key]).warp()
    >>> round(float(warp(0.9, "RightHand")), 9)
    1.0
    """

    @takes(ControlParameters)
    def __init__(self, motion: Motion, p: ControlParameters) -> None:
        if not p.keys:
            raise InputError("no key was given; give a time, a joint and a shift")
        self.motion = motion
        self.keys = tuple(sorted(p.keys, key=lambda k: k.time))
        self.mode, self.root, self.min_speed, self.grid = p.mode, p.root, p.min_speed, p.grid
        if min(self.grid) < 2 or max(self.grid) > 1000:
            raise InputError(f"a surface has 2 to 1000 vertices each way, not {self.grid}")
        self._bump = bump(p.propagation)
        if len(motion) < 2:
            raise InputError("a time control surface needs a motion of at least two frames")
        self._span = _span(motion, p.range)
        check_times(self.keys, self._span, motion.domain)
        # In the intersection mode, paths follow the surface itself.
        self.falloff = "joint" if p.mode == "intersection" else p.falloff
        self.grips = p.grips
        placer = Placer(motion, self.root, self.falloff, grips=p.grips)
        self.height = placer.height
        self._placed = placer.place(self.keys)
        self._rooms = make_room(self._placed, self._span, self._bump, self.min_speed)
        self._curves = Curves(motion, self._placed, self._rooms, self._bump, self._legs)
        said = [(*p.sheet.notes, *r.notes) for p, r in zip(self._placed, self._rooms, strict=True)]
        self.notes: tuple[Note, ...] = (*(n for s in said for n in s), *self._curves.notes())

    @property
    def spans(self) -> list[Range]:
        """The ranges outside which nothing changes, one for each key."""
        return [(room.start, room.end) for room in self._rooms]

    @cached_property
    def shifts(self) -> list[FloatArray]:
        """Shifts of the joints, seconds, (J,) for each key; positive is later."""
        return [r.share * p.shifts for p, r in zip(self._placed, self._rooms, strict=True)]

    # ---- results

    def warp(self) -> TimeWarp:
        """Return the warp: a curve for each joint that moves in time, exact at the keys."""
        return self._warp.saying(*self.notes, *self._warp.notes)

    @cached_property
    def _warp(self) -> TimeWarp:
        skeleton, (start, end) = self.motion.skeleton, self.motion.domain
        knots: dict[str, list[Curve]] = {}
        notes: list[Note] = []
        alone = [k for k, placed in enumerate(self._placed) if not placed.chains]
        for curves in [*(self._curves_of(k, notes) for k in alone), self._curves.all]:
            for j, curve in curves.items():
                knots.setdefault(skeleton.names[j], []).append(curve)
            for r in skeleton.roots:
                if r in curves and self.root != "rotations":
                    knots.setdefault(f"{skeleton.names[r]}:translation", []).append(curves[r])
        if not knots:
            return TimeWarp.identity(start, end).with_notes(*notes)
        return TimeWarp(
            [start, end],
            [start, end],
            channels={name: _joined(pieces, start, end) for name, pieces in knots.items()},
            in_space=self._curves.in_space,
            notes=notes,
        )

    @cached_property
    def _legs(self) -> frozenset[int]:
        """The joints of legs, whose times apply to rotations relative to their parents."""
        body = find_body(self.motion)
        legs = [limb_joints(body, n) for n in body.limbs if n.endswith("leg")]
        return frozenset().union(*legs)

    @cached_property
    def limbs(self) -> tuple[LimbName, ...]:
        """Arms and legs that are led to their places in space."""
        led = [n for k, placed in enumerate(self._placed) for n in self._led_limbs(k, placed)]
        return tuple(dict.fromkeys(led))

    def _led_limbs(self, k: int, placed: Placed) -> list[LimbName]:
        """Return the dragged legs, and the arms if hips that turn move the waist."""
        led, motion = [n for n in placed.limbs if n.endswith("leg")], self.motion
        hips = find_body(motion).roles.get("hips")
        if hips is None or self.falloff != "limb":
            return led
        first = [j for j in motion.skeleton.children[hips] if abs(self.shifts[k][j]) > NOTHING]
        away = [float(np.linalg.norm(motion.skeleton.offsets[j])) for j in first]
        off = max(away, default=0.0) * motion.units.metres > _OFF_WAIST_M
        return [*led, *(n for n in placed.limbs if off and n.endswith("arm"))]

    @cached_property
    def _led(self) -> Led:
        span = min(r.start for r in self._rooms), max(r.end for r in self._rooms)
        return lead_limbs(self.motion, self._warp, self.limbs, span, grips=self.grips)

    def correction(self) -> PoseLayer | None:
        """Return the correction that moves dragged limbs to their positions, in output time."""
        return self._led.correction if self.limbs else None

    def arrivals(self, fixes: Sequence[Fix] = (), *, held: bool = True) -> list[Arrival]:
        """Measure when and how closely each dragged joint arrives, relative to the hips.

        Parameters
        ----------
        fixes : sequence of Fix
            What is applied to the result before it is measured.
        held : bool
            Whether its contacts are held.
        """
        keys = range(len(self.keys))
        return [found for k in keys for found in self.arrivals_of(k, fixes, held=held)]

    def arrivals_of(
        self, key: int, fixes: Sequence[Fix] = (), *, held: bool = True
    ) -> list[Arrival]:
        """Return the arrivals of one key's drags."""
        placed, room = self._placed[key], self._rooms[key]
        return [
            arrival(
                self.motion,
                self._near(room, drag.shift, fixes, held=held),
                joint,
                placed.key.time,
                room.share * drag.shift,
            )
            for joint, drag in zip(placed.joints, placed.key.drags, strict=True)
        ]

    def _near(self, room: Room, shift: float, fixes: Sequence[Fix], *, held: bool) -> Motion:
        """Evaluate the result in the range of a key, and as far beside it as it is measured."""
        if self.limbs:
            return self._led.held if held else self._led.made
        away = 1.5 * abs(shift)
        frames = frames_near(self.motion, (room.start - away, room.end + away))
        edit = Edit(self._warp, fixes=tuple(fixes))
        return apply_edits(self.motion, [edit], times=self.motion.times[frames])

    def _curves_of(self, k: int, notes: list[Note]) -> dict[int, Curve]:
        """Return the curves of the joints that a key moves by itself, and notes on delays."""
        if self.mode == "intersection":
            return self._met(k, notes)
        (low, high), time = self.spans[k], self.keys[k].time
        grid = grid_times(self.motion, (low, high))
        joints = np.flatnonzero(np.abs(self.shifts[k]) > NOTHING)
        shift = self.shifts[k][joints, None]
        peak = time + shift
        t = np.sort(np.concatenate([np.tile(grid, (len(joints), 1)), peak], axis=1), axis=1)
        source = t - shift * self._bump.at(t, peak, low, high)
        source = np.clip(np.where(t == peak, time, source), *self._span)
        return {int(j): (t[n], source[n]) for n, j in enumerate(joints)}

    def _met(self, k: int, notes: list[Note]) -> dict[int, Curve]:
        """Find where the surfaces around a key meet the paths of joints."""
        t, paths = grid_times(self.motion, self.spans[k]), self.paths(k) / self.height
        lattice = (*self._cells(k), self.grid)
        placed, room = self._placed[k], self._rooms[k]
        source = met_times(self.motion, placed, room, self._bump, paths, lattice, t)
        out = {}
        for j in np.flatnonzero(np.abs(source - t[:, None]).max(axis=0) > NOTHING):
            y = held_up(t, source[:, j], self.min_speed)
            held = float(np.abs(y - source[:, j]).max())
            if held > _HELD:
                notes.append(
                    Note(
                        "the path of {joint} meets the surface at {time} more than once: it is "
                        "delayed by {seconds:.3f}",
                        code="path-held-up",
                        joint=self.motion.skeleton.names[j],
                        time=Moment(self.keys[k].time),
                        seconds=Duration(held),
                    )
                )
            out[int(j)] = (t, y)
        return out

    # ---- data for drawing

    @property
    def points(self) -> FloatArray:
        """Joint positions, (F, J, 3) metres, cached for all drags of a motion."""
        return cached_positions(self.motion)

    def paths(self, key: int = 0) -> FloatArray:
        """Return the joints' paths projected along a key's time direction, (F, J, 2) metres."""
        view = self._key(key).view
        if key not in self._paths:
            self._paths[key] = view.project(self.points, self.motion.skeleton.roots[0])
        return self._paths[key]

    @cached_property
    def _paths(self) -> dict[int, FloatArray]:
        return {}

    def view(self, key: int = 0) -> View:
        """Return the projection plane of a key, and the time direction perpendicular to it."""
        return self._key(key).view

    def _key(self, key: int) -> Placed:
        if isinstance(key, bool) or not isinstance(key, int) or not 0 <= key < len(self.keys):
            raise InputError(f"there is no key {key!r}; there are {len(self.keys)}, from 0")
        return self._placed[key]

    def _cells(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return a surface's lower corner and its cells' sizes, in heights."""
        paths = self.paths(k).reshape(-1, 2) / self.height
        low, high = paths.min(axis=0) - BORDER, paths.max(axis=0) + BORDER
        return low, (high - low) / (np.array(self.grid) - 1)

    def surface(self, key: int = 0, time: float | None = None) -> Grid:
        """Return the vertices of a surface at its key, or at another output time."""
        placed = self._key(key)
        corner, cell = self._cells(key)
        x, y = (corner[c] + cell[c] * np.arange(self.grid[c]) for c in (0, 1))
        vertices = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
        near = placed.near.copy()
        near[list(placed.locked)] = 0.0

        def reach() -> FloatArray:
            # A vertex has the distance along the bones of the joints around it.
            distance = np.linalg.norm(vertices[:, :, None] - placed.places, axis=-1)
            distance -= distance.min(axis=-1, keepdims=True)
            around = np.exp(-((distance / _VERTEX_REACH) ** 2) / 2)[..., None]
            found: FloatArray = (around * near).max(axis=-2)
            return found

        # A drag changes the height of the surface, not the joints that it reaches.
        same = (self.grid, *(a.tobytes() for a in (corner, cell, placed.places, near)))
        reached = last(self.motion, f"reach of surface {key}", same, reach)
        shift = self._rooms[key].share * placed.sheet.shifts(vertices, reached)
        if time is not None:
            peak = placed.key.time + self.shifts[key][placed.joints[0]]
            moment = coerce(time, float, "time")
            shift = shift * self._bump.at(np.array([moment]), peak, *self.spans[key])[0]
        return Grid(x * self.height, y * self.height, shift)

    def places(self, key: int = 0) -> FloatArray:
        """Return the joints on a key's plane at its time, (J, 2) metres."""
        return self._key(key).places * self.height

    def weights(self, key: int = 0) -> FloatArray:
        """Return each joint's fraction of a key's largest drag, (J,)."""
        placed = self._key(key)
        most = max((d.shift for d in placed.key.drags), key=abs)
        return placed.shifts / most if most else np.zeros(len(placed.shifts))

    def intersections(self, time: float) -> FloatArray:
        """Return the source of each joint at an output time, (J, 3): x, y, seconds."""
        warp, time = self.warp(), coerce(time, float, "time")
        names = self.motion.skeleton.names
        source = np.array([float(warp(time, n)) for n in names])
        k = min(range(len(self.keys)), key=lambda n: abs(self.keys[n].time - time))
        paths = self.paths(k)
        frame, share = self.motion.frame_at(source)
        after = np.minimum(frame + 1, len(self.motion) - 1)
        joints = np.arange(len(names))
        here, there = paths[frame, joints], paths[after, joints]
        met: FloatArray = np.c_[here + share[:, None] * (there - here), source]
        return met


def _span(motion: Motion, range: Range | None) -> Range:
    if range is None:
        return motion.domain
    a, b = part_of_clip(range, motion.domain)
    return max(a, motion.domain[0]), min(b, motion.domain[1])


def _joined(pieces: Sequence[Curve], start: float, end: float) -> Graph:
    """Combine the curves of a channel, which follow each other, to one."""
    pieces = sorted(pieces, key=lambda p: float(p[0][0]))
    x = np.concatenate([[start], *(p[0] for p in pieces), [end]])
    y = np.concatenate([[start], *(p[1] for p in pieces), [end]])
    fresh = np.r_[True, np.diff(x) > 1e-12]
    return Graph(x[fresh], y[fresh])
