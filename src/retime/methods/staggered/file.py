"""Files of staggered poses: lossless, as JSON or as a numpy archive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io import warp_json
from retime.io.archive import unpack, write_archive
from retime.io.files import read_bytes
from retime.io.json_text import parse_json, write_json
from retime.io.npz import motion_from_parts, motion_parts
from retime.methods.staggered.channel import Channel, Curve
from retime.methods.staggered.edits.history import PoseEdit
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.search.evidence import Evidence
from retime.methods.staggered.timing import Timing
from retime.motion import Motion
from retime.motion.contact import parse_contacts
from retime.notes import as_notes

__all__ = ["read_poses", "write_poses"]

FORMAT = "retime-poses"
VERSION = 1
_TIMING = (
    *("numbers", "times", "refinements", "included", "asks"),
    *("known_times", "known_refinements"),
)
_EVIDENCE = ("times", "probability", "local", "weights", "candidates", "priorities")
_CHANNEL = ("knots", "owners", "extreme")


def write_poses(poses: StaggeredPoses, path: str | Path) -> None:
    """Write poses; the suffix determines the format."""
    kind = _kind(path)
    about, arrays = _parts(poses)
    if kind == ".npz":
        write_archive(path, about, arrays)
    else:
        listed = {
            n: {"kind": a.dtype.str, "shape": list(a.shape), "values": a.ravel().tolist()}
            for n, a in arrays.items()
        }
        write_json({**about, "arrays": listed}, path)


def read_poses(path: str | Path) -> StaggeredPoses:
    """Read a file of staggered poses."""
    try:
        if _kind(path) == ".npz":
            about, arrays = unpack(read_bytes(path), path, FORMAT, VERSION)
        else:
            about = parse_json(path)
            if not isinstance(about, Mapping) or about.get("format") != FORMAT:
                raise KeyError("format")
            if about["version"] != VERSION:
                raise FormatError(
                    f"version {about['version']!r}; this retime reads version {VERSION}", path=path
                )
            arrays = {
                n: np.array(a["values"], dtype=_known_kind(a["kind"])).reshape(a["shape"])
                for n, a in about["arrays"].items()
            }
        return _poses(about, arrays)
    except FormatError:
        raise
    except InputError as e:
        raise FormatError(str(e), path=path) from None
    except Exception as e:  # a damaged file can raise any exception
        reason = f"{type(e).__name__}: {e}".splitlines()[0][:200]
        raise FormatError(f"not a file of staggered poses ({reason})", path=path) from None


def _kind(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".npz"):
        raise InputError(f"a file of poses is .json or .npz, not {suffix or 'no suffix'!r}")
    return suffix


def _known_kind(text: str) -> Any:
    if text not in ("<f8", "<i8", "|b1"):
        raise InputError(f"an array of kind {text!r} is not expected")
    return np.dtype(text)


def _parts(poses: StaggeredPoses) -> tuple[dict[str, Any], dict[str, Any]]:
    motion, arrays = motion_parts(poses.source)
    arrays = {f"motion/{n}": a for n, a in arrays.items()}
    timing, evidence = poses.timing, poses.evidence
    arrays |= {f"timing/{n}": getattr(timing, n) for n in _TIMING}
    if evidence is not None:
        arrays |= {f"evidence/{n}": getattr(evidence, n) for n in _EVIDENCE}
    for i, channel in enumerate(poses.curves):
        arrays |= {f"channel/{i}/{n}": getattr(channel, n) for n in _CHANNEL}
        for n, curve in enumerate(channel.stack):
            arrays[f"channel/{i}/{n}/controls"] = curve.controls
            arrays[f"channel/{i}/{n}/detail"] = curve.detail
    about = {
        "format": FORMAT,
        "version": VERSION,
        "motion": motion,
        "channels": list(timing.channels),
        "least_gap": timing.least_gap,
        "base": None if timing.base is None else warp_json.to_document(timing.base),
        "has_evidence": evidence is not None,
        "layers": [len(c.stack) for c in poses.curves],
        "weights": [[layer.weight for layer in c.stack] for c in poses.curves],
        "fit": poses.curves[0].fit,
        "plain": [c is p for c, p in zip(poses.curves, poses.plain, strict=True)],
        "contacts": None if poses.contacts is None else [c.to_document() for c in poses.contacts],
        "bounds": poses.bounds,
        "loop": poses.loop,
        "edits": [e.to_document() for e in poses.edits],
        "notes": poses.notes,
        "limits": poses.limits,
    }
    return about, {n: np.ascontiguousarray(a) for n, a in arrays.items()}


def _floats(values: npt.ArrayLike) -> FloatArray:
    """Return an array as kernels take it, in whatever layout a file has it."""
    return np.ascontiguousarray(values, dtype=float)


def _must_agree(source: Motion, timing: Timing, curves: list[Channel]) -> None:
    """Reject arrays that do not fit together."""
    poses, frames, joints = len(timing.times), len(source), len(source.skeleton)
    table = (poses, len(source.channels))
    tables = (timing.refinements, timing.known_refinements)
    whole = all(a.shape == table for a in tables)
    lined = all(a.shape == (poses,) for a in (timing.times, timing.known_times, timing.numbers))
    flags = timing.included.shape == timing.asks.shape == table
    if not (whole and lined and flags and len(curves) == table[1]):
        raise InputError("its poses, times and channels do not agree")
    if poses < 2 or (np.diff(timing.times) <= 0).any() or not timing.included[[0, -1]].all():
        raise InputError("its pose times do not rise")
    for i, curve in enumerate(curves):
        whole = _is_whole(curve, frames, 4 if i < joints else 3)
        if (
            not whole
            or not np.isin(timing.numbers[timing.included[:, i]], curve.owners[curve.extreme]).all()
        ):
            raise InputError(f"the knots of {source.channels[i]!r} do not agree with its poses")


def _is_whole(curve: Channel, frames: int, size: int) -> bool:
    """Return whether a channel's arrays have the shapes that its knots need."""
    knots = len(curve.knots)
    if knots < 2 or not curve.owners.shape == curve.extreme.shape == (knots,):
        return False
    if not curve.stack or (np.diff(curve.knots) <= 0).any():
        return False
    shapes = ((knots - 1, 4, size), (frames, size))
    return all((c.controls.shape, c.detail.shape) == shapes for c in curve.stack)


def _poses(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> StaggeredPoses:
    def under(prefix: str) -> dict[str, Any]:
        return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}

    source = motion_from_parts(about["motion"], under("motion/"))
    if tuple(about["channels"]) != source.channels:
        raise InputError("its channels are not those of its skeleton")
    timing = Timing(
        channels=source.channels,
        least_gap=float(about["least_gap"]),
        base=None if about["base"] is None else warp_json.from_document(about["base"]),
        **under("timing/"),
    )
    curves = []
    for i, layers in enumerate(about["layers"]):
        own = under(f"channel/{i}/")
        weights = about["weights"][i] if "weights" in about else [1.0] * layers
        stack = tuple(
            Curve(_floats(own[f"{n}/controls"]), _floats(own[f"{n}/detail"]), float(weights[n]))
            for n in range(layers)
        )
        fields = {n: own[n] for n in _CHANNEL} | {"knots": _floats(own["knots"])}
        curves.append(Channel(source.times, stack=stack, fit=about["fit"], **fields))
    _must_agree(source, timing, curves)
    contacts = about["contacts"]
    return StaggeredPoses(
        source,
        timing,
        tuple(curves),
        tuple(c if same else None for c, same in zip(curves, about["plain"], strict=True)),
        Evidence(**under("evidence/")) if about["has_evidence"] else None,
        None if contacts is None else parse_contacts(contacts),
        None if about["bounds"] is None else (int(about["bounds"][0]), int(about["bounds"][1])),
        bool(about["loop"]),
        tuple(PoseEdit.from_document(e) for e in about["edits"]),
        as_notes(about["notes"]),
        about["limits"],
    )
