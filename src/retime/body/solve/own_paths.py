"""Where a source has its joints: the paths on which contacts are held."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import find_slides
from retime.body.contacts.slides import Slide
from retime.body.solve.displacement import OwnPath, eased, frame_weights, frames_of
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, height
from retime.motion.sampling import ChannelTimes, sample
from retime.timing import TimeWarp

__all__ = ["Ground", "SourceTracks", "between_contacts", "on_purpose", "own_paths"]

# Displacement of the ground under a joint at times (N,): (N, 3) metres.
Ground = Callable[[str, FloatArray], FloatArray]
# A contact that an edit displaces on the ground by less than the first of these, in body heights,
# belongs where the source has it. From the second on the figure was moved on purpose, and the
# contact with it; between them the share is eased, so that a growing edit is continuous.
_ON_PURPOSE = (0.2, 0.3)


class SourceTracks:
    """Positions of a source's joints, each at its own time, at the frames of a retimed motion.

    Parameters
    ----------
    motion : Motion
        The retimed motion.
    source : Motion
        Its source.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    ground : callable, optional
        How far the ground under a joint moved at times (N,), (N, 3) metres.
    """

    def __init__(
        self, motion: Motion, source: Motion, warp: TimeWarp, ground: Ground | None = None
    ) -> None:
        self.motion, self.source, self.warp, self.ground = motion, source, warp, ground
        self._tracks: dict[str, FloatArray] = {}
        self._figures: dict[bytes, FloatArray] = {}

    def of(self, joint: str) -> FloatArray:
        """Return where the source has a joint, moved with the ground, (F, 3) metres.

        Between frames the pose of the source is interpolated, as in a retimed motion: a joint that
        no edit moves is there to the last digits.
        """
        if joint not in self._tracks:
            then = np.asarray(self.warp(self.motion.times, joint))
            key = then.tobytes()
            if key not in self._figures:
                self._figures[key] = self._figure(then)
            track = self._figures[key][:, self.source.skeleton.index(joint)]
            if self.ground is not None:
                track = track + self.ground(joint, self.motion.times)
            self._tracks[joint] = track
        return self._tracks[joint]

    @cached_property
    def tall(self) -> float:
        """The standing height of the figure, also where it lies, metres."""
        return max(height(self.source.skeleton) * self.source.units.metres, 1e-9)

    def _figure(self, then: FloatArray) -> FloatArray:
        if np.array_equal(then, self.source.times):
            return cached_positions(self.source)
        sampled = sample(self.source, ChannelTimes(then, {}), loop=False)
        rotations, translations, scales = sampled
        return cached_positions(
            replace(self.motion, rotations=rotations, translations=translations, scales=scales)
        )


def own_paths(contacts: Iterable[Contact], tracks: SourceTracks) -> dict[Contact, OwnPath]:
    """Return the paths of contacts and of the slides between them: those of the source.

    Parameters
    ----------
    contacts : iterable of Contact
        In the retimed motion's time.
    tracks : SourceTracks
        Where the source has its joints.

    Returns
    -------
    dict of Contact to OwnPath
        Each moved by what an edit moved its contact on purpose.
    """
    motion, out, moved = tracks.motion, {}, {}
    now = cached_positions(motion)
    for contact in contacts:
        frames = frames_of(contact, motion)
        if frames.any():
            track, j = tracks.of(contact.joint), motion.skeleton.index(contact.joint)
            weights = frame_weights(contact, motion.times[frames], motion.rate)
            moved[contact] = by = on_purpose(
                weights @ (now[frames, j] - track[frames]), tracks.tall
            )
            out[contact] = OwnPath(track + by if by.any() else track)
    for slide in find_slides(tracks.source, out, tracks.warp):
        track, ends = tracks.of(slide.contact.joint), (moved[slide.before], moved[slide.after])
        if any(by.any() for by in ends):
            track = track + between_contacts(motion.times, slide, *ends)
        out[slide.contact] = OwnPath(track)
    return out


def between_contacts(
    times: FloatArray, slide: Slide, leaving: FloatArray, coming: FloatArray
) -> FloatArray:
    """Return displacements (F, 3) that change from one contact's (3,) to the next one's."""
    start, end = slide.contact.start, slide.contact.end
    share = eased(np.clip((times - start) / (end - start), 0.0, 1.0))[:, None]
    return np.asarray((1 - share) * leaving + share * coming)


def on_purpose(away: FloatArray, tall: float) -> FloatArray:
    """Return the part of a contact's displacement (3,) that is meant, not a fault to correct.

    ``tall`` is the height of the figure, metres.
    """
    across = np.array([away[0], 0.0, away[2]])
    least, most = _ON_PURPOSE
    far = np.clip((np.hypot(away[0], away[2]) / tall - least) / (most - least), 0.0, 1.0)
    return np.asarray(eased(far) * across)
