"""Every example in the documentation runs."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

import retime
from fbx_making import made_of
from music_making import dance, even_beats, song, write_wave
from retime import samples
from retime.cli import main
from retime.studio.app import STATIC
from video_making import make_video

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


_BLOCK = re.compile(r"```(python|sh)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("files")
    retime.write(samples.jump(), folder / "jump.bvh")
    retime.write(samples.walk(), folder / "walk.bvh")
    make_video(folder / "take.mp4")
    made_of(samples.walk()).write(folder / "hero.fbx")
    retime.write(dance(112.0, 8.0)[0], folder / "dance.bvh")
    write_wave(folder / "song.wav", song(even_beats(110, 12.0), 12.0))
    (folder / "markers.csv").write_text("frame,name\n12,take-off\n30,landing\n")
    (folder / "cues.srt").write_text("1\n00:00:00,500 --> 00:00:01,200\nHop!\n")
    return folder


@pytest.fixture
def workplace(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the examples a folder of their own; what would wait for people does not."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    async def ended(*_: object, **__: object) -> None:
        """Stand in for the wait for windows: a studio starts, and ends at once."""

    from retime.live_server.server import LiveServer

    play = LiveServer.run

    async def run_replays(server: LiveServer, heard: object, replay: object) -> None:
        """Play files; do not wait for performers."""
        if replay is not None:
            await play(server, None, replay)  # type: ignore[arg-type]

    monkeypatch.setattr("uvicorn.Server.serve", ended)
    monkeypatch.setattr(LiveServer, "run", run_replays)
    monkeypatch.setattr("webbrowser.open", lambda address: True)


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_run_in_order(page: Path) -> None:
    scope: dict[str, object] = {}
    # What a page's Python wrote, its commands may read.
    blocks = sorted(_BLOCK.findall(page.read_text()), key=lambda found: found[0])
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page.name, "exec"), scope)
        else:
            for line in block.splitlines():
                _run(shlex.split(line, comments=True))


def _run(words: list[str]) -> None:
    if words[:2] == ["retime", "studio"] and not (STATIC / "index.html").exists():
        return  # its pages need Node.js to be built
    if words[:1] == ["retime"]:
        main(words[1:])


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
