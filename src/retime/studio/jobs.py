"""Jobs of the studio's worker processes, as plain data."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from retime.studio.project import Version

EXPORTS = Literal["own", "bvh", "glb", "npz", "warp", "recipe", "report"]


class Clip(Struct, frozen=True):
    """A motion's file, by a path that the server has checked."""

    id: str
    name: str
    path: str
    sha256: str
    animation: str | None = None


class Inspect(Struct, frozen=True, tag="inspect"):
    """Read a whole file to validate it, and list its animations."""

    path: str


class Load(Struct, frozen=True, tag="load"):
    """Read a motion for a window to show."""

    clip: Clip


class Mesh(Struct, frozen=True, tag="mesh"):
    """Write the mesh of a motion's file as a GLB to a path."""

    clip: Clip
    path: str


class Result(Struct, frozen=True, tag="result"):
    """Retime a motion by a recipe's document; ``steps`` are the names of its steps."""

    clip: Clip
    recipe: dict[str, Any]
    steps: list[str]
    version: Version
    revision: int
    request: int | None = None
    editing: str | None = None


class Resolve(Struct, frozen=True, tag="resolve"):
    """Turn frames and percentages of a recipe into seconds of its motion."""

    result: Result


class Live(Struct, frozen=True, tag="live"):
    """Follow one motion through another, frame by frame, like a live stream."""

    reference: Clip
    performer: Clip
    request: int


class Suggest(Struct, frozen=True, tag="suggest"):
    """Suggest keytimes for the input of a step."""

    result: Result
    step: str | None
    request: int


class Physics(Struct, frozen=True, tag="physics"):
    """Evaluate the physics of a result, with the figure of a physics step if there is one."""

    result: Result
    step: str | None
    request: int


class Watch(Struct, frozen=True, tag="watch"):
    """Solve a physics step slowly enough to watch."""

    result: Result
    step: str
    request: int


class Export(Struct, frozen=True, tag="export"):
    """Write a result in a format to a path; several are clips of one file, each by its recipe."""

    results: list[Result]
    format: EXPORTS
    path: str
    title: str
    fps: float | None = None


Job = Inspect | Load | Mesh | Result | Resolve | Live | Suggest | Physics | Watch | Export
