"""Headers of the studio's binary frames; ``web/src/protocol.ts`` is generated from them.

A frame is four bytes that tell the header's length (little-endian), the header as JSON, padding to
four bytes, and float32 values, one array after the other as the header's ``arrays`` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from retime.serving.frames import pack_frame
from retime.studio.project import Version


class Block(Struct, frozen=True):
    """One array of a frame, float32."""

    name: str
    shape: list[int]


class ContactBar(Struct, frozen=True):
    """A joint that stands still, from when to when.

    ``given`` is the same stretch in the input time of the step that holds the contacts, or in the
    source's where none does; several bars of a cycle are one stretch. ``sure`` is the confidence.
    """

    joint: str
    point: int
    start: float
    end: float
    given: tuple[float, float]
    sure: float


class MotionHeader(Struct, frozen=True, tag="motion"):
    """A motion as it is in its file. Points are its joints, then its end sites.

    Arrays: ``positions`` (frames, points, 3) in metres with Y up, ``rotations`` (frames, joints, 4)
    wxyz where there is a mesh, ``times`` (frames,). ``nodes`` are the joints' in glTF, as
    which a window gets the mesh of a USD file too; without them a mesh is that of an FBX file,
    whose nodes have the joints' names. ``cycle`` tells that the clip's end meets its start in
    motion.
    """

    id: str
    name: str
    sha256: str
    fps: float
    start: float
    duration: float
    joints: list[str]
    parents: list[int]
    roles: list[str | None]
    limbs: list[str | None]
    ends: list[int]
    height: float
    ground: float
    scale: float
    contacts: list[ContactBar]
    notes: list[str]
    mesh: bool
    cycle: bool
    nodes: list[int]
    arrays: list[Block]


class SurfaceKeyView(Struct, frozen=True):
    """A surface key in 3D: a plane through ``base``, spanned by ``across`` and ``up``.

    Later is along ``along``, ``pace`` metres to a second. ``index`` is the key's place in the
    step's parameter; ``room`` the time between its neighbours' ranges. ``made`` is the shift that
    was found, ``weights`` every joint's fraction of it; ``arrived`` the shift that was measured in
    space, of the joint that is dragged farthest, and ``off`` its distance in metres from the
    requested pose. Arrays: ``grid:N`` (P, Q, 4) places of the
    dragged surface and the pull there (0 to 1), ``paths:N`` (moments, joints, 3) the joints' ways
    through the plane, over ``start`` to ``end``, ``places:N`` (joints, 3) the joints on the plane.
    """

    index: int
    time: float
    joints: list[str]
    shift: float
    made: float
    arrived: float
    off: float
    start: float
    end: float
    room: tuple[float, float]
    base: list[float]
    across: list[float]
    up: list[float]
    along: list[float]
    pace: float
    weights: list[float]


class SurfaceEditor(Struct, frozen=True, tag="surface"):
    """Data for the surface editor of the step that a window edits."""

    step: str
    keys: list[SurfaceKeyView]
    notes: list[str]


class PosesEditor(Struct, frozen=True, tag="poses"):
    """Data for the poses editor of the step that a window edits.

    ``channels`` are joints and roots' translations, ``joints`` their joints; ``free`` the poses
    that can be edited; ``found`` how many poses there could be; ``counted`` for each edit of the
    list the pose that it inserts or deletes, by its number at that moment; ``weights`` those of
    the layers. Arrays: ``pose_times``
    (poses,), ``refinements``, those ``delivered`` and ``included`` (poses, channels),
    ``probability`` (moments, 2) of times and values, ``candidates`` (moments, 4) and
    ``tangents`` (poses, channels, 6); see ``pose_blocks.py``. Times are the step's output's.
    """

    step: str
    channels: list[str]
    joints: list[int]
    free: list[int]
    found: int
    notes: list[str]
    counted: list[int | None]
    layers: int
    weights: list[float]


class StepResult(Struct, frozen=True):
    """Result of one step: a line for the list, its notes, and its cost.

    ``given`` are the first and last time of its input, ``made`` those of its output.
    """

    id: str
    line: str
    notes: list[str]
    given: tuple[float, float]
    made: tuple[float, float]
    costs: dict[str, float] = {}


class ResultHeader(Struct, frozen=True, tag="result"):
    """The retimed motion.

    Arrays: ``positions`` (frames, points, 3), ``rotations`` (frames, joints, 4) where there is a
    mesh, ``times`` (frames,), ``output`` and ``source`` (knots,) of the body's warp, ``skate``
    (frames,) in metres per frame. With another reference, ``evidence`` (moments, 2) is the result's
    time and how much the reference resembles the clip there, 0 to 1. Where several steps change
    timing, ``before:ID`` (knots, 2) leads from a step's input time to the source's, ``after:ID``
    from the result's time to its output's. For every step ``layer:ID`` (moments, 3) is what it adds
    to the source time: the body's, and the least and most of all joints, over ``layer_times``. With
    an editor, ``joint_times`` (frames, joints) is how far ahead of its output each joint of the
    edited step is. ``contacts_step`` is the step that holds the contacts, ``flights`` are stretches
    of the result in which nothing touches although the body does not fall. ``revision`` is the
    document's, ``request`` the preview's.
    """

    version: Version
    revision: int
    request: int | None
    source: str
    fps: float
    start: float
    duration: float
    took: float
    contacts: list[ContactBar]
    contacts_step: str | None
    flights: list[tuple[float, float]]
    notes: list[str]
    steps: list[StepResult]
    interim: bool
    editor: SurfaceEditor | PosesEditor | None
    arrays: list[Block]


class ViolationRow(Struct, frozen=True):
    """An infeasible part, in the times of source and output."""

    start: float
    end: float
    output_start: float
    output_end: float
    cause: str
    text: str
    mend: str
    rate: float
    feasible_rate: float | None


class PhysicsHeader(Struct, frozen=True, tag="physics"):
    """Physics of the version shown, at the frames of the physics step's input.

    Arrays: ``times`` (frames,) source time, ``timing`` (frames, 2) of (p'', p'^2), ``distance``
    (frames,) outside the region, ``corners`` (N, 2) and ``starts`` (frames + 1,) of the regions,
    ``force`` (frames,) of the ground in weights, ``use`` (frames, joints) fraction of each joint's
    limit.
    """

    version: Version
    revision: int
    request: int
    least: float | None
    most: float | None
    mass: float
    friction: float
    violations: list[ViolationRow]
    notes: list[str]
    arrays: list[Block]


class LiveHeader(Struct, frozen=True, tag="live"):
    """The result of following a performer's motion, with the source as the recording.

    Arrays: ``times`` (T,) live time, ``source`` (T,) the recording's time that was found,
    ``rate`` and ``confidence`` (T,), ``late`` (T,) seconds behind the recording's own pace (NaN
    if it cannot be judged). ``score`` is the summary of the timing, ``moments`` those that are
    farthest off.
    """

    request: int
    performer: str
    reference: str
    method: str
    score: dict[str, float | None]
    moments: list[list[float]]
    arrays: list[Block]


class LiveServerHeader(Struct, frozen=True, tag="live-server"):
    """A frame of a running ``retime live``.

    Arrays: ``performer`` (J, 3) and ``partner`` (P, 3), positions in metres, Y up, NaN where a
    joint is not seen; joints are named by role. ``late`` is seconds behind the recording's own
    pace; ``request`` is the one that asked for frames.
    """

    request: int
    reference: str | None
    time: float
    rate: float
    heard: float
    confidence: float
    late: float | None
    state: str
    performer_joints: list[str]
    partner_joints: list[str]
    arrays: list[Block]


def frame(header: Struct, arrays: Mapping[str, Any]) -> bytes:
    """Put a header and its arrays into one binary message; the header's list is filled in."""

    def text(listed: list[tuple[str, list[int]]]) -> bytes:
        blocks = [Block(*block) for block in listed]
        return msgspec.json.encode(msgspec.structs.replace(header, arrays=blocks))

    return pack_frame(text, arrays)
