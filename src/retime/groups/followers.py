"""Members that follow others: cameras, props and crowds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.coercion import is_number
from retime.errors import InputError, did_you_mean
from retime.timing import TimeWarp


@dataclass(frozen=True)
class Followers:
    """Whom each follower follows, with shares that sum to 1.

    Parameters
    ----------
    leaders : mapping of str to mapping of str to float
        Shares of the leaders of each follower.
    """

    leaders: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, given: Mapping[str, Any], members: Sequence[str]) -> Followers:
        """Check who follows whom."""
        out = {name: _shares(name, leaders) for name, leaders in given.items()}
        for name, shares in out.items():
            for known in (name, *shares):
                if known not in members:
                    hint = did_you_mean(known, members)
                    raise InputError(f"the group has no member {known!r}{hint}")
            if name in shares:
                raise InputError(f"{name} cannot follow itself")
            chained = next((leader for leader in shares if leader in out), None)
            if chained is not None:
                raise InputError(f"{name} follows {chained}, a follower; name its leaders")
        return cls(out)

    def warp(
        self, name: str, domain: tuple[float, float], warps: Mapping[str, TimeWarp]
    ) -> TimeWarp:
        """Return the warp of a follower over its own clip.

        At each source time its output time is the mean of its leaders'. Beyond a leader's clip, the
        leader goes on at recorded speed.
        """
        shares = self.leaders[name]
        curves = {leader: warps[leader].of_body() for leader in shares}
        times = np.concatenate([np.asarray(domain), *(w.source for w in curves.values())])
        times = np.unique(times[(times >= domain[0]) & (times <= domain[1])])
        output = np.zeros(len(times))
        for leader, share in shares.items():
            warp = curves[leader]
            beyond = times - np.clip(times, warp.source[0], warp.source[-1])
            output += share * (warp.inverse(times) + beyond)
        return TimeWarp(output, times, loop=all(w.loop for w in curves.values()))


def _shares(name: str, given: Any) -> dict[str, float]:
    """Return shares that sum to 1 from a name, or from a number for each leader."""
    if isinstance(given, str):
        return {given: 1.0}
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"{name} follows a member, or several with a share each")
    for leader, share in given.items():
        if not (is_number(share) and np.isfinite(share) and share >= 0):
            raise InputError(f"{name} follows {leader} by a share of 0 or more, not {share!r}")
    total = float(sum(given.values()))
    if not total > 0:
        raise InputError(f"{name} needs a leader with a share above 0")
    return {leader: share / total for leader, share in given.items() if share > 0}
