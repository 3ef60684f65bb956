"""Poses that reach: hands, feet and other joints moved to targets (5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self, get_args

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.model.body import Body
from retime.body.solve.ik import hold_contacts
from retime.body.solve.posing import Help, planted_joints, pose_figure
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.staggered.edits.history import recorded
from retime.methods.staggered.edits.value_edits import ValueEdits, When
from retime.methods.staggered.pose_values import still_motion
from retime.methods.staggered.representation import PoseName, by_joint, numbers
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.notes import Note

__all__ = ["ReachEdits"]

# Distance from a target above which a note is given, metres.
_MISSED = 1e-3


class ReachEdits(ValueEdits):
    """Edits that move poses by inverse kinematics."""

    @recorded
    def reach(
        self,
        pose: PoseName,
        targets: Mapping[str, npt.ArrayLike],
        *,
        help: Help = "body",
        stiffness: Mapping[str, float] | None = None,
        when: When = "pose",
        layer: int = 0,
    ) -> Self:
        """Move hands, feet, the head, elbows, knees or fingers to positions at a pose.

        The body follows by inverse kinematics. Planted joints stay in place, and knees and elbows
        do not bend past their limits.

        Parameters
        ----------
        pose : int or float
            Which pose.
        targets : mapping of str to array (3,)
            Positions in metres, Y up, by joint.
        help : {"limb", "torso", "body"}
            Joints that move: the arm or leg; also clavicles and spine; or also the pelvis with
            planted feet.
        stiffness : mapping of str to float, optional
            Factors on joints' stiffness; 2 lets a joint help half as much.
        when : {"pose", "extreme"}
            Whether the pose at its time reaches the targets, or the non-staggered pose.
        layer : int
            Which layer of the stack takes the change.
        """
        k = self._editable(pose)
        if help not in get_args(Help):
            raise InputError(f"help is {help!r}; it can be 'limb', 'torso' or 'body'")
        times = self._times_of([k], when)[0]
        still = still_motion(
            self.source, self._pose_of(k, when), dict(zip(self.channels, times, strict=True))
        )
        body = find_body(self.source)
        wanted = {
            still.skeleton.index(joint): numbers(place, 3, f"the target of {name!r}")
            for name, place in by_joint(targets, "targets").items()
            for joint in body.find_joints([name])
        }
        if help == "limb":
            return self._reach_by_limbs(k, still, body, wanted, when, layer)
        factors = self._factors(body, stiffness or {})
        planted = planted_joints(
            self.source, self.contacts, dict(zip(self.channels, times, strict=True)), wanted
        )
        posed = pose_figure(
            still, wanted, planted=planted, help=help, stiffness=factors, source=self.source
        )
        moved = np.flatnonzero((posed.rotations != still.rotations[0]).any(axis=1))
        values = {int(j): posed.rotations[j] for j in moved}
        if posed.move.any():
            root, column = still.skeleton.roots[0], len(still.skeleton)
            start = still.translations[still.skeleton.names[root]][0]
            values[column] = start + posed.file_move(still.units)
        short = {j: far for j, far in posed.missed.items() if far > _MISSED}
        notes = [
            Note(
                f"{still.skeleton.names[j]} stays {100 * far:.1f} cm away from its target at pose "
                f"{k}: the body does not reach it",
                code="out-of-reach",
                joint=still.skeleton.names[j],
                missed=far,
            )
            for j, far in short.items()
        ]
        return self._set(k, values, when, layer)._saying(notes)

    def _factors(self, body: Body, stiffness: Mapping[str, float]) -> dict[int, float]:
        """Return factors on stiffness by joint."""
        out: dict[int, float] = {}
        for name, value in by_joint(stiffness, "factors on stiffness").items():
            factor = coerce(value, float, f"the stiffness of {name}")
            if not 1e-3 <= factor <= 1e3:
                raise InputError(f"the stiffness of {name!r} is 0.001 to 1000, not {factor:g}")
            out |= {self.source.skeleton.index(j): factor for j in body.find_joints([name])}
        return out

    def _reach_by_limbs(
        self,
        k: int,
        still: Motion,
        body: Body,
        targets: Mapping[int, FloatArray],
        when: When,
        layer: int,
    ) -> Self:
        """Move hands and feet to targets by their limbs only."""
        wanted = {}
        for j, place in targets.items():
            joint = still.skeleton.names[j]
            if body.limb_of(j) is None:
                raise InputError(
                    f"{joint!r} is not on an arm or a leg; name a hand or a foot, or let more help"
                )
            wanted[Contact(joint, *still.domain)] = place
        reached = hold_contacts(still, wanted, fade=0.0)
        moved = np.flatnonzero((reached.rotations[0] != still.rotations[0]).any(axis=1))
        values = {int(j): reached.rotations[0, j] for j in moved}
        return self._set(k, values, when, layer)._saying(reached.notes)
