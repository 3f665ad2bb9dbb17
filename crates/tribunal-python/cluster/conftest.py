"""What the tests on a cluster share: histories, what the command says of them, and clusters of one and of two executors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

MODELS = ["sc", "tso"]
HISTORIES = int(os.environ.get("TRIBUNAL_HISTORIES", "1000000"))


def command(*arguments: str | Path) -> list[str]:
    return [os.environ.get("TRIBUNAL", "tribunal"), *map(str, arguments)]


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """JSON Lines of a machine with store buffers that also reorder them: some are sc, some are tso, some are neither."""
    lines = tmp_path_factory.mktemp("generated") / "histories.jsonl"
    options = "generate machine --machine pso --threads 3 --locations 3 --events 16 --to json --seed 1"
    subprocess.run(command(*options.split(), "--histories", str(HISTORIES), "--output", lines), check=True)
    return lines


@pytest.fixture(scope="session")
def expected(generated: Path) -> Counter[tuple[str, str]]:
    """How many verdicts of each kind the command gives, by model."""
    counts: Counter[tuple[str, str]] = Counter()
    check = command("check", "--style", "json", "--model", ",".join(MODELS), generated)
    with subprocess.Popen(check, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        for line in running.stdout:
            answer = json.loads(line)
            counts[answer["model"], answer["verdict"]] += 1
    assert counts.total() == HISTORIES * len(MODELS)
    return counts


@pytest.fixture(scope="session")
def histories(generated: Path) -> Path:
    """The same as Parquet, each history with an id, in files enough for many tasks."""
    folder = generated.parent / "histories"
    folder.mkdir()
    batch, files, at = [], 0, 0
    with generated.open() as lines:
        for line in lines:
            batch.append(line)
            if len(batch) == max(1, HISTORIES // 40):
                write(folder / f"{files:03}.parquet", at, batch)
                at, files, batch = at + len(batch), files + 1, []
    if batch:
        write(folder / f"{files:03}.parquet", at, batch)
    return folder


def write(file: Path, first: int, batch: list[str]) -> None:
    ids = pa.array(range(first, first + len(batch)), pa.int64())
    pq.write_table(pa.table({"id": ids, "history": pa.array(batch)}), file, compression="zstd")


@pytest.fixture
def cluster() -> Iterator[Callable[[int], SparkSession]]:
    """Clusters of so many executors with a core each, which are processes of their own."""
    sessions: list[SparkSession] = []

    def start(executors: int) -> SparkSession:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master(f"local-cluster[{executors},1,1024]").appName("tribunal tests")
        builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
        # One file a task: otherwise Spark packs small files together.
        builder = builder.config("spark.sql.files.openCostInBytes", str(128 << 20))
        # Snappy, the default, does not load where a musl is installed beside glibc.
        builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
        sessions.append(builder.getOrCreate())
        return sessions[-1]

    yield start
    for session in sessions:
        session.stop()
