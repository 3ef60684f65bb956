"""Build a table of lengths of a clip."""

from __future__ import annotations

from dataclasses import dataclass

from retime.errors import InputError
from retime.keywords import takes
from retime.length_tables.feasible import narrowed, possible_lengths, row_lengths
from retime.length_tables.knots import kept_times
from retime.length_tables.parameters import LengthsParameters
from retime.length_tables.physics_rows import PhysicsRows
from retime.length_tables.pins import Pin, moments_of, on_grid, once_each, pins_of
from retime.length_tables.rows import FASTEST, SLOWEST, OwnRows
from retime.methods.guided import own_terms
from retime.motion import Motion
from retime.notes import Note
from retime.pacing.problem import ROOM
from retime.sentences import Duration, Sentence, Span
from retime.times import ClipTime, Clock
from retime.timing.table import LengthTable, Window

# Shorter clips have no timing of their own to keep, seconds.
_SHORTEST_S = 0.1


@takes(LengthsParameters)
def lengths(motion: Motion, p: LengthsParameters) -> LengthTable:
    """Make a table of a clip's timing at any length, for game engines.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    LengthTable
        ``warp(length)`` is the warp at a length; ``write_lengths`` writes it for a runtime.

    Examples
    --------
    >>> from retime import lengths, samples
    >>> table = lengths(samples.jump(), moments={"land": 2.0}, pins={"land": "60%"})
    >>> round(table.when(2.0, 1.5), 3)              # at 60 % of 1.5 s
    0.9
    """
    return built(motion, p)[0]


def built(motion: Motion, p: LengthsParameters) -> tuple[LengthTable, tuple[Note, ...]]:
    """Return a table, and notes on lengths that are not possible."""
    start, end = motion.domain
    if end - start < _SHORTEST_S:
        raise InputError(
            "the clip lasts {length:.3g}; a table of lengths needs {least:.3g} or more",
            length=Duration(end - start),
            least=Duration(_SHORTEST_S),
        )
    request = Request.of(motion, p)
    moments, ends, windows = request.moments, request.pins, request.windows
    if p.by == "physics":
        physics = PhysicsRows(motion, ends, windows, loop=p.loop)
        span, notes = narrowed(request.asked, physics.possible(), Sentence("by physics"))
        sizes, rows, more = physics.solved(row_lengths(span, p.rows, end - start))
        notes += more
    else:
        own = request.own_rows(motion, p)
        span, notes = narrowed(request.asked, possible_lengths(own.free, ends), request.why)
        sizes = row_lengths(span, p.rows, end - start)
        rows = own.solved(sizes)
    exact = [*moments.values(), *(t for w in windows for t in (w.start, w.end))]
    phases, times = kept_times(rows, start, sizes, exact, p.knots)
    table = LengthTable(
        phases,
        sizes,  # type: ignore[arg-type]  # it makes arrays
        times,
        moments={name: round(time - start, 6) for name, time in moments.items()},
        pins={name: str(pin) for name, pin in dict(p.pins).items()},
        windows=[
            Window(round(w.start - start, 6), round(w.end - start, 6), w.least, w.name)
            for w in windows
        ],
        loop=p.loop,
        start=start,
        source=_source(motion),
        made={"method": p.by, **({"strength": p.strength} if p.by == "guided" else {})},
    )
    return table, tuple(notes)


@dataclass(frozen=True)
class Request:
    """The lengths, moments, pins and windows of a table, in seconds of the clip."""

    asked: tuple[float, float]
    """Shortest and longest length."""
    moments: dict[str, float]
    pins: tuple[Pin, ...]
    """Pins in order, ends of the clip included."""
    windows: tuple[Window, ...]

    @classmethod
    def of(cls, motion: Motion, p: LengthsParameters) -> Request:
        """Check and convert parameters."""
        clock, (start, end) = Clock.of(motion), motion.domain
        moments = moments_of(once_each(p.moments, "moment"), clock)
        pins = pins_of(once_each(p.pins, "pin"), moments)
        pins = (Pin(start, 0.0, 0.0), *pins, Pin(end, 0.0, 1.0))
        asked = (_seconds(p.shortest, clock), _seconds(p.longest, clock))
        return cls(asked, moments, pins, _windows(p, motion.domain))

    def own_rows(self, motion: Motion, p: LengthsParameters) -> OwnRows:
        """Return the rows by the clip's own timing."""
        terms = own_terms(motion, p.strength)
        return OwnRows(motion.domain, terms, self.pins, self.windows, p.loop)

    @property
    def why(self) -> Sentence:
        """The reason for limits of the length, as the start of a sentence."""
        told = [f"{pin.name!r} pinned" for pin in self.pins if pin.name]
        values: dict[str, Duration | Span] = {}
        for k, w in enumerate(self.windows):
            told.append(f"{{least{k}:g}} for {{part{k}:g}}")
            values |= {f"least{k}": Duration(w.least), f"part{k}": Span(w.start, w.end)}
        if not told:
            return Sentence(f"at {SLOWEST:g} to {FASTEST:g} times its speed")
        return Sentence(f"with {' and '.join(told)}", **values)


def _seconds(length: float | ClipTime, clock: Clock) -> float:
    return clock.seconds(length, "the length") if isinstance(length, ClipTime) else float(length)


def _windows(p: LengthsParameters, clip: tuple[float, float]) -> tuple[Window, ...]:
    start, end = clip
    out = []
    for k, (first, last, least) in enumerate(p.windows, 1):
        if not start - 1e-9 <= first < last <= end + 1e-9:
            raise InputError(
                "window {part} must increase and be in the clip, {clip}",
                part=Span(first, last),
                clip=Span(start, end),
            )
        if not least > 0:
            raise InputError(
                "window {part} must last above 0 s, not {least}",
                part=Span(first, last),
                least=Duration(least),
            )
        most = (1 - ROOM) * (last - first) / SLOWEST
        if least > most:
            raise InputError(
                f"window {{part}} can last {{most:g}} at most, {SLOWEST:g} times its speed, not "
                "{least:g}",
                part=Span(first, last),
                most=Duration(most),
                least=Duration(least),
            )
        out.append(Window(on_grid(first, clip), on_grid(last, clip), least, f"window {k}"))
    return tuple(out)


def _source(motion: Motion) -> dict[str, str | float]:
    source: dict[str, str | float] = {"fps": round(motion.rate, 6)}
    if motion.origin is not None and motion.origin.warp is None:
        name = motion.origin.path.replace("\\", "/").rpartition("/")[2]
        source = {"name": name, "sha256": motion.origin.sha256, **source}
    return source
