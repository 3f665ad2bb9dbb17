"""Recording what threads call."""

from __future__ import annotations

import json
import queue
import threading

import pytest
import tribunal


def test_what_is_recorded() -> None:
    recorder, fifo = tribunal.Recorder("queue"), queue.Queue[int]()
    assert recorder.call("enqueue", fifo.put, 1) is None
    assert recorder.call("dequeue", fifo.get) == 1
    assert recorder.call_or("dequeue", {queue.Empty: None}, fifo.get_nowait) is None
    operations = json.loads(recorder.history().to())["operations"]
    assert [(operation["f"], operation["args"], operation["ret"]) for operation in operations] == [
        ("enqueue", [1], None),
        ("dequeue", [], 1),
        ("dequeue", [], None),
    ]
    times = [time for operation in operations for time in (operation["call"], operation["return"])]
    assert times == sorted(times)
    assert recorder.check() and recorder.check("sequential")


def test_a_call_that_raises_never_returned() -> None:
    recorder = tribunal.Recorder("register")

    def fail(value: int) -> None:
        raise OSError("the network is down")

    with pytest.raises(OSError):
        recorder.call("write", fail, 1)
    with pytest.raises(OSError):
        recorder.call_or("write", {KeyError: None}, fail, 2)
    assert recorder.call("read", lambda: 1) == 1
    operations = json.loads(recorder.history().to())["operations"]
    assert "return" not in operations[0] and len({operation["process"] for operation in operations}) == 3
    assert recorder.check()


def test_threads_are_processes() -> None:
    recorder, lock = tribunal.Recorder("counter"), threading.Lock()
    total = 0

    def add() -> int:
        nonlocal total
        with lock:
            total += 1
            return total

    threads = [threading.Thread(target=lambda: recorder.call("increment", add)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    operations = json.loads(json.dumps(recorder._operations))
    assert len({operation["process"] for operation in operations}) == 8


def test_a_value_that_no_history_has() -> None:
    recorder = tribunal.Recorder("register")
    recorder.call("write", lambda value: None, object())
    with pytest.raises(tribunal.TribunalError, match="not a history in JSON"):
        recorder.check()


def test_an_unknown_specification_is_refused_at_once() -> None:
    with pytest.raises(tribunal.TribunalError, match=r"`quee` \(did you mean `queue`\?\)"):
        tribunal.Recorder("quee")
