"""What the documents and docstrings show is what happens, and the stubs are what there is."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tribunal
from conftest import project_file


def blocks(file: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def documented() -> list[tuple[str, str]]:
    found = [("tribunal", tribunal.__doc__ or "")]
    for name in tribunal.__all__:
        thing = getattr(tribunal, name)
        found.append((name, thing.__doc__ or ""))
        if inspect.isclass(thing):
            for method, member in vars(thing).items():
                if not method.startswith("_"):
                    found.append((f"{name}.{method}", getattr(member, "__doc__", None) or ""))
    return found


@pytest.mark.parametrize(("name", "text"), documented(), ids=[name for name, _ in documented()])
def test_docstrings(name: str, text: str) -> None:
    assert text.strip(), f"{name} has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.failed == 0


@pytest.mark.parametrize("document", ["docs/python.md", "crates/tribunal-python/README.md"])
def test_documents(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project_file(document)
    # The one table of the documents that is not pyarrow's.
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "document"}
    found = blocks(file)
    assert found
    for number, block in enumerate(found):
        exec(compile(block, f"{document}, block {number}", "exec"), names)


def test_stubs() -> None:
    pytest.importorskip("mypy")
    modules = ["tribunal", *(f"tribunal.{module.name}" for module in pkgutil.iter_modules(tribunal.__path__))]
    # It needs pyspark, and is checked where the tests on a cluster have that.
    modules.remove("tribunal.spark")
    strict = ["mypy", "--strict", *(word for module in modules for word in ("-m", module))]
    for command in (strict, ["mypy.stubtest", "tribunal._tribunal"]):
        run = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
