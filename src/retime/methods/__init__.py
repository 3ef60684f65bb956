"""The methods: each takes a motion and its parameters and returns a warp, a layer or a fix.

They are independent of one another. A method is a module and a line in ``METHODS``; its
parameters are the dataclass that its function takes (see :func:`retime.keywords.takes`). Another
package adds one by the entry point group ``retime.methods``, which names a :class:`Method`.
"""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.layers import PoseLayer
from retime.parameters import declared
from retime.plugins import added, package_of
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["METHODS", "Method", "method"]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Method:
    """One method: where its parts are, loaded on first use."""

    name: str
    """As in recipes and on the command line."""
    summary: str
    """One line for a person."""
    title: str
    """Its name in menus."""
    module: str
    function_name: str
    """Where its function is."""
    needs_poses: bool = True
    """Whether it looks at its input's poses, or only at its joints and its length."""
    doing: str = "Computing"
    """What is shown while it works."""

    @property
    def parameters(self) -> type:
        """The dataclass that declares its parameters."""
        cls: type = self.function.parameters  # type: ignore[attr-defined]
        return cls

    @property
    def function(self) -> Callable[..., Any]:
        """The function; it takes a motion and the parameters as keywords."""
        function: Callable[..., Any] = getattr(
            importlib.import_module(self.module), self.function_name
        )
        return function

    def solve(self, motion: Motion, parameters: Any, weight: float = 1.0) -> Edit:
        """Run the method and return its result as an edit."""
        result = self.function.implementation(motion, parameters)  # type: ignore[attr-defined]
        if isinstance(result, Edit):
            return replace(result, weight=weight)
        if isinstance(result, TimeWarp):
            return Edit(warp=result, weight=weight)
        if isinstance(result, PoseLayer):
            return Edit(layer=result, weight=weight)
        return Edit(fixes=(result,), weight=weight)


class Registry(MutableMapping[str, Method]):
    """Methods by name: retime's own, and after them those of other packages.

    The others are imported when a name is not retime's own, or when all are listed. One that cannot
    be imported is left out with a warning, and kept in ``faults``.
    """

    def __init__(self, own: Iterable[Method]) -> None:
        self._own = {m.name: m for m in own}
        self.faults: dict[str, str] = {}

    @functools.cached_property
    def _others(self) -> dict[str, Method]:
        methods: dict[str, Method] = {}
        for name, entries in added("retime.methods").items():
            for entry in entries:
                try:
                    if name in self._own or name in methods:
                        raise InputError("there is another method of this name")
                    methods[name] = _of_package(entry)
                except Exception as e:  # whatever its import raises
                    why = str(e) if isinstance(e, InputError) else f"{type(e).__name__}: {e}"
                    text = f"the package {package_of(entry)!r} adds no method {name!r}: {why}"
                    self.faults[name] = text
                    log.warning(text)
        return methods

    def __getitem__(self, name: str) -> Method:
        return self._own[name] if name in self._own else self._others[name]

    def __setitem__(self, name: str, known: Method) -> None:
        self._own[name] = known

    def __delitem__(self, name: str) -> None:
        del self._own[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *self._others])

    def __len__(self) -> int:
        return len(self._own) + len(self._others)


def _of_package(entry: EntryPoint) -> Method:
    """Import the method of another package; raise if it is none."""
    known = entry.load()
    if not isinstance(known, Method) or known.name != entry.name:
        raise InputError(f"{entry.value} is not a retime.methods.Method named {entry.name!r}")
    declared(known.parameters)
    return known


METHODS = Registry(
    (
        Method(
            "spline",
            "Retime by a smooth curve through keytimes, as other tools do.",
            "Spline",
            "retime.methods.spline",
            "spline",
            needs_poses=False,
        ),
        Method(
            "warp",
            "Apply a given warp.",
            "Given warp",
            "retime.methods.given",
            "given_warp",
            needs_poses=False,
        ),
        Method(
            "pose",
            "Apply given changes of pose.",
            "Given poses",
            "retime.methods.given",
            "given_layer",
            needs_poses=False,
        ),
        Method(
            "guided",
            "Change the length where it matters least, or copy the timing of another take.",
            "Guided",
            "retime.methods.guided",
            "guided",
            doing="Finding the best timing",
        ),
        Method(
            "lengths",
            "Play the clip at a length by the timing of its table of lengths.",
            "Table of lengths",
            "retime.methods.lengths",
            "lengths_warp",
            needs_poses=False,
        ),
        Method(
            "align",
            "Give a take the timing of another take of the same action.",
            "Align",
            "retime.methods.align",
            "align",
            doing="Aligning the takes",
        ),
        Method(
            "physics",
            "Retime within what the body, gravity and ground contact allow.",
            "Physics",
            "retime.methods.physics",
            "physics",
            doing="Finding what a body could do",
        ),
        Method(
            "sync",
            "Put the accents of a motion on the beats of music.",
            "Sync to beats",
            "retime.methods.music",
            "sync",
            doing="Finding accents and beats",
        ),
        Method(
            "stagger",
            "Edit a motion as a few poses whose parts arrive at different times.",
            "Staggered poses",
            "retime.methods.staggered",
            "stagger",
            doing="Finding the poses",
        ),
        Method(
            "tween",
            "Blend poses toward others; hold, snap, anticipate or settle.",
            "Tween",
            "retime.methods.staggered",
            "tween",
            doing="Finding the poses",
        ),
        Method(
            "surface",
            "Drag one joint's action to another time; nearby joints follow.",
            "Surface",
            "retime.methods.surface",
            "surface",
            doing="Moving the surface",
        ),
        Method(
            "secondary",
            "Let arms, tails, hair and props lag behind the body, overshoot and settle.",
            "Secondary motion",
            "retime.methods.secondary",
            "secondary",
            doing="Letting parts follow",
        ),
        Method(
            "detail",
            "Add a clip's own quick movements where it plays slowly.",
            "Detail",
            "retime.methods.detail",
            "detail",
        ),
        Method(
            "smooth",
            "Reduce the jitter of parts that play faster than the source.",
            "Smooth",
            "retime.methods.smooth",
            "smooth",
        ),
        Method(
            "hold",
            "Keep planted feet and hands in place, after all other steps.",
            "Hold contacts",
            "retime.methods.hold",
            "hold",
        ),
    )
)


def method(name: str) -> Method:
    """Look a method up; an unknown name is an error that suggests the nearest."""
    try:
        return METHODS[name]
    except KeyError:
        if name in METHODS.faults:
            raise InputError(METHODS.faults[name]) from None
        raise InputError(f"no method named {name!r}{did_you_mean(name, METHODS)}") from None
