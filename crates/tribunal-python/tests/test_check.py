"""One history at a time."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import threading
from pathlib import Path

import pytest
import tribunal
from conftest import MESSAGE_PASSING, QUEUE, STORE_BUFFERING


@pytest.mark.parametrize(
    "given",
    [
        MESSAGE_PASSING,
        MESSAGE_PASSING.encode(),
        bytearray(MESSAGE_PASSING.encode()),
        json.loads(MESSAGE_PASSING),
        io.StringIO(MESSAGE_PASSING),
        io.BytesIO(gzip.compress(MESSAGE_PASSING.encode())),
        tribunal.history(MESSAGE_PASSING),
        "\ufeff" + MESSAGE_PASSING,
    ],
    ids=["text", "bytes", "bytearray", "dict", "text file", "gzip", "history", "byte-order mark"],
)
def test_whatever_holds_a_history(given: object) -> None:
    assert tribunal.check(given, "tso").verdict == "inconsistent"
    if not hasattr(given, "read"):
        assert tribunal.check(given, "pso").verdict == "consistent"


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text(MESSAGE_PASSING + "\n" + QUEUE + "\n")
    with pytest.raises(tribunal.TribunalError, match="more than one history"):
        tribunal.check(file, "tso")
    assert not tribunal.check(file, "linearizable", index=1)
    with pytest.raises(tribunal.TribunalError, match="there are 2 histories"):
        tribunal.check(file, "tso", index=2)
    first, second = tribunal.read(file)
    assert (first.name, first.kind, first.index, len(first)) == ("MP", "memory", 0, 4)
    assert (second.kind, second.spec, second.index, second.line) == ("object", "queue", 1, 2)
    assert str(file) in repr(first)
    assert [history.kind for history in tribunal.read(str(file))] == ["memory", "object"]


def test_errors_name_the_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("T0: W x 1\nT1: R x one\n")
    with pytest.raises(tribunal.TribunalError, match=r"bad.txt:2:9: expected the value read, found `one`"):
        tribunal.check(file, "sc")
    with pytest.raises(tribunal.TribunalError, match="No such file"):
        tribunal.check(tmp_path / "missing.txt", "sc")
    with pytest.raises(tribunal.TribunalError, match="pathlib.Path"):
        tribunal.check("missing.txt", "sc")
    with pytest.raises(tribunal.TribunalError, match="did you mean `sc`"):
        tribunal.check(STORE_BUFFERING, "scc")
    with pytest.raises(tribunal.TribunalError, match="leave the model out"):
        tribunal.check(STORE_BUFFERING, "all")
    with pytest.raises(tribunal.TribunalError, match="unknown engine"):
        tribunal.check(STORE_BUFFERING, "sc", engine="magic")
    with pytest.raises(tribunal.TribunalError, match="is decided by"):
        tribunal.check(STORE_BUFFERING, "ra", engine="sat")
    with pytest.raises(tribunal.TribunalError, match="seconds"):
        tribunal.check(STORE_BUFFERING, "sc", timeout=-1)
    with pytest.raises(tribunal.TribunalError, match="unknown format"):
        tribunal.check(STORE_BUFFERING, "sc", format="xml")
    with pytest.raises(tribunal.TribunalError, match="unknown specification|no specification|unknown"):
        tribunal.check(QUEUE, "linearizable", spec="quue")
    with pytest.raises(TypeError, match="expected a history"):
        tribunal.check(3, "sc")
    assert issubclass(tribunal.TribunalError, ValueError)


def test_verdicts() -> None:
    no, yes = tribunal.check(STORE_BUFFERING, "sc"), tribunal.check(STORE_BUFFERING, "tso")
    assert (no.verdict, no.model, bool(no)) == ("inconsistent", "sc", False)
    assert (yes.verdict, yes.model, bool(yes), yes.reason) == ("consistent", "tso", True, None)
    assert no.engine and no.micros >= 0
    assert "breaks sequential" in (no.reason or "")
    assert "store buffering" in no.explain() and str(no) == no.explain()
    assert no.certificate and yes.certificate and "mo" in yes.certificate
    assert no.verify() == yes.verify() == "accepted"
    assert json.loads(no.json)["verdict"] == "inconsistent"
    assert json.loads(yes.json)["witness"] == yes.certificate
    assert "<svg" in no._repr_html_() and "<b>inconsistent</b>" in no._repr_html_()
    assert no.history.to("text").startswith("T0: W x 1")


def test_several_models() -> None:
    verdicts = tribunal.check(STORE_BUFFERING, ["sc", "tso"])
    assert {model: bool(verdict) for model, verdict in verdicts.items()} == {"sc": False, "tso": True}
    assert list(tribunal.check(STORE_BUFFERING)) == list(tribunal.models("memory"))
    assert list(tribunal.check(QUEUE)) == list(tribunal.models("object"))


def test_no_answer_is_neither_true_nor_false() -> None:
    unfit = tribunal.check(QUEUE, "sc")
    assert (unfit.verdict, unfit.engine) == ("unsupported", None)
    [hard] = tribunal.generate("pso", events=3000, threads=8, locations=2, seed=3)
    late = tribunal.check(hard, "sc", max_states=1, max_memory=1)
    for verdict in (unfit, late):
        assert verdict.verdict in ("unsupported", "undecided")
        assert verdict.reason
        with pytest.raises(tribunal.TribunalError, match="neither true nor false"):
            bool(verdict)
        with pytest.raises(tribunal.TribunalError, match="no certificate"):
            verdict.verify()
        assert verdict.certificate is None


def test_races() -> None:
    racy = tribunal.check("T0: W.na x 1\nT1: R.na x 0", "rc20")
    assert (racy.verdict, racy.racy, racy.reason) == ("consistent", True, "racy")
    assert tribunal.check(STORE_BUFFERING, "rc20").racy is not True


def test_specifications(tmp_path: Path) -> None:
    assert not tribunal.check(QUEUE, "linearizable")
    history = tribunal.history(QUEUE)
    with pytest.raises(tribunal.TribunalError, match="enqueue"):
        history.check("linearizable", spec="register")
    with pytest.raises(tribunal.TribunalError):
        tribunal.check(QUEUE, "linearizable", spec=str(tmp_path / "missing.spec"))


def test_shrink() -> None:
    noisy = "T0: W x 1; W z 1; R y 0\nT1: W y 1; R z 0; R x 0"
    small = tribunal.shrink(noisy, "sc")
    assert small is not None and len(small) < 6
    assert not small.check("sc")
    assert tribunal.shrink("T0: W x 1", "sc") is None
    assert tribunal.check(noisy, "sc").shrink() is not None
    with pytest.raises(tribunal.TribunalError):
        tribunal.shrink(noisy, "linearizable")
    operations = tribunal.shrink(QUEUE)
    assert operations is not None and operations.spec == "queue"


def test_formats() -> None:
    history = tribunal.history(MESSAGE_PASSING)
    for name in ("json", "text", "axe"):
        if name == "axe":
            continue
        again = tribunal.history(history.to(name), format=name)
        assert len(again) == len(history)
        assert not again.check("tso")
    with pytest.raises(tribunal.TribunalError):
        tribunal.history(QUEUE).to("axe")


def test_labels() -> None:
    labeled = json.loads(MESSAGE_PASSING) | {"verdicts": {"sc": False, "pso": True, "rc20": None}}
    assert tribunal.history(labeled).labels == {"sc": False, "pso": True, "rc20": None}


def test_pages_and_pictures(tmp_path: Path) -> None:
    for given in (STORE_BUFFERING, QUEUE):
        history = tribunal.history(given)
        assert history.svg().startswith("<svg")
        assert "<svg" in history._repr_html_()
        page = history.view(tmp_path / "page.html")
        assert "<html" in Path(page or "").read_text(encoding="utf-8").lower()


def test_names_are_escaped() -> None:
    history = tribunal.history(json.loads(MESSAGE_PASSING) | {"name": "<script>alert(1)</script>"})
    assert "<script>alert" not in history._repr_html_()


def test_unicode() -> None:
    history = tribunal.history(json.loads(MESSAGE_PASSING) | {"name": "naïve ∪ 日本語"})
    assert history.name == "naïve ∪ 日本語"
    assert not history.check("tso")


def test_two_threads() -> None:
    history = tribunal.history(STORE_BUFFERING)
    found: list[bool] = []

    def ask() -> None:
        found.extend(bool(history.check("sc")) for _ in range(200))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [False] * 800


def test_what_cannot_be_pickled_says_so() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(tribunal.history(STORE_BUFFERING))


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.cat"
    file.write_text("mine\nacyclic po | rf | co | fr as all\n")
    assert not tribunal.check(STORE_BUFFERING, str(file))


def test_what_the_process_may_hold() -> None:
    threads = "\n".join(f"T{n}: W x {n + 1}; R y 0" for n in range(1000))
    tribunal.heap_allow(1 << 16)
    try:
        assert tribunal.check(threads, "sc").verdict == "undecided"
    finally:
        tribunal.heap_allow(None)
    assert tribunal.check(threads, "sc").verdict == "consistent"
