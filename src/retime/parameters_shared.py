"""Options that commands and batches share, each declared once."""

from __future__ import annotations

from typing import Annotated

from retime.parameters import About

Fps = Annotated[
    float | None,
    About("Frame rate of the result. Default: the source's.", metavar="HZ", minimum=0.001),
]
DropRest = Annotated[
    bool, About("Do not write the rest pose that was set aside on reading.", panel="Output")
]
MinContact = Annotated[
    float,
    About("Shortest contact to report.", unit="s", metavar="S", minimum=0.001, panel="Advanced"),
]
