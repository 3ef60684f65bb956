"""Options for reading the motion files of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from retime.errors import InputError
from retime.io.parameters import FileParameters
from retime.parameters import About, values_of

if TYPE_CHECKING:
    from retime.motion import Motion


def read_roles(path: str | Path) -> dict[str, str]:
    """Read a map file: joints by role."""
    from retime.io.json_text import parse_json

    roles = parse_json(path)
    if not isinstance(roles, dict) or not all(isinstance(v, str) for v in roles.values()):
        raise InputError(f'{path} must map roles to joints: {{"left_foot": "Foot.L", ...}}')
    return roles


@dataclass(frozen=True, kw_only=True)
class Reading(FileParameters):
    """Options for reading a file, as plain data that batch workers can receive."""

    roles: Annotated[
        Mapping[str, str] | None,
        About(
            "JSON file that maps roles to joints, if their names do not show them.",
            flag="map",
            metavar="FILE",
            parse=read_roles,
        ),
    ] = None

    def read(self, path: str | Path, *, animation: str | int | None = None) -> Motion:
        """Read a motion."""
        from retime.io import read

        return self._mapped(read(path, **values_of(self, FileParameters), animation=animation))

    def read_all(self, path: str | Path) -> list[Motion]:
        """Read every animation of a file."""
        from retime.io import read_all

        return [self._mapped(m) for m in read_all(path, **values_of(self, FileParameters))]

    def for_file(self, path: str | Path) -> Reading:
        """Return the options for one of several files; files with a skeleton do not need one."""
        from retime.io import kind_of

        return self if kind_of(path).skeleton_apart else replace(self, skeleton=None)

    def for_partner(self, path: str | Path) -> Reading:
        """Return the options for a partner's file: only the rest frame and the skeleton apply."""
        return Reading(rest_frame=self.rest_frame, skeleton=self.skeleton).for_file(path)

    def _mapped(self, motion: Motion) -> Motion:
        from retime.body import with_roles

        return motion if self.roles is None else with_roles(motion, self.roles)
