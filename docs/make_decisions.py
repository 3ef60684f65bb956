"""Write the table of docs/decisions/README.md from the records themselves.

Run by ``make docs``; ``--check`` only compares, for the tests.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).with_name("decisions")
PAGE = FOLDER / "README.md"
HEAD = ["| number | title | date |", "|---|---|---|"]
RECORD = re.compile(r"# (?P<title>[^\n]+)\n\nDate: (?P<date>\d{4}-\d\d-\d\d)\b")


def table(records: Iterable[Path]) -> str:
    """List the records in order of their numbers: file, first heading, date.

    Raises
    ------
    ValueError
        A file name has no number, a number is used twice, or a record does not begin with
        a heading and a date.
    """
    records = sorted(records, key=lambda path: path.name)
    numbers = Counter(path.name.split("-")[0] for path in records)
    rows = []
    for path in records:
        number = path.name.split("-")[0]
        if not re.fullmatch(r"\d{4}", number):
            raise ValueError(f"{path.name}: the name must begin with a number of four digits")
        if numbers[number] > 1:
            raise ValueError(f"{path.name}: another record has the number {number}; renumber one")
        head = RECORD.match(path.read_text(encoding="utf-8"))
        if head is None:
            raise ValueError(f"{path.name}: must begin with '# Title', then 'Date: YYYY-MM-DD'")
        rows.append(f"| [{number}]({path.name}) | {head['title']} | {head['date']} |")
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
