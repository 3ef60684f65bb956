"""Units of length and the up axis of a motion's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.errors import InputError

UpAxis = Literal["Y", "Z"]


@dataclass(frozen=True)
class Units:
    """Conversion of a motion's numbers to metres with Y up.

    Parameters
    ----------
    metres : float
        Metres per unit of length.
    up : {"Y", "Z"}
        The axis that points up.
    how : str
        Source of both, for display: declared by the file, given by the user, inferred or assumed.
    """

    metres: float = 1.0
    up: UpAxis = "Y"
    how: str = "declared"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.metres) and self.metres > 0):
            raise InputError(f"the scale must be metres per unit, above 0, not {self.metres}")
        if self.up not in ("Y", "Z"):
            raise InputError(f"the up axis is 'Y' or 'Z', not {self.up!r}")
