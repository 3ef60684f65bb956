"""The header and parameters of a C3D file: what they claim to hold, against what is there."""

from __future__ import annotations

import struct
from math import prod
from pathlib import Path

from retime.errors import FormatError

_PAGE = 512
_MAGIC = 0x50
# Processor types by their byte, Intel's and DEC's: which byte of the header holds the sign of its
# scale. The library reads no others.
_SIGN = {84: 15, 85: 13}
_MIPS = 86
# Dimensions that a parameter may have, by the format's definition.
_MOST_DIMENSIONS = 7


def check_header(data: bytes, path: str | Path) -> None:
    """Refuse what is not a C3D file or is cut off, before any compiled code sees it."""
    if len(data) < 2 * _PAGE or data[1] != _MAGIC:
        raise FormatError("does not start as a C3D file does, or is cut off", path=path)
    parameters = (data[0] - 1) * _PAGE
    if data[0] < 2 or parameters + 4 > len(data):
        raise FormatError("its parameters lie outside the file", path=path)
    processor = data[parameters + 3]
    if processor == _MIPS:
        raise FormatError("holds numbers of MIPS processors; save it with Intel's", path=path)
    if processor not in _SIGN:
        raise FormatError(f"an unknown processor type, {processor}", path=path)
    if parameters + data[parameters + 2] * _PAGE > len(data):
        raise FormatError("its parameters are cut off", path=path)
    _check_parameters(data, parameters + 4, path)
    points, analogs, first, last = struct.unpack_from("<4H", data, 2)
    start, subframes = struct.unpack_from("<2H", data, 16)
    frames = last - first + 1
    if not points:
        raise FormatError("contains no points, so there is no motion in it", path=path)
    if frames < 1:
        return  # beyond 65535 frames the header does not tell
    size = 4 if data[_SIGN[processor]] & 0x80 else 2  # a negative scale means floats
    if subframes == 0 and analogs:
        raise FormatError("its header has analog values but no analog samples", path=path)
    need = (start - 1) * _PAGE + frames * (4 * points + analogs) * size
    if start < 2 or need > len(data):
        raise FormatError(
            f"is cut off: {frames} frames of {points} points do not fit into it", path=path
        )


def _check_parameters(data: bytes, at: int, path: str | Path) -> None:
    """Follow the chain of parameters: each must lie in the file, and its values, too.

    The library allocates what the dimensions multiply to before it looks for the values.
    """
    while True:
        if at + 2 > len(data):
            raise FormatError("its parameters are cut off", path=path)
        length, group = struct.unpack_from("<bb", data, at)
        name = at + 2
        link = name + abs(length)  # a negative length means a locked parameter
        if not length:
            return
        if link + 4 > len(data):
            raise FormatError("its parameters are cut off", path=path)
        (onward,) = struct.unpack_from("<H", data, link)
        if group > 0:
            kind, dimensions = struct.unpack_from("<bB", data, link + 2)
            values = link + 4 + dimensions
            shape = data[link + 4 : values]
            if dimensions > _MOST_DIMENSIONS or values + abs(kind) * prod(shape) > len(data):
                said = data[name:link].decode("latin-1")
                raise FormatError(f"the values of its parameter {said!r} do not fit", path=path)
        if not onward:
            return
        at = link + onward
