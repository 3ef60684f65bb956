"""The terminal display of ``retime live``."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retime.cli.console import note

if TYPE_CHECKING:
    from retime.live_server.serve import Opened
    from retime.live_server.server import Status


class Display:
    """Show the state: fixed lines on a terminal, otherwise a line per change, or JSON."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        self._live: Any = None
        self._said: dict[int, tuple[Any, ...]] = {}
        self._at: dict[int, float] = {}
        self._failed: set[int] = set()
        self._grids: dict[int, Any] = {}

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def opened(self, where: Opened) -> None:
        """Print the addresses of the server."""
        if self._json:
            first = where.heard[0] if where.heard else None
            line = {"type": "open", "in": first, "ins": where.heard, "feed": where.feed}
            print(json.dumps(line), flush=True)
        else:
            listening = ", ".join(where.heard) or None
            for what, at in (("listening at", listening), ("feed", where.feed)):
                if at is not None:
                    print(f"retime live: {what} {at}", flush=True)
            print("Ctrl+C ends it.", flush=True)
        for text in where.warnings:
            print(f"Warning: {text}", file=sys.stderr, flush=True)
        for path in where.recovered:
            note(f"an earlier recording had not been finished; it is in {path}")
        if not self._json and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=4)
            self._live.start()

    def again(self, address: str) -> None:
        """Print the address of the feed for another listener, after a key was used."""
        line = json.dumps({"type": "feed", "feed": address})
        print(line if self._json else f"Another listener: {address}", flush=True)

    def told(self, status: Status) -> None:
        """Print the state of the server."""
        if status.failed is not None and status.performer not in self._failed:
            self._failed.add(status.performer)
            print(f"Error: {status.failed}", file=sys.stderr, flush=True)
        if self._json:
            print(json.dumps({"type": "status", **asdict(status)}), flush=True)
        elif self._live is not None:
            from rich.console import Group

            self._grids[status.performer] = _lines(status)
            self._live.update(Group(*self._grids.values()))
        else:
            said = (status.cue.state, status.cue.part, status.sender, status.unknown,
                    status.calibrating)  # fmt: skip
            who, now = status.performer, time.monotonic()
            if said != self._said.get(who) or now - self._at[who] > 10:
                self._said[who], self._at[who] = said, now
                print(_line(status), file=sys.stderr, flush=True)


def _line(status: Status) -> str:
    cue = status.cue
    where = f"{cue.part} {cue.time:.2f} s" if cue.part is not None else "no recording yet"
    late = "" if cue.late is None else f", {_timing(cue.late)}"
    return (
        f"{cue.state}: {where}, rate {cue.rate:.2f}, sure {cue.confidence:.0%} "
        f"(cycle {cue.phase:.0%}){late}; "
        f"in {status.rate:.0f}/s, lost {status.loss:.0%}" + _odd(status)
    )


def _timing(late: float) -> str:
    return f"{1e3 * abs(late):.0f} ms {'behind' if late > 0 else 'ahead'}"


def _odd(status: Status) -> str:
    parts = []
    if status.calibrating:
        parts.append("trackers come: stand still in the recording's first pose for a second")
    elif status.worn:
        parts.append(f"trackers at {', '.join(status.worn)}")
    if status.unknown:
        parts.append(f"no known bone came, only {', '.join(status.unknown[:12])}")
    if status.refused:
        parts.append(
            f"{status.refused} packets of another sender ignored; {status.sender} was first"
        )
    if status.malformed:
        parts.append(f"{status.malformed} malformed")
    return "; " + "; ".join(parts) if parts else ""


def _lines(status: Status) -> Any:
    from rich.table import Table
    from rich.text import Text

    cue = status.cue
    filled = round(20 * cue.confidence)
    late = "not known yet" if cue.late is None else _timing(cue.late)
    rows = [
        ("state", cue.state if cue.part is None else f"{cue.state}  {cue.part}  {cue.time:6.2f} s"),
        ("rate", f"{cue.rate:5.2f}x"),
        ("sure", f"{'█' * filled}{'░' * (20 - filled)} {cue.confidence:4.0%}"),
        ("cycle", f"{cue.phase:4.0%}"),
        ("timing", late),
        ("stream", f"{status.sender or 'nobody yet'}  {status.rate:.0f}/s, lost {status.loss:.0%}"),
    ]
    if _odd(status):
        rows.append(("note", _odd(status)[2:]))
    grid = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows:
        grid.add_row(Text(name, style="bold"), Text(value))
    return grid
