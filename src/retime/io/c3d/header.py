"""Check the header and parameters of a C3D file against its size."""

from __future__ import annotations

import struct
from math import prod
from pathlib import Path

from retime.errors import FormatError

_PAGE = 512
_MAGIC = 0x50
# For the processor types Intel and DEC, the byte of the header with the sign of the scale. The
# library reads no others.
_SIGN = {84: 15, 85: 13}
_MIPS = 86
# Dimensions that a parameter may have, by the format's definition.
_MOST_DIMENSIONS = 7


def check_header(data: bytes, path: str | Path) -> None:
    """Reject a file that is not C3D or is cut off, before the library reads it."""
    if len(data) < 2 * _PAGE or data[1] != _MAGIC:
        raise FormatError("not a C3D file, or is cut off", path=path)
    processor = _processor(data, path)
    points, analogs, first, last = struct.unpack_from("<4H", data, 2)
    start, subframes = struct.unpack_from("<2H", data, 16)
    frames = last - first + 1
    if not points:
        raise FormatError("contains no points, so there is no motion in it", path=path)
    if frames < 1:
        return  # the header cannot store more than 65535 frames
    if subframes == 0 and analogs:
        raise FormatError("its header has analog values but no analog samples", path=path)
    size = 4 if data[_SIGN[processor]] & 0x80 else 2  # a negative scale means floats
    need = (start - 1) * _PAGE + frames * (4 * points + analogs) * size
    if start < 2 or need > len(data):
        raise FormatError(
            f"is cut off: {frames} frames of {points} points do not fit into it", path=path
        )


def _processor(data: bytes, path: str | Path) -> int:
    """Check the parameters, and return the processor type that they name."""
    parameters = (data[0] - 1) * _PAGE
    if data[0] < 2 or parameters + 4 > len(data):
        raise FormatError("its parameters are outside the file", path=path)
    processor = data[parameters + 3]
    if processor == _MIPS:
        raise FormatError("has numbers in MIPS format; save it in Intel format", path=path)
    if processor not in _SIGN:
        raise FormatError(f"an unknown processor type, {processor}", path=path)
    if parameters + data[parameters + 2] * _PAGE > len(data):
        raise FormatError("its parameters are cut off", path=path)
    _check_parameters(data, parameters + 4, path)
    return processor


def _check_parameters(data: bytes, at: int, path: str | Path) -> None:
    """Reject parameters that are outside the file, or whose values are.

    The library allocates memory for all dimensions before it looks for the values.
    """
    onward = 1
    while onward:
        if at + 2 > len(data):
            raise FormatError("its parameters are cut off", path=path)
        length, group = struct.unpack_from("<bb", data, at)
        if not length:
            return
        link = at + 2 + abs(length)  # a negative length means a locked parameter
        if link + 4 > len(data):
            raise FormatError("its parameters are cut off", path=path)
        if group > 0 and not _values_fit(data, link):
            name = data[at + 2 : link].decode("latin-1")
            raise FormatError(f"the values of its parameter {name!r} do not fit", path=path)
        (onward,) = struct.unpack_from("<H", data, link)
        at = link + onward


def _values_fit(data: bytes, link: int) -> bool:
    """Return whether the values of a parameter, behind its link to the next, are in the file."""
    kind, dimensions = struct.unpack_from("<bB", data, link + 2)
    values = link + 4 + dimensions
    size = abs(kind) * prod(data[link + 4 : values])
    return bool(dimensions <= _MOST_DIMENSIONS and values + size <= len(data))
