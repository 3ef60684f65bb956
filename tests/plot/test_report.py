"""The page to send to a colleague."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from retime import TimeWarp, apply, samples
from retime.plot.report import write_report
from retime.plot.warps import warp_figure


def test_a_page_needs_no_other_file(tmp_path: Path) -> None:
    walk = samples.walk()
    warp = TimeWarp([0, 3], [0, 4])
    path = tmp_path / "walk.html"
    write_report(path, apply(walk, warp), title="<walk> & co", source=walk, warp=warp, truth=warp)
    text = path.read_text()
    assert "&lt;walk&gt; &amp; co" in text
    for heading in ("Quality", "Timing", "Film strip", "Contacts", "Worst frames"):
        assert f"<h2>{heading}</h2>" in text
    sources = re.findall(r'(?:src|href)="([^"]{0,40})', text)
    assert sources
    assert all(s.startswith("data:") for s in sources)
    assert "<script" not in text


def test_a_page_about_a_motion_alone(tmp_path: Path) -> None:
    path = tmp_path / "chain.html"
    write_report(path, samples.chain(), title="chain")
    text = path.read_text()
    assert "No contacts were found." in text
    assert "<h2>Timing</h2>" not in text


def test_evidence_is_a_band_under_the_curve() -> None:
    warp = TimeWarp([0, 3], [0, 4])
    evidence = np.c_[np.linspace(0, 3, 91), np.linspace(0, 1, 91)]
    curve = warp_figure({"a": warp}, evidence=evidence).axes[0]
    labels = curve.get_legend_handles_labels()[1]
    assert "similarity to the reference" in labels
    (band,) = curve.collections
    assert 0 < np.asarray(band.get_paths()[0].vertices)[:, 1].max() < 0.25
    assert not warp_figure({"a": warp}).axes[0].collections
