"""Time warps: maps from output time to source time, for the whole body or per channel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.notes import Note, Remedy, as_notes
from retime.one_line import one_line
from retime.parameters import part_of_clip
from retime.pictured import Pictured, draw
from retime.sentences import Duration, Moment
from retime.timing import graph
from retime.timing.graph import Graph

if TYPE_CHECKING:
    from retime.pictured import Figure

FloatArray = npt.NDArray[np.float64]
Knots = tuple[npt.ArrayLike, npt.ArrayLike]


def _graph(knots: Knots | Graph, channel: str) -> Graph:
    if isinstance(knots, Graph):
        return knots
    try:
        output, source = knots
        return Graph(output, source)  # type: ignore[arg-type]  # it makes arrays
    except InputError as e:
        raise InputError(f"channel {channel!r}: {e}") from None
    except (TypeError, ValueError):
        raise InputError(f"channel {channel!r} needs a pair (output, source)") from None


# Tolerance for times computed from frames, seconds.
_SAME_TIME = 1e-9


@one_line(lambda w: w._facts())
@dataclass(frozen=True, init=False)
class TimeWarp(Pictured):
    """A piecewise linear map from output time to source time, with knots in absolute seconds.

    Channels are joint names, and ``NAME:translation`` for each root. A channel that is not named
    follows ``body``. Warps may increase, decrease and have flat parts; a change of direction raises
    an ``InputError``. Beyond its knots a warp keeps its end value.

    Parameters
    ----------
    output, source : array (K,), optional
        Knots for the whole body. Default: the identity for every channel that is not named.
    channels : mapping of str to (output, source), optional
        Knots of the channels that differ.
    loop : bool
        The warp repeats: w(t + T) = w(t) + D, where T is the length of the output and D that of the
        source.
    in_space : iterable of str
        Joints whose rotation in space has the time of their channel; that of other joints relative
        to their parent has it. Both are the same where a joint and its parents have one time.
    notes : iterable of Note
        Notes of the method about this warp.

    Examples
    --------
    >>> half_speed = TimeWarp([0, 4], [0, 2])
    >>> float(half_speed(1.0))
    0.5
    >>> float((half_speed @ half_speed.inverse)(1.25))
    1.25
    """

    body: Graph
    channels: Mapping[str, Graph]
    loop: bool = False
    in_space: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def _facts(self) -> list[str]:
        (a, b), (c, d) = self.domain, self.source_range
        spans = f"output {a:.4g} to {b:.4g} s, source {c:.4g} to {d:.4g} s"
        channels = [f"{len(self.channels)} channels"] if self.channels else []
        return [spans, f"{len(self.output)} knots", *channels, *(["loop"] if self.loop else [])]

    def __init__(
        self,
        output: npt.ArrayLike | None = None,
        source: npt.ArrayLike | None = None,
        *,
        channels: Mapping[str, Knots | Graph] | None = None,
        loop: bool = False,
        in_space: Iterable[str] = (),
        notes: Iterable[Note] = (),
    ) -> None:
        graphs = {name: _graph(k, name) for name, k in (channels or {}).items()}
        if (output is None) != (source is None):
            raise InputError("a warp needs both output and source times")
        if output is not None and source is not None:
            body = Graph(output, source)  # type: ignore[arg-type]  # it makes arrays
        elif graphs:
            ends = np.array(graph.span([*graphs.values()]))
            body = Graph(ends, ends)
        else:
            raise InputError("a warp needs output and source times, or channels")
        self._set(body, graphs, loop, frozenset(in_space), tuple(notes))

    def _set(
        self,
        body: Graph,
        channels: dict[str, Graph],
        loop: bool,
        in_space: frozenset[str],
        notes: tuple[Note, ...],
    ) -> None:
        if loop and channels:
            body, channels = graph.one_cycle(body, channels)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "channels", MappingProxyType(channels))
        object.__setattr__(self, "loop", loop)
        object.__setattr__(self, "in_space", in_space)
        object.__setattr__(self, "notes", as_notes(notes))

    def __getstate__(self) -> dict[str, Any]:
        return {
            "body": self.body,
            "channels": dict(self.channels),
            "loop": self.loop,
            "in_space": self.in_space,
            "notes": self.notes,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)

    def _with(
        self,
        *,
        body: Graph | None = None,
        channels: Mapping[str, Graph] | None = None,
        loop: bool | None = None,
        in_space: frozenset[str] | None = None,
        notes: tuple[Note, ...] | None = None,
    ) -> TimeWarp:
        """Return the warp with some parts replaced."""
        warp = TimeWarp.__new__(TimeWarp)
        warp._set(
            self.body if body is None else body,
            dict(self.channels if channels is None else channels),
            self.loop if loop is None else loop,
            self.in_space if in_space is None else in_space,
            self.notes if notes is None else notes,
        )
        return warp

    @classmethod
    def identity(cls, start: float, end: float, *, loop: bool = False) -> TimeWarp:
        """Return the identity between two times."""
        return cls([start, end], [start, end], loop=loop)

    # ---- properties

    @property
    def output(self) -> FloatArray:
        """Output times of the body's knots."""
        return self.body.x

    @property
    def source(self) -> FloatArray:
        """Source times of the body's knots."""
        return self.body.y

    @property
    def domain(self) -> tuple[float, float]:
        """First and last output time over all channels."""
        return graph.span(self._graphs())

    @property
    def source_range(self) -> tuple[float, float]:
        """Earliest and latest source time over all channels."""
        graphs = self._graphs()
        return float(min(g.y.min() for g in graphs)), float(max(g.y.max() for g in graphs))

    @property
    def duration(self) -> float:
        """Length of the output in seconds."""
        a, b = self.domain
        return b - a

    @property
    def per_channel(self) -> bool:
        """Whether some channels have their own curves."""
        return bool(self.channels)

    @property
    def is_identity(self) -> bool:
        """Whether every channel shows source time t at output time t."""
        return all(np.array_equal(g.x, g.y) for g in self._graphs())

    @property
    def is_body_identity(self) -> bool:
        """Whether the curve of the body is the identity."""
        return np.array_equal(self.body.x, self.body.y)

    def _graphs(self) -> list[Graph]:
        return [self.body, *self.channels.values()]

    def channel(self, name: str | None = None) -> Graph:
        """Return the graph of a channel; ``None`` is the body."""
        return self.body if name is None else self.channels.get(name, self.body)

    def of_body(self) -> TimeWarp:
        """Return the warp without curves of single channels."""
        return self._with(body=self.body.pad(*self.domain), channels={}, in_space=frozenset())

    def of_keys(self) -> TimeWarp:
        """Return the warp that moves keys alone: all joints relative to their parents."""
        return self._with(in_space=frozenset())

    def with_notes(self, *notes: Note) -> TimeWarp:
        """Return the warp with more notes."""
        return self._with(notes=(*self.notes, *notes))

    def saying(self, *notes: Note) -> TimeWarp:
        """Return the warp with other notes."""
        return self._with(notes=notes)

    def plot(self) -> Figure:
        """Draw the curve with its rate below; see :func:`retime.plot.warp`."""
        return draw("warp", self)

    def looped(self, loop: bool = True) -> TimeWarp:
        """Return the warp as a cycle, or not as a cycle."""
        return self._with(loop=loop)

    # ---- evaluation

    def __call__(self, t: npt.ArrayLike, channel: str | None = None) -> FloatArray:
        """Return source times at output times; at a cut, the value before it."""
        g = self.channel(channel)
        t = np.asarray(t, dtype=float)
        if self.loop and t.size:
            if not np.isfinite(t).all():
                raise InputError("a cycle has no source time at an output time that is not finite")
            g = graph.unroll(g, float(t.min()), float(t.max()))
        return g.at(t)

    def rate(self, t: npt.ArrayLike, channel: str | None = None) -> FloatArray:
        """Return the playback speed: right-sided, left-sided at the last knot, 0 outside."""
        g = self.channel(channel)
        t = self._in_cycle(np.asarray(t, dtype=float))
        return graph.slope_at(g, t)

    def acceleration(
        self, t: npt.ArrayLike, window: float = 1 / 30, channel: str | None = None
    ) -> FloatArray:
        """Return the change of speed per second: a second difference over ``window`` seconds.

        Near the ends the window is moved into the domain.
        """
        g = self.channel(channel)
        t = self._in_cycle(np.asarray(t, dtype=float))
        a, b = g.x[0], g.x[-1]
        h = min(window, b - a) / 2
        if h <= 0:
            return np.zeros(t.shape)
        m = np.clip(t, a + h, b - h)
        out: FloatArray = (g.at(m + h) - 2 * g.at(m) + g.at(m - h)) / h**2
        return out

    def _in_cycle(self, t: FloatArray) -> FloatArray:
        """Map output times of a cycle into its domain."""
        start, end = self.domain
        if not self.loop or end <= start:
            return t
        inside = (t >= start) & (t <= end)
        return np.where(inside, t, start + np.mod(t - start, end - start))

    def preimage(
        self, start: float, end: float, channel: str | None = None
    ) -> tuple[float, float] | None:
        """Return the output interval of the source times ``start`` to ``end``, or ``None``."""
        g = self.channel(channel).pad(*self.domain)
        if g.direction < 0:
            g, start, end = g.mirror(), -end, -start
        if end < g.y[0] or start > g.y[-1]:
            return None
        times = g.swap()
        first = g.x[0] if start <= g.y[0] else times.at(start)
        last = g.x[-1] if end >= g.y[-1] else times.at(end, "right")
        return (float(first), float(last)) if last > first else None

    # ---- algebra

    def _mapped(self, change: Callable[[Graph], Graph], notes: tuple[Note, ...] = ()) -> TimeWarp:
        """Change the curve of the body and of each channel."""
        channels = {n: change(g) for n, g in self.channels.items()}
        return self._with(body=change(self.body), channels=channels, notes=notes)

    def _zip(self, other: TimeWarp, combine: Callable[[Graph, Graph], Graph]) -> TimeWarp:
        names = [*self.channels, *(n for n in other.channels if n not in self.channels)]
        pairs = {n: (self.channel(n), other.channel(n)) for n in names}
        # Joints that have one time share their graph.
        shared = {tuple(map(id, pair)): pair for pair in pairs.values()}
        made = {key: combine(*pair) for key, pair in shared.items()}
        graphs = {n: made[id(f), id(g)] for n, (f, g) in pairs.items()}
        return self._with(
            body=combine(self.body, other.body),
            channels=graphs,
            loop=self.loop and other.loop,
            in_space=self.in_space | other.in_space,
            notes=self.notes + tuple(n for n in other.notes if n not in self.notes),
        )

    def __matmul__(self, other: TimeWarp) -> TimeWarp:
        """Compose channel by channel: ``(f @ g)(t) == f(g(t))``, on the domain of g."""
        if self.loop:
            return self._cycle_after(other)
        if not other.loop and self._leaves(other):
            return other._with(
                in_space=self.in_space | other.in_space,
                notes=(*other.notes, *(n for n in self.notes if n not in other.notes)),
            )
        return self._zip(other, graph.compose)

    def _cycle_after(self, other: TimeWarp) -> TimeWarp:
        """Compose a cycle with another warp."""
        composed = self._zip(
            other,
            lambda f, g: graph.compose(graph.unroll(f, float(g.y.min()), float(g.y.max())), g),
        )
        # The result is a cycle only if it has whole turns.
        turns = np.ptp(other.body.y) / self.duration if self.duration > 0 else 0.0
        whole = abs(turns - round(turns)) <= 1e-9 * max(turns, 1.0)
        return composed if whole else composed.looped(False)

    def _leaves(self, other: TimeWarp) -> bool:
        """Return whether this warp is the identity on all source times of another one."""
        if self.per_channel or not self.is_body_identity:
            return False
        (low, high), (first, last) = other.source_range, self.domain
        return first <= low and high <= last

    @property
    def inverse(self) -> TimeWarp:
        """The warp with output and source exchanged; inverting twice is exact."""
        return self._mapped(Graph.swap)

    def reverse(self) -> TimeWarp:
        """Play the output backwards over the same domain."""
        a, b = self.domain

        return self._mapped(lambda g: Graph((a + b - g.x)[::-1], g.y[::-1]))

    def shifted(self, output: float, source: float = 0.0) -> TimeWarp:
        """Shift all output times and all source times, by seconds."""
        return self._mapped(lambda g: Graph(g.x + output, g.y + source), self.notes)

    def blend(self, other: TimeWarp, weight: float) -> TimeWarp:
        """Interpolate output times at equal source times; 0 is this warp and 1 the other.

        The duration is interpolated too; the order of events and common points are kept.
        """
        if not 0 <= weight <= 1:
            raise InputError(f"the weight of a blend must be between 0 and 1, not {weight:g}")
        if weight == 0:
            return self
        if weight == 1:
            return other
        return self._zip(
            other, lambda a, b: graph.mix(a.pad(*self.domain), b.pad(*other.domain), weight)
        )

    def within(
        self,
        domain: tuple[float, float],
        range: tuple[float, float],
        *,
        ripple: bool = False,
    ) -> TimeWarp:
        """Extend a warp of a range to the whole clip.

        ``domain`` is the first and last time of the clip, ``range`` that of the source times that
        this warp retimes; the warp starts at the start of the range. The clip before the range does
        not change. With ``ripple``, the clip after it is shifted if the length of the range
        changes; otherwise the warp must keep the length.
        """
        a, b = part_of_clip(range, domain)
        end = self.domain[1] if ripple else b
        self._must_fit(range, ripple)

        def extend(g: Graph) -> Graph:
            return graph.around(g, domain, range, end)

        body = self.body
        if self.per_channel and self.is_body_identity and abs(end - b) > _SAME_TIME:
            # Channels without their own curve have the same ends as the others.
            body = Graph(np.array([a, end]), np.array([a, b]))
        return self._with(
            body=extend(body), channels={n: extend(g) for n, g in self.channels.items()}
        )

    def _must_fit(self, range: tuple[float, float], ripple: bool) -> None:
        (a, b), (start, end) = range, self.domain
        if abs(start - a) > _SAME_TIME:
            raise InputError(
                "the warp starts at {warp}, its range at {range}",
                warp=Moment(start),
                range=Moment(a),
            )
        if not ripple and abs(end - b) > _SAME_TIME:
            raise InputError(
                Note(
                    "the range lasts {range} and its warp {warp}, but what follows is fixed",
                    Remedy("keep the duration, or shift what follows", parameter="ripple"),
                    code="what-follows-is-fixed",
                    range=Duration(b - a),
                    warp=Duration(end - start),
                )
            )
