"""The options of a batch that are plain data, declared for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import DropRest, Fps, MinContact

Verdict = Literal["accepted", "rejected", "failed"]
# Panel of what clusters and long runs need.
CLUSTER = "Clusters and limits"


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """The work on a library: its clips, their copies, and how results are written."""

    library: Annotated[Path, About("Folder of clips.", metavar="LIBRARY", argument=True)]
    out: Annotated[Path, About("Folder of results.", metavar="OUT", argument=True)]
    resume: Annotated[bool, About("Continue a batch that was stopped.")] = False
    vary: Annotated[
        Sequence[str],
        About(
            "Choose a random value for each copy, such as duration=0.8..1.25. Other parameters are "
            "STEP.PARAMETER=A..B or =A|B|C; durations are relative to the clip.",
            metavar="WHAT=VALUES",
        ),
    ] = ()
    only: Annotated[Verdict | None, About("Repeat only these results of an earlier run.")] = None
    copies: Annotated[int, About("Number of results per clip.", minimum=1)] = 1
    seed: Annotated[int, About("Seed of the random values of --vary (default 0).")] = 0
    suffix: Annotated[
        str,
        About(
            "Format of the results, such as npz. Default: that of the clip.",
            flag="to",
            metavar="FORMAT",
        ),
    ] = ""
    fps: Fps = None
    drop_rest: DropRest = False
    min_contact: MinContact = 0.1
    physics: Annotated[
        bool, About("Also measure physical feasibility; a gate on it does so by itself.")
    ] = False
    timeout: Annotated[
        float | None,
        About("Maximum time per clip.", unit="s", metavar="S", minimum=0.001, panel=CLUSTER),
    ] = None
    reading: Reading = Reading()
