"""Messages between the server and its windows; ``web/src/protocol.ts`` is generated from them.

Requests and short replies are JSON; arrays come as binary frames, see ``frame_headers``.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from retime.studio.commands import ClientCommand
from retime.studio.project import Project, Version

# ---- what a window sends; `request` counts up in each window, and replies carry it back


class Do(Struct, frozen=True, tag="do"):
    """Change the document: one step of undo.

    With ``joins``, the revision that another change made, both are one step of undo, if nothing
    changed the document since.
    """

    request: int
    command: ClientCommand
    joins: int | None = None


class Preview(Struct, frozen=True, tag="preview"):
    """Preview the effect of a command in this window during a drag; only the latest counts."""

    request: int
    command: ClientCommand


class Discard(Struct, frozen=True, tag="discard"):
    """Discard the preview of a cancelled drag."""

    request: int


class Undo(Struct, frozen=True, tag="undo"):
    """Undo the last changes."""

    count: int = 1


class Redo(Struct, frozen=True, tag="redo"):
    """Redo undone changes."""

    count: int = 1


class Save(Struct, frozen=True, tag="save"):
    """Write the project file now."""


class Show(Struct, frozen=True, tag="show"):
    """Show a version in this window, with the data of a step's editor.

    With ``compare`` the result of the other version is sent too.
    """

    version: Version
    editing: str | None = None
    compare: bool = False


class Cancel(Struct, frozen=True, tag="cancel"):
    """Stop the computation for this window."""


class Push(Struct, frozen=True, tag="push"):
    """Push the watched optimiser toward a rate around a source time."""

    time: float
    rate: float


class Ask(Struct, frozen=True, tag="ask"):
    """Request data that is not part of a result.

    ``suggestions``: moments for keytimes. ``physics``: regions, limits and what is impossible of
    the version shown. ``watch``: solve a physics step slowly enough to be watched. ``live``: follow
    a motion as if it came live, with the source as the recording.
    """

    request: int
    question: Literal["suggestions", "physics", "watch", "live"]
    step: str | None = None
    motion: str | None = None


class Sample(Struct, frozen=True, tag="sample"):
    """Add a bundled motion to the project."""

    request: int
    name: str


class Locate(Struct, frozen=True, tag="locate"):
    """Give the new path of a motion's file under the root, or search for it by its hash."""

    request: int
    id: str
    path: str | None = None


class Retry(Struct, frozen=True, tag="retry"):
    """Try again to load a file that was named when the studio started."""

    request: int
    path: str


class Forget(Struct, frozen=True, tag="forget"):
    """Remove a file that could not be loaded from the list."""

    path: str


class Listen(Struct, frozen=True, tag="listen"):
    """Show a running ``retime live`` in this window; no address ends it.

    ``address`` is what it printed for its feed; it is on this machine.
    """

    request: int
    address: str | None


ClientMessage = (
    Do | Preview | Discard | Undo | Redo | Save | Show | Cancel | Push | Ask | Sample | Locate
    | Retry | Forget | Listen
)  # fmt: skip

# ---- what the server sends as text


class FieldChoice(Struct, frozen=True):
    """A choice of a field: its value in a recipe, its label in a menu, and its effect."""

    value: str
    label: str
    help: str


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
    choices: list[FieldChoice]
    metavar: str | None
    advanced: bool
    shared: bool
    slider: tuple[float, float] | None
    step: float
    ends: tuple[str, str] | None


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


class FailedFile(Struct, frozen=True):
    """A file that was named when the studio started and could not be loaded, with the reason."""

    path: str
    name: str
    text: str


class DocumentState(Struct, frozen=True, tag="document"):
    """The document as it is now; ``request`` is the change that this window requested.

    ``undo_names`` and ``redo_names`` tell the next changes that undo and redo go through.
    """

    revision: int
    project: Project
    undo: int
    redo: int
    saved: bool
    hash: str
    missing: list[str]
    failed: list[FailedFile]
    undo_names: list[str]
    redo_names: list[str]
    request: int | None = None


class Progress(Struct, frozen=True, tag="progress"):
    """Progress of a computation; a fraction of ``None`` is unknown."""

    request: int | None
    text: str
    share: float | None = None
    left: float | None = None


class Problem(Struct, frozen=True, tag="problem"):
    """A problem: what, why and how to fix it. The document is unchanged."""

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


class LiveServerOver(Struct, frozen=True, tag="live-server-over"):
    """The live server sends no more frames; ``request`` is the one that asked for them."""

    request: int


ServerMessage = Welcome | DocumentState | Progress | Problem | Answer | LiveServerOver
