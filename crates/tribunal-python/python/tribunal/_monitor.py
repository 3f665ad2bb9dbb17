"""Monitoring events from an iterable or an asynchronous iterable."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, overload

from ._tribunal import Monitor, Violation

Event = dict[str, Any]


@overload
def monitor(
    events: Iterable[Event],
    model: str,
    *,
    spec: str | None = None,
    window: int = 10_000,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
) -> Iterator[Violation]: ...
@overload
def monitor(
    events: AsyncIterable[Event],
    model: str,
    *,
    spec: str | None = None,
    window: int = 10_000,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
) -> AsyncIterator[Violation]: ...
def monitor(
    events: Iterable[Event] | AsyncIterable[Event],
    model: str,
    *,
    spec: str | None = None,
    window: int = 10_000,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
) -> Iterator[Violation] | AsyncIterator[Violation]:
    """The violations among events, each as soon as it is certain.

    Events are dicts, as for `Monitor.push`. Use `async for` with an asynchronous source.

    >>> import tribunal
    >>> calls = [{"process": 0, "f": "enqueue", "args": [1]}, {"process": 0, "ret": None},
    ...          {"process": 1, "f": "dequeue"}, {"process": 1, "ret": 2}]
    >>> [violation.event for violation in tribunal.monitor(calls, "linearizable", spec="queue")]
    [3]
    """
    watching = Monitor(
        model, spec=spec, window=window, timeout=timeout, max_memory=max_memory, max_states=max_states
    )
    if isinstance(events, AsyncIterable):
        return _watch_async(events, watching)
    return _watch(events, watching)


def _watch(events: Iterable[Event], watching: Monitor) -> Iterator[Violation]:
    for event in events:
        violation = watching.push(event)
        if violation is not None:
            yield violation
    yield from _end(watching)


async def _watch_async(events: AsyncIterable[Event], watching: Monitor) -> AsyncIterator[Violation]:
    async for event in events:
        violation = watching.push(event)
        if violation is not None:
            yield violation
    for violation in _end(watching):
        yield violation


def _end(watching: Monitor) -> Iterator[Violation]:
    while (violation := watching.finish()) is not None:
        yield violation
