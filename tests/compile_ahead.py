"""Compile the numeric core once, before several processes of tests would each compile it.

``make test`` runs it beside the checks. What it leaves out is compiled by the tests.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import retime
from retime import Recipe, Step, samples

_STEPS = (
    Step("guided", {"duration": 2.5, "keytimes": [[1.0, 1.3]]}),
    Step("guided", {"duration": "75%", "formulation": "paper"}),
    Step("guided", {"duration": "140%"}),
    Step("physics", {"duration": 2.9}),
    Step("physics", {"duration": 3.9, "gravity": 5.0}),
    Step("stagger", {"overlap": 1.2, "exaggerate": 0.3}),
    Step("surface", {"keys": [{"time": 1.5, "joint": "RightHand", "shift": -0.1}]}),
    Step("secondary", {}),
    Step("hold", {}),
)


def main() -> None:
    """Use every method once, on short motions."""
    jump, walk = samples.jump(), samples.walk()
    for step in _STEPS:
        Recipe([step]).evaluate(jump)
    retime.guided_warp(walk, reference=jump, duration="free")
    retime.physics_warp(walk, duration="free")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".bvh", ".glb", ".npz"):
            place = Path(folder) / f"jump{suffix}"
            retime.write(jump, place)
            retime.apply(retime.read(place), retime.guided_warp(jump, duration=2.0))


if __name__ == "__main__":
    main()
