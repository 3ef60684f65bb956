"""The gate: thresholds on measures that sort results into accepted and rejected."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retime.body.measure.metrics import MEASURES, Measure
from retime.bounded_json import parse_toml
from retime.coercion import is_number
from retime.errors import FormatError, InputError, did_you_mean
from retime.io.files import read_bytes

# Measures that a gate can use: those that need no known warp, and feasibility.
_NEEDS_TRUTH = ("deviation_mean", "deviation_worst", "unnoticed")
GATED: dict[str, Measure] = {n: m for n, m in MEASURES.items() if n not in _NEEDS_TRUTH} | {
    "feasible_share": Measure("share", "frames that a body could have produced")
}


@dataclass(frozen=True)
class Limit:
    """Thresholds of one measure."""

    least: float = -math.inf
    most: float = math.inf
    """Bounds that are still accepted."""
    required: bool = False
    """Whether a result is rejected in which it cannot be measured (no flight, no feet)."""


@dataclass(frozen=True)
class Gate:
    """Thresholds by measure; an empty gate accepts all.

    Examples
    --------
    >>> Gate({"foot_skate": Limit(most=0.02)}).reasons({"foot_skate": 0.05})
    ('foot skate is 0.05 m/s, above 0.02',)
    """

    limits: Mapping[str, Limit]

    def reasons(self, measures: Mapping[str, float]) -> tuple[str, ...]:
        """Return the reasons to reject a result; none if it is accepted."""
        out = []
        for name, limit in self.limits.items():
            value, title = measures.get(name), name.replace("_", " ")
            if value is None:
                if limit.required:
                    out.append(f"{title} cannot be measured")
                continue
            measure = GATED[name]
            shown = f"{measure.text(value)} {measure.unit}".strip()
            if value > limit.most:
                out.append(f"{title} is {shown}, above {limit.most:g}")
            if value < limit.least:
                out.append(f"{title} is {shown}, below {limit.least:g}")
        return tuple(out)

    @property
    def needs_physics(self) -> bool:
        """Whether it measures feasibility, which is the slowest measure."""
        return "feasible_share" in self.limits

    @property
    def document(self) -> dict[str, dict[str, Any]]:
        """The limits as in a gate file."""
        out: dict[str, dict[str, Any]] = {}
        for name, limit in self.limits.items():
            ends = {"min": limit.least, "max": limit.most}
            out[name] = {k: v for k, v in ends.items() if math.isfinite(v)}
            if limit.required:
                out[name]["required"] = True
        return out

    @property
    def sha256(self) -> str:
        """Hash of its limits."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()


def read_gate(path: str | Path) -> Gate:
    """Read a gate from a TOML file with a table ``[gate]``.

    Each of its lines is like ``foot_skate = {max = 0.02}``.
    """
    document = parse_toml(read_bytes(path), path=path)
    table = document.get("gate")
    if not isinstance(table, dict) or set(document) != {"gate"}:
        raise FormatError("a gate is one table, [gate], and nothing else", path=path)
    try:
        return Gate({name: _limit(name, given) for name, given in table.items()})
    except InputError as e:
        raise FormatError(str(e), path=path) from None


def _limit(name: str, given: Any) -> Limit:
    if name not in GATED:
        raise InputError(
            f"no measure named {name!r}{did_you_mean(name, GATED)}; all: {', '.join(GATED)}"
        )
    if not isinstance(given, dict) or not set(given) & {"min", "max"}:
        raise InputError(f"{name} needs a min, a max or both, like {name} = {{max = 0.02}}")
    unknown = set(given) - {"min", "max", "required"}
    if unknown:
        raise InputError(f"{name} has no {sorted(unknown)[0]!r}; it takes min, max and required")
    low, high = _end(name, given, "min", -math.inf), _end(name, given, "max", math.inf)
    if low > high:
        raise InputError(f"{name}: the min is above the max; nothing would pass")
    required = given.get("required", False)
    if not isinstance(required, bool):
        raise InputError(f"{name}: required is true or false, not {required!r}")
    return Limit(low, high, required)


def _end(name: str, given: dict[str, Any], key: str, default: float) -> float:
    """Return the min or max of a limit."""
    value = given.get(key, default)
    if not is_number(value) or math.isnan(value):
        raise InputError(f"the {key} of {name} is {value!r}, not a number")
    return float(value)
