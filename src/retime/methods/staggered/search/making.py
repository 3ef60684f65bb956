"""Make staggered poses: find them in a motion, or build them from key poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import detect_contacts
from retime.body.contacts.given import with_given
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.staggered.channel import Channel, Fit
from retime.methods.staggered.parameters import FindingParameters
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.search.evidence import TRAIL_SMOOTHING, gather, refinements_at
from retime.methods.staggered.search.filtering import noisy_joints, smoothed
from retime.methods.staggered.timing import Timing
from retime.motion import Motion, Pose, Units, quat
from retime.motion.contact import Contact
from retime.motion.edits import apply
from retime.motion.kinematics import infer_units
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton
from retime.notes import Note, Remedy
from retime.parameters import Range, part_of_clip
from retime.sentences import Duration, Moment, ParameterName, Span
from retime.timing import TimeWarp

__all__ = ["poses_by_hand", "poses_of"]

# Noise: a turn between two frames above this angle, in radians, and above this multiple of the
# turns before and after it.
_FLIP = np.radians(15)
_SPIKE = 3.0


def poses_of(motion: Motion, p: FindingParameters) -> StaggeredPoses:
    """Find a motion's poses; see :meth:`StaggeredPoses.from_motion`."""
    if len(motion) < 2:
        raise InputError("staggered poses need a motion of at least two frames")
    if p.filter > motion.duration:
        raise InputError(
            "{name} is {width}, longer than the clip",
            name=ParameterName("filter"),
            width=Duration(p.filter),
        )
    contacts = None if p.contacts is None else tuple(p.contacts)
    span = _inside(p.range, motion)
    _check_contacts(contacts, motion)
    notes: list[Note] = []
    used = motion
    filtered: tuple[str, ...] = ()
    if p.filter > 0:
        body = find_body(motion)
        filtered = body.find_joints(p.filter_joints) if p.filter_joints else noisy_joints(motion)
        used = smoothed(motion, p.filter, filtered)
        notes.append(
            Note(
                "{joints} joints were smoothed over {seconds}",
                code="joints-smoothed",
                joints=len(filtered),
                seconds=Duration(p.filter),
            )
        )
    notes += _flips(used)
    even = used
    if motion.sample_times is not None:
        even = apply(used, TimeWarp.identity(*used.domain), fps=used.rate)
    known = _contacts(even) if contacts is None or not p.contacts_only else ()
    known = with_given(known, contacts or (), only=False)
    evidence = gather(even, known)
    chosen = evidence.best(p.keep, span)
    if not len(evidence.candidates):
        notes.append(
            Note(
                "nothing moves in this clip: it has only its two end poses",
                code="nothing-moves",
            )
        )
    frames, pinned = _with_ends(chosen, span, even)
    offsets = refinements_at(evidence, frames, p.max_refinement)
    offsets[pinned] = 0
    times = even.times[frames]
    refinements = even.times[frames[:, None] + offsets] - times[:, None]
    timing = _timing(motion.skeleton, times, refinements, 1 / motion.rate)
    curves = _fitted(used, timing, p.fit)
    plain = tuple(
        None if name in filtered else c for name, c in zip(timing.channels, curves, strict=True)
    )
    bounds = None
    if span is not None:
        first, last = (int(np.abs(times - t).argmin()) for t in span)
        bounds = (int(timing.numbers[first]), int(timing.numbers[last]))
    return StaggeredPoses(
        motion,
        timing,
        curves,
        plain,
        evidence,
        contacts,
        bounds,
        p.loop,
        notes=tuple(notes),
        limits=p.limits,
    )


def _contacts(motion: Motion) -> tuple[Contact, ...]:
    """Detect contacts in the smoothed motion, so that noise does not move their ends."""
    return detect_contacts(smoothed(motion, TRAIL_SMOOTHING, motion.skeleton.names))


def _inside(span: Range | None, motion: Motion) -> Range | None:
    """Return the frames of a range."""
    if span is None:
        return None
    a, b = part_of_clip(span, motion.domain)
    times = motion.times
    inside = times[(times >= a - 1e-9) & (times <= b + 1e-9)]
    if len(inside) < 3:
        raise InputError("the range {range} has fewer than three frames", range=Span(a, b))
    return float(inside[0]), float(inside[-1])


def _check_contacts(contacts: tuple[Contact, ...] | None, motion: Motion) -> None:
    for contact in contacts or ():
        if not isinstance(contact, Contact):
            raise InputError(f"a contact is a Contact, not {contact!r}")
        motion.skeleton.index(contact.joint)


def _with_ends(
    chosen: npt.NDArray[np.int64], span: Range | None, motion: Motion
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Add poses at the ends of the clip and of the range; return all poses and these."""
    last = len(motion) - 1
    ends = {0, last}
    if span is not None:
        ends |= {int(np.abs(motion.times - t).argmin()) for t in span}
    inner = [int(f) for f in chosen if all(abs(f - e) >= 2 for e in ends)]
    frames = np.array(sorted({*inner, *ends}), dtype=np.int64)
    return frames, np.array([int(f) in ends for f in frames])


def _timing(
    skeleton: Skeleton, times: FloatArray, refinements: FloatArray, least_gap: float
) -> Timing:
    shape = (len(times), len(skeleton.channels))
    return Timing(
        skeleton.channels,
        np.arange(len(times)),
        times,
        refinements,
        np.ones(shape, dtype=bool),
        np.ones(shape),
        times,
        refinements,
        least_gap,
    )


def _fitted(motion: Motion, timing: Timing, fit: Fit) -> tuple[Channel, ...]:
    skeleton = motion.skeleton
    tracks = [np.ascontiguousarray(motion.rotations[:, j]) for j in range(len(skeleton))]
    tracks += [motion.translations[skeleton.names[r]] for r in skeleton.roots]
    return tuple(
        Channel.fitted(motion.times, track, timing.knots[:, i].copy(), timing.numbers, fit)
        for i, track in enumerate(tracks)
    )


def _flips(motion: Motion) -> list[Note]:
    """Return a note on joints that jump between two frames."""
    turns = quat.angle(motion.rotations[1:], motion.rotations[:-1])
    beside = np.pad(turns, ((1, 1), (0, 0)))
    jumps = np.where(turns > _SPIKE * np.maximum(beside[:-2], beside[2:]), turns, 0.0)
    worst = jumps.max(axis=0, initial=0.0)
    flipping = [j for j in np.argsort(-worst) if worst[j] > _FLIP]
    if not flipping:
        return []
    j = flipping[0]
    names = ", ".join(motion.skeleton.names[i] for i in flipping[:4])
    more = f" and {len(flipping) - 4} more" if len(flipping) > 4 else ""
    at = float(motion.times[int(jumps[:, j].argmax())])
    return [
        Note(
            "joints jump between two frames: {names} (by {degrees:.0f} degrees at {time:.2f})",
            Remedy("if that is noise, filter it", parameter="filter"),
            code="joints-flip",
            names=f"{names}{more}",
            degrees=float(np.degrees(worst[j])),
            time=Moment(at),
        )
    ]


def poses_by_hand(
    skeleton: Skeleton,
    poses: Sequence[Pose],
    times: Sequence[float],
    *,
    refinements: Mapping[str, Sequence[float]],
    joints: Sequence[Sequence[str] | None] | None,
    fps: float,
    units: Units | None,
) -> StaggeredPoses:
    """Build poses by hand; see :meth:`StaggeredPoses.from_poses`."""
    fps = coerce(fps, float, "fps")
    at = _pose_times(poses, times, fps, len(skeleton))
    timing = _timing(skeleton, at, _given_refinements(skeleton, refinements, at), 1 / fps)
    if joints is not None:
        timing = replace(timing, included=_included(skeleton, joints, len(at)))
    values = _values(skeleton, poses)
    frames = max(round((at[-1] - at[0]) * fps), 1)
    moments = np.r_[at[0] + np.arange(frames) / fps, at[-1]]
    curves = []
    for i, name in enumerate(skeleton.channels):
        has = timing.included[:, i]
        knots = timing.knots[has, i]
        if (np.diff(knots) < timing.least_gap - 1e-9).any():
            raise InputError(f"the refinements of {name!r} make its knots cross")
        track = np.array([v[i] for v, h in zip(values, has, strict=True) if h])
        if track.shape[-1] == 4:
            track = quat.continuous(track)
        curves.append(Channel.through(moments, track, knots, timing.numbers[has]))
    count = len(skeleton)
    source = Motion(
        skeleton,
        np.stack([c.values for c in curves[:count]], axis=1),
        {skeleton.names[r]: curves[count + n].values for n, r in enumerate(skeleton.roots)},
        fps=fps,
        start=float(at[0]),
        sample_times=None if abs(moments[-2] + 1 / fps - at[-1]) < 1e-9 else moments,
        notes=(Note(f"made from {len(poses)} poses", code="made-from-poses", poses=len(poses)),),
    )
    units, inferred = (units, ()) if units is not None else infer_units(source)
    source = replace(source, units=units, notes=(*source.notes, *inferred))
    return StaggeredPoses(source, timing, tuple(curves), tuple(curves))


def _pose_times(
    poses: Sequence[Pose], times: Sequence[float], fps: float, joints: int
) -> FloatArray:
    """Return the poses' times; raise if they cannot make a motion."""
    if fps <= 0:
        raise InputError(f"the frame rate must be above 0, not {fps}")
    at = np.array([coerce(t, float, "times") for t in times])
    for pose in poses:
        if not isinstance(pose, Pose):
            raise InputError(f"a pose is a Pose, not {type(pose).__name__}")
    if len(poses) < 2 or at.shape != (len(poses),):
        raise InputError(f"{len(poses)} poses need as many times, and at least two of both")
    if not np.isfinite(at).all() or (np.diff(at) <= 0).any():
        raise InputError("the poses' times must be finite and rise")
    if (at[-1] - at[0]) * fps * joints * 32 > MOST_BYTES:
        raise InputError(
            "{length} at {fps:g} fps are more frames than fit in memory",
            length=Duration(float(at[-1] - at[0])),
            fps=fps,
        )
    if np.diff(at).min() < 1 / fps - 1e-9:
        raise InputError(f"the poses' times are closer than a frame of {fps:g} fps")
    return at


def _given_refinements(
    skeleton: Skeleton, refinements: Mapping[str, Sequence[float]], at: FloatArray
) -> FloatArray:
    """Return how much later each channel arrives at each pose, (K, C)."""
    channels = skeleton.channels
    later = np.zeros((len(at), len(channels)))
    for name, given in refinements.items():
        if name not in channels:
            skeleton.index(name)  # the error suggests the nearest name
        column = np.array([coerce(v, float, f"the refinements of {name!r}") for v in given])
        if column.shape != at.shape or not np.isfinite(column).all():
            raise InputError(f"the refinements of {name!r} need one number for each pose")
        if column[0] or column[-1]:
            raise InputError(f"the first and the last pose have no refinement ({name!r})")
        later[:, channels.index(name)] = column
    return later


def _included(
    skeleton: Skeleton, joints: Sequence[Sequence[str] | None], count: int
) -> npt.NDArray[np.bool_]:
    if len(joints) != count:
        raise InputError(f"{count} poses need {count} lists of joints, or None for all")
    out = np.ones((count, len(skeleton.channels)), dtype=bool)
    for k, names in enumerate(joints):
        if names is None:
            continue
        if k in (0, count - 1):
            raise InputError("the first and the last pose have all joints")
        for name in names:
            if name not in skeleton.channels:
                skeleton.index(name)
        out[k] = [c in names for c in skeleton.channels]
    return out


def _values(skeleton: Skeleton, poses: Sequence[Pose]) -> list[list[FloatArray]]:
    """List each pose's values in the order of the channels."""
    out = []
    for k, pose in enumerate(poses):
        rotations = np.asarray(pose.rotations, dtype=float)
        if rotations.shape != (len(skeleton), 4):
            raise InputError(
                f"pose {k} has rotations of shape {rotations.shape}, expected ({len(skeleton)}, 4)"
            )
        lengths = np.linalg.norm(rotations, axis=1)
        if not (np.abs(lengths - 1) < 1e-3).all():
            j = int(np.abs(lengths - 1).argmax())
            raise InputError(f"pose {k}: the rotation of {skeleton.names[j]!r} is not a rotation")
        places = [
            np.asarray(pose.translations.get(skeleton.names[r], skeleton.offsets[r]), dtype=float)
            for r in skeleton.roots
        ]
        if any(p.shape != (3,) or not np.isfinite(p).all() for p in places):
            raise InputError(f"pose {k}: a root's place must be 3 finite numbers")
        out.append([*(rotations / lengths[:, None]), *places])
    return out
