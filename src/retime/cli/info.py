"""``retime info``."""

from __future__ import annotations

from typing import Annotated

import typer

from retime.cli.console import report
from retime.cli.options import Input, Json, RestFrame, Scale, Up


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(info)


def info(
    file: Input,
    scale: Scale = None,
    up: Up = None,
    rest_frame: RestFrame = "auto",
    joints: Annotated[bool, typer.Option("--joints", help="List the joints.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a motion file holds: frames, rate, joints, units, and what was assumed.

    Example: retime info walk.bvh --joints
    """
    from retime.io import format_of, read
    from retime.kinematics import height

    motion = read(file, scale=scale, up=up, rest_frame=rest_frame)
    skeleton, units = motion.skeleton, motion.units
    roots = [skeleton.names[r] for r in skeleton.roots]
    fields = {
        "file": str(file),
        "format": format_of(file).name,
        "frames": len(motion),
        "fps": motion.rate,
        "duration_s": motion.duration,
        "start_s": motion.start,
        "joints": len(skeleton),
        "roots": roots,
        "end_sites": len(skeleton.end_sites),
        "translation_tracks": [n for n in motion.translations if n not in roots],
        "scale_tracks": list(motion.scales),
        "rest_pose": "set aside" if motion.rest_pose is not None else "none",
        "metres_per_unit": units.metres,
        "up": units.up,
        "units_are": units.how,
        "height_m": height(skeleton) * units.metres,
    }
    if joints:
        fields["joint_names"] = list(skeleton.names)
    report(fields, as_json=as_json, notes=motion.notes)
