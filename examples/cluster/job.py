"""Checks a folder of histories on Spark, and writes the verdicts as Parquet, partitioned by verdict.

    spark-submit job.py --models sc,tso histories/ verdicts/
"""

from __future__ import annotations

import argparse
import sys
import threading

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, functions as F

import tribunal.spark

EXPLANATION = """\
formats of INPUT, by --format:
  lines     each line is a history in JSON (also .gz, which Spark cannot split: see --partitions)
  files     each file is one history, in any format
  parquet   a column of Parquet files, named by --column
  json      a key of JSON Lines, named by --column

The exit status is 0 whatever the verdicts are; errors in histories are rows with the verdict `error`."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=EXPLANATION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", metavar="INPUT", help="a file or folder, also hdfs:// or s3a://")
    parser.add_argument("output", metavar="OUTPUT", help="the folder to write, which must not exist")
    parser.add_argument("--models", required=True, help="models or criteria, separated by commas")
    parser.add_argument("--format", choices=["lines", "files", "parquet", "json"], default="lines")
    parser.add_argument("--column", default="history", help="of parquet and json: where the history is")
    parser.add_argument("--keep", default="", help="columns to keep, separated by commas; `history` or --column keeps the history")
    parser.add_argument("--timeout", type=float, help="seconds for each history and model")
    parser.add_argument("--max-memory", type=int, help="bytes for each task")
    parser.add_argument("--spec", help="the specification of histories of objects that do not name theirs")
    parser.add_argument("--certificates", action="store_true", help="also write certificates, as JSON")
    parser.add_argument("--partitions", type=int, help="spread the histories over so many tasks first")
    return parser.parse_args()


def read(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    """The histories, each with the file that it is from."""
    if given.format in ("lines", "files"):
        text = spark.read.text(given.input, wholetext=given.format == "files")
        histories = text.withColumnRenamed("value", given.column)
    else:
        histories = spark.read.format(given.format).load(given.input)
    histories = histories.withColumn("file", F.col("_metadata.file_path"))
    return histories.repartition(given.partitions) if given.partitions else histories


def report(progress: tribunal.spark.Progress, done: threading.Event) -> None:
    """Says every ten seconds how far the job is."""
    while not done.wait(10):
        print(f"{progress.histories} histories: {progress.verdicts}", file=sys.stderr)


def main() -> None:
    given = arguments()
    spark = SparkSession.builder.appName("tribunal").getOrCreate()
    progress = tribunal.spark.Progress(spark)
    verdicts = tribunal.spark.check(
        read(spark, given),
        given.column,
        given.models.split(","),
        keep=["file", *filter(None, given.keep.split(","))],
        timeout=given.timeout,
        max_memory=given.max_memory,
        spec=given.spec,
        certificates=given.certificates,
        progress=progress,
    )
    done = threading.Event()
    threading.Thread(target=report, args=(progress, done), daemon=True).start()
    try:
        verdicts.write.partitionBy("verdict").parquet(given.output)
    finally:
        done.set()

    # From what was written: progress may count work that was done again, and nothing is checked twice.
    written = spark.read.parquet(given.output)
    summary = written.groupBy("model", "verdict").agg(
        F.count("*").alias("histories"),
        F.round(F.avg("micros"), 1).alias("mean_micros"),
        F.max("micros").alias("most_micros"),
    )
    summary.orderBy("model", "verdict").show(1000, truncate=False)
    spark.stop()


if __name__ == "__main__":
    try:
        main()
    except (AnalysisException, ValueError) as error:
        sys.exit(f"error: {error}")
