"""Edits of poses as data, for recipes, undo and files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, KeysView, Mapping, Sized, ValuesView
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from retime.errors import InputError, did_you_mean
from retime.one_line import one_line
from retime.sentences import StepName

if TYPE_CHECKING:
    from retime.methods.staggered.representation import Representation

__all__ = ["PoseEdit", "recorded", "replayed"]

P = ParamSpec("P")
S = TypeVar("S", bound="Representation")
# Arguments that name poses, by a number or by a time.
_POSES = ("pose", "poses", "after", "relative_to", "toward")
# The edits that can be named in data, filled by the decorator below.
_EDITS: dict[str, inspect.Signature] = {}


@one_line()
@dataclass(frozen=True)
class PoseEdit:
    """One edit of staggered poses.

    Parameters
    ----------
    do : str
        Name of the edit, as the method is called: ``succession``, ``exaggerate``, ...
    arguments : mapping
        The method's arguments by name.
    mute : bool
        Leave the edit out.
    """

    do: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    mute: bool = False

    def to_document(self) -> dict[str, Any]:
        """Return the edit for JSON: ``{"do": ..., argument: ...}``."""
        document = {"do": self.do, **self.arguments}
        return document | {"mute": True} if self.mute else document

    @classmethod
    def from_document(cls, entry: Any) -> PoseEdit:
        """Make an edit from a JSON object."""
        if isinstance(entry, PoseEdit):
            return entry
        if not isinstance(entry, Mapping) or not isinstance(entry.get("do"), str):
            raise InputError('it needs a "do"')
        mute = entry.get("mute", False)
        if not isinstance(mute, bool):
            raise InputError(f"mute is {mute!r}; it is true or false")
        arguments = {k: v for k, v in entry.items() if k not in ("do", "mute")}
        return cls(entry["do"], arguments, mute)

    def __post_init__(self) -> None:
        if self.do not in _EDITS:
            raise InputError(f"no edit named {self.do!r}{did_you_mean(str(self.do), _EDITS)}")
        known = [n for n in _EDITS[self.do].parameters if n != "self"]
        for name in self.arguments:
            if name not in known:
                raise InputError(f"{self.do} has no argument {name!r}{did_you_mean(name, known)}")
        try:
            _EDITS[self.do].bind(None, **self.arguments)
        except TypeError as e:
            text = str(e).replace("missing a required argument:", "needs")
            raise InputError(f"{self.do} {text}") from None


def recorded(
    edit: Callable[Concatenate[S, P], S],
) -> Callable[Concatenate[S, P], S]:
    """Decorate an edit, so that its result records it in its history."""
    signature = inspect.signature(edit)
    name = edit.__name__
    _EDITS[name] = signature

    @functools.wraps(edit)
    def wrapped(poses: S, /, *args: P.args, **kwargs: P.kwargs) -> S:
        bound = signature.bind(poses, *args, **kwargs)
        for argument, value in bound.arguments.items():
            bound.arguments[argument] = _listed(value)
        arguments = {
            k: _named(v) if k in _POSES else _plain(v) for k, v in list(bound.arguments.items())[1:]
        }
        edited = edit(*bound.args, **bound.kwargs)
        return replace(edited, edits=(*poses.edits, PoseEdit(name, arguments)))

    return wrapped


def _listed(value: Any) -> Any:
    """Convert iterators and sets to lists."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    once = isinstance(value, Iterable) and not isinstance(value, Sized)
    return list(value) if once or isinstance(value, KeysView | ValuesView) else value


def _named(value: Any) -> Any:
    """Convert poses given by a time to text, because JSON has only one kind of number."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_named(v) for v in value]
    if isinstance(value, float | np.floating):
        return f"{float(value)!r} s"
    return _plain(value)


def _plain(value: Any) -> Any:
    """Convert an argument to JSON types; others are kept, and work in Python only."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(v) for v in value]
    return value


def replayed(poses: S, edits: Iterable[PoseEdit], first: int = 1) -> S:
    """Repeat edits in order; a muted one stays in the history without effect.

    ``first`` is the number of the first one, for messages.
    """
    for number, given in enumerate(edits, first):
        edit = PoseEdit.from_document(given)
        if edit.mute:
            poses = replace(poses, edits=(*poses.edits, edit))
            continue
        try:
            poses = getattr(poses, edit.do)(**edit.arguments)
        except InputError as e:
            raise e.within(StepName("edit", number, edit.do)) from None
        except TypeError as e:
            text = str(e).replace("missing a required argument:", "it needs")
            raise InputError(text).within(StepName("edit", number, edit.do)) from None
    return poses
