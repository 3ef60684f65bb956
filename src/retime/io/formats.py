"""Reading and writing motions: formats are found by a file's suffix.

A format is a module with ``read_motion`` and ``write_motion`` and a line in ``FORMATS``. Another
package adds one through the entry point group ``retime.formats``, whose objects are ``Format``
(``examples/plugins``).
Formats that share a suffix are told apart by ``recognises(path)`` on reading, and by where a motion
came from on writing; the first in the table stands for what nobody recognises.
"""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retime.errors import FormatError, InputError, RetimeError
from retime.io.as_read import kept_of
from retime.io.parameters import FileParameters, ReadParameters
from retime.keywords import takes
from retime.motion import Motion, UpAxis
from retime.motion.contact import Contact
from retime.motion.skeleton import MOST_LENGTH
from retime.parameters import values_of

# Maximum frame rate: above that of the fastest cameras.
_MOST_RATE = 1e6
# Values of options that leave everything to the format.
_NOTHING_ASKED = (None, False, "auto")
log = logging.getLogger("retime")


@dataclass(frozen=True)
class Format:
    """One file format: its name, suffixes, and the module that reads and writes it.

    One that holds several animations has ``contents``, ``read_motions`` and ``write_motions`` too;
    one whose skeleton is in a file of its own takes ``skeleton`` on reading. One whose files need
    others ``beside`` them has ``companions``. One that is ``even`` holds frames of one rate alone.
    One that is not ``fresh`` is written only for motions that came from a file of it, as a changed
    copy.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    summary: str
    writes: bool = True
    several: bool = False
    reads: bool = True
    skeleton_apart: bool = False
    beside: bool = False
    even: bool = False
    fresh: bool = True
    package: str = ""
    """The package that adds it, if it is not retime itself."""

    def _call(self, name: str, path: Path, *before: Any, **options: Any) -> Any:
        """Call a function of the module with those options that it takes."""
        try:
            function: Callable[..., Any] = getattr(importlib.import_module(self.module), name)
            return function(*before, path, **self._taken(function, options))
        except RetimeError:
            raise
        except Exception as e:
            if not self.package:
                raise
            raise FormatError(
                f"the package {self.package!r}, which adds the format {self.name!r}, failed with "
                f"{type(e).__name__}: {e}; report it to its authors",
                path=path,
            ) from e

    def _taken(self, function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
        """Return the options that a function has; those that ask for nothing may be missing."""
        if not self.package:
            return options
        known = inspect.signature(function).parameters
        for name, value in options.items():
            if name not in known and value not in _NOTHING_ASKED:
                raise InputError(f"{self.name} files have no option {name!r}")
        return {name: value for name, value in options.items() if name in known}

    def read(self, path: Path, **options: Any) -> Motion:
        """Read a motion."""
        if not self.reads:
            raise InputError(
                f"{path}: {self.name} files are written, not read: {self.summary}; give the file "
                "that it was made from"
            )
        log.debug("read %s as %s", path, self.name)
        motion = self._call("read_motion", path, **options)
        if not isinstance(motion, Motion):
            raise FormatError(
                f"{self.module}.read_motion returned {type(motion).__name__}, not a Motion",
                path=path,
            )
        log.debug("read %d frames of %d joints", len(motion), len(motion.skeleton))
        _must_be_plausible(motion, path)
        return motion

    def recognises(self, path: Path) -> bool:
        """Return whether a file, whose suffix other formats have too, is of this one."""
        return bool(self._call("recognises", path))

    def write(self, motion: Motion, path: Path, **options: Any) -> None:
        """Write a motion."""
        log.debug("write %s as %s", path, self.name)
        self._call("write_motion", path, motion, **options)
        log.debug("wrote %s", path)

    def contents(self, path: Path) -> list[dict[str, Any]]:
        """List a file's animations."""
        found: list[dict[str, Any]] = self._call("contents", path) if self.several else []
        return found

    def companions(self, path: Path) -> list[Path]:
        """List the files without which one cannot be read, as far as they are there."""
        found: list[Path] = self._call("companions", path) if self.beside else []
        return found

    def read_all(self, path: Path, **options: Any) -> list[Motion]:
        """Read every animation of a file."""
        found: list[Motion] = self._call("read_motions", path, **options)
        return found

    def write_all(self, motions: list[Motion], path: Path) -> None:
        """Write several animations of one file back into a copy of it."""
        self._call("write_motions", path, motions)


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("bvh", (".bvh",), "retime.io.bvh", "Biovision hierarchy, text", even=True),
        Format(
            "gltf",
            (".glb", ".gltf", ".vrm", ".vrma"),
            "retime.io.gltf",
            "game and web characters, avatars and their motions, retimed in place",
            several=True,
            beside=True,
        ),
        Format(
            "fbx",
            (".fbx",),
            "retime.io.fbx",
            "film and game characters, retimed in place",
            several=True,
            fresh=False,
        ),
        Format(
            "usd",
            (".usda", ".usdc", ".usd", ".usdz"),
            "retime.io.usd",
            "film scenes, retimed in place or by a layer over them",
            several=True,
        ),
        Format("npz", (".npz",), "retime.io.npz", "retime's own: fast and lossless"),
        Format(
            "amass",
            (".npz",),
            "retime.io.amass",
            "AMASS and other SMPL parameters",
            even=True,
            fresh=False,
        ),
        Format(
            "amc",
            (".amc", ".asf"),
            "retime.io.asf_amc",
            "Acclaim motions, with their skeleton in a file beside",
            skeleton_apart=True,
            beside=True,
            even=True,
            fresh=False,
        ),
        Format(
            "c3d",
            (".c3d",),
            "retime.io.c3d",
            "captured points, retimed in a copy of the file",
            even=True,
            fresh=False,
        ),
        Format(
            "npy",
            (".npy",),
            "retime.io.npy",
            "joint positions of learning datasets, and features of HumanML3D",
            even=True,
        ),
        Format(
            "aist",
            (".pkl",),
            "retime.io.aist",
            "AIST++ motions (SMPL), read without running code",
            even=True,
            fresh=False,
        ),
        Format(
            "unity",
            (".anim",),
            "retime.io.unity",
            "animation clips of Unity as text, retimed in place",
            fresh=False,
        ),
        Format(
            "maya",
            (".anim",),
            "retime.io.maya",
            "animation files of Maya, retimed in place",
            fresh=False,
        ),
        Format(
            "vmd",
            (".vmd",),
            "retime.io.vmd",
            "motions of MikuMikuDance, with their model (.pmx) or without, retimed in place",
            skeleton_apart=True,
            beside=True,
            fresh=False,
        ),
        Format(
            "trc",
            (".trc",),
            "retime.io.trc",
            "markers of motion capture and OpenSim, retimed in a copy of the file",
            even=True,
            fresh=False,
        ),
        Format(
            "storage",
            (".mot", ".sto"),
            "retime.io.storage",
            "tables of OpenSim, retimed in a copy of the file",
            fresh=False,
        ),
        Format(
            "csv", (".csv",), "retime.io.csv", "a table of joint positions in metres", reads=False
        ),
    )
}


def _formats() -> dict[str, Format]:
    """List the formats, those of other packages included."""
    from importlib.metadata import entry_points

    found = dict(FORMATS)
    for entry in entry_points(group="retime.formats"):
        package = entry.dist.name if entry.dist is not None else entry.value
        try:
            added = entry.load()
        except Exception as e:
            log.warning("the package %r adds no format: %s: %s", package, type(e).__name__, e)
            continue
        if isinstance(added, Format):
            found.setdefault(added.name, replace(added, package=package))
        else:
            log.warning("%r of the package %r is not a retime.io.Format", entry.value, package)
    return found


def format_of(path: str | Path) -> Format:
    """Find the format of a file by its suffix."""
    suffix = Path(path).suffix.lower()
    for known in FORMATS.values():
        if suffix in known.suffixes:
            return known
    formats = _formats()
    for known in formats.values():
        if suffix in known.suffixes:
            return known
    suffixes = list(dict.fromkeys(s for f in formats.values() for s in f.suffixes))
    if not suffix:
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder; give the name of a motion file")
        raise InputError(f"{path} has no suffix; add one of {', '.join(suffixes)}")
    raise InputError(f"{path}: unknown format {suffix!r}; known: {', '.join(suffixes)}")


def kind_of(path: str | Path) -> Format:
    """Find the format of a file that is there: by its suffix, and by its content if necessary."""
    first = format_of(path)
    suffix = Path(path).suffix.lower()
    others = [f for f in FORMATS.values() if suffix in f.suffixes and f is not first]
    return next((f for f in others if f.recognises(Path(path))), first)


def _to_write(motion: Motion, path: Path) -> Format:
    """Find the format to write: of those with the suffix, the one that the motion came from."""
    first = format_of(path)
    origin = motion.origin
    own = FORMATS.get(origin.format) if origin is not None and origin.kept is not None else None
    return own if own is not None and path.suffix.lower() in own.suffixes else first


def keeps_file(form: Format, target: str | Path) -> bool:
    """Return whether a motion is written into its file, whose keys may have any time."""
    return form.several and format_of(target).name == form.name


def contacts_in_file(motion: Motion) -> tuple[Contact, ...]:
    """Return the contacts in a motion's file, such as the foot events of a C3D file."""
    return tuple(getattr(kept_of(motion, object), "contacts", ()))


@takes(ReadParameters)
def read(path: str | Path, p: ReadParameters) -> Motion:
    """Read a motion from a file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix determines the format.

    Returns
    -------
    Motion
        Its ``notes`` have findings and assumptions. A rest pose that was set aside is restored by
        :func:`write`.
    """
    path = Path(path)
    form = kind_of(path)
    options: dict[str, Any] = {"rest_frame": p.rest_frame, "fps": p.fps}
    if p.animation is not None:
        if not form.several:
            raise InputError(f"a {form.name} file has one motion, and no animations to choose from")
        options["animation"] = p.animation
    if p.skeleton is not None:
        if not form.skeleton_apart:
            raise InputError(f"a {form.name} file has its own skeleton; leave out {p.skeleton}")
        options["skeleton"] = Path(p.skeleton)
    return _with_units(form.read(path, **options), p.scale, p.up)


@takes(FileParameters)
def read_all(path: str | Path, p: FileParameters) -> list[Motion]:
    """Read every animation of a file; one that can hold several is opened once.

    Parameters
    ----------
    path : str or Path
        The file.
    """
    path = Path(path)
    form = format_of(path)
    if not form.several:
        return [read(path, **values_of(p))]
    if p.skeleton is not None:
        raise InputError(f"a {form.name} file has its own skeleton; leave it out")
    found = form.read_all(path, fps=p.fps)
    for motion in found:
        _must_be_plausible(motion, path)
    return [_with_units(m, p.scale, p.up) for m in found]


def _must_be_plausible(motion: Motion, path: Path) -> None:
    """Reject positions whose squares overflow, and implausible frame rates, in any format.

    A window of a fraction of a second would have millions of frames at such a rate.
    """
    if len(motion) > 1 and motion.rate > _MOST_RATE:
        raise FormatError(f"a frame rate of {motion.rate:g} is too high for a motion", path=path)
    tracks = (motion.skeleton.offsets, *motion.translations.values())
    if any(max(t.max(initial=0.0), -t.min(initial=0.0)) > MOST_LENGTH for t in tracks):
        raise FormatError("positions are too large to be lengths", path=path)


def _with_units(motion: Motion, scale: float | None, up: UpAxis | None) -> Motion:
    """Set a motion's unit and up axis: declared, inferred or given."""
    from retime.body import find_body
    from retime.motion.kinematics import has_doubtful_unit, infer_units, with_likely_unit

    known = motion.units.how != "unknown"
    if known and scale is None and has_doubtful_unit(motion):
        body = find_body(motion)
        if body.limbs:  # a scene may be of any size
            motion = with_likely_unit(motion, person=body.is_biped)
    if scale is None and up is None and known:
        return motion
    units, notes = infer_units(
        motion,
        person=find_body(motion).is_biped,
        scale=motion.units.metres if scale is None and known else scale,
        up=motion.units.up if up is None and known else up,
    )
    if scale is not None:
        units = replace(units, how="given")
    return replace(motion, units=units).with_notes(*notes)


def write(
    motion: Motion,
    path: str | Path,
    *,
    drop_rest: bool = False,
    original: Motion | None = None,
) -> None:
    """Write a motion to a file, completely or not at all.

    Parameters
    ----------
    motion : Motion
        What to write.
    path : str or Path
        The file; its suffix determines the format.
    drop_rest : bool
        Do not write a rest frame that was set aside on reading.
    original : Motion, optional
        Another motion to include for comparison, in new files with several animations.
    """
    path = Path(path)
    form = _to_write(motion, path)
    if not form.writes:
        raise InputError(f"{form.name} files can be read but not written")
    if form.several and not len(motion):
        raise InputError(f"{path}: the motion has no frames, and a {form.name} file needs some")
    more = {"original": original} if form.several and original is not None else {}
    form.write(motion, path, drop_rest=drop_rest, **more)
