"""What the tests share: some histories, and where the project's other files are, if they are there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

STORE_BUFFERING = "T0: W x 1; R y 0\nT1: W y 1; R x 0"
MESSAGE_PASSING = '{"kind":"memory","name":"MP","threads":[{"name":"T0","events":[{"op":"write","loc":"x","value":1},{"op":"write","loc":"y","value":1}]},{"name":"T1","events":[{"op":"read","loc":"y","value":1},{"op":"read","loc":"x","value":0}]}]}'
QUEUE = '{"kind":"object","spec":"queue","operations":[{"process":0,"f":"enqueue","args":[1],"ret":null,"call":0,"return":1},{"process":0,"f":"enqueue","args":[2],"ret":null,"call":2,"return":3},{"process":1,"f":"dequeue","args":[],"ret":2,"call":4,"return":5}]}'

ROOT = Path(os.environ.get("TRIBUNAL_ROOT", Path(__file__).resolve().parents[3]))


def project_file(path: str) -> Path:
    """A file of the project; the test is left out where there is the wheel alone."""
    file = ROOT / path
    if not file.exists():
        pytest.skip(f"{path} is not here: TRIBUNAL_ROOT says where the project is")
    return file
