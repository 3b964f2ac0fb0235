"""Every ```python block of the documentation runs, in order, one namespace to a document."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.docs


def snippets(document: Path) -> Iterator[str]:
    """The code blocks, each moved down to its own line so that tracebacks point into the text."""
    text = document.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        yield "\n" * text.count("\n", 0, block.start(1)) + block[1]


WITH_CODE = [document for document in DOCUMENTS if any(snippets(document))]


def test_the_readme_shows_code() -> None:
    assert ROOT / "README.md" in WITH_CODE


@pytest.mark.parametrize("document", WITH_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_snippets_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for snippet in snippets(document):
        exec(compile(snippet, str(document), "exec"), namespace)
