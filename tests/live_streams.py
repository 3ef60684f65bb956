"""Streams for the stage's tests: motions as datagrams, and what networks do to them."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator

import numpy as np
from pythonosc.osc_message_builder import OscMessageBuilder

from retime import Motion
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.vmc import BundleWriter

__all__ = ["bone_message", "disturbed", "frames_of", "most_memory"]


def frames_of(
    motion: Motion, times: np.ndarray, source: np.ndarray
) -> Iterator[tuple[float, bytes]]:
    """Yield a datagram for each live time, of the motion at the source's."""
    avatar = Avatar(motion)
    writer = BundleWriter(avatar.roles)
    for time, at in zip(times, source, strict=True):
        yield float(time), writer.frame(avatar.bones(float(at)), ROOT, float(time))


def bone_message(name: str, *values: float) -> bytes:
    """Make a message of one bone, in Unity's own numbers."""
    message = OscMessageBuilder("/VMC/Ext/Bone/Pos")
    message.add_arg(name, "s")
    for value in values:
        message.add_arg(float(value), "f")
    data: bytes = message.build().dgram
    return data


def disturbed(
    frames: list[tuple[float, bytes]], *, loss: float, jitter: float, seed: int = 0
) -> list[tuple[float, bytes]]:
    """Return what arrives, and when: some are lost, each is delayed, so some change places."""
    dice = random.Random(seed)
    kept = [(time + jitter * dice.random(), data) for time, data in frames if dice.random() >= loss]
    return sorted(kept, key=lambda f: f[0])


def most_memory() -> int:
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
