"""Find implausible flights: nothing touches, but the body does not fall."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from retime.body.contacts.detector import find_contacts
from retime.body.contacts.stretches import runs
from retime.body.model.body import Body, find_body
from retime.body.model.size import judged
from retime.motion import Motion
from retime.motion.contact import Contact

# Force above which a body does not fall, in body weights, and shortest reported time, seconds.
_BEARS, _SHORTEST = 0.5, 0.1
# Contacts of less confidence are inferred from forces only.
_DOUBTFUL = 0.25


def implausible_flights(
    motion: Motion, given: Iterable[Contact] | None = None, *, only: bool = False
) -> tuple[tuple[float, float], ...]:
    """Return the times at which nothing touches but the body does not fall.

    There a contact is missing, or the ground, the scale or the frame rate is wrong.

    Parameters
    ----------
    motion : Motion
        The motion.
    given : iterable of Contact, optional
        Known contacts; they replace the detected contacts of their limbs.
    only : bool
        Use only the given contacts.

    Returns
    -------
    tuple of (float, float)
        Start and end of each part, seconds.

    Examples
    --------
    >>> from retime import samples
    >>> from retime.body.contacts.flights import implausible_flights
    >>> implausible_flights(samples.walk())
    ()
    >>> len(implausible_flights(samples.walk(), [], only=True))
    1
    """
    if len(motion) < 2:
        return ()
    motion = judged(motion)
    found = find_contacts(motion)
    if not found.is_understood:
        return ()
    known = list(given or ())
    if not only:
        known += _detected(find_body(motion), found.contacts, known)
    times = motion.times
    free = np.ones(len(times), dtype=bool)
    for contact in known:
        free &= (times < contact.start - 1e-9) | (times > contact.end + 1e-9)
    return tuple(
        (float(times[a]), float(times[b - 1]))
        for a, b in runs(free & (found.force > _BEARS))
        if times[b - 1] - times[a] >= _SHORTEST
    )


def _detected(body: Body, found: Iterable[Contact], given: Iterable[Contact]) -> list[Contact]:
    """Return the detected contacts of parts without a given contact."""
    named = {_part(body, c.joint) for c in given}
    return [c for c in found if c.confidence >= _DOUBTFUL and _part(body, c.joint) not in named]


def _part(body: Body, joint: str) -> str:
    """Return the limb of a joint, because heel and toe are one foot, or the joint itself."""
    return body.limb_of(body.skeleton.index(joint)) or joint
