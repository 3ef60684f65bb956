"""``retime surface``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.command import ADVANCED, Of
from retime.cli.options import Input, MaybeOutput, Retiming, WarpOut, must_be_pictures, read_listed
from retime.cli.retiming import retime_or_show
from retime.errors import InputError
from retime.methods.surface import SurfaceKey, SurfaceParameters
from retime.parameters import About

if TYPE_CHECKING:
    from retime.motion import Motion
    from retime.recipe import Step


@dataclass(frozen=True, kw_only=True)
class Drags:
    """The columns of keys: the values of options that are given once for each drag."""

    time: Annotated[
        Sequence[str],
        About("Source time of the action to move.", unit="s", flag="at", metavar="TIME"),
    ] = ()
    joint: Annotated[
        Sequence[str], About("Joint or role to move; one for each --at.", metavar="NAME")
    ] = ()
    shift: Annotated[
        Sequence[str],
        About("Shift in time; negative is earlier (s, one for each --at).", metavar="TIME"),
    ] = ()
    gamma: Annotated[
        Sequence[str],
        About(
            "Falloff before and after the action. Give one, or one for each --at.",
            unit="s",
            metavar="TIME",
        ),
    ] = ()
    sigma: Annotated[
        Sequence[str],
        About(
            "Width of the surface across and up, in body heights: 0.25 or 0.25,0.4.",
            metavar="N",
            panel=ADVANCED,
        ),
    ] = ()
    range_sigma: Annotated[
        Sequence[str],
        About("Falloff along the bones, in body heights.", metavar="N", panel=ADVANCED),
    ] = ()

    def keys(self) -> tuple[SurfaceKey, ...]:
        """Return the keys; a width that is given once is that of all."""
        columns = {name: values for name, values in vars(self).items() if values}
        counts = [len(columns.get(name, ())) for name in ("time", "joint", "shift")]
        if not columns:
            return ()
        if len(set(counts)) > 1 or not counts[0]:
            raise InputError(
                "each drag needs --at, --joint and --shift; they are given "
                f"{counts[0]}, {counts[1]} and {counts[2]} times"
            )
        for name, values in columns.items():
            if len(values) == 1:
                columns[name] = values * counts[0]
            elif len(values) != counts[0]:
                flag = name.replace("_", "-")
                raise InputError(f"--{flag} is given {len(values)} times for {counts[0]} drags")
        rows = zip(*columns.values(), strict=True)
        return tuple(SurfaceKey(**dict(zip(columns, row, strict=True))) for row in rows)


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Pictures of the surfaces and of the result."""

    plot: Annotated[Path | None, About("Draw the time shift of each joint.")] = None
    surface: Annotated[
        Path | None, About("Draw the surfaces over the figure.", panel="Pictures")
    ] = None
    paths: Annotated[
        Path | None,
        About("Draw the paths of all joints and the first surface.", panel="Pictures"),
    ] = None
    strip: Annotated[Path | None, About("Draw source and result as film strips.")] = None

    def draw(self, motion: Motion, step: Step) -> None:
        """Draw those that were asked for."""
        from retime.methods.surface.surface import control_surfaces
        from retime.plot.strips import draw_strips
        from retime.plot.surfaces import draw_joint_times, draw_paths, draw_surfaces
        from retime.recipe import Recipe

        surfaces = control_surfaces(motion, step.parameters)
        if self.plot is not None:
            draw_joint_times(surfaces, self.plot)
        if self.surface is not None:
            draw_surfaces(surfaces, self.surface)
        if self.paths is not None:
            draw_paths(surfaces, self.paths)
        if self.strip is not None:
            retimed = Recipe([step]).evaluate(motion)
            draw_strips({"original": motion, "retimed": retimed}, self.strip)


def surface(
    source: Input,
    target: MaybeOutput = None,
    *,
    drags: Drags,
    keys: Annotated[
        Path | None, About("JSON list of drags, in place of --at.", panel=ADVANCED)
    ] = None,
    pictures: Pictures,
    warp: WarpOut = None,
    parameters: Annotated[
        dict[str, Any],
        Of(SurfaceParameters, leave_out=("keys",), advanced=("falloff", "root", "constraints")),
    ],
    retiming: Retiming,
) -> None:
    """Move the action of one joint earlier or later; neighbouring joints follow smoothly.

    Examples
    --------
    retime surface punches.bvh out.bvh --at 1.2 --joint RightHand --shift -0.2

    retime surface walk.bvh out.bvh --at 1 --joint left_hand --shift 0.1 --gamma 0.4

    retime surface walk.bvh out.bvh --keys keys.json --plot times.png --surface surface.png
    """
    from retime.recipe import Step

    listed = drags.keys()
    if keys is not None:
        listed = read_listed(keys, SurfaceKey, "key", '"time", "joint" and "shift"') + listed
    if not listed:
        raise InputError("give what to move: --at TIME, --joint NAME and --shift TIME, or --keys")
    drawn = [*vars(pictures).values()]
    if target is None and not any(drawn):
        raise InputError("give an output file, or --plot")
    must_be_pictures(source, *drawn)
    step = Step("surface", {**parameters, "keys": listed})
    shown = retime_or_show(step, source, target, retiming, warp_file=warp, beside=drawn)
    if shown is not None:
        pictures.draw(*shown)
