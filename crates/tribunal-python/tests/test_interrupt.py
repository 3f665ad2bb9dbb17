"""Ctrl-C ends the work, and soon."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are Unix's")

HARD = """
import sys, tribunal
# The engine goes through millions of states before it knows.
[history] = tribunal.generate("pso", events=20_000, threads=32, locations=8, rmws=0.0)
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
print("finished", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        'tribunal.check(history, "sc", engine="memoized", max_states=10**15)',
        'tribunal.check_batches(pyarrow.table({"h": [history.to()] * 8}), "h", "sc", engine="memoized", max_states=10**15).to_arrow()',
        'list(tribunal.check_batches(pyarrow.table({"h": [history.to()] * 8}), "h", "sc", engine="memoized", max_states=10**15))',
        'tribunal.separate("sc", "tso", events=8)',
    ],
    ids=["check", "batches", "iteration", "separate"],
)
def test_interrupted(work: str) -> None:
    script = "import pyarrow\n" + HARD.format(work=work)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert output == "interrupted\n", output
    assert process.returncode == 7
    assert time.monotonic() - begin < 20
