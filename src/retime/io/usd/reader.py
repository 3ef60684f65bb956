"""Reading an animation of a USD stage as a motion."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import is_whole
from retime.errors import FormatError, InputError
from retime.io.as_read import kept_of
from retime.io.files import read_bytes
from retime.io.in_place import choose, others_note
from retime.io.parameters import RestFrame
from retime.io.sampled import Moments, scales_above, uniform_part
from retime.io.usd.package import Unpacked, unpack
from retime.motion import Motion, Origin, Units, UpAxis, quat
from retime.motion.sampling import MOST_BYTES
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note, Remedy
from retime.process.library import Arrays, IsolatedLibrary
from retime.temporary import temporary_folder

# Stages of many layers take long to open, even if the first layer is small.
LIBRARY = IsolatedLibrary(
    Path(__file__).with_name("child.py"),
    module="pxr",
    extra="usd",
    kind="USD",
    seconds=30.0,
)
# A track that differs by less from rest, as a share of the body's extent, does not move.
_STILL = 1e-6


@dataclass(frozen=True, eq=False)
class Kept:
    """Data of a stage, kept to write it back."""

    path: str
    """Its first layer, or its package."""
    sha256: str
    """Of that file."""
    codes_per_second: float
    """Time codes per second."""
    played: tuple[float | None, float | None]
    """The stage's start and end codes."""
    entry: dict[str, Any]
    """Which prims move the joints, as the program that runs USD found them."""
    scales: FloatArray
    """Scale of each joint's ancestors, by which its translations were multiplied. Shape (J,).
    """
    own_scales: FloatArray
    """The uniform part of each joint's own scale, which was taken out. Shape (J,)."""
    motion: Motion
    """The animation as it was read."""


@dataclass(frozen=True)
class Located:
    """A file that the library can open, and a folder for exchanged data."""

    path: Path
    folder: Path
    size: int
    sha256: str
    package: Unpacked | None = None


@contextlib.contextmanager
def located(path: str | Path) -> Iterator[Located]:
    """Make a file ready for the library: a package is unpacked."""
    data = read_bytes(path)
    sha256 = hashlib.sha256(data).hexdigest()
    with temporary_folder() as name:
        folder = Path(name)
        if Path(path).suffix.lower() != ".usdz" and data[:4] != b"PK\x03\x04":
            yield Located(Path(path).resolve(), folder, len(data), sha256)
            return
        place = folder / "package"
        place.mkdir()
        package = unpack(data, place, path)
        yield Located(package.scene, folder, len(data), sha256, package)


def contents(path: str | Path) -> list[dict[str, Any]]:
    """List a stage's animations: names, spans, rates, joints."""
    with located(path) as at:
        request = {"do": "contents", "path": str(at.path)}
        answer, _ = LIBRARY.ask(request, folder=at.folder, size=at.size, path=path)
    found: list[dict[str, Any]] = answer["animations"]
    return found


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    animation: str | int | None = None,
) -> Motion:
    """Read one animation. Options are those of ``retime.read``; its rest pose is the skeleton's."""
    if rest_frame == "first":
        raise InputError(f"{path}: a USD skeleton has its own rest pose; no frame is set aside")
    which: int | Literal["default"] = "default"
    if is_whole(animation):
        which = animation
    elif animation is not None:
        which = _named(path, str(animation))
    ((number, motion),) = _read(path, which, fps).items()
    kept = kept_of(motion, Kept)
    if kept is None or animation is not None:
        return motion
    return motion.with_notes(*others_note(kept.entry["all"], number, kept.entry["skipped"]))


def read_motions(path: str | Path, *, fps: float | None = None) -> list[Motion]:
    """Read every animation of a stage."""
    return list(_read(path, None, fps).values())


def _named(path: str | Path, wanted: str) -> int:
    """Find an animation by its prim's path or name, or by its number."""
    names = [entry["name"] for entry in contents(path)]
    return choose(names, wanted, path, short=[n.rsplit("/", 1)[-1] for n in names])


def _read(
    path: str | Path, which: int | Literal["default"] | None, fps: float | None
) -> dict[int, Motion]:
    with located(path) as at:
        request = {
            "do": "read",
            "path": str(at.path),
            "which": which,
            "fps": fps,
            "most_bytes": MOST_BYTES,
        }
        answer, arrays = LIBRARY.ask(request, folder=at.folder, size=at.size, path=path)
        notes = _notes(answer, at)
    if isinstance(which, int) and not 0 <= which < len(answer["animations"]):
        listed = ", ".join(answer["animations"][:20])
        raise InputError(f"no animation {which} in {path}; there are: {listed}")
    out = {}
    for number, entry in answer["read"].items():
        entry["all"], entry["layers"] = answer["animations"], answer["layers"]
        entry["skipped"] = answer.get("skipped", [])
        own = {n.partition(".")[2]: a for n, a in arrays.items() if n.startswith(f"{number}.")}
        try:
            out[int(number)] = _motion(path, at, answer, entry, own, notes)
        except InputError as e:  # rotations and times of a damaged file
            raise FormatError(str(e), path=path) from None
    return out


def _first(names: list[str], most: int) -> str:
    """Return some names as text, with dots if there are more."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])])


def _notes(answer: dict[str, Any], at: Located) -> list[Note]:
    notes = []
    if at.package is None and len(answer["layers"]) > 1:
        names = [Path(p).name for p in answer["layers"][1:]]
        notes.append(
            Note(
                f"composed of {len(names) + 1} layers; beside its own: {_first(names, 6)}",
                code="stage-layers",
                layers=len(names) + 1,
            )
        )
    if answer["missing"]:
        shown = ", ".join(answer["missing"][:6])
        notes.append(
            Note(
                f"layers that were not found, or could not be read: {shown}",
                code="layers-missing",
                layers=answer["missing"][:20],
            )
        )
    if answer["variants"]:
        notes.append(
            Note(
                f"samples are in variants ({_first(answer['variants'], 3)}): the selected variants "
                "are retimed, and the result overrides the other variants too",
                code="samples-in-variants",
            )
        )
    if not answer["metres_told"]:
        notes.append(
            Note(
                "metersPerUnit is missing: lengths are centimetres, USD's default",
                Remedy(parameter="reading.scale"),
                code="unit-assumed",
            )
        )
    return notes


def _translations(
    skeleton: Skeleton, places: dict[int, FloatArray], frames: int
) -> dict[str, FloatArray]:
    """Return the translations of roots, and of joints that leave their offsets."""
    extent = max(float(np.abs(skeleton.offsets).max()), 1e-9)
    out = {}
    for j, name in enumerate(skeleton.names):
        still = skeleton.offsets[j]
        track = places.get(j, np.tile(still, (frames, 1)))
        if skeleton.parents[j] < 0 or np.abs(track - still).max() > _STILL * extent:
            out[name] = track
    return out


def _changing(skeleton: Skeleton, sizes: dict[int, FloatArray]) -> dict[str, FloatArray]:
    """Return the scales of joints that do not keep their own."""
    rest = skeleton.rest_scales
    changing = (j for j, size in sizes.items() if np.abs(size - rest[j]).max() > _STILL)
    return {skeleton.names[j]: sizes[j] for j in sorted(changing)}


def _motion(
    path: str | Path,
    at: Located,
    answer: dict[str, Any],
    entry: dict[str, Any],
    arrays: Arrays,
    notes: list[Note],
) -> Motion:
    chain, tokens = entry["chain"], entry["joints"]
    base = len(chain)
    above = _parents(entry)
    short = entry["names"] or [t.rsplit("/", 1)[-1] for t in tokens]
    names = unique_names([*(e["name"] for e in chain), *short])
    rest = np.concatenate([arrays["rest"], arrays.get("joint_rest", np.zeros((0, 4, 4)))])
    if not len(rest):
        raise FormatError("nothing in it moves", path=path)
    frames = len(arrays["frames"])
    place, turn, size, sheared = _apart(rest)
    tracks = _tracks(entry, arrays, base)
    shear = sheared | (_add_moving(arrays, tracks) if base else False)
    own, scales = _scales(above, size, tracks)
    skeleton = Skeleton(
        names,
        np.array(above),
        place * scales[:, None],
        turn,
        size / own[:, None],
        (),
        (*(e["path"] for e in chain), *tokens),
    )
    rotations = np.broadcast_to(turn, (frames, len(names), 4)).copy()
    for j, moved in tracks.items():
        rotations[:, j] = moved[0]
    places = {j: moved[1] * scales[j] for j, moved in tracks.items()}
    sizes = {j: moved[2] / own[j] for j, moved in tracks.items()}
    per_second = answer["codes_per_second"]
    bare = Moments(arrays["frames"] / per_second, entry["rate"], entry["even"]).motion(
        skeleton,
        rotations,
        _translations(skeleton, places, frames),
        _changing(skeleton, sizes),
        units=_units(answer),
        notes=(*notes, *_entry_notes(entry, shear)),
    )
    played = (answer["played"][0], answer["played"][1])
    source = str(Path(path).resolve())
    kept = Kept(source, at.sha256, per_second, played, entry, scales, own, bare)
    origin = Origin("usd", str(path), at.sha256, kept, delivered=bare.tracks)
    return replace(bare, origin=origin)


def _units(answer: dict[str, Any]) -> Units:
    up: UpAxis = "Z" if answer["up"] == "Z" else "Y"
    return Units(answer["metres"], up, "declared" if answer["metres_told"] else "assumed")


_Track = tuple[FloatArray, FloatArray, FloatArray]


def _parents(entry: dict[str, Any]) -> list[int]:
    """Return the parents of the prims of a chain and of the skeleton's joints below it."""
    chain = [e["parent"] for e in entry["chain"]]
    last = len(chain) - 1  # -1 where there is no chain: its roots are roots
    return chain + [len(chain) + p if p >= 0 else last for p in entry.get("parents", [])]


def _scales(
    above: list[int], size: FloatArray, tracks: dict[int, _Track]
) -> tuple[FloatArray, FloatArray]:
    """Return each joint's static scale, and that of its ancestors."""
    own = np.ones(len(above))
    for j in range(len(above)):
        shown = tracks[j][2] if j in tracks else size[j : j + 1]
        if np.ptp(shown, axis=0).max() < _STILL and (shown > 1e-9).all():
            own[j] = uniform_part(shown[0])
    return own, scales_above(above, own)


def _entry_notes(entry: dict[str, Any], shear: bool) -> list[Note]:
    notes = [Note(entry["note"], code="stage-contents")] if entry["note"] else []
    if not entry["exact"]:
        notes.append(
            Note(
                f"its samples are not on frames: read at {entry['rate']:g} fps; writing moves the "
                "samples themselves",
                code="samples-off-frames",
                fps=entry["rate"],
            )
        )
    if entry["animation"] and not entry.get("rests", True):
        notes.append(
            Note(
                "the file has no rest transforms; those of the first frame are used",
                code="no-rest-pose",
            )
        )
    if shear:
        notes.append(
            Note(
                "transforms are read without their shear; the file keeps it",
                code="sheared",
            )
        )
    return notes


def _tracks(entry: dict[str, Any], arrays: Arrays, base: int) -> dict[int, _Track]:
    """Return rotations, translations and scales of the joints that an animation moves."""
    out = {}
    place = {token: base + k for k, token in enumerate(entry["joints"])}
    for a, token in enumerate(entry.get("animated", [])):
        if token in place:  # a joint that the skeleton lacks has no effect
            turn = quat.normalize(arrays["rotations"][:, a])
            out[place[token]] = (turn, arrays["translations"][:, a], arrays["scales"][:, a])
    return out


def _add_moving(arrays: Arrays, tracks: dict[int, _Track]) -> bool:
    """Add the tracks of prims that move; return whether some are sheared."""
    sheared = False
    for k, j in enumerate(arrays["moving"].tolist()):
        place, turn, size, shear = _apart(arrays["matrices"][:, k])
        tracks[j] = (turn, place, size)
        sheared |= shear
    return sheared


def _apart(matrices: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, bool]:
    """Decompose transforms (N, 4, 4) for row vectors; also return whether some are sheared."""
    rows = matrices[:, :3, :3]
    size = np.linalg.norm(rows, axis=2)
    size = size * np.where(np.linalg.det(rows) < 0, [[-1.0], [1.0], [1.0]], 1.0).T
    flat = (np.abs(size) < 1e-12).any(axis=1)
    with_size = np.where(np.abs(size) < 1e-12, 1.0, size)
    axes = np.where(flat[:, None, None], np.eye(3), rows / with_size[..., None])
    off = np.abs(axes @ axes.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    bent = off > 1e-5
    if bent.any():
        # The nearest rotation.
        u, _, v = np.linalg.svd(axes[bent])
        axes = axes.copy()
        axes[bent] = u @ v
    turn = quat.normalize(quat.from_axes(*np.moveaxis(axes, 1, 0)))
    return matrices[:, 3, :3].copy(), turn, size, bool(bent.any())
