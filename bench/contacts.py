"""Finding contacts, against forward kinematics on the same clip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import retime
from bench.timing import Figure, in_turns
from retime import samples
from retime.body.contacts import find_contacts

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap"


def figures() -> Iterator[Figure]:
    clips = {"walk, bundled": samples.walk(fps=120)}
    for name in ("02_01", "10_01", "49_02"):
        if (MOCAP / f"{name}.bvh").exists():
            clips[name] = retime.read(MOCAP / f"{name}.bvh")
    for name, clip in clips.items():
        find_contacts(clip)
        yield _figure(name, clip)


def _figure(name: str, clip: retime.Motion) -> Figure:
    # A copy has no cached results.
    ours, peer = in_turns(lambda: find_contacts(replace(clip)), lambda: retime.positions(clip))
    return Figure(f"contacts of {name}, {len(clip)} frames", ours, "positions()", peer)
