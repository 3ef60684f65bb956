"""Keys on a motion: the dragged joints, the joints that follow, and those that keep their time."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName, find_body
from retime.errors import InputError
from retime.methods.surface.carrying import Carried, Chain, carried_by
from retime.methods.surface.keys import SurfaceKey
from retime.methods.surface.parameters import Falloff, RootMode
from retime.methods.surface.projection import View, seen_at, topological_distances
from retime.methods.surface.shapes import Sheet, sheet_of
from retime.motion import Motion
from retime.motion.kinematics import height

__all__ = ["BORDER", "Placed", "Placer"]

# From this weight of the hips on, the whole body counts as dragged.
_BODY_WIDE = 0.5
# The border of a surface around what it shows, in heights.
BORDER = 0.05


@dataclass(frozen=True, eq=False)
class Placed:
    """A key on its motion: seen along its direction, in heights.

    Parameters
    ----------
    key : SurfaceKey
        The key.
    view : View
        The plane of its surface.
    joints : tuple of int (D,)
        The joint that each of its drags is at, or nearest to.
    places : array (J, 2)
        The joints on the plane at the key's time.
    near : array (J, D)
        The range filter: how near each joint is to each drag along the bones.
    sheet : Sheet
        The bent surface.
    shifts : array (J,)
        Shift of each joint, seconds; positive is later.
    locked : frozenset of int
        Joints that keep their time.
    limbs : tuple of str
        Arms and legs that are dragged.
    chains : tuple of (frozenset of int, float)
        Segments that follow up to the waist, and their shifts; the rest follows within bounds.
    """

    key: SurfaceKey
    view: View
    joints: tuple[int, ...]
    places: FloatArray
    near: FloatArray
    sheet: Sheet
    shifts: FloatArray
    locked: frozenset[int]
    limbs: tuple[LimbName, ...] = ()
    chains: tuple[Chain, ...] = ()

    @property
    def asked(self) -> FloatArray:
        """All shifts that drags ask for."""
        return np.array([shift for _, shift in self.chains]) if self.chains else self.shifts


@dataclass(frozen=True, eq=False)
class _Figure:
    """Data of a motion's figure that does not depend on the drags."""

    body: Body
    height: float
    view: View
    legs: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, motion: Motion) -> _Figure:
        """Return the figure of a motion, cached: a drag needs it at every step."""
        known = _KNOWN.get(motion)
        if known is None:
            body = find_body(motion)
            tall = max(height(motion.skeleton), 1e-9) * motion.units.metres
            known = cls(body, tall, View.of(motion, body, None), _legs(body))
            _KNOWN[motion] = known
        return known


_KNOWN: weakref.WeakKeyDictionary[Motion, _Figure] = weakref.WeakKeyDictionary()


def _legs(body: Body) -> tuple[frozenset[int], ...]:
    """List each leg's joints."""
    skeleton, out = body.skeleton, []
    for name in ("left_leg", "right_leg"):
        limb = body.limbs.get(name)
        if limb is not None:
            ends = {limb.upper, limb.end}
            below = [j for j in range(len(skeleton)) if ends & set(skeleton.chain(j))]
            out.append(frozenset(below))
    return tuple(out)


class Placer:
    """Places keys on one motion.

    Parameters
    ----------
    motion : Motion
        The motion.
    root : {"auto", "follow", "rotations", "lock"}
        How the root follows.
    falloff : {"limb", "arm", "joint"}
        Joints that follow a drag.
    grips : bool
        Whether hands keep what they hold.
    """

    def __init__(
        self, motion: Motion, root: RootMode, falloff: Falloff = "joint", *, grips: bool = True
    ) -> None:
        self.motion = motion
        self.root, self.falloff, self.grips = root, falloff, grips
        self._figure = _Figure.of(motion)
        self.body, self.height = self._figure.body, self._figure.height

    def place(self, keys: Sequence[SurfaceKey]) -> tuple[Placed, ...]:
        """Place keys; a time outside the clip or an unknown joint is an error."""
        times, which = np.unique([key.time for key in keys], return_inverse=True)
        points = seen_at(self.motion, times.tolist())
        return tuple(self._place(key, points[n]) for key, n in zip(keys, which, strict=True))

    def _place(self, key: SurfaceKey, points: FloatArray) -> Placed:
        motion, body = self.motion, self.body
        view = self._figure.view
        if key.direction is not None:
            view = View.of(motion, body, key.direction)
        places = view.project(points[None], motion.skeleton.roots[0])[0] / self.height
        joints, drags = [], []
        for drag in key.drags:
            if drag.joint is not None:
                found = body.find_joints([drag.joint])
                if len(found) > 1:
                    raise InputError(f"{drag.joint!r} is more than one joint; drag one of them")
                joint = motion.skeleton.index(found[0])
                place = places[joint]
            else:
                place = np.array(drag.point) / self.height
                joint = int(np.linalg.norm(places - place, axis=1).argmin())  # eq. 3
            joints.append(joint)
            drags.append(place)
        ways = np.stack([topological_distances(body, j, points) for j in joints], axis=1)
        near = np.exp(-(np.minimum(ways / self.height / key.range_sigma, 40.0) ** 2) / 2)
        bounds = (places.min(axis=0) - BORDER, places.max(axis=0) + BORDER)
        sheet = sheet_of(key, np.array(drags), near[joints], bounds)
        shifts = sheet.shifts(places, near)  # eq. 8, by the distance of each joint along the bones
        locked = self._locked(key, joints, shifts)
        shifts[list(locked)] = 0.0
        carried = self._carried(key, joints)
        if carried is not None:
            shifts = carried.shifts(len(shifts))
        return Placed(
            key,
            view,
            tuple(joints),
            places,
            near,
            sheet,
            shifts,
            locked,
            () if carried is None else carried.limbs,
            () if carried is None else carried.chains,
        )

    def _carried(self, key: SurfaceKey, joints: Sequence[int]) -> Carried | None:
        """Return the joints that drags move with the segments above them, or ``None``."""
        named = all(d.joint is not None for d in key.drags)
        if self.falloff == "joint" or self.root in ("follow", "rotations") or not named:
            return None
        drags = [(j, d.shift) for j, d in zip(joints, key.drags, strict=True)]
        span = (key.time - key.gamma, key.time + key.gamma)
        return carried_by(
            self.motion,
            self.body,
            drags,
            span,
            waist=self.falloff == "limb",
            grips=self.grips,
        )

    def _locked(self, key: SurfaceKey, joints: Sequence[int], shifts: FloatArray) -> frozenset[int]:
        """Return the joints that keep their time: the root, and legs that are not dragged."""
        if self.root in ("follow", "rotations"):
            return frozenset()
        dragged, trunk = set(joints), self._trunk
        if self.root == "auto":
            most = max(abs(d.shift) for d in key.drags)
            if dragged & set(trunk) or (0 < _BODY_WIDE * most <= abs(shifts[trunk[0]])):
                return frozenset()
        idle = [leg for leg in self._figure.legs if not leg & dragged]
        return frozenset(set(trunk).union(*idle) - dragged)

    @cached_property
    def _trunk(self) -> list[int]:
        """List the hips and their ancestors."""
        hips = self.body.roles.get("hips", self.motion.skeleton.roots[0])
        return self.motion.skeleton.chain(hips)
