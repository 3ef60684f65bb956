"""Parameters by clip, results made again by verdict, gates of the documentation, TLS."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retime
from batch_running import cluster, rows, run_batch_command, write_spline
from retime import Evaluator, FormatError, InputError, Job, Recipe, Step, samples
from retime.batch.backends import Tls, open_backend
from retime.batch.clip_table import read_clip_table
from retime.batch.gate import read_gate
from retime.body.measure.metrics import measure

DOCS = Path(__file__).parents[2] / "docs" / "batches.md"
SPLINE = Recipe([Step("spline"), Step("hold")])
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    (folder / "walks").mkdir(parents=True)
    for name in ("jump", "walks/walk", "swing"):
        make = getattr(samples, Path(name).stem)
        retime.write(make(fps=24.0), folder / f"{name}.bvh")
    return folder


def test_clips_get_their_own_parameters(run: Run, library: Path, tmp_path: Path) -> None:
    table = tmp_path / "clips.csv"
    table.write_text("clip,duration\nwalks/walk.bvh,2.0\njump,50%\nswing.bvh,\n")
    recipe = write_spline(tmp_path / "recipe.json")
    out = tmp_path / "out"
    status, _, err = run("batch", recipe, library, out, "--table", table, "--jobs", "1")
    assert (status, err) == (0, "")
    made = {p.stem: retime.read(p) for p in (out / "accepted").rglob("*.bvh")}
    assert made["walk"].duration == pytest.approx(2.0, abs=0.03)
    assert made["jump"].duration == pytest.approx(samples.jump().duration / 2, abs=0.03)
    assert made["swing"].duration == pytest.approx(samples.swing().duration, abs=0.05)
    known = rows(out)
    assert known["jump.bvh"].varied == {"duration": "50%"}
    # Another value in the table makes that clip again, and no other.
    table.write_text("clip,duration\nwalks/walk.bvh,2.0\njump,60%\n")
    run("batch", recipe, library, out, "--table", table, "--jobs", "1", "--resume")
    again = rows(out)
    assert again["jump.bvh"].sha256 != known["jump.bvh"].sha256
    assert again["walks/walk.bvh"] == known["walks/walk.bvh"]


def test_a_toml_table_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "clips.toml"
    path.write_text(
        '["a/walk.bvh"]\nspline.duration = "80%"\n1.loop = true\n[jump]\nduration = 2.5\n'
    )
    table = read_clip_table(path, SPLINE)
    cells = {c.column: (c.step, c.parameter, c.value) for c in table.of("a/walk.bvh")}
    assert cells == {"spline.duration": (0, "duration", "80%"), "1.loop": (0, "loop", True)}
    assert table.of("deep/jump.bvh")[0].value == 2.5
    assert table.of("other.bvh") == ()


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("a.csv", "file,duration\n", "one of them is 'clip'"),
        ("a.csv", "clip,duration\nwalk,2,3\n", "a.csv:2: 3 cells in place of 2"),
        ("a.csv", "clip,duration\nwalk,2\nwalk,3\n", "a.csv:3: 'walk' occurs twice"),
        ("a.csv", "clip,duration\n,3\n", "no clip is named"),
        ("a.csv", "clip,clip\n", "a column occurs twice"),
        ("a.csv", "clip,size\nwalk,3\n", "walk: no step has a parameter 'size'"),
        ("a.csv", "clip,guided.cost\nwalk,3\n", "no step 'guided'"),
        ("a.csv", "clip,duration\nwalk,soon\n", "is not a time"),
        ("a.toml", "walk = 3\n", "each clip is a table"),
        ("a.toml", "[walk\n", "not valid TOML"),
    ],
)
def test_wrong_tables_are_a_sentence(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=said):
        read_clip_table(tmp_path / name, SPLINE)


def test_a_table_of_other_clips_is_refused(run: Run, library: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("clip,duration\nwalkk.bvh,2\n")
    recipe = write_spline(tmp_path / "recipe.json")
    status, _, err = run("batch", recipe, library, tmp_path / "out", "--table", tmp_path / "t.csv")
    assert status == 2
    assert "the library has no clip walkk.bvh" in err
    assert not (tmp_path / "out").exists()


def test_only_rejected_results_are_made_again(run: Run, library: Path, tmp_path: Path) -> None:
    recipe, out = write_spline(tmp_path / "recipe.json"), tmp_path / "out"
    gate = tmp_path / "gate.toml"
    gate.write_text("[gate]\nflight_seconds = {max = 0.1}\n")  # jumps and runs fly
    common = [recipe, library, out, "--gate", gate, "--jobs", "1"]
    status, _, err = run("batch", *common, "--only", "rejected")
    assert (status, "contains no batch" in err) == (2, True)
    run("batch", *common)
    before = rows(out)
    assert {n for n, r in before.items() if r.verdict == "rejected"} == {"jump.bvh"}
    retime.write_recipe(Recipe([Step("spline", {"duration": "50%"})]), tmp_path / "half.json")
    gate.write_text("[gate]\nflight_seconds = {max = 3}\n")
    again = [tmp_path / "half.json", library, out, "--gate", gate, "--jobs", "1"]
    status, _, _ = run("batch", *again, "--only", "rejected")
    assert status == 0
    after = rows(out)
    assert after["jump.bvh"].verdict == "accepted"
    assert after["jump.bvh"].sha256 != before["jump.bvh"].sha256
    for other in ("swing.bvh", "walks/walk.bvh"):
        assert after[other] == before[other]
    status, _, err = run("batch", *again, "--only", "bad")
    assert (status, "--only is 'bad'; it can be 'accepted', 'rejected'" in err) == (2, True)


def test_the_documented_gate_accepts_ordinary_results(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL)
    gates = [b for b in blocks if "[gate]" in tomllib.loads(b) or "gate" in tomllib.loads(b)]
    (tmp_path / "gate.toml").write_text(gates[0])
    gate = read_gate(tmp_path / "gate.toml")
    for name in ("walk", "jump", "run", "swing", "punches"):
        clip = getattr(samples, name)(fps=30)
        for factor in ("80%", "125%"):
            for hold in ([], [Step("hold")]):
                recipe = Recipe([Step("spline", {"duration": factor}), *hold])
                done = Evaluator().evaluate(Job(source=clip, recipe=recipe))
                found = measure(done.motion, source=clip, warp=done.warp)
                assert gate.reasons(found) == (), (name, factor)


# ---- TLS


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*arguments: Any) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    try:
        for name in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                    f"/CN={name}", "-keyout", folder / f"{name}.key",
                    "-out", folder / f"{name}.pem")  # fmt: skip
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                "-keyout", folder / "key.pem", "-out", folder / "own.csr")  # fmt: skip
        openssl("x509", "-req", "-in", folder / "own.csr", "-CA", folder / "ca.pem", "-CAkey",
                folder / "ca.key", "-CAcreateserial", "-days", "2",
                "-out", folder / "cert.pem")  # fmt: skip
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return {n: str(folder / f"{n}.pem") for n in ("ca", "cert", "key", "other")}


def test_a_cluster_with_tls_works_and_refuses_strangers(
    certificates: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    library, recipe = tmp_path / "library", write_spline(tmp_path / "recipe.json")
    library.mkdir()
    retime.write(samples.swing(fps=24.0), library / "swing.bvh")
    keys = certificates
    files = ["--tls-ca-file", keys["ca"], "--tls-cert", keys["cert"], "--tls-key", keys["key"]]
    own = ["--tls-ca", keys["ca"], "--tls-cert", keys["cert"], "--tls-key", keys["key"]]
    with cluster(tmp_path, tls=files) as made:
        made.add_worker()
        made.await_workers()
        backend = f"dask://{made.address}"
        stranger = Tls(keys["other"], keys["cert"], keys["key"])
        with pytest.raises(InputError, match="no Dask scheduler found"):
            open_backend(backend, None, stranger)
        status, lines, err = run_batch_command(
            recipe, library, tmp_path / "out", "--backend", backend, *own
        )
    assert status == 0, err
    assert lines[-1]["accepted"] == 1


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--tls-ca", "{ca}"], "TLS needs three files, and --tls-cert is missing"),
        (["--tls-ca", "gone", "--tls-cert", "{ca}", "--tls-key", "{ca}"], "there is no file gone"),
        (["--tls-ca", "{ca}", "--tls-cert", "{ca}", "--tls-key", "{ca}"], "TLS is for a cluster"),
    ],
)
def test_wrong_tls_is_a_sentence(
    run: Run, library: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    recipe = write_spline(tmp_path / "recipe.json")
    given = [a.format(ca=recipe) for a in arguments]
    status, _, err = run("batch", recipe, library, tmp_path / "out", *given)
    assert status == 2
    assert said in err
