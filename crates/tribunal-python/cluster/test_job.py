"""The job of examples/cluster, and the ways in which its README ships the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from conftest import command

ROOT = Path(__file__).parents[3]
JOB = ROOT / "examples/cluster/job.py"


def submit(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # Spark's script looks for Python on the path.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # Snappy, the default, does not load where a musl is installed beside glibc.
    options = ["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.parquet.compression.codec=zstd"]
    spark = ["spark-submit", *options, *map(str, arguments)]
    return subprocess.run(spark, env=os.environ | {"PATH": path} | environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of 500 histories, the second with a line that is none."""
    folder = tmp_path_factory.mktemp("lines")
    for seed in (1, 1000):
        options = f"generate machine --machine pso --threads 3 --events 16 --to json --histories 500 --seed {seed}"
        subprocess.run(command(*options.split(), "--output", folder / f"{seed}.jsonl"), check=True)
    with (folder / "1000.jsonl").open("a") as file:
        file.write("{\n")
    return folder


def rows(output: Path) -> int:
    table = ds.dataset(output, partitioning="hive").to_table()
    assert "error" in table["verdict"].to_pylist()
    return table.num_rows


def test_lines_on_this_machine(lines: Path, tmp_path: Path) -> None:
    output = tmp_path / "verdicts"
    job = ["--master", "local[2]", JOB, "--models", "sc,tso", lines, output]
    ran = submit(*job, PYSPARK_PYTHON=sys.executable)
    assert ran.returncode == 0, ran.stderr
    assert rows(output) == 2 * 1000 + 1
    assert sorted(path.name for path in output.glob("verdict=*")) == [
        "verdict=consistent", "verdict=error", "verdict=inconsistent",
    ]  # fmt: skip
    assert "|sc   |inconsistent|" in ran.stdout
    # What was written once is not written over.
    again = submit(*job, PYSPARK_PYTHON=sys.executable)
    assert again.returncode != 0 and "already exists" in again.stdout + again.stderr
    assert rows(output) == 2 * 1000 + 1


def test_parquet_and_files(lines: Path, tmp_path: Path) -> None:
    kept, files = tmp_path / "kept", tmp_path / "files"
    options = ["--master", "local[2]", JOB, "--models", "tso"]
    ran = submit(*options, "--keep", "history", lines, kept, PYSPARK_PYTHON=sys.executable)
    assert ran.returncode == 0, ran.stderr
    again = submit(*options, "--format", "parquet", kept, tmp_path / "again", PYSPARK_PYTHON=sys.executable)
    assert again.returncode == 0, again.stderr
    assert rows(tmp_path / "again") == 1001
    files.mkdir()
    (files / "sb.txt").write_text("T0: W x 1; R y 0\nT1: W y 1; R x 0\n")
    (files / "bad.txt").write_text("T0: W x\n")
    ran = submit(*options, "--format", "files", files, tmp_path / "of-files", PYSPARK_PYTHON=sys.executable)
    assert ran.returncode == 0, ran.stderr
    assert rows(tmp_path / "of-files") == 2


def packages() -> list[str]:
    """What executors need beside Spark's own part of Python, which comes with Spark."""
    listed = subprocess.run([sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line.split("==")[0] in ("pyarrow", "pandas", "numpy")]


def bare(folder: Path, *further: str) -> Path:
    """An environment with what executors need, and no tribunal."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages(), *further], check=True)
    return python


def test_a_packed_environment_is_shipped(lines: Path, tmp_path: Path) -> None:
    wheel = os.environ["TRIBUNAL_WHEEL"]
    bare(tmp_path / "environment", wheel)
    pack = [Path(sys.executable).parent / "venv-pack", "--quiet", "--prefix", tmp_path / "environment"]
    subprocess.run([*pack, "--output", tmp_path / "environment.tar.gz"], check=True)
    shutil.rmtree(tmp_path / "environment")
    ran = submit(
        "--master", "local-cluster[2,1,1024]", "--archives", f"{tmp_path}/environment.tar.gz#environment",
        JOB, "--models", "sc", lines, tmp_path / "verdicts",
        PYSPARK_PYTHON="./environment/bin/python", PYSPARK_DRIVER_PYTHON=sys.executable,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert rows(tmp_path / "verdicts") == 1001


def test_the_wheel_is_shipped_alone(lines: Path, tmp_path: Path) -> None:
    python = bare(tmp_path / "environment")
    shutil.copy(os.environ["TRIBUNAL_WHEEL"], tmp_path / "tribunal.zip")
    ran = submit(
        "--master", "local-cluster[2,1,1024]", "--archives", f"{tmp_path}/tribunal.zip#packages",
        "--conf", "spark.executorEnv.PYTHONPATH=packages", JOB, "--models", "sc", lines, tmp_path / "verdicts",
        PYSPARK_PYTHON=str(python), PYSPARK_DRIVER_PYTHON=sys.executable,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert rows(tmp_path / "verdicts") == 1001
