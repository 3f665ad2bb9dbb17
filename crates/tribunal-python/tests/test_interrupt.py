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
lines = []
# A formula that no assignment satisfies, as a history: every search takes long.
history = None
for seed in range(100):
    [candidate] = tribunal.generate("pso", events=4000, threads=12, locations=2, rmws=0.0, seed=seed)
    if tribunal.check(candidate, "sc", engine="plain", timeout=0.3).verdict == "undecided":
        history = candidate
        break
assert history is not None
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
        'tribunal.check(history, "sc", engine="plain")',
        'tribunal.check_batches(pyarrow.table({"h": [history.to()] * 8}), "h", "sc", engine="plain").to_arrow()',
        'list(tribunal.check_batches(pyarrow.table({"h": [history.to()] * 8}), "h", "sc", engine="plain"))',
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
