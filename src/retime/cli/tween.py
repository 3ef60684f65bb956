"""``retime tween``."""

from __future__ import annotations

from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming, WarpOut
from retime.cli.retiming import known_contacts, retime_file
from retime.methods.staggered import TweenParameters


def tween(
    source: Input,
    target: Output,
    *,
    warp: WarpOut = None,
    parameters: Annotated[
        dict[str, Any], Of(TweenParameters, leave_out=("contacts", "contacts_only"))
    ],
    retiming: Retiming,
) -> None:
    """Blend poses toward others, and ease in and out of them.

    List the poses with retime stagger IN --list.

    Examples
    --------
    retime tween walk.bvh out.bvh --tween 1.1:next:0.4 --joint RightArm

    retime tween walk.bvh out.bvh --tween 1.1:mirror:1 --tween 0.6:neighbours:-0.3

    retime tween jump.bvh out.bvh --ease 0.8:anticipate:1 --ease 1.6:settle:0.7
    """
    from retime.recipe import Step

    if retiming.contacts is not None:
        parameters |= known_contacts(retiming.contacts)
    retime_file([Step("tween", parameters)], source, target, retiming, warp_file=warp)
