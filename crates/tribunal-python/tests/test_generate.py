"""Histories that are made, and what tells models apart."""

from __future__ import annotations

import pytest
import tribunal


def test_the_same_seed_is_the_same_history() -> None:
    def texts() -> list[str]:
        return [history.to() for history in tribunal.generate("tso", histories=3, events=60, seed=5)]

    assert texts() == texts() and len(set(texts())) == 3


@pytest.mark.parametrize(("machine", "model"), [("atomic", "sc"), ("tso", "tso"), ("pso", "pso"), ("view", "rc20")])
def test_machines_keep_to_their_models(machine: str, model: str) -> None:
    for history in tribunal.generate(machine, histories=5, events=200):
        assert history.check(model)


def test_bugs() -> None:
    histories = tribunal.generate_object("queue", histories=50, operations=40, bug="reordered-removal")
    assert any(not history.check("linearizable") for history in histories)
    histories = tribunal.generate_object("queue", histories=5, operations=40)
    assert all(history.check("linearizable") for history in histories)


def test_bad_arguments() -> None:
    with pytest.raises(tribunal.TribunalError, match="there are"):
        tribunal.generate("mesi", bug="nonsense")
    with pytest.raises(tribunal.TribunalError, match="cannot have"):
        tribunal.generate("tso", bug="missed-snoop")
    with pytest.raises(tribunal.TribunalError):
        tribunal.generate("nonsense")
    with pytest.raises(tribunal.TribunalError, match="can have"):
        tribunal.generate_object("queue", implementation="buggy")
    with pytest.raises(tribunal.TribunalError):
        next(tribunal.generate("atomic", writes=2.0))
    with pytest.raises(tribunal.TribunalError):
        next(tribunal.generate_object("no such object"))


def test_separate() -> None:
    found = tribunal.separate("pso", "tso")
    assert found is not None and found.check("pso") and not found.check("tso")
    assert tribunal.separate("sc", "tso", events=4) is None
    found = tribunal.separate("causal", "linearizable")
    assert found is not None and found.check("causal") and not found.check("linearizable")
    with pytest.raises(tribunal.TribunalError, match="no history in common"):
        tribunal.separate("sc", "linearizable")
    with pytest.raises(tribunal.TribunalError, match="from 1 to 8"):
        tribunal.separate("sc", "tso", events=9)
    with pytest.raises(tribunal.TribunalError, match="undecided"):
        tribunal.separate("sc", "tso", events=7, timeout=0.001)
