"""Recorded motions that are fetched when they are requested, checked, and kept.

The clips come from the motion capture database of Carnegie Mellon University (mocap.cs.cmu.edu,
created with funding from NSF EIA-0196217; free to use), as BVH by B. Hahne, from a public copy at
one fixed commit. A file whose hash is not the known one is not kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retime.errors import InputError, MissingDependencyError, did_you_mean

_COMMIT = "5d98bb6b62b4735d89ff5f53e96899de2b92d8b4"
_BASE_URL = f"https://raw.githubusercontent.com/una-dinosauria/cmu-mocap/{_COMMIT}/data/"
URL_VARIABLE, CACHE_VARIABLE = "RETIME_SAMPLES_URL", "RETIME_CACHE"
_SECONDS = 30
_CHUNK = 1 << 15


@dataclass(frozen=True)
class Download:
    """A file that can be fetched."""

    path: str
    """Path below the base address."""
    size: int
    """Its bytes."""
    sha256: str
    """Their hash."""
    summary: str
    """Description of the motion."""


DOWNLOADS: dict[str, Download] = {
    "cmu:16_06": Download(
        "016/16_06.bvh",
        308826,
        "21a97c7ec3336f381bfa829efa856a08a5944abac74ecff63140388f047c9a40",
        "A standing long jump.",
    ),
    "cmu:16_35": Download(
        "016/16_35.bvh",
        125846,
        "d20d54a9ccebd7aaf4aa6c4d7662c4905d47009401895de216a914edecf287be",
        "A short run.",
    ),
    "cmu:18_01": Download(
        "018/18_01.bvh",
        233521,
        "08a783b18cb63314cefe5ea1d953377d0f02de718de4148067a8febd756bdabf",
        "One of two who meet and shake hands.",
    ),
    "cmu:18_02": Download(
        "018/18_02.bvh",
        231506,
        "7bb21478d6fa641fbcd9a74b2cb0e4225fe7558dc65572127e0b1fe789f18b59",
        "The same once more.",
    ),
    "cmu:90_02": Download(
        "090/90_02.bvh",
        592937,
        "075f20e080f4ca6b197a0142bc39c772e6051345cab89169e3ce9b19b270f0bd",
        "A cartwheel.",
    ),
    "cmu:111_32": Download(
        "111/111_32.bvh",
        566874,
        "92df8d8ced5d00cafe432dffbdda74f32dd7d466d31d2c7b32ccc464d9c687db",
        "A yawn and a stretch.",
    ),
    "cmu:124_07": Download(
        "124/124_07.bvh",
        991671,
        "fe848034a77cac57ff49a77e9a57d2af3d714f549ced078b128e458910666ba4",
        "A swing with a club.",
    ),
}


def fetch(
    name: str,
    *,
    cache: str | Path | None = None,
    base_url: str | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Path:
    """Download a recorded motion, unless it is in the cache; return its path.

    Names are such as ``cmu:16_06``. Files are kept in ``cache``, by default in ``RETIME_CACHE`` or
    the system's cache folder. They come from ``base_url``, by default from ``RETIME_SAMPLES_URL``
    or the public copy. ``progress`` is called with (bytes done, bytes in all, name).
    """
    if name not in DOWNLOADS:
        raise InputError(f"no recorded motion {name!r} is known{did_you_mean(name, DOWNLOADS)}")
    wanted = DOWNLOADS[name]
    try:
        import pooch
        import requests  # noqa: F401
    except ImportError:
        raise MissingDependencyError("fetching recorded motions", "samples") from None
    pooch.get_logger().setLevel("ERROR")
    folder = Path(cache or os.environ.get(CACHE_VARIABLE) or pooch.os_cache("retime"))
    address = (base_url or os.environ.get(URL_VARIABLE) or _BASE_URL).rstrip("/") + "/"
    if not address.startswith(("https://", "http://")):
        raise InputError(f"{address} is not an address that starts with https:// or http://")
    store = pooch.create(
        path=folder,
        base_url=address,
        registry={wanted.path: f"sha256:{wanted.sha256}"},
        retry_if_failed=0,
    )
    try:
        return Path(store.fetch(wanted.path, downloader=_Loader(name, wanted.size, progress)))
    except (_TooLongError, ValueError, OSError) as e:  # what requests raises is an OSError
        raise InputError(_why(e, name, address.split("/")[2], folder)) from None


def _why(error: Exception, name: str, host: str, folder: Path) -> str:
    """Return why a motion could not be downloaded."""
    from requests import exceptions

    wanted = DOWNLOADS[name]
    if isinstance(error, exceptions.HTTPError):
        answer = error.response
        status = "an error" if answer is None else f"status {answer.status_code}"
        return f"{host} answers {status} for {wanted.path}; nothing was kept"
    said = {
        exceptions.ConnectTimeout: f"{host} does not answer; try again later",
        exceptions.ChunkedEncodingError: f"the download of {name} broke off; nothing was kept, "
        "try again",
        exceptions.Timeout: f"the download of {name} broke off; nothing was kept, try again",
        exceptions.RequestException: f"{host} cannot be reached to fetch {name}; is there a "
        "connection to the network?",
        _TooLongError: f"{host} sends more than the {wanted.size} bytes of {name}; nothing was "
        "kept",
        ValueError: f"what {host} sent as {name} is not the known file (its SHA-256 differs); "
        "nothing was kept",
        OSError: f"{name} cannot be kept in {folder}: {getattr(error, 'strerror', '') or error}",
    }
    return next(text for kind, text in said.items() if isinstance(error, kind))


class _TooLongError(Exception):
    pass


class _Loader:
    """Download a file, counting its bytes; stop a server that sends too much."""

    def __init__(
        self, name: str, size: int, progress: Callable[[int, int, str], None] | None
    ) -> None:
        self.name, self.size, self.progress = name, size, progress

    def __call__(self, url: str, output_file: str, _store: Any) -> None:
        import requests

        done = 0
        with (
            requests.get(url, stream=True, timeout=_SECONDS) as response,
            open(output_file, "wb") as out,
        ):
            response.raise_for_status()
            for chunk in response.iter_content(_CHUNK):
                done += len(chunk)
                if done > self.size:
                    raise _TooLongError
                out.write(chunk)
                if self.progress is not None:
                    self.progress(done, self.size, self.name)
