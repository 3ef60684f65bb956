"""Staggered poses as a representation: data, names of poses and channels, and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts.grips import find_grips
from retime.body.solve.holding import Constraints, contact_fixes
from retime.coercion import coerce
from retime.errors import InputError, did_you_mean
from retime.methods.staggered.arrivals import Arrivals
from retime.methods.staggered.channel import Channel
from retime.methods.staggered.correcting import Corrections, corrected
from retime.methods.staggered.edits.history import PoseEdit
from retime.methods.staggered.edits.operators import change, changed, interpolate
from retime.methods.staggered.search.evidence import Evidence
from retime.methods.staggered.timing import Timing
from retime.motion import Motion, Pose
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply, apply_edits
from retime.motion.kinematics import carriers
from retime.motion.layers import PoseLayer
from retime.notes import Note
from retime.sentences import Moment, Span
from retime.timing import TimeWarp

__all__ = ["PoseName", "Representation", "When", "by_joint", "numbers"]

# A pose by its number, or by a time near it.
PoseName = int | float | str
# At the pose's time, or where each part is extreme.
When = Literal["extreme", "pose"]
# Maximum distance of a time from the pose that it names, seconds.
_NEAR = 0.25
# Smaller changes are rounding errors and ignored, so nothing changes outside an edit.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Representation:
    """The parts of :class:`StaggeredPoses`, which describes them."""

    source: Motion
    timing: Timing
    curves: tuple[Channel, ...]
    plain: tuple[Channel | None, ...]
    evidence: Evidence | None = None
    contacts: tuple[Contact, ...] | None = None
    bounds: tuple[int, int] | None = None
    loop: bool = False
    edits: tuple[PoseEdit, ...] = ()
    notes: tuple[Note, ...] = ()
    limits: str = "on"

    def __len__(self) -> int:
        return len(self.timing)

    @property
    def times(self) -> FloatArray:
        """When each pose is reached, (K,) seconds."""
        return self.timing.times

    @property
    def refinements(self) -> FloatArray:
        """How much later than its pose each channel arrives, (K, C) seconds."""
        return self.timing.refinements

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels: joints, and ``NAME:translation`` for each root."""
        return self.timing.channels

    @property
    def free(self) -> tuple[int, ...]:
        """Numbers of the poses that an edit of all poses changes: all except the two ends."""
        first, last = self._ends
        return tuple(range(first + 1, last))

    @property
    def _ends(self) -> tuple[int, int]:
        """The first and last pose of the editable part: the ends of the clip or of a range."""
        if self.bounds is None:
            return 0, len(self) - 1
        first, last = (int(np.flatnonzero(self.timing.numbers == n)[0]) for n in self.bounds)
        return first, last

    def extreme(self, pose: PoseName) -> Pose:
        """Return the non-staggered pose: every part at its own extreme value."""
        return self._pose_of(self.index(pose), "extreme")

    def at(self, pose: PoseName) -> Pose:
        """Return the actual pose at the pose's time."""
        return self._pose_of(self.index(pose), "pose")

    def _times_of(self, poses: Sequence[int], when: When) -> FloatArray:
        """Return the source times (N, C) at which poses are read."""
        if when not in ("pose", "extreme"):
            raise InputError(f"when is {when!r}; it can be 'pose' or 'extreme'")
        look = self._source_times_at if when == "pose" else self.timing.source_times
        return np.array([look(k) for k in poses]).reshape(len(poses), len(self.channels))

    def _read(self, i: int, poses: Sequence[int], when: When) -> FloatArray:
        """Return a channel's values at poses (N, D), as the evaluated motion has them."""
        plain = None
        if when == "pose" and i < len(self.source.skeleton) and self.arrivals.warp.in_space:
            plain = self._plain_at_poses[list(poses), i]
        return self._values(i, self._times_of(poses, when)[:, i], plain)

    @cached_property
    def _plain_at_poses(self) -> FloatArray:
        """The source's rotations (K, J, 4) at the poses' times, of joints in space too."""
        return apply(self.source, self.arrivals.warp, times=self.times).rotations

    def _pose_of(self, pose: int, when: When) -> Pose:
        return self._as_pose([self._read(i, [pose], when)[0] for i in range(len(self.curves))])

    def _as_pose(self, values: Sequence[FloatArray]) -> Pose:
        skeleton = self.source.skeleton
        count = len(skeleton)
        places = {skeleton.names[r]: values[count + n] for n, r in enumerate(skeleton.roots)}
        return Pose(np.array(values[:count]), places)

    def _values(self, i: int, t: FloatArray, plain: FloatArray | None = None) -> FloatArray:
        """Return a channel's values at the source's times, as the evaluated motion has them.

        Between frames the source is interpolated, and the pose layer is applied to it, or to
        ``plain`` values, which joints in space have between joints at other times.
        """
        curve, source = self.curves[i], self.source
        if i >= len(source.skeleton):
            return curve.at(t)
        if curve is self.plain[i]:
            return curve.at(t) if plain is None else plain
        frames = np.unique(curve.around(t))
        at = source.times[frames]
        by = change(curve.at(at), source.rotations[frames, i])
        turn = np.stack([np.interp(t, at, by[:, c]) for c in range(3)], axis=1)
        if plain is None:
            plain = interpolate(source.rotations[frames, i], at, t)
        return changed(plain, turn)

    def _source_times_at(self, k: int) -> FloatArray:
        """Return each channel's source time at the time of a pose, (C,)."""
        t = float(self.times[k])
        if not self.timing.is_edited:
            return np.full(len(self.channels), t)
        warp = self.arrivals.warp
        return np.array([float(warp(t, c)) for c in self.channels])

    # ---- results

    @cached_property
    def arrivals(self) -> Arrivals:
        """When the parts of poses arrive: asked and delivered."""
        return Arrivals(
            self.timing,
            self.source,
            self.limits == "on",
            self._span,
            self.loop,
            self.contacts,
            self.is_blank,
            self.hips_lead,
        )

    @property
    def _span(self) -> tuple[float, float] | None:
        """Output times of the editable range, if there is one."""
        if self.bounds is None:
            return None
        first, last = self.times[list(self._ends)]
        return float(first), float(last)

    def warp(self) -> TimeWarp:
        """Return all timing edits as one warp; it composes with those of other methods."""
        warp = self.arrivals.warp
        return warp.looped(self.loop).with_notes(*self.notes, *self.arrivals.notes())

    def layer(self) -> PoseLayer | None:
        """Return all edits of value as a pose layer in the source's time; ``None`` without any."""
        touched = [
            i for i, (c, p) in enumerate(zip(self.curves, self.plain, strict=True)) if c is not p
        ]
        if not touched:
            return None
        source, skeleton = self.source, self.source.skeleton
        rotations, translations = {}, {}
        for i in touched:
            curve, plain = self.curves[i], self.plain[i]
            if i < len(skeleton):
                by = curve.changes(plain, source.rotations[:, i], _ROUNDING)
                rotations[skeleton.names[i]] = by
            else:
                root = skeleton.names[skeleton.roots[i - len(skeleton)]]
                old = source.translations[root]
                floor = _ROUNDING * max(1.0, float(np.abs(old).max(initial=0.0)))
                translations[root] = curve.changes(plain, old, floor)
        return PoseLayer(source.times, rotations, translations)

    def to_edit(
        self,
        *,
        constraints: Constraints = "hold",
        keep_gravity: bool = False,
        grips: bool = True,
    ) -> Edit:
        """Return the edits as a step's result: a warp, a pose layer, and contacts held.

        Parameters
        ----------
        constraints : {"hold", "free"}
            Keep contacts on the paths of the source, by inverse kinematics at the end, or not.
        keep_gravity : bool
            Make exaggerated jumps longer, so that they still fall with gravity.
        grips : bool
            Keep hands on what they hold when parts of a pose arrive at different times.
        """
        layer = self.layer()
        held = grips and self.timing.is_edited and bool(find_grips(self.source))
        by = Corrections(
            self.body_weight,
            self.travel_weight,
            self._span,
            keep_gravity,
            held,
            self.hips_lead and self.timing.is_edited,
        )
        quiet = layer is None and not self.timing.is_edited and not by
        warp, correction, ground = self.warp(), None, None
        if by:
            warp, correction, ground = corrected(self.source, warp, layer, by, self.contacts)
        return Edit(
            warp=warp,
            layer=layer,
            correction=correction,
            fixes=() if quiet or self.is_blank else contact_fixes(constraints),
            contacts=self.contacts,
            ground=ground,
        )

    @property
    def is_blank(self) -> bool:
        """Whether the clip starts over from one pose, without the contacts of the recording."""
        return any(e.do == "blank" and not e.mute for e in self.edits)

    @property
    def hips_lead(self) -> bool:
        """Whether a succession gives the hips a time of their own, before that of the legs."""
        return any(
            e.do == "succession" and not e.mute and e.arguments.get("lead") == "hips"
            for e in self.edits
        )

    @property
    def body_weight(self) -> float:
        """Exaggeration of the whole body, which also applies to its height and lean."""
        whole = [
            float(e.arguments["weight"])
            for e in self.edits
            if e.do == "exaggerate"
            and not e.mute
            and e.arguments.get("joints") is None
            and e.arguments.get("poses") is None
        ]
        return sum(whole)

    @property
    def travel_weight(self) -> float:
        """Exaggeration of the body's path over the ground."""
        return sum(
            float(e.arguments["weight"]) for e in self.edits if e.do == "travel" and not e.mute
        )

    def motion(
        self,
        *,
        constraints: Constraints = "hold",
        fps: float | None = None,
        times: npt.ArrayLike | None = None,
    ) -> Motion:
        """Evaluate the edited motion.

        Parameters
        ----------
        constraints : {"hold", "free"}
            Keep contacts on the paths of the source, or not.
        fps : float, optional
            Frame rate. Default: the source's.
        times : array (F,), optional
            Output times to evaluate, in place of evenly spaced frames.
        """
        edit = self.to_edit(constraints=constraints)
        out = apply_edits(self.source, [edit], fps=fps, times=times)
        return out.with_notes(*self.notes)

    # ---- names

    def index(self, pose: PoseName) -> int:
        """Return the number of a pose, given by its number or by a time near it."""
        if isinstance(pose, str):
            text = pose.strip().removesuffix("s").strip()
            pose = float(coerce(text, float, "the pose's time"))
        if isinstance(pose, bool) or not isinstance(pose, int | float | np.integer | np.floating):
            raise InputError(f"a pose is a number or a time in seconds, not {pose!r}")
        if isinstance(pose, int | np.integer):
            if not -len(self) <= pose < len(self):
                raise InputError(f"there is no pose {pose}; there are {len(self)}, from 0")
            return int(pose) % len(self)
        k = int(np.abs(self.times - pose).argmin())
        if not abs(self.times[k] - pose) <= _NEAR:
            raise InputError(
                "no pose near {time}; the nearest, pose {k}, is at {nearest:.3f}",
                time=Moment(float(pose)),
                k=k,
                nearest=Moment(float(self.times[k])),
            )
        return k

    def _chosen(self, poses: Iterable[PoseName] | PoseName | None) -> list[int]:
        if poses is None:
            return list(self.free)
        one = isinstance(poses, str) or not isinstance(poses, Iterable)
        named = [poses] if one else list(poses)  # type: ignore[arg-type]
        return sorted({self._editable(p) for p in named})  # type: ignore[arg-type]

    def _editable(self, pose: PoseName) -> int:
        k = self.index(pose)
        if self.bounds is not None and k not in self.free:
            raise InputError(
                "pose {k} at {time:.3f} is not inside the range that may change, {range:.3f}",
                k=k,
                time=Moment(float(self.times[k])),
                range=self._free_span(),
            )
        return k

    def _free_span(self) -> Span:
        return Span(*self.times[list(self._ends)].tolist())

    def _columns(self, joints: Iterable[str] | str | None, *, roots: bool = True) -> list[int]:
        """Return channels by names and roles; ``None`` is all, with roots only if ``roots``."""
        skeleton = self.source.skeleton
        if joints is None:
            count = len(self.channels)
            above = carriers(skeleton)
            hips = [int(j) for j in np.flatnonzero(np.isin(skeleton.parents, above))]
            own = [*skeleton.roots, *above, *hips, *range(len(skeleton), count)]
            return [i for i in range(count) if roots or i not in own]
        out = []
        if not isinstance(joints, Iterable):
            raise InputError(f"joints are names, not {joints!r}")
        for name in [joints] if isinstance(joints, str) else joints:
            if not isinstance(name, str):
                raise InputError(f"a joint is a name, not {name!r}")
            if name in self.channels:
                out.append(self.channels.index(name))
            elif ":translation" in name:
                raise InputError(f"no channel {name!r}{did_you_mean(name, self.channels)}")
            else:
                found = find_body(self.source).find_joints([name])
                out += [skeleton.index(n) for n in found]
        return sorted(set(out))

    def _knot(self, i: int, pose: int) -> int:
        knot = self.curves[i].knot_of(int(self.timing.numbers[pose]))
        if knot is None:
            raise InputError(f"pose {pose} leaves {self.channels[i]!r} out")
        return knot

    def _layer(self, layer: int) -> int:
        """Check the number of a layer of the stack."""
        count = len(self.curves[0].stack)
        if isinstance(layer, bool) or not isinstance(layer, int) or not 0 <= layer < count:
            raise InputError(f"there is no layer {layer!r}; there are {count}, from 0")
        return layer

    def _saying(self, notes: Iterable[Note]) -> Self:
        """Return the same poses with more notes."""
        new = (n for n in dict.fromkeys(notes) if n not in self.notes)
        return replace(self, notes=(*self.notes, *new))

    def _reshaped(self, poses: Self, curves: Sequence[Channel]) -> Self:
        """Reuse curves whose values are the same, so that unchanged curves stay unchanged."""
        plain = tuple(
            new if old is kept else kept
            for new, old, kept in zip(curves, self.curves, self.plain, strict=True)
        )
        return replace(poses, curves=tuple(curves), plain=plain)


def by_joint(value: object, what: str) -> Mapping[str, Any]:
    """Check that a value is a mapping from joints."""
    if not isinstance(value, Mapping):
        raise InputError(f"{what} are given by joint, not as {value!r}")
    return value


def numbers(value: npt.ArrayLike, count: int, what: str) -> FloatArray:
    """Convert a value to ``count`` finite numbers, or raise an error."""
    try:
        out = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {count} numbers") from None
    if out.shape != (count,) or not np.isfinite(out).all():
        raise InputError(f"{what} must be {count} finite numbers")
    return out
