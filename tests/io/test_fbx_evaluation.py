"""Poses of FBX files, judged by those of ufbx, which are stored."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import fbx_oracle
from fbx_cases import SHARED, TIMES, made, rounds, shared
from fbx_making import CUBIC, LINEAR, USER, differ, evaluated, evaluated_here
from fbx_oracle import Tracks, span_times
from retime import FormatError, TimeWarp, apply, read, write
from retime.io.fbx import contents
from retime.io.fbx.document import load

STORED = Path(__file__).parents[1] / "data" / "ufbx.npz"
# Of a stack that turns a model only, ufbx takes the translation of another.
_DEFECTS = {"Head_69.fbx"}


@pytest.fixture(scope="module")
def stored() -> dict[str, Tracks]:
    out: dict[str, Tracks] = {}
    with np.load(STORED) as found:
        for name in found.files:
            file, _, node = name.rpartition("/")
            out.setdefault(file, {})[node] = found[name].astype(float)
    return out


@pytest.mark.parametrize("name", made())
def test_poses_are_those_of_ufbx(tmp_path: Path, stored: dict[str, Tracks], name: str) -> None:
    file = made()[name].write(tmp_path / "a.fbx")
    assert differ(evaluated_here(file, TIMES), stored[name]) < 1e-5
    if find_spec("pufbx") is not None:
        assert differ(fbx_oracle.evaluated(file, TIMES), stored[name]) < 1e-9


@pytest.mark.skipif(not SHARED.exists(), reason="the shared sample files are absent")
def test_files_of_other_makers_are_posed_as_by_ufbx(stored: dict[str, Tracks]) -> None:
    compared = 0
    for path in shared():
        try:
            entries = contents(path)
        except FormatError:
            continue
        for n, entry in enumerate(entries[:3]):
            wanted = stored.get(f"{path.name}/{n}")
            if wanted is None or path.name in _DEFECTS:
                continue
            times = span_times(entry["start_s"], entry["duration_s"])
            found = evaluated_here(path, times, n)
            called = Counter(m.name for m in load(path).of_kind(b"Model"))
            names = {k for k in found.keys() & wanted.keys() if called[k] == 1}
            off = differ({k: found[k] for k in names}, {k: wanted[k] for k in names})
            assert off < 1e-5, path.name
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("flags", [LINEAR, CUBIC | USER])
def test_rounds_are_written_as_keys(tmp_path: Path, flags: int) -> None:
    file, out = rounds(flags).write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    warp = TimeWarp([0, 1.0, 3.2], [0, 1.3, 2])
    write(apply(read(file), warp, exact=True), out)
    times = np.linspace(0.001, 3.199, 400)
    # Not at the very jump from one round to the next.
    jumps = 0.8 + 0.33 * np.arange(-3, 5)
    far = np.abs(warp(times)[:, None] - jumps).min(axis=1) > 1e-4
    assert differ(evaluated(out, times[far]), evaluated(file, warp(times[far]))) < 1e-4
    # At one speed they stay rounds, without another key.
    even = TimeWarp([0, 3.2], [0, 2])
    write(apply(read(file), even, exact=True), out)
    far = np.abs(even(times)[:, None] - jumps).min(axis=1) > 1e-4
    assert differ(evaluated(out, times[far]), evaluated(file, even(times[far]))) < 1e-4
    keys = [path.read_bytes().count(b"KeyTime") for path in (file, out)]
    assert keys[0] == keys[1]
    sizes = [path.stat().st_size for path in (file, out)]
    assert sizes[1] <= sizes[0] + 64
