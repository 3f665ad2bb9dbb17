"""The public corpora: what check_batches says is what their labels say."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
import tribunal
from conftest import project_file


@pytest.mark.parametrize("corpus", ["memory", "object", "seqcst"])
def test_labels(corpus: str) -> None:
    file = project_file(f"crates/tribunal-engines/tests/data/{corpus}-public.jsonl.zst")
    with pa.input_stream(file, compression="zstd") as stream:
        lines = stream.read().decode().splitlines()
    # The older corpus was labeled when rc20 did not apply to seq_cst: there it has no label.
    labels = [
        {model: label for model, label in json.loads(line)["verdicts"].items() if (model, label) != ("rc20", None)}
        for line in lines
    ]
    models = list(dict.fromkeys(model for label in labels for model in label))
    answers = tribunal.check_batches(pa.table({"history": lines}), "history", models, timeout=60).to_arrow()
    words = {True: "consistent", False: "inconsistent", None: "unsupported"}
    compared = 0
    for row, model, verdict in zip(*(answers[name].to_pylist() for name in ("row", "model", "verdict"))):
        assert verdict != "error"
        if model in labels[row]:
            assert verdict == words[labels[row][model]], (row, model)
            compared += 1
    assert compared == sum(map(len, labels)) > 0
