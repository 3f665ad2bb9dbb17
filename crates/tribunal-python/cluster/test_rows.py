"""Rows that are wrong become rows, and mistakes in the call are errors at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

import tribunal.spark

Cluster = Callable[[int], SparkSession]

SB = "T0: W x 1; R y 0\nT1: W y 1; R x 0"


def writes(number: int) -> str:
    """Writes of 100 threads, so many each, to one location."""
    of = lambda thread: "; ".join(f"W x {thread * number + n + 1}" for n in range(number))  # noqa: E731
    return "\n".join(f"T{thread}: {of(thread)}" for thread in range(100))


def verdicts(df, *models: str, **options):  # type: ignore[no-untyped-def]
    rows = tribunal.spark.check(df, "history", list(models), keep=["id"], **options).collect()
    return {(row.id, row.model): row for row in rows}


def test_rows(cluster: Cluster) -> None:
    spark = cluster(2)
    rows = [(1, SB), (2, None), (3, "T0: W x"), (4, ""), (5, writes(10000)), (6, "T0: W größe 1; R größe 1"), (7, writes(300))]
    df = spark.createDataFrame(rows, "id long, history string").repartition(3)
    progress = tribunal.spark.Progress(spark)
    got = verdicts(df, "sc", "tso", progress=progress)
    assert {key: row.verdict for key, row in got.items()} == {
        (1, "sc"): "inconsistent", (1, "tso"): "consistent",
        (2, None): "error", (3, None): "error", (4, None): "error",
        (5, "sc"): "consistent", (5, "tso"): "consistent",
        (6, "sc"): "consistent", (6, "tso"): "consistent",
        (7, "sc"): "consistent", (7, "tso"): "consistent",
    }  # fmt: skip
    assert "null" in got[2, None].reason
    assert "expected the value written" in got[3, None].reason
    assert "no history" in got[4, None].reason
    assert progress.histories == len(rows)
    assert progress.verdicts == {"consistent": 7, "error": 3, "inconsistent": 1}

    # Over the limits: said with the reason, and the others are not harmed.
    got = verdicts(df, "sc", max_memory=1 << 20)
    assert (got[1, "sc"].verdict, got[6, "sc"].verdict) == ("inconsistent", "consistent")
    assert got[5, None].verdict == "error" and "the history takes more than" in got[5, None].reason
    assert got[7, "sc"].verdict == "undecided" and "memory" in got[7, "sc"].reason

    # Bytes, certificates, no rows, and no columns but the answer's.
    certificates = verdicts(df.selectExpr("id", "cast(history as binary) history"), "sc", certificates=True)
    assert certificates[1, "sc"].certificate.startswith("{")
    assert tribunal.spark.check(df.where("id < 0"), "history", "sc").count() == 0
    assert tribunal.spark.check(df, "history", "sc").columns == ["model", "verdict", "engine", "micros", "reason"]


def test_mistakes(cluster: Cluster) -> None:
    spark = cluster(1)
    df = spark.createDataFrame([(1, SB, "m")], "id long, history string, model string")
    for wrong, message in [
        (lambda: tribunal.spark.check(df, "histories", "sc"), "there is no column `histories`"),
        (lambda: tribunal.spark.check(df, "id", "sc"), "`id` is bigint"),
        (lambda: tribunal.spark.check(df, "history", "sc", keep=["model"]), "rename the one to keep"),
        (lambda: tribunal.spark.check(df, "history", "scc"), "scc"),
        (lambda: tribunal.spark.check(df, "history", []), "an empty list"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
