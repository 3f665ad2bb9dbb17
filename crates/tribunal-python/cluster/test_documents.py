"""What docs/cluster.md shows does what it says, on Spark, Dask and, where it is installed, Ray."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

TEXT = (Path(__file__).parents[3] / "docs/cluster.md").read_text()
SB = "T0: W x 1; R y 0\nT1: W y 1; R x 0"
MP = "T0: W x 1; W y 1\nT1: R y 1; R x 0"
EXPECTED = {
    ("-", "error"): 500,
    ("sc", "inconsistent"): 500,
    ("tso", "consistent"): 250,
    ("tso", "inconsistent"): 250,
}


@pytest.fixture(autouse=True)
def histories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `histories` of Parquet, where the documents have theirs."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("histories")
    rows = pd.DataFrame({"id": range(1000), "history": [SB, MP, "T0: W x", None] * 250})
    rows[:600].to_parquet("histories/0.parquet", compression="zstd")
    rows[600:].to_parquet("histories/1.parquet", compression="zstd")


def block(word: str) -> str:
    [found] = [block for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if word in block]
    return found


def written() -> dict[tuple[str, str], int]:
    verdicts = pd.read_parquet("verdicts").fillna({"model": "-"})
    assert not verdicts.duplicated(["id", "model"]).any()
    return verdicts.groupby(["model", "verdict"], observed=True).size().to_dict()


def test_spark(cluster: Callable[[int], SparkSession]) -> None:
    cluster(2)
    shown: dict[str, Any] = {}
    exec(block("partitionBy"), shown)
    assert written() == EXPECTED
    exec(block("Progress(spark)"), shown)
    assert shown["verdicts"].count() == 1000
    assert shown["progress"].histories == 1000
    assert shown["progress"].verdicts == {"error": 500, "inconsistent": 500}


def test_dask() -> None:
    exec(block("dask"), {})
    assert written() == EXPECTED


def test_ray() -> None:
    pytest.importorskip("ray")
    exec(block("ray"), {})
    assert written() == EXPECTED


def test_types() -> None:
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-m", "tribunal.spark"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
