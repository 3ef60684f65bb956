"""One pass over a motion: its figure, its dynamics and what touches the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from retime.body import Body, find_body
from retime.body.size import judged, size_note
from retime.errors import InputError
from retime.methods.physics.dynamics import Dynamics, measure_dynamics, required_force
from retime.methods.physics.figure import Figure, Path, even_motion, filtered_path, make_figure
from retime.methods.physics.gravity import DOWN
from retime.methods.physics.parameters import ModelParameters
from retime.methods.physics.segments import read_body_data, solids_of
from retime.methods.physics.supports import Supports, supports_of
from retime.motion import Motion
from retime.motion.kinematics import positions

__all__ = ["Measured", "measure"]

# A figure that is no person hangs by its root if that moves less than this, in metres, or is led by
# it if it needs more than this share of its weight on the whole: it does not fall.
_HANGS, _NO_FALL = 0.01, 0.5


@dataclass(frozen=True, eq=False)
class Measured:
    """What one pass over the motion gave; changes of physics need no other."""

    motion: Motion
    body: Body
    figure: Figure
    path: Path
    dynamics: Dynamics
    supports: Supports
    hangs: bool
    named_limits: Mapping[str, float]
    notes: tuple[str, ...]


def measure(motion: Motion, p: ModelParameters, cutoff: float | None) -> Measured:
    """Build a motion's figure and measure it; see :class:`PhysicsModel` for the parameters."""
    clip = even_motion(judged(motion))
    body = find_body(clip)
    data = read_body_data(p.body_data).named(body)
    solids = solids_of(clip, body, data, p.mass)
    figure = make_figure(clip, body, solids)
    path = filtered_path(figure, clip, cutoff)
    dynamics = measure_dynamics(figure, path)
    person = body.is_biped and "hips" in body.roles
    root = positions(clip)[:, figure.moving[0]]
    force = required_force(dynamics, np.array(DOWN))
    still = float(np.ptp(root, axis=0).max()) < _HANGS
    hangs = not person and p.contacts is None and (still or float(force.mean()) > _NO_FALL)
    supports = supports_of(clip, body, p.contacts, only=p.contacts_only)
    if p.contacts is None:  # what was found is taken where it can carry
        others = tuple(o for o in supports.others if o.joint in figure.places)
        supports = replace(supports, others=others)
    _must_carry(clip, figure, supports)
    loose = [
        name
        for name, track in clip.translations.items()
        if clip.skeleton.index(name) in figure.places
        and clip.skeleton.index(name) != figure.moving[0]
        and float(np.ptp(track, axis=0).max()) * clip.units.metres > _HANGS
    ]
    notes: list[str] = [
        f"{sum(s.mass for s in solids.values()):.1f} kg in {len(figure.bodies)} segments"
    ]
    size = size_note(motion)
    if size is not None:
        notes.append(size)
    if loose:
        notes.append(f"bones of {', '.join(loose[:3])} change length: their mean is taken")
    if hangs:
        notes.append("the figure does not fall and is no person: it is held by its root")
    elif supports.flight.all():
        notes.append("nothing touches the ground in any frame: all of it is taken as flight")
    elif supports.flight.any():
        notes.append(f"{supports.flight.mean():.0%} of the clip is flight")
    return Measured(clip, body, figure, path, dynamics, supports, hangs, data.limits, tuple(notes))


def _must_carry(clip: Motion, figure: Figure, supports: Supports) -> None:
    """Refuse figures whose feet are not connected to what they carry, such as captured points."""
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
