"""The project's song for the studio: its outline, beats and onsets."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from retime.errors import InputError, RetimeError
from retime.media.audio.beat_tracker import track_beats
from retime.media.audio.song import read_song
from retime.studio.hub import Hub
from retime.studio.wording import studio_error

# Parts of the outline a second; more are not seen, and would only be sent.
_PARTS = 40
_MOST_PARTS = 24_000


def music_route(hub: Hub) -> Route:
    """Make the route that returns the data of the project's song."""

    async def music(_: Request) -> Response:
        try:
            found = await asyncio.to_thread(_of_project, hub)
        except RetimeError as e:
            told = {"type": "problem", "title": "The song was not read", "text": studio_error(e)}
            return JSONResponse(told, status_code=422)
        return JSONResponse(found)

    return Route("/music", music)


def _of_project(hub: Hub) -> dict[str, Any]:
    audio = hub.session.project.audio
    if audio is None:
        raise InputError("the project has no sound")
    place = hub.audio()
    try:
        return _heard(place, audio.sha256)
    except RetimeError as e:
        # A window is told of the song, not of folders of this machine.
        raise InputError(studio_error(e).replace(str(place), audio.name)) from None


@functools.lru_cache(maxsize=4)
def _heard(path: Path, sha256: str) -> dict[str, Any]:
    song = read_song(path)
    parts = min(max(round(song.duration * _PARTS), 1), _MOST_PARTS)
    out: dict[str, Any] = {
        "sha256": sha256,
        "duration": song.duration,
        "peaks": [round(float(v), 3) for v in song.envelope(parts).reshape(-1)],
        "beats": [],
        "downbeats": [],
        "onsets": [],
        "problem": None,
    }
    try:
        found = track_beats(song)
    except InputError as e:
        return out | {"problem": f"{studio_error(e)}"}
    return out | {
        "beats": [round(float(t), 4) for t in found.beats],
        "downbeats": [round(float(t), 4) for t in found.downbeats],
        "onsets": [round(float(t), 4) for t in found.onsets],
    }
