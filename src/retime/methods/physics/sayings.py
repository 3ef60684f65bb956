"""Parse values such as 15kg@chest, 70% and 0.5g."""

from __future__ import annotations

import re

from retime.errors import InputError

# Gravity of recordings, m/s^2.
EARTH = 9.81
_POUND = 0.45359237
_LOAD = re.compile(r"([0-9.]++)\s*+(kg|lbs?)?\s*+@\s*+(\S.*+)", re.IGNORECASE)
_OF_EARTH = re.compile(r"\s*+([0-9.]++)\s*+g\s*+", re.IGNORECASE)


def parse_load(text: str) -> tuple[str, float]:
    """Parse a load to (place, kilograms).

    Examples
    --------
    >>> parse_load("15kg@chest")
    ('chest', 15.0)
    """
    found = _LOAD.fullmatch(text.strip())
    if found is None:
        place, mark, kilograms = text.partition("=")
        try:
            return place.strip(), float(kilograms if mark else "none")
        except ValueError:
            raise InputError(
                f"the load is {text!r}; write it as 15kg@chest: kilograms, then backpack, hands, a "
                "joint or a role"
            ) from None
    size, unit, place = found.groups()
    try:
        return place, float(size) * (_POUND if (unit or "kg").lower().startswith("lb") else 1.0)
    except ValueError:
        raise InputError(f"the load {text!r} does not begin with a number") from None


def parse_share(text: str) -> float:
    """Parse a fraction or a percentage.

    Examples
    --------
    >>> parse_share("70%"), parse_share("0.7")
    (0.7, 0.7)
    """
    number = text.strip()
    try:
        if number.endswith("%"):
            return float(number[:-1]) / 100
        return float(number)
    except ValueError:
        raise InputError(f"{text!r} is not a share; give it as 70% or 0.7") from None


def parse_torque_limits(text: str) -> str | float | dict[str, float]:
    """Parse torque limits: ``observed``, one number for all joints, or numbers by joint.

    Examples
    --------
    >>> parse_torque_limits("120")
    120.0
    >>> parse_torque_limits("left_lower_leg=20, spine=90")
    {'left_lower_leg': 20.0, 'spine': 90.0}
    """
    parts = [part.partition("=") for part in text.split(",")]
    try:
        if "=" in text:
            return {joint.strip(): float(limit) for joint, _, limit in parts}
        return text.strip() if text.strip() == "observed" else float(text)
    except ValueError:
        raise InputError(
            f"the torque limits are {text!r}; write observed, newton metres as 120, or joints or "
            "roles with newton metres as left_lower_leg=20,spine=90"
        ) from None


def weights_of_earth(text: str) -> float | None:
    """Parse gravity as a fraction of that of the earth, such as ``0.5g``, to m/s^2."""
    found = _OF_EARTH.fullmatch(text)
    return None if found is None else float(found.group(1)) * EARTH
