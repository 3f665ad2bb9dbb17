"""Decides whether what a concurrent system did is what was promised.

>>> import tribunal
>>> verdict = tribunal.check("T0: W x 1; R y 0\\nT1: W y 1; R x 0", "sc")
>>> verdict.verdict
'inconsistent'
"""

from ._tribunal import (
    Batches,
    Histories,
    History,
    TribunalError,
    Verdict,
    check,
    check_batches,
    history,
    read,
    shrink,
)

__all__ = [
    "Batches",
    "Histories",
    "History",
    "TribunalError",
    "Verdict",
    "check",
    "check_batches",
    "history",
    "read",
    "shrink",
]
