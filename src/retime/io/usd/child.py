"""The program that runs USD, started by its path (see :mod:`retime.process.library`)."""

from __future__ import annotations

__all__: list[str] = []


def main() -> None:
    """Load USD, and answer until the input ends."""
    from retime.io.usd.building import build
    from retime.io.usd.meshes import skin
    from retime.io.usd.posing import contents, read
    from retime.io.usd.retiming import write
    from retime.process.library import serve

    serve({"contents": contents, "read": read, "write": write, "build": build, "skin": skin})


if __name__ == "__main__":
    main()
