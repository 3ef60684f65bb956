"""``retime secondary``."""

from __future__ import annotations

from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming
from retime.cli.retiming import retime_file
from retime.methods.secondary import SecondaryParameters


def secondary(
    source: Input,
    target: Output,
    *,
    parameters: Annotated[dict[str, Any], Of(SecondaryParameters)],
    retiming: Retiming,
) -> None:
    """Make arms, tails, hair and props lag behind the body, overshoot and settle.

    Examples
    --------
    retime secondary walk.bvh out.bvh

    retime secondary walk.bvh out.bvh --strength 0.5 --joint LeftArm --frequency 2

    retime secondary walk.bvh out.bvh --chain LeftArm:1.5:0.3 --chain Head:3:1 --loop
    """
    from retime.recipe import Step

    retime_file([Step("secondary", parameters)], source, target, retiming)
