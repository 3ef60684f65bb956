"""How the clips of a library are read, where their files tell too little or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from retime.batch.clip_files import file_sha256
from retime.motion import Motion, UpAxis

__all__ = ["ClipReading"]


@dataclass(frozen=True)
class ClipReading:
    """Options of reading, the same for all clips of a library; plain data, as workers are told.

    Parameters
    ----------
    scale, up, fps, rest_frame
        As of :func:`retime.read`.
    skeleton : str, optional
        The file that holds the skeleton, of clips whose own does not; others keep theirs.
    roles : mapping of str to str, optional
        Joints by role.
    """

    scale: float | None = None
    up: UpAxis | None = None
    fps: float | None = None
    rest_frame: Literal["auto", "keep", "first"] = "auto"
    skeleton: str | None = None
    roles: Mapping[str, str] | None = None

    def read(self, source: str | Path, *, every: bool = False) -> list[Motion]:
        """Read a clip, or every animation of it."""
        from retime.body import with_roles
        from retime.io import kind_of, read, read_all

        options: dict[str, Any] = {
            "scale": self.scale,
            "up": self.up,
            "fps": self.fps,
            "rest_frame": self.rest_frame,
        }
        if every:
            motions = read_all(source, **options)
        else:
            apart = self.skeleton if kind_of(source).skeleton_apart else None
            motions = [read(source, **options, skeleton=apart)]
        return [m if self.roles is None else with_roles(m, self.roles) for m in motions]

    def told(self) -> dict[str, Any]:
        """Return what differs from reading plainly, the skeleton by what its file holds."""
        plain = asdict(ClipReading())
        told = {name: v for name, v in asdict(self).items() if v != plain[name]}
        if self.skeleton is not None:
            told["skeleton"] = file_sha256(Path(self.skeleton))
        return told
