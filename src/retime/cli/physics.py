"""``retime physics``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.console import report
from retime.cli.options import Input, MaybeOutput, Retiming, WarpOut, must_be_pictures
from retime.cli.retiming import known_contacts, retime_file
from retime.errors import InputError
from retime.methods.physics import PhysicsParameters, feasible_durations, model_of
from retime.parameters import About


def physics(
    source: Input,
    target: MaybeOutput = None,
    *,
    feasible: Annotated[bool, About("Print the feasible duration range and exit.")] = False,
    plot: Annotated[Path | None, About("Draw the warp, its feasible range and the forces.")] = None,
    warp: WarpOut = None,
    parameters: Annotated[
        dict[str, Any],
        Of(
            PhysicsParameters,
            leave_out=("contacts", "contacts_only"),
            advanced=("gravity_from", "fit_flights", "mass_scale", "objective"),
        ),
    ],
    retiming: Retiming,
) -> None:
    """Retime a motion within the limits of the body, gravity and ground contact.

    Examples
    --------
    retime physics jump.bvh out.bvh --duration 2.4

    retime physics jump.bvh moon.bvh --duration free --gravity moon

    retime physics walk.bvh out.bvh --duration free --load 15kg@backpack

    retime physics walk.bvh out.bvh --mass-scale left_upper_leg=10

    retime physics jump.bvh --feasible
    """
    from retime.io.json_text import parse_json
    from retime.recipe import Step

    if retiming.contacts is not None:
        # Contacts carry the body in the physics; feet are held in place only with --hold.
        parameters |= known_contacts(retiming.contacts)
        retiming = retiming if retiming.hold else replace(retiming, contacts=None)
    if "body_data" in parameters:
        parameters["body_data"] = parse_json(Path(parameters["body_data"]))
    step = Step("physics", parameters)
    if feasible:
        motion, step = retiming.read_for(step, source)
        _say_what_is_feasible(source, motion, step, as_json=retiming.as_json)
        return
    if target is None:
        raise InputError("give an output file, or --feasible")
    must_be_pictures(source, plot)
    retime_file([step], source, target, retiming, warp_file=warp, beside=[plot])
    if plot is not None:
        from retime.plot.physics import draw_physics

        motion, step = retiming.read_for(step, source)
        found = step.solve(motion).warp
        assert found is not None
        draw_physics(model_of(motion, step.parameters), found, plot)


def _say_what_is_feasible(source: Path, motion: Any, step: Any, *, as_json: bool) -> None:
    model = model_of(motion, step.parameters)
    least, most = feasible_durations(motion, step.parameters)
    recorded = model.explain()
    fields = {
        "file": source,
        "duration_s": motion.duration,
        "minimum_duration_s": least,
        "maximum_duration_s": most,
        "flight_share": float(model.flight.mean()),
        "mass_kg": model.mass,
        "recorded_timing_feasible_share": recorded.share,
        "frames_without_feasible_timing": len(model.empty_frames),
    }
    report(fields, as_json=as_json, notes=[*motion.notes, *model.notes])
