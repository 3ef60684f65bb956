"""How motion files are read, where they tell too little or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from retime.parameters import parameter

if TYPE_CHECKING:
    from retime.motion import Motion

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading:
    """Options of reading a file; plain data, as a batch's workers are told.

    Parameters
    ----------
    scale, up, source_fps, rest_frame, skeleton
        As of :func:`retime.read`, the rate being that of the file.
    roles : mapping of str to str, optional
        Joints by role.
    """

    scale: float | None = parameter(
        None, help="Metres per unit of length, where the guess is wrong.", metavar="M"
    )
    up: Literal["Y", "Z"] | None = parameter(None, help="Up axis, where the guess is wrong.")
    source_fps: float | None = parameter(
        None, help="Frame rate of the file, where its own is wrong.", unit="Hz", minimum=0.001
    )
    rest_frame: Literal["auto", "keep", "first"] = parameter(
        "auto", help="Is frame 0 an added rest pose? Judge, no, or yes."
    )
    skeleton: str | None = parameter(
        None,
        help="The skeleton's file (ASF), where it is not found beside the motion.",
        metavar="FILE",
    )
    roles: Mapping[str, str] | None = parameter(
        None,
        help="A JSON file of joints by role, where names tell too little.",
        flag="--map",
        metavar="FILE",
    )

    def read(self, path: str | Path, *, animation: str | int | None = None) -> Motion:
        """Read a motion."""
        from retime.io import read

        motion = read(path, **self._options, animation=animation, skeleton=self.skeleton)
        return self._mapped(motion)

    def read_all(self, path: str | Path) -> list[Motion]:
        """Read every animation of a file."""
        from retime.io import read_all

        return [self._mapped(m) for m in read_all(path, **self._options, skeleton=self.skeleton)]

    def for_file(self, path: str | Path) -> Reading:
        """Return how one of several files is read: a skeleton is for those that have none."""
        from retime.io import kind_of

        return self if kind_of(path).skeleton_apart else replace(self, skeleton=None)

    def for_partner(self, path: str | Path) -> Reading:
        """Return how a file is read that goes with the one which all this was said of."""
        return Reading(rest_frame=self.rest_frame, skeleton=self.skeleton).for_file(path)

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "up": self.up,
            "fps": self.source_fps,
            "rest_frame": self.rest_frame,
        }

    def _mapped(self, motion: Motion) -> Motion:
        from retime.body import with_roles

        return motion if self.roles is None else with_roles(motion, self.roles)
