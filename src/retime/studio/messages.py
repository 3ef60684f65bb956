"""What passes between the studio's server and its windows; ``web/src/protocol.ts`` is made of it.

Requests and short replies are JSON. Arrays come as binary frames: four bytes that tell the header's
length (little-endian), the header as JSON, padding to four bytes, and float32 values, one array
after the other as the header's ``arrays`` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from retime.serving.frames import pack_frame
from retime.studio.commands import ClientCommand
from retime.studio.project import Project, Version

__all__ = [
    "Answer",
    "Ask",
    "Block",
    "Cancel",
    "ClientMessage",
    "ContactBar",
    "Discard",
    "Do",
    "DocumentState",
    "FormField",
    "Listen",
    "LiveHeader",
    "Locate",
    "MethodForm",
    "MotionHeader",
    "PhysicsHeader",
    "PosesEditor",
    "Preview",
    "Problem",
    "Progress",
    "Push",
    "Redo",
    "ResultHeader",
    "Sample",
    "Save",
    "ServerMessage",
    "Show",
    "StageHeader",
    "StageOver",
    "StepResult",
    "Suggested",
    "SurfaceEditor",
    "SurfaceKeyView",
    "Undo",
    "ViolationRow",
    "Welcome",
    "frame",
]

# ---- what a window sends; `request` counts up in each window, and replies carry it back


class Do(Struct, frozen=True, tag="do"):
    """Change the document: one step of undo."""

    request: int
    command: ClientCommand


class Preview(Struct, frozen=True, tag="preview"):
    """Show this window what a command would make, while a drag goes on; the latest wins."""

    request: int
    command: ClientCommand


class Discard(Struct, frozen=True, tag="discard"):
    """Forget the preview: the drag was given up."""

    request: int


class Undo(Struct, frozen=True, tag="undo"):
    """Take the last change back."""


class Redo(Struct, frozen=True, tag="redo"):
    """Make what was taken back again."""


class Save(Struct, frozen=True, tag="save"):
    """Write the project file now."""


class Show(Struct, frozen=True, tag="show"):
    """Show a version in this window, with what the editor of one of its steps needs."""

    version: Version
    editing: str | None = None


class Cancel(Struct, frozen=True, tag="cancel"):
    """Stop what is being computed for this window."""


class Push(Struct, frozen=True, tag="push"):
    """Push the optimiser while it is watched: let time run at a rate around a source moment."""

    time: float
    rate: float


class Ask(Struct, frozen=True, tag="ask"):
    """Ask for what is not part of a result.

    ``suggestions``: moments for keytimes. ``physics``: regions, limits and what is impossible of
    the version shown. ``watch``: solve a physics step slowly enough to be watched. ``live``: follow
    a motion as if it came live, with the source as the recording.
    """

    request: int
    question: Literal["suggestions", "physics", "watch", "live"]
    step: str | None = None
    motion: str | None = None


class Sample(Struct, frozen=True, tag="sample"):
    """Take a bundled motion into the project."""

    request: int
    name: str


class Locate(Struct, frozen=True, tag="locate"):
    """Say where a motion's file went: a path under the root, or search for it by its hash."""

    request: int
    id: str
    path: str | None = None


class Listen(Struct, frozen=True, tag="listen"):
    """Show a running ``retime live`` in this window, or with no address no longer.

    ``address`` is what it printed for its feed; it is on this machine.
    """

    request: int
    address: str | None


ClientMessage = (
    Do | Preview | Discard | Undo | Redo | Save | Show | Cancel | Push | Ask | Sample | Locate
    | Listen
)  # fmt: skip

# ---- what the server sends as text


class FormField(Struct, frozen=True):
    """One parameter of a method, as a form shows it."""

    name: str
    label: str
    help: str
    kind: Literal[
        "number", "integer", "flag", "choice", "text", "keytimes", "pairs", "range", "motion",
        "motions", "joints", "rows", "data",
    ]  # fmt: skip
    unit: str
    default: Any
    required: bool
    minimum: float | None
    maximum: float | None
    choices: list[str]
    metavar: str | None


class MethodForm(Struct, frozen=True):
    """A method and its form."""

    name: str
    title: str
    summary: str
    fields: list[FormField]


class Welcome(Struct, frozen=True, tag="welcome"):
    """First message to a window."""

    project: str
    methods: list[MethodForm]
    samples: dict[str, str]
    formats: list[str]
    root: str
    version: str
    most_upload: int


class DocumentState(Struct, frozen=True, tag="document"):
    """The document as it is now; ``request`` is the change that this window asked for."""

    revision: int
    project: Project
    undo: int
    redo: int
    saved: bool
    hash: str
    missing: list[str]
    request: int | None = None


class Progress(Struct, frozen=True, tag="progress"):
    """How far a computation is; a share of ``None`` is not known."""

    request: int | None
    text: str
    share: float | None = None
    left: float | None = None


class Problem(Struct, frozen=True, tag="problem"):
    """What went wrong: what, why and what to do. The document is unchanged."""

    title: str
    text: str
    request: int | None = None
    step: str | None = None
    stopped: bool = False


class Suggested(Struct, frozen=True):
    """A moment whose timing matters."""

    time: float
    weight: float


class Answer(Struct, frozen=True, tag="answer"):
    """The answer to a question that needs no arrays."""

    request: int
    suggestions: list[Suggested] = []


class StageOver(Struct, frozen=True, tag="stage-over"):
    """No frame of a live server comes any more; ``request`` is the one that asked for them."""

    request: int


ServerMessage = Welcome | DocumentState | Progress | Problem | Answer | StageOver

# ---- headers of binary frames


class Block(Struct, frozen=True):
    """One array of a frame, float32."""

    name: str
    shape: list[int]


class ContactBar(Struct, frozen=True):
    """A joint that stands still, from when to when."""

    joint: str
    point: int
    start: float
    end: float


class MotionHeader(Struct, frozen=True, tag="motion"):
    """A motion as it is in its file. Points are its joints, then its end sites.

    Arrays: ``positions`` (frames, points, 3) in metres with Y up, ``rotations`` (frames, joints, 4)
    wxyz where there is a mesh, ``times`` (frames,).
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
    nodes: list[int]
    arrays: list[Block]


class SurfaceKeyView(Struct, frozen=True):
    """A surface key in 3D: a plane through ``base``, spanned by ``across`` and ``up``.

    Later lies along ``along``, ``pace`` metres to a second. ``index`` is the key's place in the
    step's parameter; ``room`` the time between its neighbours' ranges. ``made`` is the shift that
    was found, ``weights`` every joint's share of it. Arrays: ``grid:N`` (P, Q, 4) places of the
    dragged surface and the pull there (0 to 1), ``paths:N`` (moments, joints, 3) the joints' ways
    through the plane, over ``start`` to ``end``, ``places:N`` (joints, 3) the joints on the plane.
    """

    index: int
    time: float
    joints: list[str]
    shift: float
    made: float
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
    """What the surface editor shows of the step that a window edits."""

    step: str
    keys: list[SurfaceKeyView]
    notes: list[str]


class PosesEditor(Struct, frozen=True, tag="poses"):
    """What the poses editor shows of the step that a window edits.

    ``channels`` are joints and roots' translations, ``joints`` their joints; ``free`` the poses
    that can be edited; ``found`` how many poses there could be; ``counted`` for each edit of the
    list the pose that it inserts or deletes, by its number at that moment. Arrays: ``pose_times``
    (poses,), ``refinements`` and ``included`` (poses, channels), ``probability`` (moments, 2) of
    times and values. Times are the step's output's.
    """

    step: str
    channels: list[str]
    joints: list[int]
    free: list[int]
    found: int
    notes: list[str]
    counted: list[int | None]


class StepResult(Struct, frozen=True):
    """What one step found: a line for the list, what it wants to say, and what it cost.

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
    (frames,) in metres a frame. Where several steps change timing, ``before:ID`` (knots, 2) leads
    from a step's input time to the source's, ``after:ID`` from the result's time to its output's.
    For every step ``layer:ID`` (moments, 3) is what it adds to the source time: the body's, and the
    least and most of all joints, over ``layer_times``. With an editor, ``joint_times`` (frames,
    joints) is how far ahead of its output each joint of the edited step is.
    ``revision`` is the document's, ``request`` the preview's.
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
    notes: list[str]
    steps: list[StepResult]
    interim: bool
    editor: SurfaceEditor | PosesEditor | None
    arrays: list[Block]


class ViolationRow(Struct, frozen=True):
    """A stretch that no body could have produced, in the source's and the output's time."""

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
    """What physics says of the version shown, at the frames of the physics step's input.

    Arrays: ``times`` (frames,) source time, ``timing`` (frames, 2) of (p'', p'^2), ``distance``
    (frames,) outside the region, ``corners`` (N, 2) and ``starts`` (frames + 1,) of the regions,
    ``force`` (frames,) of the ground in weights, ``use`` (frames, joints) share of each joint's
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
    """A motion followed as if it came live: the performer's, against the source as the recording.

    Arrays: ``times`` (T,) live time, ``source`` (T,) the recording's time that was found,
    ``rate`` and ``confidence`` (T,), ``late`` (T,) seconds behind the recording's own pace (NaN
    where it cannot be judged). ``score`` is the summary of the timing, ``moments`` those that are
    farthest off.
    """

    request: int
    performer: str
    reference: str
    method: str
    score: dict[str, float | None]
    moments: list[list[float]]
    arrays: list[Block]


class StageHeader(Struct, frozen=True, tag="stage"):
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
