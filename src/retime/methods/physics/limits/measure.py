"""Measure a motion in one pass: figure, dynamics, contacts and flights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from retime.body import Body, find_body
from retime.body.contacts import find_contacts
from retime.body.contacts.found import found_notes
from retime.body.model.size import judged, size_note
from retime.errors import InputError
from retime.methods.physics.figure.dynamics import Dynamics
from retime.methods.physics.figure.path import even_motion, filtered_path
from retime.methods.physics.figure.segments import (
    Solid,
    is_person,
    person_height,
    read_body_data,
    solids_of,
)
from retime.methods.physics.figure.tree import Figure, make_figure
from retime.methods.physics.limits.flight_notes import flight_notes
from retime.methods.physics.limits.flights import Flights, Mask, find_flights
from retime.methods.physics.limits.supports import Supports, supports_of
from retime.methods.physics.parameters import ModelParameters
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.notes import Note

# Largest movement of the root of a hanging figure that is not a person, metres.
_HANGS = 0.01


@dataclass(frozen=True, eq=False)
class Measured:
    """Result of one pass over the motion; changed physics needs no other pass."""

    motion: Motion
    body: Body
    figure: Figure
    solids: Mapping[str, Solid]
    dynamics: Dynamics
    supports: Supports
    flights: Flights
    named_limits: Mapping[str, float]
    notes: tuple[Note, ...]


def measure(motion: Motion, p: ModelParameters, cutoff: float | None) -> Measured:
    """Build a motion's figure and measure it; see :class:`PhysicsModel` for the parameters."""
    clip = even_motion(judged(motion))
    body = find_body(clip)
    data = read_body_data(p.body_data).named(body)
    solids = solids_of(clip, body, data, p.mass)
    figure = make_figure(clip, body, solids)
    dynamics = Dynamics(figure, filtered_path(figure, clip, cutoff), body.frame(clip)[1])
    supports = supports_of(clip, body, p.contacts, only=p.contacts_only)
    if p.contacts is None:  # detected contacts that can carry weight
        others = tuple(o for o in supports.others if o.joint in figure.places)
        supports = replace(supports, others=others)
    _must_carry(clip, figure, supports)
    flights = _flights(clip, body, dynamics, supports, p)
    supports = supports.without(flights.mask | flights.held)
    notes = [*_figure_notes(motion, clip, body, figure), *flight_notes(flights, p.gravity_from)]
    if flights.unseen.all():
        notes.append(
            Note(
                "nothing is seen to hold the figure, and it does not fall: it is held by its root",
                code="held-by-root",
            )
        )
    if p.contacts is None and find_contacts(clip).rate:
        # Of the given motion: a better rate than the clip's is no rate of the file.
        found = found_notes(motion, find_contacts(motion))
        notes += [n for n in found if n.code == "frame-rate-doubtful"]
    return Measured(
        clip, body, figure, solids, dynamics, supports, flights, data.limits, tuple(notes)
    )


def _must_carry(clip: Motion, figure: Figure, supports: Supports) -> None:
    """Raise if the feet are not connected to the body, as in captured points."""
    carrying = [foot.ankle_joint for foot in supports.feet]
    carrying += [foot.toe_joint for foot in supports.feet]
    carrying += [other.joint for other in supports.others]
    apart = [clip.skeleton.names[j] for j in carrying if j not in figure.places]
    if not apart:
        return
    if not (clip.skeleton.parents >= 0).any():
        raise InputError(
            "physics needs a skeleton, and the clip holds captured points without bones; fit a "
            "skeleton to them in the capture program, and use that file"
        )
    raise InputError(
        f"{apart[0]!r} touches the ground but is not joined to the body by bones, so physics "
        "cannot tell what it carries; parent it to the body"
    )


def _flights(
    clip: Motion, body: Body, dynamics: Dynamics, supports: Supports, p: ModelParameters
) -> Flights:
    count = len(clip)
    person = is_person(clip, body)
    root = positions(clip)[:, dynamics.figure.moving[0]]
    if not person and p.contacts is None and float(np.ptp(root, axis=0).max()) < _HANGS:
        return Flights((), np.zeros(count, bool), np.ones(count, bool), np.ones(count))
    airborne: Mask = np.zeros(count, bool)
    if p.contacts is None:
        for start, end in find_contacts(clip).airborne:
            airborne |= (clip.times >= start - 1e-9) & (clip.times <= end + 1e-9)
    touched = ~supports.flight
    found = find_flights(
        np.asarray(clip.times), dynamics.fall(), touched, airborne,
        p.gravity_from,
    )  # fmt: skip
    # Flights whose heights will be changed do not limit the timing.
    return found if p.fit_flights == "timing" else found.released()


def _figure_notes(motion: Motion, clip: Motion, body: Body, figure: Figure) -> list[Note]:
    kilograms = float(figure.inertias[:, 0].sum())
    count = len(figure.bodies)
    tall = person_height(clip, body) if is_person(clip, body) else None
    size = "" if tall is None else f" and {tall:.2f} m tall"
    notes = [
        Note(
            f"the figure is {kilograms:.1f} kg{size}, in {count} segment{'s' if count > 1 else ''}",
            code="mass",
            mass=kilograms,
            height=tall,
            segments=count,
        )
    ]
    scaled = size_note(motion)
    if scaled is not None:
        notes.append(scaled)
    loose = [
        name
        for name, track in clip.translations.items()
        if clip.skeleton.index(name) in figure.places
        and clip.skeleton.index(name) != figure.moving[0]
        and float(np.ptp(track, axis=0).max()) * clip.units.metres > _HANGS
    ]
    if loose:
        notes.append(
            Note(
                f"bones of {', '.join(loose[:3])} change length: their mean is taken",
                code="bones-change-length",
                joints=loose,
            )
        )
    return notes
