"""What ufbx itself makes of FBX files: an oracle, where its wrapper pufbx is installed.

``python tests/fbx_oracle.py`` stores its results in ``tests/data/ufbx.npz``, so that the tests need
no pufbx.
"""

from __future__ import annotations

import ctypes
import struct
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

# Where the times of a stack stand in ufbx's structure.
_TIMES = 128
Tracks = dict[str, FloatArray]


class _Transform(ctypes.Structure):
    _fields_ = (("values", ctypes.c_double * 10),)


def _library() -> ctypes.CDLL:
    import pufbx.ufbx_wrapper

    found = ctypes.CDLL(pufbx.ufbx_wrapper.__file__)
    for name in ("ufbx_load_file", "ufbx_find_node_len", "ufbx_find_anim_stack_len"):
        getattr(found, name).restype = ctypes.c_void_p
    found.ufbx_evaluate_transform.restype = _Transform
    return found


def evaluated(path: Path, times: npt.ArrayLike, stack: int = 0) -> Tracks:
    """Evaluate a file: local transforms (F, 10) by node, wxyz in the middle."""
    import pufbx

    times = np.asarray(times, float)
    library, scene = _library(), pufbx.load_fbx(str(path))
    own = ctypes.c_void_p(library.ufbx_load_file(str(path).encode(), None, None))
    found = scene.anim_stacks[stack]
    name = found.name.encode()
    address = library.ufbx_find_anim_stack_len(own, name, ctypes.c_size_t(len(name)))
    anim = ctypes.c_void_p(_anim_of(address, found.time_begin, found.time_end))
    out: Tracks = {}
    for node in scene.nodes:
        label = node.name.encode()
        at = ctypes.c_void_p(library.ufbx_find_node_len(own, label, ctypes.c_size_t(len(label))))
        table = np.empty((len(times), 10))
        for row, time in zip(table, times.tolist(), strict=True):
            row[:] = library.ufbx_evaluate_transform(anim, at, ctypes.c_double(time)).values
        # ufbx has xyzw.
        out[node.name] = table[:, [0, 1, 2, 6, 3, 4, 5, 7, 8, 9]]
    library.ufbx_free_scene(own)
    return out


def _anim_of(address: int, begin: float, end: float) -> int:
    """Return the animation of a stack, which stands after its times and its layers."""
    data = ctypes.string_at(address, 512)
    at = data.index(struct.pack("<dd", begin, end), _TIMES)
    assert at == _TIMES, at
    found: int = struct.unpack_from("<Q", data, at + 32)[0]
    return found


def store(target: Path) -> None:
    """Evaluate all files of :mod:`fbx_cases`."""
    from fbx_cases import TIMES, made, shared
    from retime.io.fbx import contents

    out: dict[str, FloatArray] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, maker in made().items():
            file = maker.write(Path(folder) / "a.fbx")
            for node, table in evaluated(file, TIMES).items():
                out[f"{name}/{node}"] = table
    for path in shared():
        try:
            spans = contents(path)
            for n, entry in enumerate(spans[:3]):
                times = span_times(entry["start_s"], entry["duration_s"])
                tracks = evaluated(path, times, n)
                for node in sorted(tracks)[:20]:
                    out[f"{path.name}/{n}/{node}"] = tracks[node].astype(np.float32)
        except Exception as error:
            print(f"{path.name}: {error}")
    np.savez_compressed(target, **out)  # type: ignore[arg-type]


def span_times(start: float, duration: float) -> FloatArray:
    """Return a few times from before a clip to after it."""
    return start + duration * np.array([-0.37, 0.0, 0.21, 0.5, 0.83, 1.0, 1.53])


if __name__ == "__main__":
    store(Path(__file__).parent / "data" / "ufbx.npz")
