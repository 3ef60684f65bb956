"""Files named when the studio started: open them, and list those that could not be loaded."""

from __future__ import annotations

from pathlib import Path

from retime.errors import RetimeError
from retime.studio.intake import Intake, sentence_about
from retime.studio.messages import FailedFile
from retime.studio.session import Session


class StartFiles:
    """Opens named files; one that cannot be loaded is listed until it is, or is forgotten."""

    def __init__(self, session: Session, intake: Intake) -> None:
        self._session, self._intake = session, intake
        self._failed: dict[str, FailedFile] = {}  # by path

    @property
    def failed(self) -> list[FailedFile]:
        """The files that could not be loaded."""
        return list(self._failed.values())

    async def open(self, place: Path) -> str | None:
        """Add a file to the document; return the reason if it cannot be loaded."""
        try:
            self._session.start_with(await self._intake.named(place))
        except RetimeError as e:
            text = sentence_about(e, place, place.name)
            self._failed[str(place)] = FailedFile(str(place), place.name, text)
            return text
        self._failed.pop(str(place), None)
        return None

    def find(self, path: str) -> FailedFile | None:
        """Return the failed file of a path; none if it is not listed."""
        return self._failed.get(path)

    def forget(self, path: str) -> bool:
        """Remove a failed file from the list; return whether it was there."""
        return self._failed.pop(path, None) is not None
