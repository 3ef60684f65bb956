"""Flights that no body flies: nothing touches, and yet something bears it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from retime.body.body import Body, find_body
from retime.body.contacts.detector import find_contacts
from retime.body.contacts.stretches import runs
from retime.body.size import judged
from retime.motion import Motion
from retime.motion.contact import Contact

__all__ = ["implausible_flights"]

# More force than this, in body weights, is not free fall; a stretch shorter than that (s) is none.
_BEARS, _SHORTEST = 0.5, 0.1
# Less confidence than this was asked for by a force alone.
_DOUBTFUL = 0.25


def implausible_flights(
    motion: Motion, given: Iterable[Contact] | None = None, *, only: bool = False
) -> tuple[tuple[float, float], ...]:
    """Find when nothing touches although the body does not fall.

    There a contact is missing, or the ground, the scale or the frame rate is not what it seems.

    Parameters
    ----------
    motion : Motion
        Any motion.
    given : iterable of Contact, optional
        Known contacts; limbs that they name follow them alone.
    only : bool
        Take the given contacts alone.

    Returns
    -------
    tuple of (start, end) in seconds.

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
    body, known = find_body(motion), tuple(given or ())
    named = {_part(body, c.joint) for c in known}
    seen = [
        c
        for c in found.contacts
        if not only and c.confidence >= _DOUBTFUL and _part(body, c.joint) not in named
    ]
    times = motion.times
    free = np.ones(len(times), dtype=bool)
    for contact in (*seen, *known):
        free &= (times < contact.start - 1e-9) | (times > contact.end + 1e-9)
    return tuple(
        (float(times[a]), float(times[b - 1]))
        for a, b in runs(free & (found.force > _BEARS))
        if times[b - 1] - times[a] >= _SHORTEST
    )


def _part(body: Body, joint: str) -> str:
    """Name what a joint stands for: its limb if it has one, since heel and toe are one foot."""
    return body.limb_of(body.skeleton.index(joint)) or joint
