"""A pytest that records what threads call on a queue, and asserts that it is linearizable.

    pip install ./crates/tribunal-python pytest
    pytest examples/python/test_queue.py
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import tribunal


class RacyQueue:
    """A queue whose `get` looks first and takes later: between the two another thread may take the same."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def put(self, item: int) -> None:
        self.items.append(item)

    def get_nowait(self) -> int:
        if not self.items:
            raise queue.Empty
        item = self.items[0]
        time.sleep(0.0001)
        self.items = self.items[1:]
        return item


def record(fifo: Any, threads: int = 4, operations: int = 30) -> tribunal.Recorder:
    """What threads put into a queue and get out of it."""
    recorder = tribunal.Recorder("queue")
    start = threading.Barrier(threads)

    def client(number: int) -> None:
        start.wait()
        for turn in range(operations):
            recorder.call("enqueue", fifo.put, number * operations + turn)
            recorder.call_or("dequeue", {queue.Empty: None}, fifo.get_nowait)

    clients = [threading.Thread(target=client, args=(number,)) for number in range(threads)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return recorder


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    """Threads take turns more often than they usually do, which finds more."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_the_standard_queue() -> None:
    verdict = record(queue.Queue()).check()
    assert verdict, verdict.explain()


def test_a_queue_that_looks_first_and_takes_later() -> None:
    verdict = record(RacyQueue()).check()
    # Of a queue of your own you would assert the verdict; this one is wrong on purpose.
    assert not verdict
    print(verdict.explain())
