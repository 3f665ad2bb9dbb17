"""Shows a page in a notebook or in a browser."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path


def show(page: str, path: str | os.PathLike[str] | None = None) -> Path | None:
    """Writes the page to a file and returns its path, or shows it."""
    if path is not None:
        file = Path(path)
        file.write_text(page, encoding="utf-8")
        return file
    if _in_notebook():
        from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]

        frame = f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'
        display(HTML(frame))
        return None
    handle, name = tempfile.mkstemp(prefix="tribunal-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as written:
        written.write(page)
    if not webbrowser.open(Path(name).as_uri()):
        print(name)
    return Path(name)


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")
