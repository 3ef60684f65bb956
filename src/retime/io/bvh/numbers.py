"""Numbers as text: the slow, exact path beside the compiled parser."""

from __future__ import annotations

import math


def parse_decimal(text: str) -> float:
    """Parse a decimal number; return NaN if the text is not one."""
    if "_" in text:  # Python's digit separators are not part of BVH
        return math.nan
    try:
        return float(text)
    except ValueError:
        return math.nan


def comma_hint(text: str) -> str:
    """Return what to append to an error message about a number with a decimal comma."""
    return "; decimals need a point, not a comma" if "," in text else ""
