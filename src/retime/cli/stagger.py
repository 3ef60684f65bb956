"""``retime stagger``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from retime.cli.console import report
from retime.cli.options import (
    Input,
    MaybeOutput,
    Retiming,
    WarpOut,
    must_be_a_picture,
    must_be_written,
    must_differ,
    must_have_a_folder,
    with_parameters,
    with_retiming,
)
from retime.cli.retiming import known_contacts, retime_file
from retime.errors import InputError
from retime.methods.staggered import PoseEdit, StaggerParameters


@with_retiming
@with_parameters(StaggerParameters, leave_out=("contacts",))
def stagger(
    source: Input,
    parameters: dict[str, Any],
    retiming: Retiming,
    target: MaybeOutput = None,
    show: Annotated[
        bool, typer.Option("--list", help="Only list the poses: when they are, how sure.")
    ] = False,
    poses_file: Annotated[
        Path | None,
        typer.Option("--poses", help="Also write the poses, .json or .npz.", metavar="FILE"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the poses: probability, knots.", metavar="FILE"),
    ] = None,
    strip: Annotated[
        Path | None,
        typer.Option("--strip", help="Draw the poses as a film strip.", metavar="FILE"),
    ] = None,
    warp: WarpOut = None,
) -> None:
    """Edit a motion as a few poses whose parts arrive at different times.

    Examples
    --------
    retime stagger walk.bvh --list

    retime stagger walk.bvh out.bvh --succession RightArm:0.03:1.5

    retime stagger walk.bvh out.bvh --keep 0.5 --exaggerate 0.3 --joint LeftArm

    retime stagger jump.bvh out.bvh --move 0.8:0.9 --plot poses.png
    """
    from retime.methods.staggered import edited_poses
    from retime.recipe import Step

    if "edits" in parameters:
        parameters["edits"] = _edits(Path(parameters["edits"]))
    if retiming.contacts is not None:
        parameters["contacts"] = known_contacts(retiming.contacts)
    step = Step("stagger", parameters)
    if target is not None and show and retiming.as_json:
        raise InputError("--json tells of one thing: the result, or the --list without OUT")
    if target is None and not (show or plot or strip or poses_file):
        raise InputError("say where to write the result, or ask for --list or --plot")
    for picture in (plot, strip):
        if picture is not None:
            must_differ(source, picture)
            must_be_a_picture(picture)
    if poses_file is not None:
        must_differ(source, poses_file)
        must_have_a_folder(poses_file)
        if poses_file.suffix.lower() not in (".json", ".npz"):
            raise InputError(f"a file of poses is .json or .npz, not {poses_file.suffix!r}")
    must_be_written(target, {"--warp": warp, "--recipe": retiming.recipe, "--also": retiming.also})
    if target is not None:
        beside = [plot, strip, poses_file]
        retime_file([step], source, target, retiming, warp_file=warp, beside=beside)
    elif retiming.animation == "all":
        raise InputError("poses are listed and drawn of one animation; name it")
    if not (show or plot or strip or poses_file):
        return
    poses = edited_poses(retiming.read(source), step.parameters)
    if poses_file is not None:
        poses.write(poses_file)
    if plot is not None:
        from retime.plot.poses import draw_poses

        draw_poses(poses, plot)
    if strip is not None:
        from retime.plot.poses import draw_pose_strip

        draw_pose_strip(poses, strip)
    if show:
        _list(source, poses, as_json=retiming.as_json)


def _edits(path: Path) -> tuple[PoseEdit, ...]:
    from retime.io.json_text import parse_json

    document = parse_json(path)
    if not isinstance(document, list):
        raise InputError(f'{path}: edits are a list of objects with "do" and its arguments')
    out = []
    for number, entry in enumerate(document, 1):
        try:
            out.append(PoseEdit.from_document(entry))
        except InputError as e:
            raise InputError(f"{path}: edit {number}: {e}") from None
    return tuple(out)


def _list(source: Path, poses: Any, *, as_json: bool) -> None:
    rows = []
    for k, time in enumerate(poses.times):
        later = poses.refinements[k]
        first, last = int(later.argmin()), int(later.argmax())
        row: dict[str, Any] = {"pose": k, "time_s": float(time)}
        if later.any():
            row |= {
                "first": poses.channels[first], "first_s": float(later[first]),
                "last": poses.channels[last], "last_s": float(later[last]),
            }  # fmt: skip
        rows.append(row)
    if as_json:
        report({"file": str(source), "poses": rows}, as_json=True, notes=poses.notes)
        return
    typer.echo("pose    time   first to arrive            last to arrive")
    for row in rows:
        parts = ""
        if "first" in row:
            ends = [f"{row[n]} {1000 * row[n + '_s']:+.0f} ms" for n in ("first", "last")]
            parts = f"   {ends[0]:<26} {ends[1]}"
        typer.echo(f"{row['pose']:>4} {row['time_s']:>7.3f}{parts}")
    report({}, as_json=False, notes=poses.notes)
