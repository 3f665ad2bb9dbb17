"""Histories by the Arrow batch."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import tribunal
from conftest import MESSAGE_PASSING, QUEUE, STORE_BUFFERING

TEXTS = [STORE_BUFFERING, MESSAGE_PASSING, QUEUE, None, "T0: W x one", "", "T0: W x 1"]
VERDICTS = ["inconsistent", "inconsistent", "unsupported", "error", "error", "error", "consistent"]


def verdicts(batches: Any, column: str | None = "history", **options: Any) -> list[str]:
    return tribunal.check_batches(batches, column, "sc", **options).to_arrow()["verdict"].to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.uint32(), pa.large_string()),
    ],
    ids=str,
)
def test_layouts(kind: pa.DataType) -> None:
    texts = pa.array(TEXTS)
    if pa.types.is_dictionary(kind):
        array = texts.cast(kind.value_type).dictionary_encode().cast(kind)
    elif kind in (pa.binary_view(), pa.string_view()):
        array = pa.array([text if text is None or kind == pa.string_view() else text.encode() for text in TEXTS], kind)
    else:
        array = texts.cast(kind)
    table = pa.table({"history": array})
    assert verdicts(table) == VERDICTS
    assert verdicts(table.slice(1, 5)) == VERDICTS[1:6]
    assert verdicts(table.slice(3, 0)) == []
    assert verdicts(pa.chunked_array([array.slice(2, 2), array.slice(0, 0), array.slice(4)]), None) == VERDICTS[2:]


def test_columns_of_the_answer() -> None:
    table = pa.table({"id": ["a", "b"], "history": [STORE_BUFFERING, None], "note": [1, 2]})
    answers = tribunal.check_batches(table, "history", ["sc", "tso"], keep=["note", "id"], certificates=True)
    schema = pa.schema(answers)
    expected = [
        ("row", pa.int64()),
        ("note", pa.int64()),
        ("id", pa.string()),
        ("model", pa.string()),
        ("verdict", pa.string()),
        ("engine", pa.string()),
        ("micros", pa.int64()),
        ("reason", pa.string()),
        ("certificate", pa.string()),
    ]
    assert [(field.name, field.type) for field in schema] == expected
    sc, tso, null = answers.to_arrow().to_pylist()
    assert (sc["row"], sc["note"], sc["id"], sc["model"], sc["verdict"]) == (0, 1, "a", "sc", "inconsistent")
    assert sc["reason"].startswith("breaks sequential") and json.loads(sc["certificate"])["axiom"] == "sequential"
    assert (tso["row"], tso["model"], tso["verdict"], tso["reason"]) == (0, "tso", "consistent", None)
    assert "mo" in json.loads(tso["certificate"])
    assert (null["row"], null["id"], null["model"], null["verdict"], null["engine"]) == (1, "b", None, "error", None)
    assert null["reason"] == "history: null, where a history is expected"
    assert null["certificate"] is None


def test_reasons() -> None:
    table = pa.table({"h": [QUEUE, "T0: W x one", STORE_BUFFERING + "\n---\n" + STORE_BUFFERING, '{"kind": 3}']})
    answers = tribunal.check_batches(table, "h", "linearizable").to_arrow().to_pylist()
    assert [answer["verdict"] for answer in answers] == ["inconsistent", "error", "error", "error"]
    assert answers[0]["reason"].startswith("nothing explains")
    assert answers[1]["reason"] == "h:1:9: expected the value written, found `one`"
    assert "more than one history" in answers[2]["reason"]


def test_every_model() -> None:
    table = pa.table({"h": [STORE_BUFFERING, QUEUE]})
    answers = tribunal.check_batches(table, "h").to_arrow().to_pylist()
    assert [answer["model"] for answer in answers if answer["row"] == 0] == list(tribunal.models("memory"))
    assert [answer["model"] for answer in answers if answer["row"] == 1] == list(tribunal.models("object"))


def test_sources() -> None:
    table = pa.table({"history": TEXTS})
    batches = table.to_batches(max_chunksize=2)
    assert verdicts(batches) == VERDICTS
    assert verdicts(iter(batches)) == VERDICTS
    assert verdicts(pa.RecordBatchReader.from_batches(table.schema, iter(batches))) == VERDICTS
    assert verdicts(batches[0]) == VERDICTS[:2]
    assert verdicts([table, table]) == VERDICTS * 2
    assert verdicts(table["history"], None) == VERDICTS
    assert verdicts(table, None) == VERDICTS
    assert verdicts([]) == []
    assert tribunal.check_batches([], "history", "sc", keep=["id"]).to_arrow().num_rows == 0
    assert tribunal.check_batches(iter(batches), "history", "sc").to_arrow()["row"].to_pylist() == list(range(7))


def test_iteration() -> None:
    batches = list(tribunal.check_batches(pa.table({"h": TEXTS}), "h", "sc"))
    assert sum(batch.num_rows for batch in batches) == 7


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": range(7), "history": TEXTS})
    answers = polars.DataFrame(tribunal.check_batches(frame, "history", "sc", keep=["id"]))
    assert answers["verdict"].to_list() == VERDICTS and answers["id"].to_list() == list(range(7))
    assert tribunal.check_batches(frame.slice(2, 3), "history", "sc").to_polars()["verdict"].to_list() == VERDICTS[2:5]
    assert verdicts(frame["history"].cast(polars.Categorical), None) == VERDICTS


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"history": TEXTS})
    histories = table
    relation = duckdb.sql("select history from histories")
    assert verdicts(relation) == VERDICTS
    answers = tribunal.check_batches(table, "history", "sc").to_arrow()
    assert len(answers) == 7
    [(count,)] = duckdb.sql("select count(*) from answers where verdict = 'error'").fetchall()
    assert count == 3


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"history": TEXTS})
    answers = tribunal.check_batches(pa.Table.from_pandas(frame), "history", "sc").to_pandas()
    assert list(answers["verdict"]) == VERDICTS


def test_rows_that_are_null() -> None:
    rows = pa.StructArray.from_arrays([pa.array(["T0: W x 1"] * 3)], names=["h"], mask=pa.array([False, True, False]))
    assert verdicts(rows, "h") == ["consistent", "error", "consistent"]
    assert verdicts(pa.array([None, None], pa.null()), None) == ["error", "error"]


def test_compressed_cells() -> None:
    cells = [gzip.compress(MESSAGE_PASSING.encode()), b"\x1f\x8b broken", MESSAGE_PASSING.encode(), b"\xff\xfe\xfd"]
    assert verdicts(pa.table({"history": cells})) == ["inconsistent", "error", "inconsistent", "error"]


def test_formats_may_change_from_row_to_row() -> None:
    axe = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n"
    edn = "[{:process 0 :type :invoke :f :write :value 1} {:process 0 :type :ok :f :write :value 1}]"
    texts = [axe, STORE_BUFFERING, MESSAGE_PASSING, edn, axe, QUEUE, STORE_BUFFERING] * 50
    expected = ["inconsistent", "inconsistent", "inconsistent", "unsupported", "inconsistent", "unsupported", "inconsistent"]
    assert verdicts(pa.table({"history": texts})) == expected * 50
    assert verdicts(pa.table({"history": [axe, MESSAGE_PASSING]}), format="axe") == ["inconsistent", "error"]


def test_a_broken_row_does_not_touch_the_next() -> None:
    texts = list(itertools.chain.from_iterable((bad, MESSAGE_PASSING) for bad in (
        MESSAGE_PASSING[:-3], MESSAGE_PASSING + "}", MESSAGE_PASSING + MESSAGE_PASSING, "{", "[", "T0: W x 1; R", "null", "\0",
        MESSAGE_PASSING.replace("T1", "T0"), '{"kind":"memory","threads":[', "0: M[0] :=",
    )))
    found = verdicts(pa.table({"history": texts}))
    assert set(found[::2]) == {"error"} and set(found[1::2]) == {"inconsistent"}


@pytest.mark.parametrize("workers", [1, 2, 5, 64, 1000])
def test_any_number_of_workers_gives_the_same(workers: int) -> None:
    texts = (TEXTS * 300)[:2000]
    table = pa.table({"id": range(2000), "history": texts})
    answers = tribunal.check_batches(table.to_batches(max_chunksize=333), "history", ["sc", "tso"], keep=["id"], workers=workers)
    rows = answers.to_arrow().drop_columns(["micros"]).to_pylist()
    alone = [tribunal.check_batches(pa.table({"history": [text]}), "history", ["sc", "tso"]).to_arrow().to_pylist() for text in TEXTS]
    expected = [
        {"row": row, "id": row} | {key: answer[key] for key in ("model", "verdict", "engine", "reason")}
        for row in range(2000)
        for answer in alone[row % len(TEXTS)]
    ]
    assert rows == expected


def test_a_million_rows() -> None:
    values = pa.array([STORE_BUFFERING, "T0: W x 1", None])
    indices = pa.array(range(1_000_000), pa.int32())
    cells = pa.DictionaryArray.from_arrays(pa.compute.bit_wise_and(indices, 1), values)
    counts: dict[str, int] = {}
    rows = 0
    for batch in tribunal.check_batches(cells, models="sc"):
        rows += batch.num_rows
        for entry in batch["verdict"].value_counts().to_pylist():
            counts[entry["values"]] = counts.get(entry["values"], 0) + entry["counts"]
    assert rows == 1_000_000 and counts == {"inconsistent": 500_000, "consistent": 500_000}


def test_rows_come_as_they_are_asked_for() -> None:
    pulled = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal pulled
        for _ in range(10_000):
            pulled += 1
            yield pa.record_batch({"history": [STORE_BUFFERING] * 1000})

    answers = iter(tribunal.check_batches(batches(), "history", "sc"))
    assert pulled == 1
    assert next(answers).num_rows > 0
    assert pulled < 200
    del answers


def test_a_slow_source_does_not_keep_answers_back() -> None:
    given: list[float] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(3):
            time.sleep(0.7)
            given.append(time.monotonic())
            yield pa.record_batch({"history": ["T0: W x 1"]})

    for number, _ in enumerate(tribunal.check_batches(batches(), "history", "sc")):
        assert len(given) == number + 1


def test_a_large_history() -> None:
    [large] = tribunal.generate("tso", events=100_000, threads=4)
    text = large.to()
    assert len(text) > 1 << 20
    assert verdicts(pa.table({"history": ["T0: W x 1", text, "T0: W x 1"]}), timeout=60)[::2] == ["consistent"] * 2
    [tiny] = tribunal.check_batches(pa.table({"h": [text]}), "h", "sc", max_memory=1 << 10).to_arrow().to_pylist()
    assert tiny["verdict"] == "undecided" or "max_memory" in tiny["reason"]


def test_limits() -> None:
    [hard] = tribunal.generate("pso", events=3000, threads=8, locations=2, seed=3)
    [answer] = tribunal.check_batches(pa.table({"h": [hard.to()]}), "h", "sc", max_states=1, max_memory=1).to_arrow().to_pylist()
    assert answer["verdict"] == "undecided" and answer["reason"]


def test_misuse() -> None:
    table = pa.table({"id": [1], "history": ["T0: W x 1"], "verdict": ["?"]})
    for arguments, options, problem in [
        ((table, "histroy"), {}, "no column `histroy`; there are id, history, verdict"),
        ((table, None), {}, "which one"),
        ((table, "id"), {}, "not of text"),
        ((table, "history", "scc"), {}, "did you mean"),
        ((table, "history", []), {}, "empty list"),
        ((table, "history"), {"keep": ["verdict"]}, "rename"),
        ((table, "history"), {"keep": ["nothing"]}, "no column `nothing`"),
        ((table["history"], None), {"keep": ["id"]}, "there is no other"),
        ((3,), {}, "expected Arrow data"),
        (([3], "history"), {}, "expected Arrow data"),
        ((table, "history"), {"engine": "magic"}, "unknown engine"),
        ((table, "history"), {"spec": "quue"}, "quue"),
    ]:
        with pytest.raises(tribunal.TribunalError, match=problem):
            tribunal.check_batches(*arguments, **options)
    answers = tribunal.check_batches(table, "history", "sc")
    answers.to_arrow()
    with pytest.raises(tribunal.TribunalError, match="already"):
        answers.to_arrow()


def test_what_goes_wrong_later() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"history": ["T0: W x 1"]})
        raise RuntimeError("the disk is full")

    answers = iter(tribunal.check_batches(batches(), "history", "sc"))
    assert next(answers).num_rows == 1
    with pytest.raises(Exception, match="the disk is full"):
        next(answers)
    other = [pa.record_batch({"history": ["T0: W x 1"]}), pa.record_batch({"other": ["T0: W x 1"]})]
    with pytest.raises(Exception, match="no column `history`"):
        tribunal.check_batches(other, "history", "sc").to_arrow()
    with pytest.raises(Exception, match="expected Arrow data"):
        tribunal.check_batches([other[0], 3], "history", "sc").to_arrow()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_leaves_the_threads_behind() -> None:
    script = f"""
import os, sys, pyarrow, tribunal
table = pyarrow.table({{"h": [{STORE_BUFFERING!r}] * 20_000}})
answers = iter(tribunal.check_batches(table, "h", "sc"))
next(answers)
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
del answers
assert len(tribunal.check_batches(table, "h", "sc").to_arrow()) == 20_000
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_answers_that_nobody_reads() -> None:
    for _ in range(50):
        answers = tribunal.check_batches(pa.table({"h": [STORE_BUFFERING] * 1000}), "h", "sc")
        next(iter(answers))
        tribunal.check_batches(pa.table({"h": TEXTS}), "h", "sc")
