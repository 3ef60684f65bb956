"""Pictures of time control surfaces, and overlays."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import retime
from retime import ControlSurfaces, InputError, Motion, Recipe, Step, SurfaceKey, samples
from retime.plot.figures import png_of
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


def test_an_overlay_shows_where_source_and_result_differ() -> None:
    source = samples.punches()
    key = SurfaceKey(time=1.5, joint="RightHand", shift=-0.2)
    result = Recipe([Step("surface", {"keys": [key]})]).evaluate(source)

    def pale(other: Motion) -> int:
        """Count pixels of the source that the result does not cover."""
        png = png_of(retime.plot.overlay(source, other, start=1.2, end=1.6, poses=3))
        pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).reshape(-1, 3).astype(int)
        return int((np.abs(pixels - [0xA1, 0xD6, 0xE2]).max(axis=1) < 24).sum())

    assert pale(result) > 10 * max(pale(source), 10)
    with pytest.raises(InputError, match=r"0 to 99 s is not a part of both"):
        retime.plot.overlay(source, result, end=99)
    with pytest.raises(InputError, match="2 to 60 poses"):
        retime.plot.overlay(source, result, poses=1)
