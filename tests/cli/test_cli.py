"""The command line as a user meets it: results, sentences, exit statuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import retime
from retime import samples
from retime.cli import COMMANDS, program
from retime.cli.help import shown_options

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jump(tmp_path: Path) -> Path:
    path = tmp_path / "jump.bvh"
    retime.write(samples.jump(), path)
    return path


def test_help_lists_every_command_with_its_line(run: Run) -> None:
    status, out, _ = run("--help")
    assert status == 0
    for name, summary in COMMANDS.items():
        assert name in out
        assert summary in out


def _every_command() -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in COMMANDS:
        command = program().get_command(click.Context(program()), name)
        yield (name,), command
        for part in getattr(command, "lines", ()):
            yield (name, part), command.get_command(click.Context(command), part)  # type: ignore[attr-defined]


_EVERY = dict(_every_command())


@pytest.mark.parametrize("words", _EVERY, ids=" ".join)
def test_help_fits_a_screen_and_help_all_has_every_option(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    command = _EVERY[words]
    context = click.Context(command, info_name=" ".join(["retime", *words]))
    short, whole = (command.page(context, whole=every) for every in (False, True))
    lines = short.splitlines()
    examples = [line for line in lines if line.startswith("  retime ")]
    assert len(lines) <= 40
    assert max(len(line) for line in lines if line not in examples) <= 80
    # Switches take no value, and defaults are rounded.
    assert "<" not in whole
    assert not re.search(r"[0-9]\.[0-9]{4,}", whole)
    options = shown_options(command)
    for p in options:
        assert f"  {p.opts[0]}" in whole
        assert p.is_flag or p.metavar, f"{p.opts[0]} needs a metavar"
    assert all(p.opts[0] in short for p in options if not p.panel)  # type: ignore[attr-defined]


def test_help_all_is_an_argument_after_two_dashes(run: Run) -> None:
    assert "--source-fps" not in run("info", "--help")[1]
    assert "--source-fps" in run("info", "--help-all")[1]
    status, _, err = run("info", "--", "--help-all")
    assert status == 2
    assert "--help-all" in err


def test_help_needs_no_heavy_package() -> None:
    code = (
        "import sys\nfrom retime.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "sys.exit([m for m in ('numpy', 'scipy', 'matplotlib') if m in sys.modules] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line, words",
    [
        ("retime st", ["stagger", "studio"]),
        ("retime warp ex", ["export"]),
        ("retime info --j", ["--joints", "--json"]),
        ("retime physics a.bvh --objective ma", ["match"]),
        ("retime studio --no", ["--no-browser"]),
    ],
)
def test_completion_knows_commands_options_and_words(line: str, words: list[str]) -> None:
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    env = {**os.environ, **asked, "_RETIME_COMPLETE": "bash_complete"}
    command = [str(Path(sys.executable).parent / "retime")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [f"plain,{word}" for word in words]


def test_completion_is_installed_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for shell, file in (("zsh", ".zshrc"), ("fish", ".config/fish/completions/retime.fish")):
        monkeypatch.setenv("SHELL", f"/bin/{shell}")
        assert f"_RETIME_COMPLETE={shell}_complete" in run("--show-completion")[1]
        written = [run("--install-completion") and (tmp_path / file).read_text() for _ in range(2)]
        assert written[0] == written[1]
        assert written[0].count(f"_RETIME_COMPLETE={shell}_source retime") == 1
    monkeypatch.setenv("SHELL", "/bin/elvish")
    assert "the shell is not known" in run("--show-completion")[2]
    monkeypatch.setenv("SHELL", "pwsh")
    assert "Register-ArgumentCompleter" in run("--show-completion")[1]


def test_info_as_json(run: Run, jump: Path) -> None:
    status, out, _ = run("info", jump, "--json")
    shown = json.loads(out)
    assert status == 0
    assert (shown["frames"], shown["joints"], shown["fps"]) == (196, 21, 60.0)
    assert shown["up"] == "Y"
    assert shown["metres_per_unit"] == 1.0
    assert any("metres" in n for n in shown["notes"])


def test_scale_and_up_axis_can_be_given(run: Run, jump: Path) -> None:
    _, out, _ = run("info", jump, "--json", "--scale", "0.01", "--up", "Z")
    shown = json.loads(out)
    assert (shown["metres_per_unit"], shown["up"], shown["units_are"]) == (0.01, "Z", "given")


def test_apply_keytimes_then_undo_by_the_inverse(run: Run, jump: Path, tmp_path: Path) -> None:
    slow, warp, undo = (tmp_path / n for n in ("slow.bvh", "w.json", "undo.json"))
    assert run("warp", "make", warp, "--for", jump, "--duration", "4", "--keytime", "2=1.5")[0] == 0
    assert run("apply", jump, slow, "--warp", warp)[0] == 0
    assert retime.read(slow).duration == pytest.approx(4.0)
    assert run("warp", "invert", warp, undo)[0] == 0
    status, out, _ = run("apply", slow, tmp_path / "back.bvh", "--warp", undo, "--json")
    assert status == 0
    assert json.loads(out)["duration_s"] == pytest.approx(3.25)


def test_composed_warps_equal_one_after_the_other(run: Run, jump: Path, tmp_path: Path) -> None:
    a, b, both = (tmp_path / n for n in ("a.json", "b.json", "both.json"))
    run("warp", "make", a, "--for", jump, "--duration", "4", "--keytime", "2=1.5")
    run("warp", "make", b, "--length", "4", "--duration", "3")
    assert run("warp", "compose", a, b, both)[0] == 0
    run("apply", jump, tmp_path / "one.bvh", "--warp", both)
    run("apply", jump, tmp_path / "two.bvh", "--warp", a, "--warp", b)
    assert (tmp_path / "one.bvh").read_bytes() == (tmp_path / "two.bvh").read_bytes()


def test_warp_show_and_export(run: Run, tmp_path: Path) -> None:
    warp = tmp_path / "w.json"
    run("warp", "make", warp, "--length", "3", "--duration", "2", "--keytime", "1=1.2")
    status, out, _ = run("warp", "show", warp)
    assert status == 0
    assert "1.2000" in out
    for name in ("keys.json", "keys.csv"):
        status, out, _ = run("warp", "export", warp, tmp_path / name, "--json")
        assert status == 0
        assert json.loads(out)["keys"] <= 4


def test_recipe_is_written_and_runs_to_the_same_file(run: Run, jump: Path, tmp_path: Path) -> None:
    recipe, one, two = (tmp_path / n for n in ("r.json", "one.bvh", "two.bvh"))
    made = run("apply", jump, one, "--duration", "2", "--keytime", "1=1.4", "--recipe", recipe)
    assert made[0] == 0
    assert run("run", recipe, jump, two, "--warp", tmp_path / "w.json")[0] == 0
    assert one.read_bytes() == two.read_bytes()
    assert retime.read_warp(tmp_path / "w.json").duration == pytest.approx(2.0)


def test_a_partner_goes_along(run: Run, jump: Path, tmp_path: Path) -> None:
    partner = tmp_path / "partner.bvh"
    retime.write(samples.chain(duration=3.25), partner)
    out = tmp_path / "out.bvh"
    status, *_ = run("apply", jump, out, "--duration", "2", "--also", partner)
    assert status == 0
    assert retime.read(tmp_path / "partner-retimed.bvh").duration == retime.read(out).duration
    status, *_ = run("apply", jump, out, "--duration", "2", "--also", f"{partner}={tmp_path}/p.npz")
    assert status == 0
    assert retime.read(tmp_path / "p.npz").duration == retime.read(out).duration


def test_a_range_ripples(run: Run, jump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    arguments = ("apply", jump, out, "--duration", "1", "--range", "1:1.5")
    status, _, err = run(*arguments)
    assert status == 2
    assert "ripple" in err
    assert run(*arguments, "--ripple")[0] == 0
    assert retime.read(out).duration == pytest.approx(3.75)


def test_exact_duration_bends_the_frame_time(run: Run, jump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    _, _, err = run("apply", jump, out, "--duration", "1.907")
    rounded = "rounded from 1.907 s to 1.9 s, 115 frames at 60 fps; keep it exact (--exact)"
    assert rounded in err
    assert run("apply", jump, out, "--duration", "1.907", "--exact")[0] == 0
    assert retime.read(out).duration == pytest.approx(1.907, abs=1e-6)


def test_pictures(run: Run, jump: Path, tmp_path: Path) -> None:
    warp = tmp_path / "w.json"
    run("warp", "make", warp, "--for", jump, "--duration", "2")
    assert run("plot", warp, tmp_path / "w.png")[0] == 0
    assert run("plot", jump, jump, tmp_path / "s.svg")[0] == 0
    assert (tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


def test_demo_leaves_what_it_lists(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("demo", tmp_path / "demo", "--json")
    assert status == 0
    listed = json.loads(out)
    assert sorted(listed["files"]) == sorted(p.name for p in (tmp_path / "demo").iterdir())


def _empty(folder: Path, suffix: str = ".bvh") -> Path:
    path = folder / f"empty{suffix}"
    path.touch()
    return path


def _cut_off(folder: Path, whole: Path) -> Path:
    path = folder / "cut.bvh"
    head, rows = whole.read_text().split("Frame Time")
    path.write_text("Frame Time".join([head, "\n".join(rows.splitlines()[:4])[:-9]]))
    return path


def _picture(folder: Path) -> Path:
    path = folder / "picture.bvh"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (lambda d, j: ("info", d / "nowhere.bvh"), "no such file"),
        (lambda d, j: ("info", d), "is a folder; give the name of a motion file"),
        (lambda d, j: ("guided", d / "no.bvh", d / "o.bvh"), "retime: no such file: "),
        (lambda d, j: ("guided", d, d / "o.bvh"), "is a folder; give the name of a motion file"),
        (lambda d, j: ("apply", j, d / "o.bvh", "--keytime", "1"), "retime: --keytime is 1; it"),
        (lambda d, j: ("run", j, d / "r.json", d / "o.bvh"), "first: retime run RECIPE IN OUT"),
        (
            lambda d, j: ("stagger", j, "--list", "--warp", d / "w.json"),
            "--warp needs a result",
        ),
        (
            lambda d, j: ("stagger", j, d / "o.bvh", "--list", "--json"),
            "--json prints the result or the list",
        ),
        (lambda d, j: ("live", j, "--speed", "2"), "--speed is the playback speed of --replay"),
        (lambda d, j: ("info", _empty(d)), "the file is empty"),
        (lambda d, j: ("info", _empty(d, ".npz")), "the file is empty"),
        (lambda d, j: ("info", _empty(d, ".amc")), "the file is empty"),
        (lambda d, j: ("info", _picture(d)), "a PNG picture"),
        (lambda d, j: ("convert", j, d / "no" / "out.bvh"), "does not exist"),
        (lambda d, j: ("convert", j, d / "out.xyz"), "unknown format '.xyz'"),
        (lambda d, j: ("convert", j, j), "is the input"),
        (lambda d, j: ("apply", j, d / "out.bvh"), "give --warp FILE"),
        (lambda d, j: ("apply", j, d / "out.bvh", "--duration", "0"), "above 0,"),
        (lambda d, j: ("apply", j, d / "out.bvh", "--duration", "nan"), "is not a time"),
        (lambda d, j: ("apply", j, d / "out.bvh", "--duration", "1e9"), "too long"),
        (
            lambda d, j: ("apply", j, d / "out.bvh", "--keytime", "1"),
            "it takes 2 values, not 1; the form is OUT=SRC",
        ),
        (lambda d, j: ("apply", j, d / "out.bvh", "--keytime", "x=1"), "is not a time"),
        (lambda d, j: ("apply", j, d / "out.bvh", "--keytime", "9=1"), "9 s is outside the output"),
        (
            lambda d, j: ("apply", j, d / "out.bvh", "--duration", "1", "--range", "2:9"),
            "not a part of the clip",
        ),
        (lambda d, j: ("apply", j, d / "out.bvh", "--warp", j), "not a JSON file"),
        (lambda d, j: ("run", j, j, d / "out.bvh"), "not a JSON file"),
        (lambda d, j: ("convert", j, d / "out"), "no suffix; add one of .bvh"),
        (lambda d, j: ("info", _cut_off(d, j)), "values in row 3, found"),
        (lambda d, j: ("report", j, d), "a name that ends in .html"),
        (lambda d, j: ("contacts", j, d / "c.xyz"), "a name that ends in .json"),
        (lambda d, j: ("demo", j), "is a file; give the name of a folder"),
        (lambda d, j: ("infoo", j), "no command 'infoo'; did you mean 'info'? (see retime --help)"),
        (lambda d, j: ("warp", "maek"), "no command 'maek'; did you mean 'make'?"),
        (lambda d, j: ("info",), "IN is missing; usage: retime info IN [OPTIONS]"),
        (lambda d, j: ("info", j, "--up", "Q"), "--up is 'Q'; it can be 'Y', 'Z'"),
        (lambda d, j: ("info", j, "--scale=big"), "--scale: 'big' is not a number"),
        (lambda d, j: ("studio", j, "--port", "a"), "--port: 'a' is not a whole number"),
        (
            lambda d, j: ("convert", j, d / "out.bvh", "--fps", "0"),
            "--fps is 0; the minimum is 0.001",
        ),
        (lambda d, j: ("guided", j, d / "o.bvh", "--durations", "2"), "did you mean --duration"),
        (lambda d, j: ("guided", j, d / "o.bvh", "--duration"), "--duration needs a value (TIME|"),
        (lambda d, j: ("info", j, j), "one argument too many"),
        (lambda d, j: ("plot", j, d / "out.txt"), ".png"),
        (
            lambda d, j: ("warp", "make", d / "w.json", "--duration", "2"),
            "give the clip that the warp is for",
        ),
    ],
)
def test_bad_input_gets_a_sentence(
    run: Run,
    jump: Path,
    tmp_path: Path,
    arguments: Callable[[Path, Path], tuple[Any, ...]],
    sentence: str,
) -> None:
    before = jump.read_bytes()
    status, _, err = run(*arguments(tmp_path, jump))
    assert status == 2
    assert sentence in err
    assert len([line for line in err.splitlines() if line.startswith("retime:")]) == 1
    assert "Traceback" not in err
    assert jump.read_bytes() == before
    assert not (tmp_path / "out.bvh").exists()


def test_samples_never_replace_another_file(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "handshake-partner.bvh"
    mine.write_text("my own capture")
    status, _, err = run("samples", "handshake", "--into", tmp_path)
    assert status == 2
    assert f"{mine} exists and is another file; move it, or write to another folder (--into" in err
    assert mine.read_text() == "my own capture"
    assert [p.name for p in tmp_path.iterdir()] == [mine.name]

    mine.unlink()
    assert run("samples", "handshake", "--into", tmp_path)[0] == 0
    written = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in tmp_path.iterdir()}
    assert run("samples", "handshake", "--into", tmp_path)[0] == 0
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in tmp_path.iterdir()} == written


@pytest.mark.parametrize("suffix", ["amc", "c3d", "xyz"])
def test_samples_name_the_file_that_cannot_be_written(
    run: Run, tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"walk.{suffix}"
    command = ("samples", "walk", "--into", tmp_path, "--format", suffix)
    new = run(*command)
    file.write_bytes(b"mine")
    assert run(*command) == new  # it is there, which changes nothing
    assert new[0] == 2
    assert f"{file}: " in new[2]
    assert file.read_bytes() == b"mine"


def test_help_shows_brackets_in_pairs(run: Run) -> None:
    out = run("samples", "--help")[1]
    assert "Usage: retime samples [[get] NAME...] [OPTIONS]" in out
    assert "  [get] NAME...  Motions to write" in out


def test_without_a_command_the_help_is_printed(run: Run) -> None:
    for words in ([], ["warp"]):
        status, out, _ = run(*words)
        assert status == 0
        assert "Commands" in out


def test_a_result_without_an_edit_gets_a_note(run: Run, jump: Path, tmp_path: Path) -> None:
    status, out, _ = run("tween", jump, tmp_path / "out.bvh", "--json")
    assert status == 0
    assert json.loads(out)["note_codes"].count("same") == 1


def test_a_full_disk_loses_nothing(jump: Path, tmp_path: Path) -> None:
    """A limit on file size stands for the disk; the old result must stay as it was."""
    out = tmp_path / "out.bvh"
    out.write_text("old")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "from retime.cli import main\n"
        f"main(['apply', {str(jump)!r}, {str(out)!r}, '--duration', '9'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "cannot write" in done.stderr
    assert out.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["jump.bvh", "out.bvh"]


@pytest.mark.parametrize("other", ["jump.bvh", "out.bvh", "w.json"])
def test_nothing_is_written_over_by_what_goes_along(
    run: Run, jump: Path, tmp_path: Path, other: str
) -> None:
    partner = tmp_path / "partner.npz"
    retime.write(samples.chain(duration=3.25), partner)
    before = jump.read_bytes()
    also = f"{partner}={tmp_path / other}"
    warp = tmp_path / "w.json"
    status, _, err = run(
        *("guided", jump, tmp_path / "out.bvh", "--duration", "2", "--also", also, "--warp", warp)
    )
    assert status == 2
    assert "retime: " in err
    assert jump.read_bytes() == before
    assert not (tmp_path / "out.bvh").exists()


def test_a_prop_follows_the_roots_way(run: Run, jump: Path, tmp_path: Path) -> None:
    """A warp of other joints alone still carries a prop, by the first root's translation."""
    warp = tmp_path / "w.json"
    late = ([0.0, 1.0, 3.25], [0.0, 2.0, 3.25])
    channels = {"Hips:translation": late, "Head": ([0.0, 3.25], [0.0, 3.25])}
    retime.write_warp(retime.TimeWarp(channels=channels), warp)
    prop = tmp_path / "prop.bvh"
    retime.write(samples.chain(duration=3.25), prop)
    arguments = ("apply", jump, tmp_path / "out.bvh", "--warp", warp, "--also", prop)
    assert run(*arguments)[0] == 0
    moved = retime.read(tmp_path / "prop-retimed.bvh")
    there = retime.read(prop)
    assert np.allclose(moved.rotations[60], there.rotations[120], atol=1e-6)


def test_a_recipe_for_another_file_says_so(run: Run, jump: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.json"
    run("apply", jump, tmp_path / "a.bvh", "--duration", "2", "--recipe", recipe)
    other = tmp_path / "walk.bvh"
    retime.write(samples.walk(), other)
    _, _, err = run("run", recipe, other, tmp_path / "b.bvh")
    assert "made for another file (jump.bvh)" in err
    _, _, err = run("run", recipe, jump, tmp_path / "c.bvh")
    assert "another file" not in err


def test_a_frame_rate_may_be_given_to_a_file_that_has_none(
    run: Run, jump: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.bvh"
    text = jump.read_text()
    at = text.index("Frame Time:")
    broken.write_text(text[:at] + "Frame Time: 0" + text[text.index("\n", at) :])
    status, _, err = run("info", broken)
    assert status == 2
    assert "--source-fps" in err
    status, out, _ = run("info", broken, "--source-fps", "60", "--json")
    assert (status, json.loads(out)["fps"]) == (0, 60.0)


def test_guided_from_the_command_line(run: Run, jump: Path, tmp_path: Path) -> None:
    out, warp, recipe = (tmp_path / n for n in ("out.bvh", "w.json", "r.json"))
    made = run(
        *("guided", jump, out, "--duration", "2", "--keytime", "0.8=1.4", "--smooth", "--hold"),
        *("--warp", warp, "--recipe", recipe),
    )
    assert made[0] == 0
    assert "by the paper's score (uniform " in made[1] + made[2]
    assert float(retime.read_warp(warp)(0.8)) == 1.4
    again = tmp_path / "again.bvh"
    assert run("run", recipe, jump, again)[0] == 0
    assert again.read_bytes() == out.read_bytes()
    status, listed, _ = run("guided", jump, "--suggest", "--json")
    assert status == 0
    assert json.loads(listed)["suggestions"]
    status, _, err = run("guided", jump, out, "--duration", "0.1")
    assert status == 2
    assert "--duration" in err
    assert run("guided", jump)[0] == 2


def test_contacts_are_listed_edited_and_held(run: Run, tmp_path: Path) -> None:
    walk, listed, out = (tmp_path / n for n in ("walk.bvh", "contacts.json", "out.bvh"))
    retime.write(samples.walk(), walk)
    _, text, _ = run("info", walk, "--json")
    page = json.loads(text)
    page["contacts"] = [c for c in page["contacts"] if c["joint"] == "LeftToe"]
    listed.write_text(json.dumps(page))
    recipe = tmp_path / "r.json"
    status, *_ = run(
        *("apply", walk, out, "--duration", "3", "--contacts", listed, "--recipe", recipe)
    )
    assert status == 0
    kept = json.loads(recipe.read_text())["steps"][0]["parameters"]["contacts"]
    assert {c["joint"] for c in kept} == {"LeftToe"}
    again = tmp_path / "again.bvh"
    assert run("run", recipe, walk, again)[0] == 0
    assert again.read_bytes() == out.read_bytes()
    listed.write_text('[{"joint": "LeftTow", "start": 0, "end": 1}]')
    status, _, err = run("apply", walk, out, "--duration", "3", "--contacts", listed)
    assert status == 2
    assert "did you mean 'LeftToe'" in err


def test_stagger_from_the_command_line(run: Run, jump: Path, tmp_path: Path) -> None:
    status, out, _ = run("stagger", jump, "--list", "--json")
    assert status == 0
    listed = json.loads(out)["poses"]
    times = [row["time_s"] for row in listed]
    assert times == sorted(times)
    assert json.loads(out)["left_out_s"] == []
    few = ",".join(str(t) for t in times[2:-1])
    fewer = json.loads(run("stagger", jump, "--list", "--json", "--keep", few)[1])
    assert fewer["left_out_s"] == pytest.approx([times[1]], abs=1e-6)
    k = len(listed) // 2
    edits = tmp_path / "edits.json"
    edits.write_text(json.dumps([{"do": "turn", "joints": {"Head": [10, 0, 0]}, "poses": [k]}]))
    beside = {n: tmp_path / n for n in ("p.json", "p.png", "s.png", "w.json", "r.json")}
    status, _, err = run(
        "stagger", jump, tmp_path / "out.bvh", "--move", f"{times[k]}:{times[k] + 0.05}",
        "--succession", "RightArm:0.02:1.5", "--exaggerate", "0.2", "--joint", "left_upper_arm",
        "--edits", edits, "--poses", beside["p.json"], "--plot", beside["p.png"],
        "--strip", beside["s.png"], "--warp", beside["w.json"], "--recipe", beside["r.json"],
    )  # fmt: skip
    assert status == 0, err
    assert all(path.stat().st_size > 1000 for n, path in beside.items() if n != "r.json")
    warp = retime.read_warp(beside["w.json"])
    assert float(warp(times[k] + 0.05)) == pytest.approx(times[k], abs=1e-9)
    status, _, _ = run("run", beside["r.json"], jump, tmp_path / "again.bvh")
    assert status == 0
    assert (tmp_path / "again.bvh").read_bytes() == (tmp_path / "out.bvh").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "give an output file"),
        (["out.bvh", "--succession", "RigthArm:0.1:1"], "did you mean 'RightArm'"),
        (
            ["out.bvh", "--succession", "RightArm:0.1"],
            "it takes 3 values, not 2; the form is JOINT:S:POWER",
        ),
        (["out.bvh", "--move", "50:51"], "no pose near 50 s"),
        (["out.bvh", "--keep", "many"], "is not a number"),
        (["out.bvh", "--poses", "p.txt"], ".json or .npz"),
        (["out.bvh", "--plot", "p.gif"], "must end in .png, .svg or .pdf"),
        (["out.bvh", "--edits", "missing.json"], "no such file"),
    ],
)
def test_stagger_refuses_with_a_sentence(
    run: Run, jump: Path, options: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(jump.parent)
    status, _, err = run("stagger", jump, *options)
    assert status == 2
    assert sentence in err
    assert not (jump.parent / "out.bvh").exists()


def test_a_warp_is_made_with_tangents(run: Run, tmp_path: Path) -> None:
    made = []
    for name, more in (("plain", ()), ("bent", ("--rate", "0=0.5"))):
        path = tmp_path / f"{name}.json"
        assert run("warp", "make", path, "--length", "3", "--duration", "4", *more)[0] == 0
        made.append(retime.read_warp(path))
    plain, bent = (float(w.rate(0.01)) for w in made)
    assert plain == pytest.approx(0.75, abs=0.01)
    assert bent == pytest.approx(0.5, abs=0.02)


def test_a_partner_that_starts_elsewhere_is_lined_up(run: Run, jump: Path, tmp_path: Path) -> None:
    late = replace(retime.samples.jump(), start=41.0)
    retime.write(late, tmp_path / "late.npz")
    also = f"{tmp_path / 'late.npz'}={tmp_path / 'along.npz'}"
    status, _, err = run("apply", jump, tmp_path / "out.bvh", "--duration", "2", "--also", also)
    assert status == 0
    assert "their starts were lined up" in err
    along = retime.read(tmp_path / "along.npz")
    assert along.domain == pytest.approx((41.0, 43.0))
    assert np.ptp(along.root_translation, axis=0).max() > 0.3  # it moves


def test_uneven_samples_are_converted_at_their_rate(run: Run, tmp_path: Path) -> None:
    walk = samples.walk(fps=24.0)
    times = np.r_[walk.times[:-1], walk.times[-1] - 0.6 / 24]
    same = retime.TimeWarp.identity(*walk.domain)
    retime.write(retime.apply(walk, same, times=times), tmp_path / "a.npz")
    status, _, err = run("convert", tmp_path / "a.npz", tmp_path / "a.bvh")
    assert status == 0
    assert "written at 24 fps" in err
    assert retime.read(tmp_path / "a.bvh").rate == pytest.approx(24.0)


def test_options_of_reading_are_refused_where_no_motion_is_read(
    run: Run, jump: Path, tmp_path: Path
) -> None:
    warp = tmp_path / "w.json"
    retime.write_warp(retime.TimeWarp([0, 2], [0, 1]), warp)
    status, _, told = run("plot", warp, tmp_path / "w.png", "--scale", "0.01")
    assert status == 2
    assert "--scale is about reading a motion" in told
    roles = tmp_path / "roles.json"
    roles.write_text(json.dumps({"left_foot": "LeftFoot"}))
    status, _, told = run("convert", jump, tmp_path / "o.glb", "--map", roles)
    assert status == 2
    assert "leave --map out" in told
    status, _, told = run("report", tmp_path, "--up", "Z")
    assert status == 2
    assert "--up is about reading a motion" in told


def test_a_remedy_is_named_by_its_option(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bvh"
    retime.write(samples.jump(), bad)
    bad.write_text(re.sub(r"Frame Time:.*", "Frame Time: 0", bad.read_text()))
    _, _, err = run("info", bad)
    assert "give the frame rate (--source-fps)" in err
    retime.write(samples.jump(), bad)
    _, _, err = run("apply", bad, tmp_path / "o.bvh", "--range", "1:2", "--duration", "1.5")
    assert "or shift what follows (--ripple)" in err


def test_a_result_judged_by_another_gravity_says_so(
    run: Run, jump_file: Path, tmp_path: Path
) -> None:
    out, warp = tmp_path / "moon.bvh", tmp_path / "w.json"
    made = run("physics", jump_file, out, "--gravity", "4.9", "--duration", "free", "--warp", warp)
    assert made[0] == 0, made[2]
    check = ["check", out, "--source", jump_file, "--warp", warp, "--physics"]
    status, _, err = run(*check)
    assert status == 0, err
    assert "evaluated with a gravity of 4.9 m/s²" in err  # what its warp was timed for
    status, _, err = run(*check, "--gravity", "9.81")
    assert status == 0, err
    assert "evaluated with a gravity of 9.81 m/s²" in err
    assert "the warp was timed for a gravity of 4.9 m/s²" in err
    assert run("check", out, "--gravity", "4.9")[0] == 2


def test_a_report_shows_where_a_reference_was_followed(
    run: Run, jump: Path, tmp_path: Path
) -> None:
    walk, out, recipe = tmp_path / "walk.bvh", tmp_path / "out.bvh", tmp_path / "r.json"
    retime.write(samples.walk(), walk)
    run("guided", jump, out, "--reference", walk, "--recipe", recipe)
    pages = []
    for more in ([], ["--recipe", recipe]):
        page = tmp_path / f"{len(more)}.html"
        status, _, _ = run("report", out, page, "--source", jump, *more)
        assert status == 0
        pages.append(page.read_text(encoding="utf-8"))
    assert pages[0] != pages[1]
    status, _, told = run("report", out, tmp_path / "x.html", "--recipe", recipe)
    assert status != 0
    assert "--source" in told


# ---- parts, joins, streams


def test_trim_keeps_a_part(run: Run, jump: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.bvh"
    status, told, _ = run("trim", jump, out, "--from", "60f", "--to", "2")
    assert status == 0
    assert "source duration" in told
    source, part = retime.read(jump), retime.read(out)
    assert part.duration == pytest.approx(1.0)
    np.testing.assert_allclose(part.rotations, source.rotations[60:121], atol=1e-6)


def test_join_puts_clips_after_one_another(run: Run, jump: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow.bvh"
    run("convert", jump, slow, "--fps", "30")
    status, _, err = run("join", jump, slow, tmp_path / "both.bvh")
    assert status == 0
    assert "resampled to 60 fps" in err
    assert retime.read(tmp_path / "both.bvh").duration == pytest.approx(6.5 + 1 / 60, abs=0.04)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["trim", "{jump}", "{out}"], "give the part to keep"),
        (["trim", "{jump}", "{out}", "--to", "9"], "0 to 9 s is not a part of the clip"),
        (["trim", "{jump}", "{out}", "--from", "x"], "is not a time"),
        (["join", "{jump}", "{out}"], "two motions or more"),
        (
            ["join", "{jump}", "{chain}", "{out}"],
            "clip 2 differs from clip 1 in its skeleton: it lacks",
        ),
        (["info", "-", "--quiet", "--verbose"], "contradict each other"),
        (["convert", "{jump}", "wav:-"], "no format 'wav'"),
    ],
)
def test_parts_that_make_no_sense_are_a_sentence(
    run: Run, jump: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    chain = tmp_path / "chain.bvh"
    retime.write(samples.chain(), chain)
    places = {"jump": jump, "out": tmp_path / "out.bvh", "chain": chain}
    status, _, err = run(*(a.format(**places) for a in arguments))
    assert status == 2
    assert said in err
    assert not (tmp_path / "out.bvh").exists()


def _piped(data: bytes, *arguments: str) -> tuple[int, bytes, str]:
    command = [sys.executable, "-m", "retime", *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_motion_goes_through_a_pipe(jump: Path, tmp_path: Path) -> None:
    status, out, err = _piped(jump.read_bytes(), "apply", "-", "-", "--duration", "2")
    assert status == 0
    assert "standard output" in err
    (tmp_path / "out.bvh").write_bytes(out)
    assert retime.read(tmp_path / "out.bvh").duration == pytest.approx(2.0)


def test_a_pipe_changes_formats_quietly(jump: Path, tmp_path: Path) -> None:
    status, out, err = _piped(jump.read_bytes(), "convert", "-", "glb:-", "--quiet")
    assert (status, err) == (0, "")
    (tmp_path / "out.glb").write_bytes(out)
    assert len(retime.read(tmp_path / "out.glb").skeleton) == len(retime.read(jump).skeleton)


@pytest.mark.parametrize(
    "data, said",
    [(b"", "standard input is empty"), (b"RIFF....", "has no known format")],
)
def test_what_a_pipe_cannot_hold_is_a_sentence(data: bytes, said: str) -> None:
    status, out, err = _piped(data, "info", "-")
    assert (status, out) == (2, b"")
    assert said in err


def test_an_error_of_a_pipe_names_no_hidden_file(jump: Path) -> None:
    broken = jump.read_bytes().replace(b"MOTION", b"NOTION")
    status, _, err = _piped(broken, "info", "-")
    assert status == 2
    assert err.startswith("retime: stdin.bvh")


def test_quiet_leaves_errors_and_verbose_says_more(run: Run, jump: Path, tmp_path: Path) -> None:
    assert run("convert", jump, tmp_path / "a.npz", "--quiet") == (0, "", "")
    status, out, _ = run("--quiet", "convert", jump, tmp_path / "a.npz", "--json")
    assert json.loads(out)["frames"] == 196
    assert run("--quiet", "info", tmp_path / "missing.bvh")[2].startswith("retime: ")
    status, _, err = run("convert", jump, tmp_path / "a.npz", "--verbose")
    assert status == 0
    assert re.search(r"\d s  read .*jump.bvh as bvh", err)
    status, _, err = run("info", tmp_path / "missing.bvh", "--verbose")
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("retime: ")
    assert "Traceback" not in run("info", tmp_path / "missing.bvh")[2]


def test_a_remedy_names_the_option_as_it_is_declared(run: Run, jump: Path, tmp_path: Path) -> None:
    _, _, told = run("sync", jump, tmp_path / "out.bvh", "--bpm", "120")
    assert "(--moment)" in told


def test_contacts_are_listed_a_part_a_line_with_units(run: Run, jump: Path) -> None:
    status, out, _ = run("contacts", jump)
    assert status == 0
    rows = dict(re.findall(r"(?m)^(\S.*?)  +(.*?) *$", out))
    assert re.fullmatch(r"0\.00-1\.\d\d, 1\.\d\d-3\.25", rows["left toes"])
    assert rows["floor tilt"].endswith("degrees")
    assert rows["floor level"].endswith(" m")


def test_routine_notes_are_printed_where_they_are_asked_for(run: Run, jump: Path) -> None:
    said = "which makes the figure as tall as a person"
    out = jump.with_name("out.bvh")
    assert said in run("info", jump)[2]
    assert said not in run("guided", jump, out, "--duration", "75%")[2]
    assert said in run("guided", jump, out, "--duration", "75%", "--verbose")[2]
    told = json.loads(run("guided", jump, out, "--duration", "75%", "--json")[1])
    assert "unit-inferred" in told["note_codes"]
