"""Memories and objects that are watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import tribunal

CALLS: list[dict[str, Any]] = [
    {"process": 0, "f": "enqueue", "args": [1]},
    {"process": 0, "ret": None},
    {"process": 1, "f": "dequeue"},
    {"process": 1, "ret": 2},
]
EVENTS: list[dict[str, Any]] = [
    {"thread": "T0", "op": "write", "loc": "x", "value": 1, "order": "release"},
    {"thread": "T0", "op": "rmw", "loc": "x", "read": 1, "value": 2},
    {"thread": "T1", "op": "fence"},
    {"thread": "T1", "op": "read", "loc": "x", "value": 2},
    {"thread": "T1", "op": "read", "loc": "x", "value": 1},
]


def test_memories() -> None:
    for model in ("sc", "tso", "ra", "rc20"):
        found = list(tribunal.monitor(EVENTS, model))
        assert [violation.event for violation in found] == [4], model
        assert "T1:2 R x 1" in found[0].reason
        assert "in this part" in found[0].explain()


def test_objects() -> None:
    [found] = tribunal.monitor(CALLS, "linearizable", spec="queue")
    assert found.event == 3 and "dequeue() → 2" in found.reason
    assert list(tribunal.monitor(CALLS[:2], "linearizable", spec="queue")) == []


def test_asynchronous_sources() -> None:
    async def source() -> AsyncIterator[dict[str, Any]]:
        for call in CALLS:
            await asyncio.sleep(0)
            yield call

    async def watch() -> list[int]:
        return [violation.event async for violation in tribunal.monitor(source(), "linearizable", spec="queue")]

    assert asyncio.run(watch()) == [3]


def test_methods() -> None:
    memory = tribunal.Monitor("sc")
    memory.init("x", 7)
    assert memory.read("T0", "x", 7) is None
    assert memory.fence("T0") is None
    assert memory.write("T0", "x", 1) is None
    assert memory.rmw("T1", "x", 1, 2) is None
    assert memory.read("T1", "x", 7) is not None
    assert memory.finish() is None
    assert memory.events == 5
    register = tribunal.Monitor("linearizable", spec="register")
    assert register.call(0, "write", 1) is None
    assert register.crash(0) is None
    assert register.call(1, "read") is None
    assert register.ret(1, 1) is None
    assert register.call(1, "write", 2) is None
    assert register.withdraw(1) is None
    assert register.finish() is None
    with pytest.raises(tribunal.TribunalError, match="finished"):
        register.call(2, "read")


def test_misuse() -> None:
    with pytest.raises(tribunal.TribunalError, match="spec"):
        tribunal.Monitor("linearizable")
    with pytest.raises(tribunal.TribunalError):
        tribunal.Monitor("cm")
    memory, queue = tribunal.Monitor("sc"), tribunal.Monitor("linearizable", spec="queue")
    with pytest.raises(tribunal.TribunalError, match="of memories"):
        memory.call(0, "enqueue", 1)
    with pytest.raises(tribunal.TribunalError, match="of objects"):
        queue.write("T0", "x", 1)
    with pytest.raises(tribunal.TribunalError, match="unknown order"):
        memory.write("T0", "x", 1, "strongest")
    with pytest.raises(tribunal.TribunalError, match="missing key"):
        memory.push({"op": "write"})
    with pytest.raises(tribunal.TribunalError, match="neither"):
        queue.push({"process": 0})
    with pytest.raises(tribunal.TribunalError):
        queue.ret(0)
    with pytest.raises(tribunal.TribunalError):
        queue.call(0, "push", 1)
    with pytest.raises(tribunal.TribunalError, match="whole number"):
        queue.call(0, "enqueue", 1.5)


def test_many_events() -> None:
    memory = tribunal.Monitor("tso")
    for value in range(1, 20_001):
        assert memory.write("T0", "x", value) is None
        assert memory.read("T1", "x", value) is None
    assert memory.finish() is None
