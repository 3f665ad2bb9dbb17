"""What check_batches does in a second beside `tribunal check --style json`, on the same JSON Lines.

    python crates/tribunal-python/bench/throughput.py --command target/release/tribunal

Both read the file, judge and write answers, in turns; the best turn of each counts. The command writes its lines to a file, and check_batches a
Parquet file. The ratio of processor time says the same on a machine that also does other things.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import tribunal


def lines(file: Path) -> pa.RecordBatchReader:
    """The lines of a file as a column, streaming."""
    return pa.csv.open_csv(
        file,
        read_options=pa.csv.ReadOptions(column_names=["history"], block_size=4 << 20),
        parse_options=pa.csv.ParseOptions(delimiter="\x01", quote_char=False),
    )


class Turn:
    """What something took, by the clock and of the processor."""

    def __init__(self, who: int) -> None:
        self.who, self.begin, self.used = who, time.perf_counter(), self.processor(who)

    def end(self) -> tuple[float, float]:
        return time.perf_counter() - self.begin, self.processor(self.who) - self.used

    @staticmethod
    def processor(who: int) -> float:
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime


def by_the_command(command: Path, model: str, file: Path, output: Path, threads: int) -> tuple[float, float]:
    turn = Turn(resource.RUSAGE_CHILDREN)
    arguments = [command, "check", "--style", "json", "--threads", str(threads), "--model", model, file]
    with output.open("wb") as answers:
        # Status 1 says that some history is inconsistent.
        status = subprocess.run(arguments, stdout=answers, stderr=subprocess.DEVNULL).returncode
    assert status in (0, 1), status
    return turn.end()


def by_batches(model: str, file: Path, output: Path, threads: int) -> tuple[float, float]:
    turn = Turn(resource.RUSAGE_SELF)
    answers = pa.RecordBatchReader.from_stream(
        tribunal.check_batches(lines(file), "history", model, workers=threads)
    )
    with pa.parquet.ParquetWriter(output, answers.schema) as writer:
        for batch in answers:
            writer.write_batch(batch)
    return turn.end()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", type=Path, default=Path("target/release/tribunal"))
    parser.add_argument("--histories", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        print("| events | model | histories | command, histories/s | check_batches, histories/s | ratio | of processor time |")
        print("|---|---|---|---|---|---|---|")
        for events, model in [(10, "sc"), (30, "tso"), (30, "ra"), (300, "tso")]:
            file, output = Path(directory, "histories.jsonl"), Path(directory, "answers")
            count = arguments.histories * 10 // events
            with file.open("w") as written:
                for history in tribunal.generate("tso", histories=count, events=events, threads=4, locations=4):
                    written.write(history.to())
            command, batches = [], []
            for _ in range(arguments.turns):
                command.append(by_the_command(arguments.command, model, file, output, arguments.threads))
                batches.append(by_batches(model, file, output, arguments.threads))
            clock, processor = ([min(turn[what] for turn in turns) for turns in (command, batches)] for what in (0, 1))
            row = [events, model, count, *(round(count / time) for time in clock)]
            ratios = [f"{there / here:.2f}" for there, here in (clock, processor)]
            print("|", " | ".join(map(str, row + ratios)), "|", flush=True)


main()
