"""``retime stagger``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import ADVANCED, Of
from retime.cli.console import report
from retime.cli.options import (
    Input,
    MaybeOutput,
    Retiming,
    WarpOut,
    must_be_pictures,
    must_differ,
    must_have_a_folder,
    read_listed,
)
from retime.cli.retiming import known_contacts, retime_or_show
from retime.errors import InputError
from retime.methods.staggered import PoseEdit, StaggerParameters
from retime.parameters import About


def stagger(
    source: Input,
    target: MaybeOutput = None,
    *,
    show: Annotated[bool, About("List the key poses and exit.", flag="list")] = False,
    poses_file: Annotated[
        Path | None, About("Also write the poses as .json or .npz.", flag="poses", panel=ADVANCED)
    ] = None,
    plot: Annotated[Path | None, About("Draw the times of the poses and of body parts.")] = None,
    strip: Annotated[Path | None, About("Draw the poses as a film strip.")] = None,
    warp: WarpOut = None,
    parameters: Annotated[
        dict[str, Any],
        Of(
            StaggerParameters,
            leave_out=("contacts", "contacts_only"),
            advanced=(
                "seed",
                "keep_gravity",
                "relative_to",
                "detail",
                "edits",
                "constraints",
                "grips",
            ),
        ),
    ],
    retiming: Retiming,
) -> None:
    """Edit key poses whose body parts arrive at different times.

    Examples
    --------
    retime stagger walk.bvh --list

    retime stagger walk.bvh out.bvh --succession RightArm:0.03:1.5

    retime stagger walk.bvh out.bvh --keep 0.5 --exaggerate 0.3 --joint LeftArm

    retime stagger jump.bvh out.bvh --move 0.8:0.9 --plot poses.png
    """
    from retime.methods.staggered import edited_poses
    from retime.recipe import Step

    step = Step("stagger", _given(parameters, retiming))
    beside = [plot, strip, poses_file]
    if target is not None and show and retiming.as_json:
        raise InputError("--json prints the result or the list; leave out OUT or --list")
    if target is None and not (show or any(beside)):
        raise InputError("give an output file, or --list or --plot")
    must_be_pictures(source, plot, strip)
    _must_hold_poses(source, poses_file)
    shown = retime_or_show(step, source, target, retiming, warp_file=warp, beside=beside, show=show)
    if shown is None:
        return
    motion, step = shown
    poses = edited_poses(motion, step.parameters)
    _deliver(poses, poses_file, plot, strip)
    if show:
        _list(source, poses, as_json=retiming.as_json)


def _given(parameters: dict[str, Any], retiming: Retiming) -> dict[str, Any]:
    """Return the parameters of the step, with edits and contacts read from their files."""
    given = dict(parameters)
    if "edits" in given:
        edits = Path(given["edits"])
        given["edits"] = read_listed(edits, PoseEdit, "edit", '"do" and its arguments')
    if retiming.contacts is not None:
        given |= known_contacts(retiming.contacts)
    return given


def _must_hold_poses(source: Path, file: Path | None) -> None:
    if file is None:
        return
    must_differ(source, file)
    must_have_a_folder(file)
    if file.suffix.lower() not in (".json", ".npz"):
        raise InputError(f"a file of poses is .json or .npz, not {file.suffix!r}")


def _deliver(poses: Any, file: Path | None, plot: Path | None, strip: Path | None) -> None:
    from retime.plot.poses import draw_pose_strip, draw_poses

    if file is not None:
        poses.write(file)
    if plot is not None:
        draw_poses(poses, plot)
    if strip is not None:
        draw_pose_strip(poses, strip)


def _list(source: Path, poses: Any, *, as_json: bool) -> None:
    rows = [_row(poses, k) for k in range(len(poses.times))]
    left = _left_out(poses)
    if as_json:
        fields = {"file": source, "poses": rows, "left_out_s": left}
        report(fields, as_json=True, notes=poses.notes)
        return
    print("pose    time   first to arrive            last to arrive")
    for row in rows:
        parts = ""
        if "first" in row:
            ends = [f"{row[n]} {1000 * row[n + '_s']:+.0f} ms" for n in ("first", "last")]
            parts = f"   {ends[0]:<26} {ends[1]}"
        print(f"{row['pose']:>4} {row['time_s']:>7.3f}{parts}")
    if left:
        print("left out (--keep takes times): " + ", ".join(f"{t:.3f}" for t in left))
    report({}, as_json=False, notes=poses.notes)


def _left_out(poses: Any) -> list[float]:
    """Return the times of candidates that are not poses."""
    if poses.evidence is None:
        return []
    found = poses.evidence.times[poses.evidence.candidates]
    known = poses.timing.known_times
    return [float(t) for t in found if abs(known - t).min() > 1e-6]


def _row(poses: Any, k: int) -> dict[str, Any]:
    """Return a pose's time, and which of its parts arrives first and last."""
    row: dict[str, Any] = {"pose": k, "time_s": float(poses.times[k])}
    later = poses.refinements[k]
    if later.any():
        for name, at in (("first", int(later.argmin())), ("last", int(later.argmax()))):
            row |= {name: poses.channels[at], f"{name}_s": float(later[at])}
    return row
