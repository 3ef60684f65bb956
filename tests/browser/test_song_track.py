"""A song in the studio: its beats are found, dragged and tapped, and pictures keep to its sound."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import retime
from browser_running import Studying
from music_making import dance, even_beats, song, write_wave

Open = Callable[..., Studying]
SECONDS = 14.0
# Sound that the page plays, so that a test can look at its clock.
WATCHED = """
window.heard = [];
const Plain = window.Audio;
window.Audio = function (...given) {
  const made = new Plain(...given);
  window.heard.push(made);
  return made;
};
"""
BEATS = "(retime.state.steps.value[0]?.parameters?.beats ?? [])"


@pytest.fixture
def page(open_page: Open, tmp_path: Path) -> Studying:
    clip = tmp_path / "dance.bvh"
    retime.write(dance(104.0, SECONDS)[0], clip)
    page = open_page(clip, size=(1300, 850))
    page.page.add_init_script(WATCHED)
    page.page.reload()
    page.until("window.retime && retime.state.source.value")
    tune = write_wave(tmp_path / "song.wav", song(even_beats(110, SECONDS), SECONDS))
    assert page.studio.upload("song.wav", tune.read_bytes())[0] == 200
    page.until("retime.state.committed.value.audio")
    return page


def test_a_song_is_heard_and_the_motion_is_put_on_its_beats(page: Studying) -> None:
    page.get("retime.actions.addStep({method: 'sync', parameters: {}})")
    page.until(f"{BEATS}.length > 15")
    page.up_to_date()
    page.until("retime.state.stepResult('s1')?.costs?.beat_alignment > 0.6")
    bars = page.page.locator("[data-section=alignment] .bar-row")
    assert bars.count() == 3
    page.get("retime.actions.seek(2.2)")
    page.picture("studio-music")
    page.get("retime.actions.seek(0)")
    # No duration is set: the field shows the one that the beats made.
    made = page.get("retime.state.result.value.duration")
    field = page.page.get_by_label("Duration, s", exact=True).first
    assert abs(made - page.get("retime.state.source.value.duration")) > 0.05
    assert float(field.get_attribute("placeholder") or "nan") == pytest.approx(made, abs=0.01)
    unit = page.page.get_by_role("button", name=re.compile("fps, times in"))
    unit.click()
    page.page.get_by_role("menuitem", name="Timecode").click()
    cut = (
        "[...document.querySelectorAll('.inspector input')]"
        ".filter(i => i.offsetParent && i.scrollWidth > i.clientWidth)"
    )
    first = page.page.get_by_role("textbox", name="First beat")
    assert first.input_value() == "00:00:00:00"
    assert page.get(f"{cut}.map(i => i.ariaLabel)") == []
    unit.click()
    page.page.get_by_role("menuitem", name="Seconds").click()
    # Strength is live: a drag shows its result before it is kept.
    page.get("retime.actions.previewParameter('s1', 'strength', 0)")
    page.until("retime.state.stepResult('s1')?.costs?.slowest > 0.999")
    page.get("retime.actions.discard()")
    page.until("retime.state.stepResult('s1')?.costs?.slowest < 0.99")
    # A beat is dragged: one step of undo.
    count = page.get(f"{BEATS}.length")
    before = page.get(f"{BEATS}[6]")
    track = page.page.locator(".music-track")
    box = track.bounding_box()
    assert box is not None
    a, b = page.get("retime.state.domain.value")
    start = page.get("retime.state.stepResult('s1').costs.music_start")
    x = box["x"] + (before - start) / (b - a) * box["width"]
    page.page.mouse.move(x, box["y"] + 40)
    page.page.mouse.down()
    page.page.mouse.move(x + 4, box["y"] + 40, steps=2)
    page.page.mouse.up()
    page.until(f"{BEATS}[6] > {before + 0.05}")
    page.get("retime.actions.undo()")
    page.until(f"{BEATS}[6] === {before}")
    page.page.get_by_role("button", name="×2").click()
    page.until(f"{BEATS}.length === {2 * count - 1}")
    page.get("retime.actions.undo()")
    page.until(f"{BEATS}.length === {count}")
    page.up_to_date()
    assert median_drift(page, 3) < 0.02


def median_drift(page: Studying, seconds: float) -> float:
    """Play for some seconds, and tell how far sound and picture are apart."""
    page.page.mouse.click(5, 5)  # browsers play sound only after a click
    page.get("retime.state.looping.value = false")
    page.page.keyboard.press("Space")
    page.until("window.heard.at(-1)?.currentTime > 1.5", wait=20)
    paused, gaps = page.page.evaluate(
        """async (seconds) => {
          const start = retime.state.stepResult('s1').costs.music_start;
          const player = window.heard.at(-1), out = [];
          const end = performance.now() + 1000 * seconds;
          while (performance.now() < end) {
            // Both at the frame's own time, whenever this is called.
            const now = await new Promise(requestAnimationFrame);
            const late = (performance.now() - now) / 1000;
            out.push(player.currentTime - late - (retime.state.time.value + start));
          }
          return [player.paused, out.sort((a, b) => a - b)];
        }""",
        seconds,
    )
    assert not paused
    page.get("retime.state.playing.value = false")
    page.until("window.heard.at(-1).paused")
    return abs(float(gaps[len(gaps) // 2]))
