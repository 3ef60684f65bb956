"""``retime engine``."""

from __future__ import annotations


def engine() -> None:
    """Serve another program, such as the Blender extension, on standard input and output.

    A request is a line of JSON, and each answer a line: {"id": 1, "version": 1} is a handshake;
    {"id": 2, "motion": "in.npz", "recipe": {...}, "out": "out.npz", "warp": "warp.json"} retimes;
    {"id": 3, "check": "in.npz"} measures; {"id": 4, "poses": "in.npz"} lists poses. Answers have
    "progress" and "word" on the way, and end with "done" or "error". It ends with its input.
    """
    from retime.hosts.engine import main

    main()
