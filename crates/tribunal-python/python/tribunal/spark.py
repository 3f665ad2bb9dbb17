"""Checking histories on Spark.

:func:`check` applies :func:`tribunal.check_batches` to DataFrames. It is lazy, like everything in Spark: nothing is
checked before something is written, counted or shown. It needs ``pyspark`` 4.0 or later and ``pyarrow``, and the package
``tribunal`` on the driver and on every executor.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import SparkContext
from pyspark.accumulators import AccumulatorParam
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    BinaryType,
    LongType,
    StringType,
    StructField,
    StructType,
)

import tribunal

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator

__all__ = ["Progress", "check"]

_ANSWER = (
    StructField("model", StringType()),
    StructField("verdict", StringType(), nullable=False),
    StructField("engine", StringType()),
    StructField("micros", LongType()),
    StructField("reason", StringType()),
)
_CERTIFICATE = StructField("certificate", StringType())


class _Counts(AccumulatorParam["Counter[str]"]):
    """Counters that are added up key by key."""

    def zero(self, value: Counter[str]) -> Counter[str]:
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:
        value1.update(value2)
        return value1


class Progress:
    """The progress of a job, read on the driver while it runs.

    The counts grow whenever a task ends. They are accumulators, which count work rather than rows: a task that runs
    again because an executor was lost, or twice by speculation, may be counted again, and so is a DataFrame
    that is computed twice. The rows of the DataFrame are always right; count those for a result.

    >>> progress = Progress(spark)                                     # doctest: +SKIP
    >>> check(df, "history", ["sc"], progress=progress).write.parquet("verdicts")   # doctest: +SKIP
    >>> progress.histories, progress.verdicts                          # doctest: +SKIP
    (1000000, {'consistent': 612044, 'inconsistent': 387956})
    """

    def __init__(self, spark: SparkSession | None = None) -> None:
        """Counts in this session, or in the active one. Spark Connect has no accumulators."""
        context = SparkContext.getOrCreate() if spark is None else spark.sparkContext
        self._histories: Accumulator[int] = context.accumulator(0)
        self._verdicts: Accumulator[Counter[str]] = context.accumulator(Counter(), _Counts())

    @property
    def histories(self) -> int:
        """The number of histories checked."""
        return self._histories.value

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of rows for each verdict."""
        return dict(sorted(self._verdicts.value.items()))

    def _read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self._histories.add(batch.num_rows)
            yield batch

    def _answered(self, answers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in answers:
            self._verdicts.add(Counter(map(str, batch["verdict"].to_pylist())))
            yield batch

    def __repr__(self) -> str:
        return f"Progress(histories={self.histories}, verdicts={self.verdicts})"


def _share() -> int:
    """Each core's share of three quarters of this machine's memory: an executor that takes too much is killed."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 * 3 // (os.cpu_count() or 1)


def check(
    df: DataFrame,
    column: str,
    models: str | Sequence[str] | None = None,
    *,
    keep: Iterable[str] = (),
    certificates: bool = False,
    spec: str | None = None,
    engine: str | None = None,
    timeout: float | None = 10.0,
    max_memory: int | None = None,
    max_states: int | None = None,
    format: str | None = None,
    progress: Progress | None = None,
) -> DataFrame:
    """Checks the histories in a column, and returns one row per history and model.

    The rows have the columns ``keep`` of the input, then ``model``, ``verdict`` (``consistent``, ``inconsistent``,
    ``undecided``, ``unsupported`` or ``error``), ``engine``, ``micros``, ``reason`` and, with ``certificates``,
    ``certificate``. A null or malformed history is a single row with the verdict ``error`` and no model; one that exceeds the
    limits is a row with the verdict ``undecided``. ``reason`` says why. No history fails a job.

    :param column: the histories, text or bytes, one in each row, in any format that :func:`tribunal.check` takes
    :param models: names of models, of criteria for histories of objects, or paths of ``.cat`` files, which every executor must have;
        default: all that apply
    :param keep: columns to keep, such as an id; without them rows cannot be matched with the input
    :param certificates: whether to include witnesses and violations, as JSON
    :param spec: the specification of histories of objects that do not name theirs
    :param engine: the engine to use, instead of the default
    :param timeout: seconds for each history and model; None: no limit
    :param max_memory: bytes for each; default: three quarters of the executor's machine, divided by its cores
    :param max_states: search states for each
    :param format: the format of the histories; default: recognized for each
    :param progress: counts the work while it is done

    A task checks with a single thread, since Spark runs as many tasks as there are cores.

    :raises ValueError: at once, if there is no such column, model or specification

    >>> from pyspark.sql import SparkSession                           # doctest: +SKIP
    >>> spark = SparkSession.builder.getOrCreate()                     # doctest: +SKIP
    >>> df = spark.createDataFrame([(7, "T0: W x 1; R y 0\\nT1: W y 1; R x 0")], ["id", "history"])   # doctest: +SKIP
    >>> check(df, "history", ["sc", "tso"], keep=["id"]).select("id", "model", "verdict").show()       # doctest: +SKIP
    +---+-----+------------+
    | id|model|     verdict|
    +---+-----+------------+
    |  7|   sc|inconsistent|
    |  7|  tso|  consistent|
    +---+-----+------------+
    """
    kept = list(dict.fromkeys(keep))
    fields = {field.name: field for field in df.schema.fields}
    for name in (column, *kept):
        if name not in fields:
            raise ValueError(f"there is no column `{name}`: there are {', '.join(df.columns)}")
    if not isinstance(fields[column].dataType, (StringType, BinaryType)):
        raise ValueError(f"histories are text or bytes: `{column}` is {fields[column].dataType.simpleString()}")
    answer = [*_ANSWER, _CERTIFICATE] if certificates else [*_ANSWER]
    for field in answer:
        if field.name in kept:
            raise ValueError(f"`{field.name}` is a column of the answer: rename the one to keep")
    options: dict[str, Any] = {
        "models": models,
        "keep": kept,
        "certificates": certificates,
        "spec": spec,
        "engine": engine,
        "timeout": timeout,
        "max_states": max_states,
        "format": format,
        "workers": 1,
    }

    def answers(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        memory = _share() if max_memory is None else max_memory
        checked = tribunal.check_batches(batches, column, max_memory=memory, **options)
        return pa.RecordBatchReader.from_stream(checked)

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if progress is None:
            checked = answers(batches)
        else:
            checked = progress._answered(answers(progress._read(batches)))
        for batch in checked:
            yield batch.select(columns)

    # Names that nothing has are an error here, rather than on an executor later.
    list(answers([pa.record_batch({name: pa.array([], pa.string()) for name in (column, *kept)})]))
    schema = StructType([*(fields[name] for name in kept), *answer])
    columns = schema.fieldNames()
    return df.select(*dict.fromkeys([column, *kept])).mapInArrow(task, schema)
