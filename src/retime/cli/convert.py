"""``retime convert``."""

from __future__ import annotations

import typer

from retime.cli.console import report
from retime.cli.options import (
    DropRest,
    Fps,
    Input,
    Json,
    OneAnimation,
    Output,
    RestFrame,
    Scale,
    SkeletonFile,
    SourceFps,
    Up,
    must_differ,
)


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(convert)


def convert(
    source: Input,
    target: Output,
    fps: Fps = None,
    scale: Scale = None,
    up: Up = None,
    source_fps: SourceFps = None,
    rest_frame: RestFrame = "auto",
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    skeleton: SkeletonFile = None,
    as_json: Json = False,
) -> None:
    """Write a motion in another format; the suffixes tell the formats.

    Examples
    --------
    retime convert walk.bvh walk.npz

    retime convert walk.bvh positions.csv
    """
    from retime.edits import apply
    from retime.io import format_of, read, write
    from retime.warp import TimeWarp

    must_differ(source, target)
    format_of(target)
    options = {"scale": scale, "up": up, "rest_frame": rest_frame, "fps": source_fps}
    motion = read(source, **options, animation=animation, skeleton=skeleton)  # type: ignore[arg-type]
    if fps is None and motion.sample_times is not None and format_of(target).even:
        fps = float(f"{motion.rate:.6g}")
        motion = motion.with_notes(f"its samples are uneven: written at {fps:g} fps (--fps)")
    if fps is not None:
        motion = apply(motion, TimeWarp.identity(*motion.domain), fps=fps)
    write(motion, target, drop_rest=drop_rest)
    fields = {"output": str(target), "frames": len(motion), "fps": motion.rate}
    report(fields, as_json=as_json, notes=motion.notes)
