"""Motions: a skeleton and its sampled local transforms."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InputError
from retime.motion import quat
from retime.motion.origin import Origin
from retime.motion.skeleton import Skeleton
from retime.motion.touched import Touched, TouchedLater, Tracks, difference
from retime.motion.units import Units
from retime.notes import Note, as_notes
from retime.one_line import one_line
from retime.pictured import draw

if TYPE_CHECKING:
    from retime.pictured import Figure

# Times closer than this to a sample, in frames, are that sample, because of rounding.
_SNAP = 1e-7
# Largest deviation of a squared norm from 1 that is normalised; larger ones are errors.
_UNIT_TOLERANCE = 1e-3
_ROUNDING = 1e-14
# Least frame rate; lower ones make times overflow.
_LEAST_RATE = 1e-9
# Read-only arrays that were checked; copies of a motion share them.
_CHECKED: weakref.WeakValueDictionary[int, FloatArray] = weakref.WeakValueDictionary()


@one_line()
@dataclass(frozen=True, eq=False)
class Pose(ReadOnlyArrays):
    """One frame of a motion.

    Parameters
    ----------
    rotations : array (J, 4)
        Local rotations, wxyz.
    translations : mapping of str to array (3,)
        Local translations of the joints that have them.
    """

    rotations: FloatArray
    translations: Mapping[str, FloatArray]


@one_line(lambda m: m._facts())
@dataclass(frozen=True, eq=False)
class Motion(ReadOnlyArrays):
    """A skeleton and its sampled local transforms, in the file's own numbers.

    Parameters
    ----------
    skeleton : Skeleton
        The joints.
    rotations : array (F, J, 4)
        Local rotations, wxyz, unit length; made sign-continuous in time.
    translations : mapping of str to array (F, 3)
        Local translations of every root, and of other joints if the file has them.
    scales : mapping of str to array (F, 3)
        Local scales, if the file has them.
    fps : float
        Samples per second, if they are evenly spaced.
    start : float
        Time of the first sample in seconds.
    sample_times : array (F,), optional
        Times of unevenly spaced samples, in place of ``fps`` and ``start``.
    units : Units
        Conversion of its numbers to metres with Y up.
    rest_pose : Pose, optional
        Rest frame of the file, before its first frame of motion; of several, the first.
    roles : mapping of str to str
        Joints by role, given by the user; other roles are found.
    origin : Origin, optional
        The source file.
    notes : tuple of Note
        Findings, assumptions and changes.
    """

    skeleton: Skeleton
    rotations: FloatArray
    translations: Mapping[str, FloatArray]
    scales: Mapping[str, FloatArray] = field(default_factory=dict)
    fps: float = 30.0
    start: float = 0.0
    sample_times: FloatArray | None = None
    units: Units = Units()
    rest_pose: Pose | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = None
    notes: tuple[Note, ...] = ()

    def _facts(self) -> list[str]:
        came = [] if self.origin is None else [f"from {self.origin.path!r}"]
        length = f"{len(self)} frames at {self.rate:g} fps"
        return [length, f"{self.duration:.4g} s", f"{len(self.skeleton)} joints", *came]

    def __post_init__(self) -> None:
        put = object.__setattr__
        skeleton = self.skeleton
        put(self, "rotations", _checked_rotations(self.rotations, skeleton))
        missing = [skeleton.names[r] for r in skeleton.roots]
        missing = [name for name in missing if name not in self.translations]
        if missing:
            raise InputError(f"the root {missing[0]!r} has no translation track")
        for kind in ("translations", "scales"):
            put(self, kind, self._checked_tracks(kind))
        if self.sample_times is not None:
            times = _checked_times(self.sample_times, len(self))
            put(self, "sample_times", times)
            put(self, "start", float(times[0]) if len(times) else self.start)
        self._must_have_times()
        if self.rest_pose is not None:
            put(self, "rest_pose", _checked_pose(self.rest_pose, skeleton))
        for name in self.roles.values():
            skeleton.index(name)
        put(self, "roles", MappingProxyType(dict(self.roles)))
        put(self, "notes", as_notes(self.notes))

    def _must_have_times(self) -> None:
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise InputError(f"the frame rate must be above 0, not {self.fps}")
        if self.fps < _LEAST_RATE:
            raise InputError(f"a frame rate of {self.fps:g} makes frames last for years")
        if not np.isfinite(self.start):
            raise InputError("the start time must be finite")

    def _checked_tracks(self, kind: str) -> Mapping[str, FloatArray]:
        tracks = {}
        for name, track in getattr(self, kind).items():
            what = f"{kind[:-1]} track of {self.skeleton.names[self.skeleton.index(name)]!r}"
            tracks[name] = read_only(track, (len(self.rotations), 3), what, may_be_nan=True)
            _must_be_finite(tracks[name], what)
        return MappingProxyType(tracks)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.rotations)

    @cached_property
    def times(self) -> FloatArray:
        """Sample times in seconds, shape (F,)."""
        if self.sample_times is not None:
            return self.sample_times
        times: FloatArray = self.start + np.arange(len(self)) / self.fps
        times.setflags(write=False)
        return times

    @property
    def domain(self) -> tuple[float, float]:
        """First and last sample time."""
        if not len(self):
            raise InputError("the motion has no frames")
        return float(self.times[0]), float(self.times[-1])

    @property
    def duration(self) -> float:
        """Last minus first sample time, in seconds; 0 without frames."""
        return float(self.times[-1] - self.times[0]) if len(self) else 0.0

    @property
    def rate(self) -> float:
        """Samples per second; the mean if they are uneven.

        A shorter last interval, of a clip that ends between two frames, is ignored.
        """
        if self.sample_times is None or len(self) < 2 or self.duration == 0:
            return self.fps
        gaps = np.diff(self.sample_times)
        if len(gaps) > 1 and np.ptp(gaps[:-1]) < 1e-4 * gaps[0] and gaps[-1] < gaps[0]:
            gaps = gaps[:-1]
        return float(1 / gaps.mean())

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the warp channels."""
        return self.skeleton.channels

    @property
    def root_translation(self) -> FloatArray:
        """Translation track of the first root, shape (F, 3)."""
        return self.translations[self.skeleton.names[self.skeleton.roots[0]]]

    @property
    def tracks(self) -> Tracks:
        """Rotations, translations and scales."""
        return self.rotations, dict(self.translations), dict(self.scales)

    @property
    def touched(self) -> Touched:
        """Joints that were edited since the motion was read, beyond moving them in time.

        It is known only for files that are retimed in place; :attr:`retime.Evaluated.touched` is
        known for all results.
        """
        if self.origin is None or self.origin.delivered is None:
            return Touched()
        known = self.origin.touched
        found = known.now() if isinstance(known, TouchedLater) else known
        return found | difference(self.origin.delivered, self.tracks, self.skeleton)

    @property
    def rotations_6d(self) -> FloatArray:
        """Local rotations as the first two columns of their matrices, (F, J, 6)."""
        from retime.motion.building import to_6d

        return to_6d(self.rotations)

    def __getitem__(self, part: slice) -> Motion:
        """Return some frames: ``motion[10:50]`` by number, ``motion[1.0:2.5]`` by seconds.

        As in all Python slices, the end is excluded. The frames keep their times and the link to
        their file.
        """
        from retime.motion.cutting import cut

        return cut(self, part)

    def between(self, start: float | str | None = None, end: float | str | None = None) -> Motion:
        """Return the frames from one time to another, both included; they keep their times.

        Times are seconds, or text such as ``"48f"`` or ``"20%"``. :func:`retime.trim` also moves
        the part to the start of the motion.
        """
        from retime.motion.cutting import between

        return between(self, start, end)

    def plot(self, *, poses: int = 12) -> Figure:
        """Draw a film strip of some poses; see :func:`retime.plot.strip`."""
        return draw("strip", self, poses=poses)

    def resample(self, fps: float) -> Motion:
        """Return the motion at another frame rate."""
        from retime.motion.edits import apply_edits

        return apply_edits(self, [], fps=fps)

    def to_dataframe(
        self, values: Literal["positions", "rotations", "translations"] = "positions"
    ) -> Any:
        """Return a pandas table: a row per frame by time, and columns by joint and axis.

        ``values`` are positions in metres with Y up, local rotations (wxyz), or local translations
        in the file's units.
        """
        from retime.motion.building import to_dataframe

        return to_dataframe(self, values)

    @classmethod
    def from_arrays(
        cls,
        rotations: Any = None,
        parents: Any = None,
        *,
        fps: float = 30.0,
        names: Sequence[str] | None = None,
        offsets: Any = None,
        root_translation: Any = None,
        positions: Any = None,
        units: Units | None = None,
    ) -> Motion:
        """Build a motion from arrays, or from tensors that numpy can convert.

        Parameters
        ----------
        rotations : array
            Local rotations: quaternions wxyz (F, J, 4), matrices (F, J, 3, 3), 6D rotations
            (F, J, 6) or rotation vectors in radians (F, J, 3).
        parents : array (J,)
            Index of each joint's parent, which comes before it; -1 for a root.
        fps : float
            Frames per second.
        names : sequence of str (J,), optional
            Joint names. Default: ``joint_0`` and so on.
        offsets : array (J, 3)
            Rest position of each joint relative to its parent. With positions, their mean by
            default.
        root_translation : array (F, 3), optional
            Translation of the first root. Default: its offset.
        positions : array (F, J, 3), optional
            Positions of all joints, in place of rotations.
        units : Units, optional
            Units of the numbers. Default: metres, Y up.

        Examples
        --------
        >>> import numpy as np
        >>> turns = np.zeros((3, 2, 3))
        >>> turns[:, 1, 2] = [0.0, 0.5, 1.0]
        >>> Motion.from_arrays(turns, [-1, 0], fps=10, offsets=[[0, 0, 0], [0, 1, 0]])
        Motion(3 frames at 10 fps, 0.2 s, 2 joints)
        """
        from retime.motion.building import from_arrays

        given = {"rotations": rotations, "names": names, "offsets": offsets, "positions": positions}
        more = {"root_translation": root_translation, "units": units}
        return from_arrays(parents=parents, fps=fps, **given, **more)

    def with_notes(self, *notes: Note) -> Motion:
        """Return the motion with more notes; a note that it already has is not repeated."""
        new = tuple(n for n in dict.fromkeys(notes) if n not in self.notes)
        return replace(self, notes=self.notes + new) if new else self

    def frame_at(self, t: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return the frame at or before each time, and the fraction of the next frame.

        Times very close to a sample are that sample (fraction 0). Times outside the clip are those
        of its ends.
        """
        t = np.asarray(t, dtype=float)
        last = len(self) - 1
        if last < 0:
            raise InputError("the motion has no frames to sample")
        if self.sample_times is None:
            position = (t - self.start) * self.fps
        else:
            position = np.interp(t, self.sample_times, np.arange(last + 1.0))
        near = np.round(position)
        position = np.where(np.abs(position - near) < _SNAP, near, position)
        position = np.clip(position, 0, last)
        frame = np.floor(position).astype(np.int64)
        return frame, position - frame


def _must_be_finite(values: FloatArray, what: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise InputError(f"{what}: the value at frame {int(np.argwhere(bad)[0][0])} is not finite")


def _checked_times(given: FloatArray, frames: int) -> FloatArray:
    times = read_only(given, (frames,), "sample times", may_be_nan=True)
    _must_be_finite(times, "sample times")
    if (np.diff(times) <= 0).any():
        raise InputError("sample times must rise")
    return times


def _checked_pose(pose: Pose, skeleton: Skeleton) -> Pose:
    rotations = read_only(pose.rotations, (len(skeleton), 4), "the rest pose's rotations")
    places = {
        name: read_only(place, (3,), f"the rest pose's place of {name!r}")
        for name, place in pose.translations.items()
    }
    for name in places:
        skeleton.index(name)
    _unit_and_continuous(rotations[None], skeleton)
    same = rotations is pose.rotations and all(places[n] is p for n, p in pose.translations.items())
    return pose if same else Pose(rotations, MappingProxyType(places))


def _checked_rotations(rotations: FloatArray, skeleton: Skeleton) -> FloatArray:
    if _CHECKED.get(id(rotations)) is not rotations or rotations.shape[1] != len(skeleton):
        shape = (None, len(skeleton), 4)
        rotations = read_only(rotations, shape, "rotations", may_be_nan=True)
    return _unit_and_continuous(rotations, skeleton)


def trust(rotations: FloatArray) -> FloatArray:
    """Mark rotations as unit and continuous, so that they are not checked; make them read-only."""
    rotations.setflags(write=False)
    _CHECKED[id(rotations)] = rotations
    return rotations


def _unit_and_continuous(q: FloatArray, skeleton: Skeleton) -> FloatArray:
    """Return rotations normalised and sign-continuous; raise if one is not a unit quaternion."""
    if _CHECKED.get(id(q)) is q:
        return q
    worst, least = _native.motion.unevenness(q)
    if not worst < _UNIT_TOLERANCE:
        away = np.abs(np.einsum("fji,fji->fj", q, q) - 1)
        frame, joint = np.argwhere(~(away < _UNIT_TOLERANCE))[0].tolist()
        raise InputError(
            f"rotation of {skeleton.names[joint]!r} at frame {frame} is not a unit quaternion: "
            f"{q[frame, joint].tolist()}"
        )
    if worst > _ROUNDING:
        q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    if least < 0:
        q = quat.continuous(q)
    q.setflags(write=False)
    _CHECKED[id(q)] = q
    return q
