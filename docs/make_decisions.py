"""Write the table of docs/decisions/README.md from the pages themselves.

Run by ``make docs``; ``--check`` only compares, for the tests.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).with_name("decisions")
PAGE = FOLDER / "README.md"
HEAD = ["| topic | decisions |", "|---|---|"]


def table(pages: Iterable[Path]) -> str:
    """List the pages by name: title, and the headings of their decisions.

    Raises
    ------
    ValueError
        A page does not begin with a heading, or has no decision.
    """
    rows = []
    for path in sorted(pages, key=lambda path: path.name):
        lines = path.read_text(encoding="utf-8").splitlines()
        decisions = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
        if not lines or not lines[0].startswith("# ") or not decisions:
            raise ValueError(f"{path.name}: must begin with '# Title' and have '## ' decisions")
        title = lines[0].removeprefix("# ")
        rows.append(f"| [{title}]({path.name}) | {'; '.join(decisions)} |")
    return "\n".join([*HEAD, *rows]) + "\n"


def page() -> str:
    """Return the page: the introduction as it is written there, then the table."""
    introduction = PAGE.read_text(encoding="utf-8").split(HEAD[0])[0]
    return introduction + table(path for path in FOLDER.glob("*.md") if path != PAGE)


if __name__ == "__main__":
    try:
        text = page()
    except ValueError as error:
        sys.exit(f"docs/decisions: {error}")
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == text else f"{PAGE.name} is stale")
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.parent.name}/{PAGE.name}")
