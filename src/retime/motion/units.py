"""Units: what a motion's own numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.errors import InputError

UpAxis = Literal["Y", "Z"]


@dataclass(frozen=True)
class Units:
    """How a motion's own numbers become metres with Y up.

    Parameters
    ----------
    metres : float
        Metres per unit of length.
    up : {"Y", "Z"}
        The axis that points up.
    how : str
        How both are known, for a person: declared by the file, given by the user, inferred or
        assumed.
    """

    metres: float = 1.0
    up: UpAxis = "Y"
    how: str = "declared"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.metres) and self.metres > 0):
            raise InputError(f"the scale must be metres per unit, above 0, not {self.metres}")
        if self.up not in ("Y", "Z"):
            raise InputError(f"the up axis is 'Y' or 'Z', not {self.up!r}")
