"""Requests of assistants: each tool is a dataclass of declared parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.parameters import About
from retime.parameters_shared import Fps

# Longest request, bytes: a surface of 100 joints has 30,000.
MOST_BYTES = 1_000_000

Motion = Annotated[str, About("File.")]
Animation = Annotated[str | None, About("Its name.")]
Recipe = Annotated[Mapping[str, Any] | None, About("As in propose.", widget="data")]


@dataclass(frozen=True, kw_only=True)
class ListMotions:
    """List motion files with format, length in seconds and frame rate."""

    under: Annotated[str, About("Subfolder.")] = ""


@dataclass(frozen=True, kw_only=True)
class Inspect:
    """Measure a motion: joints, contacts, flights, possible lengths, useful keytimes."""

    motion: Motion
    animation: Animation = None


@dataclass(frozen=True, kw_only=True)
class Look:
    """Draw a film strip, the warp of a recipe, or the source above its result."""

    motion: Motion
    show: Annotated[Literal["strip", "warp", "compare"], About("Kind.")] = "strip"
    recipe: Recipe = None
    result: Annotated[str | None, About("Result file to compare.")] = None
    animation: Animation = None


@dataclass(frozen=True, kw_only=True)
class Propose:
    """Solve a recipe and measure the result beside uniform speed and the source. Writes nothing.

    Recipe: {"steps":[{"method":"guided","parameters":{"duration":2.0,"keytimes":[[out,source]]}}]};
    a group: {"together":{"duration":"75%"},"members":{}}; a table: {"lengths":{}}. Times are
    seconds, "48f" or "80%". explain lists methods and parameters.
    """

    motion: Annotated[Mapping[str, str] | str, About("File; of a group {name: file}.")]
    recipe: Annotated[Mapping[str, Any], About("Edit.", widget="data")]
    animation: Animation = None
    fps: Fps = None
    exact: Annotated[bool, About("Do not round to whole frames.")] = False
    picture: Annotated[bool, About("Add a picture.")] = False


@dataclass(frozen=True, kw_only=True)
class Check:
    """Measure a file, beside its source if given: foot skate, drift, flights, jerk, faults."""

    motion: Motion
    source: Annotated[str | None, About("File it was made from.")] = None
    animation: Animation = None


@dataclass(frozen=True, kw_only=True)
class Apply(Propose):
    """Solve a recipe as propose does, write it, and measure the written file."""

    output: Annotated[
        Mapping[str, str] | str, About("New file; of a group {name: file}; of a table .json.")
    ]
    overwrite: Annotated[bool, About("Replace existing files.")] = False


@dataclass(frozen=True, kw_only=True)
class Explain:
    """Explain a method, parameter (method.parameter), error or note code; empty lists methods."""

    about: Annotated[str, About("What to explain.")] = ""


TOOLS: dict[str, type] = {
    "list_motions": ListMotions,
    "inspect": Inspect,
    "look": Look,
    "propose": Propose,
    "check": Check,
    "apply": Apply,
    "explain": Explain,
}
