"""The page and the tables of a batch."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from test_batch_runs import Here

from batch_running import make_library, rows
from retime import Recipe, Step
from retime.batch.gate import Gate, Limit
from retime.batch.report import report_batch
from retime.batch.run import Batch, run_batch
from retime.batch.table import write_csv, write_parquet


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reported")
    make_library(folder / "library", bad=True)
    gate = Gate({"foot_skate": Limit(most=0.02), "rate_change": Limit(most=9)})
    batch = Batch(
        recipe=Recipe([Step("spline")]), library=folder / "library", out=folder / "<out>",
        vary=("duration=0.8..1.25",), gate=gate,
    )  # fmt: skip
    summary = run_batch(batch, Here())
    assert min(summary.accepted, summary.rejected) > 0
    return batch.out


def test_a_batch_gets_a_page_that_needs_no_other_file(run: Any, out: Path) -> None:
    status, said, _ = run("report", out, "--json")
    assert status == 0
    told = json.loads(said)
    assert (told["results"], told["failed"]) == (6, 1)
    text = (out / "report.html").read_text()
    for heading in ("Gate", "Distributions", "Worst offenders", "Rejected", "Failed"):
        assert f"<h2>{heading}</h2>" in text
    assert "&lt;out&gt;" in text
    found = rows(out)
    for row in found.values():
        shown = [*row.reasons, row.error.partition(":")[2]]
        assert all(reason in text for reason in shown)
    rejected = [r for r in found.values() if r.verdict == "rejected"]
    drawn = re.findall(r'alt="Film strip of ([^"]*)"', text)
    assert sorted(drawn) == sorted(r.name for r in rejected)
    skate = [(found[n].measures or {})["foot_skate"] for n in drawn]
    assert skate == sorted(skate, reverse=True)  # the worst comes first
    assert all(s.startswith("data:") for s in re.findall(r'src="([^"]{0,40})', text))
    assert "<script" not in text


def test_the_table_holds_every_result_and_measure(out: Path, tmp_path: Path) -> None:
    found = rows(out)
    write_csv(list(found.values()), tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        table = {record["name"]: record for record in csv.DictReader(file)}
    assert set(table) == set(found)
    for name, row in found.items():
        for measure, value in (row.measures or {}).items():
            assert float(table[name][measure]) == value
        assert table[name]["verdict"] == row.verdict
        assert table[name]["vary duration"] == str((row.varied or {})["duration"])


def test_a_parquet_table_where_pyarrow_is_there(out: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    assert write_parquet(list(rows(out).values()), tmp_path / "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet")
    assert table.num_rows == 6
    assert str(table.schema.field("foot_skate").type) == "double"


def test_what_is_no_batch_gets_a_sentence(run: Any, tmp_path: Path, out: Path) -> None:
    for arguments, said in (
        ((tmp_path,), "no manifest"),
        ((out, tmp_path / "page.txt"), ".html"),
        ((out / "manifest.sqlite",), "give the page to write"),
    ):
        status, _, err = run("report", *arguments)
        assert (status, said in err) == (2, True), err


def test_a_page_without_results_that_are_gone_and_without_pyarrow(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    shutil.rmtree(copy / "rejected")
    told = report_batch(copy, tmp_path / "page.html")
    assert told["rejected"] > 0
    assert told["notes"] == ["no Parquet table: pyarrow is not installed"]
    assert "Film strip" not in (tmp_path / "page.html").read_text()
    assert (tmp_path / "page.csv").exists()
