"""A million histories: the command's counts, also if an executor is lost, and what a second executor is worth."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.dataset as ds
from conftest import HISTORIES, MODELS
from pyspark.sql import SparkSession

import tribunal.spark

Cluster = Callable[[int], SparkSession]


def run(spark: SparkSession, histories: Path, output: Path, progress: tribunal.spark.Progress) -> float:
    """Checks all, writes the verdicts, and gives the seconds that took."""
    start = time.monotonic()
    df = spark.read.parquet(str(histories))
    checked = tribunal.spark.check(df, "history", MODELS, keep=["id"], progress=progress)
    checked.write.partitionBy("verdict").parquet(str(output))
    return time.monotonic() - start


def written(output: Path) -> Counter[tuple[str, str]]:
    """How many verdicts of each kind were written, by model; each id must be there once a model."""
    table = ds.dataset(output, partitioning="hive").to_table()
    assert table.num_rows == HISTORIES * len(MODELS)
    for model in MODELS:
        ids = table.filter(pc.equal(table["model"], model))["id"]
        assert len(ids) == HISTORIES == pc.count_distinct(ids).as_py()
        assert (pc.min(ids).as_py(), pc.max(ids).as_py()) == (0, HISTORIES - 1)
    counts = table.group_by(["model", "verdict"]).aggregate([([], "count_all")]).to_pylist()
    return Counter({(row["model"], row["verdict"]): row["count_all"] for row in counts})


def executors(spark: SparkSession) -> list[int]:
    """The processes of this session's executors."""
    application, found = spark.sparkContext.applicationId, []
    for process in Path("/proc").iterdir():
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if application.encode() in arguments and any(b"CoarseGrainedExecutorBackend" in word for word in arguments):
            found.append(int(process.name))
    return found


def test_counts_are_the_command_s_and_two_executors_beat_one(
    cluster: Cluster, histories: Path, expected: Counter[tuple[str, str]], tmp_path: Path
) -> None:
    seconds = {}
    for number in (1, 2):
        spark = cluster(number)
        progress = tribunal.spark.Progress(spark)
        # Processes start once: that is not what is measured.
        spark.range(2 * number).repartition(2 * number).mapInArrow(lambda batches: batches, "id long").count()
        seconds[number] = run(spark, histories, tmp_path / str(number), progress)
        assert written(tmp_path / str(number)) == expected
        assert progress.histories == HISTORIES
        assert progress.verdicts == dict(sum_by_verdict(expected))
        spark.stop()
    print(f"\n{HISTORIES} histories under {' and '.join(MODELS)}: ", end="")
    print(f"{seconds[1]:.1f} s on one executor, {seconds[2]:.1f} s on two: {seconds[1] / seconds[2]:.2f} times as fast")


def sum_by_verdict(counts: Counter[tuple[str, str]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for (_, verdict), count in counts.items():
        sums[verdict] += count
    return sums


def test_a_killed_executor_loses_nothing_and_repeats_nothing(
    cluster: Cluster, histories: Path, expected: Counter[tuple[str, str]], tmp_path: Path
) -> None:
    spark = cluster(2)
    progress = tribunal.spark.Progress(spark)
    killed: list[tuple[int, int]] = []
    over = threading.Event()

    def kill_one() -> None:
        while not over.wait(0.1):
            if progress.histories >= HISTORIES // 2:
                killed.append((executors(spark)[0], progress.histories))
                os.kill(killed[0][0], signal.SIGKILL)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        run(spark, histories, tmp_path / "verdicts", progress)
    finally:
        over.set()
        killer.join()
    assert len(killed) == 1, "an executor was to be killed half-way"
    assert killed[0][1] < HISTORIES, "there was work left"
    print(f"\nkilled executor process {killed[0][0]} after {killed[0][1]} of {HISTORIES} histories; then {progress}")
    assert written(tmp_path / "verdicts") == expected
