"""Decides whether an observed execution of a concurrent system is consistent with its model.

For a memory, a model says what threads may read; for an object, such as a queue, a criterion says how its operations may take effect.

>>> import tribunal
>>> store_buffering = "T0: W x 1; R y 0\\nT1: W y 1; R x 0"
>>> tribunal.check(store_buffering, "sc")
<tribunal.Verdict sc: inconsistent, breaks sequential, acyclic(po ∪ rf ∪ mo ∪ fr)>
>>> tribunal.check(store_buffering, "tso")
<tribunal.Verdict tso: consistent>
"""

from ._monitor import monitor
from ._record import Recorder
from ._tribunal import (
    Batches,
    Generated,
    Histories,
    History,
    Monitor,
    TribunalError,
    Verdict,
    Violation,
    check,
    check_batches,
    generate,
    generate_object,
    heap_allow,
    history,
    models,
    read,
    separate,
    shrink,
)

__all__ = [
    "Batches",
    "Generated",
    "Histories",
    "History",
    "Monitor",
    "Recorder",
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
    "monitor",
    "read",
    "separate",
    "shrink",
]
