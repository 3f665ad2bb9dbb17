"""Recording the calls of threads on an object."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from ._tribunal import History, Verdict
from ._tribunal import check as _check
from ._tribunal import history as _history

P = ParamSpec("P")
T = TypeVar("T")


class Recorder:
    """Records the calls of threads on an object, and checks them against a specification.

    >>> import queue, tribunal
    >>> recorder, fifo = tribunal.Recorder("queue"), queue.Queue()
    >>> recorder.call("enqueue", fifo.put, 1)
    >>> recorder.call("dequeue", fifo.get)
    1
    >>> recorder.check()
    <tribunal.Verdict linearizable: consistent>
    """

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self._operations: list[dict[str, Any]] = []
        self._processes = itertools.count()
        self._local = threading.local()
        # An unknown specification raises here, before anything is recorded.
        self.history()

    def call(self, method: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a function and records it as an operation, with its positional arguments and return value.

        A call that raises is recorded as pending: it may or may not have taken effect.
        """
        operation = self._begin(method, args)
        try:
            value = function(*args, **kwargs)
        except BaseException:
            # A process whose operation is open calls nothing more: the thread goes on as another.
            del self._local.process
            raise
        self._end(operation, value)
        return value

    def call_or(
        self, method: str, raises: Mapping[type[BaseException], Any], function: Callable[..., T], *args: Any
    ) -> T | None:
        """Like `call`, but an exception in `raises` is recorded as the return value given for it."""
        operation = self._begin(method, args)
        try:
            value = function(*args)
        except BaseException as error:
            for kind, meaning in raises.items():
                if isinstance(error, kind):
                    self._end(operation, meaning)
                    return None
            del self._local.process
            raise
        self._end(operation, value)
        return value

    def history(self) -> History:
        """The history recorded so far."""
        recorded = {"kind": "object", "spec": self.spec, "operations": list(self._operations)}
        return _history(recorded, spec=self.spec)

    def check(self, model: str = "linearizable", *, timeout: float | None = None) -> Verdict:
        """Checks the recorded history against a criterion."""
        return _check(self.history(), model, timeout=timeout)

    def _begin(self, method: str, args: tuple[Any, ...]) -> dict[str, Any]:
        if not hasattr(self._local, "process"):
            self._local.process = next(self._processes)
        operation: dict[str, Any] = {
            "process": self._local.process,
            "f": method,
            "args": list(args),
            "call": time.monotonic_ns(),
        }
        self._operations.append(operation)
        return operation

    def _end(self, operation: dict[str, Any], value: Any) -> None:
        returned = time.monotonic_ns()
        operation.update({"ret": value, "return": returned})
