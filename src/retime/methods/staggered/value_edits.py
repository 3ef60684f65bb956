"""Edits of what poses are (5.1): values, exaggeration, reach, tangents, detail, layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from retime.body import find_body
from retime.contacts import Contact
from retime.errors import InputError
from retime.ik import hold_contacts
from retime.methods.staggered.channel import Channel
from retime.methods.staggered.history import recorded
from retime.methods.staggered.operators import change
from retime.methods.staggered.representation import PoseName, Representation, numbers
from retime.motion import Motion, Pose
from retime.parameters import coerce
from retime.quat import FloatArray

__all__ = ["ValueEdits"]

When = Literal["extreme", "pose"]


class ValueEdits(Representation):
    """Poses reshaped; nothing changes past a pose's neighbours."""

    def _times_of(self, poses: Sequence[int], when: When) -> FloatArray:
        """Return the source's times (N, C) at which poses are looked at."""
        if when not in ("pose", "extreme"):
            raise InputError(f"when is {when!r}; it can be 'pose' or 'extreme'")
        look = self._source_times_at if when == "pose" else self.timing.source_times
        return np.array([look(k) for k in poses])

    def _changed(
        self,
        poses: Sequence[int],
        changes: Mapping[int, FloatArray],
        when: When,
        layer: int,
    ) -> Self:
        """Change channels at poses, by (N, 3) each: at the poses' times, or at extremes."""
        curves, numbers = list(self.curves), self.timing.numbers
        times = self._times_of(poses, when)
        for i, by in changes.items():
            curve = curves[i]
            if not 0 <= layer < len(curve.stack):
                raise InputError(f"there is no layer {layer}; there are {len(curve.stack)}")
            turns = {}
            for k, t, turn in zip(poses, times[:, i], by, strict=True):
                if not self.timing.included[k, i]:
                    continue
                if when == "pose":
                    curve = _with_editing_knot(curve, int(numbers[k]), float(t))
                turns[int(numbers[k])] = turn
                if self.loop and k in (0, len(self) - 1):
                    turns[int(numbers[0])] = turns[int(numbers[-1])] = turn
            curves[i] = curve.changed(turns, layer)
        return replace(self, curves=tuple(curves))

    @recorded
    def edit(
        self,
        pose: PoseName,
        rotations: Mapping[str, npt.ArrayLike] | None = None,
        translations: Mapping[str, npt.ArrayLike] | None = None,
        *,
        when: When = "pose",
        layer: int = 0,
    ) -> Self:
        """Give joints new values at a pose; their extremes follow, and nothing past its neighbours.

        Parameters
        ----------
        pose : int or float
            Which pose.
        rotations : mapping of str to array (4,), optional
            Local rotations, wxyz, by joint.
        translations : mapping of str to array (3,), optional
            Translations of roots, in the file's units.
        when : {"pose", "extreme"}
            The values are those at the pose's time, or the parts' extreme values.
        layer : int
            Which layer of the stack takes the change; 0 is the motion itself.
        """
        k = self._editable(pose)
        values: dict[int, FloatArray] = {}
        for name, value in (rotations or {}).items():
            q = numbers(value, 4, f"the rotation of {name!r}")
            if abs(np.linalg.norm(q) - 1) > 1e-3:
                raise InputError(f"the rotation of {name!r} is no unit quaternion: {q.tolist()}")
            for i in self._columns([name]):
                values[i] = q / np.linalg.norm(q)
        for name, value in (translations or {}).items():
            channel = name if name.endswith(":translation") else f"{name}:translation"
            for i in self._columns([channel]):
                values[i] = numbers(value, 3, f"the translation of {name!r}")
        if any(len(v) != (4 if i < len(self.source.skeleton) else 3) for i, v in values.items()):
            raise InputError("a rotation was given for a translation; use translations")
        return self._set(k, values, when, layer)

    def _set(self, pose: int, values: Mapping[int, FloatArray], when: When, layer: int) -> Self:
        """Give channels new values at a pose."""
        for i in values:
            if not self.timing.included[pose, i]:
                raise InputError(f"pose {pose} leaves {self.channels[i]!r} out")
        times, out = self._times_of([pose], when)[0], self
        # Between two frames a value is interpolated: a second round makes it exact.
        for _ in range(2):
            by = {
                i: change(value, out.curves[i].at(times[i : i + 1])[0])[None]
                for i, value in values.items()
            }
            out = out._changed([pose], by, when, layer)
        return out

    @recorded
    def turn(
        self,
        joints: Mapping[str, npt.ArrayLike],
        *,
        poses: Iterable[PoseName] | PoseName | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Turn joints by the same amount at poses.

        Parameters
        ----------
        joints : mapping of str to array (3,)
            Rotation vectors in degrees, about the parent's axes, by joint.
        poses : sequence of int or float, optional
            Which poses; left out, all but the two ends.
        when : {"extreme", "pose"}
            Whether extremes turn, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        chosen = self._chosen(poses)
        by = {
            i: np.tile(np.radians(numbers(v, 3, f"the turn of {n!r}")), (len(chosen), 1))
            for n, v in joints.items()
            for i in self._columns([n])
        }
        if any(i >= len(self.source.skeleton) for i in by):
            raise InputError("a translation cannot turn; use edit")
        return self._changed(chosen, by, when, layer)

    @recorded
    def exaggerate(
        self,
        weight: float,
        *,
        relative_to: Literal["average", "neighbours", "previous", "next"] | PoseName = "average",
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Push poses away from another pose, or toward it.

        Parameters
        ----------
        weight : float
            How far, as a share of the difference; negative lessens it.
        relative_to : {"average", "neighbours", "previous", "next"}, int or float
            The other pose: the mean of all, of the two beside, one of them, or any pose.
        joints : sequence of str, optional
            Which joints; left out, all but the roots.
        poses : sequence of int or float, optional
            Which poses; left out, all but the two ends.
        when : {"extreme", "pose"}
            Whether extremes are pushed, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        weight = coerce(weight, float, "weight")
        columns, chosen = self._columns(joints, roots=False), self._chosen(poses)
        others = [self._reference(relative_to, k) for k in chosen]
        times = self._times_of(range(len(self)), when)
        changes = {}
        for i in columns:
            values = self.curves[i].at(times[:, i])
            if relative_to == "average":
                means = np.broadcast_to(_mean(values), values[chosen].shape)
            else:
                means = np.array([_mean(values[o]) for o in others]).reshape(values[chosen].shape)
            changes[i] = weight * change(values[chosen], means)
        return self._changed(chosen, changes, when, layer)

    def _reference(self, relative_to: str | PoseName, k: int) -> list[int]:
        beside = {
            "average": list(range(len(self))),
            "neighbours": [k - 1, k + 1],
            "previous": [k - 1],
            "next": [k + 1],
        }
        if isinstance(relative_to, str) and relative_to in beside:
            return [b for b in beside[relative_to] if 0 <= b < len(self)] or [k]
        if isinstance(relative_to, str) and not relative_to[:1].isdigit():
            raise InputError(
                f"relative_to is {relative_to!r}; it can be "
                + ", ".join(map(repr, beside))
                + ", or a pose"
            )
        return [self._pose(relative_to)]

    @recorded
    def reach(
        self,
        pose: PoseName,
        targets: Mapping[str, npt.ArrayLike],
        *,
        when: When = "pose",
        layer: int = 0,
    ) -> Self:
        """Bring hands or feet to places at a pose, by inverse kinematics.

        Parameters
        ----------
        pose : int or float
            Which pose.
        targets : mapping of str to array (3,)
            Places in metres, Y up, by joint.
        when : {"pose", "extreme"}
            Whether the pose at its time reaches them, or the non-staggered pose.
        layer : int
            Which layer of the stack takes the change.
        """
        k = self._editable(pose)
        still = _still(self.source, self._as_pose(self._times_of([k], when)[0]))
        body = find_body(self.source)
        wanted = {}
        for name, place in targets.items():
            for joint in body.find_joints([name]):
                if body.limb_of(still.skeleton.index(joint)) is None:
                    raise InputError(f"{joint!r} is on no arm and no leg; name a hand or a foot")
                contact = Contact(joint, *still.domain)
                wanted[contact] = numbers(place, 3, f"the target of {name!r}")
        reached = hold_contacts(still, wanted, fade=0.0)
        moved = np.flatnonzero((reached.rotations[0] != still.rotations[0]).any(axis=1))
        values = {int(j): reached.rotations[0, j] for j in moved}
        out = self._set(k, values, when, layer)
        return out._saying(reached.notes)

    @recorded
    def set_tangents(
        self,
        pose: PoseName,
        joint: str,
        *,
        arrive: npt.ArrayLike | None = None,
        leave: npt.ArrayLike | None = None,
        layer: int = 0,
    ) -> Self:
        """Set the speeds with which a joint's splines come to its extreme and go from it.

        Parameters
        ----------
        pose : int or float
            Which pose.
        joint : str
            A joint, or ``NAME:translation`` of a root.
        arrive, leave : array (3,), optional
            Degrees per second about the parent's axes; the file's units per second for a
            translation. Left out, it stays.
        layer : int
            Which layer of the stack.
        """
        k = self._editable(pose)
        curves = list(self.curves)
        for i in self._columns([joint]):
            if not self.timing.included[k, i]:
                raise InputError(f"pose {k} leaves {self.channels[i]!r} out")
            unit = np.pi / 180 if i < len(self.source.skeleton) else 1.0
            came, went = (
                None if v is None else unit * numbers(v, 3, f"the tangent of {joint!r}")
                for v in (arrive, leave)
            )
            curves[i] = curves[i].with_tangents(int(self.timing.numbers[k]), came, went, layer)
        return replace(self, curves=tuple(curves))

    @recorded
    def detail(
        self,
        share: float,
        *,
        joints: Iterable[str] | None = None,
        after: Iterable[PoseName] | PoseName | None = None,
        layer: int = 0,
    ) -> Self:
        """Scale what the splines leave out: 0 mutes it, 1 is as recorded.

        Parameters
        ----------
        share : float
            The factor.
        joints : sequence of str, optional
            Which joints; left out, all, and the roots' translations.
        after : sequence of int or float, optional
            Only the transitions that follow these poses.
        layer : int
            Which layer of the stack.
        """
        share = coerce(share, float, "share")
        curves = list(self.curves)
        starts: list[int | None] = [None]
        if after is not None:
            starts = list(self._chosen(after))
        elif self.span is not None:
            starts = [k for k in range(len(self) - 1) if self.span[0] <= self.times[k] + 1e-9
                      and self.times[k + 1] <= self.span[1] + 1e-9]  # fmt: skip
        for i in self._columns(joints):
            for k in starts:
                if k is None:
                    curves[i] = curves[i].with_detail(share, None, layer)
                elif k + 1 < len(self):
                    ends = (self.timing.source_times(n)[i] for n in (k, k + 1))
                    curves[i] = curves[i].with_detail(share, tuple(map(float, ends)), layer)  # type: ignore[arg-type]
        return replace(self, curves=tuple(curves))

    @recorded
    def add_layer(self, detail: Mapping[str, npt.ArrayLike] | None = None) -> Self:
        """Put a layer of splines and displacements on top of every transition.

        Edits of value may go to it by its number; it starts without any change.

        Parameters
        ----------
        detail : mapping of str to array (F, 3), optional
            Displacements at the source's frames, by joint: rotation vectors in degrees about the
            joint's own axes, or places in the file's units for ``NAME:translation``.
        """
        own: dict[int, FloatArray] = {}
        for name, values in (detail or {}).items():
            for i in self._columns([name]):
                track = np.asarray(values, dtype=float)
                if track.shape != (len(self.source), 3) or not np.isfinite(track).all():
                    raise InputError(
                        f"the displacement of {name!r} needs {len(self.source)} finite rows of 3"
                    )
                own[i] = np.radians(track) if i < len(self.source.skeleton) else track
        curves = [c.with_layer(own.get(i)) for i, c in enumerate(self.curves)]
        added = self._reshaped(self, curves)
        if not own:
            return added
        plain = tuple(None if i in own else p for i, p in enumerate(added.plain))
        return replace(added, plain=plain)


def _with_editing_knot(curve: Channel, number: int, t: float) -> Channel:
    """Put the pose's editing knot at a source time; one that stood elsewhere goes."""
    old = curve.knot_of(number, extreme=False)
    if old is not None:
        if abs(curve.knots[old] - t) < 1e-7:
            return curve
        curve = curve.without_knot(old)
    return curve.with_knot(t, number, extreme=False)


def _mean(values: FloatArray) -> FloatArray:
    """Average values (N, D); rotations by the main axis of their outer products."""
    if values.shape[-1] == 3:
        return np.asarray(values.mean(axis=0))
    mean = np.linalg.eigh(values.T @ values)[1][:, -1]
    return np.asarray(mean if mean @ values[0] >= 0 else -mean)


def _still(motion: Motion, pose: Pose) -> Motion:
    """Make a motion of two frames that holds a pose."""
    return replace(
        motion,
        rotations=np.repeat(pose.rotations[None], 2, axis=0),
        translations={
            n: np.repeat(pose.translations.get(n, t[0])[None], 2, axis=0)
            for n, t in motion.translations.items()
        },
        scales={n: np.repeat(t[:1], 2, axis=0) for n, t in motion.scales.items()},
        fps=30.0,
        start=0.0,
        sample_times=None,
        origin=None,
        notes=(),
    )
