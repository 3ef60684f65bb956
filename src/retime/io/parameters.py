"""Options for reading motion files with missing or wrong information."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from retime.parameters import About

RestFrame = Literal["auto", "keep", "first"]


@dataclass(frozen=True, kw_only=True)
class FileParameters:
    """Values that override those of the file."""

    scale: Annotated[
        float | None,
        About("Metres per unit of length, if the file's scale is unknown or wrong.", metavar="M"),
    ] = None
    up: Annotated[
        Literal["Y", "Z"] | None, About("Up axis, if the file's is unknown or wrong.")
    ] = None
    fps: Annotated[
        float | None,
        About(
            "Frame rate to use in place of the file's.",
            unit="Hz",
            metavar="HZ",
            minimum=0.001,
            flag="source-fps",
        ),
    ] = None
    rest_frame: Annotated[
        RestFrame,
        About(
            "How to treat frame 0: detect rest poses that were added before the motion (auto), "
            "keep it as motion (keep), or set it aside (first)."
        ),
    ] = "auto"
    skeleton: Annotated[
        str | Path | None,
        About(
            "File with the skeleton (an ASF for an AMC). Default: searched for beside the motion.",
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ReadParameters(FileParameters):
    """How one motion of a file is read."""

    animation: Annotated[
        str | int | None,
        About(
            "Animation to read from a file with several, by name or number. Default: the first.",
            metavar="NAME",
        ),
    ] = None
