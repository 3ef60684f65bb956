"""retime's own motion file: a numpy archive, lossless and quick, without pickle."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import FormatError, InputError
from retime.io.archive import unpack, write_archive
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.members import Members
from retime.io.parameters import RestFrame
from retime.io.warp_json import from_document, to_document
from retime.motion import Motion, Origin, Pose, Units
from retime.motion.skeleton import EndSite, Skeleton

FORMAT = "retime-motion"
VERSION = 1
_ARRAYS = (
    "parents", "offsets", "rest_rotations", "rest_scales", "rotations", "translations", "scales",
    "sample_times", "rest_pose_rotations", "rest_pose_translations",
)  # fmt: skip


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion file. Options are those of ``retime.write``."""
    write_archive(path, *motion_parts(motion, drop_rest=drop_rest))


def motion_parts(
    motion: Motion, *, drop_rest: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a motion into a description and arrays."""
    skeleton = motion.skeleton
    rest = None if drop_rest else motion.rest_pose
    about: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "names": skeleton.names,
        "file_names": skeleton.file_names,
        "end_sites": [[s.parent, *s.offset, s.name] for s in skeleton.end_sites],
        "fps": motion.fps,
        "start": motion.start,
        "units": [motion.units.metres, motion.units.up, motion.units.how],
        "translations": list(motion.translations),
        "scales": list(motion.scales),
        "rest_pose": None if rest is None else list(rest.translations),
        "roles": dict(motion.roles),
        "notes": motion.notes,
    }
    if motion.origin is not None:
        warp = motion.origin.warp
        about["origin"] = {
            "format": motion.origin.format,
            "path": Path(motion.origin.path).name,
            "sha256": motion.origin.sha256,
            "warp": None if warp is None else to_document(warp),
        }
    arrays = {
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "rest_rotations": skeleton.rest_rotations,
        "rest_scales": skeleton.rest_scales,
        "rotations": motion.rotations,
        "translations": _stacked(motion.translations, len(motion)),
        "scales": _stacked(motion.scales, len(motion)),
    }
    if motion.sample_times is not None:
        arrays["sample_times"] = motion.sample_times
    if rest is not None:
        arrays["rest_pose_rotations"] = rest.rotations
        arrays["rest_pose_translations"] = np.array(list(rest.translations.values()))
    return about, arrays


def _stacked(tracks: Mapping[str, Any], frames: int) -> Any:
    return np.array(list(tracks.values())) if tracks else np.zeros((0, frames, 3))


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read a motion file. Options are those of ``retime.read``; its rest frame is known."""
    data = read_bytes(path)
    try:
        about, arrays = unpack(data, path, FORMAT, VERSION, _ARRAYS)
        gaps = Gaps(path)
        motion = motion_from_parts(about, _bridged(about, arrays, gaps), fps)
    except FormatError:
        raise
    except InputError as e:
        raise FormatError(str(e), path=path) from None
    except KeyError:
        raise FormatError(_other_kind(data), path=path) from None
    # numpy, zipfile, zlib and lzma raise various exceptions for a damaged archive
    except Exception:
        raise FormatError(
            "not a whole retime motion file: it is damaged or cut off; write it again", path=path
        ) from None
    motion = motion.with_notes(*gaps.notes())
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(motion, origin=Origin("npz", str(path), sha256, None, made_of=motion.origin))


def _bridged(about: Mapping[str, Any], arrays: Mapping[str, Any], gaps: Gaps) -> Mapping[str, Any]:
    """Interpolate missing values of the motion; the skeleton must be complete."""
    out = dict(arrays)
    turns = out["rotations"]
    if turns.ndim == 3 and np.isnan(turns).any():
        names = about["names"]
        out["rotations"] = np.stack([gaps.turns(n, turns[:, j]) for j, n in enumerate(names)], 1)
    for kind in ("translations", "scales"):
        if out[kind].ndim == 3 and np.isnan(out[kind]).any():
            tracks = zip(about[kind], out[kind], strict=True)
            out[kind] = np.stack([gaps.places(n, track) for n, track in tracks])
    return out


def _other_kind(data: bytes) -> str:
    """Return a description of an archive that is not a motion."""
    arrays = Members(data, "")
    listed = [f"{n} {arrays.shape(n)}" if arrays.shape(n) else n for n in arrays.names[:6]]
    more = ", ..." if len(arrays.names) > 6 else ""
    held = ", ".join(listed) + more
    return (
        f"this archive contains no motion, but {held or 'nothing'}. retime reads its own files "
        "and those of SMPL parameters (poses, trans and mocap_framerate or fps); joint positions "
        "are read from .npy"
    )


def motion_from_parts(
    about: Mapping[str, Any], arrays: Mapping[str, Any], fps: float | None = None
) -> Motion:
    """Put a motion together again."""
    sites = (EndSite(int(s[0]), (s[1], s[2], s[3]), s[4]) for s in about["end_sites"])
    skeleton = Skeleton(
        names=tuple(about["names"]),
        parents=arrays["parents"],
        offsets=arrays["offsets"],
        rest_rotations=arrays["rest_rotations"],
        rest_scales=arrays["rest_scales"],
        end_sites=tuple(sites),
        file_names=tuple(about["file_names"]),
    )
    rest_pose = None
    if about["rest_pose"] is not None:
        rest_pose = Pose(
            arrays["rest_pose_rotations"],
            dict(zip(about["rest_pose"], arrays["rest_pose_translations"], strict=True)),
        )
    origin = None
    if "origin" in about:
        o = about["origin"]
        warp = None if o["warp"] is None else from_document(o["warp"])
        origin = Origin(o["format"], o["path"], o["sha256"], None, warp)
    metres, up, how = about["units"]
    return Motion(
        skeleton,
        arrays["rotations"],
        dict(zip(about["translations"], arrays["translations"], strict=True)),
        dict(zip(about["scales"], arrays["scales"], strict=True)),
        fps=float(about["fps"] if fps is None else fps),
        start=float(about["start"]),
        sample_times=arrays.get("sample_times"),
        units=Units(float(metres), up, how),
        rest_pose=rest_pose,
        roles=about.get("roles", {}),
        origin=origin,
        notes=tuple(about["notes"]),
    )
