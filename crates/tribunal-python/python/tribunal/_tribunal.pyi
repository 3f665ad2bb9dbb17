import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, final, overload

__all__ = [
    "Batches",
    "Generated",
    "Histories",
    "History",
    "Monitor",
    "TribunalError",
    "Verdict",
    "Violation",
    "check",
    "check_batches",
    "generate",
    "generate_object",
    "heap_allow",
    "history",
    "models",
    "read",
    "separate",
    "shrink",
]

class TribunalError(ValueError): ...

@final
class History:
    @property
    def name(self) -> str | None: ...
    @property
    def kind(self) -> Literal["memory", "object"]: ...
    @property
    def spec(self) -> str | None: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def index(self) -> int: ...
    @property
    def labels(self) -> dict[str, bool | None]: ...
    def to(self, format: str = "json") -> str: ...
    @overload
    def check(
        self,
        model: str,
        *,
        spec: str | None = None,
        engine: str | None = None,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_states: int | None = None,
    ) -> Verdict: ...
    @overload
    def check(
        self,
        model: list[str] | tuple[str, ...] | None = None,
        *,
        spec: str | None = None,
        engine: str | None = None,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_states: int | None = None,
    ) -> dict[str, Verdict]: ...
    def shrink(
        self,
        model: str | None = None,
        *,
        spec: str | None = None,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_states: int | None = None,
    ) -> History | None: ...
    def svg(self, model: str | Sequence[str] | None = None) -> str: ...
    def page(self, model: str | Sequence[str] | None = None) -> str: ...
    def view(
        self, path: str | os.PathLike[str] | None = None, *, model: str | Sequence[str] | None = None
    ) -> os.PathLike[str] | None: ...
    def _repr_html_(self) -> str: ...
    def __len__(self) -> int: ...

@final
class Histories:
    def __iter__(self) -> Histories: ...
    def __next__(self) -> History: ...

@final
class Generated:
    def __iter__(self) -> Generated: ...
    def __next__(self) -> History: ...

@final
class Verdict:
    @property
    def verdict(self) -> Literal["consistent", "inconsistent", "undecided", "unsupported"]: ...
    @property
    def model(self) -> str: ...
    @property
    def engine(self) -> str | None: ...
    @property
    def micros(self) -> int: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def racy(self) -> bool | None: ...
    @property
    def history(self) -> History: ...
    @property
    def certificate(self) -> dict[str, Any] | None: ...
    @property
    def json(self) -> str: ...
    def explain(self) -> str: ...
    def verify(self) -> str: ...
    def shrink(self) -> History | None: ...
    def svg(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def __bool__(self) -> bool: ...

@final
class Violation:
    @property
    def event(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def explanation(self) -> list[str]: ...
    def explain(self) -> str: ...

@final
class Monitor:
    def __new__(
        cls,
        model: str,
        *,
        spec: str | None = None,
        window: int = 10_000,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_states: int | None = None,
    ) -> Monitor: ...
    @property
    def model(self) -> str: ...
    @property
    def events(self) -> int: ...
    def init(self, location: str, value: int) -> None: ...
    def write(
        self, thread: str, location: str, value: int, order: str = "relaxed"
    ) -> Violation | None: ...
    def read(
        self, thread: str, location: str, value: int, order: str = "relaxed"
    ) -> Violation | None: ...
    def rmw(
        self, thread: str, location: str, read: int, value: int, order: str = "relaxed"
    ) -> Violation | None: ...
    def fence(self, thread: str, order: str = "seq_cst") -> Violation | None: ...
    def call(self, process: str | int, method: str, *args: Any) -> Violation | None: ...
    def ret(self, process: str | int, value: Any = None) -> Violation | None: ...
    def crash(self, process: str | int) -> Violation | None: ...
    def withdraw(self, process: str | int) -> Violation | None: ...
    def push(self, event: dict[str, Any]) -> Violation | None: ...
    def finish(self) -> Violation | None: ...

@final
class Batches:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...

def history(
    source: Any,
    *,
    spec: str | None = None,
    format: str | None = None,
    index: int | None = None,
    max_memory: int | None = None,
) -> History: ...
def read(
    path: Any, *, format: str | None = None, max_memory: int | None = None
) -> Histories: ...
@overload
def check(
    history: Any,
    model: str,
    *,
    spec: str | None = None,
    engine: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
    format: str | None = None,
    index: int | None = None,
) -> Verdict: ...
@overload
def check(
    history: Any,
    model: list[str] | tuple[str, ...] | None = None,
    *,
    spec: str | None = None,
    engine: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
    format: str | None = None,
    index: int | None = None,
) -> dict[str, Verdict]: ...
def shrink(
    history: Any,
    model: str | None = None,
    *,
    spec: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
    format: str | None = None,
    index: int | None = None,
) -> History | None: ...
def heap_allow(bytes: int | None) -> None: ...
def check_batches(
    batches: Any,
    column: str | None = None,
    models: str | Sequence[str] | None = None,
    *,
    keep: Sequence[str] = ...,
    certificates: bool = False,
    spec: str | None = None,
    engine: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_states: int | None = None,
    format: str | None = None,
    workers: int | None = None,
) -> Batches: ...
def separate(
    allows: str,
    forbids: str,
    *,
    events: int | None = None,
    spec: str | None = None,
    timeout: float | None = None,
) -> History | None: ...
def generate(
    machine: str = "atomic",
    *,
    histories: int = 1,
    seed: int = 0,
    bug: str | None = None,
    threads: int | None = None,
    events: int | None = None,
    locations: int | None = None,
    writes: float | None = None,
    rmws: float | None = None,
    fences: float = 0.0,
    deps: float = 0.0,
    locality: float | None = None,
    orders: str | None = None,
) -> Generated: ...
def generate_object(
    spec: str = "register",
    *,
    histories: int = 1,
    seed: int = 0,
    implementation: str | None = None,
    bug: str | None = None,
    delay: int = 10,
    processes: int | None = None,
    operations: int | None = None,
    values: int | None = None,
    keys: int = 8,
    overlap: int | None = None,
    crashes: float | None = None,
) -> Generated: ...
def models(kind: Literal["memory", "object"] | None = None) -> dict[str, str]: ...
