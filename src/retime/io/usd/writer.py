"""Writing motions to USD: into a copy of their first layer, a layer over it, or a new file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.as_read import kept_of
from retime.io.files import read_bytes, write_bytes
from retime.io.in_place import retimed_together
from retime.io.links import path_from
from retime.io.usd.plan import EditPlan, matrices
from retime.io.usd.reader import LIBRARY, Kept, Located, located
from retime.io.usd.timing import settled
from retime.motion import Motion, quat
from retime.motion.kinematics import local_translations
from retime.temporary import temporary_folder

_OVER = re.compile(r"\.over\.usd[ac]?$", re.IGNORECASE)


def write_motion(
    motion: Motion,
    path: str | Path,
    *,
    drop_rest: bool = False,
    original: Motion | None = None,
) -> None:
    """Write a motion. One that came from USD goes back into its stage; another gets a new file.

    A name that ends in ``.over.usda`` gives a thin layer over the file that the motion came from.
    Options are those of ``retime.write``; they change nothing: a skeleton's rest pose is its own,
    and a stage has one time, in which two versions would play at once.
    """
    if kept_of(motion, Kept) is not None:
        write_motions([motion], path)
        return
    if len(motion) < 2:
        raise InputError(f"{path}: a single pose is not a USD animation; write .npz, .bvh or .glb")
    if _OVER.search(Path(path).name):
        raise InputError(
            f"{path}: only a motion read from USD can be written as an override layer; remove "
            "'.over' from the name"
        )
    _build(motion, Path(path))


def write_motions(motions: Sequence[Motion], path: str | Path) -> None:
    """Write animations of one stage back into a copy of its first layer, or a layer over it."""
    found = retimed_together(motions, Kept, lambda kept: (kept.path, kept.sha256))
    first = found[0].kept
    path = Path(path)
    plan = EditPlan(found)
    with located(first.path) as at:
        if at.sha256 != first.sha256:
            raise InputError(f"{first.path} has changed since it was read; read it again")
        request = {"do": "write", "path": str(at.path), **plan.request(), **_where(first, path, at)}
        size = at.size + sum(a.nbytes for a in plan.arrays.values())
        LIBRARY.ask(request, plan.arrays, folder=at.folder, size=size, path=path, verb="written")
        made = at.folder / request["into"]
        write_bytes(path, [read_bytes(made if made.exists() else first.path)])


def _where(kept: Kept, path: Path, at: Located) -> dict[str, Any]:
    """Return the kind of file to write, and how its assets are found from there."""
    source, target = Path(kept.path), path.resolve()
    over = bool(_OVER.search(path.name))
    packs = path.suffix.lower() == ".usdz"
    _must_be_writable(kept, path, over=over, from_package=at.package is not None)
    rebase: list[str | None] | None = None
    if at.package is None and not over and (packs or source.parent != target.parent):
        rebase = [str(source.parent), None if packs else str(target.parent)]
    below = path_from(source, target.parent)
    if not below.startswith(".") and not os.path.isabs(below):
        below = f"./{below}"
    return {
        "into": f"out{path.suffix.lower()}",
        "over": below if over else None,
        "rebase": rebase,
        "package": None if at.package is None else at.package.names,
        "anyway": source.suffix.lower() != path.suffix.lower(),
    }


def _must_be_writable(kept: Kept, path: Path, *, over: bool, from_package: bool) -> None:
    source, target = Path(kept.path), path.resolve()
    if target != source and str(target) in kept.entry["layers"]:
        raise InputError(f"{path} is one of the layers that were read; give another name")
    if over and target == source:
        raise InputError(f"{path} cannot be a layer over itself; give another name")
    if from_package and not over and path.suffix.lower() != ".usdz":
        raise InputError(
            f"{path}: a package keeps its textures; write a .usdz, or a .over.usda beside it"
        )


def _build(motion: Motion, path: Path) -> None:
    """Make a new file of any motion."""
    if not len(motion):
        raise InputError("the motion has no frames")
    skeleton, metres = motion.skeleton, motion.units.metres
    rest = matrices(skeleton.offsets * metres, skeleton.rest_rotations, skeleton.rest_scales)
    arrays = {
        "rest": rest,
        "bind": _bind(motion, rest),
        "codes": settled(motion.times * motion.rate),
        "rotations": motion.rotations,
        "translations": local_translations(motion) * metres,
        "scales": _sizes(motion),
    }
    request = {
        "do": "build",
        "into": f"out{path.suffix.lower()}",
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "fps": motion.rate,
        "turn": motion.units.up == "Z",
        "creator": f"retime {version('retime')}",
    }
    with temporary_folder() as folder:
        size = sum(a.nbytes for a in arrays.values())
        LIBRARY.ask(request, arrays, folder=folder, size=size, path=path, verb="written")
        write_bytes(path, [read_bytes(Path(folder) / request["into"])])


def _bind(motion: Motion, rest: FloatArray) -> FloatArray:
    """Return the joints' rest transforms (J, 4, 4) in the stage, with Y up."""
    bind, turn = rest.copy(), np.eye(4)
    if motion.units.up == "Z":
        turn = matrices(
            np.zeros((1, 3)), quat.from_axis_angle([1, 0, 0], [-np.pi / 2]), np.ones((1, 3))
        )[0]
    for j, p in enumerate(motion.skeleton.parents):
        bind[j] = rest[j] @ (bind[p] if p >= 0 else turn)
    return bind


def _sizes(motion: Motion) -> FloatArray:
    """Return the joints' scales, (F, J, 3), or (1, J, 3) if none changes."""
    skeleton = motion.skeleton
    if not motion.scales:
        return skeleton.rest_scales[None]
    sizes = np.tile(skeleton.rest_scales, (len(motion), 1, 1))
    for name, track in motion.scales.items():
        sizes[:, skeleton.index(name)] = track
    return sizes
