"""Results for windows: each version, computed once for all windows, and each drag."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from retime.errors import RetimeError
from retime.serving.frames import with_values
from retime.studio import jobs, messages
from retime.studio.job_maker import JobMaker, content_of
from retime.studio.patience import Patience
from retime.studio.problems import fault, must_be_done, problem
from retime.studio.project import Project
from retime.studio.window import Shows, Window
from retime.studio.workers import Said, Stopped, Workers

Who = Callable[[], list[Window]]


class Results:
    """Computes results and shows them to the windows that wait for them.

    ``windows`` is the hub's own set of all windows.
    """

    def __init__(self, maker: JobMaker, workers: Workers, windows: set[Window]) -> None:
        self.maker, self.workers, self.windows = maker, workers, windows
        self._kept: dict[Shows, tuple[str, bytes]] = {}

    def keep_only(self, shown: set[Shows]) -> None:
        """Forget results that no window shows."""
        self._kept = {shows: kept for shows, kept in self._kept.items() if shows in shown}

    def showing(self, shows: Shows) -> list[Window]:
        """List the windows that show a version and an editor."""
        return [w for w in self.windows if shows in w.all_shown]

    def show_kept(self, window: Window) -> None:
        """Send a window the last computed result, unless it is in a drag."""
        kept = self._kept.get(window.shows)
        if kept is not None and window.preview is None:
            window.post(kept[1], _slot(window.shows))

    async def compute(self, shows: Shows, only: Window | None = None) -> None:
        """Compute the document's result for all who show it; one that is kept, for ``only``."""
        with self._telling(lambda: self.showing(shows)):
            job = self.maker.result(self.maker.session.project, shows)
            if job is None:
                return
            key, kept = content_of(job), self._kept.get(shows)
            if kept is not None and kept[0] == key:
                self.workers.drop(purpose_of(shows))  # what waits there is of an older document
                # After an undo and a redo it is the same result, of a later document.
                frame = with_values(kept[1], revision=job.revision)
                self._kept[shows] = (key, frame)
                for w in self.showing(shows) if only is None else [only]:
                    w.post(frame, _slot(shows))
                return
            frame = await self._solved(job, purpose_of(shows), lambda: self.showing(shows))
            now = self.maker.result(self.maker.session.project, shows)
            if now is None or content_of(now) != key:
                return  # the document went on meanwhile; what it is now is computed, or was
            if now.revision != job.revision:
                frame = with_values(frame, revision=now.revision)
            self._kept[shows] = (key, frame)
            for w in self.showing(shows):
                if w.preview is None or w.shows != shows:
                    w.post(frame, _slot(shows))

    async def preview(self, project: Project, window: Window, request: int) -> None:
        """Compute the preview of a drag for its window only."""
        shows = window.shows
        with self._telling(lambda: [window], request):
            job = self.maker.result(project, shows, request)
            if job is None:
                return
            frame = await self._solved(job, f"preview:{window.number}", lambda: [window])
            if window.preview is not None:  # the drag goes on: what is a little old shows the way
                window.post(frame, _slot(shows))

    async def _solved(self, job: jobs.Result, purpose: str, who: Who) -> bytes:
        def told(said: Said) -> None:
            for w in who():
                w.post(messages.Progress(job.request, said.word, said.progress), "progress")

        with Patience(told) as patience:
            said = await self.workers.run("solve", purpose, job, patience.hear)
        must_be_done(said, job)
        return said.body

    @contextlib.contextmanager
    def _telling(self, who: Who, request: int | None = None) -> Iterator[None]:
        """Return what goes wrong to those who wait for it."""
        try:
            yield
        except Stopped:
            return
        except RetimeError as e:
            said = problem("This could not be computed", e, request)
            for w in who():
                w.post(said)
        except Exception as e:
            said = fault(e, request)
            for w in who():
                w.post(said)


def purpose_of(shows: Shows) -> str:
    """Name the purpose of computing a version's result."""
    return f"result:{shows[0]}:{shows[1]}"


def _slot(shows: Shows) -> str:
    return f"result:{shows[0]}"
