"""Pictures of time control surfaces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from retime import ControlSurfaces, SurfaceKey, samples
from retime.plot.surfaces import draw_paths


def test_all_paths_are_drawn(tmp_path: Path) -> None:
    key = SurfaceKey(time=1.2, joint="RightHand", shift=-0.2)
    surfaces, drawn = ControlSurfaces(samples.punches(), [key]), tmp_path / "paths.png"
    draw_paths(surfaces, drawn)
    pixels = np.asarray(Image.open(drawn).convert("RGB")).reshape(-1, 3).astype(int)
    dragged = (np.abs(pixels - [0xD7, 0x9A, 0x00]).max(axis=1) < 24).sum()
    others = (np.abs(pixels - [0x9A, 0xA3, 0xB2]).max(axis=1) < 24).sum()
    assert dragged > 500
    assert others > 200
