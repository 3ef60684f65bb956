"""retime's own motion file: a numpy archive, lossless and quick, without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from retime.errors import FormatError, InputError
from retime.io.files import read_bytes, write_bytes
from retime.io.warp_json import from_document, to_document
from retime.motion import Motion, Origin, Pose, Units
from retime.skeleton import EndSite, Skeleton

__all__ = ["read_motion", "write_motion"]

FORMAT = "retime-motion"
VERSION = 1
# What an archive may unpack to.
_MOST_BYTES = 4 << 30


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion file. Options are those of ``retime.write``."""
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
    text = json.dumps(about, ensure_ascii=True).encode()
    buffer = io.BytesIO()
    np.savez(buffer, about=np.frombuffer(text, dtype=np.uint8), **arrays)
    write_bytes(path, [buffer.getvalue()])


def _stacked(tracks: Mapping[str, Any], frames: int) -> Any:
    return np.array(list(tracks.values())) if tracks else np.zeros((0, frames, 3))


def read_motion(
    path: str | Path,
    *,
    rest_frame: Literal["auto", "keep", "first"] = "auto",
    fps: float | None = None,
) -> Motion:
    """Read a motion file. Options are those of ``retime.read``; its rest frame is known."""
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _MOST_BYTES:
            raise FormatError(f"unpacks to {size >> 30} GB, which is too much", path=path)
        with np.load(io.BytesIO(data), allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        about = json.loads(arrays.pop("about").tobytes())
        if about.get("format") != FORMAT:
            raise KeyError("format")
        if about["version"] != VERSION:
            raise FormatError(
                f"version {about['version']!r}; this retime reads version {VERSION}", path=path
            )
        motion = _motion(about, arrays, fps)
    except FormatError:
        raise
    except InputError as e:
        raise FormatError(str(e), path=path) from None
    except Exception as e:  # a damaged archive makes numpy, zipfile, zlib and lzma raise anything
        reason = f"{type(e).__name__}: {e}".splitlines()[0][:200]
        raise FormatError(f"not a retime motion file ({reason})", path=path) from None
    if motion.origin is None:
        origin = Origin("npz", str(path), hashlib.sha256(data).hexdigest(), None)
        object.__setattr__(motion, "origin", origin)
    return motion


def _motion(about: dict[str, Any], arrays: dict[str, Any], fps: float | None) -> Motion:
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
