"""``retime surface``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from retime.cli.options import (
    ADVANCED,
    Input,
    MaybeOutput,
    Retiming,
    WarpOut,
    file_option,
    must_be_pictures,
    read_listed,
    with_parameters,
    with_retiming,
)
from retime.cli.retiming import retime_or_show
from retime.errors import InputError
from retime.methods.surface import SurfaceKey, SurfaceParameters

if TYPE_CHECKING:
    from retime.motion import Motion
    from retime.recipe import Step

Drag = list[str] | None
# A panel that only ``--help-all`` prints.
PICTURES = "Pictures"


@with_retiming
@with_parameters(
    SurfaceParameters,
    leave_out=("keys",),
    panels=dict.fromkeys(("falloff", "root", "constraints"), ADVANCED),
)
def surface(
    source: Input,
    parameters: dict[str, Any],
    retiming: Retiming,
    target: MaybeOutput = None,
    at: Annotated[
        Drag,
        typer.Option(
            "--at", metavar="TIME", help="Source time of the action to move (s, repeatable)."
        ),
    ] = None,
    joint: Annotated[
        Drag,
        typer.Option("--joint", metavar="NAME", help="Joint or role to move; one for each --at."),
    ] = None,
    shift: Annotated[
        Drag,
        typer.Option(
            "--shift",
            metavar="TIME",
            help="Shift in time; negative is earlier (s, one for each --at).",
        ),
    ] = None,
    gamma: Annotated[
        Drag,
        typer.Option(
            "--gamma",
            metavar="TIME",
            help="Falloff before and after the action (s). Give one, or one for each --at.",
        ),
    ] = None,
    sigma: Annotated[
        Drag,
        typer.Option(
            "--sigma",
            metavar="N",
            help="Width of the surface across and up, in body heights: 0.25 or 0.25,0.4.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    range_sigma: Annotated[
        Drag,
        typer.Option(
            "--range-sigma",
            metavar="N",
            help="Falloff along the bones, in body heights.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        file_option("--keys", "JSON list of drags, in place of --at.", ADVANCED),
    ] = None,
    plot: Annotated[
        Path | None,
        file_option("--plot", "Draw the time shift of each joint."),
    ] = None,
    surface_plot: Annotated[
        Path | None,
        file_option("--surface", "Draw the surfaces over the figure.", PICTURES),
    ] = None,
    paths_plot: Annotated[
        Path | None,
        file_option("--paths", "Draw the paths of all joints and the first surface.", PICTURES),
    ] = None,
    strip: Annotated[
        Path | None,
        file_option("--strip", "Draw source and result as film strips."),
    ] = None,
    warp: WarpOut = None,
) -> None:
    """Move the action of one joint earlier or later; neighbouring joints follow smoothly.

    Examples
    --------
    retime surface punches.bvh out.bvh --at 1.2 --joint RightHand --shift -0.2

    retime surface walk.bvh out.bvh --at 1 --joint left_hand --shift 0.1 --gamma 0.4

    retime surface walk.bvh out.bvh --keys keys.json --plot times.png --surface surface.png
    """
    from retime.recipe import Step

    drags = {"time": at, "joint": joint, "shift": shift}
    widths = {"gamma": gamma, "sigma": sigma, "range_sigma": range_sigma}
    step = Step("surface", {**parameters, "keys": _keys(keys, drags, widths)})
    drawn = [plot, surface_plot, paths_plot, strip]
    if target is None and not any(drawn):
        raise InputError("give an output file, or --plot")
    must_be_pictures(source, *drawn)
    shown = retime_or_show(step, source, target, retiming, warp_file=warp, beside=drawn)
    if shown is not None:
        _draw(*shown, *drawn)


def _keys(
    file: Path | None, drags: dict[str, Drag], widths: dict[str, Drag]
) -> tuple[SurfaceKey, ...]:
    """Return the keys of a file, and those of options."""
    made: tuple[SurfaceKey, ...] = ()
    if file is not None:
        made = read_listed(file, SurfaceKey, "key", '"time", "joint" and "shift"')
    if any((*drags.values(), *widths.values())):
        made += _dragged({name: values or [] for name, values in drags.items()}, widths)
    return made


def _dragged(drags: dict[str, list[str]], widths: dict[str, Any]) -> tuple[SurfaceKey, ...]:
    """Return keys from options that were given once for each drag; widths also once for all."""
    times, joints, shifts = map(len, drags.values())
    if not times == joints == shifts or not times:
        raise InputError(
            "each drag needs --at, --joint and --shift; they are given "
            f"{times}, {joints} and {shifts} times"
        )
    given = {name: values for name, values in widths.items() if values}
    for name, values in given.items():
        if len(values) not in (1, times):
            flag = name.replace("_", "-")
            raise InputError(f"--{flag} is given {len(values)} times for {times} drags")
    columns = drags | {name: (values * times)[:times] for name, values in given.items()}
    rows = zip(*columns.values(), strict=True)
    return tuple(SurfaceKey(**dict(zip(columns, row, strict=True))) for row in rows)


def _draw(
    motion: Motion,
    step: Step,
    plot: Path | None,
    surface_plot: Path | None,
    paths_plot: Path | None,
    strip: Path | None,
) -> None:
    from retime.methods.surface.surface import control_surfaces
    from retime.plot.strips import draw_strips
    from retime.plot.surfaces import draw_joint_times, draw_paths, draw_surfaces
    from retime.recipe import Recipe

    surfaces = control_surfaces(motion, step.parameters)
    if plot is not None:
        draw_joint_times(surfaces, plot)
    if surface_plot is not None:
        draw_surfaces(surfaces, surface_plot)
    if paths_plot is not None:
        draw_paths(surfaces, paths_plot)
    if strip is not None:
        draw_strips({"original": motion, "retimed": Recipe([step]).evaluate(motion)}, strip)
