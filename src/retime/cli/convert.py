"""``retime convert``."""

from __future__ import annotations

from pathlib import Path

from retime.cli.console import report
from retime.cli.options import Input, Json, OneAnimation, Output, must_differ
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.notes import Note
from retime.parameters_shared import DropRest, Fps


def convert(
    source: Input,
    target: Output,
    *,
    fps: Fps = None,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Write a motion in another format; suffixes determine the formats.

    Examples
    --------
    retime convert walk.bvh walk.npz

    retime convert walk.bvh positions.csv
    """
    from retime.evaluate import Evaluator, Job
    from retime.io import format_of, write

    must_differ(source, target)
    _must_be_kept(source, target, fps, reading)
    motion = reading.read(source, animation=animation)
    if fps is None and motion.sample_times is not None and format_of(target).even:
        fps = float(f"{motion.rate:.6g}")
        motion = motion.with_notes(
            Note(
                f"its samples are uneven: written at {fps:g} fps (--fps)",
                code="uneven-samples",
                fps=fps,
            )
        )
    if fps is not None:
        motion = Evaluator().evaluate(Job(source=motion, fps=fps)).motion
    write(motion, target, drop_rest=drop_rest)
    fields = {"output": target, "frames": len(motion), "fps": motion.rate}
    report(fields, as_json=as_json, notes=motion.notes)


def _must_be_kept(source: Path, target: Path, fps: float | None, reading: Reading) -> None:
    """Reject options that the format of the result cannot keep."""
    from retime.io import format_of, keeps_file

    form = format_of(target)
    if fps is not None and keeps_file(format_of(source), target):
        raise InputError(
            f"{target.suffix} to {target.suffix} keeps the keys and the frame rate of the file: "
            "leave --fps out, or convert to another format, such as .bvh"
        )
    if reading.roles is not None and form.name != "npz":
        raise InputError("roles are kept in .npz files only: leave --map out")
